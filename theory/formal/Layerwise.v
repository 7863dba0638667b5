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

(** Of all residuals of depth T one has the least excess; it is orthogonal to 1, ..., lam^(T-1) in L^2(s dP). *)
Theorem best_residual : forall T, exists r, degree T r /\ r 0 = 1 /\
  (forall k, (k < T)%nat -> E P (fun s => s * (r (1 + s) * (1 + s) ^ k)) = 0) /\
  (forall r', degree T r' -> r' 0 = 1 ->
    residual_excess P r' = residual_excess P r + residual_excess P (fun x => r' x - r x)).
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
  - intros r' Hr' H0. pose proof (poly_measurable _ _ Hr') as Mr'.
    set (d := fun x => 1 * r' x + -1 * r x).
    assert (Hd : degree T d) by (apply degree_plus; now apply degree_scal).
    pose proof (poly_measurable _ _ Hd) as Md.
    assert (Hrd : inner r d = 0).
    { apply (orthogonal_to_polynomials T); trivial. unfold d, r. rewrite H0, Hg0. ring. }
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

(** The infimum over all weights of depth T is attained. *)
Theorem least_excess_exists : forall P T, exists e, least_excess P T e.
Proof.
  intros P T. destruct (best_residual P T) as [r [Hr [H0 [_ Hm]]]].
  exists (residual_excess P r). split.
  - destruct (polynomial_layers_residual T r Hr H0) as [a [b Hab]]. exists a, b.
    apply (residual_excess_ext P T); [apply layers_residual_polynomial | exact Hab].
  - intros a b. destruct (layers_residual_polynomial a b T) as [Hd H1].
    unfold layers_excess. rewrite (Hm _ Hd H1).
    assert (0 <= residual_excess P (fun x => layers_residual a b T x - r x)); [| lra].
    apply (residual_excess_nonneg P T), (degree_ext _ (fun x => layers_residual a b T x + -1 * r x));
      [intros; ring |]. apply degree_plus; [exact Hd | now apply degree_scal].
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

(** * The Chebyshev bound *)

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
