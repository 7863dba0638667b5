(** Gradient flow exists for all time: x' = - F(x), F increasing with a zero a, is solved by
    x = a + (x0 - a) exp(- z), where z runs through its range at the positive rate F(x) / (x - a).
    The inverse of z is an integral (Coquelicot). *)
From Coq Require Import Reals Lra Lia.
#[local] Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
From Formal Require Import Law OneParameter OneParameterLimit Flow.
Open Scope R_scope.

(** * The inverse of an increasing function *)

Lemma inverse_derivative : forall (tau Z : R -> R) (t d eta : R),
  (forall x y, x < y -> tau x < tau y) -> 0 < eta ->
  (forall u, Rabs (u - t) < eta -> tau (Z u) = u) ->
  0 < d -> derivable_pt_lim tau (Z t) d -> derivable_pt_lim Z t (/ d).
Proof.
  intros tau Z t d eta Hinc Heta HZ Hd Htau eps Heps.
  assert (Hzt : tau (Z t) = t) by (apply HZ; rewrite (Rminus_diag_eq _ _ eq_refl), Rabs_R0; assumption).
  assert (Hlt : forall x y, tau x < tau y -> x < y).
  { intros x y H. destruct (Rtotal_order x y) as [H' | [-> | H']]; [assumption | lra |].
    apply Hinc in H'. lra. }
  destruct (Htau (Rmin (d / 2) (eps * d ^ 2 / 2))) as [delta Hdelta].
  { assert (0 < eps * d ^ 2) by (apply Rmult_lt_0_compat; [| apply pow_lt]; lra).
    apply Rmin_pos; lra. }
  pose proof (cond_pos delta) as Hdp.
  assert (H1 : tau (Z t - delta / 2) < t) by (rewrite <- Hzt at 2; apply Hinc; lra).
  assert (H2 : t < tau (Z t + delta / 2)) by (rewrite <- Hzt at 1; apply Hinc; lra).
  set (r := Rmin eta (Rmin (t - tau (Z t - delta / 2)) (tau (Z t + delta / 2) - t))).
  assert (Hr : 0 < r) by (repeat apply Rmin_pos; lra).
  exists (mkposreal r Hr). intros h Hh Hhr. simpl in Hhr.
  assert (Hhe : Rabs h < eta) by (eapply Rlt_le_trans; [exact Hhr | apply Rmin_l]).
  assert (Hh1 : Rabs h < t - tau (Z t - delta / 2)).
  { eapply Rlt_le_trans; [exact Hhr |]. eapply Rle_trans; [apply Rmin_r | apply Rmin_l]. }
  assert (Hh2 : Rabs h < tau (Z t + delta / 2) - t).
  { eapply Rlt_le_trans; [exact Hhr |]. eapply Rle_trans; [apply Rmin_r | apply Rmin_r]. }
  assert (Hzh : tau (Z (t + h)) = t + h) by (apply HZ; now replace (t + h - t) with h by ring).
  set (k := Z (t + h) - Z t).
  assert (Hk : tau (Z t + k) - tau (Z t) = h).
  { replace (Z t + k) with (Z (t + h)) by (unfold k; ring). lra. }
  assert (Hk0 : k <> 0) by (intros H; rewrite H, Rplus_0_r in Hk; lra).
  assert (Hkd : Rabs k < delta).
  { apply Rabs_def2 in Hh1. apply Rabs_def2 in Hh2.
    assert (Z t - delta / 2 < Z (t + h)) by (apply Hlt; lra).
    assert (Z (t + h) < Z t + delta / 2) by (apply Hlt; lra).
    apply Rabs_def1; unfold k; lra. }
  specialize (Hdelta k Hk0 Hkd). rewrite Hk in Hdelta.
  assert (Ha : Rabs (h / k - d) < d / 2) by (eapply Rlt_le_trans; [exact Hdelta | apply Rmin_l]).
  assert (Hb : Rabs (h / k - d) < eps * d ^ 2 / 2) by (eapply Rlt_le_trans; [exact Hdelta | apply Rmin_r]).
  apply Rabs_def2 in Ha. set (y := h / k) in *.
  fold k. replace (k / h) with (/ y) by (unfold y; field; auto).
  assert (Hyd : d ^ 2 / 2 < y * d) by (simpl; nra). assert (Hd2 : 0 < d ^ 2) by (apply pow_lt; lra).
  replace (/ y - / d) with ((y - d) * (- / (y * d))) by (field; lra).
  rewrite Rabs_mult, Rabs_Ropp, (Rabs_right (/ _)) by (apply Rle_ge, Rlt_le, Rinv_0_lt_compat; lra).
  apply (Rmult_lt_reg_r (y * d)); [lra |]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rlt_trans with (eps * (d ^ 2 / 2)); [lra | apply Rmult_lt_compat_l; lra].
Qed.

(** * The clock z' = H(z), H positive and bounded to the right *)

Section Clock.
Variable H : R -> R.
Variable K : R.
Hypothesis H_continuous : continuity H.
Hypothesis H_pos : forall z, 0 < H z.
Hypothesis H_bounded : forall z, 0 <= z -> H z <= K.

Definition elapsed (z : R) : R := RInt (fun y => / H y) 0 z.

Lemma rate_continuous : forall z, continuous (fun y => / H y) z.
Proof.
  intros z. apply continuity_pt_filterlim, continuity_pt_inv; [apply H_continuous | apply Rgt_not_eq, H_pos].
Qed.

Lemma elapsed_derivative : forall z, derivable_pt_lim elapsed z (/ H z).
Proof.
  intros z. apply is_derive_Reals. apply (is_derive_RInt (fun y => / H y) elapsed 0 z).
  - apply filter_forall. intros y. apply (RInt_correct (V := R_CompleteNormedModule)).
    apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply rate_continuous.
  - apply rate_continuous.
Qed.

Lemma elapsed_increasing : forall x y, x < y -> elapsed x < elapsed y.
Proof.
  intros x y Hxy. destruct (MVT_cor2 elapsed (fun z => / H z) x y Hxy) as [c [Hc _]].
  - intros z _. apply elapsed_derivative.
  - assert (0 < / H c) by apply Rinv_0_lt_compat, H_pos. nra.
Qed.

Lemma elapsed_zero : elapsed 0 = 0.
Proof. exact (RInt_point (V := R_CompleteNormedModule) 0 _). Qed.

Lemma elapsed_grows : forall z, 0 <= z -> z / K <= elapsed z.
Proof.
  intros z Hz. assert (HK : 0 < K) by (apply Rlt_le_trans with (H 0); [apply H_pos | apply H_bounded; lra]).
  pose proof (decrease (fun y => - elapsed y) (fun y => - / H y) 0 z (/ K) Hz) as Hd.
  cbv beta in Hd. rewrite elapsed_zero in Hd. assert (- elapsed z <= - 0 - / K * (z - 0)); [apply Hd |].
  - intros t _. apply (derivable_pt_lim_opp elapsed), elapsed_derivative.
  - intros t Ht. apply Ropp_le_contravar, Rinv_le_contravar; [apply H_pos | apply H_bounded; lra].
  - unfold Rdiv. lra.
Qed.

Lemma clock_exists : forall t, elapsed (-1) <= t -> { z | elapsed z = t }.
Proof.
  intros t Ht. assert (HK : 0 < K) by (apply Rlt_le_trans with (H 0); [apply H_pos | apply H_bounded; lra]).
  pose proof (Rle_abs t). pose proof (Rabs_pos t).
  assert (Hz : 0 <= K * Rabs t) by (apply Rmult_le_pos; lra).
  assert (Hg : t <= elapsed (K * Rabs t)).
  { apply Rle_trans with (K * Rabs t / K); [| now apply elapsed_grows].
    replace (K * Rabs t / K) with (Rabs t) by (field; lra). assumption. }
  destruct (IVT_cor (fun z => elapsed z - t) (-1) (K * Rabs t)) as [z [_ Hz']].
  - intros z. apply continuity_pt_minus; [| now apply continuity_const].
    apply derivable_continuous_pt. eexists. apply elapsed_derivative.
  - lra.
  - nra.
  - exists z. lra.
Qed.

Theorem clock : exists z : R -> R, z 0 = 0 /\ forall t, 0 <= t -> derivable_pt_lim z t (H (z t)).
Proof.
  set (z := fun t => match Rle_dec (elapsed (-1)) t with
                     | left h => proj1_sig (clock_exists t h)
                     | right _ => 0 end).
  assert (Hz : forall t, elapsed (-1) <= t -> elapsed (z t) = t).
  { intros t Ht. unfold z. destruct (Rle_dec (elapsed (-1)) t) as [h | h]; [| contradiction].
    exact (proj2_sig (clock_exists t h)). }
  assert (H0 : elapsed (-1) < 0) by (rewrite <- elapsed_zero; apply elapsed_increasing; lra).
  exists z. split.
  - destruct (Rtotal_order (z 0) 0) as [Hlt | [Heq | Hlt]]; [| assumption |];
      apply elapsed_increasing in Hlt; rewrite Hz, elapsed_zero in Hlt; lra.
  - intros t Ht. rewrite <- (Rinv_inv (H (z t))).
    apply (inverse_derivative elapsed z t (/ H (z t)) (- elapsed (-1))).
    + exact elapsed_increasing.
    + lra.
    + intros u Hu. apply Hz. apply Rabs_def2 in Hu. lra.
    + apply Rinv_0_lt_compat, H_pos.
    + apply elapsed_derivative.
Qed.

End Clock.

(** * The flow *)

Section Existence.
Variable F : R -> R.
Variable a l : R.
Hypothesis F_increasing : forall x y, x < y -> F x < F y.
Hypothesis F_zero : F a = 0.
Hypothesis F_continuous : continuity F.
Hypothesis F_derivable : derivable_pt_lim F a l.

(** The relative rate F(a + v) / v is positive ... *)
Lemma relative_rate_pos : forall v, v <> 0 -> 0 < F (a + v) / v.
Proof.
  intros v Hv. destruct (Rtotal_order v 0) as [H | [H | H]]; [| contradiction |].
  - assert (F (a + v) < 0) by (rewrite <- F_zero; apply F_increasing; lra).
    replace (F (a + v) / v) with (- F (a + v) / - v) by (field; assumption). apply Rdiv_lt_0_compat; lra.
  - assert (0 < F (a + v)) by (rewrite <- F_zero; apply F_increasing; lra). now apply Rdiv_lt_0_compat.
Qed.

Lemma F_nondecreasing : forall x y, x <= y -> F x <= F y.
Proof. intros x y [H | ->]; [now apply Rlt_le, F_increasing | lra]. Qed.

(** ... and bounded near the zero. *)
Lemma relative_rate_bounded : forall R0, 0 <= R0 -> exists K,
  forall v, v <> 0 -> Rabs v <= R0 -> F (a + v) / v <= K.
Proof.
  intros R0 HR. destruct (F_derivable 1) as [d Hd]; [lra |]. pose proof (cond_pos d) as Hdp.
  set (M := F (a + R0) - F (a - R0)).
  assert (HR1 : 0 <= F (a + R0)) by (rewrite <- F_zero; apply F_nondecreasing; lra).
  assert (HR2 : F (a - R0) <= 0) by (rewrite <- F_zero; apply F_nondecreasing; lra).
  exists (Rmax (l + 1) (M / d)). intros v Hv HvR.
  destruct (Rlt_dec (Rabs v) d) as [h | h].
  - eapply Rle_trans; [| apply Rmax_l]. specialize (Hd v Hv h). rewrite F_zero, Rminus_0_r in Hd.
    apply Rabs_def2 in Hd. lra.
  - eapply Rle_trans; [| apply Rmax_r].
    assert (Hv0 : 0 < Rabs v) by now apply Rabs_pos_lt.
    assert (HM : Rabs (F (a + v)) <= M).
    { assert (- R0 <= v <= R0) by now apply Rabs_le_between.
      assert (F (a + v) <= F (a + R0)) by (apply F_nondecreasing; lra).
      assert (F (a - R0) <= F (a + v)) by (apply F_nondecreasing; lra).
      apply Rabs_le; unfold M; lra. }
    apply Rle_trans with (Rabs (F (a + v) / v)); [apply Rle_abs |].
    rewrite Rabs_div by assumption. unfold Rdiv. apply Rmult_le_compat; [apply Rabs_pos | | assumption |].
    + now apply Rlt_le, Rinv_0_lt_compat.
    + apply Rinv_le_contravar; lra.
Qed.

Theorem line_flow_exists : forall x0, exists x : R -> R,
  x 0 = x0 /\ forall t, 0 <= t -> derivable_pt_lim x t (- F (x t)).
Proof.
  intros x0. destruct (Req_dec x0 a) as [-> | Hne].
  { exists (fun _ => a). split; [reflexivity |]. intros t _. rewrite F_zero, Ropp_0.
    apply derivable_pt_lim_const. }
  set (v := fun z => (x0 - a) * exp (- z)). set (H := fun z => F (a + v z) / v z).
  assert (Hv : forall z, v z <> 0).
  { intros z. apply Rmult_integral_contrapositive_currified; [lra | apply Rgt_not_eq, exp_pos]. }
  assert (Hvd : forall z, derivable_pt_lim v z (- v z)).
  { intros z. replace (- v z) with ((x0 - a) * (exp (- z) * -1)) by (unfold v; ring).
    apply (derivable_pt_lim_scal (fun z => exp (- z))).
    apply (derivable_pt_lim_comp Ropp exp z); [| apply derivable_pt_lim_exp].
    apply (derivable_pt_lim_opp id), derivable_pt_lim_id. }
  assert (Hvc : continuity v) by (intros z; apply derivable_continuous_pt; eexists; apply Hvd).
  destruct (relative_rate_bounded (Rabs (x0 - a)) (Rabs_pos _)) as [K HK].
  destruct (clock H K) as [z [Hz0 Hz]].
  - intros z. unfold H. apply continuity_pt_div; [| apply Hvc | apply Hv].
    apply (continuity_pt_comp (fun y => a + v y) F); [| apply F_continuous].
    apply continuity_pt_plus; [now apply continuity_const | apply Hvc].
  - intros z. unfold H. apply relative_rate_pos, Hv.
  - intros z Hz. apply HK; [apply Hv |]. unfold v. rewrite Rabs_mult, (Rabs_right (exp _))
      by (apply Rle_ge, Rlt_le, exp_pos).
    assert (exp (- z) <= 1).
    { rewrite <- exp_0. destruct (Req_dec z 0) as [-> | Hz'].
      - rewrite Ropp_0. apply Rle_refl.
      - apply Rlt_le, exp_increasing. lra. }
    pose proof (Rabs_pos (x0 - a)). nra.
  - exists (fun t => a + v (z t)). split.
    + rewrite Hz0. unfold v. rewrite Ropp_0, exp_0. ring.
    + intros t Ht. replace (- F (a + v (z t))) with (0 + - v (z t) * H (z t)) by (unfold H; field; apply Hv).
      apply (derivable_pt_lim_plus (fun _ => a) (fun t => v (z t))); [apply derivable_pt_lim_const |].
      apply (derivable_pt_lim_comp z v); [now apply Hz | apply Hvd].
Qed.

End Existence.

(** Theorem 6.2, gradient flow: from every start there is a solution for all time. *)
Theorem flow_exists : forall P T x0, (1 <= T)%nat -> exists x : R -> R,
  x 0 = x0 /\ forall t, 0 <= t -> derivable_pt_lim x t (- slope P T (x t)).
Proof.
  intros P T x0 HT. destruct (minimiser_exists P T HT) as [a [Ha _]].
  assert (Hd : exists l, derivable_pt_lim (slope P T) a l).
  { eexists. apply (derivable_pt_lim_scal (fun b => E P (fun s => s * residual b s ^ (2 * T - 1)))).
    apply (derivable_moment P _ (fun s => s)). in_dom. }
  destruct Hd as [l Hd]. apply (line_flow_exists (slope P T) a l).
  - intros b c. now apply slope_increasing.
  - now apply minimiser_iff_critical.
  - apply slope_continuous.
  - exact Hd.
Qed.

(** Gradient flow started at any weight has exactly one solution, and it tends to alpha_T. *)
Theorem flow_from_every_start : forall P T a x0, (1 <= T)%nat -> minimiser P T a ->
  exists x : R -> R, x 0 = x0 /\ (forall t, 0 <= t -> derivable_pt_lim x t (- slope P T (x t))) /\
    is_lim x p_infty a /\
    forall y : R -> R, y 0 = x0 -> (forall t, 0 <= t -> derivable_pt_lim y t (- slope P T (y t))) ->
      forall t, 0 <= t -> y t = x t.
Proof.
  intros P T a x0 HT Ha. destruct (flow_exists P T x0 HT) as [x [H0 Hx]].
  exists x. repeat split; trivial.
  - apply is_lim_spec. intros eps. destruct (flow P T a HT Ha x) with (eps := pos eps) as [t0 Ht0].
    + intros t Ht. apply Hx. lra.
    + apply cond_pos.
    + exists t0. intros t Ht. apply Ht0. lra.
  - intros y Hy0 Hy. apply (flow_unique P T); trivial. now rewrite H0.
Qed.
