(** The three cases of the exclusion: a weight b = - beta above the band, below it, and near 0 or negative. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law OneParameter OneParameterLimit Embedding Polynomial Layerwise TwoParameter
  TwoParameterExclusions.
Open Scope R_scope.

Section Cases.
Variable P : law.

(** * b >= a > alpha* *)

Section Large.
Variables (T : nat) (b a lM lH pM pH theta : R).
Hypothesis Hl : thresholds P lM lH pM pH.
Hypothesis Ha : a * (1 + hi P) <= 2.
Hypothesis Hr : kappa P < a * lH - 1.
Hypothesis Htheta : 0 <= theta <= 1.
Hypothesis HlM : lM <= theta * lH.
Hypothesis H : exceeds P (pM * pH) 1 theta (a * lH - 1) 4 T.
Hypothesis Hb : a <= b.

Let top := Rmax 1 (b * (1 + hi P) - 1).
Let X := (b * lH - 1) ^ T.

Lemma large_facts : 0 < a /\ alpha_star P <= a /\ 0 < lH /\ 1 <= top /\ 0 < b * lH - 1 /\
  (a * lH - 1) ^ T * top ^ T <= X.
Proof.
  destruct Hl as [H1 H2 H3 _ _ _ _]. pose proof (lo_nonneg P) as Hlo. pose proof (kappa_bounds P) as Hk.
  assert (HlH : 0 < lH) by lra.
  assert (Ha0 : 0 < a) by (apply (Rmult_lt_reg_r lH); lra).
  assert (Hstar : alpha_star P <= a).
  { destruct (residual_star P) as [_ Hh]. unfold residual in Hh.
    apply (Rmult_le_reg_r (1 + hi P)); [lra |].
    assert (a * lH <= a * (1 + hi P)) by (apply Rmult_le_compat_l; lra). lra. }
  assert (Htop : 1 <= top) by apply Rmax_l.
  assert (HbH : a * lH <= b * lH) by (apply Rmult_le_compat_r; lra).
  repeat split; try lra. unfold X. rewrite <- Rpow_mult_distr. apply pow_incr. split.
  - apply Rmult_le_pos; lra.
  - unfold top, Rmax. destruct (Rle_dec 1 (b * (1 + hi P) - 1)) as [Hle | Hnle]; [| lra].
    assert (0 <= (b - a) * (1 + hi P - lH)) by (apply Rmult_le_pos; lra).
    assert (0 <= (2 - a * (1 + hi P)) * (b * lH)) by (apply Rmult_le_pos; lra).
    assert (0 <= (2 - a * (1 + hi P)) * (b * (1 + hi P) - 2)) by (apply Rmult_le_pos; lra).
    assert (0 <= (b * (1 + hi P) - 2) * (1 + hi P - lH)) by (apply Rmult_le_pos; lra).
    apply (Rmult_le_reg_r (1 + hi P)); [lra |]. nra.
Qed.

Lemma large_range : forall s, lo P <= s <= hi P -> - top <= 1 - b * (1 + s) <= top.
Proof.
  intros s Hs. destruct large_facts as [Ha0 [_ [_ [Htop _]]]]. pose proof (lo_nonneg P).
  assert (b * (1 + hi P) - 1 <= top) by apply Rmax_r.
  assert (b * (1 + s) <= b * (1 + hi P)) by (apply Rmult_le_compat_l; lra).
  assert (0 <= b * (1 + s)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** At or above lH the residual is at most 1 - b lH, at or below lM at least - theta (b lH - 1) and at most kappa. *)
Lemma large_high : forall s, at_least lH s = 1 -> b * lH - 1 <= b * (1 + s) - 1.
Proof.
  intros s Hs. apply at_least_iff in Hs. destruct large_facts as [Ha0 _].
  assert (b * lH <= b * (1 + s)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma large_low : forall s, lo P <= s <= hi P -> at_most lM s = 1 ->
  - (theta * (b * lH - 1)) <= 1 - b * (1 + s) <= kappa P.
Proof.
  intros s Hs HM. apply at_most_iff in HM. destruct large_facts as [Ha0 [Hstar _]].
  pose proof (lo_nonneg P). destruct (residual_star P) as [Hlow _]. unfold residual in Hlow.
  assert (b * (1 + s) <= b * lM) by (apply Rmult_le_compat_l; lra).
  assert (b * lM <= b * (theta * lH)) by (apply Rmult_le_compat_l; lra).
  assert (b * (1 + lo P) <= b * (1 + s)) by (apply Rmult_le_compat_l; lra).
  assert (alpha_star P * (1 + lo P) <= b * (1 + lo P)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Theorem large_excluded : forall alpha, scale P * kappa P ^ (2 * T) < loss2 P T alpha (- b).
Proof.
  intros alpha. destruct large_facts as [Ha0 [_ [HlH [Htop [HbH HX]]]]].
  pose proof (kappa_bounds P) as Hk. pose proof (kappa_power P T) as HkT. pose proof (scale_pos P) as HC.
  pose proof (masses_product P _ _ _ _ Hl) as Hp. destruct Hl as [_ HlMH _ HpM HpH HmM HmH].
  rewrite loss2_power by lra.
  assert (Hw : 1 <= top ^ T) by now apply pow_R1_Rle.
  assert (Hth : 0 <= theta ^ T <= 1) by now apply power_bounds.
  assert (HrT : 0 < (a * lH - 1) ^ T) by (apply pow_lt; lra).
  assert (HX0 : 0 < X) by (apply pow_lt; lra).
  assert (Hq : 0 <= (1 - theta ^ T) * (a * lH - 1) ^ T) by (apply Rmult_le_pos; lra).
  assert (Hqw : (1 - theta ^ T) * (a * lH - 1) ^ T * top ^ T <= (1 - theta ^ T) * X).
  { rewrite Rmult_assoc. apply Rmult_le_compat_l; lra. }
  unfold exceeds in H. rewrite Rmult_1_l in H.
  destruct (pow_parity T) as [Heven | Hodd].
  - assert (Hmean : nu P (power_signal T b) ^ 2 <= (top ^ T * scale P) ^ 2).
    { apply mean_square; [apply dom_power_signal |]. intros s Hs. unfold power_signal.
      pose proof (pow_even_pos T Heven (1 - b * (1 + s))).
      pose proof (pow_abs_even T Heven _ _ (large_range s Hs)). lra. }
    assert (HV : forall v, kappa P ^ T <= v -> theta ^ T * X <= v -> v <= X ->
      nu P (at_least lH) * nu P (at_most lM) * (X - v) ^ 2 <= variance P (power_signal T b)).
    { intros v Hv1 Hv2 HvX. replace (X - v) with (X - 1 - (v - 1)) by ring.
      apply variance_two_sets; try apply indicator_at_least; try apply indicator_at_most;
        try apply dom_power_signal; [| | lra].
      - intros s Hs HA. split; [now apply (disjoint_high lM lH) |]. unfold power_signal.
        rewrite <- Heven. apply Rplus_le_compat_r. apply pow_incr. pose proof (large_high s HA). lra.
      - intros s Hs HB. unfold power_signal. destruct (large_low s Hs HB) as [Hz1 Hz2].
        destruct (Rle_lt_dec 0 (1 - b * (1 + s))) as [Hz | Hz].
        + assert ((1 - b * (1 + s)) ^ T <= kappa P ^ T) by (apply pow_incr; lra). lra.
        + assert ((1 - b * (1 + s)) ^ T <= (theta * (b * lH - 1)) ^ T) as Hle
            by (rewrite <- Heven; apply pow_incr; lra).
          rewrite Rpow_mult_distr in Hle. fold X in Hle. lra. }
    destruct (Rle_lt_dec (kappa P ^ T) (theta ^ T * X)) as [Hcase | Hcase].
    + apply (excluded P T _ _ (pM * pH) ((1 - theta ^ T) * (a * lH - 1) ^ T) 4 (top ^ T));
        [apply dom_power_signal | lra | exact H | | ].
      * apply Rle_trans with (2 := HV (theta ^ T * X) Hcase (Rle_refl _) ltac:(nra)).
        rewrite (Rmult_comm (nu P _)). apply mass_product; trivial. split; [apply Rmult_le_pos; lra | lra].
      * pose proof (pow2_ge_0 (top ^ T * scale P)). lra.
    + assert (H4 : 4 * kappa P ^ T < (a * lH - 1) ^ T).
      { apply Rnot_le_lt. intros Hle.
        assert (Hquarter : 4 * (pM * pH) <= 1) by (pose proof (pow2_ge_0 (pM - pH)); nra).
        assert (Hsq : ((1 - theta ^ T) * (a * lH - 1) ^ T) ^ 2 <= (4 * kappa P ^ T) ^ 2)
          by (apply pow_incr; split; [exact Hq | nra]).
        replace (kappa P ^ (2 * T)) with ((kappa P ^ T) ^ 2) in H, HkT
          by (rewrite <- pow_mult; f_equal; lia).
        set (k := kappa P ^ T) in *. set (q := (1 - theta ^ T) * (a * lH - 1) ^ T) in *.
        assert (pM * pH * q ^ 2 <= pM * pH * (4 * k) ^ 2) by
          (apply Rmult_le_compat_l; [now apply Rmult_le_pos | exact Hsq]).
        assert (pM * pH * q ^ 2 <= 4 * k ^ 2) by nra.
        assert (0 <= pM * pH * q ^ 2) by (apply Rmult_le_pos; [now apply Rmult_le_pos | apply pow2_ge_0]).
        nra. }
      assert (HkT0 : 0 <= kappa P ^ T) by (apply pow_le; lra).
      assert (HXr : (a * lH - 1) ^ T <= X) by nra.
      apply (excluded P T _ _ (pM * pH) (3 / 4 * (a * lH - 1) ^ T) 1 (top ^ T));
        [apply dom_power_signal | lra | | | lra].
      * set (r := (a * lH - 1) ^ T) in *. assert (((1 - theta ^ T) * r) ^ 2 <= r ^ 2)
          by (apply pow_incr; split; [exact Hq | nra]).
        assert (pM * pH * ((1 - theta ^ T) * r) ^ 2 <= pM * pH * r ^ 2) by
          (apply Rmult_le_compat_l; [now apply Rmult_le_pos | assumption]).
        assert (pM * pH * ((1 - theta ^ T) * r) ^ 2 * (1 - kappa P ^ (2 * T))
                <= pM * pH * r ^ 2 * (1 - kappa P ^ (2 * T))) by (apply Rmult_le_compat_r; lra).
        replace (pM * pH * (3 / 4 * r) ^ 2 * (1 - kappa P ^ (2 * T)))
          with (9 / 16 * (pM * pH * r ^ 2 * (1 - kappa P ^ (2 * T)))) by field. lra.
      * apply Rle_trans with (2 := HV (kappa P ^ T) (Rle_refl _) (Rlt_le _ _ Hcase) ltac:(lra)).
        rewrite (Rmult_comm (nu P _)). apply mass_product; trivial. split; [apply Rmult_le_pos; lra | nra].
  - apply (excluded P T _ _ (pM * pH) ((1 - theta ^ T) * (a * lH - 1) ^ T) 4 (top ^ T));
      [apply dom_power_signal | lra | exact H | | ].
    + apply Rle_trans with (nu P (at_most lM) * nu P (at_least lH) * (- (theta ^ T * X) - 1 - (- X - 1)) ^ 2).
      * apply mass_product; trivial. split; [apply Rmult_le_pos; lra | lra].
      * apply variance_two_sets; try apply indicator_at_least; try apply indicator_at_most;
          try apply dom_power_signal; [| | nra].
        -- intros s Hs HA. split; [now apply (disjoint_low lM lH) |]. unfold power_signal.
           destruct (large_low s Hs HA) as [Hz1 Hz2].
           assert (- (theta ^ T * X) <= (1 - b * (1 + s)) ^ T); [| lra].
           destruct (Rle_lt_dec 0 (1 - b * (1 + s))) as [Hz | Hz].
           ++ pose proof (pow_le _ T Hz). nra.
           ++ replace (1 - b * (1 + s)) with (- (b * (1 + s) - 1)) by ring. rewrite Hodd.
              apply Ropp_le_contravar. unfold X. rewrite <- Rpow_mult_distr. apply pow_incr. lra.
        -- intros s Hs HB. unfold power_signal. pose proof (large_high s HB).
           replace (1 - b * (1 + s)) with (- (b * (1 + s) - 1)) by ring. rewrite Hodd.
           assert (X <= (b * (1 + s) - 1) ^ T) by (apply pow_incr; lra). lra.
    + replace (4 * (top ^ T * scale P) ^ 2) with ((2 * top ^ T * scale P) ^ 2) by ring.
      apply mean_square; [apply dom_power_signal |]. intros s Hs. unfold power_signal.
      pose proof (pow_abs_bounds T _ _ (large_range s Hs)). lra.
Qed.

End Large.

(** * 1/l2 <= b <= a < alpha* *)

Section Small.
Variables (T : nat) (b a lM lH pM pH theta : R).
Hypothesis Hl : thresholds P lM lH pM pH.
Hypothesis Hr : kappa P < 1 - a * lM.
Hypothesis Htheta : 0 <= theta <= 1.
Hypothesis Htheta1 : 1 + hi P - lH <= theta * (1 + hi P - lM).
Hypothesis Htheta2 : a * (1 + hi P) - 1 <= theta * (1 - a * lM).
Hypothesis H : exceeds P (pM * pH) 1 theta (1 - a * lM) 1 T.
Hypothesis Hb0 : 1 <= b * (1 + hi P).
Hypothesis Hb : b <= a.

Let Y := (1 - b * lM) ^ T.

Lemma small_facts : 0 < b /\ a <= alpha_star P /\ 0 < 1 - b * lM <= 1 /\ (1 - a * lM) ^ T <= Y <= 1.
Proof.
  destruct Hl as [H1 H2 H3 _ _ _ _]. pose proof (lo_nonneg P) as Hlo. pose proof (kappa_bounds P) as Hk.
  assert (Hb1 : 0 < b) by (apply (Rmult_lt_reg_r (1 + hi P)); lra).
  assert (Hstar : a <= alpha_star P).
  { destruct (residual_star P) as [Hlow _]. unfold residual in Hlow.
    apply (Rmult_le_reg_r (1 + lo P)); [lra |].
    assert (a * (1 + lo P) <= a * lM) by (apply Rmult_le_compat_l; lra). lra. }
  assert (HbM : b * lM <= a * lM) by (apply Rmult_le_compat_r; lra).
  assert (0 <= b * lM) by (apply Rmult_le_pos; lra).
  repeat split; try lra.
  - apply pow_incr. lra.
  - unfold Y. apply power_bounds. lra.
Qed.

Lemma small_range : forall s, lo P <= s <= hi P -> -1 <= 1 - b * (1 + s) <= 1.
Proof.
  intros s Hs. destruct small_facts as [Hb1 [Hstar _]]. pose proof (lo_nonneg P).
  pose proof (kappa_bounds P). destruct (residual_star P) as [_ Hh]. unfold residual in Hh.
  assert (b * (1 + s) <= b * (1 + hi P)) by (apply Rmult_le_compat_l; lra).
  assert (b * (1 + hi P) <= alpha_star P * (1 + hi P)) by (apply Rmult_le_compat_r; lra).
  assert (0 <= b * (1 + s)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma small_low : forall s, at_most lM s = 1 -> 1 - b * lM <= 1 - b * (1 + s).
Proof.
  intros s Hs. apply at_most_iff in Hs. destruct small_facts as [Hb1 _].
  assert (b * (1 + s) <= b * lM) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma small_high : forall s, lo P <= s <= hi P -> at_least lH s = 1 ->
  - (theta * (1 - b * lM)) <= 1 - b * (1 + s) <= theta * (1 - b * lM).
Proof.
  intros s Hs HH. apply at_least_iff in HH. destruct small_facts as [Hb1 [Hstar [HbM _]]].
  destruct Hl as [H1 H2 H3 _ _ _ _]. pose proof (lo_nonneg P).
  assert (b * (1 + s) <= b * (1 + hi P)) by (apply Rmult_le_compat_l; lra).
  assert (b * lH <= b * (1 + s)) by (apply Rmult_le_compat_l; lra).
  split.
  - assert (0 <= (a - b) * (1 + hi P + theta * lM)).
    { apply Rmult_le_pos; [lra |]. assert (0 <= theta * lM) by (apply Rmult_le_pos; lra). lra. }
    lra.
  - apply Rle_trans with (1 - b * lH); [lra |]. apply (Rmult_le_reg_r (1 + hi P - lM)); [lra |].
    assert (0 <= (theta * (1 + hi P - lM) - (1 + hi P - lH)) * (1 - b * lM)) by (apply Rmult_le_pos; lra).
    assert (0 <= (b * (1 + hi P) - 1) * (lH - lM)) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem small_excluded : forall alpha, scale P * kappa P ^ (2 * T) < loss2 P T alpha (- b).
Proof.
  intros alpha. destruct small_facts as [Hb1 [_ [HbM [HY HY1]]]].
  pose proof (kappa_bounds P) as Hk. pose proof (kappa_power P T) as HkT. pose proof (scale_pos P) as HC.
  pose proof (masses_product _ _ _ _ _ Hl) as Hp. destruct Hl as [_ HlMH _ HpM HpH HmM HmH].
  rewrite loss2_power by lra.
  assert (Hth : 0 <= theta ^ T <= 1) by now apply power_bounds.
  assert (HrT : 0 < (1 - a * lM) ^ T) by (apply pow_lt; lra).
  unfold exceeds in H. rewrite !Rmult_1_l in H.
  set (q := (1 - theta ^ T) * (1 - a * lM) ^ T) in *.
  assert (Hq : 0 <= q <= (1 - theta ^ T) * Y).
  { unfold q. split; [apply Rmult_le_pos; lra | apply Rmult_le_compat_l; lra]. }
  set (mu := nu P (power_signal T b) / scale P).
  assert (Hmu : nu P (power_signal T b) = mu * scale P) by (unfold mu; field; lra).
  assert (Hrange : - 2 * scale P <= nu P (power_signal T b) <= 0 * scale P).
  { apply nu_bounds; [apply dom_power_signal |]. intros s Hs. unfold power_signal.
    pose proof (pow_abs_bounds T _ 1 (small_range s Hs)) as Hpow. rewrite pow1 in Hpow. lra. }
  destruct (Rle_lt_dec (-1) mu) as [Hcase | Hcase].
  - (* E Z >= 0 *)
    assert (Hmu0 : mu <= 0) by (apply (Rmult_le_reg_r (scale P)); lra).
    apply (excluded P T _ _ (pM * pH) q 1 1); [apply dom_power_signal | lra | lra | | ].
    + rewrite Rmult_1_r.
      apply Rle_trans with (nu P (at_most lM) * nu P (at_least lH) * (Y - 1 - (theta ^ T * Y - 1)) ^ 2).
      * apply mass_product; trivial. lra.
      * apply variance_two_sets; try apply indicator_at_least; try apply indicator_at_most;
          try apply dom_power_signal; [| | nra].
        -- intros s Hs HA. split; [now apply (disjoint_low lM lH) |]. unfold power_signal.
           apply Rplus_le_compat_r, pow_incr. pose proof (small_low s HA). lra.
        -- intros s Hs HB. unfold power_signal. apply Rplus_le_compat_r.
           unfold Y. rewrite <- Rpow_mult_distr. apply pow_abs_bounds. now apply small_high.
    + rewrite Hmu. replace (1 * (1 * scale P) ^ 2) with (scale P ^ 2) by ring.
      assert (mu ^ 2 <= 1) by nra. replace ((mu * scale P) ^ 2) with (mu ^ 2 * scale P ^ 2) by ring.
      assert (0 <= scale P ^ 2) by apply pow2_ge_0. nra.
  - (* E Z = 1 + mu < 0 *)
    assert (HY0 : 0 < Y) by (apply pow_lt; lra).
    apply (excluded P T _ _ pM q 1 (- mu)); [apply dom_power_signal | lra | | | ].
    + apply Rlt_le_trans with (pM * pH * q ^ 2 * (1 - kappa P ^ (2 * T))); [lra |].
      apply Rmult_le_compat_r; [lra |]. apply Rmult_le_compat_r; [apply pow2_ge_0 | nra].
    + apply Rle_trans with (scale P * nu P (at_most lM) * (q * - mu) ^ 2).
      * replace (pM * (scale P * (q * - mu)) ^ 2) with (scale P * (pM * scale P) * (q * - mu) ^ 2) by ring.
        apply Rmult_le_compat_r; [apply pow2_ge_0 |]. apply Rmult_le_compat_l; lra.
      * apply variance_one_set; try apply indicator_at_most; try apply dom_power_signal.
        -- apply Rmult_le_pos; lra.
        -- intros s Hs HA. left. fold mu. unfold power_signal.
           assert (Y <= (1 - b * (1 + s)) ^ T) by (apply pow_incr; pose proof (small_low s HA); lra).
           assert (q * - mu <= Y * - mu) by (apply Rmult_le_compat_r; nra).
           assert (0 <= (1 - Y) * (-1 - mu)) by (apply Rmult_le_pos; lra). lra.
    + rewrite Hmu. replace (1 * (- mu * scale P) ^ 2) with ((mu * scale P) ^ 2) by ring. lra.
Qed.

End Small.

(** * b <= 1/l2 *)

Section NearZero.
Variables (T : nat) (b lM lH pM pH theta : R).
Hypothesis Hl : thresholds P lM lH pM pH.
Hypothesis Htheta : 0 <= theta <= 1.
Hypothesis H : exceeds P (pM * pH) ((lH - lM) / (1 + hi P)) theta (1 - lM / (1 + hi P)) 1 T.
Hypothesis Hb : b * (1 + hi P) <= 1.

Let signal_at (l : R) : R := signal T (- b) l.

Lemma near_zero_pos : forall l, 0 <= l <= 1 + hi P -> 0 <= 1 + - b * l.
Proof.
  intros l Hl0. pose proof (hi_pos P). destruct (Rle_lt_dec 0 b).
  - assert (b * l <= b * (1 + hi P)) by (apply Rmult_le_compat_l; lra). lra.
  - assert (0 <= - b * l) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma near_zero_monotone : forall l l', 0 <= l <= l' -> l' <= 1 + hi P -> signal_at l <= signal_at l'.
Proof.
  intros l l' Hll Hl'. pose proof (signal_difference T (- b) l l') as Hd.
  pose proof (mixed_nonneg T _ _ (near_zero_pos l ltac:(lra)) (near_zero_pos l' ltac:(lra))).
  assert (0 <= (l' - l) * mixed T (1 + - b * l) (1 + - b * l')) by (apply Rmult_le_pos; lra).
  unfold signal_at. lra.
Qed.

Lemma near_zero_nonneg : forall l, 0 <= l <= 1 + hi P -> 0 <= signal_at l.
Proof.
  intros l Hl0. pose proof (near_zero_monotone 0 l ltac:(lra) ltac:(lra)) as Hm.
  replace (signal_at 0) with 0 in Hm by (unfold signal_at, signal; ring). exact Hm.
Qed.

(** What both signs of b need: the mean is at most w, and the values at lM and lH are spread r^T w apart. *)
Lemma near_zero_two_sets : forall alpha w, 0 < w ->
  nu P (fun s => signal_at (1 + s)) <= w * scale P ->
  (lH - lM) / (1 + hi P) * (1 - lM / (1 + hi P)) ^ T * w <= signal_at lH - signal_at lM ->
  scale P * kappa P ^ (2 * T) < loss2 P T alpha (- b).
Proof.
  intros alpha w Hw Hmean Hgap. pose proof (kappa_power P T) as HkT. pose proof (scale_pos P) as HC.
  destruct Hl as [H1 H2 H3 HpM HpH HmM HmH]. pose proof (lo_nonneg P) as Hlo.
  pose proof (dom_signal P T (- b)) as Hd. rewrite loss2_nu. unfold exceeds in H. rewrite Rmult_1_l in H.
  assert (Hth : 0 <= theta ^ T <= 1) by now apply power_bounds.
  assert (Hsp : 0 <= (lH - lM) / (1 + hi P)).
  { apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]. }
  assert (Hr : 0 <= 1 - lM / (1 + hi P)).
  { assert (lM / (1 + hi P) <= 1); [| lra]. apply (Rmult_le_reg_r (1 + hi P)); [lra |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  set (sp := (lH - lM) / (1 + hi P)) in *. set (rT := (1 - lM / (1 + hi P)) ^ T) in *.
  assert (HrT : 0 <= rT) by now apply pow_le.
  assert (Hq : 0 <= sp * (1 - theta ^ T) * rT) by (apply Rmult_le_pos; [apply Rmult_le_pos |]; lra).
  apply (excluded P T (fun s => signal T (- b) (1 + s)) alpha (pM * pH) (sp * (1 - theta ^ T) * rT) 1 w);
    [exact Hd | exact Hw | lra | | ].
  - apply Rle_trans with (nu P (at_least lH) * nu P (at_most lM) * (signal_at lH - signal_at lM) ^ 2).
    + rewrite (Rmult_comm (nu P _)). apply mass_product; trivial. split; [apply Rmult_le_pos; lra |].
      apply Rle_trans with (2 := Hgap). apply Rmult_le_compat_r; [lra |].
      apply Rmult_le_compat_r; [lra |]. rewrite <- (Rmult_1_r sp) at 2. apply Rmult_le_compat_l; lra.
    + apply variance_two_sets; try apply indicator_at_least; try apply indicator_at_most; trivial.
      * intros s Hs HA. split; [now apply (disjoint_high lM lH) |]. apply at_least_iff in HA.
        apply near_zero_monotone; lra.
      * intros s Hs HB. apply at_most_iff in HB. apply near_zero_monotone; lra.
      * apply near_zero_monotone; lra.
  - assert (Hpos : 0 <= nu P (fun s => signal T (- b) (1 + s))).
    { apply nu_nonneg; [exact Hd |]. intros s Hs. apply near_zero_nonneg. lra. }
    rewrite Rmult_1_l. apply pow_incr. split; [exact Hpos | exact Hmean].
Qed.

(** theta is any number in [0, 1]; the certificates take 0. *)
Theorem near_zero_excluded : forall alpha, (1 <= T)%nat -> scale P * kappa P ^ (2 * T) < loss2 P T alpha (- b).
Proof.
  intros alpha HT. destruct Hl as [H1 H2 H3 HpM HpH HmM HmH]. pose proof (lo_nonneg P) as Hlo.
  pose proof (scale_pos P) as HC. pose proof (dom_signal P T (- b)) as Hd.
  assert (Hr : 0 <= 1 - lM / (1 + hi P) <= 1).
  { assert (lM / (1 + hi P) <= 1).
    { apply (Rmult_le_reg_r (1 + hi P)); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    assert (0 <= lM / (1 + hi P)) by (apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]). lra. }
  pose proof (power_bounds T _ Hr) as HrT.
  assert (Hsp : (lH - lM) / (1 + hi P) * (1 + hi P) = lH - lM) by (field; lra).
  set (sp := (lH - lM) / (1 + hi P)) in *. set (r := 1 - lM / (1 + hi P)) in *.
  assert (Hsp0 : 0 < sp) by (apply (Rmult_lt_reg_r (1 + hi P)); lra).
  destruct (Rle_lt_dec 0 b) as [Hb0 | Hb0].
  - (* 0 <= b <= 1/l2: w is the value at l2 *)
    set (y := 1 + - b * (1 + hi P)).
    assert (Hy : 0 <= y) by (unfold y; lra).
    assert (Hw : signal_at (1 + hi P) = (1 + hi P) * geometric_sum y T) by reflexivity.
    pose proof (geometric_pos T y HT Hy) as Hg.
    apply (near_zero_two_sets alpha (signal_at (1 + hi P))).
    + rewrite Hw. apply Rmult_lt_0_compat; lra.
    + rewrite <- nu_const. apply nu_monotone; [exact Hd | in_dom |]. intros s Hs.
      apply near_zero_monotone; lra.
    + replace (signal_at lH - signal_at lM) with ((lH - lM) * mixed T (1 + - b * lM) (1 + - b * lH))
        by (symmetry; apply signal_difference). fold sp r. rewrite Hw.
      replace (sp * r ^ T * ((1 + hi P) * geometric_sum y T))
        with (sp * (1 + hi P) * (r ^ T * geometric_sum y T)) by ring.
      rewrite Hsp. apply Rmult_le_compat_l; [lra |].
      assert (HbM : b * lM <= lM / (1 + hi P)).
      { apply (Rmult_le_reg_r (1 + hi P)); [lra |]. unfold Rdiv. rewrite !Rmult_assoc, Rinv_l by lra.
        assert (0 <= (1 - b * (1 + hi P)) * lM) by (apply Rmult_le_pos; lra). lra. }
      assert (HM0 : 0 <= b * lM) by (apply Rmult_le_pos; lra).
      assert (HbH : b * lH <= b * (1 + hi P)) by (apply Rmult_le_compat_l; lra).
      apply Rle_trans with (mixed T (1 + - b * lM) y).
      * apply Rle_trans with ((1 + - b * lM) ^ T * geometric_sum y T).
        -- apply Rmult_le_compat_r; [lra |]. apply pow_incr. unfold r in *. lra.
        -- apply mixed_below; [unfold r in *; lra | exact Hy].
      * apply mixed_monotone; unfold y, r in *; lra.
  - (* b < 0: w is the larger of the mean and the value at lH *)
    assert (HM : signal_at lM * lH <= lM * signal_at lH).
    { unfold signal_at, signal.
      assert (- b * lM <= - b * lH) by (apply Rmult_le_compat_l; lra).
      assert (0 <= - b * lM) by (apply Rmult_le_pos; lra).
      pose proof (geometric_monotone T (1 + - b * lM) (1 + - b * lH) ltac:(lra)).
      assert (0 <= lM * lH) by (apply Rmult_le_pos; lra). nra. }
    assert (HH1 : 0 < signal_at lH).
    { unfold signal_at, signal. pose proof (near_zero_pos lH ltac:(lra)).
      pose proof (geometric_pos T (1 + - b * lH) HT ltac:(lra)). apply Rmult_lt_0_compat; lra. }
    set (mu := nu P (fun s => signal_at (1 + s)) / scale P).
    assert (Hmu : nu P (fun s => signal_at (1 + s)) = mu * scale P) by (unfold mu; field; lra).
    assert (Hgap : forall w, signal_at lH <= w -> sp * r ^ T * w <= w - signal_at lM).
    { intros w Hw. assert (sp * r ^ T * w <= sp * w).
      { rewrite (Rmult_comm sp), Rmult_assoc. rewrite <- (Rmult_1_l (sp * w)) at 2.
        apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | lra]. }
      assert (sp * w * lH <= (w - signal_at lM) * lH); [| apply (Rmult_le_reg_r lH); [lra | nra]].
      assert (sp * lH <= lH - lM) by (rewrite <- Hsp; apply Rmult_le_compat_l; lra).
      assert (sp * lH * w <= (lH - lM) * w) by (apply Rmult_le_compat_r; lra).
      assert (lM * signal_at lH <= lM * w) by (apply Rmult_le_compat_l; lra). lra. }
    destruct (Rle_lt_dec mu (signal_at lH)) as [Hcase | Hcase].
    + apply (near_zero_two_sets alpha (signal_at lH)); [exact HH1 | | now apply Hgap, Rle_refl].
      rewrite Hmu. apply Rmult_le_compat_r; lra.
    + pose proof (kappa_power P T) as HkT. unfold exceeds in H. fold sp r in H.
      pose proof (masses_product _ _ _ _ _ Hl) as Hp. rewrite Rmult_1_l in H.
      assert (Hth : 0 <= theta ^ T <= 1) by now apply power_bounds.
      rewrite loss2_nu.
      apply (excluded P T (fun s => signal T (- b) (1 + s)) alpha pM (sp * (1 - theta ^ T) * r ^ T) 1 mu);
        [exact Hd | lra | | | ].
      * rewrite Rmult_1_l. apply Rlt_le_trans with (1 := H). apply Rmult_le_compat_r; [lra |].
        apply Rmult_le_compat_r; [apply pow2_ge_0 | nra].
      * assert (Hqw : 0 <= sp * (1 - theta ^ T) * r ^ T * mu <= mu - signal_at lM).
        { split.
          - apply Rmult_le_pos; [apply Rmult_le_pos; [apply Rmult_le_pos |] |]; lra.
          - apply Rle_trans with (2 := Hgap mu (Rlt_le _ _ Hcase)). apply Rmult_le_compat_r; [lra |].
            apply Rmult_le_compat_r; [lra |]. rewrite <- (Rmult_1_r sp) at 2. apply Rmult_le_compat_l; lra. }
        set (qw := sp * (1 - theta ^ T) * r ^ T * mu) in *.
        apply Rle_trans with (scale P * nu P (at_most lM) * qw ^ 2).
        -- replace (pM * (scale P * qw) ^ 2) with (scale P * (pM * scale P) * qw ^ 2) by ring.
           apply Rmult_le_compat_r; [apply pow2_ge_0 |]. apply Rmult_le_compat_l; lra.
        -- apply variance_one_set; [apply indicator_at_most | exact Hd | lra |].
           intros s Hs HA. right. apply at_most_iff in HA.
           change (qw <= mu - signal_at (1 + s)).
           pose proof (near_zero_monotone (1 + s) lM ltac:(lra) ltac:(lra)). lra.
      * unfold signal_at in Hmu. rewrite Hmu. lra.
Qed.

End NearZero.
End Cases.
