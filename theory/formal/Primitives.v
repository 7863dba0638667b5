(** Polynomials with integer coefficients, low powers first: primitives of f(x) x^k, of f(x)/x and of f(x) r^n with
    an affine r, each in closed form and as rational numbers that compute. *)
From Coq Require Import Reals ZArith QArith Qreals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Formal Require Import LayerwiseCertificates.
Import ListNotations.
Open Scope R_scope.

Definition evaluateQ (c : list Z) (x : Q) : Q := fold_right (fun a y => inject_Z a + x * y)%Q 0%Q c.

Lemma inject_R : forall z, Q2R (inject_Z z) = IZR z.
Proof. intros z. unfold Q2R. simpl. now rewrite Rinv_1, Rmult_1_r. Qed.

Lemma Q2R_0 : Q2R 0 = 0.
Proof. apply (inject_R 0). Qed.

Lemma evaluateQ_R : forall c x, Q2R (evaluateQ c x) = evaluateR c (Q2R x).
Proof.
  induction c as [|a c IH]; intros x; simpl; [apply Q2R_0 |]. now rewrite Q2R_plus, Q2R_mult, inject_R, IH.
Qed.

Lemma evaluate_cons : forall a c x, evaluateR (a :: c) x = IZR a + x * evaluateR c x.
Proof. reflexivity. Qed.

(** f (u + v x) *)
Fixpoint times_linear (u v carry : Z) (c : list Z) : list Z :=
  match c with [] => [carry] | a :: c' => (u * a + carry)%Z :: times_linear u v (v * a) c' end.

Lemma times_linear_R : forall u v c carry x,
  evaluateR (times_linear u v carry c) x = IZR carry + (IZR u + IZR v * x) * evaluateR c x.
Proof.
  intros u v c; induction c as [|a c IH]; intros carry x; simpl; [ring |].
  rewrite IH, plus_IZR, !mult_IZR. ring.
Qed.

(** (x - a)^i (b - x)^j *)
Definition two_powers (a b : Z) (i j : nat) : list Z :=
  Nat.iter i (times_linear (- a) 1 0) (Nat.iter j (times_linear b (-1) 0) [1%Z]).

Lemma two_powers_R : forall a b i j x, evaluateR (two_powers a b i j) x = (x - IZR a) ^ i * (IZR b - x) ^ j.
Proof.
  intros a b i j x. unfold two_powers. induction i as [|i IH]; simpl.
  - induction j as [|j IH]; simpl; [ring | rewrite times_linear_R, IH; ring].
  - rewrite times_linear_R, IH, opp_IZR. ring.
Qed.

(** The derivative of x^k f(x) is x^(k-1) times this. *)
Fixpoint differentiate (k : positive) (c : list Z) : list Z :=
  match c with [] => [] | a :: c' => (Zpos k * a)%Z :: differentiate (Pos.succ k) c' end.

(** x^k times this has the derivative x^(k-1) f(x). *)
Fixpoint primitiveR (k : positive) (c : list Z) (x : R) : R :=
  match c with [] => 0 | a :: c' => IZR a / IZR (Zpos k) + x * primitiveR (Pos.succ k) c' x end.
Fixpoint primitiveQ (k : positive) (c : list Z) (x : Q) : Q :=
  match c with [] => 0%Q | a :: c' => ((a # k) + x * primitiveQ (Pos.succ k) c' x)%Q end.

Lemma primitiveQ_R : forall c k x, Q2R (primitiveQ k c x) = primitiveR k c (Q2R x).
Proof.
  induction c as [|a c IH]; intros k x; simpl; [apply Q2R_0 |]. now rewrite Q2R_plus, Q2R_mult, IH.
Qed.

Lemma pred_succ : forall k, pred (Pos.to_nat (Pos.succ k)) = Pos.to_nat k.
Proof. intros. lia. Qed.

Lemma power_derive : forall k (x : R),
  is_derive (fun x => x ^ Pos.to_nat k) x (IZR (Zpos k) * x ^ pred (Pos.to_nat k)).
Proof.
  intros k x. auto_derive; [trivial |]. rewrite INR_IZR_INZ, positive_nat_Z. ring.
Qed.

Lemma derive_eq : forall (f : R -> R) x (a b : R), is_derive f x a -> a = b -> is_derive f x b.
Proof. intros f x a b H <-. exact H. Qed.

Lemma derive_ext : forall (f g : R -> R) x a, (forall t, f t = g t) -> is_derive f x a -> is_derive g x a.
Proof. intros f g x a H. exact (is_derive_ext f g x a H). Qed.

Lemma derive_const : forall (c x : R), is_derive (fun _ => c) x 0.
Proof. intros c x. exact (is_derive_const (V := R_NormedModule) c x). Qed.

Lemma derive_add : forall (f g : R -> R) x a b, is_derive f x a -> is_derive g x b ->
  is_derive (fun x => f x + g x) x (a + b).
Proof. intros f g x a b Hf Hg. exact (is_derive_plus (V := R_NormedModule) f g x a b Hf Hg). Qed.

Lemma derive_times : forall (f : R -> R) c x a, is_derive f x a -> is_derive (fun x => c * f x) x (c * a).
Proof. intros f c x a Hf. exact (is_derive_scal f x c a Hf). Qed.

Lemma differentiate_correct : forall c k x,
  is_derive (fun x => x ^ Pos.to_nat k * evaluateR c x) x
    (x ^ pred (Pos.to_nat k) * evaluateR (differentiate k c) x).
Proof.
  induction c as [|a c IH]; intros k x; cbn [differentiate]; [simpl evaluateR | rewrite evaluate_cons].
  - apply (derive_ext (fun _ => 0)); [intros; ring |]. rewrite Rmult_0_r. apply derive_const.
  - apply (derive_ext (fun x => IZR a * x ^ Pos.to_nat k + x ^ Pos.to_nat (Pos.succ k) * evaluateR c x)).
    + intros t. rewrite evaluate_cons, Pos2Nat.inj_succ, <- tech_pow_Rmult. ring.
    + eapply derive_eq; [apply derive_add; [apply derive_times, power_derive | apply IH] |].
      rewrite ?evaluate_cons, pred_succ, mult_IZR. pose proof (Pos2Nat.is_pos k) as Hk.
      destruct (Pos.to_nat k) as [|n]; [lia |]. simpl pred. rewrite <- tech_pow_Rmult. ring.
Qed.

Lemma evaluate_derive : forall c x, is_derive (evaluateR c) x (evaluateR (differentiate 1 (tl c)) x).
Proof.
  intros [|a c] x; [apply derive_const |].
  apply (derive_ext (fun x => IZR a + x ^ Pos.to_nat 1 * evaluateR c x)).
  - intros t. rewrite pow_1. reflexivity.
  - eapply derive_eq; [apply derive_add; [apply derive_const | apply differentiate_correct] |].
    simpl tl. change (pred (Pos.to_nat 1)) with 0%nat. simpl pow. unfold zero; simpl. ring.
Qed.

Lemma evaluate_continuous : forall c (x : R), continuous (evaluateR c) x.
Proof.
  intros c x. apply (@ex_derive_continuous R_AbsRing R_NormedModule). eexists. apply evaluate_derive.
Qed.

Lemma primitive_correct : forall c k x,
  is_derive (fun x => x ^ Pos.to_nat k * primitiveR k c x) x (x ^ pred (Pos.to_nat k) * evaluateR c x).
Proof.
  induction c as [|a c IH]; intros k x; simpl evaluateR; simpl primitiveR.
  - apply (derive_ext (fun _ => 0)); [intros; ring |]. rewrite Rmult_0_r. apply derive_const.
  - apply (derive_ext
      (fun x => IZR a / IZR (Zpos k) * x ^ Pos.to_nat k + x ^ Pos.to_nat (Pos.succ k) * primitiveR (Pos.succ k) c x)).
    + intros t. rewrite Pos2Nat.inj_succ, <- tech_pow_Rmult. ring.
    + eapply derive_eq; [apply derive_add; [apply derive_times, power_derive | apply IH] |].
      rewrite pred_succ. assert (Hk : IZR (Zpos k) <> 0) by (apply not_0_IZR; lia).
      pose proof (Pos2Nat.is_pos k) as Hn. destruct (Pos.to_nat k) as [|n]; [lia |]. simpl pred.
      rewrite <- tech_pow_Rmult. field. exact Hk.
Qed.

(** A primitive of f. *)
Definition integralR (c : list Z) (x : R) : R := x * primitiveR 1 c x.
Definition integralQ (c : list Z) (x : Q) : Q := (x * primitiveQ 1 c x)%Q.

Lemma integralQ_R : forall c x, Q2R (integralQ c x) = integralR c (Q2R x).
Proof. intros. unfold integralQ. now rewrite Q2R_mult, primitiveQ_R. Qed.

Lemma integral_correct : forall c x, is_derive (integralR c) x (evaluateR c x).
Proof.
  intros c x. apply (derive_ext (fun x => x ^ Pos.to_nat 1 * primitiveR 1 c x)).
  - intros t. now rewrite pow_1.
  - eapply derive_eq; [apply primitive_correct |]. change (pred (Pos.to_nat 1)) with 0%nat. simpl. ring.
Qed.

(** A primitive of f(x)/x. *)
Definition over_x (c : list Z) (x : R) : R := IZR (hd 0%Z c) * ln x + integralR (tl c) x.

Lemma over_x_correct : forall c x, 0 < x -> is_derive (over_x c) x (evaluateR c x / x).
Proof.
  intros c x Hx. unfold over_x.
  eapply derive_eq.
  - apply derive_add; [apply derive_times, is_derive_ln; exact Hx | apply integral_correct].
  - destruct c as [|a c]; simpl; field; lra.
Qed.

(** By parts: - r^k times this has the derivative f(x) r^(k-1), r = t - x.  n is the number of coefficients.  Fractions
    are reduced where x is one: denominators do not pile up at a whole x. *)
Fixpoint by_partsR (n : nat) (c : list Z) (k : positive) (r x : R) : R :=
  match n with
  | O => 0
  | S n => (evaluateR c x + r * by_partsR n (differentiate 1 (tl c)) (Pos.succ k) r x) / IZR (Zpos k)
  end.
Definition reduced_at (x y : Q) : Q := if Pos.eqb (Qden x) 1 then y else Qred y.
Fixpoint by_partsQ (n : nat) (c : list Z) (k : positive) (r x : Q) : Q :=
  match n with
  | O => 0
  | S n => reduced_at x ((evaluateQ c x + r * by_partsQ n (differentiate 1 (tl c)) (Pos.succ k) r x) * (1 # k))
  end%Q.

Lemma unit_fraction : forall k, Q2R (1 # k) = / IZR (Zpos k).
Proof. intros k. unfold Q2R. simpl. ring. Qed.

Lemma by_partsQ_R : forall n c k r x, Q2R (by_partsQ n c k r x) = by_partsR n c k (Q2R r) (Q2R x).
Proof.
  induction n as [|n IH]; intros c k r x; cbn [by_partsQ by_partsR]; [apply Q2R_0 |].
  assert (Hred : forall y, Q2R (reduced_at x y) = Q2R y).
  { intros y. unfold reduced_at. destruct (Pos.eqb _ _); [reflexivity | apply Qeq_eqR, Qred_correct]. }
  rewrite Hred, Q2R_mult, Q2R_plus, Q2R_mult, evaluateQ_R, IH, unit_fraction. reflexivity.
Qed.

Lemma differentiate_length : forall c k, length (differentiate k c) = length c.
Proof. induction c as [|a c IH]; intros k; simpl; [reflexivity | now rewrite IH]. Qed.

Lemma by_parts_correct : forall t n c k x, (length c <= n)%nat ->
  is_derive (fun x => - ((t - x) ^ Pos.to_nat k * by_partsR n c k (t - x) x)) x
    (evaluateR c x * (t - x) ^ pred (Pos.to_nat k)).
Proof.
  intros t n; induction n as [|n IH]; intros c k x Hn; simpl by_partsR.
  - destruct c; [| simpl in Hn; lia]. simpl. apply (derive_ext (fun _ => 0)); [intros; ring |].
    rewrite Rmult_0_l. apply derive_const.
  - assert (Hk : IZR (Zpos k) <> 0) by (apply not_0_IZR; lia).
    assert (Hlen : (length (differentiate 1 (tl c)) <= n)%nat).
    { rewrite differentiate_length. destruct c; simpl in *; lia. }
    pose proof (IH (differentiate 1 (tl c)) (Pos.succ k) x Hlen) as Hrest.
    assert (Hpower : is_derive (fun x => (t - x) ^ Pos.to_nat k) x
      (- IZR (Zpos k) * (t - x) ^ pred (Pos.to_nat k))).
    { auto_derive; [trivial |]. rewrite INR_IZR_INZ, positive_nat_Z. unfold Rminus. ring. }
    pose proof (is_derive_mult _ _ x _ _ (evaluate_derive c x) Hpower Rmult_comm) as Hfirst.
    unfold plus, mult in Hfirst; simpl in Hfirst.
    eapply derive_ext; [| eapply derive_eq;
      [exact (derive_times _ (/ IZR (Zpos k)) x _ (derive_add _ _ x _ _ (derive_times _ (-1) x _ Hfirst) Hrest)) |]].
    + intros y. simpl. rewrite Pos2Nat.inj_succ, <- tech_pow_Rmult. field. assumption.
    + rewrite pred_succ. field. assumption.
Qed.
