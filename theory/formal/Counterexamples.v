(** Tempting strengthenings that are false, each refuted by a law with few atoms. *)
From Coq Require Import Reals ZArith List Lra Lia.
From Formal Require Import Law OneParameter FiniteLaw.
Import ListNotations.
Open Scope R_scope.

(** Atoms 1 and 4 with masses 1/3 and 2/3. *)
Definition two_atoms : law := finite (mk_table 1 1 4 [(1, 1); (4, 2)]%Z) eq_refl.

(** Atoms 1, 2 and 5 with masses 1/2, 1/3 and 1/6. *)
Definition three_atoms : law := finite (mk_table 1 1 5 [(1, 3); (2, 2); (5, 1)]%Z) eq_refl.

(** The norm is constant: s = 1. *)
Definition constant_norm : law := finite (mk_table 1 1 1 [(1, 1)]%Z) eq_refl.

Ltac compute_expectation :=
  unfold two_atoms, three_atoms, constant_norm, slope, finite, residual, above, mean, total, weight, value;
  simpl.

(** The one inequality must be strict: with equality at n = 1, alpha_1 is the weight itself. *)
Theorem one_inequality_must_be_strict :
  let P := two_atoms in let a := 3 / 14 in let c := a * (1 + hi P) - 1 in
  0 < c /\
  E P (fun s => s * (- residual a s) ^ (2 * 1 - 1) * above 0 (- residual a s))
    = E P (fun s => s * residual a s ^ (2 * 1 - 1) * above c (residual a s)) /\
  minimiser P 1 a.
Proof.
  cbv zeta. repeat split.
  - compute_expectation. lra.
  - compute_expectation. repeat (destruct (Rlt_dec _ _); try lra).
  - apply minimiser_iff_critical; [lia |]. compute_expectation. lra.
Qed.

(** alpha_T may be exactly alpha* at one depth and away from it at the next: a table of depths proves
    no limit. *)
Theorem distance_to_limit_may_grow :
  let P := three_atoms in
  minimiser P 1 (alpha_star P) /\ ~ minimiser P 2 (alpha_star P).
Proof.
  assert (Ha : alpha_star three_atoms = / 4) by (unfold alpha_star; simpl; lra).
  cbv zeta. rewrite Ha. split.
  - apply minimiser_iff_critical; [lia |]. compute_expectation. lra.
  - intros H. apply minimiser_iff_critical in H; [| lia]. revert H. compute_expectation. lra.
Qed.

(** For a constant norm the loss is flat to second order at alpha_T: its minimum is found by signs, not
    by curvature. *)
Theorem curvature_may_vanish :
  let P := constant_norm in
  minimiser P 2 (alpha_star P) /\ derivable_pt_lim (slope P 2) (alpha_star P) 0.
Proof.
  assert (Ha : alpha_star constant_norm = / 2) by (unfold alpha_star; simpl; lra).
  cbv zeta. rewrite Ha. split.
  - apply minimiser_iff_critical; [lia |]. compute_expectation. lra.
  - pose proof (derivable_pt_lim_scal _ (- INR (2 * 2)) _ _
      (derivable_moment constant_norm (2 * 2 - 1) (fun s => s) (/ 2) (dom_id constant_norm))) as H.
    replace 0 with (- INR (2 * 2) * (- INR (2 * 2 - 1)
      * E constant_norm (fun s => s * (1 + s) * residual (/ 2) s ^ (2 * 2 - 1 - 1)))); [exact H |].
    compute_expectation. lra.
Qed.
