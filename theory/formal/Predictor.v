(** What the trained stack predicts for a prompt, in every dimension, and that it tends to the Bayes predictor. *)
From Coq Require Import Reals Lra Lia FunctionalExtensionality.
From Formal Require Import Law OneParameter OneParameterLimit Embedding Polynomial Layerwise TwoParameter
  TwoParameterBand TwoParameterLimit.
Open Scope R_scope.

(** At infinite context the read-out of x is zeta m . F(x), F the embedding from F^0 = 0; the Bayes predictor is
    w . x with w = zeta m / lam. *)
Definition prediction (d : nat) (m : vector) (zeta : R) (a b : nat -> R) (T : nat) (x : vector) : R :=
  zeta * dot d m (embedding (covariance d m) a b (fun _ => 0) x T).
Definition bayes_prediction (d : nat) (m : vector) (zeta : R) (x : vector) : R :=
  zeta * dot d m x / (1 + dot d m m).

(** Whatever the weights, the residual at the eigenvalue of m is the relative error: m is an eigenvector. *)
Theorem prediction_error : forall d m zeta a b T x,
  prediction d m zeta a b T x - bayes_prediction d m zeta x =
  - layers_residual a b T (1 + dot d m m) * bayes_prediction d m zeta x.
Proof.
  intros d m zeta a b T x. pose proof (dot_nonneg d m). unfold prediction, bayes_prediction, layers_residual.
  replace (fun _ : nat => 0) with (fun i => 0 * x i) by (apply functional_extensionality; intros; ring).
  rewrite (embedding_along_eigenvector d _ a b 0 x m (1 + dot d m m)) by apply factor_is_eigenvector.
  field. lra.
Qed.

(** A prompt without a signal is predicted without an error. *)
Lemma bayes_prediction_of_zero : forall d m zeta x, dot d m m = 0 -> bayes_prediction d m zeta x = 0.
Proof.
  intros d m zeta x H. unfold bayes_prediction. enough (dot d m x = 0) as -> by (unfold Rdiv; ring).
  induction d as [|d IH]; simpl in *; [reflexivity |].
  pose proof (dot_nonneg d m). assert (Hm : m d = 0) by nra. rewrite IH, Hm by nra. ring.
Qed.

(** A bound on the residual over the support bounds the error of every prompt. *)
Lemma error_bound : forall P d m zeta a b T x r, supp P (dot d m m) ->
  (forall s, lo P <= s <= hi P -> Rabs (layers_residual a b T (1 + s)) <= r) ->
  Rabs (prediction d m zeta a b T x - bayes_prediction d m zeta x) <= r * Rabs (bayes_prediction d m zeta x).
Proof.
  intros P d m zeta a b T x r [H0 | Hs] H; rewrite prediction_error, Rabs_mult, Rabs_Ropp.
  - rewrite bayes_prediction_of_zero, Rabs_R0 by exact H0. lra.
  - apply Rmult_le_compat_r; [apply Rabs_pos | now apply H].
Qed.

(** Theorem 6.2, for every prompt with ||m||^2 in the support: the prediction of the trained stack tends to that
    of Bayes, geometrically, and from the same depth on for all prompts. *)
Theorem predictor_converges : forall P, exists rho T0, 0 <= rho < 1 /\
  forall T alpha, (T0 <= T)%nat -> minimiser P T alpha ->
  forall d m zeta x, supp P (dot d m m) ->
  Rabs (prediction d m zeta (fun _ => alpha) (fun _ => - alpha) T x - bayes_prediction d m zeta x)
    <= rho ^ T * Rabs (bayes_prediction d m zeta x).
Proof.
  intros P. destruct (residual_rate P) as [rho [T0 [Hrho H]]]. exists rho, T0. split; [exact Hrho |].
  intros T alpha HT Ha d m zeta x Hs. apply (error_bound P); [exact Hs |]. intros s Hsup.
  unfold layers_residual. rewrite one_parameter_residual, <- RPow_abs.
  apply pow_incr. split; [apply Rabs_pos | now apply (H T)].
Qed.

(** Theorem 6.3, at every minimum in alpha with an excess of at most C kappa^(2T). *)
Theorem two_parameter_predictor_converges : forall P, lo P < hi P -> exists rho T0, 0 <= rho < 1 /\
  forall T alpha beta, (T0 <= T)%nat -> low_minimum P T alpha beta ->
  forall d m zeta x, supp P (dot d m m) ->
  Rabs (prediction d m zeta (fun _ => alpha) (fun _ => beta) T x - bayes_prediction d m zeta x)
    <= 2 * rho ^ T / (1 - rho ^ T) * Rabs (bayes_prediction d m zeta x).
Proof.
  intros P wide. destruct (two_parameter_rate P wide) as [rho [T0 [Hrho H]]]. exists rho, T0.
  split; [exact Hrho |]. intros T alpha beta HT Hlow d m zeta x Hs.
  apply (error_bound P); [exact Hs |]. intros s Hsup. now apply H.
Qed.
