(** The gradient flow of the layers' weights exists for all time from every start, on a law with at least as many points
    as layers: the gradient is Lipschitz on bounded sets, and the excess keeps an orbit in one. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law Flow Polynomial Layerwise LayerwiseLandscape LayerwiseDescent LayerwiseGeometry
  LayerwiseFlow Picard.
Open Scope R_scope.

(** * Weights cut off at B *)

Definition clamp (B y : R) : R := Rmax (- B) (Rmin B y).

Lemma clamp_bound : forall B y, 0 <= B -> Rabs (clamp B y) <= B.
Proof.
  intros B y HB. apply Rabs_le. unfold clamp, Rmax, Rmin. destruct (Rle_dec B y); destruct (Rle_dec _ _); lra.
Qed.

Lemma clamp_id : forall B y, Rabs y <= B -> clamp B y = y.
Proof.
  intros B y H. apply abs_le_bounds in H. unfold clamp, Rmax, Rmin.
  destruct (Rle_dec B y); destruct (Rle_dec _ _); lra.
Qed.

Lemma clamp_close : forall B x y, 0 <= B -> Rabs (clamp B x - clamp B y) <= Rabs (x - y).
Proof.
  intros B x y HB. unfold clamp, Rmax, Rmin, Rabs. destruct (Rle_dec B x), (Rle_dec B y);
    repeat match goal with
    | |- context [Rle_dec ?u ?v] => destruct (Rle_dec u v)
    | |- context [Rcase_abs ?u] => destruct (Rcase_abs u) end; lra.
Qed.

Lemma stack_slope_ext : forall P alpha beta T i, (i < T)%nat -> (forall k, (k < T)%nat -> alpha k = beta k) ->
  stack_slope P alpha T i = stack_slope P beta T i.
Proof.
  intros P alpha beta T i Hi H. unfold stack_slope. f_equal. pose proof (dom_stack P (without alpha i) T).
  apply E_ext; [in_dom |]. intros s. rewrite (H i Hi). do 3 f_equal. apply stack_ext.
  intros k Hk. unfold without, update. destruct (Nat.eqb k i); [reflexivity | now apply H].
Qed.

(** * The gradient is bounded and Lipschitz on bounded sets *)

Lemma product_close : forall a b a' b' A B x y, Rabs a <= A -> Rabs b' <= B -> Rabs (a - a') <= x ->
  Rabs (b - b') <= y -> Rabs (a * b - a' * b') <= A * y + x * B.
Proof.
  intros a b a' b' A B x y Ha Hb Hx Hy. replace (a * b - a' * b') with (a * (b - b') + (a - a') * b') by ring.
  eapply Rle_trans; [apply Rabs_triang |]. rewrite !Rabs_mult.
  apply Rplus_le_compat; apply Rmult_le_compat; trivial; apply Rabs_pos.
Qed.

Section Gradient.
Variables (P : law) (B : R).
Hypothesis HB : 0 <= B.
Let L : R := 1 + hi P.
Let Q : R := 1 + B * L.

Lemma L_pos : 0 < L.
Proof. unfold L. pose proof (hi_pos P). lra. Qed.

Lemma Q_pos : 0 < Q.
Proof. pose proof L_pos. unfold Q. pose proof (Rmult_le_pos B L HB). lra. Qed.

Lemma factor_abs : forall a s, Rabs a <= B -> supp P s -> Rabs (1 - a * (1 + s)) <= Q.
Proof.
  intros a s Ha Hs. pose proof (lo_nonneg P). pose proof (hi_pos P).
  assert (Hs' : 0 <= s <= hi P) by (destruct Hs as [-> | Hs]; lra).
  unfold Rminus. eapply Rle_trans; [apply Rabs_triang |].
  rewrite Rabs_R1, Rabs_Ropp, Rabs_mult, (Rabs_right (1 + s)) by lra. unfold Q, L.
  apply Rplus_le_compat_l, Rmult_le_compat; trivial; [apply Rabs_pos | lra | lra].
Qed.

Lemma factor_close : forall a b d s, Rabs (a - b) <= d -> supp P s ->
  Rabs (1 - a * (1 + s) - (1 - b * (1 + s))) <= L * d.
Proof.
  intros a b d s Hd Hs. pose proof (lo_nonneg P). pose proof (hi_pos P).
  assert (Hs' : 0 <= s <= hi P) by (destruct Hs as [-> | Hs]; lra).
  replace (1 - a * (1 + s) - (1 - b * (1 + s))) with ((1 + s) * - (a - b)) by ring.
  rewrite Rabs_mult, Rabs_Ropp, (Rabs_right (1 + s)) by lra.
  apply Rmult_le_compat; [lra | apply Rabs_pos | unfold L; lra | exact Hd].
Qed.

Lemma stack_close : forall T, exists C, 0 <= C /\ forall alpha beta d s,
  (forall k, (k < T)%nat -> Rabs (alpha k) <= B) -> (forall k, (k < T)%nat -> Rabs (beta k) <= B) ->
  (forall k, (k < T)%nat -> Rabs (alpha k - beta k) <= d) -> supp P s ->
  Rabs (stack alpha T (1 + s) - stack beta T (1 + s)) <= C * d.
Proof.
  pose proof L_pos as HL. pose proof Q_pos as HQ.
  intros T; induction T as [|T [C [HC IH]]].
  - exists 0. split; [lra |]. intros. unfold stack; simpl. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - assert (HQT : 0 <= Q ^ T) by (apply pow_le; lra).
    exists (Q ^ T * L + C * Q). split.
    { apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra. }
    intros alpha beta d s Ha Hb Hd Hs. rewrite !stack_next.
    replace ((Q ^ T * L + C * Q) * d) with (Q ^ T * (L * d) + C * d * Q) by ring. apply product_close.
    + apply stack_abs; trivial. intros k Hk. apply Ha. lia.
    + apply factor_abs; trivial. apply Hb. lia.
    + apply IH; trivial; intros k Hk; [apply Ha | apply Hb | apply Hd]; lia.
    + apply factor_close; trivial. apply Hd. lia.
Qed.

Lemma slope_bounded : forall T, exists M, 0 <= M /\ forall alpha i, (forall k, (k < T)%nat -> Rabs (alpha k) <= B) ->
  (i < T)%nat -> Rabs (stack_slope P alpha T i) <= M.
Proof.
  intros T. pose proof L_pos as HL. pose proof Q_pos as HQ. pose proof (hi_pos P) as Hh. pose proof (lo_nonneg P) as Hlo.
  assert (HQT : 0 <= Q ^ T) by (apply pow_le; lra). set (M := hi P * (Q * (Q ^ T) ^ 2)).
  exists (2 * M). split.
  { unfold M. repeat apply Rmult_le_pos; lra. }
  intros alpha i Ha Hi. unfold stack_slope. rewrite Rabs_mult, (Rabs_left (-2)) by lra.
  replace (- -2) with 2 by ring. apply Rmult_le_compat_l; [lra |].
  pose proof (dom_stack P (without alpha i) T). apply E_abs; [in_dom |]. intros s Hs.
  assert (Hs' : 0 <= s <= hi P) by (destruct Hs as [-> | Hs']; lra).
  rewrite !Rabs_mult, <- RPow_abs, (Rabs_right s) by lra. unfold M.
  apply Rmult_le_compat; try lra; [apply Rmult_le_pos; [apply Rabs_pos | apply pow2_ge_0] |].
  apply Rmult_le_compat; [apply Rabs_pos | apply pow2_ge_0 | apply factor_abs; auto |].
  apply pow_incr. split; [apply Rabs_pos |]. apply stack_abs; trivial. now apply without_abs.
Qed.

Lemma slope_lipschitz : forall T, exists K, 0 < K /\ forall alpha beta d,
  (forall k, (k < T)%nat -> Rabs (alpha k) <= B) -> (forall k, (k < T)%nat -> Rabs (beta k) <= B) ->
  (forall k, (k < T)%nat -> Rabs (alpha k - beta k) <= d) ->
  forall i, (i < T)%nat -> Rabs (stack_slope P alpha T i - stack_slope P beta T i) <= K * d.
Proof.
  intros T. pose proof L_pos as HL. pose proof Q_pos as HQ. pose proof (hi_pos P) as Hh. pose proof (lo_nonneg P) as Hlo.
  assert (HQT : 0 <= Q ^ T) by (apply pow_le; lra). destruct (stack_close T) as [C [HC H]].
  set (U := Q ^ T) in *. set (K := hi P * (Q * (U * C + C * U) + L * (U * U))).
  assert (HK : 0 <= K).
  { unfold K. apply Rmult_le_pos; [lra |]. apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra.
    - apply Rplus_le_le_0_compat; now apply Rmult_le_pos.
    - now apply Rmult_le_pos. }
  exists (2 * K + 1). split; [lra |]. intros alpha beta d Ha Hb Hd i Hi.
  assert (Hd0 : 0 <= d) by (eapply Rle_trans; [apply Rabs_pos | exact (Hd i Hi)]).
  pose proof (dom_stack P (without alpha i) T) as Da. pose proof (dom_stack P (without beta i) T) as Db.
  unfold stack_slope. rewrite <- Rmult_minus_distr_l, <- E_minus, Rabs_mult, (Rabs_left (-2)) by (in_dom || lra).
  apply Rle_trans with (2 * (K * d)); [| lra]. replace (- -2) with 2 by ring. apply Rmult_le_compat_l; [lra |].
  apply E_abs; [in_dom |]. intros s Hs. assert (Hs' : 0 <= s <= hi P) by (destruct Hs as [-> | Hs']; lra).
  set (w := stack (without alpha i) T (1 + s)). set (w' := stack (without beta i) T (1 + s)).
  assert (Hw : Rabs w <= U) by (apply stack_abs; trivial; now apply without_abs).
  assert (Hw' : Rabs w' <= U) by (apply stack_abs; trivial; now apply without_abs).
  assert (Hww : Rabs (w - w') <= C * d).
  { apply H; trivial; try (now apply without_abs). intros k Hk. unfold without, update.
    destruct (Nat.eqb k i); [rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; exact Hd0 | now apply Hd]. }
  rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_right s) by lra. unfold K. rewrite Rmult_assoc.
  apply Rmult_le_compat; [lra | apply Rabs_pos | lra |].
  replace ((Q * (U * C + C * U) + L * (U * U)) * d) with (Q * (U * (C * d) + C * d * U) + L * d * (U * U)) by ring.
  apply product_close; [apply factor_abs; auto | | apply factor_close; auto |].
  - rewrite <- RPow_abs. simpl. rewrite Rmult_1_r. apply Rmult_le_compat; trivial; apply Rabs_pos.
  - simpl. rewrite !Rmult_1_r. now apply product_close.
Qed.

End Gradient.

(** * The flow *)

(** A solution of the gradient flow for all time t >= 0. *)
Definition flows (P : law) (T : nat) (x : nat -> R -> R) : Prop := forall i t, (i < T)%nat -> 0 <= t ->
  derivable_pt_lim (x i) t (- stack_slope P (fun k => x k t) T i).

(** While the weights follow the flow the excess falls. *)
Lemma excess_never_rises : forall P T x b, 0 <= b ->
  (forall i t, (i < T)%nat -> 0 <= t <= b -> derivable_pt_lim (x i) t (- stack_slope P (fun k => x k t) T i)) ->
  stack_excess P (fun k => x k b) T <= stack_excess P (fun k => x k 0) T.
Proof.
  intros P T x b Hb Hx.
  assert (Hd : forall t, 0 <= t <= b -> derivable_pt_lim (fun u => stack_excess P (fun k => x k u) T) t
    (total (fun i => - stack_slope P (fun k => x k t) T i * stack_slope P (fun k => x k t) T i) T)).
  { intros t Ht. apply (excess_derivative P x t (fun i => - stack_slope P (fun k => x k t) T i)).
    intros i Hi. now apply Hx. }
  apply (nonincreasing (fun u => stack_excess P (fun k => x k u) T) (fun t =>
    total (fun i => - stack_slope P (fun k => x k t) T i * stack_slope P (fun k => x k t) T i) T)); [exact Hb | |].
  - intros t Ht. apply derivable_continuous_pt. eexists. now apply Hd.
  - intros t Ht. split; [apply Hd; lra |].
    rewrite (total_ext _ (fun i => -1 * stack_slope P (fun k => x k t) T i ^ 2)) by (intros; ring).
    rewrite total_scal. pose proof (squares_nonneg (stack_slope P (fun k => x k t) T) T). lra.
Qed.

Lemma stack_excess_ext : forall P T alpha beta, (forall k, (k < T)%nat -> alpha k = beta k) ->
  stack_excess P alpha T = stack_excess P beta T.
Proof.
  intros P T alpha beta H. pose proof (dom_stack P alpha T). apply E_ext; [in_dom |]. intros s. do 2 f_equal.
  now apply stack_ext.
Qed.

(** Theorem: from every start there is a solution for all time. *)
Theorem layerwise_flow_exists : forall P n x0, pts P n ->
  exists x : nat -> R -> R, (forall i, x i 0 = x0 i) /\ flows P (S n) x.
Proof.
  intros P n x0 Hpts. set (T := S n).
  destruct (excess_coercive P n Hpts (stack_excess P x0 T)) as [B0 [HB0 Hco]]. fold T in Hco.
  set (B := B0 + 1). assert (HB : 0 <= B) by (unfold B; lra).
  destruct (slope_bounded P B HB T) as [M [HM Hbound]]. destruct (slope_lipschitz P B HB T) as [K [HK Hlip]].
  set (G := fun (y : nat -> R) i => if Nat.ltb i T then - stack_slope P (fun k => clamp B (y k)) T i else 0).
  destruct (picard G x0 M K HM HK) as [x [Hx0 [Hxlip Hx]]].
  - intros y i. unfold G. destruct (Nat.ltb_spec i T); [| now rewrite Rabs_R0].
    rewrite Rabs_Ropp. apply Hbound; trivial. intros; now apply clamp_bound.
  - intros y y' d Hd i. unfold G. assert (Hd0 : 0 <= d) by (eapply Rle_trans; [apply Rabs_pos | exact (Hd 0%nat)]).
    destruct (Nat.ltb_spec i T).
    + rewrite Rabs_minus_sym.
      replace (- stack_slope P (fun k => clamp B (y' k)) T i - - stack_slope P (fun k => clamp B (y k)) T i)
        with (stack_slope P (fun k => clamp B (y k)) T i - stack_slope P (fun k => clamp B (y' k)) T i) by ring.
      apply Hlip; trivial; intros k Hk; try (now apply clamp_bound).
      apply Rle_trans with (2 := Hd k). now apply clamp_close.
    + rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. apply Rmult_le_pos; lra.
  - assert (Hflow : forall i t, (i < T)%nat -> 0 <= t -> (forall k, (k < T)%nat -> Rabs (x k t) <= B) ->
      derivable_pt_lim (x i) t (- stack_slope P (fun k => x k t) T i)).
    { intros i t Hi Ht Hb. specialize (Hx i t Ht). unfold G in Hx. rewrite (proj2 (Nat.ltb_lt i T) Hi) in Hx.
      rewrite (stack_slope_ext P (fun k => x k t) (fun k => clamp B (x k t))); trivial.
      intros k Hk. symmetry. now apply clamp_id, Hb. }
    assert (Hfalls : forall b, 0 <= b -> (forall t k, 0 <= t <= b -> (k < T)%nat -> Rabs (x k t) <= B) ->
      forall k, (k < T)%nat -> Rabs (x k b) <= B0).
    { intros b Hb Hin. apply (Hco (fun k => x k b)).
      rewrite <- (stack_excess_ext P T (fun k => x k 0) x0) by (intros; apply Hx0).
      apply excess_never_rises; [exact Hb |]. intros i t Hi Ht. apply Hflow; [exact Hi | lra |].
      intros k Hk. now apply Hin. }
    set (h := / (M + 1)). assert (Hh : 0 < h) by (apply Rinv_0_lt_compat; lra).
    assert (Hsteps : forall j t k, 0 <= t <= INR j * h -> (k < T)%nat -> Rabs (x k t) <= B0).
    { intros j; induction j as [|j IH]; intros t k Ht Hk.
      - simpl in Ht. apply Hfalls; trivial; [lra |]. intros u m Hu Hm. replace u with 0 by lra. rewrite Hx0.
        apply Rle_trans with B0; [| unfold B; lra]. now apply (Hco x0 (Rle_refl _)).
      - apply Hfalls; trivial; [lra |]. intros u m Hu Hm.
        destruct (Rle_dec u (INR j * h)) as [Hle | Hgt].
        + apply Rle_trans with B0; [apply (IH u m); trivial; lra | unfold B; lra].
        + rewrite S_INR in Ht. pose proof (pos_INR j) as Hj.
          assert (Hjh : 0 <= INR j * h) by (apply Rmult_le_pos; lra).
          pose proof (IH (INR j * h) m ltac:(lra) Hm) as Hm0. pose proof (Hxlip m (INR j * h) u) as Hl.
          rewrite (Rabs_right (u - INR j * h)) in Hl by lra.
          assert (Hsmall : M * (u - INR j * h) <= 1).
          { apply Rle_trans with (M * h); [apply Rmult_le_compat_l; lra |].
            apply Rle_trans with ((M + 1) * h); [apply Rmult_le_compat_r; lra | unfold h; rewrite Rinv_r; lra]. }
          apply abs_le_bounds in Hm0. apply abs_le_bounds in Hl. unfold B. apply Rabs_le. lra. }
    exists x. split; [exact Hx0 |]. intros i t Hi Ht. apply Hflow; trivial. intros k Hk.
    assert (Hfar : exists j, t <= INR j * h).
    { destruct (archimed_cor1 (h / (t + 1))) as [j [Hj Hj0]]; [apply Rdiv_lt_0_compat; lra |].
      assert (HN : 0 < INR j) by now apply lt_0_INR. exists j.
      apply (Rmult_lt_compat_r (INR j * (t + 1))) in Hj; [| apply Rmult_lt_0_compat; lra].
      replace (/ INR j * (INR j * (t + 1))) with (t + 1) in Hj by (field; lra).
      replace (h / (t + 1) * (INR j * (t + 1))) with (INR j * h) in Hj by (field; lra). lra. }
    destruct Hfar as [j Hj].
    apply Rle_trans with B0; [apply (Hsteps j t k); trivial; lra | unfold B; lra].
Qed.

(** It is the only one. *)
Theorem layerwise_flow_unique : forall P n x y, pts P n -> flows P (S n) x -> flows P (S n) y ->
  (forall i, (i < S n)%nat -> x i 0 = y i 0) -> forall i t, (i < S n)%nat -> 0 <= t -> x i t = y i t.
Proof.
  intros P n x y Hpts Hx Hy H0. set (T := S n) in *.
  destruct (excess_coercive P n Hpts (stack_excess P (fun k => x k 0) T)) as [B [HB Hco]]. fold T in Hco.
  assert (Hxb : forall k t, (k < T)%nat -> 0 <= t -> Rabs (x k t) <= B).
  { intros k t Hk Ht. apply (Hco (fun k => x k t)); [| exact Hk].
    apply excess_never_rises; [exact Ht |]. intros j u Hj Hu. apply Hx; [exact Hj | lra]. }
  assert (Hyb : forall k t, (k < T)%nat -> 0 <= t -> Rabs (y k t) <= B).
  { intros k t Hk Ht. apply (Hco (fun k => y k t)); [| exact Hk]. rewrite (stack_excess_ext P T _ (fun k => y k 0) H0).
    apply excess_never_rises; [exact Ht |]. intros j u Hj Hu. apply Hy; [exact Hj | lra]. }
  destruct (slope_lipschitz P B HB T) as [K [HK Hlip]].
  assert (Hclose : forall m i t, (i < T)%nat -> 0 <= t -> Rabs (x i t - y i t) <= 2 * B / 2 ^ m * (1 * exp (2 * K * t))).
  { intros m; induction m as [|m IH]; intros i t Hi Ht.
    - destruct (exp_ge (2 * K * t)) as [He _]; [apply Rmult_le_pos; lra |]. simpl pow.
      destruct (abs_le_bounds _ _ (Hxb i t Hi Ht)). destruct (abs_le_bounds _ _ (Hyb i t Hi Ht)).
      apply Rle_trans with (2 * B * 1); [apply Rabs_le; lra |].
      replace (2 * B / 1 * (1 * exp (2 * K * t))) with (2 * B * exp (2 * K * t)) by field. apply Rmult_le_compat_l; lra.
    - replace (2 * B / 2 ^ S m) with (2 * B / 2 ^ m / 2) by (simpl; field; apply pow_nonzero; lra).
      assert (Hw : 0 <= 2 * B / 2 ^ m) by (apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, pow_lt; lra]).
      apply (halved K 1 (2 * B / 2 ^ m) (fun u => x i u - y i u) (fun u =>
        - stack_slope P (fun k => x k u) T i - - stack_slope P (fun k => y k u) T i)); trivial; try lra.
      + rewrite H0 by exact Hi. ring.
      + intros u Hu. apply derivable_pt_lim_minus; [now apply Hx | now apply Hy].
      + intros u Hu. rewrite Rabs_minus_sym.
        replace (- stack_slope P (fun k => y k u) T i - - stack_slope P (fun k => x k u) T i)
          with (stack_slope P (fun k => x k u) T i - stack_slope P (fun k => y k u) T i) by ring.
        apply Hlip; trivial; intros k Hk; [now apply Hxb | now apply Hyb | now apply IH]. }
  intros i t Hi Ht. assert (Hz : Rabs (x i t - y i t) <= 0).
  { apply (le_half _ _ (2 * B * (1 * exp (2 * K * t)))). intros m. pose proof (Hclose m i t Hi Ht) as H.
    unfold Rdiv in *. lra. }
  destruct (abs_le_bounds _ _ Hz). lra.
Qed.
