(** The excess of layers with weights of their own about weights that are all equal, to second order: at the tied
    optimum the Hessian is A (4 1 1^T - 2 I), A = E[s lam q^(2T-2)] > 0, q = 1 - alpha_T lam. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law OneParameter Polynomial Layerwise LayerwiseLandscape Coefficients LayerwiseDescent
  LayerwiseGeometry LayerwiseFlow.
Open Scope R_scope.

(** * The residual to second order *)

Section Residual.
Variables (v : nat -> R) (a lam : R).
Let q : R := 1 - a * lam.

(** The terms of degree 1 and 2 in v of the product of q - v_i lam, and the rest. *)
Fixpoint first (k : nat) : R := match k with O => 0 | S j => first j * q - v j * lam * q ^ j end.
Fixpoint second (k : nat) : R := match k with O => 0 | S j => second j * q - v j * lam * first j end.
Definition rest (k : nat) : R := stack (fun i => a + v i) k lam - q ^ k - first k - second k.

Lemma rest_next : forall k, rest (S k) = rest k * (q - v k * lam) - v k * lam * second k.
Proof. intros k. unfold rest. rewrite stack_next. simpl. unfold q. ring. Qed.

Lemma first_is : forall k, first (S k) = - lam * total v (S k) * q ^ k.
Proof. intros k; induction k as [|k IH]; [simpl; ring |]. simpl first in *. rewrite IH. simpl. ring. Qed.

Lemma second_is : forall k,
  second (S (S k)) = lam ^ 2 * ((total v (S (S k)) ^ 2 - total (fun i => v i ^ 2) (S (S k))) / 2) * q ^ k.
Proof.
  intros k; induction k as [|k IH]; [simpl; field |].
  change (second (S (S (S k)))) with (second (S (S k)) * q - v (S (S k)) * lam * first (S (S k))).
  rewrite IH, first_is. cbn [total]. change (q ^ S k) with (q * q ^ k). field.
Qed.

End Residual.

(** They are small of the first, second and third order, uniformly. *)
Lemma terms_small : forall Q L k, 0 <= Q -> 0 <= L -> exists C, 0 <= C /\ forall v a lam m,
  0 <= m <= 1 -> (forall i, (i < k)%nat -> Rabs (v i) <= m) -> Rabs (1 - a * lam) <= Q -> Rabs lam <= L ->
  Rabs (first v a lam k) <= C * m /\ Rabs (second v a lam k) <= C * m ^ 2 /\ Rabs (rest v a lam k) <= C * m ^ 3.
Proof.
  intros Q L k HQ HL; induction k as [|k [C [HC IH]]].
  - exists 0. split; [lra |]. intros v a lam m Hm _ _ _. unfold rest, stack. simpl.
    replace (1 - 1 - 0 - 0) with 0 by ring. rewrite !Rabs_R0. lra.
  - assert (HQk : 0 <= Q ^ k) by now apply pow_le.
    set (C' := C * Q + C * L + L * Q ^ k + C * L).
    assert (HCQ : 0 <= C * Q) by now apply Rmult_le_pos. assert (HCL : 0 <= C * L) by now apply Rmult_le_pos.
    assert (HLQ : 0 <= L * Q ^ k) by now apply Rmult_le_pos.
    exists C'. split; [unfold C'; lra |]. intros v a lam m Hm Hv Hq Hlam.
    destruct (IH v a lam m Hm (fun i Hi => Hv i (Nat.lt_lt_succ_r _ _ Hi)) Hq Hlam) as [H1 [H2 H3]].
    assert (Hm2 : 0 <= m ^ 2) by apply pow2_ge_0. assert (Hm3 : 0 <= m ^ 3) by (apply pow_le; lra).
    assert (Hvl : Rabs (v k * lam) <= m * L).
    { rewrite Rabs_mult. apply Rmult_le_compat; try apply Rabs_pos; [apply Hv; lia | exact Hlam]. }
    assert (Hmul : forall x y X Y, Rabs x <= X -> Rabs y <= Y -> Rabs (x * y) <= X * Y).
    { intros x y X Y Hx Hy. rewrite Rabs_mult. apply Rmult_le_compat; trivial; apply Rabs_pos. }
    assert (Hsub : forall x y X Y, Rabs x <= X -> Rabs y <= Y -> Rabs (x - y) <= X + Y).
    { intros x y X Y Hx Hy. unfold Rminus. eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp. lra. }
    assert (Hqk : Rabs ((1 - a * lam) ^ k) <= Q ^ k).
    { rewrite <- RPow_abs. apply pow_incr. split; [apply Rabs_pos | exact Hq]. }
    split; [| split].
    + simpl first. eapply Rle_trans; [apply (Hsub _ _ _ _ (Hmul _ _ _ _ H1 Hq) (Hmul _ _ _ _ Hvl Hqk)) |].
      replace (C * m * Q + m * L * Q ^ k) with ((C * Q + L * Q ^ k) * m) by ring.
      apply Rmult_le_compat_r; unfold C'; lra.
    + simpl second. eapply Rle_trans; [apply (Hsub _ _ _ _ (Hmul _ _ _ _ H2 Hq) (Hmul _ _ _ _ Hvl H1)) |].
      replace (C * m ^ 2 * Q + m * L * (C * m)) with ((C * Q + C * L) * m ^ 2) by ring.
      apply Rmult_le_compat_r; unfold C'; lra.
    + rewrite rest_next.
      eapply Rle_trans; [apply (Hsub _ _ _ _ (Hmul _ _ _ _ H3 (Hsub _ _ _ _ Hq Hvl)) (Hmul _ _ _ _ Hvl H2)) |].
      replace (C * m ^ 3 * (Q + m * L) + m * L * (C * m ^ 2)) with ((C * Q + C * L * m + C * L) * m ^ 3) by ring.
      apply Rmult_le_compat_r; [exact Hm3 |]. assert (C * L * m <= C * L) by nra. unfold C'. lra.
Qed.

Section Tied.
Variables (P : law) (n : nat) (a : R).
Let T : nat := S (S n).

Definition tied_curvature : R := E P (fun s => s * (1 + s) * residual a s ^ (2 * S n)).

Lemma tied_stack : forall k s, stack (fun _ => a) k (1 + s) = residual a s ^ k.
Proof. intros k s; induction k as [|k IH]; [reflexivity |]. rewrite stack_next, IH. unfold residual. simpl. ring. Qed.

Lemma tied_excess : forall k, stack_excess P (fun _ => a) k = loss P k a.
Proof.
  intros k. unfold stack_excess, residual_excess, loss. pose proof (dom_stack P (fun _ => a) k).
  apply E_ext; [in_dom |]. intros s. now rewrite tied_stack, <- pow_mult, Nat.mul_comm.
Qed.

(** About equal weights a the excess is, with an error of the third order,
    E(a) - 2 (sum v) E[s q^(2T-1)] + A (2 (sum v)^2 - sum v^2). *)
Theorem tied_expansion : exists K, 0 <= K /\ forall v m, 0 <= m <= 1 -> (forall i, (i < T)%nat -> Rabs (v i) <= m) ->
  Rabs (stack_excess P (fun i => a + v i) T
    - (loss P T a - 2 * total v T * E P (fun s => s * residual a s ^ (2 * T - 1))
       + tied_curvature * (2 * total v T ^ 2 - total (fun i => v i ^ 2) T))) <= K * m ^ 3.
Proof.
  pose proof (lo_nonneg P) as Hlo. pose proof (hi_pos P) as Hhi. set (L := 1 + hi P). set (Q := 1 + Rabs a * L).
  assert (HL : 0 <= L) by (unfold L; lra).
  assert (HQ : 0 <= Q) by (unfold Q; pose proof (Rmult_le_pos _ _ (Rabs_pos a) HL); lra).
  destruct (terms_small Q L T HQ HL) as [C [HC H]].
  assert (HQT : 0 <= Q ^ T) by now apply pow_le.
  exists (2 * (Q ^ T * C) + 8 * C ^ 2). split.
  { pose proof (Rmult_le_pos _ _ HQT HC). pose proof (pow2_ge_0 C). lra. }
  intros v m Hm Hv.
  set (F := fun s => first v a (1 + s) T). set (G := fun s => second v a (1 + s) T).
  set (err := fun s => rest v a (1 + s) T). pose (q := fun s => residual a s).
  set (sigma := total v T). set (p := total (fun i => v i ^ 2) T).
  assert (HF : forall s, F s = - (1 + s) * sigma * q s ^ S n) by (intros s; apply first_is).
  assert (HG : forall s, G s = (1 + s) ^ 2 * ((sigma ^ 2 - p) / 2) * q s ^ n) by (intros s; apply second_is).
  assert (Dq : dom P q) by apply dom_residual.
  assert (DF : dom P F) by (apply (dom_ext P _ _ (fun s => eq_sym (HF s))); in_dom).
  assert (DG : dom P G) by (apply (dom_ext P _ _ (fun s => eq_sym (HG s))); in_dom).
  pose proof (dom_stack P (fun i => a + v i) T) as Ds.
  assert (HR : forall s, stack (fun i => a + v i) T (1 + s) = q s ^ T + F s + G s + err s).
  { intros s. unfold err, rest, F, G, q, residual. ring. }
  assert (DR : dom P err).
  { apply (dom_ext P (fun s => stack (fun i => a + v i) T (1 + s) - (q s ^ T + F s + G s))).
    - intros s. rewrite HR. ring.
    - in_dom. }
  set (small := fun s => 2 * q s ^ T * err s + 2 * F s * (G s + err s) + (G s + err s) ^ 2).
  assert (Dsmall : dom P small) by (unfold small; in_dom).
  assert (Hsum : stack_excess P (fun i => a + v i) T
    - (loss P T a - 2 * sigma * E P (fun s => s * residual a s ^ (2 * T - 1)) + tied_curvature * (2 * sigma ^ 2 - p))
    = E P (fun s => s * / (1 + s) * small s)).
  { unfold stack_excess, residual_excess, loss, tied_curvature.
    rewrite (Rmult_comm (E P _) (2 * sigma ^ 2 - p)), <- !E_scal, <- E_minus by in_dom.
    rewrite <- (E_plus P (fun s => s * / (1 + s) * residual a s ^ (2 * T)
        - 2 * sigma * (s * residual a s ^ (2 * T - 1)))), <- E_minus by in_dom.
    apply E_ext_supp; [in_dom | in_dom |]. intros s Hs. apply supp_nonneg in Hs. rewrite HR. unfold small.
    rewrite HF, HG. fold (q s). unfold T.
    replace (2 * S (S n))%nat with (S (S (S (S (n + n))))) by lia.
    replace (S (S (S (S (n + n)))) - 1)%nat with (S (S (S (n + n)))) by lia.
    replace (2 * S n)%nat with (S (S (n + n))) by lia. cbn [pow]. rewrite !pow_add. field. lra. }
  fold sigma p. rewrite Hsum. apply E_abs; [in_dom |]. intros s Hs.
  assert (Hs' : 0 <= s <= hi P) by (destruct Hs as [-> | Hs']; lra).
  assert (Hlam : Rabs (1 + s) <= L) by (rewrite Rabs_right; unfold L; lra).
  assert (Hq : Rabs (q s) <= Q).
  { unfold q, residual, Q. unfold Rminus. eapply Rle_trans; [apply Rabs_triang |].
    rewrite Rabs_R1, Rabs_Ropp, Rabs_mult. pose proof (Rmult_le_compat_l _ _ _ (Rabs_pos a) Hlam). lra. }
  destruct (H v a (1 + s) m Hm Hv Hq Hlam) as [H1 [H2 H3]]. fold (F s) (G s) (err s) in H1, H2, H3.
  assert (Hqk : Rabs (q s ^ T) <= Q ^ T) by (rewrite <- RPow_abs; apply pow_incr; split; [apply Rabs_pos | exact Hq]).
  assert (Hw : Rabs (s * / (1 + s)) <= 1).
  { rewrite Rabs_right by (apply Rle_ge, (weight_nonneg P s Hs)).
    apply (Rmult_le_reg_r (1 + s)); [lra |]. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (Hm3 : 0 <= m ^ 3) by (apply pow_le; lra). assert (Hm43 : m ^ 4 <= m ^ 3) by (simpl in *; nra).
  assert (Hm2 : m ^ 3 <= m ^ 2) by (simpl in *; nra).
  rewrite Rabs_mult. apply Rle_trans with (1 * Rabs (small s)); [apply Rmult_le_compat_r; [apply Rabs_pos | exact Hw] |].
  rewrite Rmult_1_l. set (W := G s + err s) in *.
  assert (HW : Rabs W <= 2 * C * m ^ 2).
  { unfold W. eapply Rle_trans; [apply Rabs_triang |].
    assert (C * m ^ 3 <= C * m ^ 2) by now apply Rmult_le_compat_l. lra. }
  unfold small. fold W. eapply Rle_trans; [apply Rabs_triang |].
  eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang |].
  rewrite !Rabs_mult, (Rabs_right 2), <- (RPow_abs W) by lra.
  assert (B1 : 2 * Rabs (q s ^ T) * Rabs (err s) <= 2 * (Q ^ T * C) * m ^ 3).
  { rewrite !Rmult_assoc. apply Rmult_le_compat_l; [lra |]. apply Rmult_le_compat; trivial; apply Rabs_pos. }
  assert (B2 : 2 * Rabs (F s) * Rabs W <= 4 * C ^ 2 * m ^ 3).
  { replace (4 * C ^ 2 * m ^ 3) with (2 * ((C * m) * (2 * C * m ^ 2))) by ring.
    rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra |]. apply Rmult_le_compat; trivial; apply Rabs_pos. }
  assert (B3 : Rabs W ^ 2 <= 4 * C ^ 2 * m ^ 3).
  { apply Rle_trans with ((2 * C * m ^ 2) ^ 2); [apply pow_incr; split; [apply Rabs_pos | exact HW] |].
    replace ((2 * C * m ^ 2) ^ 2) with (4 * C ^ 2 * m ^ 4) by ring. apply Rmult_le_compat_l; [| exact Hm43].
    pose proof (pow2_ge_0 C). lra. }
  lra.
Qed.

(** A > 0 unless the norm is constant. *)
Lemma tied_curvature_pos : lo P < hi P -> 0 < tied_curvature.
Proof.
  intros wide. pose proof (lo_nonneg P) as Hlo. unfold tied_curvature.
  rewrite (E_ext P _ (fun s => s * ((1 + s) * residual a s ^ (2 * S n)))) by (in_dom || (intros; ring)).
  assert (Hpow : forall x, 0 <= x ^ (2 * S n)) by (intros x; rewrite pow_mult; apply pow_le, pow2_ge_0).
  assert (Hc : forall s, continuity_pt (fun s => (1 + s) * residual a s ^ (2 * S n)) s).
  { intros s. unfold residual. reg. }
  assert (Hne : forall x, x <> 0 -> 0 < x ^ (2 * S n)).
  { intros x Hx. rewrite pow_mult. apply pow_lt. rewrite <- pow2_abs. apply pow_lt. now apply Rabs_pos_lt. }
  assert (Hsupp : forall s, lo P <= s <= hi P -> 0 <= (1 + s) * residual a s ^ (2 * S n)).
  { intros s Hs. apply Rmult_le_pos; [lra | apply Hpow]. }
  destruct (Req_dec (residual a (lo P)) 0) as [E | Hlow].
  - apply E_pos_high; [in_dom | exact Hsupp | apply Hc |]. apply Rmult_lt_0_compat; [lra |]. apply Hne.
    unfold residual in *. intros E'. assert (a * (hi P - lo P) = 0) by lra.
    apply Rmult_integral in H. destruct H as [H | H]; [rewrite H in E; lra | lra].
  - apply E_pos_low; [in_dom | exact Hsupp | apply Hc |]. apply Rmult_lt_0_compat; [lra | now apply Hne].
Qed.

(** At the tied optimum the gradient is 0 and the Hessian A (4 1 1^T - 2 I): with v^T H v / 2 = A (2 (sum v)^2 - sum v^2),
    and an error of the third order in the largest |v_i|. *)
Theorem tied_optimum_hessian : lo P < hi P -> minimiser P T a -> 0 < tied_curvature /\
  exists K, 0 <= K /\ forall v m, 0 <= m <= 1 -> (forall i, (i < T)%nat -> Rabs (v i) <= m) ->
  Rabs (stack_excess P (fun i => a + v i) T
    - (stack_excess P (fun _ => a) T
       + tied_curvature * (2 * total v T ^ 2 - total (fun i => v i ^ 2) T))) <= K * m ^ 3.
Proof.
  intros wide Ha. split; [now apply tied_curvature_pos |]. destruct tied_expansion as [K [HK H]].
  exists K. split; [exact HK |]. intros v m Hm Hv. rewrite tied_excess.
  assert (Hz : E P (fun s => s * residual a s ^ (2 * T - 1)) = 0).
  { apply minimiser_iff_critical in Ha; [| unfold T; lia]. unfold slope in Ha.
    assert (0 < INR (2 * T)) by (apply lt_0_INR; unfold T; lia).
    apply Rmult_integral in Ha. destruct Ha as [Ha | Ha]; [lra | exact Ha]. }
  specialize (H v m Hm Hv). rewrite Hz, Rmult_0_r, Rminus_0_r in H. exact H.
Qed.
End Tied.

(** T - 1 negative directions: along every v whose entries sum to 0 the excess falls from the tied optimum. *)
Theorem tied_optimum_falls : forall P n a v, lo P < hi P -> minimiser P (S (S n)) a ->
  total v (S (S n)) = 0 -> (exists i, (i < S (S n))%nat /\ v i <> 0) -> exists d, 0 < d /\ forall t, 0 < Rabs t < d ->
  stack_excess P (fun i => a + t * v i) (S (S n)) < stack_excess P (fun _ => a) (S (S n)).
Proof.
  intros P n a v wide Ha Hsum [i0 [Hi0 Hv0]]. set (T := S (S n)) in *.
  destruct (tied_optimum_hessian P n a wide Ha) as [HA [K [HK H]]]. fold T in H.
  set (A := tied_curvature P n a) in *. set (p := total (fun i => v i ^ 2) T).
  assert (Hp : 0 < p).
  { apply Rlt_le_trans with (v i0 ^ 2); [rewrite <- pow2_abs; apply pow_lt; now apply Rabs_pos_lt |].
    now apply square_of_total. }
  destruct (finite_bound (fun i => Rabs (v i)) T) as [V [HV HVb]].
  set (B := K * V ^ 3 + V * (A * p) + 1). assert (HAp : 0 < A * p) by now apply Rmult_lt_0_compat.
  assert (HKV : 0 <= K * V ^ 3) by (apply Rmult_le_pos; [exact HK | now apply pow_le]).
  assert (HVA : 0 <= V * (A * p)) by (apply Rmult_le_pos; lra).
  exists (A * p / B). split; [apply Rdiv_lt_0_compat; unfold B; lra |]. intros t [Ht0 Ht].
  set (u := Rabs t) in *.
  assert (HuB : u * B < A * p).
  { apply (Rmult_lt_compat_r B) in Ht; [| unfold B; lra].
    replace (A * p / B * B) with (A * p) in Ht by (field; unfold B; lra). exact Ht. }
  assert (HuKV : u * (K * V ^ 3) < A * p) by (unfold B in HuB; nra).
  assert (HuV : u * V <= 1).
  { apply (Rmult_le_reg_r (A * p)); [exact HAp |]. unfold B in HuB. nra. }
  assert (HuV0 : 0 <= u * V) by (apply Rmult_le_pos; lra).
  assert (Hv : forall i, (i < T)%nat -> Rabs (t * v i) <= u * V).
  { intros i Hi. rewrite Rabs_mult. apply Rmult_le_compat_l; [lra | apply HVb; lia]. }
  destruct (abs_le_bounds _ _ (H (fun i => t * v i) (u * V) (conj HuV0 HuV) Hv)) as [_ Hle].
  rewrite total_scal, Hsum in Hle.
  rewrite (total_ext (fun i => (t * v i) ^ 2) (fun i => t ^ 2 * v i ^ 2)), total_scal in Hle by (intros; ring).
  fold p in Hle. replace (t ^ 2) with (u ^ 2) in Hle by (apply pow2_abs).
  assert (Hu2 : 0 < u ^ 2) by now apply pow_lt.
  assert (K * (u * V) ^ 3 < u ^ 2 * (A * p)); [| lra].
  replace (K * (u * V) ^ 3) with (u ^ 2 * (u * (K * V ^ 3))) by ring. now apply Rmult_lt_compat_l.
Qed.
