(** The least excess of depth T falls at least like rho^(2T): the Chebyshev bound, and weights that attain it. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law Polynomial Layerwise.
Open Scope R_scope.

Lemma residual_excess_bound : forall P n r M, degree n r -> 0 <= M ->
  (forall lam, 1 + lo P <= lam <= 1 + hi P -> - M <= r lam <= M) -> residual_excess P r <= scale P * M ^ 2.
Proof.
  intros P n r M Hr HM H. pose proof (poly_measurable P n r Hr) as Mr. unfold measurable in Mr.
  unfold scale. rewrite Rmult_comm, <- E_scal by in_dom. apply E_monotone; [in_dom .. |].
  intros s [-> | Hs]; [rewrite !Rmult_0_l, Rmult_0_r; lra |].
  rewrite Rmult_comm. apply Rmult_le_compat_r; [apply (weight_nonneg P); now right |].
  specialize (H (1 + s) ltac:(lra)). nra.
Qed.

(** rho = (sqrt l2 - sqrt l1) / (sqrt l2 + sqrt l1) *)
Definition rho (P : law) : R :=
  (sqrt (1 + hi P) - sqrt (1 + lo P)) / (sqrt (1 + hi P) + sqrt (1 + lo P)).

Section Chebyshev.
Variable P : law.
Hypothesis wide : lo P < hi P.

(** T_T, moved from [-1, 1] to [l2, l1] and scaled to be 1 at 0. *)
Definition chebyshev_residual (T : nat) (lam : R) : R :=
  chebyshev T (/ kappa P + - (2 / (hi P - lo P)) * lam) / chebyshev T (/ kappa P).

Lemma rho_bounds : 0 < rho P < 1.
Proof.
  pose proof (lo_nonneg P). unfold rho.
  assert (0 < sqrt (1 + lo P)) by (apply sqrt_lt_R0; lra).
  assert (sqrt (1 + lo P) < sqrt (1 + hi P)) by (apply sqrt_lt_1; lra).
  split; [apply Rdiv_lt_0_compat; lra |].
  apply (Rmult_lt_reg_r (sqrt (1 + hi P) + sqrt (1 + lo P))); [lra |].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma kappa_of_rho : / kappa P = (/ rho P + rho P) / 2.
Proof.
  pose proof (lo_nonneg P). unfold rho, kappa.
  assert (0 < sqrt (1 + lo P)) by (apply sqrt_lt_R0; lra).
  assert (sqrt (1 + lo P) < sqrt (1 + hi P)) by (apply sqrt_lt_1; lra).
  assert (Hl : 1 + lo P = sqrt (1 + lo P) ^ 2) by (simpl; rewrite Rmult_1_r, sqrt_sqrt; lra).
  assert (Hh : 1 + hi P = sqrt (1 + hi P) ^ 2) by (simpl; rewrite Rmult_1_r, sqrt_sqrt; lra).
  set (x := sqrt (1 + lo P)) in *. set (y := sqrt (1 + hi P)) in *.
  replace (hi P) with (y ^ 2 - 1) by lra. replace (lo P) with (x ^ 2 - 1) by lra.
  field. repeat split; nra.
Qed.

Lemma chebyshev_at_inv_kappa : forall T, chebyshev T (/ kappa P) = (/ rho P ^ T + rho P ^ T) / 2.
Proof.
  intros T. pose proof rho_bounds. rewrite kappa_of_rho, chebyshev_outside by (field; lra).
  now rewrite pow_inv.
Qed.

Lemma chebyshev_at_inv_kappa_pos : forall T, / (2 * rho P ^ T) < chebyshev T (/ kappa P).
Proof.
  intros T. pose proof rho_bounds. rewrite chebyshev_at_inv_kappa.
  assert (0 < rho P ^ T) by (apply pow_lt; lra). rewrite Rinv_mult. lra.
Qed.

Lemma chebyshev_nonzero : forall T, 0 < chebyshev T (/ kappa P).
Proof.
  intros T. pose proof rho_bounds.
  apply Rlt_trans with (/ (2 * rho P ^ T)); [| apply chebyshev_at_inv_kappa_pos].
  apply Rinv_0_lt_compat, Rmult_lt_0_compat; [lra | apply pow_lt; lra].
Qed.

Lemma chebyshev_residual_polynomial : forall T,
  degree T (chebyshev_residual T) /\ chebyshev_residual T 0 = 1.
Proof.
  intros T. pose proof (chebyshev_nonzero T). split.
  - apply (degree_ext _ (fun lam => / chebyshev T (/ kappa P) *
      chebyshev T (/ kappa P + - (2 / (hi P - lo P)) * lam))).
    + intros x. unfold chebyshev_residual, Rdiv. ring.
    + apply degree_scal, chebyshev_degree.
  - unfold chebyshev_residual. rewrite Rmult_0_r, Rplus_0_r. field. lra.
Qed.

Lemma chebyshev_residual_bound : forall T lam, 1 + lo P <= lam <= 1 + hi P ->
  - / chebyshev T (/ kappa P) <= chebyshev_residual T lam <= / chebyshev T (/ kappa P).
Proof.
  intros T lam Hl. pose proof (lo_nonneg P). pose proof (chebyshev_nonzero T) as Hc.
  assert (Hx : -1 <= / kappa P + - (2 / (hi P - lo P)) * lam <= 1).
  { replace (/ kappa P + - (2 / (hi P - lo P)) * lam) with ((2 + lo P + hi P - 2 * lam) / (hi P - lo P))
      by (unfold kappa; field; lra).
    split; apply (Rmult_le_reg_r (hi P - lo P)); try lra; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  pose proof (chebyshev_bounded T _ Hx) as Hb. unfold chebyshev_residual, Rdiv.
  pose proof (Rinv_0_lt_compat _ Hc). nra.
Qed.

(** e_T <= C / T_T(1/kappa)^2 <= 4 C rho^(2T). *)
Theorem chebyshev_bound : forall T e, least_excess P T e ->
  e <= scale P / chebyshev T (/ kappa P) ^ 2 /\
  scale P / chebyshev T (/ kappa P) ^ 2 <= 4 * scale P * rho P ^ (2 * T).
Proof.
  intros T e He. pose proof (chebyshev_nonzero T) as Hc. pose proof (scale_pos P) as HC.
  destruct (chebyshev_residual_polynomial T) as [Hd H0]. split.
  - apply Rle_trans with (residual_excess P (chebyshev_residual T)).
    { now apply (least_excess_polynomial P T). }
    replace (scale P / chebyshev T (/ kappa P) ^ 2) with (scale P * (/ chebyshev T (/ kappa P)) ^ 2)
      by (field; lra).
    apply (residual_excess_bound P T); trivial; [| apply chebyshev_residual_bound].
    apply Rlt_le, Rinv_0_lt_compat, Hc.
  - pose proof rho_bounds. pose proof (chebyshev_at_inv_kappa_pos T) as Hlow.
    assert (Hr : 0 < rho P ^ T) by (apply pow_lt; lra).
    assert (Hi : / chebyshev T (/ kappa P) <= 2 * rho P ^ T).
    { rewrite <- (Rinv_inv (2 * rho P ^ T)). apply Rlt_le, Rinv_lt_contravar; [| exact Hlow].
      apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat; lra | exact Hc]. }
    replace (2 * T)%nat with (T + T)%nat by lia. rewrite pow_add.
    replace (scale P / chebyshev T (/ kappa P) ^ 2) with (scale P * (/ chebyshev T (/ kappa P)) ^ 2)
      by (field; lra).
    replace (4 * scale P * (rho P ^ T * rho P ^ T)) with (scale P * (2 * rho P ^ T) ^ 2) by ring.
    apply Rmult_le_compat_l; [lra |]. apply pow_incr. split; [| exact Hi].
    apply Rlt_le, Rinv_0_lt_compat, Hc.
Qed.

(** The weights 1/z_k, z_k the Chebyshev nodes of [l1, l2], attain the bound. *)
Definition chebyshev_weight (T k : nat) : R :=
  2 / (2 + lo P + hi P - (hi P - lo P) * chebyshev_zero T k).

Theorem chebyshev_weights : forall T lam,
  prod (fun k => 1 - chebyshev_weight T k * lam) T = chebyshev_residual T lam.
Proof.
  intros T lam. pose proof (lo_nonneg P). pose proof (chebyshev_nonzero T) as Hc.
  destruct (chebyshev_residual_polynomial T) as [Hd H0].
  set (z := fun k => (2 + lo P + hi P - (hi P - lo P) * chebyshev_zero T k) / 2).
  assert (Hz : forall k, z k <> 0).
  { intros k. assert (chebyshev_zero T k <= 1) by apply COS_bound. unfold z. nra. }
  rewrite (product_of_roots T _ z Hd H0).
  - apply prod_ext. intros k _. unfold chebyshev_weight. f_equal. f_equal.
    specialize (Hz k). unfold z in *. field. lra.
  - intros k Hk. unfold chebyshev_residual.
    replace (/ kappa P + - (2 / (hi P - lo P)) * z k) with (chebyshev_zero T k)
      by (unfold z, kappa; field; lra).
    rewrite chebyshev_at_zero by exact Hk. unfold Rdiv. ring.
  - intros j k Hjk E. pose proof (chebyshev_zeros_distinct T j k Hjk). unfold z in E. nra.
Qed.

Theorem chebyshev_weights_bound : forall T,
  residual_excess P (fun lam => prod (fun k => 1 - chebyshev_weight T k * lam) T)
    <= scale P / chebyshev T (/ kappa P) ^ 2.
Proof.
  intros T. pose proof (chebyshev_nonzero T) as Hc. destruct (chebyshev_residual_polynomial T) as [Hd _].
  rewrite (residual_excess_ext P T _ (chebyshev_residual T)) by (apply degree_prod || apply chebyshev_weights).
  replace (scale P / chebyshev T (/ kappa P) ^ 2) with (scale P * (/ chebyshev T (/ kappa P)) ^ 2)
    by (field; lra).
  apply (residual_excess_bound P T); trivial; [| apply chebyshev_residual_bound].
  apply Rlt_le, Rinv_0_lt_compat, Hc.
Qed.

End Chebyshev.
