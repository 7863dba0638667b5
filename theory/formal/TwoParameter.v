(** Two parameters: every layer has the weights W_S = a I, W_V = b I. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law OneParameter OneParameterLimit Embedding Polynomial Layerwise.
Open Scope R_scope.

(** sum_(i < T) x^(T-1-i) y^i; the geometric sum of the filter is the case x = 1. *)
Fixpoint mixed (T : nat) (x y : R) : R :=
  match T with O => 0 | S t => x ^ t + y * mixed t x y end.

(** The residual of depth T is 1 - a [signal]. *)
Definition signal (T : nat) (b lam : R) : R := lam * geometric_sum (1 + b * lam) T.

Definition loss2 (P : law) (T : nat) (a b : R) : R := layers_excess P (fun _ => a) (fun _ => b) T.

Definition minimiser2 (P : law) (T : nat) (a b : R) : Prop := forall a' b', loss2 P T a b <= loss2 P T a' b'.

Lemma geometric_mixed : forall T z, geometric_sum z T = mixed T 1 z.
Proof.
  intros T z; induction T as [|T IH]; [reflexivity |].
  rewrite geometric_sum_horner, IH. simpl. now rewrite pow1.
Qed.

(** Where b <> 0 the residual is 1 + (a/b) (1 - z^T), z = 1 + b lam. *)
Lemma signal_power : forall T b lam, b * signal T b lam = (1 + b * lam) ^ T - 1.
Proof.
  intros T b lam. unfold signal. induction T as [|T IH]; [simpl; ring |].
  rewrite geometric_sum_horner. simpl.
  replace (b * _) with (b * lam + (1 + b * lam) * (b * (lam * geometric_sum (1 + b * lam) T))) by ring.
  rewrite IH. ring.
Qed.

Lemma signal_difference : forall T b x y,
  signal T b y - signal T b x = (y - x) * mixed T (1 + b * x) (1 + b * y).
Proof.
  intros T b x y. induction T as [|T IH]; unfold signal in *; [simpl; ring |].
  pose proof (signal_power T b x) as Hx. unfold signal in Hx. rewrite !geometric_sum_horner. simpl.
  replace ((1 + b * x) ^ T) with (1 + b * (x * geometric_sum (1 + b * x) T)) by lra.
  replace (y * _ - _) with ((y - x) * (1 + b * (x * geometric_sum (1 + b * x) T))
    + (1 + b * y) * (y * geometric_sum (1 + b * y) T - x * geometric_sum (1 + b * x) T)) by ring.
  rewrite IH. ring.
Qed.

Lemma mixed_nonneg : forall T x y, 0 <= x -> 0 <= y -> 0 <= mixed T x y.
Proof.
  intros T x y Hx Hy; induction T as [|T IH]; simpl; [lra |]. pose proof (pow_le x T Hx). nra.
Qed.

Lemma mixed_monotone : forall T x x' y y', 0 <= x <= x' -> 0 <= y <= y' -> mixed T x y <= mixed T x' y'.
Proof.
  intros T x x' y y' Hx Hy; induction T as [|T IH]; simpl; [lra |].
  pose proof (mixed_nonneg T x y ltac:(lra) ltac:(lra)). apply Rplus_le_compat; [now apply pow_incr |].
  apply Rmult_le_compat; lra.
Qed.

Lemma geometric_monotone : forall T y y', 0 <= y <= y' -> geometric_sum y T <= geometric_sum y' T.
Proof. intros. rewrite !geometric_mixed. apply mixed_monotone; lra. Qed.

Lemma geometric_pos : forall T z, (1 <= T)%nat -> 0 <= z -> 1 <= geometric_sum z T.
Proof.
  intros [|T] z HT Hz; [lia |]. rewrite geometric_sum_horner.
  pose proof (mixed_nonneg T 1 z ltac:(lra) Hz) as Hm. rewrite <- geometric_mixed in Hm. nra.
Qed.

Lemma power_bounds : forall T x, 0 <= x <= 1 -> 0 <= x ^ T <= 1.
Proof.
  intros T x Hx. split; [apply pow_le; lra |]. rewrite <- (pow1 T). now apply pow_incr.
Qed.

Lemma mixed_below : forall T x y, 0 <= x <= 1 -> 0 <= y -> x ^ T * geometric_sum y T <= mixed T x y.
Proof.
  intros T x y Hx Hy; induction T as [|T IH]; [simpl; lra |]. rewrite geometric_sum_horner. simpl.
  pose proof (mixed_nonneg T 1 y ltac:(lra) Hy) as Hg. rewrite <- geometric_mixed in Hg.
  pose proof (power_bounds T x Hx) as Hp.
  assert (y * (x ^ T * geometric_sum y T) <= y * mixed T x y) by (apply Rmult_le_compat_l; lra).
  assert (x * x ^ T <= x ^ T) by nra. assert (0 <= y * (x ^ T * geometric_sum y T)) by
    (apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]). nra.
Qed.

(** * The measure nu = (s/lam) dP, of mass C *)

Definition nu (P : law) (f : R -> R) : R := E P (fun s => s * / (1 + s) * f s).

Section Measure.
Variable P : law.

Lemma nu_monotone : forall f g, dom P f -> dom P g ->
  (forall s, lo P <= s <= hi P -> f s <= g s) -> nu P f <= nu P g.
Proof.
  intros f g Hf Hg H. apply E_monotone; [in_dom .. |]. intros s [-> | Hs]; [rewrite !Rmult_0_l; lra |].
  pose proof (lo_nonneg P). apply Rmult_le_compat_l; [| now apply H].
  apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra].
Qed.

Lemma nu_ext : forall f g, dom P f -> dom P g ->
  (forall s, lo P <= s <= hi P -> f s = g s) -> nu P f = nu P g.
Proof. intros f g Hf Hg H. apply Rle_antisym; apply nu_monotone; trivial; intros; rewrite H; trivial; lra. Qed.

Lemma nu_combination : forall u v f g, dom P f -> dom P g ->
  nu P (fun s => u * f s + v * g s) = u * nu P f + v * nu P g.
Proof.
  intros u v f g Hf Hg. unfold nu.
  rewrite (E_ext P _ (fun s => u * (s * / (1 + s) * f s) + v * (s * / (1 + s) * g s)))
    by (in_dom || (intros; ring)).
  rewrite (E_plus P (fun s => u * (s * / (1 + s) * f s)) (fun s => v * (s * / (1 + s) * g s))),
    (E_scal P u (fun s => s * / (1 + s) * f s)), (E_scal P v (fun s => s * / (1 + s) * g s)) by in_dom.
  reflexivity.
Qed.

Lemma nu_const : forall c, nu P (fun _ => c) = c * scale P.
Proof.
  intros c. unfold nu, scale. rewrite <- E_scal by in_dom. apply E_ext; [in_dom | intros; ring].
Qed.

Lemma nu_nonneg : forall f, dom P f -> (forall s, lo P <= s <= hi P -> 0 <= f s) -> 0 <= nu P f.
Proof.
  intros f Hf H. replace 0 with (nu P (fun _ => 0)) by (rewrite nu_const; ring).
  apply nu_monotone; [in_dom | exact Hf | exact H].
Qed.

Lemma nu_bounds : forall f c d, dom P f -> (forall s, lo P <= s <= hi P -> c <= f s <= d) ->
  c * scale P <= nu P f <= d * scale P.
Proof.
  intros f c d Hf H. rewrite <- !nu_const.
  split; apply nu_monotone; trivial; try apply dom_const; intros s Hs; now apply H.
Qed.

Lemma nu_square : forall G c, dom P G ->
  nu P (fun s => (1 - c * G s) ^ 2) = scale P - 2 * c * nu P G + c ^ 2 * nu P (fun s => G s ^ 2).
Proof.
  intros G c HG.
  rewrite (nu_ext _ (fun s => 1 * 1 + 1 * ((- 2 * c) * G s + c ^ 2 * G s ^ 2)))
    by (in_dom || (intros; ring)).
  rewrite (nu_combination 1 1 (fun _ => 1) (fun s => - 2 * c * G s + c ^ 2 * G s ^ 2)),
    (nu_combination _ _ G (fun s => G s ^ 2)), nu_const by in_dom. ring.
Qed.

(** C E_nu G^2 - (E_nu G)^2, not normalised: C^2 times the variance. *)
Definition variance (G : R -> R) : R := scale P * nu P (fun s => G s ^ 2) - nu P G ^ 2.

Lemma variance_shift : forall G c, dom P G -> variance (fun s => G s - c) = variance G.
Proof.
  intros G c HG. unfold variance.
  rewrite (nu_ext (fun s => (G s - c) ^ 2) (fun s => 1 * G s ^ 2 + 1 * ((- 2 * c) * G s + c ^ 2 * 1))),
    (nu_ext (fun s => G s - c) (fun s => 1 * G s + - c * 1)) by (in_dom || (intros; ring)).
  rewrite (nu_combination 1 1 (fun s => G s ^ 2) (fun s => - 2 * c * G s + c ^ 2 * 1)),
    (nu_combination _ _ G (fun _ => 1)), (nu_combination _ _ G (fun _ => 1)), nu_const by in_dom. ring.
Qed.

(** If the excess of the filter c G is at most k C, then (1 - k) Var <= k E(G)^2. *)
Lemma variance_of_small_loss : forall G c k, dom P G ->
  nu P (fun s => (1 - c * G s) ^ 2) <= scale P * k -> (1 - k) * variance G <= k * nu P G ^ 2.
Proof.
  intros G c k HG H. rewrite nu_square in H by exact HG. unfold variance.
  set (q := nu P (fun s => G s ^ 2)) in *. set (g := nu P G) in *.
  assert (Hq : 0 <= q) by (apply nu_nonneg; [in_dom | intros; apply pow2_ge_0]).
  assert (q * (scale P - 2 * c * g + c ^ 2 * q) <= q * (scale P * k)) by (apply Rmult_le_compat_l; lra).
  pose proof (pow2_ge_0 (c * q - g)). nra.
Qed.

(** Mass at a distance from the mean bounds the variance. *)
Lemma variance_from_mean : forall A B G p q, dom P A -> dom P B -> dom P G ->
  (forall s, lo P <= s <= hi P -> A s * p ^ 2 + B s * q ^ 2 <= (G s - nu P G / scale P) ^ 2) ->
  scale P * (nu P A * p ^ 2 + nu P B * q ^ 2) <= variance G.
Proof.
  intros A B G p q HA HB HG H. pose proof (scale_pos P) as HC. set (mu := nu P G / scale P) in *.
  rewrite <- (variance_shift G mu) by exact HG. unfold variance.
  assert (Hmean : nu P (fun s => G s - mu) = 0).
  { rewrite (nu_ext _ (fun s => 1 * G s + - mu * 1)) by (in_dom || (intros; ring)).
    rewrite (nu_combination 1 _ G (fun _ => 1)), nu_const by in_dom. unfold mu. field. lra. }
  rewrite Hmean. replace (0 ^ 2) with 0 by ring. rewrite Rminus_0_r.
  apply Rmult_le_compat_l; [lra |]. rewrite !(Rmult_comm (nu P _)), <- nu_combination by assumption.
  apply nu_monotone; [in_dom | in_dom |]. intros s Hs. specialize (H s Hs). lra.
Qed.

Definition indicator (A : R -> R) : Prop := dom P A /\ forall s, A s = 0 \/ A s = 1.

(** Two disjoint sets on which G is at least u and at most v <= u. *)
Lemma variance_two_sets : forall A B G u v, indicator A -> indicator B -> dom P G ->
  (forall s, lo P <= s <= hi P -> A s = 1 -> B s = 0 /\ u <= G s) ->
  (forall s, lo P <= s <= hi P -> B s = 1 -> G s <= v) -> v <= u ->
  nu P A * nu P B * (u - v) ^ 2 <= variance G.
Proof.
  intros A B G u v [HA HA'] [HB HB'] HG Hu Hv Huv. pose proof (scale_pos P) as HC.
  set (mu := nu P G / scale P). set (p := Rmax (u - mu) 0). set (q := Rmax (mu - v) 0).
  assert (Hp : 0 <= p) by apply Rmax_r. assert (Hq : 0 <= q) by apply Rmax_r.
  assert (Hpq : u - v <= p + q).
  { pose proof (Rmax_l (u - mu) 0). pose proof (Rmax_l (mu - v) 0). unfold p, q. lra. }
  assert (HAB : 0 <= nu P A /\ 0 <= nu P B /\ nu P A + nu P B <= scale P).
  { repeat split.
    - apply nu_nonneg; trivial. intros s _. destruct (HA' s); lra.
    - apply nu_nonneg; trivial. intros s _. destruct (HB' s); lra.
    - replace (scale P) with (nu P (fun _ => 1)) by (rewrite nu_const; ring).
      replace (nu P A + nu P B) with (1 * nu P A + 1 * nu P B) by ring.
      rewrite <- nu_combination by assumption. apply nu_monotone; [in_dom | in_dom |]. intros s Hs.
      destruct (HA' s) as [-> | E]; [destruct (HB' s); lra | destruct (Hu s Hs E); lra]. }
  destruct HAB as [HA0 [HB0 HABC]].
  apply Rle_trans with (scale P * (nu P A * p ^ 2 + nu P B * q ^ 2)).
  - apply Rle_trans with ((nu P A + nu P B) * (nu P A * p ^ 2 + nu P B * q ^ 2)).
    + assert (nu P A * nu P B * (u - v) ^ 2 <= nu P A * nu P B * (p + q) ^ 2).
      { apply Rmult_le_compat_l; [now apply Rmult_le_pos | apply pow_incr; lra]. }
      pose proof (pow2_ge_0 (nu P A * p - nu P B * q)). nra.
    + apply Rmult_le_compat_r; [| lra]. pose proof (pow2_ge_0 p). pose proof (pow2_ge_0 q). nra.
  - apply variance_from_mean; trivial. intros s Hs. fold mu.
    assert (Hp' : A s = 1 -> p ^ 2 <= (G s - mu) ^ 2).
    { intros E. destruct (Hu s Hs E). unfold p, Rmax. destruct (Rle_dec (u - mu) 0); [rewrite pow_ne_zero by lia; apply pow2_ge_0 | apply pow_incr; lra]. }
    assert (Hq' : B s = 1 -> q ^ 2 <= (G s - mu) ^ 2).
    { intros E. specialize (Hv s Hs E). unfold q, Rmax.
      replace ((G s - mu) ^ 2) with ((mu - G s) ^ 2) by ring.
      destruct (Rle_dec (mu - v) 0); [rewrite pow_ne_zero by lia; apply pow2_ge_0 | apply pow_incr; lra]. }
    pose proof (pow2_ge_0 (G s - mu)).
    destruct (HA' s) as [E | E]; rewrite E.
    + destruct (HB' s) as [E' | E']; rewrite E'; [lra | specialize (Hq' E'); lra].
    + destruct (Hu s Hs E) as [-> _]. specialize (Hp' E). lra.
Qed.

(** One set, on which G is on one side of its mean. *)
Lemma variance_one_set : forall A G p, indicator A -> dom P G -> 0 <= p ->
  (forall s, lo P <= s <= hi P -> A s = 1 ->
    p <= G s - nu P G / scale P \/ p <= nu P G / scale P - G s) ->
  scale P * nu P A * p ^ 2 <= variance G.
Proof.
  intros A G p [HA HA'] HG Hp H.
  replace (scale P * nu P A * p ^ 2) with (scale P * (nu P A * p ^ 2 + nu P (fun _ => 0) * 0 ^ 2)) by ring.
  apply variance_from_mean; trivial; [in_dom |]. intros s Hs.
  pose proof (pow2_ge_0 (G s - nu P G / scale P)).
  destruct (HA' s) as [-> | E]; [lra | rewrite E]. specialize (H s Hs E). nra.
Qed.

(** * The excess of the minimum *)

Lemma dom_geometric : forall T (f : R -> R), dom P f -> dom P (fun s => geometric_sum (f s) T).
Proof.
  intros T f Hf; induction T as [|T IH]; [apply (dom_const P 0) |].
  apply (dom_ext P (fun s => 1 + f s * geometric_sum (f s) T)); [intros; now rewrite geometric_sum_horner | in_dom].
Qed.

Lemma dom_signal : forall T b, dom P (fun s => signal T b (1 + s)).
Proof.
  intros T b. unfold signal. apply (dom_mult P (fun s => 1 + s)); [in_dom |].
  apply dom_geometric. in_dom.
Qed.

Lemma loss2_nu : forall T a b, loss2 P T a b = nu P (fun s => (1 - a * signal T b (1 + s)) ^ 2).
Proof.
  intros T a b. pose proof (dom_signal T b) as Hd. symmetry. apply E_ext; [in_dom |]. intros s.
  unfold layers_residual. rewrite two_parameter_filter. unfold signal. f_equal. f_equal. ring.
Qed.

(** With b = - a the residual is (1 - a lam)^T: the one-parameter model. *)
Lemma loss2_tied : forall T a, loss2 P T a (- a) = loss P T a.
Proof.
  intros T a. symmetry. unfold loss2, layers_excess, residual_excess, layers_residual.
  apply E_ext; [in_dom |]. intros s. unfold residual.
  now rewrite one_parameter_residual, <- pow_mult, (Nat.mul_comm T 2).
Qed.

Theorem loss2_at_star : forall T, loss2 P T (alpha_star P) (- alpha_star P) <= scale P * kappa P ^ (2 * T).
Proof. intros T. rewrite loss2_tied. apply loss_at_star. Qed.

(** The minimum is within C kappa^(2T) of the Bayes risk, at every depth. *)
Theorem two_parameter_bound : forall T a b, minimiser2 P T a b ->
  0 <= loss2 P T a b <= scale P * kappa P ^ (2 * T).
Proof.
  intros T a b H. split.
  - rewrite loss2_nu. apply nu_nonneg; [| intros; apply pow2_ge_0].
    pose proof (dom_signal T b). in_dom.
  - exact (Rle_trans _ _ _ (H _ _) (loss2_at_star T)).
Qed.

(** Weights of their own for each layer do at least as well as two, and two as well as one. *)
Theorem loss_order : forall T e a b c, least_excess P T e -> minimiser2 P T a b ->
  e <= loss2 P T a b <= loss P T c.
Proof. intros T e a b c [_ He] H. split; [apply He | rewrite <- loss2_tied; apply H]. Qed.

End Measure.
