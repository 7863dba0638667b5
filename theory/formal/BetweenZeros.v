(** A residual of n + 1 layers with distinct zeros that is orthogonal to all lower degrees: the rule of Gauss, and what
    other polynomials do between the zeros. *)
From Coq Require Import Reals Ranalysis5 Lra Lia.
From Formal Require Import Law Polynomial PolynomialSigns Layerwise LayerwiseLandscape GaussNodes Coefficients
  LayerwiseDescent LayerwiseGeometry LayerwiseFlow.
Open Scope R_scope.

(** * Numbers in order *)

Lemma increasing_below : forall (y : nat -> R) n, (forall k, (S k < n)%nat -> y k < y (S k)) ->
  forall j k, (j < k < n)%nat -> y j < y k.
Proof.
  intros y n H j k; induction k as [|k IH]; intros Hjk; [lia |].
  destruct (Nat.eq_dec j k) as [-> | Hne]; [apply H; lia |].
  apply Rlt_trans with (y k); [apply IH; lia | apply H; lia].
Qed.

Lemma sorted_family : forall n z, (forall j k, (j < k < n)%nat -> z j <> z k) -> exists y,
  (forall j k, (j < k < n)%nat -> y j < y k) /\ forall k, (k < n)%nat -> exists j, (j < n)%nat /\ y k = z j.
Proof.
  intros n z; induction n as [|n IH]; intros Hz; [exists z; split; intros; lia |].
  destruct IH as [y [Hy Hin]]; [intros; apply Hz; lia |].
  assert (Hm : forall i, (i <= n)%nat -> exists m, (m <= i)%nat /\ (forall j, (j < m)%nat -> y j < z n) /\
    forall j, (m <= j < i)%nat -> z n < y j).
  { intros i; induction i as [|i IHi]; intros Hi; [exists 0%nat; repeat split; intros; lia |].
    destruct IHi as [m [Hmi [Hlow Hhigh]]]; [lia |].
    destruct (Rtotal_order (z n) (y i)) as [H | [H | H]].
    - exists m. split; [lia |]. split; [exact Hlow |]. intros j Hj.
      destruct (Nat.eq_dec j i) as [-> | Hne]; [exact H | apply Hhigh; lia].
    - destruct (Hin i ltac:(lia)) as [j [Hj E]]. exfalso. apply (Hz j n); [lia | lra].
    - exists (S i). split; [lia |]. split; [| intros; lia]. intros j Hj.
      destruct (Nat.eq_dec j i) as [-> | Hne]; [exact H |].
      apply Rlt_trans with (y i); [apply Hy; lia | exact H]. }
  destruct (Hm n (Nat.le_refl n)) as [m [Hmn [Hlow Hhigh]]].
  exists (fun k => if Nat.ltb k m then y k else if Nat.eqb k m then z n else y (pred k)). split.
  - apply increasing_below. intros k Hk.
    destruct (Nat.ltb_spec k m), (Nat.ltb_spec (S k) m), (Nat.eqb_spec k m), (Nat.eqb_spec (S k) m); try lia; simpl.
    + apply Hy. lia.
    + apply Hlow. lia.
    + subst k. apply Hhigh. lia.
    + apply Hy. lia.
  - intros k Hk. destruct (Nat.ltb_spec k m).
    { destruct (Hin k ltac:(lia)) as [j [Hj E]]. exists j. split; [lia | exact E]. }
    destruct (Nat.eqb_spec k m); [exists n; split; [lia | reflexivity] |].
    destruct (Hin (pred k) ltac:(lia)) as [j [Hj E]]. exists j. split; [lia | exact E].
Qed.

Lemma prod_pos : forall f n, (forall k, (k < n)%nat -> 0 < f k) -> 0 < prod f n.
Proof.
  intros f n; induction n as [|n IH]; intros H; simpl; [lra |].
  apply Rmult_lt_0_compat; [apply IH; intros; apply H; lia | apply H; lia].
Qed.

Lemma prod_mult : forall f g n, prod f n * prod g n = prod (fun k => f k * g k) n.
Proof. intros f g n; induction n as [|n IH]; simpl; [ring | rewrite <- IH; ring]. Qed.

Lemma zero_between : forall f a b, continuity f -> a < b -> f a * f b < 0 -> exists c, a < c < b /\ f c = 0.
Proof.
  intros f a b Hf Hab Hneg.
  assert (Hin : forall c, a <= c <= b -> f c = 0 -> a < c < b).
  { intros c Hc E. destruct (Req_dec c a) as [-> | Ha]; [rewrite E in Hneg; lra |].
    destruct (Req_dec c b) as [-> | Hb]; [rewrite E in Hneg; lra | lra]. }
  destruct (Rtotal_order (f a) 0) as [Ha | [Ha | Ha]]; [| rewrite Ha in Hneg; lra |].
  - destruct (IVT_interv f a b) as [c [Hc E]]; [intros; apply Hf | exact Hab | exact Ha | nra |].
    exists c. split; [now apply Hin | exact E].
  - destruct (IVT_interv (fun x => - f x) a b) as [c [Hc E]];
      [intros; apply continuity_pt_opp, Hf | exact Hab | lra | nra |].
    exists c. split; [apply Hin; [exact Hc | lra] | lra].
Qed.

(** A polynomial of degree n with n + 1 zeros vanishes at 0. *)
Lemma too_many_zeros : forall n f y, degree n f -> (forall j k, (j < k < S n)%nat -> y j < y k) ->
  (forall k, (k < S n)%nat -> f (y k) = 0) -> f 0 <> 1.
Proof.
  intros n f y Hf Hy Hz H0.
  assert (Hprod : forall x, f x = prod (fun k => 1 - / y k * x) n).
  { apply product_of_roots; trivial; [intros; apply Hz; lia |]. intros j k Hjk.
    specialize (Hy j k ltac:(lia)). lra. }
  assert (Hne : forall m, (m <= n)%nat -> prod (fun k => 1 - / y k * y n) m <> 0).
  { intros m; induction m as [|m IH]; intros Hm; simpl; [lra |].
    apply Rmult_integral_contrapositive_currified; [apply IH; lia |]. intros E.
    assert (y m <> 0) by (intros E'; specialize (Hz m ltac:(lia)); rewrite E' in Hz; lra).
    assert (y n = y m); [| specialize (Hy m n ltac:(lia)); lra].
    apply (Rmult_eq_reg_l (/ y m)); [| now apply Rinv_neq_0_compat]. rewrite Rinv_l by assumption. lra. }
  apply (Hne n (Nat.le_refl n)). rewrite <- Hprod. apply Hz. lia.
Qed.

Lemma prod_zero : forall f n j, (j < n)%nat -> f j = 0 -> prod f n = 0.
Proof.
  intros f n j; induction n as [|n IH]; intros Hj E; [lia |]. simpl.
  destruct (Nat.eq_dec j n) as [-> | Hne]; [rewrite E | rewrite IH by (trivial; lia)]; ring.
Qed.

Lemma stack_zero : forall z n j, (j < n)%nat -> 0 < z j -> stack (fun k => / z k) n (z j) = 0.
Proof. intros z n j Hj Hz. apply (prod_zero _ n j Hj). rewrite Rinv_l by lra. ring. Qed.

Lemma stack_root : forall alpha n x, stack alpha n x = 0 -> exists k, (k < n)%nat /\ 1 - alpha k * x = 0.
Proof.
  intros alpha n x; induction n as [|n IH]; intros E; [unfold stack in E; simpl in E; lra |].
  rewrite stack_next in E. apply Rmult_integral in E. destruct E as [E | E]; [| exists n; split; [lia | exact E]].
  destruct (IH E) as [k [Hk Ek]]. exists k. split; [lia | exact Ek].
Qed.

(** A polynomial that vanishes at distinct points is a multiple of the residual that does. *)
Lemma multiple_of_stack : forall z n m f, degree (n + m) f -> (forall k, (k < n)%nat -> 0 < z k) ->
  (forall j k, (j < k < n)%nat -> z j < z k) -> (forall k, (k < n)%nat -> f (z k) = 0) ->
  exists g, degree m g /\ forall x, f x = stack (fun k => / z k) n x * g x.
Proof.
  intros z n; induction n as [|n IH]; intros m f Hf Hpos Hz H.
  - exists f. split; [exact Hf |]. intros x. unfold stack; simpl. ring.
  - destruct (degree_div (n + m) (z n) f Hf) as [h [Hh Hx]]. rewrite H in Hx by lia.
    destruct (IH m h Hh) as [g [Hg Hgx]].
    + intros; apply Hpos; lia.
    + intros; apply Hz; lia.
    + intros k Hk. pose proof (Hx (z k)) as E. rewrite H in E by lia. specialize (Hz k n ltac:(lia)).
      apply (Rmult_eq_reg_l (z k - z n)); lra.
    + exists (fun x => - z n * g x). split; [now apply degree_scal |]. intros x. rewrite Hx, Hgx, stack_next.
      field. specialize (Hpos n ltac:(lia)). lra.
Qed.

Lemma degree_total : forall (f : nat -> R -> R) n m, (forall k, (k < m)%nat -> degree n (f k)) ->
  degree n (fun x => total (fun k => f k x) m).
Proof.
  intros f n m; induction m as [|m IH]; intros H; simpl; [apply degree_const |].
  apply degree_plus; [apply IH; intros; apply H; lia | apply H; lia].
Qed.

Lemma total_single : forall f n j, (j < n)%nat -> (forall k, (k < n)%nat -> k <> j -> f k = 0) -> total f n = f j.
Proof.
  intros f n j; induction n as [|n IH]; intros Hj H; [lia |]. simpl. destruct (Nat.eq_dec j n) as [-> | Hne].
  - rewrite (total_ext f (fun _ => 0 * 1)), total_scal by (intros; rewrite H by lia; ring). ring.
  - rewrite IH, (H n) by (trivial; try lia; intros; apply H; lia). ring.
Qed.

(** The quotient by x - z, but for its leading term, which does not depend on z. *)
Lemma degree_div_lead : forall n f, degree (S (S n)) f -> exists v, forall z, exists p, degree n p /\
  forall x, f x = f z + (x - z) * (v * x ^ S n + p x).
Proof.
  intros n f [c Hc]. exists (c (S (S n))). intros z.
  assert (Hpow : degree (S n) (fun x => x ^ S n)).
  { exists (fun k => if Nat.eqb k (S n) then 1 else 0). intros x. unfold poly. rewrite tech5, Nat.eqb_refl.
    rewrite (sum_eq _ (fun _ => 0)), sum_cte; [ring |].
    intros k Hk. rewrite (proj2 (Nat.eqb_neq k (S n))) by lia. ring. }
  destruct (degree_div n z _ Hpow) as [g [Hg Hgx]]. cbv beta in Hgx.
  destruct (degree_div n z _ (poly_degree c (S n))) as [h [Hh Hhx]].
  exists (fun x => c (S (S n)) * z * g x + h x). split; [apply degree_plus; [now apply degree_scal | exact Hh] |].
  intros x. rewrite !Hc. unfold poly in *. rewrite !(tech5 _ (S n)), Hhx.
  change (x ^ S (S n)) with (x * x ^ S n). change (z ^ S (S n)) with (z * z ^ S n).
  rewrite (Hgx x) at 1. pose proof (Hgx x) as E.
  replace (c (S (S n)) * (x * (z ^ S n + (x - z) * g x)))
    with (c (S (S n)) * ((x - z) * (z ^ S n + (x - z) * g x) + z * (z ^ S n + (x - z) * g x))) by ring.
  rewrite E. ring.
Qed.

Lemma stack_zeros_degree : forall beta i j n, (i < j < S (S n))%nat -> beta i = 0 -> beta j = 0 ->
  degree n (stack beta (S (S n))).
Proof.
  intros beta i j n; induction n as [|n IH]; intros Hij Hi Hj.
  - apply (degree_ext _ (fun _ => 1)); [| apply degree_const]. intros x. unfold stack; simpl.
    replace i with 0%nat in Hi by lia. replace j with 1%nat in Hj by lia. rewrite Hi, Hj. ring.
  - destruct (Nat.eq_dec j (S (S n))) as [-> | Hne].
    + apply (degree_ext _ (stack (without beta i) (S (S n)))); [| apply stack_without_degree; lia].
      intros x. rewrite (stack_next beta), Hj, (stack_ext (without beta i) beta); [ring |].
      intros k _. unfold without, update. destruct (Nat.eqb_spec k i) as [-> | _]; [now symmetry | reflexivity].
    + apply (degree_ext _ (fun x => (1 + - beta (S (S n)) * x) * stack beta (S (S n)) x)).
      * intros x. rewrite (stack_next beta (S (S n))). ring.
      * apply degree_affine, IH; trivial. lia.
Qed.

(** * Where another polynomial changes sign between the zeros *)

Section Zeros.
Variables (P : law) (n : nat) (z : nat -> R).
Let alpha (k : nat) : R := / z k.
Let r : R -> R := stack alpha (S n).
Hypothesis enough : pts P n.
Hypothesis orthogonal : forall k, (k < S n)%nat -> E P (fun s => s * (r (1 + s) * (1 + s) ^ k)) = 0.
Hypothesis positive : forall k, (k < S n)%nat -> 0 < z k.
Hypothesis increasing : forall j k, (j < k < S n)%nat -> z j < z k.

(** r without the factor that vanishes at z_i. *)
Let others (i : nat) : R -> R := stack (without alpha i) (S n).
Let mean (f : R -> R) : R := E P (fun s => s * f (1 + s)).

Lemma others_degree : forall i, (i < S n)%nat -> degree n (others i).
Proof. intros i Hi. now apply stack_without_degree. Qed.

Lemma others_dom : forall i, dom P (fun s => others i (1 + s)).
Proof. intros i. apply dom_stack. Qed.

Lemma distinct_zeros : forall i j, (i < S n)%nat -> (j < S n)%nat -> i <> j -> z i <> z j.
Proof.
  intros i j Hi Hj Hij. destruct (Nat.lt_total i j) as [H | [H | H]]; [| contradiction |].
  - specialize (increasing i j ltac:(lia)). lra.
  - specialize (increasing j i ltac:(lia)). lra.
Qed.

Lemma r_factor : forall i x, (i < S n)%nat -> r x = - / z i * ((x - z i) * others i x).
Proof.
  intros i x Hi. unfold r, others. rewrite (stack_factor alpha i) by exact Hi. unfold alpha at 1.
  field. specialize (positive i Hi). lra.
Qed.

(** (x - z_i) others_i is orthogonal to all degrees up to n. *)
Lemma mean_zero : forall i p, (i < S n)%nat -> degree n p -> mean (fun x => (x - z i) * p x * others i x) = 0.
Proof.
  intros i p Hi Hp. pose proof (others_dom i) as Do. pose proof (dom_stack P alpha (S n)) as Dr.
  pose proof (poly_measurable P n p Hp) as Dp. unfold measurable in Dp.
  pose proof (orthogonal_to_lower P (S n) r (stack_degree _ _) orthogonal n p (Nat.lt_succ_diag_r n) Hp) as H0.
  pose proof (positive i Hi) as Hz. unfold mean.
  rewrite (E_ext P _ (fun s => - z i * (s * (r (1 + s) * p (1 + s))))).
  - rewrite E_scal, H0 by (unfold r; in_dom). ring.
  - in_dom.
  - intros s. rewrite (r_factor i) by exact Hi. field. lra.
Qed.

(** The mean of f others_i takes f at z_i, for every f of degree at most n + 1: the rule of Gauss. *)
Lemma mean_at_zero : forall i f, (i < S n)%nat -> degree (S n) f ->
  mean (fun x => f x * others i x) = f (z i) * mean (others i).
Proof.
  intros i f Hi Hf. destruct (degree_div n (z i) f Hf) as [h [Hh Hfx]].
  pose proof (others_dom i) as Do. pose proof (poly_measurable P _ f Hf) as Df.
  pose proof (poly_measurable P _ h Hh) as Dh. unfold measurable in Df, Dh.
  rewrite <- (Rplus_0_r (f (z i) * _)), <- (mean_zero i h Hi Hh). unfold mean.
  rewrite <- E_scal, <- (E_plus P (fun s => f (z i) * (s * others i (1 + s)))) by in_dom.
  apply E_ext; [in_dom |]. intros s. rewrite (Hfx (1 + s)) at 1. ring.
Qed.

(** The weights of the rule are positive. *)
Lemma square_mean_pos : forall i, (i < S n)%nat -> 0 < mean (fun x => others i x * others i x).
Proof.
  intros i Hi. pose proof (others_dom i) as Do.
  apply Rlt_le_trans with (E P (fun s => s * others i (1 + s) ^ 2)).
  - apply (pts_square_pos P n _ 0 enough (others_degree i Hi)). unfold others. rewrite stack_at_0. lra.
  - right. apply E_ext; [in_dom |]. intros s. ring.
Qed.

Lemma weight_pos : forall i, (i < S n)%nat -> 0 < others i (z i) * mean (others i).
Proof.
  intros i Hi. rewrite <- mean_at_zero; trivial; [now apply square_mean_pos | now apply degree_S, others_degree].
Qed.

(** The zeros lie between the ends of the support. *)
Lemma zero_inside : forall i, (i < S n)%nat -> 1 + lo P <= z i <= 1 + hi P.
Proof.
  intros i Hi. pose proof (mean_zero i _ Hi (others_degree i Hi)) as H0. pose proof (square_mean_pos i Hi) as Hpos.
  pose proof (others_dom i) as Do. unfold mean in *.
  assert (Hshift : forall c, E P (fun s => s * ((1 + s - c) * (others i (1 + s) * others i (1 + s))))
    = (z i - c) * E P (fun s => s * (others i (1 + s) * others i (1 + s)))).
  { intros c. rewrite <- (Rplus_0_l (_ * _)), <- H0, <- E_scal by in_dom.
    rewrite <- (E_plus P (fun s => s * ((1 + s - z i) * others i (1 + s) * others i (1 + s)))) by in_dom.
    apply E_ext; [in_dom |]. intros s. ring. }
  split; apply Rnot_lt_le; intros Hlt.
  - assert (0 <= E P (fun s => s * ((1 + s - (1 + lo P)) * (others i (1 + s) * others i (1 + s))))).
    { apply E_nonneg; [in_dom |]. intros s [-> | Hs]; [lra |]. pose proof (lo_nonneg P).
      apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; [lra | nra]. }
    rewrite Hshift in H. nra.
  - assert (0 <= E P (fun s => -1 * (s * ((1 + s - (1 + hi P)) * (others i (1 + s) * others i (1 + s)))))).
    { apply E_nonneg; [in_dom |]. intros s [-> | Hs]; [lra |]. pose proof (lo_nonneg P).
      replace (-1 * _) with (s * ((hi P - s) * (others i (1 + s) * others i (1 + s)))) by ring.
      apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; [lra | nra]. }
    rewrite E_scal, Hshift in H by in_dom. nra.
Qed.

(** Others_i at z_i alternates. *)
Lemma others_alternate : forall i, (S i < S n)%nat -> others i (z i) * others (S i) (z (S i)) < 0.
Proof.
  intros i Hi. pose proof (positive i ltac:(lia)) as H0. pose proof (positive (S i) Hi) as H1.
  pose proof (increasing i (S i) ltac:(lia)) as Hlt.
  unfold others.
  rewrite (stack_without alpha i (S i)), (stack_without alpha (S i) i), (without_sym alpha (S i) i) by lia.
  set (both := stack (without (without alpha i) (S i)) (S n)).
  assert (Hboth : 0 < both (z i) * both (z (S i))).
  { unfold both, stack. rewrite prod_mult. apply prod_pos. intros k Hk.
    unfold without, update. destruct (Nat.eqb_spec k (S i)) as [-> | Hne1]; [lra |].
    destruct (Nat.eqb_spec k i) as [-> | Hne0]; [lra |]. unfold alpha.
    pose proof (positive k Hk) as Hk0. pose proof (Rinv_0_lt_compat _ Hk0) as Hinv.
    replace ((1 - / z k * z i) * (1 - / z k * z (S i)))
      with (/ z k * / z k * ((z k - z i) * (z k - z (S i)))) by (field; lra).
    apply Rmult_lt_0_compat; [nra |]. destruct (Nat.lt_total k i) as [H | [H | H]]; [| contradiction |].
    - pose proof (increasing k i ltac:(lia)). nra.
    - pose proof (increasing (S i) k ltac:(lia)). nra. }
  unfold alpha. set (u := both (z i)) in *. set (v := both (z (S i))) in *.
  pose proof (Rinv_0_lt_compat _ H0) as I0. pose proof (Rinv_0_lt_compat _ H1) as I1.
  replace ((1 - / z (S i) * z i) * u * ((1 - / z i * z (S i)) * v))
    with (- (/ z i * / z (S i) * ((z (S i) - z i) * (z (S i) - z i)) * (u * v))) by (field; lra).
  apply Ropp_lt_gt_0_contravar. apply Rmult_lt_0_compat; [| exact Hboth]. apply Rmult_lt_0_compat; nra.
Qed.

(** A function of which f(z_i) mean(others_i)/z_i is the same at every zero, and not 0, vanishes between them. *)
Lemma vanishes_between : forall f c, continuity f -> c <> 0 ->
  (forall i, (i < S n)%nat -> / z i * (f (z i) * mean (others i)) = c) ->
  forall i, (S i < S n)%nat -> exists x, z i < x < z (S i) /\ f x = 0.
Proof.
  intros f c Hf Hc H i Hi. apply zero_between; [exact Hf | apply increasing; lia |].
  pose proof (H i ltac:(lia)) as E0. pose proof (H (S i) Hi) as E1.
  pose proof (weight_pos i ltac:(lia)) as W0. pose proof (weight_pos (S i) Hi) as W1.
  pose proof (Rinv_0_lt_compat _ (positive i ltac:(lia))) as I0.
  pose proof (Rinv_0_lt_compat _ (positive (S i) Hi)) as I1.
  pose proof (others_alternate i Hi) as Ha.
  set (m0 := mean (others i)) in *. set (m1 := mean (others (S i))) in *.
  set (a0 := others i (z i)) in *. set (a1 := others (S i) (z (S i))) in *.
  assert (Hcc : 0 < c * c) by (destruct (Rtotal_order c 0) as [Hn | [Hn | Hn]]; [nra | contradiction | nra]).
  assert (Hm : m0 * m1 < 0).
  { apply Rnot_le_lt. intros Hge. assert (0 < a0 * m0 * (a1 * m1)) by now apply Rmult_lt_0_compat. nra. }
  rewrite <- E0 in Hcc at 1. rewrite <- E1 in Hcc.
  apply Rnot_le_lt. intros Hge.
  replace (/ z i * (f (z i) * m0) * (/ z (S i) * (f (z (S i)) * m1)))
    with (/ z i * / z (S i) * ((f (z i) * f (z (S i))) * (m0 * m1))) in Hcc by ring.
  assert (0 < / z i * / z (S i)) by now apply Rmult_lt_0_compat.
  assert (f (z i) * f (z (S i)) * (m0 * m1) <= 0) by nra. nra.
Qed.

(** The best residual of the depth before vanishes between the zeros. *)
Lemma before_vanishes : forall q, degree n q -> q 0 = 1 ->
  (forall k, (k < n)%nat -> E P (fun s => s * (q (1 + s) * (1 + s) ^ k)) = 0) ->
  forall i, (S i < S n)%nat -> exists x, z i < x < z (S i) /\ q x = 0.
Proof.
  intros q Hq H0 Ho. pose proof (poly_measurable P _ q Hq) as Dq. unfold measurable in Dq.
  set (c := / z 0%nat * mean (fun x => q x * others 0%nat x)).
  assert (Hsame : forall i, (i < S n)%nat -> / z i * mean (fun x => q x * others i x) = c).
  { intros i Hi. destruct (Nat.eq_dec i 0) as [-> | Hne]; [reflexivity |].
    set (both := stack (without (without alpha 0) i) (S n)).
    assert (Hb : degree (pred n) both).
    { unfold both. replace (S n) with (S (S (pred n))) by lia.
      apply (stack_zeros_degree _ 0 i); [lia | |]; unfold without, update; simpl.
      - destruct i; [lia | reflexivity].
      - now rewrite Nat.eqb_refl. }
    pose proof (orthogonal_to_lower P n q Hq Ho (pred n) both ltac:(lia) Hb) as Hz.
    pose proof (poly_measurable P _ both Hb) as Db. unfold measurable in Db.
    pose proof (others_dom i) as Di. pose proof (others_dom 0) as D0.
    apply Rminus_diag_uniq. rewrite <- (Rmult_0_r (/ z i - / z 0%nat)), <- Hz. unfold c, mean.
    rewrite <- !E_scal, <- E_minus by in_dom. apply E_ext; [in_dom |]. intros s. unfold others.
    rewrite (stack_without alpha i 0), (stack_without alpha 0 i), (without_sym alpha i 0) by lia.
    fold both. unfold alpha. ring. }
  intros i Hi. assert (Hall : forall j, (j < S n)%nat -> / z j * (q (z j) * mean (others j)) = c).
  { intros j Hj. rewrite <- mean_at_zero by (trivial; now apply degree_S). now apply Hsame. }
  apply (vanishes_between q c); trivial; [exact (degree_continuous n q Hq) |]. intros E.
  apply (too_many_zeros n q z Hq increasing); [| exact H0]. intros j Hj.
  specialize (Hall j Hj). rewrite E in Hall. pose proof (weight_pos j Hj) as Hw.
  pose proof (Rinv_0_lt_compat _ (positive j Hj)) as Hinv.
  apply Rmult_integral in Hall. destruct Hall as [Hall | Hall]; [lra |].
  apply Rmult_integral in Hall. destruct Hall as [Hall | Hall]; [exact Hall |]. rewrite Hall in Hw. lra.
Qed.

(** So does a polynomial f of degree n + 2 that is orthogonal to all degrees up to n, or it vanishes at all of them. *)
Lemma after_vanishes : forall f, degree (S (S n)) f ->
  (forall p, degree n p -> mean (fun x => f x * p x) = 0) ->
  (forall i, (S i < S n)%nat -> exists x, z i < x < z (S i) /\ f x = 0) \/ forall i, (i < S n)%nat -> f (z i) = 0.
Proof.
  intros f Hf Ho. destruct (degree_div_lead n f Hf) as [v Hv].
  pose proof (poly_measurable P _ f Hf) as Df. unfold measurable in Df.
  pose proof (dom_stack P alpha (S n)) as Dr. fold r in Dr.
  set (c := v * mean (fun x => r x * x ^ S n)).
  assert (Hall : forall i, (i < S n)%nat -> / z i * (f (z i) * mean (others i)) = c).
  { intros i Hi. destruct (Hv (z i)) as [p [Hp Hfx]]. pose proof (others_dom i) as Di.
    pose proof (poly_measurable P _ p Hp) as Dp. unfold measurable in Dp.
    pose proof (Ho (others i) (others_degree i Hi)) as H0.
    pose proof (orthogonal_to_lower P (S n) r (stack_degree _ _) orthogonal n p (Nat.lt_succ_diag_r n) Hp) as H1.
    pose proof (positive i Hi) as Hz.
    assert (Hsum : mean (fun x => f x * others i x)
      = f (z i) * mean (others i) - z i * (v * mean (fun x => r x * x ^ S n)) - z i * mean (fun x => r x * p x)).
    { unfold mean. rewrite <- !E_scal, <- !E_minus by in_dom. apply E_ext; [in_dom |].
      intros s. rewrite (Hfx (1 + s)) at 1. rewrite (r_factor i) by exact Hi. field. lra. }
    unfold c. unfold mean in Hsum at 4. rewrite H0, H1 in Hsum.
    apply (Rmult_eq_reg_l (z i)); [| lra]. rewrite <- Rmult_assoc, Rinv_r by lra. lra. }
  destruct (Req_dec c 0) as [E | Hne]; [right | left].
  - intros i Hi. specialize (Hall i Hi). rewrite E in Hall. pose proof (weight_pos i Hi) as Hw.
    pose proof (Rinv_0_lt_compat _ (positive i Hi)) as Hinv.
    apply Rmult_integral in Hall. destruct Hall as [Hall | Hall]; [lra |].
    apply Rmult_integral in Hall. destruct Hall as [Hall | Hall]; [exact Hall |]. rewrite Hall in Hw. lra.
  - apply (vanishes_between f c); trivial. exact (degree_continuous _ f Hf).
Qed.

(** * The rule of Gauss *)

Definition gauss_weight (k : nat) : R := mean (others k) / others k (z k).

Lemma others_not_zero : forall k, (k < S n)%nat -> others k (z k) <> 0.
Proof. intros k Hk E. pose proof (weight_pos k Hk) as H. rewrite E in H. lra. Qed.

Lemma gauss_weight_pos : forall k, (k < S n)%nat -> 0 < gauss_weight k.
Proof.
  intros k Hk. unfold gauss_weight. pose proof (weight_pos k Hk) as H. pose proof (others_not_zero k Hk) as Hne.
  apply (Rmult_lt_reg_r (others k (z k) ^ 2)).
  - rewrite <- pow2_abs. apply pow_lt. now apply Rabs_pos_lt.
  - replace (mean (others k) / others k (z k) * others k (z k) ^ 2) with (others k (z k) * mean (others k))
      by (field; exact Hne). lra.
Qed.

(** It is exact for every f whose quotient by r the residual r is orthogonal to. *)
Lemma gauss_rule_exact : forall m f, degree (S n + m) f ->
  (forall g, degree m g -> mean (fun x => r x * g x) = 0) ->
  mean f = total (fun k => gauss_weight k * f (z k)) (S n).
Proof.
  intros m f Hf Ho. set (term := fun k x => f (z k) / others k (z k) * others k x).
  set (I := fun x => total (fun k => term k x) (S n)).
  assert (HI : degree n I).
  { apply (degree_total term). intros k Hk. now apply degree_scal, others_degree. }
  assert (Hzero : forall j, (j < S n)%nat -> I (z j) = f (z j)).
  { intros j Hj. unfold I. rewrite (total_single _ _ j Hj).
    - unfold term. field. now apply others_not_zero.
    - intros k Hk Hkj. unfold term. unfold others at 2. rewrite (stack_without alpha k j) by lia.
      assert (E1 : alpha j * z j = 1) by (unfold alpha; apply Rinv_l; specialize (positive j Hj); lra).
      rewrite E1. ring. }
  destruct (multiple_of_stack z (S n) m (fun x => f x + -1 * I x)) as [g [Hg Hx]]; trivial.
  - apply degree_plus; [exact Hf |]. apply degree_scal, (degree_le n); [lia | exact HI].
  - intros k Hk. rewrite Hzero by exact Hk. ring.
  - pose proof (poly_measurable P _ f Hf) as Df. pose proof (poly_measurable P _ I HI) as DI.
    pose proof (poly_measurable P _ g Hg) as Dg. unfold measurable in Df, DI, Dg.
    pose proof (dom_stack P alpha (S n)) as Dr. fold r in Dr.
    rewrite <- (Rplus_0_l (total _ _)), <- (Ho g Hg). unfold mean.
    replace (total (fun k => gauss_weight k * f (z k)) (S n)) with (E P (fun s => s * I (1 + s))).
    + rewrite <- (E_plus P (fun s => s * (r (1 + s) * g (1 + s)))) by in_dom. apply E_ext; [in_dom |].
      intros s. specialize (Hx (1 + s)). fold alpha in Hx. change (stack alpha (S n) (1 + s)) with (r (1 + s)) in Hx.
      rewrite <- Hx. ring.
    + assert (Dk : forall k, dom P (fun s => s * term k (1 + s))).
      { intros k. pose proof (others_dom k). unfold term. in_dom. }
      rewrite (E_ext P _ (fun s => total (fun k => s * term k (1 + s)) (S n))).
      * rewrite (E_total P (fun k s => s * term k (1 + s))) by exact Dk. apply total_ext. intros k Hk.
        pose proof (others_dom k). unfold term, gauss_weight, mean.
        rewrite (E_ext P _ (fun s => f (z k) / others k (z k) * (s * others k (1 + s)))) by (in_dom || (intros; ring)).
        rewrite E_scal by in_dom. unfold Rdiv. ring.
      * in_dom.
      * intros s. unfold I. now rewrite total_scal.
Qed.

End Zeros.
