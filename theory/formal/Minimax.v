(** Depth is minimax: alpha* minimises the worst residual over the support, and its value is kappa. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law.
Open Scope R_scope.

(** w is the worst residual of a: the maximum of |1 - a (1 + s)| over s in [m_lo, m_hi]. *)
Definition worst_residual (P : law) (a w : R) : Prop :=
  (forall s, lo P <= s <= hi P -> Rabs (residual a s) <= w) /\
  (exists s, lo P <= s <= hi P /\ Rabs (residual a s) = w).

(** The worst residual is taken at an end of the support. *)
Theorem worst_residual_at_ends : forall P a,
  worst_residual P a (Rmax (Rabs (residual a (lo P))) (Rabs (residual a (hi P)))).
Proof.
  intros P a. pose proof (lo_hi P). split.
  - intros s Hs. set (l := Rabs (residual a (lo P))). set (h := Rabs (residual a (hi P))).
    assert (Rabs (residual a s) <= l \/ Rabs (residual a s) <= h) as [H1 | H1].
    { unfold l, h, residual, Rabs. destruct (Rle_dec 0 a) as [Ha | Ha].
      - assert (a * (1 + lo P) <= a * (1 + s)) by nra. assert (a * (1 + s) <= a * (1 + hi P)) by nra.
        destruct (Rcase_abs (1 - a * (1 + s))), (Rcase_abs (1 - a * (1 + lo P))),
          (Rcase_abs (1 - a * (1 + hi P))); lra.
      - assert (a * (1 + lo P) >= a * (1 + s)) by nra. assert (a * (1 + s) >= a * (1 + hi P)) by nra.
        destruct (Rcase_abs (1 - a * (1 + s))), (Rcase_abs (1 - a * (1 + lo P))),
          (Rcase_abs (1 - a * (1 + hi P))); lra. }
    + eapply Rle_trans; [exact H1 | apply Rmax_l].
    + eapply Rle_trans; [exact H1 | apply Rmax_r].
  - unfold Rmax. destruct (Rle_dec _ _); [exists (hi P) | exists (lo P)]; split; trivial; lra.
Qed.

(** The worst residual of alpha* is kappa = (m_hi - m_lo) / (2 + m_lo + m_hi). *)
Theorem worst_residual_star : forall P, worst_residual P (alpha_star P) (kappa P).
Proof.
  intros P. split; [apply residual_star_bound |].
  exists (lo P). pose proof (lo_hi P). destruct (residual_star P) as [-> _].
  split; [lra |]. apply Rabs_right. pose proof (kappa_bounds P). lra.
Qed.

(** Every other weight does strictly worse: alpha* is the only minimiser of the worst residual. *)
Theorem minimax : forall P a w, worst_residual P a w -> a <> alpha_star P -> kappa P < w.
Proof.
  intros P a w [Hw _] Ha. pose proof (lo_hi P). pose proof (lo_nonneg P).
  destruct (residual_star P) as [Hl Hh].
  assert (H1 : Rabs (residual a (lo P)) <= w) by (apply Hw; lra).
  assert (H2 : Rabs (residual a (hi P)) <= w) by (apply Hw; lra).
  pose proof (Rle_abs (residual a (lo P))) as H3.
  pose proof (Rle_abs (- residual a (hi P))) as H4. rewrite Rabs_Ropp in H4.
  unfold residual in *. destruct (Rlt_dec a (alpha_star P)); nra.
Qed.
