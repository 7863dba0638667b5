(** Two parameters on a finite law: every minimiser is in a band from one depth on, decided on integers. *)
From Coq Require Import Reals ZArith QArith Qreals Bool List Lra Lia.
From Formal Require Import Law OneParameter Embedding Polynomial Layerwise TwoParameter TwoParameterExclusions
  TwoParameterBand FiniteLaw Computed Certificates BandCertificates.
Open Scope R_scope.

(** * Thresholds *)

Definition eigenvalue (D : table) (v : Z) : Q := (den D + v)%Z # Z.to_pos (den D).
Definition part (D : table) (B : N) (chosen : Q -> bool) : Z :=
  totalZ (fun row => if chosen (eigenvalue D (fst row))
                     then (snd row * ratio_down B (fst row) (den D + fst row))%Z else 0%Z) (rows D).

Definition holds_mass (D : table) (B : N) (p : Q) (chosen : Q -> bool) : bool :=
  (Qnum p * sum_ratios D (ratio_up B) <=? QDen p * part D B chosen)%Z && (0 <=? Qnum p)%Z.

Definition thresholds_bool (D : table) (B : N) (x : exclusion) : bool :=
  Qle_bool (eigenvalue D (low D)) (ex_lM x) && Qlt_bool (ex_lM x) (ex_lH x)
  && Qle_bool (ex_lH x) (eigenvalue D (high D))
  && holds_mass D B (ex_pM x) (fun lam => Qle_bool lam (ex_lM x))
  && holds_mass D B (ex_pH x) (fun lam => Qle_bool (ex_lH x) lam).

Section Certified.
Variable D : table.
Hypothesis ok : valid D = true.
Let P := finite D ok.

Lemma eigenvalue_correct : forall v, Q2R (eigenvalue D v) = 1 + IZR v / IZR (den D).
Proof.
  intros v. pose proof (den_pos D ok) as Hd. pose proof (valid_parts D ok) as [HdZ _].
  unfold eigenvalue, Q2R; simpl Qnum; simpl Qden. rewrite Z2Pos.id, plus_IZR by exact HdZ. field. lra.
Qed.

Lemma mass_correct : forall B p chosen (f : R -> R), holds_mass D B p chosen = true ->
  (forall s, 0 <= f s) ->
  (forall row, In row (rows D) -> chosen (eigenvalue D (fst row)) = true -> f (value D row) = 1) ->
  0 <= Q2R p /\ Q2R p * scale P <= nu P f.
Proof.
  intros B p chosen f H Hf Hchosen. apply andb_true_iff in H. destruct H as [H Hp].
  apply Z.leb_le, IZR_le in H, Hp. rewrite !mult_IZR in H. pose proof (QDen_pos p) as Dp.
  split; [rewrite Q2R_fraction; apply Rmult_le_pos; [exact Hp | apply Rlt_le, Rinv_0_lt_compat, Dp] |].
  pose proof (ratios_up D B ok) as Hup. pose proof (unit_pos B) as HU.
  pose proof (mass_pos D ok) as HW. rewrite <- sum_weights_mass in HW.
  assert (Hpart : IZR (part D B chosen) <= unit B * (mean D (fun s => s * / (1 + s) * f s) * IZR (sum_weights D))).
  { rewrite sum_weights_mass. unfold mean, Rdiv. rewrite sum_weights_mass in HW.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. rewrite <- total_scal. unfold part. rewrite total_IZR.
    apply total_le. intros row Hin. destruct (entries D row ok Hin) as [Hv [Hdv Hw]].
    pose proof (value_nonneg D ok row Hin) as Hs. specialize (Hchosen row Hin).
    destruct (chosen (eigenvalue D (fst row))).
    - rewrite (Hchosen eq_refl), mult_IZR. destruct (ratio_lower B _ _ Hv Hdv) as [_ Hr].
      replace (IZR (fst row) / IZR (den D + fst row)) with (value D row * / (1 + value D row)) in Hr.
      + apply Rmult_le_compat_l with (r := weight row) in Hr; [| exact Hw]. unfold weight in *. lra.
      + pose proof (den_pos D ok). unfold value in *. rewrite plus_IZR.
        assert (0 < IZR (den D) + IZR (fst row)) by (rewrite <- plus_IZR; apply (IZR_lt 0), Hdv). field. lra.
    - apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; [exact Hw |]. apply Rmult_le_pos; [| apply Hf].
      apply Rmult_le_pos; [exact Hs | apply Rlt_le, Rinv_0_lt_compat; lra]. }
  change (nu P f) with (mean D (fun s => s * / (1 + s) * f s)).
  change (scale P) with (mean D (fun s => s * / (1 + s))).
  set (N := mean D (fun s => s * / (1 + s) * f s)) in *. set (C := mean D (fun s => s * / (1 + s))) in *.
  apply Rmult_le_reg_l with (IZR (QDen p) * (unit B * IZR (sum_weights D))).
  { repeat apply Rmult_lt_0_compat; assumption. }
  replace (IZR (QDen p) * (unit B * IZR (sum_weights D)) * (Q2R p * C))
    with (IZR (Qnum p) * (unit B * (C * IZR (sum_weights D)))) by (rewrite Q2R_fraction; field; lra).
  apply Rle_trans with (IZR (Qnum p) * IZR (sum_ratios D (ratio_up B))); [apply Rmult_le_compat_l; assumption |].
  apply Rle_trans with (1 := H).
  replace (IZR (QDen p) * (unit B * IZR (sum_weights D)) * N)
    with (IZR (QDen p) * (unit B * (N * IZR (sum_weights D)))) by ring.
  apply Rmult_le_compat_l; [lra | exact Hpart].
Qed.

Lemma thresholds_correct : forall B x, thresholds_bool D B x = true ->
  thresholds P (Q2R (ex_lM x)) (Q2R (ex_lH x)) (Q2R (ex_pM x)) (Q2R (ex_pH x)).
Proof.
  intros B x H. unfold thresholds_bool in H. repeat rewrite andb_true_iff in H.
  destruct H as [[[[H1 H2] H3] HM] HH].
  apply Qle_bool_R in H1, H3. apply Qlt_bool_R in H2. rewrite eigenvalue_correct in H1, H3.
  destruct (mass_correct B (ex_pM x) _ (at_most (Q2R (ex_lM x))) HM) as [M0 M1].
  { intros s. unfold at_most, below. destruct (Rle_dec _ _); lra. }
  { intros row _ Hc. apply at_most_iff. apply Qle_bool_R in Hc. rewrite eigenvalue_correct in Hc. exact Hc. }
  destruct (mass_correct B (ex_pH x) _ (at_least (Q2R (ex_lH x))) HH) as [N0 N1].
  { intros s. unfold at_least, strictly_below. destruct (Rlt_dec _ _); lra. }
  { intros row _ Hc. apply at_least_iff. apply Qle_bool_R in Hc. rewrite eigenvalue_correct in Hc. exact Hc. }
  split; assumption.
Qed.

Definition two_parameter_bool (star kap epsilon e rho : Q) (B : N) (above below near : exclusion) (T : positive)
  : bool :=
  is_alpha_star D (Qnum star) (QDen star) && is_kappa D (Qnum kap) (QDen kap)
  && band_bool (eigenvalue D (low D)) (eigenvalue D (high D)) (thresholds_bool D B) star kap epsilon e rho B
       above below near T.

(** |beta + p/q| and |alpha - p/q| below (u/v) (p/q) at every minimiser, for every T >= T0. *)
Theorem two_parameter_stays_near : forall B kap e rho above below near p q u v T0,
  two_parameter_bool (p # q) kap (u # v) e rho B above below near T0 = true ->
  forall T alpha beta, (depth T0 <= T)%nat -> minimiser2 P T alpha beta ->
  Rabs (beta + IZR p / IZR (Zpos q)) < IZR u / IZR (Zpos v) * (IZR p / IZR (Zpos q))
  /\ Rabs (alpha - IZR p / IZR (Zpos q)) < IZR u / IZR (Zpos v) * (IZR p / IZR (Zpos q)).
Proof.
  intros B kap e rho above below near p q u v T0 H T alpha beta HT Hmin.
  unfold two_parameter_bool in H. rewrite !andb_true_iff in H. destruct H as [[Hs Hk] Hband].
  pose proof (alpha_star_is D ok _ _ Hs) as Hstar. pose proof (kappa_is D ok _ _ Hk) as Hkap.
  exact (band_correct _ _ _ P (eigenvalue_correct (low D)) (eigenvalue_correct (high D)) (thresholds_correct B)
    (p # q) kap e B T0 Hstar Hkap (u # v) rho above below near Hband T alpha beta HT Hmin).
Qed.
End Certified.
