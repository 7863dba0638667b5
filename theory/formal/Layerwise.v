(** Weights of their own for each layer: what depth T can do at best, for every law. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law Embedding Polynomial.
Open Scope R_scope.

(** Layer t has W_S = a_t I and W_V = b_t I, and F^0 = 0: what the read-out leaves of the signal. *)
Definition layers_residual (a b : nat -> R) (T : nat) (lam : R) : R := 1 - lam * filter lam a b 0 T.

(** The excess loss E[(s/lam) r(lam)^2] of a residual r, and that of the weights (a_t, b_t). *)
Definition residual_excess (P : law) (r : R -> R) : R := E P (fun s => s * / (1 + s) * r (1 + s) ^ 2).
Definition layers_excess (P : law) (a b : nat -> R) (T : nat) : R :=
  residual_excess P (layers_residual a b T).

(** * Residuals are the polynomials of degree at most T with r(0) = 1 *)

Theorem layers_residual_polynomial : forall a b T,
  degree T (layers_residual a b T) /\ layers_residual a b T 0 = 1.
Proof.
  intros a b T. split; [| unfold layers_residual; ring].
  induction T as [|t IH].
  - apply (degree_ext _ (fun _ => 1)); [intros; unfold layers_residual; simpl; ring | apply degree_const].
  - apply (degree_ext _ (fun lam => (1 + b t * lam) * layers_residual a b t lam
                                    + (0 + - (a t + b t) * lam) * 1)).
    + intros lam. unfold layers_residual. rewrite residual_recurrence. ring.
    + apply degree_plus; apply degree_affine; [exact IH | apply degree_const].
Qed.

Lemma filter_ext : forall a b a' b' T, (forall t, (t < T)%nat -> a t = a' t /\ b t = b' t) ->
  forall lam, filter lam a b 0 T = filter lam a' b' 0 T.
Proof.
  intros a b a' b' T; induction T as [|t IH]; intros H lam; simpl; [reflexivity |].
  destruct (H t ltac:(lia)) as [-> ->]. rewrite IH; [reflexivity | intros; apply H; lia].
Qed.

(** Every such polynomial is the residual of some weights: no scalar-weight stack does better than the best
    polynomial, and some stack does as well. *)
Theorem polynomial_layers_residual : forall T r, degree T r -> r 0 = 1 ->
  exists a b, forall lam, layers_residual a b T lam = r lam.
Proof.
  assert (H : forall n p, degree n p -> exists a b, forall lam, filter lam a b 0 (S n) = p lam).
  { intros n; induction n as [|n IH]; intros p Hp.
    - exists (fun _ => p 0), (fun _ => 0). intros lam. destruct Hp as [c Hc].
      rewrite !Hc. unfold poly; simpl; ring.
    - destruct (degree_div n 1 p Hp) as [g [Hg Hx]].
      destruct (IH (fun x => -1 * g x) (degree_scal _ _ _ Hg)) as [a [b Hab]].
      exists (fun t => if Nat.eqb t (S n) then p 1 else a t), (fun t => if Nat.eqb t (S n) then -1 else b t).
      intros lam. change (filter lam ?a ?b 0 (S (S n))) with
        (filter lam a b 0 (S n) + a (S n) + b (S n) * lam * filter lam a b 0 (S n)).
      rewrite (filter_ext _ _ a b (S n)), Hab, Nat.eqb_refl, (Hx lam).
      + ring.
      + intros t Ht. now rewrite (proj2 (Nat.eqb_neq t (S n))) by lia. }
  intros [|n] r Hr H0.
  - exists (fun _ => 0), (fun _ => 0). intros lam. destruct Hr as [c Hc].
    unfold layers_residual; simpl. rewrite <- H0, !Hc. unfold poly; simpl; ring.
  - destruct (degree_div n 0 r Hr) as [g [Hg Hx]].
    destruct (H n (fun x => -1 * g x) (degree_scal _ _ _ Hg)) as [a [b Hab]]. exists a, b.
    intros lam. unfold layers_residual. rewrite Hab, (Hx lam), H0. ring.
Qed.

(** With a_t = - b_t = alpha_t the residual is the product over layers of 1 - alpha_t lam. *)
Theorem layers_residual_product : forall alpha T lam,
  layers_residual alpha (fun t => - alpha t) T lam = prod (fun t => 1 - alpha t * lam) T.
Proof.
  intros alpha T lam. unfold layers_residual. rewrite layerwise_residual.
  induction T as [|t IH]; simpl; [| rewrite IH]; reflexivity.
Qed.

(** * The best polynomial *)

Section Best.
Variable P : law.

Definition measurable (f : R -> R) : Prop := dom P (fun s => f (1 + s)).

Lemma poly_measurable : forall n f, degree n f -> measurable f.
Proof.
  intros n f [c Hc]. apply (dom_ext P (fun s => sum_f_R0 (fun k => c k * (1 + s) ^ k) n)).
  - intros s. now rewrite Hc.
  - in_dom.
Qed.

(** The inner product of L^2(nu), dnu = (s/lam) dP. *)
Definition inner (f g : R -> R) : R := E P (fun s => s * / (1 + s) * (f (1 + s) * g (1 + s))).

Ltac measurable := solve [unfold measurable in *; in_dom].

Lemma inner_combination : forall u v f g h, measurable f -> measurable g -> measurable h ->
  inner (fun x => u * f x + v * g x) h = u * inner f h + v * inner g h.
Proof.
  intros u v f g h Hf Hg Hh. unfold inner.
  rewrite (E_ext P _ (fun s => u * (s * / (1 + s) * (f (1 + s) * h (1 + s)))
                               + v * (s * / (1 + s) * (g (1 + s) * h (1 + s)))))
    by (measurable || (intros; ring)).
  rewrite (E_plus P (fun s => u * (s * / (1 + s) * (f (1 + s) * h (1 + s))))
    (fun s => v * (s * / (1 + s) * (g (1 + s) * h (1 + s))))) by measurable.
  rewrite (E_scal P u (fun s => s * / (1 + s) * (f (1 + s) * h (1 + s)))),
    (E_scal P v (fun s => s * / (1 + s) * (g (1 + s) * h (1 + s)))) by measurable.
  reflexivity.
Qed.

Lemma inner_sym : forall f g, measurable f -> measurable g -> inner f g = inner g f.
Proof. intros f g Hf Hg. apply E_ext; [measurable | intros; ring]. Qed.

Lemma inner_ext : forall f f' g, measurable f -> measurable g -> (forall x, f x = f' x) -> inner f g = inner f' g.
Proof. intros f f' g Hf Hg H. apply E_ext; [measurable | intros; now rewrite H]. Qed.

Lemma weight_nonneg : forall s, supp P s -> 0 <= s * / (1 + s).
Proof.
  intros s Hs. apply supp_nonneg in Hs. apply Rmult_le_pos; [lra |].
  apply Rlt_le, Rinv_0_lt_compat. lra.
Qed.

Lemma inner_square_nonneg : forall f, measurable f -> 0 <= inner f f.
Proof.
  intros f Hf. apply E_nonneg; [measurable |]. intros s Hs.
  apply Rmult_le_pos; [now apply weight_nonneg | nra].
Qed.

(** A function of norm 0 is orthogonal to every other. *)
Lemma inner_null : forall f g, measurable f -> measurable g -> inner f f = 0 -> inner g f = 0.
Proof.
  intros f g Hf Hg H0.
  assert (H : forall t, 0 <= inner g g + 2 * t * inner g f).
  { intros t. set (w := fun x => 1 * g x + t * f x).
    assert (Hw : measurable w) by (unfold w; measurable).
    replace (_ + _) with (inner w w); [now apply inner_square_nonneg |].
    unfold w at 1. rewrite inner_combination, !(inner_sym _ w) by assumption.
    unfold w. rewrite !inner_combination, H0, (inner_sym f g) by assumption. ring. }
  destruct (Req_dec (inner g f) 0) as [-> | Hne]; [reflexivity |].
  specialize (H (- (inner g g + 1) / (2 * inner g f))).
  replace (2 * (- (inner g g + 1) / (2 * inner g f)) * inner g f) with (- (inner g g + 1)) in H
    by (field; exact Hne). lra.
Qed.

Lemma power_measurable : forall n, measurable (fun x => x ^ n).
Proof. intros n. measurable. Qed.

Lemma orthogonal_to_polynomials : forall n u q, measurable u ->
  (forall k, (k < n)%nat -> inner u (fun x => x ^ S k) = 0) -> degree n q -> q 0 = 0 -> inner u q = 0.
Proof.
  intros n u q Hu H [c Hc] H0. rewrite Hc, poly_at_0 in H0.
  assert (Hpoly : forall m, measurable (poly c m))
    by (intros m; apply (poly_measurable m); now exists c).
  enough (Hm : forall m, (m <= n)%nat -> inner (poly c m) u = 0).
  { rewrite inner_sym, (inner_ext q (poly c n)), Hm; trivial; apply (poly_measurable n); now exists c. }
  intros m; induction m as [|m IH]; intros Hm.
  - rewrite (inner_ext _ (fun x => 0 * 1 + 0 * 1)); trivial.
    + rewrite inner_combination; trivial; [ring | measurable | measurable].
    + intros x. unfold poly; simpl. rewrite H0. ring.
  - rewrite (inner_ext _ (fun x => 1 * poly c m x + c (S m) * x ^ S m)); trivial.
    + rewrite inner_combination, IH, (inner_sym (fun x => x ^ S m)), H; trivial; try lia;
        try apply power_measurable. ring.
    + intros x. unfold poly. rewrite tech5. ring.
Qed.

(** Orthogonal projection on the polynomials of degree at most n that vanish at 0. *)
Lemma projection : forall n h, measurable h -> exists g, degree n g /\ g 0 = 0 /\
  forall k, (k < n)%nat -> inner (fun x => 1 * h x + -1 * g x) (fun x => x ^ S k) = 0.
Proof.
  intros n; induction n as [|n IH]; intros h Hh.
  - exists (fun _ => 0). repeat split; [apply degree_const | intros; lia].
  - destruct (IH h Hh) as [g [Hg [Hg0 Ho]]].
    destruct (IH (fun x => x ^ S n) (power_measurable _)) as [q [Hq [Hq0 Hqo]]].
    set (f := fun x => 1 * x ^ S n + -1 * q x) in *. set (u := fun x => 1 * h x + -1 * g x) in *.
    pose proof (poly_measurable _ _ Hg) as Mg. pose proof (poly_measurable _ _ Hq) as Mq.
    assert (Mf : measurable f) by (unfold f; measurable).
    assert (Mu : measurable u) by (unfold u; measurable).
    set (t := if Req_EM_T (inner f f) 0 then 0 else inner u f / inner f f).
    assert (Ht : inner u f = t * inner f f).
    { unfold t. destruct (Req_EM_T (inner f f) 0) as [H0 | Hne]; [| field; exact Hne].
      rewrite (inner_null f u) by assumption. ring. }
    set (w := fun x => 1 * u x + - t * f x). assert (Mw : measurable w) by (unfold w; measurable).
    assert (Hw : forall k, (k < n)%nat -> inner w (fun x => x ^ S k) = 0).
    { intros k Hk. unfold w. rewrite inner_combination, Ho, Hqo; trivial; [ring | apply power_measurable]. }
    exists (fun x => g x + t * f x). repeat split.
    + apply degree_plus; [now apply degree_S |]. apply degree_scal, degree_plus; apply degree_scal.
      * exists (fun k => if Nat.eqb k (S n) then 1 else 0). intros x. unfold poly. rewrite tech5, Nat.eqb_refl.
        rewrite (sum_eq _ (fun _ => 0)), sum_cte; [ring |].
        intros k Hk. rewrite (proj2 (Nat.eqb_neq k (S n))) by lia. ring.
      * now apply degree_S.
    + unfold f. rewrite Hg0, Hq0. simpl. ring.
    + intros k Hk. rewrite (inner_ext _ w);
        [| unfold f; measurable | apply power_measurable | intros; unfold w, u; ring].
      destruct (Nat.eq_dec k n) as [-> | Hne]; [| apply Hw; lia].
      rewrite inner_sym, (inner_ext _ (fun x => 1 * f x + 1 * q x)); trivial; try apply power_measurable.
      2: { intros x. unfold f. ring. }
      rewrite inner_combination, !(inner_sym _ w), (orthogonal_to_polynomials n w q); trivial.
      unfold w. rewrite inner_combination, Ht; trivial. ring.
Qed.

(** A residual of depth T that is orthogonal to 1, ..., lam^(T-1) in L^2(s dP) has the least excess. *)
Theorem orthogonal_residual : forall T r, degree T r -> r 0 = 1 ->
  (forall k, (k < T)%nat -> E P (fun s => s * (r (1 + s) * (1 + s) ^ k)) = 0) ->
  forall r', degree T r' -> r' 0 = 1 ->
  residual_excess P r' = residual_excess P r + residual_excess P (fun x => r' x - r x).
Proof.
  intros T r Hr H1 Ho r' Hr' H0.
  pose proof (poly_measurable _ _ Hr) as Mr. pose proof (poly_measurable _ _ Hr') as Mr'.
  set (d := fun x => 1 * r' x + -1 * r x).
  assert (Hd : degree T d) by (apply degree_plus; now apply degree_scal).
  pose proof (poly_measurable _ _ Hd) as Md.
  assert (Hrd : inner r d = 0).
  { apply (orthogonal_to_polynomials T); trivial; [| unfold d; rewrite H0, H1; ring].
    intros k Hk. rewrite <- (Ho k Hk). apply E_ext_supp; [measurable .. |].
    intros s Hs. apply supp_nonneg in Hs. simpl. field. lra. }
  assert (Hsq : forall f, measurable f -> residual_excess P f = inner f f).
  { intros f Mf. apply E_ext; [measurable | intros; ring]. }
  assert (Hex : residual_excess P (fun x => r' x - r x) = residual_excess P d).
  { apply E_ext; [measurable | intros; unfold d; f_equal; ring]. }
  rewrite Hex, !Hsq by assumption.
  rewrite (inner_ext r' (fun x => 1 * r x + 1 * d x)), inner_combination by
    (trivial; intros; unfold d; ring).
  rewrite !(inner_sym _ r'), !(inner_ext r' (fun x => 1 * r x + 1 * d x)) by
    (trivial; intros; unfold d; ring).
  rewrite !inner_combination, (inner_sym d r), Hrd by assumption. ring.
Qed.

(** There is one. *)
Theorem best_residual : forall T, exists r, degree T r /\ r 0 = 1 /\
  forall k, (k < T)%nat -> E P (fun s => s * (r (1 + s) * (1 + s) ^ k)) = 0.
Proof.
  intros T. assert (M1 : measurable (fun _ => 1)) by measurable.
  destruct (projection T (fun _ => 1) M1) as [g [Hg [Hg0 Ho]]].
  set (r := fun x => 1 * 1 + -1 * g x) in *.
  assert (Hr : degree T r) by (apply degree_plus; [apply degree_const | now apply degree_scal]).
  pose proof (poly_measurable _ _ Hr) as Mr.
  exists r. repeat split; trivial.
  - unfold r. rewrite Hg0. ring.
  - intros k Hk. rewrite <- (Ho k Hk). apply E_ext_supp; [measurable .. |].
    intros s Hs. apply supp_nonneg in Hs. simpl. field. lra.
Qed.

End Best.

(** * The least excess of depth T *)

Definition least_excess (P : law) (T : nat) (e : R) : Prop :=
  (exists a b, layers_excess P a b T = e) /\ forall a b, e <= layers_excess P a b T.

Lemma residual_excess_nonneg : forall P n r, degree n r -> 0 <= residual_excess P r.
Proof.
  intros P n r Hr. pose proof (poly_measurable P n r Hr) as Mr. unfold measurable in Mr.
  apply E_nonneg; [in_dom |]. intros s Hs.
  apply Rmult_le_pos; [now apply (weight_nonneg P) | apply pow2_ge_0].
Qed.

Lemma residual_excess_ext : forall P n r r', degree n r -> (forall x, r x = r' x) ->
  residual_excess P r = residual_excess P r'.
Proof.
  intros P n r r' Hr H. pose proof (poly_measurable P n r Hr) as Mr. unfold measurable in Mr.
  apply E_ext; [in_dom | intros; now rewrite H].
Qed.

(** What a certificate of e_T gives: the orthogonal polynomial. *)
Theorem least_excess_orthogonal : forall P T r, degree T r -> r 0 = 1 ->
  (forall k, (k < T)%nat -> E P (fun s => s * (r (1 + s) * (1 + s) ^ k)) = 0) ->
  least_excess P T (residual_excess P r).
Proof.
  intros P T r Hr H0 Ho. split.
  - destruct (polynomial_layers_residual T r Hr H0) as [a [b Hab]]. exists a, b.
    apply (residual_excess_ext P T); [apply layers_residual_polynomial | exact Hab].
  - intros a b. destruct (layers_residual_polynomial a b T) as [Hd H1].
    unfold layers_excess. rewrite (orthogonal_residual P T r Hr H0 Ho _ Hd H1).
    assert (0 <= residual_excess P (fun x => layers_residual a b T x - r x)); [| lra].
    apply (residual_excess_nonneg P T), (degree_ext _ (fun x => layers_residual a b T x + -1 * r x));
      [intros; ring |]. apply degree_plus; [exact Hd | now apply degree_scal].
Qed.

(** The infimum over all weights of depth T is attained. *)
Theorem least_excess_exists : forall P T, exists e, least_excess P T e.
Proof.
  intros P T. destruct (best_residual P T) as [r [Hr [H0 Ho]]].
  exists (residual_excess P r). now apply least_excess_orthogonal.
Qed.

Lemma least_excess_unique : forall P T e e', least_excess P T e -> least_excess P T e' -> e = e'.
Proof.
  intros P T e e' [[a [b E]] H] [[a' [b' E']] H'].
  apply Rle_antisym; [rewrite <- E' | rewrite <- E]; [apply H | apply H'].
Qed.

Lemma least_excess_polynomial : forall P T e r, least_excess P T e -> degree T r -> r 0 = 1 ->
  e <= residual_excess P r.
Proof.
  intros P T e r [_ He] Hr H0. destruct (polynomial_layers_residual T r Hr H0) as [a [b Hab]].
  rewrite <- (residual_excess_ext P T (layers_residual a b T)); trivial; [apply He |].
  apply layers_residual_polynomial.
Qed.

(** It falls with the depth, from C. *)
Theorem least_excess_decreasing : forall P T T' e e', (T <= T')%nat ->
  least_excess P T e -> least_excess P T' e' -> 0 <= e' <= e.
Proof.
  intros P T T' e e' HT [[a [b <-]] _] He'. split.
  - destruct He' as [[a' [b' <-]] _]. apply (residual_excess_nonneg P T'), layers_residual_polynomial.
  - apply (least_excess_polynomial P T'); trivial; [apply (degree_le T); trivial |];
      apply layers_residual_polynomial.
Qed.

(** It is positive at depth T if the law has more than T points. *)
Theorem least_excess_positive : forall P T e, pts P T -> least_excess P T e -> 0 < e.
Proof.
  intros P T e Hpts [[a [b <-]] _]. destruct (layers_residual_polynomial a b T) as [[c Hc] H0].
  pose proof (hi_pos P). pose proof (lo_nonneg P).
  assert (Hc0 : c 0%nat <> 0) by (rewrite Hc, poly_at_0 in H0; lra).
  specialize (Hpts c (ex_intro _ 0%nat (conj (Nat.le_0_l T) Hc0))).
  assert (Hpoly : degree T (poly c T)) by now exists c.
  unfold layers_excess. rewrite (residual_excess_ext P T _ (poly c T)) by
    (exact Hc || apply layers_residual_polynomial).
  apply Rlt_le_trans with (/ (1 + hi P) * E P (fun s => s * sum_f_R0 (fun k => c k * (1 + s) ^ k) T ^ 2)).
  { apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat; lra | exact Hpts]. }
  rewrite <- E_scal by in_dom. apply E_monotone; unfold poly; [in_dom .. |].
  intros s [-> | Hs]; [rewrite !Rmult_0_l, Rmult_0_r; lra |]. rewrite <- !Rmult_assoc.
  apply Rmult_le_compat_r; [apply pow2_ge_0 |]. rewrite Rmult_comm.
  apply Rmult_le_compat_l; [lra | apply Rinv_le_contravar; lra].
Qed.
