(** The gradient flow of the layers' weights: the excess falls, and the weights stay bounded. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law Polynomial Layerwise LayerwiseLandscape GaussNodes Coefficients UniformDerivative.
Open Scope R_scope.

(** f 0 + ... + f (n-1) *)
Fixpoint total (f : nat -> R) (n : nat) : R := match n with O => 0 | S m => total f m + f m end.

Lemma total_ext : forall f g n, (forall k, (k < n)%nat -> f k = g k) -> total f n = total g n.
Proof.
  intros f g n; induction n as [|n IH]; intros H; simpl; [reflexivity |].
  rewrite IH, H; [reflexivity | lia | intros; apply H; lia].
Qed.

Lemma total_scal : forall c f n, total (fun k => c * f k) n = c * total f n.
Proof. intros c f n; induction n as [|n IH]; simpl; [ring | rewrite IH; ring]. Qed.

Section Descent.
Variable P : law.

Lemma dom_total : forall (f : nat -> R -> R) n, (forall k, dom P (f k)) ->
  dom P (fun s => total (fun k => f k s) n).
Proof. intros f n Hf; induction n as [|n IH]; simpl; in_dom. Qed.

Lemma E_total : forall (f : nat -> R -> R) n, (forall k, dom P (f k)) ->
  E P (fun s => total (fun k => f k s) n) = total (fun k => E P (f k)) n.
Proof.
  intros f n Hf; induction n as [|n IH]; simpl; [apply E_const |].
  pose proof (dom_total f n Hf) as D. pose proof (Hf n) as Dn.
  rewrite (E_plus P (fun s => total (fun k => f k s) n) (f n)), IH by assumption. reflexivity.
Qed.

(** * The excess along any curve of weights *)

Section Curve.
Variables (x : nat -> R -> R) (t : R) (x' : nat -> R) (T : nat).
Hypothesis Hx : forall i, (i < T)%nat -> derivable_pt_lim (x i) t (x' i).

Let weights (u : R) : nat -> R := fun k => x k u.

Lemma stack_next : forall alpha m lam, stack alpha (S m) lam = stack alpha m lam * (1 - alpha m * lam).
Proof. reflexivity. Qed.

Lemma uniformly_ext : forall f f' g', (forall s, f' s = g' s) -> uniformly P f t f' -> uniformly P f t g'.
Proof.
  intros f f' g' H [D D' [M [HM Hb]] L]. split.
  - exact D.
  - now apply (dom_ext P f').
  - exists M. split; [exact HM |]. intros s Hs. rewrite <- H. now apply Hb.
  - intros eps Heps. destruct (L eps Heps) as [d [Hd HL]]. exists d. split; [exact Hd |].
    intros h Hh s Hs. rewrite <- H. now apply HL.
Qed.

Lemma uniformly_stack : forall m, (m <= T)%nat ->
  uniformly P (fun u s => stack (weights u) m (1 + s)) t
    (fun s => - (1 + s) * total (fun i => x' i * stack (without (weights t) i) m (1 + s)) m).
Proof.
  intros m; induction m as [|m IH]; intros Hm.
  - apply (uniformly_ext _ (fun _ => 0)); [intros s; simpl; ring |].
    apply (uniformly_const P (fun _ => 1)); [apply dom_const |].
    exists 1. split; [lra |]. intros s _. rewrite Rabs_R1. lra.
  - pose proof (uniformly_factor P (x m) t (x' m) (Hx m ltac:(lia))) as H.
    apply (uniformly_mult P _ _ t _ _ (IH ltac:(lia))) in H.
    apply (uniformly_ext _ _ (fun s =>
      - (1 + s) * total (fun i => x' i * stack (without (weights t) i) (S m) (1 + s)) (S m))) in H; [exact H |].
    intros s. cbn [total].
    rewrite (total_ext (fun i => x' i * stack (without (weights t) i) (S m) (1 + s))
      (fun i => (1 - x m t * (1 + s)) * (x' i * stack (without (weights t) i) m (1 + s)))).
    + rewrite total_scal, (stack_next (without (weights t) m)), (stack_ext (without (weights t) m) (weights t)).
      * unfold without at 3. rewrite update_at. ring.
      * intros k Hk. apply update_off. lia.
    + intros i Hi. rewrite stack_next. unfold without at 2. rewrite update_off by lia. unfold weights at 2. ring.
Qed.

(** dL/dt = sum of dL/dalpha_i dalpha_i/dt. *)
Theorem excess_derivative :
  derivable_pt_lim (fun u => stack_excess P (weights u) T) t (total (fun i => x' i * stack_slope P (weights t) T i) T).
Proof.
  pose proof (uniformly_stack T (Nat.le_refl T)) as Hr.
  set (r := fun u s => stack (weights u) T (1 + s)) in *.
  set (D := fun s => - (1 + s) * total (fun i => x' i * stack (without (weights t) i) T (1 + s)) T) in *.
  assert (Hw : uniformly P (fun _ s => s * / (1 + s)) t (fun _ => 0)).
  { apply (uniformly_const P (fun s => s * / (1 + s))); [in_dom |]. exists 1. split; [lra |].
    intros s Hs. apply supp_nonneg in Hs.
    rewrite Rabs_right; [apply (Rmult_le_reg_r (1 + s)); [lra |]; rewrite Rmult_assoc, Rinv_l; lra |].
    apply Rle_ge, Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]. }
  pose proof (uniformly_E P _ t _ (uniformly_mult P _ _ t _ _ Hw (uniformly_mult P _ _ t _ _ Hr Hr))) as H.
  assert (Hval : E P (fun s => 0 * (r t s * r t s) + s * / (1 + s) * (D s * r t s + r t s * D s))
    = total (fun i => x' i * stack_slope P (weights t) T i) T).
  { assert (Dr : dom P (r t)) by apply dom_stack.
    assert (Di : forall i, dom P (fun s => x' i * (-2 * (s * (r t s * stack (without (weights t) i) T (1 + s)))))).
    { intros i. pose proof (dom_stack P (without (weights t) i) T). in_dom. }
    pose proof (u_dom' _ _ _ _ Hr) as DD. fold D in DD.
    rewrite (E_ext_supp P _ (fun s => total (fun i => x' i * (-2 * (s * (r t s
      * stack (without (weights t) i) T (1 + s))))) T)).
    - rewrite (E_total (fun i s => x' i * (-2 * (s * (r t s * stack (without (weights t) i) T (1 + s)))))) by exact Di.
      apply total_ext. intros i Hi. pose proof (dom_stack P (without (weights t) i) T) as Dwi.
      rewrite (E_scal P (x' i)), (E_scal P (-2)) by in_dom. unfold stack_slope. do 2 f_equal.
      apply E_ext; [in_dom |]. intros s. unfold r. rewrite (stack_factor (weights t) i) by exact Hi. ring.
    - in_dom.
    - apply (dom_total (fun i s => x' i * (-2 * (s * (r t s * stack (without (weights t) i) T (1 + s))))) T Di).
    - intros s Hs. apply supp_nonneg in Hs. unfold D.
      rewrite (total_ext (fun i => x' i * (-2 * (s * (r t s * stack (without (weights t) i) T (1 + s)))))
        (fun i => (-2 * s * r t s) * (x' i * stack (without (weights t) i) T (1 + s)))) by (intros; ring).
      rewrite total_scal. field. lra. }
  intros eps Heps. destruct (H eps Heps) as [d Hd]. exists d. intros h Hh Hlt.
  specialize (Hd h Hh Hlt). unfold stack_excess, residual_excess. fold (weights t).
  assert (Heq : forall u, E P (fun s => s * / (1 + s) * stack (weights u) T (1 + s) ^ 2)
    = E P (fun s => s * / (1 + s) * (r u s * r u s))).
  { intros u. pose proof (dom_stack P (weights u) T). apply E_ext; [in_dom |]. intros s. unfold r. ring. }
  rewrite !Heq, <- Hval. exact Hd.
Qed.
End Curve.

(** Along the gradient flow the excess falls at the rate of the squared gradient. *)
Theorem excess_falls : forall T x t, stack_flow P T x -> 0 < t ->
  derivable_pt_lim (fun u => stack_excess P (fun k => x k u) T) t
    (- total (fun i => stack_slope P (fun k => x k t) T i ^ 2) T).
Proof.
  intros T x t Hflow Ht.
  pose proof (excess_derivative x t (fun i => - stack_slope P (fun k => x k t) T i) T
    (fun i Hi => proj2 (Hflow i Hi) t Ht)) as H.
  replace (- total (fun i => stack_slope P (fun k => x k t) T i ^ 2) T)
    with (total (fun i => - stack_slope P (fun k => x k t) T i * stack_slope P (fun k => x k t) T i) T); [exact H |].
  rewrite <- (Rmult_1_l (total (fun i => _ ^ 2) T)), Ropp_mult_distr_l, <- total_scal.
  apply total_ext. intros; ring.
Qed.

End Descent.
