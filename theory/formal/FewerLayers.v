(** Weights of their own for each layer reach with fewer layers what one shared weight reaches. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law OneParameter Depth Polynomial Layerwise ChebyshevBound.
Open Scope R_scope.

(** rho, the rate of the Chebyshev bound, is below kappa, that of a shared weight. *)
Lemma rho_below_kappa : forall P, lo P < hi P -> rho P < kappa P.
Proof.
  intros P wide. pose proof (rho_bounds P wide) as Hr. pose proof (kappa_of_rho P wide) as Hk.
  assert (Hpos : 0 < kappa P).
  { pose proof (lo_nonneg P). unfold kappa. apply Rdiv_lt_0_compat; lra. }
  apply Rnot_le_lt. intros H.
  assert (Hi : / rho P <= / kappa P) by (apply Rinv_le_contravar; lra).
  assert (1 < / rho P) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra). lra.
Qed.

(** Unless the norm is constant the least excess of depth T is, from some depth on, below any fraction of the
    excess of every stack of that depth with one shared weight. *)
Theorem fewer_layers : forall P, lo P < hi P -> forall eps, 0 < eps ->
  exists T1, forall T e alpha, (T1 <= T)%nat -> least_excess P T e -> e < eps * loss P T alpha.
Proof.
  intros P wide eps Heps. pose proof (rho_bounds P wide) as Hr. pose proof (rho_below_kappa P wide) as Hrk.
  pose proof (scale_pos P) as HC. set (r := (rho P + kappa P) / 2).
  destruct (rate_is_sharp P r) as [c [Hc Hlow]]; [unfold r; lra |].
  set (x := rho P / r). assert (Hrpos : 0 < r) by (unfold r; lra).
  assert (Hx : 0 <= x < 1).
  { unfold x. split; [apply Rmult_le_pos; [| apply Rlt_le, Rinv_0_lt_compat]; lra |].
    apply (Rmult_lt_reg_r r); [exact Hrpos |]. unfold Rdiv, r. rewrite Rmult_assoc, Rinv_l; lra. }
  destruct (pow_lt_1_zero x) with (y := eps * c / (4 * scale P)) as [N HN];
    [rewrite Rabs_right; lra | apply Rdiv_lt_0_compat; nra |].
  exists N. intros T e alpha HT He. specialize (HN (2 * T)%nat ltac:(lia)).
  assert (Hx0 : 0 <= x ^ (2 * T)) by (apply pow_le; lra). rewrite Rabs_right in HN by lra.
  assert (HrT : 0 < r ^ (2 * T)) by now apply pow_lt.
  assert (Hrho : rho P ^ (2 * T) = x ^ (2 * T) * r ^ (2 * T)).
  { rewrite <- Rpow_mult_distr. f_equal. unfold x. field. lra. }
  destruct (chebyshev_bound P wide T e He) as [H1 H2].
  apply Rle_lt_trans with (4 * scale P * rho P ^ (2 * T)); [lra |].
  apply Rlt_le_trans with (eps * (c * r ^ (2 * T))); [| apply Rmult_le_compat_l; [lra | apply Hlow]].
  rewrite Hrho, <- !Rmult_assoc. apply Rmult_lt_compat_r; [exact HrT |].
  apply (Rmult_lt_compat_l (4 * scale P)) in HN; [| lra].
  replace (4 * scale P * (eps * c / (4 * scale P))) with (eps * c) in HN by (field; lra). exact HN.
Qed.
