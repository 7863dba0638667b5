(** From one depth on every minimiser of the two-parameter loss lies within a band: the theorem that a certificate
    of theorem 6.3 instantiates, and that such a depth exists for every epsilon. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law OneParameter OneParameterLimit Embedding Polynomial Layerwise TwoParameter
  TwoParameterExclusions TwoParameterCases.
Open Scope R_scope.

(** What is checked at one depth for a band of half-width e: b = - beta is not at or above alpha* + e, ... *)
Definition excluded_above (P : law) (e : R) (T : nat) : Prop :=
  exists lM lH pM pH theta, thresholds P lM lH pM pH /\ (alpha_star P + e) * (1 + hi P) <= 2 /\
    kappa P < (alpha_star P + e) * lH - 1 /\ 0 <= theta <= 1 /\ lM <= theta * lH /\
    exceeds P (pM * pH) 1 theta ((alpha_star P + e) * lH - 1) 4 T.

(** ... nor in [1/l2, alpha* - e], which may be empty, ... *)
Definition excluded_below (P : law) (e : R) (T : nat) : Prop :=
  (alpha_star P - e) * (1 + hi P) < 1 \/
  exists lM lH pM pH theta, thresholds P lM lH pM pH /\ kappa P < 1 - (alpha_star P - e) * lM /\
    0 <= theta <= 1 /\ 1 + hi P - lH <= theta * (1 + hi P - lM) /\
    (alpha_star P - e) * (1 + hi P) - 1 <= theta * (1 - (alpha_star P - e) * lM) /\
    exceeds P (pM * pH) 1 theta (1 - (alpha_star P - e) * lM) 1 T.

(** ... nor at or below 1/l2. *)
Definition excluded_near_zero (P : law) (T : nat) : Prop :=
  exists lM lH pM pH, thresholds P lM lH pM pH /\ kappa P < 1 - lM / (1 + hi P) /\
    exceeds P (pM * pH) ((lH - lM) / (1 + hi P)) 0 (1 - lM / (1 + hi P)) 1 T.

Section Band.
Variable P : law.

Theorem band : forall e T0, (1 <= T0)%nat ->
  excluded_above P e T0 -> excluded_below P e T0 -> excluded_near_zero P T0 ->
  forall T alpha beta, (T0 <= T)%nat -> loss2 P T alpha beta <= scale P * kappa P ^ (2 * T) ->
  Rabs (beta + alpha_star P) < e.
Proof.
  intros e T0 HT0 [lM [lH [pM [pH [th [Hl [Ha [Hr [Hth [HM Hex]]]]]]]]]] Hbelow
    [lM' [lH' [pM' [pH' [Hl' [Hr' Hex']]]]]] T alpha beta HT Hloss.
  assert (Hprod : forall lM lH pM pH, thresholds P lM lH pM pH -> 0 <= pM * pH)
    by (intros ? ? ? ? [_ _ _ HpM HpH _ _]; now apply Rmult_le_pos).
  replace beta with (- - beta) in Hloss by ring. set (b := - beta) in *.
  apply Rabs_def1; apply Rnot_le_lt; intros Hb.
  - destruct (Rle_lt_dec (b * (1 + hi P)) 1) as [Hb1 | Hb1].
    + assert (Hlt : scale P * kappa P ^ (2 * T) < loss2 P T alpha (- b)); [| lra].
      apply (near_zero_excluded P T b lM' lH' pM' pH' 0); trivial; try lra; try lia.
      apply (exceeds_later P _ _ _ _ _ T0); trivial; try lra. now apply Hprod with lM' lH'.
    + destruct Hbelow as [Hvoid | [lM2 [lH2 [pM2 [pH2 [th2 [Hl2 [Hr2 [Hth2 [H1 [H2 Hex2]]]]]]]]]]].
      * pose proof (hi_pos P).
        assert (b * (1 + hi P) <= (alpha_star P - e) * (1 + hi P)) by
          (apply Rmult_le_compat_r; unfold b; lra). lra.
      * assert (Hlt : scale P * kappa P ^ (2 * T) < loss2 P T alpha (- b)); [| lra].
        apply (small_excluded P T b (alpha_star P - e) lM2 lH2 pM2 pH2 th2); trivial; [| lra | unfold b; lra].
        apply (exceeds_later P _ _ _ _ _ T0); trivial; try lra. now apply Hprod with lM2 lH2.
  - assert (Hlt : scale P * kappa P ^ (2 * T) < loss2 P T alpha (- b)); [| lra].
    apply (large_excluded P T b (alpha_star P + e) lM lH pM pH th); trivial; [| unfold b; lra].
    apply (exceeds_later P _ _ _ _ _ T0); trivial; try lra. now apply Hprod with lM lH.
Qed.

(** * From beta to alpha *)

(** At given beta the loss is least at alpha = N / D. *)
Lemma quadratic_minimum : forall C N D a, 0 < D ->
  (forall a', C - 2 * a * N + a ^ 2 * D <= C - 2 * a' * N + a' ^ 2 * D) -> a * D = N.
Proof.
  intros C N D a HD H. specialize (H (N / D)).
  assert (Hsq : (a * D - N) ^ 2 <= 0).
  { replace ((a * D - N) ^ 2) with (D * ((C - 2 * a * N + a ^ 2 * D)
      - (C - 2 * (N / D) * N + (N / D) ^ 2 * D))) by (field; lra). nra. }
  destruct (Req_dec (a * D - N) 0) as [E | Hne]; [lra |]. pose proof (pow2_pos _ Hne). lra.
Qed.

(** 1/(1 + R) <= - alpha/beta <= 1/(1 - R) where |1 + beta lam|^T <= R < 1. *)
Lemma alpha_over_beta : forall T alpha beta R, beta < 0 -> 0 <= R < 1 ->
  (forall s, lo P <= s <= hi P -> - R <= (1 + beta * (1 + s)) ^ T <= R) ->
  (forall alpha', loss2 P T alpha beta <= loss2 P T alpha' beta) ->
  alpha * (1 - R) <= - beta <= alpha * (1 + R).
Proof.
  intros T alpha beta R Hbeta HR Hz Hmin. pose proof (dom_signal P T beta) as Hd.
  pose proof (scale_pos P) as HC.
  set (W := fun s => signal T beta (1 + s)) in *.
  assert (HW : forall s, lo P <= s <= hi P -> 1 - R <= - beta * W s <= 1 + R).
  { intros s Hs. pose proof (signal_power T beta (1 + s)). specialize (Hz s Hs). unfold W. lra. }
  set (N := nu P W). set (D := nu P (fun s => W s ^ 2)).
  assert (HN : (1 - R) / - beta * scale P <= N).
  { rewrite <- nu_const. apply nu_monotone; [in_dom | exact Hd |]. intros s Hs. specialize (HW s Hs).
    apply (Rmult_le_reg_l (- beta)); [lra |]. field_simplify; lra. }
  assert (HN0 : 0 < (1 - R) / - beta * scale P).
  { apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat |]; lra. }
  assert (HD1 : (1 - R) * N <= - beta * D).
  { unfold N, D. rewrite <- (Rplus_0_r ((1 - R) * _)), <- (Rplus_0_r (- beta * _)).
    rewrite <- (Rmult_0_l (nu P W)), <- !nu_combination by (unfold W; in_dom).
    apply nu_monotone; [unfold W; in_dom | unfold W; in_dom |]. intros s Hs. specialize (HW s Hs). nra. }
  assert (HD2 : - beta * D <= (1 + R) * N).
  { unfold N, D. rewrite <- (Rplus_0_r ((1 + R) * _)), <- (Rplus_0_r (- beta * _)).
    rewrite <- (Rmult_0_l (nu P W)), <- !nu_combination by (unfold W; in_dom).
    apply nu_monotone; [unfold W; in_dom | unfold W; in_dom |]. intros s Hs. specialize (HW s Hs). nra. }
  assert (HD : 0 < D) by nra.
  assert (Halpha : alpha * D = N).
  { apply (quadratic_minimum (scale P)); [exact HD |]. intros alpha'. specialize (Hmin alpha').
    rewrite !loss2_nu, !(nu_square P W) in Hmin by exact Hd. exact Hmin. }
  split; apply (Rmult_le_reg_r D); trivial; nra.
Qed.

(** (alpha, beta) is a minimum in alpha, with an excess of at most C kappa^(2T). *)
Definition low_minimum (T : nat) (alpha beta : R) : Prop :=
  (forall alpha', loss2 P T alpha beta <= loss2 P T alpha' beta) /\
  loss2 P T alpha beta <= scale P * kappa P ^ (2 * T).

Lemma minimiser_is_low : forall T alpha beta, minimiser2 P T alpha beta -> low_minimum T alpha beta.
Proof. intros T alpha beta H. split; [intros alpha'; apply H | now apply two_parameter_bound]. Qed.

(** What is checked at one depth for alpha: e is the half-width for beta, rho the largest |1 + beta lam| in the band. *)
Definition alpha_within (e rho epsilon : R) (T : nat) : Prop :=
  0 <= rho < 1 /\ e < alpha_star P /\
  1 - (alpha_star P - e) * (1 + lo P) <= rho /\ (alpha_star P + e) * (1 + hi P) - 1 <= rho /\
  alpha_star P + e <= (alpha_star P + epsilon) * (1 - rho ^ T) /\
  (alpha_star P - epsilon) * (1 + rho ^ T) <= alpha_star P - e.

(** |beta_T + alpha*| < e and |alpha_T - alpha*| < epsilon for every T >= T0, at every minimum in alpha that is as
    good as (alpha*, - alpha* ): the one that the flow reaches from the one-parameter minimiser is, as the loss
    falls along the flow. *)
Theorem low_minimum_band : forall e rho epsilon T0, (1 <= T0)%nat -> 0 < epsilon ->
  excluded_above P e T0 -> excluded_below P e T0 -> excluded_near_zero P T0 -> alpha_within e rho epsilon T0 ->
  forall T alpha beta, (T0 <= T)%nat -> low_minimum T alpha beta ->
  Rabs (beta + alpha_star P) < e /\ Rabs (alpha - alpha_star P) < epsilon.
Proof.
  intros e rho epsilon T0 HT0 Heps Habove Hbelow Hnear [Hrho [He [H1 [H2 [H3 H4]]]]] T alpha beta HT [Hmin Hlow].
  assert (Hbeta : Rabs (beta + alpha_star P) < e) by now apply (band e T0) with T alpha.
  split; [exact Hbeta |]. apply Rabs_def2 in Hbeta. pose proof (lo_nonneg P) as Hlo.
  assert (HR : 0 <= rho ^ T <= rho ^ T0).
  { split; [apply pow_le; lra |]. replace T with (T0 + (T - T0))%nat by lia. rewrite pow_add.
    rewrite <- (Rmult_1_r (rho ^ T0)) at 2. apply Rmult_le_compat_l; [apply pow_le; lra |].
    apply power_bounds. lra. }
  assert (HR0 : rho ^ T0 < 1) by (apply pow_lt_1_compat; [lra | lia]).
  destruct (alpha_over_beta T alpha beta (rho ^ T)) as [Ha1 Ha2]; [lra | lra | | exact Hmin |].
  - intros s Hs. apply pow_abs_bounds.
    assert ((alpha_star P - e) * (1 + lo P) <= - beta * (1 + s)) by (apply Rmult_le_compat; lra).
    assert (- beta * (1 + s) <= (alpha_star P + e) * (1 + hi P)) by (apply Rmult_le_compat; lra). lra.
  - set (R := rho ^ T) in *. set (R0 := rho ^ T0) in *.
    assert (Hpos : 0 < alpha) by nra.
    apply Rabs_def1.
    + assert (alpha * (1 - R) < (alpha_star P + epsilon) * (1 - R)); [| nra].
      pose proof (alpha_star_pos P).
      assert ((alpha_star P + epsilon) * (1 - R0) <= (alpha_star P + epsilon) * (1 - R))
        by (apply Rmult_le_compat_l; lra). lra.
    + destruct (Rle_lt_dec (alpha_star P) epsilon) as [Hc | Hc]; [lra |].
      assert ((alpha_star P - epsilon) * (1 + R) < alpha * (1 + R)); [| nra].
      assert ((alpha_star P - epsilon) * (1 + R) <= (alpha_star P - epsilon) * (1 + R0))
        by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** The same for the global minimisers. *)
Theorem two_parameter_band : forall e rho epsilon T0, (1 <= T0)%nat -> 0 < epsilon ->
  excluded_above P e T0 -> excluded_below P e T0 -> excluded_near_zero P T0 -> alpha_within e rho epsilon T0 ->
  forall T alpha beta, (T0 <= T)%nat -> minimiser2 P T alpha beta ->
  Rabs (beta + alpha_star P) < e /\ Rabs (alpha - alpha_star P) < epsilon.
Proof.
  intros e rho epsilon T0 HT0 Heps Habove Hbelow Hnear Hwithin T alpha beta HT Hmin.
  apply (low_minimum_band e rho epsilon T0) with T; trivial. now apply minimiser_is_low.
Qed.

End Band.
