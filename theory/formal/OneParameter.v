(** One shared weight, W_S = - W_V = alpha I: the excess loss L_T(alpha) = E[(s/lam) (1 - alpha lam)^(2T)],
    its minimiser alpha_T, the limit of alpha_T, and gradient flow. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law.
Open Scope R_scope.

Definition loss (P : law) (T : nat) (a : R) : R :=
  E P (fun s => s * / (1 + s) * residual a s ^ (2 * T)).
Definition slope (P : law) (T : nat) (a : R) : R :=
  - INR (2 * T) * E P (fun s => s * residual a s ^ (2 * T - 1)).
Definition minimiser (P : law) (T : nat) (a : R) : Prop := forall b, loss P T a <= loss P T b.

(** * Powers *)

Lemma pow_even_nonneg : forall x n, 0 <= x ^ (2 * n).
Proof. intros x n. rewrite pow_mult. apply pow_le, pow2_ge_0. Qed.

Lemma pow_odd_opp : forall x n, (- x) ^ S (2 * n) = - x ^ S (2 * n).
Proof. 
  intros x n. change (- x * (- x) ^ (2 * n) = - (x * x ^ (2 * n))).
  rewrite !pow_mult. replace ((- x) ^ 2) with (x ^ 2); ring.
Qed.

Lemma pow2_pos : forall x, x <> 0 -> 0 < x ^ 2.
Proof. intros x Hx. replace (x ^ 2) with (Rsqr x) by (unfold Rsqr; ring). now apply Rlt_0_sqr. Qed.

Lemma odd_exponent : forall T, (1 <= T)%nat -> (2 * T - 1 = S (2 * (T - 1)))%nat.
Proof. lia. Qed.

(** The tangent of a power stays below it on the half-line. *)
Lemma tangent_power : forall n u v, 0 <= u -> 0 <= v ->
  u ^ S n + INR (S n) * u ^ n * (v - u) <= v ^ S n.
Proof.
  intros n u v Hu Hv. induction n as [|n IH]; [simpl; lra |].
  assert (0 <= INR (S n) * u ^ n * (v - u) ^ 2).
  { apply Rmult_le_pos; [apply Rmult_le_pos; [apply pos_INR | now apply pow_le] | apply pow2_ge_0]. }
  apply Rle_trans with (v * (u ^ S n + INR (S n) * u ^ n * (v - u))).
  - rewrite (S_INR (S n)). simpl pow in *. nra.
  - simpl pow at 2. apply Rmult_le_compat_l; assumption.
Qed.

(** The tangent of an even power stays below it, by a square. *)
Lemma tangent_even : forall n x y,
  x ^ (2 * S n) + INR (2 * S n) * x ^ S (2 * n) * (y - x) + INR (S n) * x ^ (2 * n) * (y - x) ^ 2
  <= y ^ (2 * S n).
Proof.
  intros n x y. pose proof (tangent_power n (x ^ 2) (y ^ 2) (pow2_ge_0 x) (pow2_ge_0 y)) as H.
  rewrite <- !pow_mult in H. rewrite mult_INR. simpl (INR 2).
  replace (x ^ S (2 * n)) with (x * x ^ (2 * n)) by reflexivity. nra.
Qed.

Lemma tangent_even_strict : forall n x y, x <> y ->
  x ^ (2 * S n) + INR (2 * S n) * x ^ S (2 * n) * (y - x) < y ^ (2 * S n).
Proof.
  intros n x y Hne. destruct (Req_dec x 0) as [-> | Hx].
  - rewrite !pow_i by lia. rewrite Rmult_0_r, Rmult_0_l, Rplus_0_l, pow_mult.
    now apply pow_lt, pow2_pos, not_eq_sym.
  - eapply Rlt_le_trans; [| apply tangent_even].
    rewrite <- Rplus_0_r at 1. apply Rplus_lt_compat_l.
    apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat |].
    + apply lt_0_INR; lia.
    + rewrite pow_mult. now apply pow_lt, pow2_pos.
    + now apply pow2_pos, Rminus_eq_contra, not_eq_sym.
Qed.

Lemma tangent_even_weak : forall n x y,
  x ^ (2 * S n) + INR (2 * S n) * x ^ S (2 * n) * (y - x) <= y ^ (2 * S n).
Proof.
  intros n x y. destruct (Req_dec x y) as [-> | Hne].
  - replace (y - y) with 0 by ring. rewrite Rmult_0_r, Rplus_0_r. apply Rle_refl.
  - now apply Rlt_le, tangent_even_strict.
Qed.

Section OneParameter.
Variable P : law.

(** * Convexity *)

Lemma residual_difference : forall a b s, residual b s - residual a s = (a - b) * (1 + s).
Proof. intros. unfold residual. ring. Qed.

Lemma dom_loss : forall T a, dom P (fun s => s * / (1 + s) * residual a s ^ (2 * T)).
Proof. intros. in_dom. Qed.

(** The distance from the loss to its tangent, as an expectation. *)
Lemma loss_above_tangent : forall n a b,
  loss P (S n) b - loss P (S n) a - slope P (S n) a * (b - a) =
  E P (fun s => s * (/ (1 + s) * (residual b s ^ (2 * S n)
    - (residual a s ^ (2 * S n) + INR (2 * S n) * residual a s ^ S (2 * n) * (residual b s - residual a s))))).
Proof.
  intros n a b. unfold loss, slope. rewrite odd_exponent by lia.
  replace (S n - 1)%nat with n by lia. symmetry.
  rewrite (E_ext_supp P _ (fun s => s * / (1 + s) * residual b s ^ (2 * S n)
    - s * / (1 + s) * residual a s ^ (2 * S n)
    - (- INR (2 * S n) * (b - a)) * (s * residual a s ^ S (2 * n)))).
  - rewrite (E_minus P (fun s => _ - _) (fun s => _ * (s * _))),
      (E_minus P (fun s => _ * _ ^ _) (fun s => _ * _ ^ _)), (E_scal P _ (fun s => s * _)) by in_dom. ring.
  - in_dom.
  - in_dom.
  - intros s Hs. apply supp_nonneg in Hs. rewrite residual_difference. field. lra.
Qed.

(** The loss is strictly convex: it lies strictly above each of its tangents. *)
Theorem loss_strictly_convex : forall T a b, (1 <= T)%nat -> a <> b ->
  loss P T a + slope P T a * (b - a) < loss P T b.
Proof.
  intros [|n] a b HT Hab; [lia |].
  assert (0 < loss P (S n) b - loss P (S n) a - slope P (S n) a * (b - a)); [| lra].
  rewrite loss_above_tangent. pose proof (lo_nonneg P) as Hl. apply E_pos_low.
  - in_dom.
  - intros s Hs. apply Rmult_le_pos; [apply Rlt_le, Rinv_0_lt_compat; lra |].
    apply Rge_le, Rge_minus, Rle_ge, tangent_even_weak.
  - unfold residual. reg. lra.
  - apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat; lra |].
    apply Rgt_minus, tangent_even_strict. intros Heq.
    pose proof (residual_difference a b (lo P)) as H. rewrite Heq in H.
    assert (Hz : (a - b) * (1 + lo P) = 0) by lra.
    apply Rmult_integral in Hz. destruct Hz; lra.
Qed.

(** The slope is strictly increasing. *)
Theorem slope_increasing : forall T a b, (1 <= T)%nat -> a < b -> slope P T a < slope P T b.
Proof.
  intros T a b HT Hab.
  pose proof (loss_strictly_convex T a b HT) as H. pose proof (loss_strictly_convex T b a HT) as H'.
  nra.
Qed.

(** * The slope is the derivative of the loss *)

Lemma derivable_pt_lim_ext : forall f g x l, (forall y, f y = g y) ->
  derivable_pt_lim f x l -> derivable_pt_lim g x l.
Proof.
  intros f g x l Hfg H eps Heps. destruct (H eps Heps) as [d Hd].
  exists d. intros h. rewrite <- !Hfg. apply Hd.
Qed.

Lemma E_residual_step : forall f n a, dom P f ->
  E P (fun s => f s * residual a s ^ S n) =
  E P (fun s => f s * residual a s ^ n) - a * E P (fun s => f s * (1 + s) * residual a s ^ n).
Proof.
  intros f n a Hf.
  rewrite (E_ext P _ (fun s => f s * residual a s ^ n - a * (f s * (1 + s) * residual a s ^ n))).
  - rewrite E_minus, E_scal by in_dom. reflexivity.
  - in_dom.
  - intros s. unfold residual. simpl. ring.
Qed.

Lemma derivable_moment : forall n f a, dom P f ->
  derivable_pt_lim (fun b => E P (fun s => f s * residual b s ^ n)) a
    (- INR n * E P (fun s => f s * (1 + s) * residual a s ^ (n - 1))).
Proof.
  induction n as [|n IH]; intros f a Hf.
  - apply (derivable_pt_lim_ext (fun _ => E P (fun s => f s * 1))); [reflexivity |].
    replace (- INR 0 * _) with 0 by (simpl; ring). apply derivable_pt_lim_const.
  - apply (derivable_pt_lim_ext (fun b => E P (fun s => f s * residual b s ^ n)
      - id b * E P (fun s => f s * (1 + s) * residual b s ^ n))).
    { intros b. rewrite E_residual_step by assumption. reflexivity. }
    assert (Hf' : dom P (fun s => f s * (1 + s))) by in_dom.
    pose proof (derivable_pt_lim_minus _ _ _ _ _ (IH f a Hf)
      (derivable_pt_lim_mult _ _ _ _ _ (derivable_pt_lim_id a) (IH _ a Hf'))) as H.
    unfold minus_fct, mult_fct in H.
    replace (- INR (S n) * _) with (- INR n * E P (fun s => f s * (1 + s) * residual a s ^ (n - 1)) -
      (1 * E P (fun s => f s * (1 + s) * residual a s ^ n)
       + id a * (- INR n * E P (fun s => f s * (1 + s) * (1 + s) * residual a s ^ (n - 1))))).
    { exact H. }
    replace (S n - 1)%nat with n by lia. unfold id. rewrite S_INR.
    destruct n as [|n]; [simpl; ring |]. replace (S n - 1)%nat with n by lia.
    rewrite (E_residual_step (fun s => f s * (1 + s)) n a Hf'). ring.
Qed.

(** Differentiation under the expectation: [slope] is dL_T / dalpha. *)
Theorem slope_is_derivative : forall T a, derivable_pt_lim (loss P T) a (slope P T a).
Proof.
  intros T a. unfold slope.
  rewrite (E_ext_supp P _ (fun s => s * / (1 + s) * (1 + s) * residual a s ^ (2 * T - 1))).
  - apply derivable_moment. in_dom.
  - in_dom.
  - in_dom.
  - intros s Hs. apply supp_nonneg in Hs. field. lra.
Qed.

Lemma slope_continuous : forall T, continuity (slope P T).
Proof.
  intros T a. unfold slope. apply continuity_pt_mult; [now apply continuity_const |].
  apply derivable_continuous_pt. eexists. apply (derivable_moment _ (fun s => s)). in_dom.
Qed.

(** * The minimiser alpha_T *)

Lemma slope_sign : forall T a, 0 <= E P (fun s => s * residual a s ^ (2 * T - 1)) -> slope P T a <= 0.
Proof. intros T a H. unfold slope. pose proof (pos_INR (2 * T)). nra. Qed.

Lemma slope_at_upper_end : forall T, (1 <= T)%nat -> slope P T (/ (1 + hi P)) <= 0.
Proof.
  intros T HT. apply slope_sign. pose proof (lo_nonneg P) as Hl. pose proof (hi_pos P) as Hh.
  apply E_nonneg; [in_dom |]. intros s [-> | Hs]; [lra |].
  apply Rmult_le_pos; [lra |]. apply pow_le. unfold residual.
  assert (/ (1 + hi P) * (1 + hi P) = 1) by (apply Rinv_l; lra).
  assert (0 < / (1 + hi P)) by (apply Rinv_0_lt_compat; lra). nra.
Qed.

Lemma slope_at_lower_end : forall T, (1 <= T)%nat -> 0 <= slope P T (/ (1 + lo P)).
Proof.
  intros T HT. unfold slope. pose proof (lo_nonneg P) as Hl. rewrite odd_exponent by assumption.
  assert (0 <= - E P (fun s => s * residual (/ (1 + lo P)) s ^ S (2 * (T - 1)))).
  { rewrite <- E_opp by in_dom. apply E_nonneg; [in_dom |]. intros s [-> | Hs]; [lra |].
    rewrite Ropp_mult_distr_r, <- pow_odd_opp.
    apply Rmult_le_pos; [lra |]. apply pow_le. unfold residual.
    assert (/ (1 + lo P) * (1 + lo P) = 1) by (apply Rinv_l; lra).
    assert (0 < / (1 + lo P)) by (apply Rinv_0_lt_compat; lra). nra. }
  pose proof (pos_INR (2 * T)). nra.
Qed.

Lemma critical_point_exists : forall T, (1 <= T)%nat ->
  exists a, / (1 + hi P) <= a <= / (1 + lo P) /\ slope P T a = 0.
Proof.
  intros T HT. pose proof (slope_at_lower_end T HT) as H1. pose proof (slope_at_upper_end T HT) as H2.
  pose proof (lo_nonneg P). pose proof (lo_hi P).
  destruct (IVT_cor (slope P T) (/ (1 + hi P)) (/ (1 + lo P)) (slope_continuous T)) as [a [Ha Hz]].
  - apply Rinv_le_contravar; lra.
  - nra.
  - exists a. split; assumption.
Qed.

Lemma critical_is_minimiser : forall T a, (1 <= T)%nat -> slope P T a = 0 -> minimiser P T a.
Proof.
  intros T a HT Hz b. destruct (Req_dec a b) as [-> | Hne]; [lra |].
  pose proof (loss_strictly_convex T a b HT Hne). rewrite Hz in *. lra.
Qed.

Lemma minimiser_unique : forall T a b, (1 <= T)%nat -> minimiser P T a -> minimiser P T b -> a = b.
Proof.
  intros T a b HT Ha Hb. destruct (critical_point_exists T HT) as [c [_ Hc]].
  assert (H : forall x, minimiser P T x -> x = c).
  { intros x Hx. destruct (Req_dec c x) as [-> | Hne]; [reflexivity | exfalso].
    pose proof (loss_strictly_convex T c x HT Hne) as H. rewrite Hc in H. specialize (Hx c). lra. }
  rewrite (H a Ha), (H b Hb). reflexivity.
Qed.

(** The loss has exactly one minimiser alpha_T. *)
Theorem minimiser_exists : forall T, (1 <= T)%nat ->
  exists a, minimiser P T a /\ forall b, minimiser P T b -> b = a.
Proof.
  intros T HT. destruct (critical_point_exists T HT) as [a [_ Hz]]. exists a.
  pose proof (critical_is_minimiser T a HT Hz) as Ha. split; [exact Ha |].
  intros b Hb. now apply (minimiser_unique T).
Qed.

(** alpha_T lies between 1/(1 + m_hi) and 1/(1 + m_lo). *)
Theorem minimiser_bounds : forall T a, (1 <= T)%nat -> minimiser P T a ->
  / (1 + hi P) <= a <= / (1 + lo P).
Proof.
  intros T a HT Ha. destruct (critical_point_exists T HT) as [b [Hb Hz]].
  rewrite (minimiser_unique T a b); auto using critical_is_minimiser.
Qed.

(** alpha_T is the only zero of the slope. *)
Theorem minimiser_iff_critical : forall T a, (1 <= T)%nat -> (minimiser P T a <-> slope P T a = 0).
Proof.
  intros T a HT. split; [| now apply critical_is_minimiser].
  intros Ha. destruct (critical_point_exists T HT) as [b [_ Hz]].
  rewrite (minimiser_unique T a b); auto using critical_is_minimiser.
Qed.

(** The sign of the slope at one weight says on which side of it alpha_T lies. *)
Theorem minimiser_above : forall T a b, (1 <= T)%nat -> minimiser P T a -> slope P T b < 0 -> b < a.
Proof.
  intros T a b HT Ha Hb. apply minimiser_iff_critical in Ha; [| assumption].
  destruct (Rtotal_order b a) as [H | [-> | H]]; [assumption | lra |].
  pose proof (slope_increasing T a b HT H). lra.
Qed.

Theorem minimiser_below : forall T a b, (1 <= T)%nat -> minimiser P T a -> 0 < slope P T b -> a < b.
Proof.
  intros T a b HT Ha Hb. apply minimiser_iff_critical in Ha; [| assumption].
  destruct (Rtotal_order a b) as [H | [-> | H]]; [assumption | lra |].
  pose proof (slope_increasing T b a HT H). lra.
Qed.

End OneParameter.
