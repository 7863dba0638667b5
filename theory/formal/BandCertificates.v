(** Two parameters: every minimiser is in a band from one depth on, decided on integers, for any law with rational
    ends of which the masses near them are known. *)
From Coq Require Import Reals ZArith QArith Qreals Bool List Lra Lia.
From Formal Require Import Law OneParameter Embedding Polynomial Layerwise TwoParameter TwoParameterExclusions
  TwoParameterBand Computed Certificates.
Open Scope R_scope.

(** Thresholds lM < lH, what they leave of the mass, and theta: the numbers of one exclusion. *)
Record exclusion := mk_exclusion { ex_lM : Q; ex_lH : Q; ex_pM : Q; ex_pH : Q; ex_theta : Q }.

Definition Qlt_bool (x y : Q) : bool := negb (Qle_bool y x).

Lemma Qle_bool_R : forall x y, Qle_bool x y = true -> Q2R x <= Q2R y.
Proof. intros x y H. apply Qle_Rle, Qle_bool_iff, H. Qed.

Lemma Qlt_bool_R : forall x y, Qlt_bool x y = true -> Q2R x < Q2R y.
Proof.
  intros x y H. apply Qlt_Rlt, Qnot_le_lt. intros Hle. apply Qle_bool_iff in Hle.
  unfold Qlt_bool in H. rewrite Hle in H. discriminate.
Qed.

Lemma Q2R_fraction : forall x, Q2R x = IZR (Qnum x) / IZR (QDen x).
Proof. reflexivity. Qed.

Lemma QDen_pos : forall x, 0 < IZR (QDen x).
Proof. intros x. apply (IZR_lt 0). reflexivity. Qed.

(** bound kappa^(2T) < p (spread (1 - theta^T) r^T)^2 (1 - kappa^(2T)) *)
Definition exceeds_bool (kap p spread theta r : Q) (bound : Z) (B : N) (T : positive) : bool :=
  let U := (2 ^ Z.of_N B)%Z in
  let K := power (multiply_up B) (ratio_up B (Qnum kap) (QDen kap)) (xO T) in
  let Th := power (multiply_up B) (ratio_up B (Qnum theta) (QDen theta)) T in
  let Rr := power (multiply_down B) (ratio_down B (Qnum r) (QDen r)) T in
  ((0 <=? Qnum kap) && (0 <=? Qnum theta) && (0 <=? Qnum r) && (0 <=? Qnum p) && (0 <=? bound)
   && (Th <=? U) && (K <=? U)
   && (bound * K * (QDen p * (QDen spread * QDen spread)) * (U * U * U * U)
       <? Qnum p * (Qnum spread * Qnum spread) * ((U - Th) * Rr * ((U - Th) * Rr)) * (U - K)))%Z.

Lemma exceeds_correct : forall P kap p spread theta r bound B T, kappa P = Q2R kap ->
  exceeds_bool kap p spread theta r bound B T = true ->
  exceeds P (Q2R p) (Q2R spread) (Q2R theta) (Q2R r) (IZR bound) (depth T).
Proof.
  intros P kap p spread theta r bound B T Hkap H. unfold exceeds_bool in H. repeat rewrite andb_true_iff in H.
  destruct H as [[[[[[[Hk Ht] Hr] Hp] Hb] HT] HK] H]. apply Z.leb_le in Hk, Ht, Hr, Hp, Hb, HT, HK. apply Z.ltb_lt in H.
  pose proof (power_upper B (xO T) _ _ (ratio_upper B _ (QDen kap) Hk eq_refl)) as [HK0 HK1].
  pose proof (power_upper B T _ _ (ratio_upper B _ (QDen theta) Ht eq_refl)) as [_ HT1].
  pose proof (power_lower B T _ _ (ratio_lower B _ (QDen r) Hr eq_refl)) as [HR0 HR1].
  rewrite Pos2Nat.inj_xO in HK0, HK1. fold (depth T) in *. rewrite <- Q2R_fraction in *.
  set (K := power (multiply_up B) (ratio_up B (Qnum kap) (QDen kap)) (xO T)) in *.
  set (Th := power (multiply_up B) (ratio_up B (Qnum theta) (QDen theta)) T) in *.
  set (Rr := power (multiply_down B) (ratio_down B (Qnum r) (QDen r)) T) in *.
  apply IZR_lt in H. apply IZR_le in HT, HK, Hp, Hb. repeat rewrite ?mult_IZR, ?minus_IZR in H.
  change (IZR (2 ^ Z.of_N B)) with (unit B) in *. pose proof (unit_pos B) as HU. set (U := unit B) in *.
  unfold exceeds. rewrite Hkap. set (k := Q2R kap ^ (2 * depth T)) in *.
  set (t := Q2R theta ^ depth T) in *. set (z := Q2R r ^ depth T) in *.
  set (X := (U - IZR Th) * IZR Rr) in *.
  assert (HX : 0 <= X <= U * (1 - t) * (U * z)).
  { split; [apply Rmult_le_pos; lra |]. apply Rmult_le_compat; lra. }
  assert (HX2 : X * X <= U * (1 - t) * (U * z) * (U * (1 - t) * (U * z))) by (apply Rmult_le_compat; lra).
  assert (HXK : X * X * (U - IZR K) <= U * (1 - t) * (U * z) * (U * (1 - t) * (U * z)) * (U * (1 - k))).
  { apply Rmult_le_compat; [nra | lra | exact HX2 | lra]. }
  pose proof (QDen_pos p) as Dp. pose proof (QDen_pos spread) as Ds.
  set (d := IZR (QDen p) * (IZR (QDen spread) * IZR (QDen spread))) in *.
  assert (Hd : 0 < d) by (repeat apply Rmult_lt_0_compat; assumption).
  set (m := IZR (Qnum p) * (IZR (Qnum spread) * IZR (Qnum spread))) in *.
  assert (Hm : 0 <= m) by (apply Rmult_le_pos; [exact Hp | apply Rle_0_sqr]).
  assert (Hgoal : Q2R p * (Q2R spread * (1 - t) * z) ^ 2 * (1 - k) = m / d * (((1 - t) * z) ^ 2 * (1 - k))).
  { rewrite !Q2R_fraction. unfold m, d. field. lra. }
  rewrite Hgoal. apply Rmult_lt_reg_r with (d * (U * U * U * U * U)).
  { repeat apply Rmult_lt_0_compat; assumption. }
  replace (m / d * (((1 - t) * z) ^ 2 * (1 - k)) * (d * (U * U * U * U * U)))
    with (m * (U * (1 - t) * (U * z) * (U * (1 - t) * (U * z)) * (U * (1 - k)))) by (field; lra).
  apply Rle_lt_trans with (IZR bound * IZR K * d * (U * U * U * U)).
  - replace (IZR bound * k * (d * (U * U * U * U * U))) with (IZR bound * (U * k) * d * (U * U * U * U)) by ring.
    apply Rmult_le_compat_r; [repeat apply Rmult_le_pos; lra |]. apply Rmult_le_compat_r; [lra |].
    apply Rmult_le_compat_l; [exact Hb | exact HK1].
  - apply Rlt_le_trans with (1 := H). rewrite Rmult_assoc. apply Rmult_le_compat_l; [exact Hm | exact HXK].
Qed.

(** * The exclusions, and the band *)

Lemma Q2R_small : Q2R 0 = 0 /\ Q2R 1 = 1 /\ Q2R 2 = 2.
Proof. repeat split; unfold Q2R; simpl; field. Qed.

(** Of a law with the eigenvalues l1 and l2 at its ends, whose thresholds a boolean finds good. *)
Section Checks.
Variables l1 l2 : Q.
Variable good : exclusion -> bool.

Definition above_bool (star kap e : Q) (B : N) (x : exclusion) (T : positive) : bool :=
  let a := (star + e)%Q in
  good x && Qle_bool (a * l2) 2 && Qlt_bool kap (a * ex_lH x - 1)
  && Qle_bool 0 (ex_theta x) && Qle_bool (ex_theta x) 1 && Qle_bool (ex_lM x) (ex_theta x * ex_lH x)
  && exceeds_bool kap (ex_pM x * ex_pH x) 1 (ex_theta x) (a * ex_lH x - 1) 4 B T.

Definition below_bool (star kap e : Q) (B : N) (x : exclusion) (T : positive) : bool :=
  let a := (star - e)%Q in
  Qlt_bool (a * l2) 1
  || (good x && Qlt_bool kap (1 - a * ex_lM x)
      && Qle_bool 0 (ex_theta x) && Qle_bool (ex_theta x) 1
      && Qle_bool (l2 - ex_lH x) (ex_theta x * (l2 - ex_lM x))
      && Qle_bool (a * l2 - 1) (ex_theta x * (1 - a * ex_lM x))
      && exceeds_bool kap (ex_pM x * ex_pH x) 1 (ex_theta x) (1 - a * ex_lM x) 1 B T).

Definition near_zero_bool (kap : Q) (B : N) (x : exclusion) (T : positive) : bool :=
  good x && Qlt_bool kap (1 - ex_lM x / l2)
  && exceeds_bool kap (ex_pM x * ex_pH x) ((ex_lH x - ex_lM x) / l2) 0 (1 - ex_lM x / l2) 1 B T.

Definition power_above (B : N) (x : Q) (T : positive) : Q :=
  power (multiply_up B) (ratio_up B (Qnum x) (QDen x)) T # Z.to_pos (2 ^ Z.of_N B).

Definition alpha_bool (star e rho eps : Q) (B : N) (T : positive) : bool :=
  let R := power_above B rho T in
  Qle_bool 0 rho && Qlt_bool rho 1 && Qlt_bool e star && Qlt_bool eps star && Qlt_bool 0 eps && Qle_bool e eps
  && Qle_bool (1 - (star - e) * l1) rho
  && Qle_bool ((star + e) * l2 - 1) rho
  && Qle_bool (star + e) ((star + eps) * (1 - R)) && Qle_bool ((star - eps) * (1 + R)) (star - e).

Definition band_bool (star kap epsilon e rho : Q) (B : N) (above below near : exclusion) (T : positive) : bool :=
  above_bool star kap e B above T && below_bool star kap e B below T && near_zero_bool kap B near T
  && alpha_bool star e rho (epsilon * star) B T.

(** * What they prove *)

Variable P : law.
Hypothesis Hl1 : Q2R l1 = 1 + lo P.
Hypothesis Hl2 : Q2R l2 = 1 + hi P.
Hypothesis good_correct : forall x, good x = true ->
  thresholds P (Q2R (ex_lM x)) (Q2R (ex_lH x)) (Q2R (ex_pM x)) (Q2R (ex_pH x)).

Ltac to_R H :=
  first [apply Qle_bool_R in H | apply Qlt_bool_R in H];
  destruct Q2R_small as [Q0 [Q1 Q2]];
  repeat rewrite ?Q2R_plus, ?Q2R_minus, ?Q2R_mult, ?Q0, ?Q1, ?Q2, ?Hl1, ?Hl2 in H;
  clear Q0 Q1 Q2.

Section Band.
Variables star kap e : Q.
Variable B : N.
Variable T : positive.
Hypothesis Hstar : alpha_star P = Q2R star.
Hypothesis Hkap : kappa P = Q2R kap.

Lemma above_correct : forall x, above_bool star kap e B x T = true -> excluded_above P (Q2R e) (depth T).
Proof.
  intros x H. unfold above_bool in H. repeat rewrite andb_true_iff in H.
  destruct H as [[[[[[Ht H1] H2] H3] H4] H5] H6]. to_R H1. to_R H2. to_R H3. to_R H4. to_R H5.
  exists (Q2R (ex_lM x)), (Q2R (ex_lH x)), (Q2R (ex_pM x)), (Q2R (ex_pH x)), (Q2R (ex_theta x)).
  apply (exceeds_correct P) in H6; [| exact Hkap]. destruct Q2R_small as [_ [Q1 _]].
  rewrite Q2R_minus, !Q2R_mult, Q2R_plus, Q1 in H6. rewrite Hstar, Hkap.
  repeat split; try assumption; try apply (good_correct x Ht); lra.
Qed.

Lemma below_correct : forall x, below_bool star kap e B x T = true -> excluded_below P (Q2R e) (depth T).
Proof.
  intros x H. unfold below_bool in H. apply orb_true_iff in H. unfold excluded_below.
  destruct H as [H | H]; [left; to_R H; rewrite Hstar; exact H | right].
  repeat rewrite andb_true_iff in H. destruct H as [[[[[[Ht H1] H2] H3] H4] H5] H6].
  to_R H1. to_R H2. to_R H3. to_R H4. to_R H5.
  exists (Q2R (ex_lM x)), (Q2R (ex_lH x)), (Q2R (ex_pM x)), (Q2R (ex_pH x)), (Q2R (ex_theta x)).
  apply (exceeds_correct P) in H6; [| exact Hkap]. destruct Q2R_small as [_ [Q1 _]].
  rewrite Q2R_minus, !Q2R_mult, Q2R_minus, Q1 in H6. rewrite Hstar, Hkap.
  repeat split; try assumption; try apply (good_correct x Ht); try lra.
Qed.

Lemma eigenvalue_nonzero : ~ (l2 == 0)%Q.
Proof.
  intros H. apply Qeq_eqR in H. destruct Q2R_small as [Q0 _]. rewrite Hl2, Q0 in H. pose proof (hi_pos P). lra.
Qed.

Lemma near_zero_correct : forall x, near_zero_bool kap B x T = true -> excluded_near_zero P (depth T).
Proof.
  intros x H. unfold near_zero_bool in H. repeat rewrite andb_true_iff in H. destruct H as [[Ht H1] H2].
  apply Qlt_bool_R in H1. apply (exceeds_correct P) in H2; [| exact Hkap]. destruct Q2R_small as [Q0 [Q1 _]].
  pose proof eigenvalue_nonzero as Hn.
  rewrite Q2R_minus, Q2R_div, Q1, Hl2 in H1 by exact Hn.
  rewrite Q2R_minus, !Q2R_div, Q2R_minus, Q2R_mult, Q0, Q1, Hl2 in H2 by exact Hn.
  exists (Q2R (ex_lM x)), (Q2R (ex_lH x)), (Q2R (ex_pM x)), (Q2R (ex_pH x)). rewrite Hkap.
  repeat split; try assumption; apply (good_correct x Ht).
Qed.

Lemma power_above_correct : forall x, (0 <= Qnum x)%Z -> Q2R x ^ depth T <= Q2R (power_above B x T).
Proof.
  intros x Hx. pose proof (power_upper B T _ _ (ratio_upper B _ (QDen x) Hx eq_refl)) as [_ H].
  fold (depth T) in H. rewrite <- Q2R_fraction in H. pose proof (unit_pos B) as HU.
  unfold power_above, Q2R at 2; simpl Qnum; simpl Qden.
  rewrite Z2Pos.id by (apply lt_IZR; exact HU). change (IZR (2 ^ Z.of_N B)) with (unit B).
  apply Rmult_le_reg_l with (1 := HU). rewrite Rmult_comm with (r1 := unit B) (r2 := _ * / _).
  rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma alpha_correct : forall rho eps, alpha_bool star e rho eps B T = true ->
  alpha_within P (Q2R e) (Q2R rho) (Q2R eps) (depth T) /\ 0 < Q2R eps /\ Q2R e <= Q2R eps.
Proof.
  intros rho eps H. unfold alpha_bool in H. repeat rewrite andb_true_iff in H.
  destruct H as [[[[[[[[[H0 H1] H2] H3] H4] H5] H6] H7] H8] H9].
  assert (Hr : (0 <= Qnum rho)%Z).
  { apply Qle_bool_iff in H0. unfold Qle in H0. simpl in H0. lia. }
  pose proof (power_above_correct rho Hr) as HR.
  to_R H0. to_R H1. to_R H2. to_R H3. to_R H4. to_R H5. to_R H6. to_R H7. to_R H8. to_R H9.
  set (R' := Q2R (power_above B rho T)) in *. set (z := Q2R rho ^ depth T) in *.
  unfold alpha_within. rewrite Hstar. fold z.
  repeat split; try assumption.
  - apply Rle_trans with (1 := H8). apply Rmult_le_compat_l; lra.
  - apply Rle_trans with (2 := H9). apply Rmult_le_compat_l; lra.
Qed.
(** |beta + star| and |alpha - star| below epsilon star at every minimiser, for every T' >= T. *)
Lemma band_correct : forall epsilon rho above below near, band_bool star kap epsilon e rho B above below near T = true ->
  forall T' alpha beta, (depth T <= T')%nat -> minimiser2 P T' alpha beta ->
  Rabs (beta + Q2R star) < Q2R epsilon * Q2R star /\ Rabs (alpha - Q2R star) < Q2R epsilon * Q2R star.
Proof.
  intros epsilon rho above below near H T' alpha beta HT Hmin.
  unfold band_bool in H. rewrite !andb_true_iff in H. destruct H as [[[Ha Hb] Hn] Hw].
  destruct (alpha_correct _ _ Hw) as [Hwithin [Heps He]].
  destruct (two_parameter_band P (Q2R e) (Q2R rho) (Q2R (epsilon * star)) (depth T) (depth_pos T) Heps
    (above_correct _ Ha) (below_correct _ Hb) (near_zero_correct _ Hn) Hwithin T' alpha beta HT Hmin) as [H1 H2].
  rewrite Q2R_mult in *. rewrite Hstar in *. split; lra.
Qed.
End Band.
End Checks.
