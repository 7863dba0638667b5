(** Mixtures of atoms and polynomial densities: what a certificate applies.  alpha_T in an enclosure and its limit
    for all T >= T0, the minimax weight, the gap of theorem 4.1, the least excess of depth T, and the limit of theorem
    6.3, each by a computation on integers. *)
From Coq Require Import Reals ZArith QArith Qreals Bool List Lra Lia.
From Formal Require Import Law OneParameter OneParameterLimit SelfAttention Minimax Mixture Primitives Components
  Computed Certificates ComponentTails Layerwise TwoParameter TwoParameterExclusions BandCertificates
  MomentCertificates ComponentMoments.
Import ListNotations.
Open Scope R_scope.

Section Law.
Variable M : components.
Let P := law_of M.
Let d := unit_of M.
Let D : R := IZR (Zpos d).

Definition law_terms (o : side) (p q : Z) (T : positive) (r1 r2 : Z) : list (Q * Z) :=
  flat_map (fun x => scaled (inject_Z (turn o (Zpos (fst x)))) (tail_terms (unit_of M) p q T r1 r2 (snd x))) (members M).

Definition tails_positive (o : side) (p q : Z) (B : N) (T : positive) (r1 r2 : Z) : bool :=
  (0 <? p)%Z && (0 <? q)%Z && sum_positive B T~0 (law_terms o p q T r1 r2).

Lemma turn_R : forall o z, IZR (turn o z) = turnR o (IZR z).
Proof. intros [|] z; simpl; [reflexivity | apply opp_IZR]. Qed.

Lemma tails_positive_correct : forall o p q B T r1 r2, (r2 <= 0 <= r1)%Z -> tails_positive o p q B T r1 r2 = true ->
  (0 < p)%Z /\ (0 < q)%Z /\ 0 < turnR o (E P (tailed d p q T r1 r2)).
Proof.
  intros o p q B T r1 r2 Hr H. unfold tails_positive in H. rewrite !andb_true_iff in H. destruct H as [[Hp Hq] H].
  apply Z.ltb_lt in Hp, Hq. repeat split; trivial. apply sum_positive_correct in H.
  pose proof (all_weight_pos M) as HW. pose proof (law_E M (tailed d p q T r1 r2)) as HE. fold P d in HE.
  assert (H0 : tailed d p q T r1 r2 0 = 0) by (unfold tailed; ring). rewrite H0, Rmult_0_r, Rplus_0_l in HE.
  set (C := IZR p * IZR (Zpos d) * (IZR q * IZR (Zpos d)) ^ (2 * Pos.to_nat T - 1)).
  assert (HC : 0 < C).
  { pose proof (IZR_pos d). apply IZR_lt in Hp, Hq. unfold C. repeat apply Rmult_lt_0_compat; trivial.
    apply pow_lt. now apply Rmult_lt_0_compat. }
  assert (Hsum : power_sum T~0 (law_terms o p q T r1 r2)
    = C * turnR o (IZR (all_weight M) * E P (tailed d p q T r1 r2))).
  { rewrite HE. clear HE H. unfold law_terms, weighed. fold d.
    induction (members M) as [|x l IH]; simpl flat_map; simpl fold_right.
    - unfold power_sum; simpl. destruct o; simpl; ring.
    - rewrite power_sum_app, IH, power_sum_scaled, inject_R, turn_R, (component_tails d p q T Hp Hq r1 r2 (snd x) Hr).
      fold C. destruct o; simpl; ring. }
  rewrite Hsum in H. apply (Rmult_lt_reg_l (C * IZR (all_weight M))); [now apply Rmult_lt_0_compat |].
  destruct o; cbn [turnR] in *; lra.
Qed.

(** The sign of E[s (1 - (p/q) lam)^(2T-1)]. *)
Definition mixed_encloses (B : N) (p q p' q' : Z) (T : positive) : bool :=
  tails_positive Above p q B T 0 0 && tails_positive Below p' q' B T 0 0.

Lemma tailed_whole : forall p q T s, (0 < q)%Z ->
  tailed d p q T 0 0 s = s * residual (IZR p / IZR q) s ^ (2 * Pos.to_nat T - 1).
Proof.
  intros p q T s Hq. unfold tailed. set (q0 := residual _ s). unfold Rdiv. rewrite Rmult_0_l, Ropp_0.
  pose proof (Pos2Nat.is_pos T). unfold above. destruct (Rlt_dec 0 q0); destruct (Rlt_dec 0 (- q0)); [lra | ring | ring |].
  replace q0 with 0 by lra. rewrite pow_i by lia. ring.
Qed.

Lemma whole_sign : forall o p q B T, tails_positive o p q B T 0 0 = true ->
  0 < turnR o (E P (fun s => s * residual (IZR p / IZR q) s ^ (2 * Pos.to_nat T - 1))).
Proof.
  intros o p q B T H. apply tails_positive_correct in H; [| lia]. destruct H as [Hp [Hq H]].
  rewrite <- (E_ext P (tailed d p q T 0 0)); [exact H | now apply tailed_dom |].
  intros s. now apply tailed_whole.
Qed.

Theorem mixed_alpha_between : forall B p q p' q' T, mixed_encloses B p q p' q' T = true ->
  forall a, minimiser P (depth T) a -> IZR p / IZR q < a < IZR p' / IZR q'.
Proof.
  intros B p q p' q' T H a Ha. apply andb_true_iff in H. destruct H as [H1 H2].
  apply whole_sign in H1, H2. cbn [turnR] in H1, H2. pose proof (depth_pos T) as HT. split.
  - apply (minimiser_above P (depth T)); trivial. now apply slope_negative.
  - apply (minimiser_below P (depth T)); trivial. unfold slope.
    assert (0 < INR (2 * depth T)) as HI by (apply lt_0_INR; lia).
    pose proof (Rmult_lt_0_compat _ _ HI H2) as Hpos. unfold depth in *. lra.
Qed.

(** The one inequality at the weight p/q and depth T: alpha_T' > p/q (Above), or < p/q (Below), for T' >= T.  The
    larger side counts residuals beyond the largest opposite one. *)
Definition mixed_settles (o : side) (p q : Z) (B : N) (T : positive) : bool :=
  match o with
  | Above => tails_positive o p q B T (Z.max 0 (- residualZ (unit_of M) p q (highest M))) 0
  | Below => tails_positive o p q B T 0 (Z.min 0 (- residualZ (unit_of M) p q (lowest M)))
  end.

Lemma end_residual : forall p q x s, (0 < q)%Z -> 1 + s = IZR x / D ->
  residual (IZR p / IZR q) s = IZR (residualZ d p q x) / (IZR q * D).
Proof.
  intros p q x s Hq Hs. pose proof (IZR_pos d) as HD. fold D in HD. apply IZR_lt in Hq.
  unfold residual. rewrite Hs, residualZ_R. fold D. field. lra.
Qed.

Lemma power_opposite : forall T (x : R), (- x) ^ (2 * Pos.to_nat T - 1) = - x ^ (2 * Pos.to_nat T - 1).
Proof.
  intros T x. pose proof (Pos2Nat.is_pos T). replace (2 * Pos.to_nat T - 1)%nat with (S (2 * (Pos.to_nat T - 1))) by lia.
  apply pow_odd_opp.
Qed.

Lemma tailed_sides : forall p q T r1 r2, (0 < p)%Z -> (0 < q)%Z ->
  E P (tailed d p q T r1 r2)
  = E P (fun s => s * residual (IZR p / IZR q) s ^ (2 * Pos.to_nat T - 1)
                  * above (IZR r1 / (IZR q * D)) (residual (IZR p / IZR q) s))
    - E P (fun s => s * (- residual (IZR p / IZR q) s) ^ (2 * Pos.to_nat T - 1)
                    * above (- (IZR r2 / (IZR q * D))) (- residual (IZR p / IZR q) s)).
Proof.
  intros p q T r1 r2 Hp Hq. assert (Ha : 0 < IZR p / IZR q) by (apply Rdiv_lt_0_compat; now apply (IZR_lt 0)).
  rewrite <- E_minus by (in_dom; auto with dom). apply E_ext; [now apply tailed_dom |].
  intros s. rewrite power_opposite. unfold tailed. fold D. ring.
Qed.

Theorem mixed_settles_above : forall B p q T0, mixed_settles Above p q B T0 = true ->
  forall T a, (depth T0 <= T)%nat -> minimiser P T a -> IZR p / IZR q < a.
Proof.
  intros B p q T0 H T a HT Ha. apply tails_positive_correct in H; [| lia]. destruct H as [Hp [Hq H]]. cbn [turnR] in H.
  set (r := Z.max _ _) in H. assert (Hr : (0 <= r)%Z /\ (- residualZ d p q (highest M) <= r)%Z) by (unfold r, d; lia).
  clearbody r. destruct Hr as [Hr0 Hr]. pose proof (IZR_pos d) as HD. fold D in HD.
  assert (HK : 0 < IZR q * D) by (apply Rmult_lt_0_compat; [now apply (IZR_lt 0) | exact HD]).
  assert (Hpos : 0 < IZR p / IZR q) by (apply Rdiv_lt_0_compat; now apply (IZR_lt 0)).
  destruct (law_ends M) as [_ Eh]. fold P d D in Eh. apply (end_residual p q _ _ Hq) in Eh.
  apply (one_inequality_low P (depth T0) _ (IZR r / (IZR q * D)) (depth_pos T0)) with (5 := HT) (6 := Ha); trivial.
  - apply Rmult_le_pos; [now apply IZR_le | apply Rlt_le, Rinv_0_lt_compat, HK].
  - apply IZR_le in Hr. rewrite opp_IZR in Hr. apply Rle_trans with (- residual (IZR p / IZR q) (hi P)).
    + unfold residual. lra.
    + rewrite Eh. unfold Rdiv. rewrite <- Ropp_mult_distr_l_reverse.
      apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, HK | exact Hr].
  - rewrite tailed_sides in H by trivial. fold D in H. replace (- (0 / (IZR q * D))) with 0 in H by (unfold Rdiv; ring).
    unfold depth. lra.
Qed.

Theorem mixed_settles_below : forall B p q T0, mixed_settles Below p q B T0 = true ->
  forall T a, (depth T0 <= T)%nat -> minimiser P T a -> a < IZR p / IZR q.
Proof.
  intros B p q T0 H T a HT Ha. apply tails_positive_correct in H; [| lia]. destruct H as [Hp [Hq H]]. cbn [turnR] in H.
  set (r := Z.min _ _) in H. assert (Hr : (r <= 0)%Z /\ (r <= - residualZ d p q (lowest M))%Z) by (unfold r, d; lia).
  clearbody r. destruct Hr as [Hr0 Hr]. pose proof (IZR_pos d) as HD. fold D in HD.
  assert (HK : 0 < IZR q * D) by (apply Rmult_lt_0_compat; [now apply (IZR_lt 0) | exact HD]).
  assert (Hpos : 0 < IZR p / IZR q) by (apply Rdiv_lt_0_compat; now apply (IZR_lt 0)).
  destruct (law_ends M) as [El _]. fold P d D in El. apply (end_residual p q _ _ Hq) in El.
  pose proof (Rlt_le _ _ (Rinv_0_lt_compat _ HK)) as HKi.
  apply (one_inequality_high P (depth T0) _ (- (IZR r / (IZR q * D))) (depth_pos T0)) with (5 := HT) (6 := Ha); trivial.
  - rewrite <- Ropp_0. apply Ropp_le_contravar. apply IZR_le in Hr0. unfold Rdiv.
    rewrite <- (Rmult_0_l (/ (IZR q * D))). now apply Rmult_le_compat_r.
  - apply IZR_le in Hr. rewrite opp_IZR in Hr. change (1 - _) with (residual (IZR p / IZR q) (lo P)). rewrite El.
    unfold Rdiv. rewrite <- Ropp_mult_distr_l_reverse. apply Rmult_le_compat_r; [exact HKi | lra].
  - rewrite tailed_sides in H by trivial. fold D in H. replace (0 / (IZR q * D)) with 0 in H by (unfold Rdiv; ring).
    unfold depth. lra.
Qed.

(** |alpha_T' - p/q| < (e/f) (p/q) for every T' >= T. *)
Definition mixed_stays_near (B : N) (p q e f : Z) (T : positive) : bool :=
  (0 <? q)%Z && (0 <? f)%Z
  && mixed_settles Above (p * (f - e)) (q * f) B T && mixed_settles Below (p * (f + e)) (q * f) B T.

Theorem mixed_alpha_stays_near : forall B p q e f T0, mixed_stays_near B p q e f T0 = true ->
  forall T a, (depth T0 <= T)%nat -> minimiser P T a -> Rabs (a - IZR p / IZR q) < IZR e / IZR f * (IZR p / IZR q).
Proof.
  intros B p q e f T0 H T a HT Ha. unfold mixed_stays_near in H. rewrite !andb_true_iff in H.
  destruct H as [[[Hq Hf] H1] H2]. apply Z.ltb_lt, IZR_lt in Hq, Hf.
  pose proof (mixed_settles_above B _ _ T0 H1 T a HT Ha) as Hlow.
  pose proof (mixed_settles_below B _ _ T0 H2 T a HT Ha) as Hhigh.
  rewrite !mult_IZR, minus_IZR in Hlow. rewrite !mult_IZR, plus_IZR in Hhigh.
  replace (IZR p * (IZR f - IZR e) / (IZR q * IZR f)) with (IZR p / IZR q - IZR e / IZR f * (IZR p / IZR q))
    in Hlow by (field; lra).
  replace (IZR p * (IZR f + IZR e) / (IZR q * IZR f)) with (IZR p / IZR q + IZR e / IZR f * (IZR p / IZR q))
    in Hhigh by (field; lra).
  apply Rabs_def1; lra.
Qed.

(** * alpha*, kappa *)

Definition mixed_is_star (p q : Z) : bool := ((0 <? q) && (p * (lowest M + highest M) =? 2 * Zpos (unit_of M) * q))%Z.
Definition mixed_is_kappa (p q : Z) : bool :=
  ((0 <? q) && (p * (lowest M + highest M) =? (highest M - lowest M) * q))%Z.

Lemma ends_R : 0 < D /\ lo P = IZR (lowest M) / D - 1 /\ hi P = IZR (highest M) / D - 1
  /\ 0 < IZR (lowest M) + IZR (highest M).
Proof.
  pose proof (IZR_pos d) as HD. fold D in HD. destruct (law_ends M) as [El Eh]. fold P d D in El, Eh.
  pose proof (lo_nonneg P). pose proof (lo_hi P). repeat split; try lra.
  assert (E : IZR (lowest M) + IZR (highest M) = D * (1 + lo P + (1 + hi P))) by (rewrite El, Eh; field; lra).
  rewrite E. apply Rmult_lt_0_compat; lra.
Qed.

Lemma star_ends : alpha_star P = 2 * D / (IZR (lowest M) + IZR (highest M)).
Proof.
  destruct ends_R as [HD [El [Eh Hs]]]. unfold alpha_star. rewrite El, Eh. field. split; lra.
Qed.

Lemma kappa_ends : kappa P = (IZR (highest M) - IZR (lowest M)) / (IZR (lowest M) + IZR (highest M)).
Proof.
  destruct ends_R as [HD [El [Eh Hs]]]. unfold kappa. rewrite El, Eh. field. repeat split; lra.
Qed.

Theorem mixed_alpha_star : forall p q, mixed_is_star p q = true -> alpha_star P = IZR p / IZR q.
Proof.
  intros p q H. apply andb_true_iff in H. destruct H as [Hq H]. apply Z.ltb_lt, IZR_lt in Hq.
  apply Z.eqb_eq, (f_equal IZR) in H. rewrite !mult_IZR, plus_IZR in H. fold d D in H. destruct ends_R as [HD [_ [_ Hs]]].
  rewrite star_ends. apply (Rmult_eq_reg_r ((IZR (lowest M) + IZR (highest M)) * IZR q)); [| nra].
  transitivity (2 * D * IZR q); [field; lra | rewrite <- H; field; lra].
Qed.

Theorem mixed_kappa : forall p q, mixed_is_kappa p q = true -> kappa P = IZR p / IZR q.
Proof.
  intros p q H. apply andb_true_iff in H. destruct H as [Hq H]. apply Z.ltb_lt, IZR_lt in Hq.
  apply Z.eqb_eq, (f_equal IZR) in H. rewrite !mult_IZR, plus_IZR, minus_IZR in H. destruct ends_R as [HD [_ [_ Hs]]].
  rewrite kappa_ends. apply (Rmult_eq_reg_r ((IZR (lowest M) + IZR (highest M)) * IZR q)); [| nra].
  transitivity ((IZR (highest M) - IZR (lowest M)) * IZR q); [field; lra | rewrite <- H; field; lra].
Qed.

Theorem mixed_minimax_is : forall p q u v, mixed_is_star p q && mixed_is_kappa u v = true ->
  worst_residual P (IZR p / IZR q) (IZR u / IZR v)
  /\ forall x w, worst_residual P x w -> x <> IZR p / IZR q -> IZR u / IZR v < w.
Proof.
  intros p q u v H. apply andb_true_iff in H. destruct H as [Ha Hk].
  rewrite <- (mixed_alpha_star p q Ha), <- (mixed_kappa u v Hk).
  split; [apply worst_residual_star | apply minimax].
Qed.

(** alpha_T tends to no other number than alpha*. *)
Theorem mixed_not_the_limit : forall p q,
  (0 <? q)%Z && negb (p * (lowest M + highest M) =? 2 * Zpos (unit_of M) * q)%Z = true ->
  ~ tends_to P (IZR p / IZR q).
Proof.
  intros p q H Hlim. apply andb_true_iff in H. destruct H as [Hq H]. apply Z.ltb_lt, IZR_lt in Hq.
  apply negb_true_iff, Z.eqb_neq in H. destruct ends_R as [HD [_ [_ Hs]]].
  assert (Hne : IZR p / IZR q <> alpha_star P).
  { rewrite star_ends. intros E. apply H, eq_IZR. rewrite !mult_IZR, plus_IZR. fold d D.
    apply (f_equal (fun x => x * (IZR q * (IZR (lowest M) + IZR (highest M))))) in E.
    replace (IZR p / IZR q * (IZR q * (IZR (lowest M) + IZR (highest M))))
      with (IZR p * (IZR (lowest M) + IZR (highest M))) in E by (field; lra). rewrite E. field. lra. }
  destruct (limit_unique P (IZR p / IZR q) Hne) as [T0 H0].
  assert (Hpos : 0 < Rabs (IZR p / IZR q - alpha_star P) / 2).
  { apply Rdiv_lt_0_compat; [apply Rabs_pos_lt, Rminus_eq_contra, Hne | lra]. }
  destruct (Hlim _ Hpos) as [T1 H1].
  set (T := max 1 (max T0 T1)). destruct (minimiser_exists P T) as [x [Hx _]]; [unfold T; lia |].
  specialize (H0 T x ltac:(unfold T; lia) Hx). specialize (H1 T x ltac:(unfold T; lia) Hx). lra.
Qed.

(** * The gap of theorem 4.1 and the least excess of depth T *)

Theorem mixed_gap_between : forall B terms p q p' q',
  gap_between_moments (law_moments M B (depth terms) 2) p q p' q' = true ->
  IZR p / IZR q < gap P < IZR p' / IZR q'.
Proof.
  intros B terms p q p' q' H. exact (gap_is_between_moments P _ (law_moments_of_law M B (depth terms) 2) p q p' q' H).
Qed.

Theorem mixed_least_excess_between : forall B terms c p q p' q' T,
  least_between_moments (law_moments M B (depth terms) (depth T + depth T)) (depth T) c p q p' q' = true ->
  forall e, least_excess P (depth T) e -> IZR p / IZR q < e < IZR p' / IZR q'.
Proof.
  intros B terms c p q p' q' T H.
  exact (least_excess_between_moments P _ (law_moments_of_law M B (depth terms) _) _ c p q p' q' H).
Qed.

(** * Two parameters *)

Section TwoParameters.
Variables (B : N) (terms : positive).

Definition mixed_low : Q := lowest M # unit_of M.
Definition mixed_high : Q := highest M # unit_of M.

(** p C is at most a share of nu. *)
Definition holds_share (p share : Q) : bool :=
  Qle_bool 0 p && Qle_bool (p * scale_bound M true B (depth terms)) share.

Definition mixed_thresholds (x : exclusion) : bool :=
  Qle_bool mixed_low (ex_lM x) && Qlt_bool (ex_lM x) (ex_lH x) && Qle_bool (ex_lH x) mixed_high
  && holds_share (ex_pM x) (nu_below M false B (depth terms) (ex_lM x))
  && holds_share (ex_pH x) (nu_above M false B (depth terms) (ex_lH x)).

Lemma mixed_ends : Q2R mixed_low = 1 + lo P /\ Q2R mixed_high = 1 + hi P.
Proof. destruct (law_ends M) as [El Eh]. split; symmetry; assumption. Qed.

Lemma holds_share_correct : forall p share, holds_share p share = true ->
  0 <= Q2R p /\ Q2R p * scale P <= Q2R share.
Proof.
  intros p share H. apply andb_true_iff in H. destruct H as [Hp H]. apply Qle_bool_R in Hp, H.
  rewrite Q2R_0 in Hp. rewrite Q2R_mult in H. destruct (scale_between M B (depth terms)) as [_ HC].
  split; [exact Hp |]. apply Rle_trans with (2 := H). now apply Rmult_le_compat_l.
Qed.

Lemma mixed_thresholds_correct : forall x, mixed_thresholds x = true ->
  thresholds P (Q2R (ex_lM x)) (Q2R (ex_lH x)) (Q2R (ex_pM x)) (Q2R (ex_pH x)).
Proof.
  intros x H. unfold mixed_thresholds in H. rewrite !andb_true_iff in H. destruct H as [[[[H1 H2] H3] HM] HH].
  apply Qle_bool_R in H1, H3. apply Qlt_bool_R in H2. destruct mixed_ends as [El Eh]. rewrite El in H1. rewrite Eh in H3.
  apply holds_share_correct in HM, HH. destruct HM as [M0 M1]. destruct HH as [N0 N1].
  split; trivial.
  - apply Rle_trans with (1 := M1). apply nu_below_between.
  - apply Rle_trans with (1 := N1). apply nu_above_between.
Qed.

Definition mixed_two_parameter (star kap epsilon e rho : Q) (above below near : exclusion) (T : positive) : bool :=
  mixed_is_star (Qnum star) (QDen star) && mixed_is_kappa (Qnum kap) (QDen kap)
  && band_bool mixed_low mixed_high mixed_thresholds star kap epsilon e rho B above below near T.
End TwoParameters.

(** |beta + p/q| and |alpha - p/q| below (u/v) (p/q) at every minimiser, for every T >= T0. *)
Theorem mixed_two_parameter_stays_near : forall B terms kap e rho above below near p q u v T0,
  mixed_two_parameter B terms (p # q) kap (u # v) e rho above below near T0 = true ->
  forall T alpha beta, (depth T0 <= T)%nat -> minimiser2 P T alpha beta ->
  Rabs (beta + IZR p / IZR (Zpos q)) < IZR u / IZR (Zpos v) * (IZR p / IZR (Zpos q))
  /\ Rabs (alpha - IZR p / IZR (Zpos q)) < IZR u / IZR (Zpos v) * (IZR p / IZR (Zpos q)).
Proof.
  intros B terms kap e rho above below near p q u v T0 H T alpha beta HT Hmin.
  unfold mixed_two_parameter in H. rewrite !andb_true_iff in H. destruct H as [[Hs Hk] Hband].
  pose proof (mixed_alpha_star _ _ Hs) as Hstar. pose proof (mixed_kappa _ _ Hk) as Hkap.
  destruct mixed_ends as [El Eh].
  exact (band_correct _ _ _ P El Eh (mixed_thresholds_correct B terms)
    (p # q) kap e B T0 Hstar Hkap (u # v) rho above below near Hband T alpha beta HT Hmin).
Qed.

End Law.
