(** Gradient flow on a line: every solution of x' = - F(x), F increasing with a zero, tends to that zero;
    applied to the one-parameter loss. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law OneParameter.
Open Scope R_scope.

(** * A function with a negative derivative decreases *)

(** By the supremum of the times up to which f has not risen above its start. *)
Lemma decrease_strict : forall f f' a b, a <= b ->
  (forall t, a <= t <= b -> derivable_pt_lim f t (f' t)) -> (forall t, a <= t <= b -> f' t < 0) ->
  f b <= f a.
Proof.
  intros f f' a b Hab Hd Hneg. apply Rnot_lt_le. intros Hlt.
  destruct (completeness (fun t => a <= t <= b /\ f t <= f a)) as [m [Hub Hlub]].
  - exists b. intros t [Ht _]. lra.
  - exists a. lra.
  - assert (Ham : a <= m) by (apply Hub; lra).
    assert (Hmb : m <= b) by (apply Hlub; intros t [Ht _]; lra).
    assert (Hfm : f m <= f a).
    { apply Rnot_lt_le. intros Hfm.
      assert (Hc : continuity_pt f m) by (apply derivable_continuous_pt; eexists; apply Hd; lra).
      destruct (Hc (f m - f a)) as [d [Hd0 Hd1]]; [lra |].
      assert (m <= m - d); [| lra]. apply Hlub. intros t [Ht Hft].
      apply Rnot_lt_le. intros Htd. assert (t <= m) by (apply Hub; lra).
      destruct (Req_dec t m) as [-> | Hne]; [lra |].
      assert (Hlt' : Rabs (f t - f m) < f m - f a).
      { apply Hd1. repeat split; [now apply not_eq_sym |]. simpl. unfold R_dist. rewrite Rabs_left; lra. }
      apply Rabs_def2 in Hlt'. lra. }
    assert (Hmb' : m < b) by (destruct (Req_dec m b) as [<- | Hne]; lra).
    destruct (Hd m (conj Ham Hmb) (- f' m)) as [d Hd1]; [pose proof (Hneg m); lra |].
    set (h := Rmin (d / 2) (b - m)). pose proof (cond_pos d) as Hd0.
    assert (Hh : 0 < h) by (apply Rmin_pos; lra).
    assert (Hhd : h < d) by (pose proof (Rmin_l (d / 2) (b - m)); unfold h; lra).
    assert (Hhb : m + h <= b) by (pose proof (Rmin_r (d / 2) (b - m)); unfold h; lra).
    assert (Hq : Rabs ((f (m + h) - f m) / h - f' m) < - f' m) by (apply Hd1; [lra | rewrite Rabs_right; lra]).
    apply Rabs_def2 in Hq. destruct Hq as [Hq _].
    assert (Hf : f (m + h) - f m < 0).
    { replace (f (m + h) - f m) with ((f (m + h) - f m) / h * h) by (field; lra).
      assert ((f (m + h) - f m) / h < 0) by lra. nra. }
    assert (m + h <= m) by (apply Hub; lra). lra.
Qed.

(** A function whose slope is at most - k falls at least by k times the elapsed time. *)
Lemma decrease : forall f f' a b k, a <= b ->
  (forall t, a <= t <= b -> derivable_pt_lim f t (f' t)) -> (forall t, a <= t <= b -> f' t <= - k) ->
  f b <= f a - k * (b - a).
Proof.
  intros f f' a b k Hab Hd Hk. apply le_epsilon. intros eps Heps.
  set (e := eps / (b - a + 1)).
  assert (He : 0 < e) by (apply Rdiv_lt_0_compat; lra).
  assert (Hee : e * (b - a) <= eps).
  { replace eps with (e * (b - a + 1)) by (unfold e; field; lra). nra. }
  assert (H : f b + (k - e) * b <= f a + (k - e) * a).
  { apply (decrease_strict (fun t => f t + (k - e) * t) (fun t => f' t + (k - e) * 1)); [assumption | |].
    - intros t Ht. apply (derivable_pt_lim_plus f (fun u => (k - e) * u)); [now apply Hd |].
      apply (derivable_pt_lim_scal id), derivable_pt_lim_id.
    - intros t Ht. specialize (Hk t Ht). lra. }
  lra.
Qed.

(** * Flows on a line *)

Section LineFlow.
Variable F : R -> R.
Variable a : R.
Hypothesis F_increasing : forall x y, x < y -> F x < F y.
Hypothesis F_zero : F a = 0.

Definition solution (x : R -> R) (start : R) : Prop :=
  forall t, start < t -> derivable_pt_lim x t (- F (x t)).

Lemma square_distance_derivative : forall x start t, solution x start -> start < t ->
  derivable_pt_lim (fun u => (x u - a) ^ 2) t (- (2 * (x t - a) * F (x t))).
Proof.
  intros x start t Hx Ht.
  assert (Hd : derivable_pt_lim (fun u => x u - a) t (- F (x t) - 0)).
  { apply (derivable_pt_lim_minus x (fun _ => a)); [now apply (Hx t) | apply derivable_pt_lim_const]. }
  apply (derivable_pt_lim_ext (fun u => (x u - a) * (x u - a))); [intros u; ring |].
  replace (- (2 * (x t - a) * F (x t)))
    with ((- F (x t) - 0) * (x t - a) + (x t - a) * (- F (x t) - 0)) by ring.
  now apply (derivable_pt_lim_mult (fun u => x u - a) (fun u => x u - a)).
Qed.

Lemma restoring : forall y, 0 <= (y - a) * F y.
Proof.
  intros y. destruct (Rtotal_order y a) as [H | [-> | H]].
  - apply F_increasing in H as H'. nra.
  - lra.
  - apply F_increasing in H as H'. nra.
Qed.

(** Outside an eps-neighbourhood of the zero the restoring force is bounded below. *)
Lemma restoring_far : forall eps, 0 < eps ->
  exists k, 0 < k /\ forall y, eps <= Rabs (y - a) -> k <= (y - a) * F y.
Proof.
  intros eps Heps.
  assert (Hr : 0 < F (a + eps)) by (rewrite <- F_zero; apply F_increasing; lra).
  assert (Hl : F (a - eps) < 0) by (rewrite <- F_zero; apply F_increasing; lra).
  exists (eps * Rmin (F (a + eps)) (- F (a - eps))). split.
  - apply Rmult_lt_0_compat; [assumption | apply Rmin_pos; lra].
  - intros y Hy. pose proof (Rmin_l (F (a + eps)) (- F (a - eps))).
    pose proof (Rmin_r (F (a + eps)) (- F (a - eps))).
    assert (Hm : 0 < Rmin (F (a + eps)) (- F (a - eps))) by (apply Rmin_pos; lra).
    revert Hy. unfold Rabs. destruct (Rcase_abs (y - a)); intros Hy.
    + assert (F y <= F (a - eps)).
      { destruct (Req_dec y (a - eps)) as [-> |]; [lra | apply Rlt_le, F_increasing; lra]. }
      nra.
    + assert (F (a + eps) <= F y).
      { destruct (Req_dec y (a + eps)) as [-> |]; [lra | apply Rlt_le, F_increasing; lra]. }
      nra.
Qed.

(** Every solution tends to the zero of F, whatever its start. *)
Theorem line_flow_converges : forall x start, solution x start ->
  forall eps, 0 < eps -> exists t0, forall t, t0 <= t -> Rabs (x t - a) < eps.
Proof.
  intros x start Hx eps Heps. destruct (restoring_far eps Heps) as [k [Hk Hfar]].
  set (V := fun t => (x t - a) ^ 2). set (t1 := start + 1).
  assert (Hmono : forall t u, t1 <= t -> t <= u -> V u <= V t).
  { intros t u Ht Hu. apply Rle_trans with (V t - 0 * (u - t)); [| lra].
    apply (decrease V (fun r => - (2 * (x r - a) * F (x r)))); [assumption | |].
    - intros r Hr. apply (square_distance_derivative x start); [assumption | unfold t1 in *; lra].
    - intros r Hr. pose proof (restoring (x r)). lra. }
  assert (HV : forall t, 0 <= V t) by (intros; apply pow2_ge_0).
  assert (Habs : forall t, V t < eps ^ 2 -> Rabs (x t - a) < eps).
  { intros t Ht. apply Rnot_le_lt. intros H.
    assert (eps ^ 2 <= Rabs (x t - a) ^ 2) by (apply pow_incr; lra).
    rewrite pow2_abs in *. unfold V in Ht. lra. }
  set (t0 := t1 + (V t1 / k + 1)).
  assert (Ht0 : t1 <= t0).
  { unfold t0. assert (0 <= V t1 / k); [| lra].
    apply Rmult_le_pos; [apply HV | apply Rlt_le, Rinv_0_lt_compat; lra]. }
  assert (Hin : V t0 < eps ^ 2).
  { apply Rnot_le_lt. intros H.
    assert (Hfall : V t0 <= V t1 - k * (t0 - t1)).
    { apply (decrease V (fun r => - (2 * (x r - a) * F (x r)))); [assumption | |].
      - intros r Hr. apply (square_distance_derivative x start); [assumption | unfold t1 in *; lra].
      - intros r Hr. assert (HVr : V t0 <= V r) by (apply Hmono; lra).
        assert (k <= (x r - a) * F (x r)); [apply Hfar | lra].
        apply Rnot_lt_le. intros Hlt.
        assert (Rabs (x r - a) ^ 2 < eps ^ 2); [| rewrite pow2_abs in *; unfold V in *; lra].
        pose proof (Rabs_pos (x r - a)). nra. }
    assert (k * (t0 - t1) = V t1 + k) by (unfold t0; field; lra). specialize (HV t0). lra. }
  exists t0. intros t Ht. apply Habs. apply Rle_lt_trans with (V t0); [now apply Hmono | assumption].
Qed.

(** Two solutions from one start are one. *)
Theorem line_flow_unique : forall x y start,
  (forall t, start <= t -> derivable_pt_lim x t (- F (x t))) ->
  (forall t, start <= t -> derivable_pt_lim y t (- F (y t))) ->
  x start = y start -> forall t, start <= t -> x t = y t.
Proof.
  intros x y start Hx Hy H0 t Ht.
  assert (H : (x t - y t) ^ 2 <= (x start - y start) ^ 2 - 0 * (t - start)).
  { apply (decrease (fun u => (x u - y u) ^ 2) (fun u => - (2 * (x u - y u) * (F (x u) - F (y u)))));
      [assumption | |].
    - intros u Hu. apply (derivable_pt_lim_ext (fun r => (x r - y r) * (x r - y r))); [intros; ring |].
      replace (- _) with ((- F (x u) - - F (y u)) * (x u - y u) + (x u - y u) * (- F (x u) - - F (y u)))
        by ring.
      assert (derivable_pt_lim (fun r => x r - y r) u (- F (x u) - - F (y u))).
      { apply (derivable_pt_lim_minus x y); [apply Hx | apply Hy]; lra. }
      now apply (derivable_pt_lim_mult (fun r => x r - y r) (fun r => x r - y r)).
    - intros u _. destruct (Rtotal_order (x u) (y u)) as [Hlt | [-> | Hlt]].
      + apply F_increasing in Hlt as H'. nra.
      + lra.
      + apply F_increasing in Hlt as H'. nra. }
  rewrite H0 in H. pose proof (pow2_ge_0 (x t - y t)). nra.
Qed.

End LineFlow.

(** Theorem 6.2, gradient flow: every solution of dalpha/dt = - dL_T/dalpha, from every start, tends to
    alpha_T. *)
Theorem flow : forall P T a, (1 <= T)%nat -> minimiser P T a ->
  forall x : R -> R, (forall t, 0 < t -> derivable_pt_lim x t (- slope P T (x t))) ->
  forall eps, 0 < eps -> exists t0, forall t, t0 <= t -> Rabs (x t - a) < eps.
Proof.
  intros P T a HT Ha x Hx. apply (line_flow_converges (slope P T) a) with (start := 0); try assumption.
  - intros b c. now apply slope_increasing.
  - now apply minimiser_iff_critical.
Qed.

(** A solution of gradient flow is determined by its start. *)
Theorem flow_unique : forall P T x y, (1 <= T)%nat ->
  (forall t, 0 <= t -> derivable_pt_lim x t (- slope P T (x t))) ->
  (forall t, 0 <= t -> derivable_pt_lim y t (- slope P T (y t))) ->
  x 0 = y 0 -> forall t, 0 <= t -> x t = y t.
Proof.
  intros P T x y HT. apply (line_flow_unique (slope P T)).
  intros b c. now apply slope_increasing.
Qed.
