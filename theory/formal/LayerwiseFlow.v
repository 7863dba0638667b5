(** Gradient flow from pairwise distinct weights converges, exponentially, to weights at which the excess is least:
    the reciprocals of the Gauss nodes in some order. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law Flow Polynomial Layerwise LayerwiseLandscape GaussNodes Coefficients LayerwiseDescent
  LayerwiseGeometry.
Open Scope R_scope.

(** * Limits as t tends to infinity *)

Definition tends (f : R -> R) (l : R) : Prop :=
  forall eps, 0 < eps -> exists t0, forall t, t0 <= t -> Rabs (f t - l) < eps.

Lemma tends_unique : forall f l l', tends f l -> tends f l' -> l = l'.
Proof.
  intros f l l' H H'. destruct (Req_dec l l') as [E | Hne]; [exact E | exfalso].
  assert (Hpos : 0 < Rabs (l - l')) by now apply Rabs_pos_lt, Rminus_eq_contra.
  destruct (H (Rabs (l - l') / 2)) as [t0 H0]; [lra |]. destruct (H' (Rabs (l - l') / 2)) as [t1 H1]; [lra |].
  specialize (H0 (Rmax t0 t1) (Rmax_l _ _)). specialize (H1 (Rmax t0 t1) (Rmax_r _ _)).
  set (y := f (Rmax t0 t1)) in *. pose proof (Rabs_triang (l - y) (y - l')) as Ht.
  replace (l - y + (y - l')) with (l - l') in Ht by ring. rewrite (Rabs_minus_sym l y) in Ht. lra.
Qed.

Lemma tends_const : forall c, tends (fun _ => c) c.
Proof. intros c eps Heps. exists 0. intros. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. exact Heps. Qed.

Lemma tends_mult : forall f g a b, tends f a -> tends g b -> tends (fun t => f t * g t) (a * b).
Proof.
  intros f g a b Hf Hg eps Heps. set (e := Rmin 1 (eps / (2 * (Rabs a + Rabs b + 1)))).
  pose proof (Rabs_pos a) as Ha. pose proof (Rabs_pos b) as Hb.
  assert (He : 0 < e) by (apply Rmin_glb_lt; [| apply Rdiv_lt_0_compat]; lra).
  destruct (Hf e He) as [t0 H0]. destruct (Hg e He) as [t1 H1]. exists (Rmax t0 t1). intros t Ht.
  specialize (H0 t (Rle_trans _ _ _ (Rmax_l _ _) Ht)). specialize (H1 t (Rle_trans _ _ _ (Rmax_r _ _) Ht)).
  replace (f t * g t - a * b) with ((f t - a) * (g t - b) + (a * (g t - b) + (f t - a) * b)) by ring.
  set (u := f t - a) in *. set (v := g t - b) in *. pose proof (Rabs_pos u). pose proof (Rabs_pos v).
  assert (He1 : e <= 1) by apply Rmin_l.
  assert (He2 : e * (Rabs a + Rabs b + 1) <= eps / 2).
  { apply Rle_trans with (eps / (2 * (Rabs a + Rabs b + 1)) * (Rabs a + Rabs b + 1)).
    - apply Rmult_le_compat_r; [lra | apply Rmin_r].
    - right. field. lra. }
  eapply Rle_lt_trans; [apply Rabs_triang |]. eapply Rle_lt_trans; [apply Rplus_le_compat_l, Rabs_triang |].
  rewrite !Rabs_mult.
  assert (Rabs u * Rabs v <= e * 1) by (apply Rmult_le_compat; lra).
  assert (Rabs a * Rabs v <= Rabs a * e) by (apply Rmult_le_compat_l; lra).
  assert (Rabs u * Rabs b <= e * Rabs b) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** exp is above 1 and the identity; the standard library's proofs use the excluded middle. *)
Lemma exp_ge : forall z, 0 <= z -> 1 <= exp z /\ z <= exp z.
Proof.
  assert (H1 : forall z, 0 <= z -> 1 <= exp z).
  { intros z Hz. apply Ropp_le_cancel. rewrite <- exp_0.
    apply (nonincreasing (fun u => - exp u) (fun u => - exp u)); [exact Hz | |].
    - intros u _. apply derivable_continuous_pt. eexists. apply derivable_pt_lim_opp, derivable_pt_lim_exp.
    - intros u _. split; [apply derivable_pt_lim_opp, derivable_pt_lim_exp | pose proof (exp_pos u); lra]. }
  intros z Hz. split; [now apply H1 |].
  assert (H : z - exp z <= 0 - exp 0); [| rewrite exp_0 in H; lra].
  apply (nonincreasing (fun u => u - exp u) (fun u => 1 - exp u)); [exact Hz | |].
  - intros u _. apply derivable_continuous_pt. eexists.
    apply (derivable_pt_lim_minus (fun u => u) exp); [apply derivable_pt_lim_id | apply derivable_pt_lim_exp].
  - intros u Hu. split.
    + apply (derivable_pt_lim_minus (fun u => u) exp); [apply derivable_pt_lim_id | apply derivable_pt_lim_exp].
    + pose proof (H1 u ltac:(lra)). lra.
Qed.

Lemma tends_exp : forall f l K c, 0 < c -> 0 <= K -> (forall t, 1 <= t -> Rabs (f t - l) <= K * exp (- c * (t - 1))) ->
  tends f l.
Proof.
  intros f l K c Hc HK H eps Heps. exists (Rmax 1 (1 + (K + 1) / (c * eps))). intros t Ht.
  assert (H1 : 1 <= t) by (apply Rle_trans with (2 := Ht), Rmax_l).
  assert (H2 : (K + 1) / (c * eps) <= t - 1).
  { assert (1 + (K + 1) / (c * eps) <= t) by (apply Rle_trans with (2 := Ht), Rmax_r). lra. }
  apply Rle_lt_trans with (1 := H t H1). replace (- c * (t - 1)) with (- (c * (t - 1))) by ring. rewrite exp_Ropp.
  assert (Hce : 0 < c * eps) by now apply Rmult_lt_0_compat.
  assert (H3 : (K + 1) <= c * (t - 1) * eps).
  { apply (Rmult_le_compat_l (c * eps)) in H2; [| lra].
    replace (c * eps * ((K + 1) / (c * eps))) with (K + 1) in H2 by (field; lra). lra. }
  destruct (exp_ge (c * (t - 1))) as [_ He]; [apply Rmult_le_pos; lra |]. pose proof (exp_pos (c * (t - 1))) as Hp.
  apply (Rmult_lt_reg_r (exp (c * (t - 1)))); [exact Hp |]. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

(** Between a rising and a falling function lies a number. *)
Lemma between_bounds : forall u v : R -> R, (forall s t, 1 <= s <= t -> u t <= u s) ->
  (forall s t, 1 <= s <= t -> v s <= v t) -> (forall t, 1 <= t -> v t <= u t) ->
  exists l, forall t, 1 <= t -> v t <= l <= u t.
Proof.
  intros u v Hu Hv Huv.
  assert (Hall : forall s t, 1 <= s -> 1 <= t -> v s <= u t).
  { intros s t Hs Ht. destruct (Rle_lt_dec s t) as [Hst | Hst].
    - apply Rle_trans with (v t); [apply Hv; lra | now apply Huv].
    - apply Rle_trans with (u s); [now apply Huv | apply Hu; lra]. }
  destruct (completeness (fun y => exists t, 1 <= t /\ y = v t)) as [l [Hub Hlub]].
  - exists (u 1). intros y [t [Ht ->]]. apply Hall; lra.
  - exists (v 1), 1. split; [lra | reflexivity].
  - exists l. intros t Ht. split; [apply Hub; now exists t |]. apply Hlub. intros y [s [Hs ->]]. now apply Hall.
Qed.

Lemma finite_choice : forall (Q : nat -> R -> Prop) n, (forall i, (i < n)%nat -> exists l, Q i l) ->
  exists l : nat -> R, forall i, (i < n)%nat -> Q i (l i).
Proof.
  intros Q n; induction n as [|n IH]; intros H; [exists (fun _ => 0); intros; lia |].
  destruct IH as [l Hl]; [intros; apply H; lia |]. destruct (H n ltac:(lia)) as [y Hy].
  exists (fun k => if Nat.eqb k n then y else l k). intros i Hi. destruct (Nat.eqb_spec i n) as [-> | Hne]; [exact Hy |].
  apply Hl. lia.
Qed.

Lemma finite_positive : forall (g : nat -> R) n, (forall k, (k < n)%nat -> 0 < g k) ->
  exists d, 0 < d /\ forall k, (k < n)%nat -> d <= g k.
Proof.
  intros g n; induction n as [|n IH]; intros H; [exists 1; split; [lra | intros; lia] |].
  destruct IH as [d [Hd Hle]]; [intros; apply H; lia |]. specialize (H n ltac:(lia)).
  exists (Rmin d (g n)). split; [now apply Rmin_glb_lt |]. intros k Hk.
  destruct (Nat.eq_dec k n) as [-> | Hne]; [apply Rmin_r |]. apply Rle_trans with (1 := Rmin_l _ _). apply Hle. lia.
Qed.

Lemma least_distance : forall (a : nat -> R) n, (forall i j, (i < n)%nat -> (j < n)%nat -> i <> j -> a i <> a j) ->
  exists d, 0 < d /\ forall i j, (i < n)%nat -> (j < n)%nat -> i <> j -> d <= Rabs (a i - a j).
Proof.
  intros a n H.
  assert (Hm : forall m, (m <= n)%nat -> exists d, 0 < d /\
    forall i j, (i < m)%nat -> (j < n)%nat -> i <> j -> d <= Rabs (a i - a j)).
  { intros m; induction m as [|m IH]; intros Hm; [exists 1; split; [lra | intros; lia] |].
    destruct IH as [d [Hd Hle]]; [lia |].
    destruct (finite_positive (fun j => if Nat.eqb j m then 1 else Rabs (a m - a j)) n) as [d' [Hd' Hle']].
    { intros j Hj. destruct (Nat.eqb_spec j m) as [-> | Hne]; [lra |].
      apply Rabs_pos_lt, Rminus_eq_contra, H; lia. }
    exists (Rmin d d'). split; [now apply Rmin_glb_lt |]. intros i j Hi Hj Hij.
    destruct (Nat.eq_dec i m) as [-> | Hne].
    - apply Rle_trans with (1 := Rmin_r _ _). specialize (Hle' j Hj). cbv beta in Hle'.
      destruct (Nat.eqb_spec j m) as [E | _]; [lia | exact Hle'].
    - apply Rle_trans with (1 := Rmin_l _ _). apply Hle; trivial; lia. }
  destruct (Hm n (Nat.le_refl n)) as [d [Hd Hle]]. exists d. split; [exact Hd | exact Hle].
Qed.

(** y' <= - c y: y falls exponentially. *)
Lemma decays : forall (y y' : R -> R) c, (forall t, 1 <= t -> derivable_pt_lim y t (y' t) /\ y' t <= - c * y t) ->
  forall t, 1 <= t -> y t <= y 1 * exp (- c * (t - 1)).
Proof.
  intros y y' c H t Ht.
  assert (Hexp : forall u, derivable_pt_lim (fun s => exp (c * (s - 1))) u (c * exp (c * (u - 1)))).
  { intros u. replace (c * exp (c * (u - 1))) with (exp (c * (u - 1)) * (c * (1 - 0))) by ring.
    apply (derivable_pt_lim_comp (fun s => c * (s - 1)) exp); [| apply derivable_pt_lim_exp].
    apply (derivable_pt_lim_scal (fun s => s - 1)), derivable_pt_lim_minus;
      [apply derivable_pt_lim_id | apply derivable_pt_lim_const]. }
  assert (Hd : forall u, 1 <= u -> derivable_pt_lim (fun s => y s * exp (c * (s - 1))) u
    ((y' u + c * y u) * exp (c * (u - 1)))).
  { intros u Hu. replace ((y' u + c * y u) * exp (c * (u - 1)))
      with (y' u * exp (c * (u - 1)) + y u * (c * exp (c * (u - 1)))) by ring.
    apply (derivable_pt_lim_mult y (fun s => exp (c * (s - 1)))); [now apply H | apply Hexp]. }
  assert (Hle : y t * exp (c * (t - 1)) <= y 1 * exp (c * (1 - 1))).
  { apply (nonincreasing (fun s => y s * exp (c * (s - 1))) (fun u => (y' u + c * y u) * exp (c * (u - 1)))); [exact Ht | |].
    - intros u Hu. apply derivable_continuous_pt. eexists. apply Hd. lra.
    - intros u Hu. split; [apply Hd; lra |]. destruct (H u ltac:(lra)) as [_ Hu'].
      pose proof (exp_pos (c * (u - 1))). nra. }
  replace (c * (1 - 1)) with 0 in Hle by ring. rewrite exp_0, Rmult_1_r in Hle.
  replace (- c * (t - 1)) with (- (c * (t - 1))) by ring. rewrite exp_Ropp.
  pose proof (exp_pos (c * (t - 1))). apply (Rmult_le_reg_r (exp (c * (t - 1)))); [assumption |].
  rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** * An orbit from distinct weights *)

Section Orbit.
Variables (P : law) (n : nat) (x : nat -> R -> R).
Hypothesis enough : pts P n.
Hypothesis flow : stack_flow P (S n) x.
Hypothesis distinct : forall i j, (i < S n)%nat -> (j < S n)%nat -> i <> j -> x i 0 <> x j 0.

Let weights (t : R) : nat -> R := fun k => x k t.

Lemma squares_nonneg : forall (f : nat -> R) m, 0 <= total (fun i => f i ^ 2) m.
Proof. intros f m; induction m as [|m IH]; simpl; [lra |]. pose proof (pow2_ge_0 (f m)). simpl in *. lra. Qed.

Lemma square_of_total : forall (f : nat -> R) m i, (i < m)%nat -> f i ^ 2 <= total (fun i => f i ^ 2) m.
Proof.
  intros f m; induction m as [|m IH]; intros i Hi; [lia |]. cbn [total].
  pose proof (squares_nonneg f m). pose proof (pow2_ge_0 (f m)).
  destruct (Nat.eq_dec i m) as [-> | Hne]; [lra |]. specialize (IH i ltac:(lia)). lra.
Qed.

Lemma orbit_excess_falls : forall t, 1 <= t -> stack_excess P (weights t) (S n) <= stack_excess P (weights 1) (S n).
Proof.
  intros t Ht.
  apply (nonincreasing (fun u => stack_excess P (weights u) (S n))
    (fun u => - total (fun i => stack_slope P (weights u) (S n) i ^ 2) (S n))); [exact Ht | |].
  - intros u Hu. apply derivable_continuous_pt. eexists. apply (excess_falls P (S n) x u flow). lra.
  - intros u Hu. split; [apply (excess_falls P (S n) x u flow); lra |].
    pose proof (squares_nonneg (stack_slope P (weights u) (S n)) (S n)). lra.
Qed.

Lemma orbit_bounded : exists B, 0 <= B /\ forall t k, 1 <= t -> (k < S n)%nat -> Rabs (x k t) <= B.
Proof.
  destruct (excess_coercive P n enough (stack_excess P (weights 1) (S n))) as [B [HB H]].
  exists B. split; [exact HB |]. intros t k Ht Hk. exact (H (weights t) (orbit_excess_falls t Ht) k Hk).
Qed.

Lemma orbit_distinct : forall i j t, (i < S n)%nat -> (j < S n)%nat -> i <> j -> 0 <= t -> x i t <> x j t.
Proof.
  intros i j t Hi Hj Hij Ht. destruct (Rtotal_order (x i 0) (x j 0)) as [H | [H | H]].
  - destruct (flow_keeps_order P (S n) x i j 0 t flow Hi Hj ltac:(lra)) as [Hk _]. specialize (Hk H). lra.
  - exfalso. now apply (distinct i j).
  - destruct (flow_keeps_order P (S n) x j i 0 t flow Hj Hi ltac:(lra)) as [Hk _]. specialize (Hk H). lra.
Qed.

(** Two weights stay apart: 1/D^2 obeys y' <= - 4 c (y - M/(2c)). *)
Lemma orbit_apart : exists delta, 0 < delta /\ forall t i j, 1 <= t -> (i < S n)%nat -> (j < S n)%nat -> i <> j ->
  delta <= Rabs (x i t - x j t).
Proof.
  destruct orbit_bounded as [B [HB Hbound]].
  destruct (coupling_below P n enough B HB) as [c [M [Hc [HM Hcoupling]]]].
  destruct (least_distance (weights 1) (S n)) as [d [Hd Hd1]].
  { intros i j Hi Hj Hij. apply orbit_distinct; trivial. lra. }
  set (k := M / (2 * c)). assert (Hk : 0 < k) by (apply Rdiv_lt_0_compat; lra).
  set (F := / d ^ 2 + k). assert (Hd2 : 0 < d ^ 2) by now apply pow_lt.
  assert (HF : 0 < F) by (unfold F; pose proof (Rinv_0_lt_compat _ Hd2); lra).
  exists (sqrt (/ F)). split; [apply sqrt_lt_R0, Rinv_0_lt_compat, HF |]. intros t i j Ht Hi Hj Hij.
  set (D := fun u => x i u - x j u).
  assert (HD : forall u, 0 <= u -> D u <> 0).
  { intros u Hu E. apply (orbit_distinct i j u Hi Hj Hij Hu). unfold D in E. lra. }
  set (g := fun u => coupling P (weights u) (S n) i j).
  assert (HDd : forall u, 1 <= u -> derivable_pt_lim D u (g u * D u)).
  { intros u Hu. unfold g. change (D u) with (weights u i - weights u j).
    rewrite <- (slope_difference P (weights u) (S n) i j Hi Hj Hij).
    apply derivable_pt_lim_minus; apply flow; trivial; lra. }
  set (y := fun u => / (D u * D u) - k).
  assert (Hy : forall u, 1 <= u -> derivable_pt_lim y u (- (2 * g u) * / (D u * D u))).
  { intros u Hu. specialize (HD u ltac:(lra)).
    replace (- (2 * g u) * / (D u * D u))
      with ((0 * (D u * D u) - (g u * D u * D u + D u * (g u * D u)) * 1) / Rsqr (D u * D u) - 0)
      by (unfold Rsqr; field; exact HD).
    apply (derivable_pt_lim_minus (fun u => / (D u * D u)) (fun _ => k)); [| apply derivable_pt_lim_const].
    apply (derivable_pt_lim_ext (fun u => 1 / (D u * D u))); [intros z; unfold Rdiv; now rewrite Rmult_1_l |].
    apply (derivable_pt_lim_div (fun _ => 1) (fun u => D u * D u)).
    - apply derivable_pt_lim_const.
    - apply (derivable_pt_lim_mult D D); now apply HDd.
    - now apply Rmult_integral_contrapositive. }
  assert (Hyt : y t <= y 1 * exp (- (4 * c) * (t - 1))).
  { apply (decays y (fun u => - (2 * g u) * / (D u * D u)) (4 * c)); [| exact Ht]. intros u Hu. split; [now apply Hy |].
    specialize (HD u ltac:(lra)).
    assert (Hpos : 0 < D u * D u) by (pose proof (Rsqr_pos_lt _ HD); exact H).
    pose proof (Hcoupling (weights u) i j Hi Hj Hij (fun m Hm => Hbound u m Hu Hm)) as Hg. fold (g u) in Hg.
    change (weights u i - weights u j) with (D u) in Hg. pose proof (Rinv_0_lt_compat _ Hpos) as Hinv.
    unfold y. apply (Rmult_le_reg_r (D u * D u)); [exact Hpos |].
    replace (- (2 * g u) * / (D u * D u) * (D u * D u)) with (- (2 * g u)) by (field; exact HD).
    replace (- (4 * c) * (/ (D u * D u) - k) * (D u * D u)) with (- (4 * c) + 2 * M * (D u * D u))
      by (unfold k; field; split; [lra | exact HD]).
    replace (D u ^ 2) with (D u * D u) in Hg by ring. lra. }
  assert (Hy1 : y 1 <= / d ^ 2).
  { unfold y. specialize (Hd1 i j Hi Hj Hij). change (weights 1 i - weights 1 j) with (D 1) in Hd1.
    assert (d ^ 2 <= D 1 * D 1).
    { replace (D 1 * D 1) with (Rabs (D 1) ^ 2) by (rewrite pow2_abs; ring). apply pow_incr. lra. }
    assert (/ (D 1 * D 1) <= / d ^ 2) by now apply Rinv_le_contravar. lra. }
  assert (Hfinal : / (D t * D t) <= F).
  { assert (He : exp (- (4 * c) * (t - 1)) <= 1).
    { replace (- (4 * c) * (t - 1)) with (- (4 * c * (t - 1))) by ring. rewrite exp_Ropp.
      destruct (exp_ge (4 * c * (t - 1))) as [H1 _]; [apply Rmult_le_pos; lra |].
      apply Rle_trans with (/ 1); [apply Rinv_le_contravar; lra | rewrite Rinv_1; lra]. }
    pose proof (exp_pos (- (4 * c) * (t - 1))). pose proof (Rinv_0_lt_compat _ Hd2).
    assert (y 1 * exp (- (4 * c) * (t - 1)) <= / d ^ 2) by nra. unfold F. unfold y in Hyt at 1. lra. }
  specialize (HD t ltac:(lra)). assert (Hpos : 0 < D t * D t) by (pose proof (Rsqr_pos_lt _ HD) as Hs; exact Hs).
  change (x i t - x j t) with (D t). rewrite <- (sqrt_Rsqr (Rabs (D t))) by apply Rabs_pos. apply sqrt_le_1_alt. rewrite <- Rsqr_abs. unfold Rsqr.
  rewrite <- (Rinv_inv (D t * D t)). apply Rinv_le_contravar; [now apply Rinv_0_lt_compat | exact Hfinal].
Qed.

(** Theorem: from pairwise distinct weights, on a law with at least S n points, the flow of S n layers converges
    exponentially to pairwise distinct weights at which the excess is the least of that depth. *)
Theorem distinct_flow_converges : exists alpha c K, 0 < c /\
  (forall t i, 1 <= t -> (i < S n)%nat -> Rabs (x i t - alpha i) <= K * exp (- c * (t - 1))) /\
  (forall i j, (i < S n)%nat -> (j < S n)%nat -> i <> j -> alpha i <> alpha j) /\
  least_excess P (S n) (stack_excess P alpha (S n)).
Proof.
  destruct orbit_bounded as [B [HB Hbound]]. destruct orbit_apart as [delta [Hdelta Hapart]].
  destruct (best_residual P (S n)) as [r [Hr [H0 Ho]]].
  destruct (excess_by_slope P n enough r Hr H0 Ho B delta HB Hdelta) as [C [HC Hgap]].
  destruct (slope_by_excess P n enough r Hr H0 Ho B HB) as [C2 [HC2 Hslope]].
  set (V := fun t => excess_above P n r (weights t)).
  assert (HV0 : forall t, 0 <= V t) by (intros t; now apply excess_above_nonneg).
  set (S2 := fun t => total (fun i => stack_slope P (weights t) (S n) i ^ 2) (S n)).
  assert (HVt : forall t, 1 <= t -> V t <= V 1 * exp (- / C * (t - 1))).
  { intros t Ht. apply (decays V (fun u => - S2 u) (/ C)); [| exact Ht]. intros u Hu. split.
    - unfold V, excess_above. replace (- S2 u) with (- S2 u - 0) by ring.
      apply derivable_pt_lim_minus; [| apply derivable_pt_lim_const].
      apply (excess_falls P (S n) x u flow). lra.
    - assert (HS2 : 0 <= S2 u) by apply squares_nonneg.
      assert (Hle : V u <= C * sqrt (S2 u) ^ 2).
      { apply (Hgap (weights u)); [intros; now apply Hapart | intros; now apply Hbound |].
        intros i Hi. apply abs_le_sqrt; [exact HS2 | exact (square_of_total _ _ i Hi)]. }
      rewrite pow2_sqrt in Hle by exact HS2. apply (Rmult_le_reg_l C); [exact HC |].
      replace (C * (- / C * V u)) with (- V u) by (field; lra). lra. }
  set (c := / C / 2). assert (Hcpos : 0 < c) by (unfold c; pose proof (Rinv_0_lt_compat _ HC); lra).
  set (K0 := C2 * sqrt (V 1)). assert (HK0 : 0 <= K0) by (apply Rmult_le_pos; [exact HC2 | apply sqrt_pos]).
  assert (Hroot : forall t, 1 <= t -> sqrt (V t) <= sqrt (V 1) * exp (- c * (t - 1))).
  { intros t Ht. apply Rle_trans with (sqrt (V 1 * exp (- / C * (t - 1)))); [now apply sqrt_le_1_alt, HVt |].
    rewrite sqrt_mult_alt by apply HV0. apply Rmult_le_compat_l; [apply sqrt_pos |].
    replace (exp (- / C * (t - 1))) with (exp (- c * (t - 1)) ^ 2).
    - rewrite sqrt_pow2; [lra | apply Rlt_le, exp_pos].
    - simpl. rewrite Rmult_1_r, <- exp_plus. f_equal. unfold c. field. lra. }
  assert (Hspeed : forall t i, 1 <= t -> (i < S n)%nat -> Rabs (stack_slope P (weights t) (S n) i) <= K0 * exp (- c * (t - 1))).
  { intros t i Ht Hi. apply Rle_trans with (C2 * sqrt (V t)); [apply Hslope; trivial; intros; now apply Hbound |].
    unfold K0. rewrite Rmult_assoc. apply Rmult_le_compat_l; [exact HC2 | now apply Hroot]. }
  set (K := K0 / c). assert (HKpos : 0 <= K) by (apply Rmult_le_pos; [exact HK0 | apply Rlt_le, Rinv_0_lt_compat, Hcpos]).
  set (tail := fun t => K * exp (- c * (t - 1))).
  assert (Htail : forall t, derivable_pt_lim tail t (- (K0 * exp (- c * (t - 1))))).
  { intros t. unfold tail. replace (- (K0 * exp (- c * (t - 1)))) with (K * (exp (- c * (t - 1)) * (- c * (1 - 0))))
      by (unfold K; field; lra).
    apply (derivable_pt_lim_scal (fun t => exp (- c * (t - 1)))).
    apply (derivable_pt_lim_comp (fun s => - c * (s - 1)) exp); [| apply derivable_pt_lim_exp].
    apply (derivable_pt_lim_scal (fun s => s - 1)), derivable_pt_lim_minus;
      [apply derivable_pt_lim_id | apply derivable_pt_lim_const]. }
  assert (Hlim : forall i, (i < S n)%nat -> exists l, forall t, 1 <= t -> Rabs (x i t - l) <= tail t).
  { intros i Hi.
    assert (Hxd : forall t, 1 <= t -> derivable_pt_lim (x i) t (- stack_slope P (weights t) (S n) i)).
    { intros t Ht. apply flow; trivial. lra. }
    destruct (between_bounds (fun t => x i t + tail t) (fun t => x i t - tail t)) as [l Hl].
    - intros s t [Hs Hst].
      apply (nonincreasing (fun t => x i t + tail t)
        (fun t => - stack_slope P (weights t) (S n) i + - (K0 * exp (- c * (t - 1))))); [exact Hst | |].
      + intros u Hu. apply derivable_continuous_pt. eexists.
        apply (derivable_pt_lim_plus (x i) tail); [apply Hxd; lra | apply Htail].
      + intros u Hu. split; [apply (derivable_pt_lim_plus (x i) tail); [apply Hxd; lra | apply Htail] |].
        destruct (abs_le_bounds _ _ (Hspeed u i ltac:(lra) Hi)). lra.
    - intros s t [Hs Hst]. apply Ropp_le_cancel.
      apply (nonincreasing (fun t => - (x i t - tail t))
        (fun t => - (- stack_slope P (weights t) (S n) i - - (K0 * exp (- c * (t - 1)))))); [exact Hst | |].
      + intros u Hu. apply derivable_continuous_pt. eexists. apply derivable_pt_lim_opp.
        apply (derivable_pt_lim_minus (x i) tail); [apply Hxd; lra | apply Htail].
      + intros u Hu. split.
        * apply (derivable_pt_lim_opp (fun t => x i t - tail t)).
          apply (derivable_pt_lim_minus (x i) tail); [apply Hxd; lra | apply Htail].
        * destruct (abs_le_bounds _ _ (Hspeed u i ltac:(lra) Hi)). lra.
    - intros t _. assert (0 <= tail t); [| lra]. apply Rmult_le_pos; [exact HKpos | apply Rlt_le, exp_pos].
    - exists l. intros t Ht. specialize (Hl t Ht). apply Rabs_le. lra. }
  destruct (finite_choice (fun i l => forall t, 1 <= t -> Rabs (x i t - l) <= tail t) (S n) Hlim) as [alpha Halpha].
  assert (Htends : forall i, (i < S n)%nat -> tends (x i) (alpha i)).
  { intros i Hi. apply (tends_exp _ _ K c Hcpos HKpos). exact (Halpha i Hi). }
  exists alpha, c, K. split; [exact Hcpos |]. split; [intros t i Ht Hi; now apply Halpha |]. split.
  - intros i j Hi Hj Hij E.
    destruct (Htends i Hi (delta / 2)) as [t0 T0]; [lra |]. destruct (Htends j Hj (delta / 2)) as [t1 T1]; [lra |].
    set (t := Rmax 1 (Rmax t0 t1)).
    assert (Ht : 1 <= t /\ t0 <= t /\ t1 <= t).
    { unfold t. pose proof (Rmax_l 1 (Rmax t0 t1)). pose proof (Rmax_r 1 (Rmax t0 t1)).
      pose proof (Rmax_l t0 t1). pose proof (Rmax_r t0 t1). lra. }
    destruct Ht as [Ht [Ht0 Ht1]]. specialize (T0 t Ht0). specialize (T1 t Ht1).
    specialize (Hapart t i j Ht Hi Hj Hij).
    pose proof (Rabs_triang (x i t - alpha i) (- (x j t - alpha j))) as Htri. rewrite Rabs_Ropp in Htri.
    replace (x i t - alpha i + - (x j t - alpha j)) with (x i t - x j t) in Htri by lra. lra.
  - assert (Hstack : forall m, (m <= S n)%nat -> forall y, tends (fun t => stack (weights t) m y) (stack alpha m y)).
    { intros m; induction m as [|m IH]; intros Hm y; [exact (tends_const 1) |].
      apply (tends_mult (fun t => stack (weights t) m y) (fun t => 1 - x m t * y)); [apply IH; lia |].
      intros eps Heps. destruct (Htends m ltac:(lia) (eps / (Rabs y + 1))) as [t0 T0].
      { apply Rdiv_lt_0_compat; [exact Heps | pose proof (Rabs_pos y); lra]. }
      exists t0. intros t Ht. specialize (T0 t Ht). pose proof (Rabs_pos y).
      replace (1 - x m t * y - (1 - alpha m * y)) with (- ((x m t - alpha m) * y)) by ring.
      rewrite Rabs_Ropp, Rabs_mult.
      apply (Rmult_lt_compat_r (Rabs y + 1)) in T0; [| lra].
      replace (eps / (Rabs y + 1) * (Rabs y + 1)) with eps in T0 by (field; lra).
      pose proof (Rabs_pos (x m t - alpha m)). lra. }
    assert (Heq : forall y, stack alpha (S n) y = r y).
    { intros y. apply (tends_unique (fun t => stack (weights t) (S n) y)); [now apply Hstack |].
      destruct (value_by_excess P n enough r Hr H0 Ho y) as [Cy [HCy Hy]].
      apply (tends_exp _ _ (Cy * sqrt (V 1)) c Hcpos); [apply Rmult_le_pos; [exact HCy | apply sqrt_pos] |].
      intros t Ht. apply Rle_trans with (1 := Hy (weights t)). rewrite Rmult_assoc.
      apply Rmult_le_compat_l; [exact HCy | now apply Hroot]. }
    unfold stack_excess. rewrite (residual_excess_ext P (S n) (stack alpha (S n)) r (stack_degree alpha (S n)) Heq).
    now apply least_excess_orthogonal.
Qed.

End Orbit.
