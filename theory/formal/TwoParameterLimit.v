(** Theorem 6.3, the limit: for every epsilon there is a depth from which every minimiser (alpha, beta) of the
    two-parameter loss has alpha within epsilon of alpha* and beta of - alpha* . *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law OneParameter OneParameterLimit Embedding Polynomial Layerwise TwoParameter
  TwoParameterExclusions TwoParameterCases TwoParameterBand.
Open Scope R_scope.

Section Limit.
Variable P : law.

(** Near both ends of the support nu has mass. *)
Lemma nu_pos_of_mass : forall A, dom P A -> (forall s, lo P <= s <= hi P -> 0 <= A s) ->
  0 < E P (fun s => s * A s) -> 0 < nu P A.
Proof.
  intros A HA Hpos H. pose proof (hi_pos P). pose proof (lo_nonneg P). unfold nu.
  apply Rlt_le_trans with (/ (1 + hi P) * E P (fun s => s * A s)).
  { apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat; lra | exact H]. }
  rewrite <- E_scal by in_dom. apply E_monotone; [in_dom | in_dom |].
  intros s [-> | Hs]; [rewrite !Rmult_0_l, Rmult_0_r; lra |]. specialize (Hpos s Hs).
  replace (/ (1 + hi P) * (s * A s)) with (s * A s * / (1 + hi P)) by ring.
  replace (s * / (1 + s) * A s) with (s * A s * / (1 + s)) by ring.
  apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | apply Rinv_le_contravar; lra].
Qed.

Lemma low_share_pos : forall h, 0 < h -> 0 < nu P (at_most (1 + lo P + h)).
Proof.
  intros h Hh. destruct (indicator_at_most P (1 + lo P + h)) as [Hd H01]. apply nu_pos_of_mass; trivial.
  - intros s _. destruct (H01 s); lra.
  - unfold at_most. replace (1 + lo P + h - 1) with (lo P + h) by ring. now apply mass_low.
Qed.

Lemma high_share_pos : forall h, 0 < h -> 0 < nu P (at_least (1 + hi P - h)).
Proof.
  intros h Hh. destruct (indicator_at_least P (1 + hi P - h)) as [Hd H01]. apply nu_pos_of_mass; trivial.
  - intros s _. destruct (H01 s); lra.
  - apply Rlt_le_trans with (1 := mass_high P h Hh). apply E_monotone; [in_dom | in_dom |].
    intros s Hs. apply supp_nonneg in Hs. apply Rmult_le_compat_l; [exact Hs |].
    unfold at_least, strictly_below, below.
    destruct (Rle_dec s (hi P - h)), (Rlt_dec s (1 + hi P - h - 1)); lra.
Qed.

Lemma thresholds_exist : forall h, 0 < h -> 2 * h < hi P - lo P -> exists pM pH,
  0 < pM * pH /\ thresholds P (1 + lo P + h) (1 + hi P - h) pM pH.
Proof.
  intros h Hh Hw. pose proof (scale_pos P) as HC.
  pose proof (low_share_pos h Hh) as HM. pose proof (high_share_pos h Hh) as HH.
  exists (nu P (at_most (1 + lo P + h)) / scale P), (nu P (at_least (1 + hi P - h)) / scale P).
  assert (0 < nu P (at_most (1 + lo P + h)) / scale P) by now apply Rdiv_lt_0_compat.
  assert (0 < nu P (at_least (1 + hi P - h)) / scale P) by now apply Rdiv_lt_0_compat.
  split; [now apply Rmult_lt_0_compat |].
  split; try lra; right; field; lra.
Qed.

(** Each inequality holds from some depth on if r > kappa and theta < 1. *)
Lemma exceeds_eventually : forall p spread theta r bound, 0 < p -> 0 < spread -> 0 <= theta < 1 ->
  kappa P < r -> 0 <= bound ->
  exists T0, (1 <= T0)%nat /\ forall T, (T0 <= T)%nat -> exceeds P p spread theta r bound T.
Proof.
  intros p spread theta r bound Hp Hs Hth Hr Hb. pose proof (kappa_bounds P) as Hk.
  set (x := kappa P / r).
  assert (Hx : 0 <= x < 1).
  { unfold x. split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra] |].
    apply (Rmult_lt_reg_r r); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  set (c := p * (spread * (1 - theta)) ^ 2 * (1 - kappa P)).
  assert (Hc : 0 < c).
  { unfold c. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [lra |] | lra].
    apply pow_lt, Rmult_lt_0_compat; lra. }
  destruct (pow_lt_1_zero x) with (y := c / (bound + 1)) as [N HN]; [rewrite Rabs_right; lra | |].
  { apply Rdiv_lt_0_compat; lra. }
  exists (S N). split; [lia |]. intros T HT. unfold exceeds. specialize (HN (2 * T)%nat ltac:(lia)).
  assert (HrT : 0 < r ^ (2 * T)) by (apply pow_lt; lra).
  assert (HkT : kappa P ^ (2 * T) = x ^ (2 * T) * r ^ (2 * T)).
  { rewrite <- Rpow_mult_distr. f_equal. unfold x. field. lra. }
  assert (Hx0 : 0 <= x ^ (2 * T)) by (apply pow_le; lra). rewrite Rabs_right in HN by lra.
  assert (Hone : forall y, 0 <= y <= 1 -> forall n, (1 <= n)%nat -> y ^ n <= y).
  { intros y Hy [|n] Hn; [lia |]. simpl. pose proof (power_bounds n y Hy). nra. }
  pose proof (Hone theta ltac:(lra) T ltac:(lia)) as H1.
  pose proof (Hone (kappa P) ltac:(lra) (2 * T)%nat ltac:(lia)) as H2.
  pose proof (pow_le theta T ltac:(lra)) as Hth0.
  apply Rlt_le_trans with (c * r ^ (2 * T)).
  - rewrite HkT, <- Rmult_assoc. apply Rmult_lt_compat_r; [exact HrT |].
    apply (Rmult_lt_compat_r (bound + 1)) in HN; [| lra].
    unfold Rdiv in HN. rewrite Rmult_assoc, Rinv_l in HN by lra. nra.
  - replace (p * (spread * (1 - theta ^ T) * r ^ T) ^ 2 * (1 - kappa P ^ (2 * T)))
      with (p * (spread * (1 - theta ^ T)) ^ 2 * (1 - kappa P ^ (2 * T)) * r ^ (2 * T)).
    2: { replace (2 * T)%nat with (T * 2)%nat at 2 by lia. rewrite (pow_mult r). ring. }
    apply Rmult_le_compat_r; [lra |]. unfold c. apply Rmult_le_compat; [| lra | | lra].
    + apply Rmult_le_pos; [lra | apply pow2_ge_0].
    + apply Rmult_le_compat_l; [lra |]. apply pow_incr. split; [apply Rmult_le_pos; lra |].
      apply Rmult_le_compat_l; lra.
Qed.

Hypothesis wide : lo P < hi P.

Lemma kappa_pos : 0 < kappa P.
Proof. pose proof (lo_nonneg P). unfold kappa. apply Rdiv_lt_0_compat; lra. Qed.

Lemma star_low : alpha_star P * (1 + lo P) = 1 - kappa P.
Proof. destruct (residual_star P) as [H _]. unfold residual in H. lra. Qed.

Lemma star_high : alpha_star P * (1 + hi P) = 1 + kappa P.
Proof. destruct (residual_star P) as [_ H]. unfold residual in H. lra. Qed.

(** The thresholds at a distance h from the ends. *)
Section Distance.
Variable e : R.
Hypothesis He : 0 < e.
Hypothesis He_star : e * (1 + hi P) <= (1 - kappa P) / 2.

Let h := Rmin (e / (2 * (alpha_star P + e))) (kappa P / 2).

Lemma distance : 0 < h /\ (alpha_star P + e) * h <= e / 2 /\ h <= kappa P / 2 /\ 4 * h <= hi P - lo P /\
  e < alpha_star P.
Proof.
  pose proof (alpha_star_pos P) as Ha. pose proof kappa_pos as Hk. pose proof (lo_nonneg P) as Hlo.
  assert (Hk2 : 2 * kappa P <= hi P - lo P).
  { unfold kappa. apply (Rmult_le_reg_r (2 + lo P + hi P)); [lra |].
    replace (2 * ((hi P - lo P) / (2 + lo P + hi P)) * (2 + lo P + hi P)) with (2 * (hi P - lo P))
      by (field; lra). nra. }
  pose proof (Rmin_l (e / (2 * (alpha_star P + e))) (kappa P / 2)) as H1.
  pose proof (Rmin_r (e / (2 * (alpha_star P + e))) (kappa P / 2)) as H2. fold h in H1, H2.
  repeat split; try lra.
  - apply Rmin_glb_lt; [apply Rdiv_lt_0_compat |]; lra.
  - apply (Rmult_le_compat_l (alpha_star P + e)) in H1; [| lra].
    replace ((alpha_star P + e) * (e / (2 * (alpha_star P + e)))) with (e / 2) in H1 by (field; lra). exact H1.
  - apply (Rmult_lt_reg_r (1 + hi P)); [lra |]. rewrite star_high. lra.
Qed.

Lemma excluded_above_eventually : exists T0, (1 <= T0)%nat /\ forall T, (T0 <= T)%nat -> excluded_above P e T.
Proof.
  destruct distance as [Hh [Hah [Hhk [Hhw Hea]]]]. pose proof (alpha_star_pos P) as Ha.
  pose proof (lo_nonneg P) as Hlo. pose proof star_high as Hs. pose proof (kappa_bounds P) as Hk.
  destruct (thresholds_exist h Hh ltac:(lra)) as [pM [pH [Hp Hl]]].
  assert (Hr : kappa P < (alpha_star P + e) * (1 + hi P - h) - 1).
  { assert (e * 1 <= e * (1 + hi P)) by (apply Rmult_le_compat_l; lra). lra. }
  set (theta := (1 + lo P + h) / (1 + hi P - h)).
  assert (Hth : theta * (1 + hi P - h) = 1 + lo P + h) by (unfold theta; field; lra).
  assert (Hth01 : 0 <= theta < 1).
  { split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra] |].
    apply (Rmult_lt_reg_r (1 + hi P - h)); lra. }
  destruct (exceeds_eventually (pM * pH) 1 theta _ 4 Hp ltac:(lra) Hth01 Hr ltac:(lra)) as [T0 [HT0 H]].
  exists T0. split; [exact HT0 |]. intros T HT.
  exists (1 + lo P + h), (1 + hi P - h), pM, pH, theta. repeat split; trivial; try apply Hl; try lra.
  now apply H.
Qed.

Lemma excluded_below_eventually : exists T0, (1 <= T0)%nat /\ forall T, (T0 <= T)%nat -> excluded_below P e T.
Proof.
  destruct distance as [Hh [Hah [Hhk [Hhw Hea]]]]. pose proof (alpha_star_pos P) as Ha.
  pose proof (lo_nonneg P) as Hlo. pose proof star_high as Hs. pose proof star_low as Hs'.
  pose proof (kappa_bounds P) as Hk.
  destruct (thresholds_exist h Hh ltac:(lra)) as [pM [pH [Hp Hl]]].
  set (a := alpha_star P - e). set (lM := 1 + lo P + h). set (lH := 1 + hi P - h).
  assert (Hel : e * 1 <= e * (1 + lo P)) by (apply Rmult_le_compat_l; lra).
  assert (Heh : 0 < e * h) by now apply Rmult_lt_0_compat.
  assert (Hr : kappa P < 1 - a * lM) by (unfold a, lM; lra).
  set (th1 := (1 + hi P - lH) / (1 + hi P - lM)). set (th2 := (a * (1 + hi P) - 1) / (1 - a * lM)).
  assert (H1 : th1 * (1 + hi P - lM) = 1 + hi P - lH) by (unfold th1, lM; field; lra).
  assert (H2 : th2 * (1 - a * lM) = a * (1 + hi P) - 1) by (unfold th2; field; lra).
  assert (Hth1 : 0 <= th1 < 1).
  { split; [| apply (Rmult_lt_reg_r (1 + hi P - lM)); unfold lM, lH in *; lra].
    apply Rmult_le_pos; [unfold lH; lra | apply Rlt_le, Rinv_0_lt_compat; unfold lM; lra]. }
  assert (Hth2 : th2 < 1).
  { apply (Rmult_lt_reg_r (1 - a * lM)); [lra |]. rewrite H2. unfold a, lM in *.
    assert (e * 1 <= e * (1 + hi P)) by (apply Rmult_le_compat_l; lra). lra. }
  set (theta := Rmax th1 th2).
  assert (Ht1 : th1 <= theta) by apply Rmax_l. assert (Ht2 : th2 <= theta) by apply Rmax_r.
  assert (Hth : 0 <= theta < 1) by (split; [lra | now apply Rmax_lub_lt]).
  destruct (exceeds_eventually (pM * pH) 1 theta _ 1 Hp ltac:(lra) Hth Hr ltac:(lra)) as [T0 [HT0 H]].
  exists T0. split; [exact HT0 |]. intros T HT. right.
  exists lM, lH, pM, pH, theta. repeat split; trivial; try apply Hl; try lra.
  - rewrite <- H1. apply Rmult_le_compat_r; [unfold lM; lra | exact Ht1].
  - fold a. rewrite <- H2. apply Rmult_le_compat_r; [lra | exact Ht2].
  - now apply H.
Qed.

Lemma excluded_near_zero_eventually : exists T0, (1 <= T0)%nat /\
  forall T, (T0 <= T)%nat -> excluded_near_zero P T.
Proof.
  destruct distance as [Hh [_ [Hhk [Hhw _]]]]. pose proof (lo_nonneg P) as Hlo. pose proof kappa_pos as Hk.
  destruct (thresholds_exist h Hh ltac:(lra)) as [pM [pH [Hp Hl]]].
  assert (Hr : kappa P < 1 - (1 + lo P + h) / (1 + hi P)).
  { apply (Rmult_lt_reg_r (1 + hi P)); [lra |].
    replace ((1 - (1 + lo P + h) / (1 + hi P)) * (1 + hi P)) with (hi P - lo P - h) by (field; lra).
    assert (Hkl : kappa P * (2 + lo P + hi P) = hi P - lo P) by (unfold kappa; field; lra).
    assert (kappa P * 1 <= kappa P * (1 + lo P)) by (apply Rmult_le_compat_l; lra). lra. }
  assert (Hsp : 0 < (1 + hi P - h - (1 + lo P + h)) / (1 + hi P)) by (apply Rdiv_lt_0_compat; lra).
  destruct (exceeds_eventually (pM * pH) _ 0 _ 1 Hp Hsp ltac:(lra) Hr ltac:(lra)) as [T0 [HT0 H]].
  exists T0. split; [exact HT0 |]. intros T HT.
  exists (1 + lo P + h), (1 + hi P - h), pM, pH. repeat split; trivial; try apply Hl. now apply H.
Qed.

(** The residual within the band tends to 0, so alpha follows beta. *)
Lemma alpha_within_eventually : forall epsilon, 2 * e <= epsilon ->
  exists T0, forall T, (T0 <= T)%nat -> alpha_within P e (kappa P + e * (1 + hi P)) epsilon T.
Proof.
  intros epsilon Heps. destruct distance as [_ [_ [_ [_ Hea]]]]. pose proof (alpha_star_pos P) as Ha.
  pose proof (lo_nonneg P) as Hlo. pose proof (kappa_bounds P) as Hk.
  assert (Hel : e * (1 + lo P) <= e * (1 + hi P)) by (apply Rmult_le_compat_l; lra).
  assert (Heh : 0 < e * (1 + hi P)) by (apply Rmult_lt_0_compat; lra).
  set (rho := kappa P + e * (1 + hi P)) in *. assert (Hrho : 0 <= rho < 1) by (unfold rho; lra).
  destruct (pow_lt_1_zero rho) with (y := epsilon / (2 * (alpha_star P + epsilon))) as [N HN];
    [rewrite Rabs_right; lra | apply Rdiv_lt_0_compat; lra |].
  exists N. intros T HT. specialize (HN T HT).
  assert (HR : 0 <= rho ^ T) by (apply pow_le; lra). rewrite Rabs_right in HN by lra.
  apply (Rmult_lt_compat_r (alpha_star P + epsilon)) in HN; [| lra].
  replace (epsilon / (2 * (alpha_star P + epsilon)) * (alpha_star P + epsilon)) with (epsilon / 2) in HN
    by (field; lra).
  pose proof star_low. pose proof star_high. assert (0 <= rho ^ T * epsilon) by (apply Rmult_le_pos; lra).
  unfold alpha_within. repeat split; unfold rho in *; lra.
Qed.

End Distance.

(** All of it at once: the band from some depth on, for a half-width e that epsilon allows. *)
Lemma band_eventually : forall epsilon, 0 < epsilon -> exists e T0, 0 < e /\ 2 * e <= epsilon /\
  e * (1 + hi P) <= (1 - kappa P) / 2 /\ (1 <= T0)%nat /\
  forall T alpha beta, (T0 <= T)%nat -> low_minimum P T alpha beta ->
  Rabs (beta + alpha_star P) < e /\ Rabs (alpha - alpha_star P) < epsilon.
Proof.
  intros epsilon Heps. pose proof (kappa_bounds P) as Hk. pose proof (lo_nonneg P) as Hlo.
  set (e := Rmin (epsilon / 2) ((1 - kappa P) / (2 * (1 + hi P)))).
  assert (He : 0 < e) by (apply Rmin_glb_lt; [| apply Rdiv_lt_0_compat]; lra).
  assert (He1 : e <= epsilon / 2) by apply Rmin_l.
  assert (He2 : e * (1 + hi P) <= (1 - kappa P) / 2).
  { replace ((1 - kappa P) / 2) with ((1 - kappa P) / (2 * (1 + hi P)) * (1 + hi P)) by (field; lra).
    apply Rmult_le_compat_r; [lra | apply Rmin_r]. }
  destruct (excluded_above_eventually e He He2) as [T1 [HT1 H1]].
  destruct (excluded_below_eventually e He He2) as [T2 [_ H2]].
  destruct (excluded_near_zero_eventually e He He2) as [T3 [_ H3]].
  destruct (alpha_within_eventually e He He2 epsilon ltac:(lra)) as [T4 H4].
  set (T0 := (T1 + T2 + T3 + T4)%nat). exists e, T0. repeat split; try lra; try (unfold T0; lia).
  all: destruct (low_minimum_band P e (kappa P + e * (1 + hi P)) epsilon T0) with T alpha beta; trivial;
    first [apply H1 | apply H2 | apply H3 | apply H4 | idtac]; unfold T0; lia.
Qed.

(** Theorem 6.3: for every epsilon there is a depth from which every minimum in alpha with an excess of at most
    C kappa^(2T) is that close to the one-parameter limit alpha = - beta = alpha* .  The flow from the
    one-parameter minimiser, along which the loss falls, can reach no other. *)
Theorem low_minimum_limit : forall epsilon, 0 < epsilon -> exists T0, forall T alpha beta, (T0 <= T)%nat ->
  low_minimum P T alpha beta ->
  Rabs (alpha - alpha_star P) < epsilon /\ Rabs (beta + alpha_star P) < epsilon.
Proof.
  intros epsilon Heps. destruct (band_eventually epsilon Heps) as [e [T0 [He [Hee [_ [_ H]]]]]].
  exists T0. intros T alpha beta HT Hmin. destruct (H T alpha beta HT Hmin). split; [assumption | lra].
Qed.

(** So is every global minimiser. *)
Theorem two_parameter_limit : forall epsilon, 0 < epsilon -> exists T0, forall T alpha beta, (T0 <= T)%nat ->
  minimiser2 P T alpha beta ->
  Rabs (alpha - alpha_star P) < epsilon /\ Rabs (beta + alpha_star P) < epsilon.
Proof.
  intros epsilon Heps. destruct (low_minimum_limit epsilon Heps) as [T0 H]. exists T0.
  intros T alpha beta HT Hmin. now apply (H T), minimiser_is_low.
Qed.

(** Per prompt: |1 + (alpha/beta) (1 - (1 + beta lam)^T)| <= 2 rho^T / (1 - rho^T) on the whole support, from some
    depth on, with rho < 1. *)
Theorem two_parameter_rate : exists rho T0, 0 <= rho < 1 /\ forall T alpha beta, (T0 <= T)%nat ->
  low_minimum P T alpha beta -> forall s, lo P <= s <= hi P ->
  Rabs (layers_residual (fun _ => alpha) (fun _ => beta) T (1 + s)) <= 2 * rho ^ T / (1 - rho ^ T).
Proof.
  pose proof (alpha_star_pos P) as Ha. pose proof (kappa_bounds P) as Hk. pose proof (lo_nonneg P) as Hlo.
  destruct (band_eventually (alpha_star P) Ha) as [e [T0 [He [Hee [Heh [HT0 H]]]]]].
  pose proof star_low as Hs. pose proof star_high as Hs'.
  set (rho := kappa P + e * (1 + hi P)).
  assert (Hrho : 0 <= rho < 1) by (unfold rho; pose proof (Rmult_lt_0_compat e (1 + hi P) He ltac:(lra)); lra).
  exists rho, T0. split; [exact Hrho |]. intros T alpha beta HT Hlow s Hsup.
  destruct (H T alpha beta HT Hlow) as [Hb _]. apply Rabs_def2 in Hb.
  set (R := rho ^ T).
  assert (HR : 0 <= R < 1) by (split; [apply pow_le; lra | apply pow_lt_1_compat; [lra | lia]]).
  assert (Hz : forall t, lo P <= t <= hi P -> - R <= (1 + beta * (1 + t)) ^ T <= R).
  { intros t Ht. apply pow_abs_bounds.
    assert ((alpha_star P - e) * (1 + lo P) <= - beta * (1 + t)) by (apply Rmult_le_compat; lra).
    assert (- beta * (1 + t) <= (alpha_star P + e) * (1 + hi P)) by (apply Rmult_le_compat; lra).
    assert (e * (1 + lo P) <= e * (1 + hi P)) by (apply Rmult_le_compat_l; lra).
    unfold rho. lra. }
  destruct (alpha_over_beta P T alpha beta R) as [H1 H2]; [lra | lra | exact Hz | apply Hlow |].
  unfold layers_residual. rewrite two_parameter_residual by lra.
  set (c := alpha / - beta). set (Z := (1 + beta * (1 + s)) ^ T). specialize (Hz s Hsup). fold Z in Hz.
  replace (1 + alpha / beta * (1 - Z)) with (1 - c * (1 - Z)) by (unfold c; field; lra).
  assert (Hc : c * (1 - R) <= 1 /\ 1 <= c * (1 + R)).
  { unfold c. split; apply (Rmult_le_reg_r (- beta)); try lra; field_simplify; lra. }
  assert (Hc0 : 0 < c) by nra.
  assert (HcR : c * (2 * R) <= 2 * R / (1 - R)).
  { apply (Rmult_le_reg_r (1 - R)); [lra |]. field_simplify; [nra | lra]. }
  apply Rle_trans with (c * (2 * R)); [| exact HcR]. apply Rabs_le. nra.
Qed.

End Limit.
