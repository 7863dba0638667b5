(** What depth buys with one shared weight: depth one is stuck at the gap of theorem 4.1, deeper stacks
    leave it behind, and kappa^2 is the exact rate per layer. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law OneParameter OneParameterLimit SelfAttention.
Open Scope R_scope.

Section Depth.
Variable P : law.

(** At depth one the trained stack is the best self-attention layer, and its excess loss is the gap. *)
Theorem depth_one_is_gap : forall a, minimiser P 1 a -> a = lsa_weight P /\ loss P 1 a = gap P.
Proof.
  intros a Ha. rewrite <- lsa_is_depth_one.
  assert (H : lsa_excess P a = gap P); [| split; [now apply gap_is_least | exact H]].
  apply Rle_antisym; [| apply gap_is_least].
  rewrite lsa_is_depth_one. eapply Rle_trans; [apply (Ha (lsa_weight P)) |].
  rewrite <- lsa_is_depth_one. right. now apply gap_is_least.
Qed.

(** Unless the norm is constant, depth is needed: the excess of depth one is positive, and from some depth
    on the excess is below any fraction of it. *)
Theorem depth_is_needed : lo P < hi P ->
  0 < gap P /\ forall r, 0 < r -> exists T1, forall T a, (T1 <= T)%nat -> minimiser P T a ->
    loss P T a < r * gap P.
Proof.
  intros Hlh. pose proof (gap_pos P Hlh) as Hg. split; [exact Hg |].
  intros r Hr. apply excess_tends_to_zero. now apply Rmult_lt_0_compat.
Qed.

(** The masses of nu = (s / lam) P within h of the ends. *)
Definition low_mass (h : R) : R := E P (fun s => s * / (1 + s) * below (lo P + h) s).
Definition high_mass (h : R) : R := E P (fun s => s * / (1 + s) * (1 - strictly_below (hi P - h) s)).

Lemma low_mass_pos : forall h, 0 < h -> 0 < low_mass h.
Proof.
  intros h Hh. pose proof (lo_nonneg P) as Hl. unfold low_mass.
  apply Rlt_le_trans with (/ (1 + hi P) * E P (fun s => s * below (lo P + h) s)).
  - pose proof (hi_pos P).
    apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat; lra | now apply mass_low].
  - rewrite <- E_scal by in_dom. apply E_monotone; [in_dom .. |]. intros s [-> | Hs]; [lra |].
    assert (Hi : / (1 + hi P) <= / (1 + s)) by (apply Rinv_le_contravar; lra).
    assert (0 <= s * below (lo P + h) s) by (apply Rmult_le_pos; [| unfold below; destruct (Rle_dec _ _)]; lra).
    nra.
Qed.

Lemma high_mass_pos : forall h, 0 < h -> 0 < high_mass h.
Proof.
  intros h Hh. pose proof (lo_nonneg P) as Hl. unfold high_mass.
  apply Rlt_le_trans with (/ (1 + hi P) * E P (fun s => s * (1 - below (hi P - h) s))).
  - pose proof (hi_pos P).
    apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat; lra | now apply mass_high].
  - rewrite <- E_scal by in_dom. apply E_monotone; [in_dom .. |]. intros s [-> | Hs]; [lra |].
    assert (Hi : / (1 + hi P) <= / (1 + s)) by (apply Rinv_le_contravar; lra).
    assert (0 < / (1 + hi P)) by (apply Rinv_0_lt_compat; lra).
    unfold below, strictly_below. destruct (Rle_dec s (hi P - h)), (Rlt_dec s (hi P - h)); try lra; nra.
Qed.

(** At every depth and every weight, the excess loss is at least the smaller mass within h of an end times
    (kappa - alpha* h)^(2T): left of alpha* the low end pays, right of it the high end. *)
Theorem excess_lower_bound : forall T a h, 0 < h <= (hi P - lo P) / 2 ->
  Rmin (low_mass h) (high_mass h) * (kappa P - alpha_star P * h) ^ (2 * T) <= loss P T a.
Proof.
  intros T a h Hh. pose proof (lo_nonneg P) as Hl. pose proof (alpha_star_pos P) as Hp.
  destruct (residual_star P) as [Hrl Hrh]. unfold residual in Hrl, Hrh.
  set (k := kappa P - alpha_star P * h).
  assert (Hk : 0 <= k).
  { unfold k. assert (alpha_star P * (hi P - lo P) = 2 * kappa P) by lra. nra. }
  assert (Hk2 : 0 <= k ^ (2 * T)) by apply pow_even_nonneg.
  assert (Hw : forall s, lo P <= s <= hi P -> 0 <= s * / (1 + s)).
  { intros s Hs. apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]. }
  assert (Hpow : forall x, k <= Rabs x -> k ^ (2 * T) <= x ^ (2 * T)).
  { intros x Hx. rewrite !pow_mult, <- (pow2_abs x). apply pow_incr.
    split; [apply pow2_ge_0 | apply pow_incr; lra]. }
  assert (Hterm : forall s i, lo P <= s <= hi P -> i = 0 \/ i = 1 /\ k <= Rabs (residual a s) ->
    k ^ (2 * T) * (s * / (1 + s) * i) <= s * / (1 + s) * residual a s ^ (2 * T)).
  { intros s i Hs [-> | [-> Hr]]; specialize (Hw s Hs).
    - rewrite Rmult_0_r, Rmult_0_r. apply Rmult_le_pos; [exact Hw | apply pow_even_nonneg].
    - apply Hpow in Hr. rewrite Rmult_1_r, Rmult_comm. now apply Rmult_le_compat_l. }
  destruct (Rle_dec a (alpha_star P)) as [Ha | Ha].
  - apply Rle_trans with (low_mass h * k ^ (2 * T)); [apply Rmult_le_compat_r; [exact Hk2 | apply Rmin_l] |].
    rewrite Rmult_comm. unfold low_mass, loss. rewrite <- E_scal by in_dom.
    apply E_monotone; [in_dom .. |]. intros s [-> | Hs]; [lra |]. apply Hterm; [exact Hs |].
    unfold below. destruct (Rle_dec s (lo P + h)) as [H | H]; [right | now left]. split; [reflexivity |].
    eapply Rle_trans; [| apply Rle_abs]. unfold residual, k. rewrite <- Hrl.
    assert (a * (1 + s) <= alpha_star P * (1 + (lo P + h))); [| lra].
    apply Rle_trans with (alpha_star P * (1 + s));
      [apply Rmult_le_compat_r | apply Rmult_le_compat_l]; lra.
  - apply Rle_trans with (high_mass h * k ^ (2 * T)); [apply Rmult_le_compat_r; [exact Hk2 | apply Rmin_r] |].
    rewrite Rmult_comm. unfold high_mass, loss. rewrite <- E_scal by in_dom.
    apply E_monotone; [in_dom .. |]. intros s [-> | Hs]; [lra |]. apply Hterm; [exact Hs |].
    unfold strictly_below. destruct (Rlt_dec s (hi P - h)) as [H | H]; [left; ring | right]. split; [ring |].
    rewrite <- Rabs_Ropp. eapply Rle_trans; [| apply Rle_abs]. unfold residual, k.
    assert (alpha_star P * (1 + (hi P - h)) <= a * (1 + s)); [| lra].
    apply Rle_trans with (alpha_star P * (1 + s));
      [apply Rmult_le_compat_l | apply Rmult_le_compat_r]; lra.
Qed.

(** No depth and no weight reach the Bayes risk, unless the norm is constant. *)
Theorem excess_pos : lo P < hi P -> forall T a, 0 < loss P T a.
Proof.
  intros Hlh T a. pose proof (lo_nonneg P). set (h := (hi P - lo P) / 4).
  eapply Rlt_le_trans; [| apply (excess_lower_bound T a h)]; [| unfold h; lra].
  apply Rmult_lt_0_compat.
  - apply Rmin_pos; [apply low_mass_pos | apply high_mass_pos]; unfold h; lra.
  - apply pow_lt. unfold kappa, alpha_star, h.
    replace (_ - _) with ((hi P - lo P) / 2 / (2 + lo P + hi P)) by (field; lra).
    apply Rdiv_lt_0_compat; lra.
Qed.

(** kappa^2 per layer cannot be improved: for r < kappa the excess stays above a multiple of r^(2T), at
    every depth and every weight. *)
Theorem rate_is_sharp : forall r, 0 <= r < kappa P ->
  exists c, 0 < c /\ forall T a, c * r ^ (2 * T) <= loss P T a.
Proof.
  intros r Hr. pose proof (alpha_star_pos P) as Hp. pose proof (lo_nonneg P). pose proof (lo_hi P).
  destruct (residual_star P) as [Hrl Hrh]. unfold residual in Hrl, Hrh.
  set (h := (kappa P - r) / (2 * alpha_star P)).
  assert (Hh : 0 < h) by (apply Rdiv_lt_0_compat; lra).
  assert (Hah : alpha_star P * h = (kappa P - r) / 2) by (unfold h; field; lra).
  exists (Rmin (low_mass h) (high_mass h)).
  assert (Hm : 0 < Rmin (low_mass h) (high_mass h)).
  { apply Rmin_pos; [now apply low_mass_pos | now apply high_mass_pos]. }
  split; [exact Hm |]. intros T a. eapply Rle_trans; [| apply (excess_lower_bound T a h)].
  - apply Rmult_le_compat_l; [lra |]. apply pow_incr. lra.
  - split; [exact Hh |]. apply (Rmult_le_reg_l (alpha_star P)); [exact Hp |].
    assert (alpha_star P * (hi P - lo P) = 2 * kappa P) by lra. lra.
Qed.

End Depth.
