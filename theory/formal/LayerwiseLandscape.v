(** Layers with a_t = - b_t = alpha_t: the excess near a tie of two weights, and the order of the weights along
    the gradient flow. *)
From Coq Require Import Reals Ranalysis5 Lra Lia.
From Formal Require Import Law Flow Polynomial Layerwise.
Open Scope R_scope.

Lemma abs_le_bounds : forall x M, Rabs x <= M -> - M <= x <= M.
Proof. intros x M. unfold Rabs. destruct (Rcase_abs x); lra. Qed.

(** The residual of the weights alpha_0, ..., alpha_(T-1), and its excess. *)
Definition stack (alpha : nat -> R) (T : nat) (lam : R) : R := prod (fun t => 1 - alpha t * lam) T.
Definition stack_excess (P : law) (alpha : nat -> R) (T : nat) : R := residual_excess P (stack alpha T).

Definition update (alpha : nat -> R) (i : nat) (v : R) (k : nat) : R := if Nat.eqb k i then v else alpha k.

(** The product of the factors of all layers but i: the weight 0 leaves a factor 1. *)
Definition without (alpha : nat -> R) (i : nat) : nat -> R := update alpha i 0.

Lemma update_at : forall alpha i v, update alpha i v i = v.
Proof. intros. unfold update. now rewrite Nat.eqb_refl. Qed.

Lemma update_off : forall alpha i v k, k <> i -> update alpha i v k = alpha k.
Proof. intros. unfold update. now rewrite (proj2 (Nat.eqb_neq k i)). Qed.

Lemma stack_ext : forall alpha beta T lam, (forall t, (t < T)%nat -> alpha t = beta t) ->
  stack alpha T lam = stack beta T lam.
Proof. intros alpha beta T lam H. apply prod_ext. intros t Ht. now rewrite H. Qed.

Lemma stack_factor : forall alpha i T lam, (i < T)%nat ->
  stack alpha T lam = (1 - alpha i * lam) * stack (without alpha i) T lam.
Proof.
  intros alpha i T lam Hi. unfold stack, without. induction T as [|T IH]; [lia |]. simpl.
  destruct (Nat.eq_dec i T) as [-> | Hne].
  - rewrite update_at, (prod_ext (fun t => 1 - update alpha T 0 t * lam) (fun t => 1 - alpha t * lam)); [ring |].
    intros k Hk. rewrite update_off; [reflexivity | lia].
  - rewrite IH, (update_off _ _ _ T) by lia. ring.
Qed.

(** Two layers taken out. *)
Lemma stack_two_factors : forall alpha i j T lam, (i < T)%nat -> (j < T)%nat -> i <> j ->
  stack alpha T lam = (1 - alpha i * lam) * (1 - alpha j * lam) * stack (without (without alpha i) j) T lam.
Proof.
  intros alpha i j T lam Hi Hj Hij. rewrite (stack_factor alpha i) by exact Hi.
  rewrite (stack_factor (without alpha i) j) by exact Hj. unfold without at 1.
  rewrite update_off; [ring | lia].
Qed.

Lemma stack_without : forall alpha i j T lam, (j < T)%nat -> i <> j ->
  stack (without alpha i) T lam = (1 - alpha j * lam) * stack (without (without alpha i) j) T lam.
Proof.
  intros alpha i j T lam Hj Hij. rewrite (stack_factor _ j) by exact Hj. unfold without at 1.
  rewrite update_off; [reflexivity | lia].
Qed.

Lemma without_sym : forall alpha i j T lam,
  stack (without (without alpha i) j) T lam = stack (without (without alpha j) i) T lam.
Proof.
  intros. apply stack_ext. intros t _. unfold without, update. destruct (Nat.eqb t i), (Nat.eqb t j); reflexivity.
Qed.

Lemma stack_degree : forall alpha T, degree T (stack alpha T).
Proof. intros. apply degree_prod. Qed.

Lemma stack_without_degree : forall alpha i n, (i < S n)%nat -> degree n (stack (without alpha i) (S n)).
Proof.
  intros alpha i n Hi. induction n as [|n IH].
  - apply (degree_ext _ (fun _ => 1)); [intros x | apply degree_const]. unfold stack, without; simpl.
    replace i with 0%nat by lia. rewrite update_at. ring.
  - destruct (Nat.eq_dec i (S n)) as [-> | Hne].
    + apply (degree_ext _ (stack alpha (S n))); [intros x | apply stack_degree].
      change (stack (without alpha (S n)) (S (S n)) x)
        with (stack (without alpha (S n)) (S n) x * (1 - without alpha (S n) (S n) * x)).
      unfold without at 2. rewrite update_at, (stack_ext (without alpha (S n)) alpha); [ring |].
      intros t Ht. apply update_off. lia.
    + apply (degree_ext _ (fun x => (1 + - alpha (S n) * x) * stack (without alpha i) (S n) x)).
      * intros x. change (stack (without alpha i) (S (S n)) x)
          with (stack (without alpha i) (S n) x * (1 - without alpha i (S n) * x)).
        unfold without at 3. rewrite update_off by lia. ring.
      * apply degree_affine, IH. lia.
Qed.

Lemma stack_at_0 : forall alpha T, stack alpha T 0 = 1.
Proof. intros alpha T; induction T as [|T IH]; unfold stack in *; simpl; [| rewrite IH]; ring. Qed.

Section Landscape.
Variable P : law.

Lemma dom_stack : forall alpha T, dom P (fun s => stack alpha T (1 + s)).
Proof. intros alpha T. exact (poly_measurable P T _ (stack_degree alpha T)). Qed.
#[local] Hint Resolve dom_stack : dom.

(** * At a tie *)

(** The loss falls along alpha_i = a + t, alpha_j = a - t: second derivative - 4 int R_ij^2 (1 - a lam)^2 lam^2 dnu. *)
Theorem tie_expansion : forall alpha i j T a t, (i < T)%nat -> (j < T)%nat -> i <> j ->
  alpha i = a -> alpha j = a ->
  stack_excess P (update (update alpha i (a + t)) j (a - t)) T
    = stack_excess P alpha T
      - 2 * t ^ 2 * E P (fun s => s * (1 + s) * stack (without alpha i) T (1 + s) ^ 2)
      + t ^ 4 * E P (fun s => s * (1 + s) ^ 3 * stack (without (without alpha i) j) T (1 + s) ^ 2).
Proof.
  intros alpha i j T a t Hi Hj Hij Ei Ej. unfold stack_excess, residual_excess.
  set (r := fun s => stack (without (without alpha i) j) T (1 + s)).
  assert (Hr : dom P r) by apply dom_stack.
  rewrite (E_ext_supp P _ (fun s => s * / (1 + s) * stack alpha T (1 + s) ^ 2
    + (- (2 * t ^ 2) * (s * (1 + s) * stack (without alpha i) T (1 + s) ^ 2) + t ^ 4 * (s * (1 + s) ^ 3 * r s ^ 2)))).
  - rewrite (E_plus P (fun s => s * / (1 + s) * stack alpha T (1 + s) ^ 2)
      (fun s => - (2 * t ^ 2) * (s * (1 + s) * stack (without alpha i) T (1 + s) ^ 2)
                + t ^ 4 * (s * (1 + s) ^ 3 * r s ^ 2))),
      (E_plus P (fun s => - (2 * t ^ 2) * (s * (1 + s) * stack (without alpha i) T (1 + s) ^ 2))
        (fun s => t ^ 4 * (s * (1 + s) ^ 3 * r s ^ 2))),
      (E_scal P _ (fun s => s * (1 + s) * stack (without alpha i) T (1 + s) ^ 2)),
      (E_scal P _ (fun s => s * (1 + s) ^ 3 * r s ^ 2)) by in_dom.
    unfold r. ring.
  - in_dom.
  - in_dom.
  - intros s Hs. apply supp_nonneg in Hs.
    rewrite (stack_two_factors (update _ _ _) i j), (stack_two_factors alpha i j), (stack_without alpha i j) by assumption.
    rewrite update_at, (update_off _ j), update_at, Ei, Ej by assumption.
    rewrite (stack_ext (without (without (update (update alpha i (a + t)) j (a - t)) i) j)
      (without (without alpha i) j)).
    + fold (r s). field. lra.
    + intros k _. unfold without, update. destruct (Nat.eqb k j), (Nat.eqb k i); reflexivity.
Qed.

(** With at least T points of support the second derivative is strictly negative. *)
Theorem tie_curvature : forall alpha i n, (i < S n)%nat -> pts P n ->
  0 < E P (fun s => s * (1 + s) * stack (without alpha i) (S n) (1 + s) ^ 2).
Proof.
  intros alpha i n Hi Hpts. destruct (stack_without_degree alpha i n Hi) as [c Hc].
  assert (Hc0 : c 0%nat <> 0).
  { rewrite <- (poly_at_0 c n), <- Hc, stack_at_0. lra. }
  specialize (Hpts c (ex_intro _ 0%nat (conj (Nat.le_0_l n) Hc0))).
  apply Rlt_le_trans with (1 := Hpts). apply E_monotone; [in_dom .. |].
  intros s Hs. apply supp_nonneg in Hs. rewrite Hc. unfold poly.
  apply Rmult_le_compat_r; [apply pow2_ge_0 | nra].
Qed.

(** So a tie is a strict saddle: along a + t, a - t the second derivative is - 4 A < 0, ... *)
Theorem tie_is_strict_saddle : forall alpha i j n, (i < S n)%nat -> (j < S n)%nat -> i <> j -> alpha i = alpha j ->
  pts P n -> exists A B, 0 < A /\ forall t,
  stack_excess P (update (update alpha i (alpha i + t)) j (alpha i - t)) (S n)
    = stack_excess P alpha (S n) - 2 * A * t ^ 2 + B * t ^ 4.
Proof.
  intros alpha i j n Hi Hj Hij E Hpts.
  exists (Law.E P (fun s => s * (1 + s) * stack (without alpha i) (S n) (1 + s) ^ 2)),
    (Law.E P (fun s => s * (1 + s) ^ 3 * stack (without (without alpha i) j) (S n) (1 + s) ^ 2)).
  split; [now apply tie_curvature |]. intros t.
  rewrite (tie_expansion alpha i j (S n) (alpha i)) by (congruence || assumption). ring.
Qed.

(** ... and no point with two equal weights is a local minimum. *)
Theorem tie_not_minimal : forall alpha i j n, (i < S n)%nat -> (j < S n)%nat -> i <> j -> alpha i = alpha j ->
  pts P n -> exists d, 0 < d /\ forall t, 0 < Rabs t < d ->
  stack_excess P (update (update alpha i (alpha i + t)) j (alpha i - t)) (S n) < stack_excess P alpha (S n).
Proof.
  intros alpha i j n Hi Hj Hij E Hpts. pose proof (tie_curvature alpha i n Hi Hpts) as HA.
  set (A := Law.E P (fun s => s * (1 + s) * stack (without alpha i) (S n) (1 + s) ^ 2)) in *.
  set (B := Law.E P (fun s => s * (1 + s) ^ 3 * stack (without (without alpha i) j) (S n) (1 + s) ^ 2)).
  assert (HB : 0 <= B).
  { apply E_nonneg; [in_dom |]. intros s Hs. apply supp_nonneg in Hs.
    apply Rmult_le_pos; [| apply pow2_ge_0]. apply Rmult_le_pos; [lra | apply pow_le; lra]. }
  exists (Rmin 1 (A / (B + 1))). split.
  { apply Rmin_glb_lt; [lra | apply Rdiv_lt_0_compat; lra]. }
  intros t [Ht0 Ht]. rewrite (tie_expansion alpha i j (S n) (alpha i)) by (congruence || assumption).
  fold A B.
  assert (H1 : Rabs t < 1) by (apply Rlt_le_trans with (1 := Ht), Rmin_l).
  assert (H2 : Rabs t < A / (B + 1)) by (apply Rlt_le_trans with (1 := Ht), Rmin_r).
  assert (H3 : t ^ 2 = Rabs t ^ 2) by (symmetry; apply pow2_abs).
  replace (t ^ 4) with (t ^ 2 * t ^ 2) by ring. rewrite H3. set (u := Rabs t) in *.
  assert (u * (B + 1) < A).
  { apply (Rmult_lt_reg_r (/ (B + 1))); [apply Rinv_0_lt_compat; lra |].
    rewrite Rmult_assoc, Rinv_r by lra. lra. }
  assert (u ^ 2 * B < A) by nra. assert (0 < u ^ 2) by (apply pow_lt; lra).
  assert (0 < u ^ 2 * (2 * A - u ^ 2 * B)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** * The gradient *)

Definition stack_slope (alpha : nat -> R) (T i : nat) : R :=
  -2 * E P (fun s => s * ((1 - alpha i * (1 + s)) * stack (without alpha i) T (1 + s) ^ 2)).

(** The excess is a quadratic function of each weight. *)
Lemma stack_excess_quadratic : forall alpha T i v, (i < T)%nat ->
  stack_excess P (update alpha i v) T
    = stack_excess P alpha T + (v - alpha i) * stack_slope alpha T i
      + (v - alpha i) ^ 2 * E P (fun s => s * (1 + s) * stack (without alpha i) T (1 + s) ^ 2).
Proof.
  intros alpha T i v Hi. unfold stack_excess, residual_excess, stack_slope.
  set (r := fun s => stack (without alpha i) T (1 + s)). assert (Hr : dom P r) by apply dom_stack.
  set (h := v - alpha i).
  rewrite (E_ext_supp P _ (fun s => s * / (1 + s) * stack alpha T (1 + s) ^ 2
    + (h * -2 * (s * ((1 - alpha i * (1 + s)) * r s ^ 2)) + h ^ 2 * (s * (1 + s) * r s ^ 2)))).
  - rewrite (E_plus P (fun s => s * / (1 + s) * stack alpha T (1 + s) ^ 2)
      (fun s => h * -2 * (s * ((1 - alpha i * (1 + s)) * r s ^ 2)) + h ^ 2 * (s * (1 + s) * r s ^ 2))),
      (E_plus P (fun s => h * -2 * (s * ((1 - alpha i * (1 + s)) * r s ^ 2)))
        (fun s => h ^ 2 * (s * (1 + s) * r s ^ 2))),
      (E_scal P _ (fun s => s * ((1 - alpha i * (1 + s)) * r s ^ 2))),
      (E_scal P _ (fun s => s * (1 + s) * r s ^ 2)) by in_dom.
    unfold r. ring.
  - in_dom.
  - in_dom.
  - intros s Hs. apply supp_nonneg in Hs.
    rewrite (stack_factor (update _ _ _) i), (stack_factor alpha i), update_at by assumption.
    rewrite (stack_ext (without (update alpha i v) i) (without alpha i)).
    + fold (r s). unfold h. field. lra.
    + intros k _. unfold without, update. destruct (Nat.eqb k i); reflexivity.
Qed.

(** [stack_slope] is the partial derivative. *)
Theorem stack_slope_correct : forall alpha T i, (i < T)%nat ->
  derivable_pt_lim (fun v => stack_excess P (update alpha i v) T) (alpha i) (stack_slope alpha T i).
Proof.
  intros alpha T i Hi eps Heps.
  set (Q := E P (fun s => s * (1 + s) * stack (without alpha i) T (1 + s) ^ 2)).
  assert (Hd : 0 < eps / (Rabs Q + 1)).
  { apply Rdiv_lt_0_compat; [exact Heps | pose proof (Rabs_pos Q); lra]. }
  exists (mkposreal _ Hd). intros h Hh Hlt. simpl in Hlt.
  rewrite !stack_excess_quadratic by exact Hi. fold Q.
  replace (_ - _) with (h * Q) by (field; exact Hh). rewrite Rabs_mult. pose proof (Rabs_pos Q).
  apply Rle_lt_trans with (Rabs h * (Rabs Q + 1)).
  { apply Rmult_le_compat_l; [apply Rabs_pos | lra]. }
  apply (Rmult_lt_compat_r (Rabs Q + 1)) in Hlt; [| lra].
  unfold Rdiv in Hlt. rewrite Rmult_assoc, Rinv_l in Hlt by lra. lra.
Qed.

(** d(alpha_i - alpha_j)/dt = 2 (alpha_i - alpha_j) int lam^2 R_ij^2 (1 - alpha_i lam)(1 - alpha_j lam) dnu. *)
Definition coupling (alpha : nat -> R) (T i j : nat) : R :=
  2 * E P (fun s => s * (1 + s) * (stack (without (without alpha i) j) T (1 + s) ^ 2
                                    * ((1 - alpha i * (1 + s)) * (1 - alpha j * (1 + s))))).

Theorem slope_difference : forall alpha T i j, (i < T)%nat -> (j < T)%nat -> i <> j ->
  - stack_slope alpha T i - - stack_slope alpha T j = coupling alpha T i j * (alpha i - alpha j).
Proof.
  intros alpha T i j Hi Hj Hij. unfold stack_slope, coupling.
  set (r := fun s => stack (without (without alpha i) j) T (1 + s)). assert (Hr : dom P r) by apply dom_stack.
  set (f := fun s => s * ((1 - alpha i * (1 + s)) * stack (without alpha i) T (1 + s) ^ 2)).
  set (g := fun s => s * ((1 - alpha j * (1 + s)) * stack (without alpha j) T (1 + s) ^ 2)).
  assert (Hf : dom P f) by (unfold f; in_dom). assert (Hg : dom P g) by (unfold g; in_dom).
  assert (H : E P f - E P g = (alpha i - alpha j) * E P (fun s => s * (1 + s) * (r s ^ 2
                                    * ((1 - alpha i * (1 + s)) * (1 - alpha j * (1 + s)))))).
  { rewrite <- E_minus, <- E_scal by in_dom. apply E_ext; [in_dom |]. intros s. unfold f, g.
    rewrite (stack_without alpha i j), (stack_without alpha j i), (without_sym alpha j i) by (assumption || lia).
    unfold r. ring. }
  unfold r in H. lra.
Qed.

(** * Along the gradient flow *)

(** |alpha_k| <= B for every layer bounds the coupling. *)
Lemma coupling_bound : forall alpha T i j B, (i < T)%nat -> (j < T)%nat ->
  (forall k, (k < T)%nat -> Rabs (alpha k) <= B) ->
  Rabs (coupling alpha T i j) <= 2 * (hi P * (1 + hi P) * ((1 + B * (1 + hi P)) ^ T) ^ 2 * (1 + B * (1 + hi P)) ^ 2).
Proof.
  intros alpha T i j B Hi Hj HB. pose proof (hi_pos P) as Hh. pose proof (lo_nonneg P).
  set (Q := 1 + B * (1 + hi P)).
  assert (HB0 : 0 <= B) by (apply Rle_trans with (Rabs (alpha i)); [apply Rabs_pos | now apply HB]).
  assert (HQ : 1 <= Q) by (unfold Q; nra).
  assert (Hfac : forall a s, Rabs a <= B -> lo P <= s <= hi P -> Rabs (1 - a * (1 + s)) <= Q).
  { intros a s Ha Hs. apply Rabs_le. unfold Q. apply abs_le_bounds in Ha. split; nra. }
  assert (Hstack : forall n beta s, (forall k, (k < n)%nat -> Rabs (beta k) <= B) -> lo P <= s <= hi P ->
    Rabs (stack beta n (1 + s)) <= Q ^ n).
  { intros n; induction n as [|n IH]; intros beta s Hb Hs; unfold stack in *; simpl.
    - rewrite Rabs_R1. lra.
    - rewrite Rabs_mult, Rmult_comm. apply Rmult_le_compat; try apply Rabs_pos.
      + apply Hfac; trivial. apply Hb. lia.
      + apply IH; trivial. intros; apply Hb; lia. }
  assert (Hw : forall k, (k < T)%nat -> Rabs (without (without alpha i) j k) <= B).
  { intros k Hk. unfold without, update. destruct (Nat.eqb k j), (Nat.eqb k i);
      try (rewrite Rabs_R0; exact HB0). now apply HB. }
  set (M := hi P * (1 + hi P) * (Q ^ T) ^ 2 * Q ^ 2).
  assert (HM : 0 <= M).
  { unfold M. apply Rmult_le_pos; [apply Rmult_le_pos; [nra |] |]; apply pow2_ge_0. }
  unfold coupling. rewrite Rabs_mult, (Rabs_right 2) by lra. apply Rmult_le_compat_l; [lra |].
  set (f := fun s => s * (1 + s) * _).
  assert (Hf : dom P f) by (unfold f; in_dom).
  assert (Hfb : forall s, supp P s -> - M <= f s <= M).
  { intros s [-> | Hs]; [unfold f; rewrite !Rmult_0_l; lra |]. apply abs_le_bounds. unfold f, M.
    rewrite !Rabs_mult, <- RPow_abs, (Rabs_right s), (Rabs_right (1 + s)) by lra.
    rewrite (Rmult_assoc (hi P * (1 + hi P))).
    apply Rmult_le_compat; try nra.
    - apply Rmult_le_pos; [apply pow_le, Rabs_pos | apply Rmult_le_pos; apply Rabs_pos].
    - apply Rmult_le_compat.
      + apply pow_le, Rabs_pos.
      + apply Rmult_le_pos; apply Rabs_pos.
      + apply pow_incr. split; [apply Rabs_pos | now apply Hstack].
      + replace (Q ^ 2) with (Q * Q) by ring.
        apply Rmult_le_compat; try apply Rabs_pos; apply Hfac; trivial; now apply HB. }
  apply Rabs_le. split.
  - rewrite <- (E_const P (- M)). apply E_monotone; [in_dom | in_dom |]. intros s Hs. now apply Hfb.
  - rewrite <- (E_const P M). apply E_monotone; [in_dom | in_dom |]. intros s Hs. now apply Hfb.
Qed.

End Landscape.

(** A function whose derivative is nowhere positive does not increase. *)
Lemma nonincreasing : forall (f f' : R -> R) a b, a <= b ->
  (forall t, a <= t <= b -> continuity_pt f t) ->
  (forall t, a < t < b -> derivable_pt_lim f t (f' t) /\ f' t <= 0) -> f b <= f a.
Proof.
  intros f f' a b Hab Hc Hd. destruct (Req_dec a b) as [-> | Hne]; [lra |].
  apply le_epsilon. intros eps Heps.
  destruct (Hc a ltac:(lra) (eps / 2)) as [d [Hd0 Hda]]; [lra |].
  destruct (Hc b ltac:(lra) (eps / 2)) as [e [He0 Heb]]; [lra |].
  set (h := Rmin (Rmin d e) (b - a) / 3).
  assert (Hh : 0 < h /\ h < d /\ h < e /\ 3 * h <= b - a).
  { pose proof (Rmin_l (Rmin d e) (b - a)). pose proof (Rmin_r (Rmin d e) (b - a)).
    pose proof (Rmin_l d e). pose proof (Rmin_r d e).
    assert (0 < Rmin (Rmin d e) (b - a)) by (repeat apply Rmin_glb_lt; lra). unfold h. lra. }
  assert (Ha : Rabs (f (a + h) - f a) < eps / 2).
  { apply Hda. repeat split; [lra |]. simpl. unfold R_dist. rewrite Rabs_right; lra. }
  assert (Hb : Rabs (f (b - h) - f b) < eps / 2).
  { apply Heb. repeat split; [lra |]. simpl. unfold R_dist. rewrite Rabs_left; lra. }
  assert (Hm : f (b - h) <= f (a + h) - 0 * (b - h - (a + h))).
  { apply (decrease f f'); [lra | |]; intros t Ht; destruct (Hd t ltac:(lra)); lra || assumption. }
  apply Rabs_def2 in Ha. apply Rabs_def2 in Hb. lra.
Qed.

(** D' = c D with |c| <= M: D squared grows and falls at most at the rate 2M. *)
Lemma linear_ode_bounds : forall (D c : R -> R) M a b, a <= b ->
  (forall t, a <= t <= b -> continuity_pt D t) ->
  (forall t, a < t < b -> derivable_pt_lim D t (c t * D t) /\ Rabs (c t) <= M) ->
  D b ^ 2 <= D a ^ 2 * exp (2 * M * (b - a)) /\ D a ^ 2 <= D b ^ 2 * exp (2 * M * (b - a)).
Proof.
  intros D c M a b Hab Hc Hd.
  assert (Hexp : forall w t, derivable_pt_lim (fun u => exp (w * (u - a))) t (w * exp (w * (t - a)))).
  { intros w t. replace (w * exp (w * (t - a))) with (exp (w * (t - a)) * (w * (1 - 0))) by ring.
    apply (derivable_pt_lim_comp (fun u => w * (u - a)) exp); [| apply derivable_pt_lim_exp].
    apply (derivable_pt_lim_scal (fun u => u - a)), derivable_pt_lim_minus;
      [apply derivable_pt_lim_id | apply derivable_pt_lim_const]. }
  assert (Hg : forall w t, a < t < b ->
    derivable_pt_lim (fun u => D u * D u * exp (w * (u - a))) t ((2 * c t + w) * (D t ^ 2 * exp (w * (t - a))))).
  { intros w t Ht. destruct (Hd t Ht) as [H _].
    replace (_ * _) with ((c t * D t * D t + D t * (c t * D t)) * exp (w * (t - a))
      + D t * D t * (w * exp (w * (t - a)))) by ring.
    apply (derivable_pt_lim_mult (fun u => D u * D u) (fun u => exp (w * (u - a)))); [| apply Hexp].
    now apply (derivable_pt_lim_mult D D). }
  assert (Hgc : forall w t, a <= t <= b -> continuity_pt (fun u => D u * D u * exp (w * (u - a))) t).
  { intros w t Ht. apply (continuity_pt_mult (fun u => D u * D u)); [now apply continuity_pt_mult; apply Hc |].
    apply derivable_continuous_pt. eexists. apply Hexp. }
  assert (Hsq : forall w t, 0 <= D t ^ 2 * exp (w * (t - a))).
  { intros w t. apply Rmult_le_pos; [apply pow2_ge_0 | apply Rlt_le, exp_pos]. }
  split.
  - assert (H : D b * D b * exp (-2 * M * (b - a)) <= D a * D a * exp (-2 * M * (a - a))).
    { apply (nonincreasing (fun u => D u * D u * exp (-2 * M * (u - a)))
        (fun t => (2 * c t + -2 * M) * (D t ^ 2 * exp (-2 * M * (t - a)))) a b Hab (Hgc _)).
      intros t Ht. split; [now apply Hg |]. destruct (Hd t Ht) as [_ HM]. apply abs_le_bounds in HM.
      specialize (Hsq (-2 * M) t). nra. }
    replace (a - a) with 0 in H by ring; rewrite Rmult_0_r, exp_0, Rmult_1_r in H.
    apply (Rmult_le_compat_r (exp (2 * M * (b - a)))) in H; [| apply Rlt_le, exp_pos].
    rewrite Rmult_assoc, <- exp_plus in H.
    replace (-2 * M * (b - a) + 2 * M * (b - a)) with 0 in H by ring.
    rewrite exp_0 in H. simpl. lra.
  - assert (H : - (D b * D b * exp (2 * M * (b - a))) <= - (D a * D a * exp (2 * M * (a - a)))).
    { apply (nonincreasing (fun u => - (D u * D u * exp (2 * M * (u - a))))
        (fun t => - ((2 * c t + 2 * M) * (D t ^ 2 * exp (2 * M * (t - a))))) a b Hab).
      - intros t Ht. now apply continuity_pt_opp, Hgc.
      - intros t Ht. split; [apply derivable_pt_lim_opp; now apply Hg |].
        destruct (Hd t Ht) as [_ HM]. apply abs_le_bounds in HM. specialize (Hsq (2 * M) t). nra. }
    replace (a - a) with 0 in H by ring; rewrite Rmult_0_r, exp_0, Rmult_1_r in H. simpl. lra.
Qed.

(** A function continuous on [a, b] is bounded there, by the supremum of the points up to which it is.  The
    double negation keeps the excluded middle out. *)
Lemma bounded_on : forall f a b, a <= b -> (forall t, a <= t <= b -> continuity_pt f t) ->
  ~ ~ exists B, forall t, a <= t <= b -> Rabs (f t) <= B.
Proof.
  intros f a b Hab Hc.
  set (bounded := fun c => exists B, forall t, a <= t <= c -> Rabs (f t) <= B). intros Hn.
  assert (Ha : bounded a) by (exists (Rabs (f a)); intros t Ht; replace t with a by lra; lra).
  destruct (completeness (fun c => a <= c <= b /\ bounded c)) as [m [Hub Hlub]].
  - exists b. intros c [Hcab _]. lra.
  - exists a. split; [lra | exact Ha].
  - assert (Ham : a <= m) by (apply Hub; split; [lra | exact Ha]).
    assert (Hmb : m <= b) by (apply Hlub; intros c [Hcab _]; lra).
    destruct (Hc m (conj Ham Hmb) 1) as [d [Hd Hf]]; [lra |].
    assert (m <= m - d); [| lra]. apply Hlub. intros c [Hcab [B HB]]. apply Rnot_lt_le. intros Hlt.
    assert (Hcm : c <= m) by (apply Hub; split; [exact Hcab | now exists B]).
    assert (Hnear : forall t, c <= t < m + d -> Rabs (f t) <= Rabs (f m) + 1).
    { intros t Ht. destruct (Req_dec t m) as [-> | Hne]; [lra |].
      assert (Hft : Rabs (f t - f m) < 1).
      { apply Hf. repeat split; [now apply not_eq_sym |]. simpl. unfold R_dist. apply Rabs_def1; lra. }
      pose proof (Rabs_triang (f t - f m) (f m)) as Htri.
      replace (f t - f m + f m) with (f t) in Htri by ring. lra. }
    assert (Hext : forall e, c <= e < m + d -> bounded e).
    { intros e He. exists (Rmax B (Rabs (f m) + 1)). intros t Ht. destruct (Rle_lt_dec t c) as [Htc | Htc].
      - apply Rle_trans with (2 := Rmax_l _ _). apply HB. lra.
      - apply Rle_trans with (2 := Rmax_r _ _). apply Hnear. lra. }
    destruct (Rle_lt_dec b (m + d / 2)) as [Hb | Hb].
    + apply Hn, Hext. lra.
    + assert (m + d / 2 <= m); [| lra]. apply Hub. split; [lra | apply Hext; lra].
Qed.

Lemma bounded_family : forall (x : nat -> R -> R) T a b, a <= b ->
  (forall k, (k < T)%nat -> forall t, a <= t <= b -> continuity_pt (x k) t) ->
  ~ ~ exists B, forall k, (k < T)%nat -> forall t, a <= t <= b -> Rabs (x k t) <= B.
Proof.
  intros x T a b Hab; induction T as [|T IH]; intros Hc Hn.
  - apply Hn. exists 0. intros; lia.
  - apply IH; [intros k Hk; apply Hc; lia |]. intros [B HB].
    apply (bounded_on (x T) a b Hab); [intros; apply Hc; trivial; lia |]. intros [B' HB'].
    apply Hn. exists (Rmax B B'). intros k Hk t Ht. destruct (Nat.eq_dec k T) as [-> | Hne].
    + apply Rle_trans with (2 := Rmax_r _ _). now apply HB'.
    + apply Rle_trans with (2 := Rmax_l _ _). apply HB; trivial; lia.
Qed.

(** A solution of the gradient flow on [0, oo), continued to the left of 0 in any continuous way. *)
Definition stack_flow (P : law) (T : nat) (x : nat -> R -> R) : Prop :=
  forall i, (i < T)%nat -> (forall t, 0 <= t -> continuity_pt (x i) t) /\
    forall t, 0 < t -> derivable_pt_lim (x i) t (- stack_slope P (fun k => x k t) T i).

(** The order of the weights is kept: distinct weights never meet and ties stay ties. *)
Theorem flow_keeps_order : forall P T x i j a b, stack_flow P T x -> (i < T)%nat -> (j < T)%nat ->
  0 <= a <= b -> (x i a < x j a -> x i b < x j b) /\ (x i a = x j a -> x i b = x j b).
Proof.
  intros P T x i j a b Hflow Hi Hj Hab.
  destruct (Nat.eq_dec i j) as [-> | Hij]; [split; intros; lra |].
  set (D := fun t => x i t - x j t).
  enough (Hdec : ~ ~ ((x i a < x j a -> x i b < x j b) /\ (x i a = x j a -> x i b = x j b))).
  { split; intros H.
    - apply Rnot_le_lt. intros Hge. apply Hdec. intros [Hlt _]. specialize (Hlt H). lra.
    - destruct (Req_dec (x i b) (x j b)) as [E | Hne]; [exact E |]. exfalso. apply Hdec. intros [_ Heq]. auto. }
  intros Hn. apply (bounded_family x T a b); [lra | intros; apply Hflow; trivial; lra |].
  intros [B HB]. apply Hn.
  set (M := 2 * (hi P * (1 + hi P) * ((1 + B * (1 + hi P)) ^ T) ^ 2 * (1 + B * (1 + hi P)) ^ 2)).
  assert (Hc : forall t, a <= t <= b -> continuity_pt D t).
  { intros t Ht. apply continuity_pt_minus; apply Hflow; trivial; lra. }
  assert (Hd : forall t, a < t < b ->
    derivable_pt_lim D t (coupling P (fun k => x k t) T i j * D t) /\
    Rabs (coupling P (fun k => x k t) T i j) <= M).
  { intros t Ht. split.
    - unfold D at 2. rewrite <- (slope_difference P (fun k => x k t)) by assumption.
      apply derivable_pt_lim_minus; apply Hflow; trivial; lra.
    - apply coupling_bound; trivial. intros k Hk. apply HB; trivial; lra. }
  assert (Hkeep : forall u, a <= u <= b ->
    D u ^ 2 <= D a ^ 2 * exp (2 * M * (u - a)) /\ D a ^ 2 <= D u ^ 2 * exp (2 * M * (u - a))).
  { intros u Hu. apply (linear_ode_bounds D (fun t => coupling P (fun k => x k t) T i j)); [lra | |].
    - intros t Ht. apply Hc. lra.
    - intros t Ht. apply Hd. lra. }
  split; intros H.
  - apply Rnot_le_lt. intros Hge.
    assert (Hz : exists u, a <= u <= b /\ D u = 0).
    { destruct (Req_dec (x j b) (x i b)) as [E | Hne]; [exists b; unfold D; split; lra |].
      assert (Hlt : a < b) by (destruct (Req_dec a b) as [E | E]; [rewrite E in H; lra | lra]).
      destruct (IVT_interv D a b Hc Hlt) as [u [Hu E]]; [unfold D; lra | unfold D; lra | now exists u]. }
    destruct Hz as [u [Hu E]]. destruct (Hkeep u Hu) as [_ Hk]. rewrite E in Hk. unfold D in Hk. nra.
  - destruct (Hkeep b ltac:(lra)) as [Hk _]. unfold D in Hk. rewrite H in Hk.
    replace (x j a - x j a) with 0 in Hk by ring. nra.
Qed.
