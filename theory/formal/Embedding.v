(** From the layers to the losses: the embedding of a stack with scalar weights at infinite context, in
    every dimension, its component along an eigenvector, and the excess loss it leaves. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law OneParameter.
Open Scope R_scope.

(** * Vectors of R^d *)

Definition vector := nat -> R.

Fixpoint dot (d : nat) (u v : vector) : R :=
  match d with
  | O => 0
  | S k => dot k u v + u k * v k
  end.

Lemma dot_sym : forall d u v, dot d u v = dot d v u.
Proof. intros d u v. induction d as [|d IH]; simpl; [reflexivity | rewrite IH; ring]. Qed.

Lemma dot_linear : forall d u a v b w, dot d u (fun i => a * v i + b * w i) = a * dot d u v + b * dot d u w.
Proof. intros d u a v b w. induction d as [|d IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma dot_ext : forall d u v w, (forall i, v i = w i) -> dot d u v = dot d u w.
Proof. intros d u v w H. induction d as [|d IH]; simpl; [reflexivity | now rewrite IH, H]. Qed.

(** The covariance I + m m^T of the tokens, as a map of vectors. *)
Definition covariance (d : nat) (m : vector) (v : vector) : vector := fun i => v i + dot d m v * m i.

(** * The stack *)

(** F^t = F^(t-1) + a_t x + b_t Lambda F^(t-1) from F^0 = f0: layer t has W_S = a_t I and W_V = b_t I. *)
Fixpoint embedding (Lambda : vector -> vector) (a b : nat -> R) (f0 x : vector) (t : nat) : vector :=
  match t with
  | O => f0
  | S k => fun i => embedding Lambda a b f0 x k i + a k * x i
                    + b k * Lambda (embedding Lambda a b f0 x k) i
  end.

(** The same recurrence along one eigenvector of eigenvalue lam. *)
Fixpoint filter (lam : R) (a b : nat -> R) (p0 : R) (t : nat) : R :=
  match t with
  | O => p0
  | S k => filter lam a b p0 k + a k + b k * lam * filter lam a b p0 k
  end.

(** u is an eigenvector of the transpose of Lambda; a covariance is symmetric. *)
Definition eigenvector (d : nat) (Lambda : vector -> vector) (u : vector) (lam : R) : Prop :=
  forall v, dot d u (Lambda v) = lam * dot d u v.

(** Whatever Lambda, the weights and the dimension: the component of the embedding along an eigenvector
    is the component of the token times the filter of its eigenvalue. *)
Theorem embedding_along_eigenvector : forall d Lambda a b p0 x u lam t, eigenvector d Lambda u lam ->
  dot d u (embedding Lambda a b (fun i => p0 * x i) x t) = filter lam a b p0 t * dot d u x.
Proof.
  intros d Lambda a b p0 x u lam t Hu. induction t as [|t IH]; simpl.
  - rewrite (dot_ext d u _ (fun i => p0 * x i + 0 * x i)), dot_linear by (intros; ring). ring.
  - set (F := embedding Lambda a b (fun i => p0 * x i) x t) in *.
    rewrite (dot_ext d u _ (fun i => 1 * (1 * F i + a t * x i) + b t * Lambda F i)) by (intros; ring).
    rewrite dot_linear, dot_linear, Hu, IH. ring.
Qed.

(** For Lambda = I + m m^T: m has the eigenvalue 1 + ||m||^2, and its complement the eigenvalue 1. *)
Theorem factor_is_eigenvector : forall d m, eigenvector d (covariance d m) m (1 + dot d m m).
Proof.
  intros d m v. unfold covariance.
  rewrite (dot_ext d m _ (fun i => 1 * v i + dot d m v * m i)), dot_linear by (intros; ring). ring.
Qed.

Theorem complement_is_eigenvector : forall d m u, dot d u m = 0 -> eigenvector d (covariance d m) u 1.
Proof.
  intros d m u H v. unfold covariance.
  rewrite (dot_ext d u _ (fun i => 1 * v i + dot d m v * m i)), dot_linear, H by (intros; ring). ring.
Qed.

(** * Closed forms *)

(** The residual r_t = 1 - lam p_t obeys r_t = (1 + b_t lam) r_(t-1) - (a_t + b_t) lam. *)
Theorem residual_recurrence : forall lam a b p0 t,
  1 - lam * filter lam a b p0 (S t) =
  (1 + b t * lam) * (1 - lam * filter lam a b p0 t) - (a t + b t) * lam.
Proof. intros. simpl. ring. Qed.

Fixpoint residual_product (lam : R) (alpha : nat -> R) (t : nat) : R :=
  match t with
  | O => 1
  | S k => residual_product lam alpha k * (1 - alpha k * lam)
  end.

(** Weights of their own for each layer, a_t = - b_t = alpha_t: the residual is the product of the
    residuals of the layers. *)
Theorem layerwise_residual : forall lam alpha t,
  1 - lam * filter lam alpha (fun k => - alpha k) 0 t = residual_product lam alpha t.
Proof.
  intros lam alpha t. induction t as [|t IH]; [simpl; ring |].
  rewrite residual_recurrence, IH. simpl. ring.
Qed.

(** One parameter, a_t = - b_t = alpha: the residual is (1 - alpha lam)^T. *)
Theorem one_parameter_residual : forall lam alpha T,
  1 - lam * filter lam (fun _ => alpha) (fun _ => - alpha) 0 T = (1 - alpha * lam) ^ T.
Proof.
  intros lam alpha T. induction T as [|T IH]; [simpl; ring |].
  rewrite residual_recurrence, IH. simpl. ring.
Qed.

Fixpoint geometric_sum (x : R) (T : nat) : R :=
  match T with
  | O => 0
  | S k => geometric_sum x k + x ^ k
  end.

Lemma geometric_sum_closed : forall x T, (x - 1) * geometric_sum x T = x ^ T - 1.
Proof.
  intros x T. induction T as [|T IH]; [simpl; ring |].
  simpl geometric_sum. rewrite Rmult_plus_distr_l, IH. simpl. ring.
Qed.

Lemma geometric_sum_horner : forall x T, geometric_sum x (S T) = 1 + x * geometric_sum x T.
Proof.
  intros x T. induction T as [|T IH]; [simpl; ring |].
  change (geometric_sum x (S T) + x ^ S T = 1 + x * geometric_sum x (S T)).
  rewrite IH at 1. simpl. ring.
Qed.

(** Two parameters, a_t = alpha and b_t = beta: the filter is alpha times sum_(k < T) (1 + beta lam)^k. *)
Theorem two_parameter_filter : forall lam alpha beta T,
  filter lam (fun _ => alpha) (fun _ => beta) 0 T = alpha * geometric_sum (1 + beta * lam) T.
Proof.
  intros lam alpha beta T. induction T as [|T IH]; [simpl; ring |].
  rewrite geometric_sum_horner. simpl filter. rewrite IH. ring.
Qed.

(** For beta <> 0 the residual is 1 + (alpha / beta) (1 - (1 + beta lam)^T). *)
Theorem two_parameter_residual : forall lam alpha beta T, beta <> 0 ->
  1 - lam * filter lam (fun _ => alpha) (fun _ => beta) 0 T =
  1 + alpha / beta * (1 - (1 + beta * lam) ^ T).
Proof.
  intros lam alpha beta T Hb. rewrite two_parameter_filter.
  replace ((1 + beta * lam) ^ T) with ((1 + beta * lam - 1) * geometric_sum (1 + beta * lam) T + 1)
    by (rewrite geometric_sum_closed; ring).
  field. assumption.
Qed.

(** No skip connection, W_S = 0: from F^0 = 0 the embedding stays zero ... *)
Theorem no_skip_from_zero : forall lam b T, filter lam (fun _ => 0) b 0 T = 0.
Proof. intros lam b T. induction T as [|T IH]; simpl; [reflexivity | rewrite IH; ring]. Qed.

(** ... and from F^0 = X the filter is (1 + beta lam)^T. *)
Theorem no_skip_from_token : forall lam beta T,
  filter lam (fun _ => 0) (fun _ => beta) 1 T = (1 + beta * lam) ^ T.
Proof. intros lam beta T. induction T as [|T IH]; simpl; [reflexivity | rewrite IH; ring]. Qed.

(** * The excess loss *)

(** E (v . x)^2 for a centred x of covariance I + m m^T. *)
Definition second_moment (d : nat) (m v : vector) : R := dot d v (covariance d m v).

(** The predictor p m . x of the response m . x / lam + noise, against the Bayes predictor:
    the excess loss is (s / lam) (1 - lam p)^2. *)
Theorem excess_of_filter : forall d m p, 0 <= dot d m m ->
  second_moment d m (fun i => p * m i - m i / (1 + dot d m m)) =
  dot d m m / (1 + dot d m m) * (1 - (1 + dot d m m) * p) ^ 2.
Proof.
  intros d m p Hs. unfold second_moment, covariance. set (s := dot d m m) in *.
  set (v := fun i => p * m i - m i / (1 + s)).
  assert (Hv : dot d m v = (p - / (1 + s)) * s).
  { unfold v. rewrite (dot_ext d m _ (fun i => (p - / (1 + s)) * m i + 0 * m i)), dot_linear
      by (intros; field; lra). fold s. ring. }
  rewrite (dot_ext d v _ (fun i => dot d m v * m i + (p - / (1 + s)) * m i)), dot_linear, (dot_sym d v m), Hv
    by (intros; unfold v; field; lra).
  field. lra.
Qed.

Lemma dot_nonneg : forall d v, 0 <= dot d v v.
Proof. intros d v. induction d as [|d IH]; simpl; [lra | nra]. Qed.

(** The one-parameter loss is the expected excess of the stack it stands for. *)
Theorem loss_is_excess_of_stack : forall P T alpha,
  loss P T alpha =
  E P (fun s => s * / (1 + s) * (1 - (1 + s) * filter (1 + s) (fun _ => alpha) (fun _ => - alpha) 0 T) ^ 2).
Proof.
  intros P T alpha. unfold loss. apply E_ext; [in_dom |]. intros s.
  rewrite one_parameter_residual, <- pow_mult, (Nat.mul_comm T 2). reflexivity.
Qed.
