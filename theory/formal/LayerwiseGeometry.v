(** The excess of the layers' weights away from its minimum: sublevel sets are bounded, near a tie the difference of two
    weights grows, and where no two weights are near the squared gradient bounds the excess above the least one. *)
From Coq Require Import Reals List Lra Lia.
From Formal Require Import Law Flow Polynomial PolynomialSigns Layerwise LayerwiseLandscape LayerwiseCritical GaussNodes
  Coefficients UniformDerivative LayerwiseDescent.
Import ListNotations.
Open Scope R_scope.

Section Static.
Variables (P : law) (n : nat).
Hypothesis enough : pts P n.

(** * Coefficients and values of (r - r')/lam, by the excess of r - r' *)

Lemma mean_square_le_excess : forall g, degree n g -> mean_square P g <= residual_excess P (fun x => x * g x).
Proof.
  intros g Hg. pose proof (poly_measurable P n g Hg) as M. unfold measurable in M.
  apply E_monotone; [in_dom | in_dom |]. intros s Hs. apply supp_nonneg in Hs.
  replace (s * / (1 + s) * ((1 + s) * g (1 + s)) ^ 2) with (s * (1 + s) * g (1 + s) ^ 2) by (field; lra).
  apply Rmult_le_compat_r; [apply pow2_ge_0 | nra].
Qed.

Lemma abs_le_sqrt : forall x y, 0 <= y -> x ^ 2 <= y -> Rabs x <= sqrt y.
Proof.
  intros x y Hy H. rewrite <- (sqrt_pow2 (Rabs x)) by apply Rabs_pos. apply sqrt_le_1_alt. now rewrite pow2_abs.
Qed.

(** A constant A such that |q(x)| <= A |x|_max^n sqrt(excess) at every x. *)
Lemma quotient_bound : exists A, 0 <= A /\ forall V c, residual_excess P (fun x => x * poly c n x) <= V -> 0 <= V ->
  (forall k, (k <= n)%nat -> Rabs (c k) <= A * sqrt V).
Proof.
  destruct (coefficient_bound P n enough) as [K [HK H]]. exists (sqrt K). split; [apply sqrt_pos |].
  intros V c HV HV0 k Hk. rewrite <- sqrt_mult by assumption. apply abs_le_sqrt; [now apply Rmult_le_pos |].
  apply Rle_trans with (1 := H c k Hk). apply Rmult_le_compat_l; [exact HK |].
  apply Rle_trans with (2 := HV). apply mean_square_le_excess, poly_degree.
Qed.

Lemma poly_abs : forall c m x X M, Rabs x <= X -> 1 <= X -> 0 <= M -> (forall k, (k <= m)%nat -> Rabs (c k) <= M) ->
  Rabs (poly c m x) <= INR (S m) * (M * X ^ m).
Proof.
  intros c m x X M Hx HX HM. induction m as [|m IH]; intros H.
  - unfold poly. simpl. rewrite !Rmult_1_r, Rmult_1_l. apply H. lia.
  - unfold poly in *. rewrite tech5, (S_INR (S m)), Rmult_plus_distr_r, Rmult_1_l.
    eapply Rle_trans; [apply Rabs_triang |]. apply Rplus_le_compat.
    + apply Rle_trans with (INR (S m) * (M * X ^ m)); [apply IH; intros; apply H; lia |].
      apply Rmult_le_compat_l; [apply pos_INR |]. apply Rmult_le_compat_l; [exact HM |].
      apply Rle_pow; [exact HX | lia].
    + rewrite Rabs_mult, <- RPow_abs. apply Rmult_le_compat; try apply Rabs_pos.
      * apply pow_le, Rabs_pos.
      * apply H. lia.
      * apply pow_incr. split; [apply Rabs_pos | exact Hx].
Qed.

(** Sublevel sets are bounded. *)
Theorem excess_coercive : forall C0, exists B, 0 <= B /\ forall alpha, stack_excess P alpha (S n) <= C0 ->
  forall i, (i < S n)%nat -> Rabs (alpha i) <= B.
Proof.
  intros C0. destruct quotient_bound as [A [HA H]]. pose proof (scale_pos P) as HC.
  set (V := 2 * Rabs C0 + 2 * scale P). assert (HV : 0 <= V) by (unfold V; pose proof (Rabs_pos C0); lra).
  set (M := A * sqrt V). assert (HM : 0 <= M) by (apply Rmult_le_pos; [exact HA | apply sqrt_pos]).
  exists (Rmax 1 (INR (S n) * M)). split; [apply Rle_trans with 1; [lra | apply Rmax_l] |].
  intros alpha Hle i Hi. apply Rnot_lt_le. intros Hlt.
  assert (H1 : 1 < Rabs (alpha i)) by (apply Rle_lt_trans with (2 := Hlt), Rmax_l).
  assert (H2 : INR (S n) * M < Rabs (alpha i)) by (apply Rle_lt_trans with (2 := Hlt), Rmax_r).
  assert (Hne : alpha i <> 0) by (intros E; rewrite E, Rabs_R0 in H1; lra).
  destruct (degree_div n 0 _ (stack_degree alpha (S n))) as [g [[c Hc] Hg]].
  assert (Hdiv : forall x, stack alpha (S n) x = 1 + x * poly c n x).
  { intros x. rewrite Hg, stack_at_0, Hc. ring. }
  assert (Hexcess : residual_excess P (fun x => x * poly c n x) <= V).
  { apply Rle_trans with (2 * stack_excess P alpha (S n) + 2 * scale P).
    - unfold stack_excess, residual_excess, scale.
      pose proof (dom_stack P alpha (S n)) as D1. pose proof (poly_measurable P n _ (poly_degree c n)) as D2.
      unfold measurable in D2.
      rewrite <- !E_scal, <- (E_plus P (fun s => 2 * (s * / (1 + s) * stack alpha (S n) (1 + s) ^ 2))
        (fun s => 2 * (s * / (1 + s)))) by in_dom.
      apply E_monotone; [in_dom | in_dom |]. intros s Hs. pose proof (weight_nonneg P s Hs) as Hw.
      rewrite Hdiv. set (w := (1 + s) * poly c n (1 + s)). set (u := s * / (1 + s)) in *.
      assert (Hw2 : w ^ 2 <= 2 * (1 + w) ^ 2 + 2) by (pose proof (pow2_ge_0 (w + 2)); lra).
      apply (Rmult_le_compat_l u) in Hw2; [lra | exact Hw].
    - unfold V. pose proof (Rle_abs C0). lra. }
  pose proof (H V c Hexcess HV) as Hck. fold M in Hck.
  assert (Hroot : 1 + / alpha i * poly c n (/ alpha i) = 0).
  { rewrite <- Hdiv, (stack_factor alpha i) by exact Hi. rewrite Rinv_r by exact Hne. ring. }
  assert (Hx : Rabs (/ alpha i) <= 1).
  { rewrite Rabs_inv. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  pose proof (poly_abs c n (/ alpha i) 1 M Hx (Rle_refl 1) HM Hck) as Hp. rewrite pow1, Rmult_1_r in Hp.
  assert (Hval : poly c n (/ alpha i) = - alpha i).
  { apply (Rmult_eq_reg_l (/ alpha i)); [| now apply Rinv_neq_0_compat].
    replace (/ alpha i * - alpha i) with (-1) by (field; exact Hne). lra. }
  rewrite Hval, Rabs_Ropp in Hp. lra.
Qed.

Lemma E_abs : forall f M, dom P f -> (forall s, supp P s -> Rabs (f s) <= M) -> Rabs (E P f) <= M.
Proof.
  intros f M Df H. apply Rabs_le. split.
  - rewrite <- (E_const P (- M)). apply E_monotone; [in_dom | exact Df |]. intros s Hs.
    destruct (abs_le_bounds _ _ (H s Hs)). lra.
  - rewrite <- (E_const P M). apply E_monotone; [exact Df | in_dom |]. intros s Hs.
    destruct (abs_le_bounds _ _ (H s Hs)). lra.
Qed.

(** * The coupling of two weights *)

Lemma stack_abs : forall alpha m B s, 0 <= B -> (forall k, (k < m)%nat -> Rabs (alpha k) <= B) -> supp P s ->
  Rabs (stack alpha m (1 + s)) <= (1 + B * (1 + hi P)) ^ m.
Proof.
  intros alpha m B s HB H Hs. pose proof (hi_pos P) as Hh. pose proof (lo_nonneg P).
  assert (Hs' : 0 <= s <= hi P) by (destruct Hs as [-> | Hs]; lra).
  induction m as [|m IH]; [unfold stack; simpl; rewrite Rabs_R1; lra |].
  rewrite stack_next, Rabs_mult. simpl pow. rewrite Rmult_comm. apply Rmult_le_compat; try apply Rabs_pos.
  - eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_R1, Rabs_Ropp, Rabs_mult, (Rabs_right (1 + s)) by lra.
    specialize (H m ltac:(lia)). assert (Rabs (alpha m) * (1 + s) <= B * (1 + hi P)); [| lra].
    apply Rmult_le_compat; try apply Rabs_pos; lra.
  - apply IH. intros k Hk. apply H. lia.
Qed.

Lemma without_abs : forall alpha i m B, 0 <= B -> (forall k, (k < m)%nat -> Rabs (alpha k) <= B) ->
  forall k, (k < m)%nat -> Rabs (without alpha i k) <= B.
Proof.
  intros alpha i m B HB H k Hk. unfold without, update. destruct (Nat.eqb k i); [now rewrite Rabs_R0 | now apply H].
Qed.

(** Near a tie the difference of two weights grows. *)
Lemma coupling_below : forall B, 0 <= B -> exists c M, 0 < c /\ 0 < M /\ forall alpha i j,
  (i < S n)%nat -> (j < S n)%nat -> i <> j -> (forall k, (k < S n)%nat -> Rabs (alpha k) <= B) ->
  2 * c - M * (alpha i - alpha j) ^ 2 <= coupling P alpha (S n) i j.
Proof.
  intros B HB. destruct (least_excess_exists P n) as [e He]. pose proof (least_excess_positive P n e enough He) as Hpos.
  pose proof (hi_pos P) as Hh. pose proof (lo_nonneg P) as Hlo.
  set (Q := (1 + B * (1 + hi P)) ^ S n). set (M := hi P * (1 + hi P) ^ 3 * Q ^ 2 + 1).
  assert (HM : 0 < M).
  { unfold M. assert (0 <= hi P * (1 + hi P) ^ 3 * Q ^ 2); [| lra].
    apply Rmult_le_pos; [apply Rmult_le_pos; [lra | apply pow_le; lra] | apply pow2_ge_0]. }
  exists e, M. split; [exact Hpos |]. split; [exact HM |]. intros alpha i j Hi Hj Hij Hbound.
  set (a := (alpha i + alpha j) / 2). set (D := alpha i - alpha j). set (beta := update alpha i a).
  set (R := stack (without (without alpha i) j) (S n)).
  pose proof (dom_stack P (without (without alpha i) j) (S n)) as DR. fold R in DR.
  assert (Hq : forall x, stack (without beta j) (S n) x = (1 - a * x) * R x).
  { intros x. unfold beta. rewrite (stack_without _ j i) by (assumption || lia). rewrite update_at. f_equal. unfold R.
    apply stack_ext. intros k _. unfold without, update. destruct (Nat.eqb k j), (Nat.eqb k i); reflexivity. }
  pose proof (dom_stack P (without beta j) (S n)) as Dq.
  assert (Hfirst : e <= E P (fun s => s * (1 + s) * stack (without beta j) (S n) (1 + s) ^ 2)).
  { apply Rle_trans with (residual_excess P (stack (without beta j) (S n))).
    - apply (least_excess_polynomial P n); [exact He | apply stack_without_degree, Hj | apply stack_at_0].
    - apply E_monotone; [in_dom | in_dom |]. intros s Hs. apply supp_nonneg in Hs.
      apply Rmult_le_compat_r; [apply pow2_ge_0 |]. apply Rmult_le_compat_l; [exact Hs |].
      apply Rle_trans with 1; [| lra]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  assert (Hsecond : E P (fun s => s * (1 + s) ^ 3 * R (1 + s) ^ 2) <= M).
  { rewrite <- (E_const P M). apply E_monotone; [in_dom | in_dom |]. intros s Hs.
    assert (Hs' : 0 <= s <= hi P) by (destruct Hs as [-> | Hs']; lra).
    assert (HR : Rabs (R (1 + s)) <= Q).
    { apply stack_abs; trivial. apply without_abs; trivial. now apply without_abs. }
    unfold M. apply Rle_trans with (hi P * (1 + hi P) ^ 3 * Q ^ 2); [| lra].
    apply Rmult_le_compat.
    - apply Rmult_le_pos; [lra | apply pow_le; lra].
    - apply pow2_ge_0.
    - apply Rmult_le_compat; try lra; [apply pow_le; lra | apply pow_incr; lra].
    - rewrite <- pow2_abs. apply pow_incr. split; [apply Rabs_pos | exact HR]. }
  unfold coupling. fold R.
  assert (Hval : E P (fun s => s * (1 + s) * (R (1 + s) ^ 2 * ((1 - alpha i * (1 + s)) * (1 - alpha j * (1 + s)))))
    = E P (fun s => s * (1 + s) * stack (without beta j) (S n) (1 + s) ^ 2)
      - D ^ 2 / 4 * E P (fun s => s * (1 + s) ^ 3 * R (1 + s) ^ 2)).
  { rewrite <- E_scal, <- E_minus by in_dom. apply E_ext; [in_dom |]. intros s. rewrite Hq. unfold D, a. field. }
  rewrite Hval. pose proof (pow2_ge_0 D) as HD. nra.
Qed.
(** * Where no two weights are near each other *)

Section Apart.
Variables (alpha : nat -> R) (B delta G : R).
Let T := S n.
Hypothesis Hdelta : 0 < delta.
Hypothesis apart : forall i j, (i < T)%nat -> (j < T)%nat -> i <> j -> delta <= Rabs (alpha i - alpha j).
Hypothesis bounded : forall k, (k < T)%nat -> Rabs (alpha k) <= B.
Hypothesis small : forall i, (i < T)%nat -> Rabs (stack_slope P alpha T i) <= G.

Fixpoint spread (m : nat) : R := match m with O => 1 | S k => spread k * (1 + 2 * (1 + B) / delta) end.

Lemma B_nonneg : 0 <= B.
Proof. apply Rle_trans with (Rabs (alpha 0%nat)); [apply Rabs_pos | apply bounded; unfold T; lia]. Qed.

Lemma G_nonneg : 0 <= G.
Proof. eapply Rle_trans; [apply Rabs_pos | apply (small 0); unfold T; lia]. Qed.

Lemma spread_nonneg : forall m, 0 <= spread m.
Proof.
  pose proof B_nonneg. intros m; induction m as [|m IH]; simpl; [lra |]. apply Rmult_le_pos; [exact IH |].
  assert (0 <= 2 * (1 + B) / delta); [| lra]. apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, Hdelta].
Qed.

Lemma against_small : forall m l, length l = S m -> NoDup l -> (forall i, In i l -> (i < T)%nat) ->
  forall p, (p <= m)%nat -> Rabs (against P alpha T p l) <= spread m * G.
Proof.
  pose proof B_nonneg as HB. pose proof G_nonneg as HG.
  intros m; induction m as [|m IH]; intros l Hlen Hdup Hin p Hp.
  - destruct l as [| i [| j l]]; try discriminate. replace p with 0%nat by lia.
    rewrite against_single by (apply Hin; now left). specialize (small i (Hin i (or_introl eq_refl))).
    unfold Rdiv. rewrite Rabs_mult, Rabs_Ropp, (Rabs_right (/ 2)) by lra. simpl spread.
    pose proof (Rabs_pos (stack_slope P alpha T i)). lra.
  - destruct l as [| i [| j l]]; try discriminate.
    assert (Hi : (i < T)%nat) by (apply Hin; now left). assert (Hj : (j < T)%nat) by (apply Hin; right; now left).
    inversion Hdup as [| ? ? Hni Hdup']; subst. inversion Hdup' as [| ? ? Hnj Hdup'']; subst.
    assert (Hij : i <> j) by (intros ->; apply Hni; now left).
    assert (Hil : ~ In i l) by (intros H; apply Hni; now right).
    pose proof (spread_nonneg m) as Hs. set (F := spread m * G) in *.
    assert (HF : 0 <= F) by (unfold F; now apply Rmult_le_pos).
    assert (Hnext : forall q, (q <= m)%nat -> Rabs (against P alpha T (S q) (i :: j :: l)) <= 2 * F / delta
      /\ Rabs (against P alpha T q (i :: j :: l)) <= F + B * (2 * F / delta)).
    { intros q Hq. pose proof (against_cons P alpha T q i (j :: l) Hi Hni) as E1.
      assert (Hji : ~ In j (i :: l)) by (intros [E | H]; [now apply Hij | contradiction]).
      pose proof (against_cons P alpha T q j (i :: l) Hj Hji) as E2.
      rewrite !(against_swap P alpha T _ j i) in E2.
      assert (B1 : Rabs (against P alpha T q (j :: l)) <= F).
      { apply IH; simpl in *; auto; try lia. }
      assert (B2 : Rabs (against P alpha T q (i :: l)) <= F).
      { apply IH; simpl in *; auto; try lia; [now constructor | intros k [-> | Hk]; auto]. }
      set (A1 := against P alpha T (S q) (i :: j :: l)) in *. set (A0 := against P alpha T q (i :: j :: l)) in *.
      assert (HA1 : Rabs A1 <= 2 * F / delta).
      { apply (Rmult_le_reg_l delta); [exact Hdelta |].
        replace (delta * (2 * F / delta)) with (2 * F) by (field; lra).
        apply Rle_trans with (Rabs (alpha i - alpha j) * Rabs A1).
        - apply Rmult_le_compat_r; [apply Rabs_pos | now apply apart].
        - rewrite <- Rabs_mult.
          replace ((alpha i - alpha j) * A1) with (against P alpha T q (i :: l) + - against P alpha T q (j :: l)) by lra.
          eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp. lra. }
      split; [exact HA1 |]. replace A0 with (against P alpha T q (j :: l) + alpha i * A1) by lra.
      eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_mult. apply Rplus_le_compat; [exact B1 |].
      apply Rmult_le_compat; try apply Rabs_pos; [now apply bounded | exact HA1]. }
    assert (Hid : 0 <= F / delta) by (apply Rmult_le_pos; [exact HF | apply Rlt_le, Rinv_0_lt_compat, Hdelta]).
    assert (Hgoal : spread (S m) * G = F + 2 * (F / delta) + B * (2 * (F / delta))).
    { simpl spread. unfold F. field. lra. }
    assert (HBF : 0 <= B * (F / delta)) by now apply Rmult_le_pos.
    rewrite Hgoal. destruct p as [|q].
    + destruct (Hnext 0%nat ltac:(lia)) as [_ H]. unfold Rdiv in *. lra.
    + destruct (Hnext q ltac:(lia)) as [H _]. unfold Rdiv in *. lra.
Qed.

(** The residual is nearly orthogonal to all lower degrees. *)
Lemma nearly_orthogonal : forall k, (k <= n)%nat ->
  Rabs (E P (fun s => s * (stack alpha T (1 + s) * (1 + s) ^ k))) <= spread n * G.
Proof.
  intros k Hk. rewrite <- (against_all P alpha T k).
  apply against_small; [rewrite seq_length; reflexivity | apply seq_NoDup | | exact Hk].
  intros i Hi. apply in_seq in Hi. lia.
Qed.
End Apart.

(** * The excess above the least one *)

Section Gap.
Variable r : R -> R.
Hypothesis r_degree : degree (S n) r.
Hypothesis r_at_0 : r 0 = 1.
Hypothesis orthogonal : forall k, (k < S n)%nat -> E P (fun s => s * (r (1 + s) * (1 + s) ^ k)) = 0.

Definition excess_above (alpha : nat -> R) : R := stack_excess P alpha (S n) - residual_excess P r.

Lemma excess_above_quotient : forall alpha, exists c, (forall x, stack alpha (S n) x = r x + x * poly c n x) /\
  residual_excess P (fun x => x * poly c n x) = excess_above alpha.
Proof.
  intros alpha.
  assert (Hd : degree (S n) (fun x => stack alpha (S n) x - r x)).
  { apply (degree_ext _ (fun x => stack alpha (S n) x + -1 * r x)); [intros; ring |].
    apply degree_plus; [apply stack_degree | now apply degree_scal]. }
  destruct (degree_div n 0 _ Hd) as [g [[c Hc] Hg]]. exists c.
  assert (Hx : forall x, stack alpha (S n) x = r x + x * poly c n x).
  { intros x. specialize (Hg x). rewrite stack_at_0, r_at_0, Hc in Hg. lra. }
  split; [exact Hx |]. unfold excess_above, stack_excess.
  rewrite (orthogonal_residual P (S n) r r_degree r_at_0 orthogonal _ (stack_degree alpha (S n)) (stack_at_0 alpha (S n))).
  rewrite (residual_excess_ext P (S n) (fun x => stack alpha (S n) x - r x) (fun x => x * poly c n x) Hd); [ring |].
  intros x. rewrite Hx. ring.
Qed.

Lemma excess_above_nonneg : forall alpha, 0 <= excess_above alpha.
Proof.
  intros alpha. destruct (excess_above_quotient alpha) as [c [_ <-]].
  apply (residual_excess_nonneg P (S n)), degree_shift, poly_degree.
Qed.

(** It bounds the values of the residual ... *)
Lemma value_by_excess : forall y, exists C, 0 <= C /\ forall alpha,
  Rabs (stack alpha (S n) y - r y) <= C * sqrt (excess_above alpha).
Proof.
  intros y. destruct quotient_bound as [A [HA H]]. set (X := Rmax 1 (Rabs y)).
  assert (HX : 1 <= X /\ Rabs y <= X) by (split; [apply Rmax_l | apply Rmax_r]).
  exists (Rabs y * (INR (S n) * (A * X ^ n))). split.
  { apply Rmult_le_pos; [apply Rabs_pos |]. apply Rmult_le_pos; [apply pos_INR |].
    apply Rmult_le_pos; [exact HA | apply pow_le; lra]. }
  intros alpha. destruct (excess_above_quotient alpha) as [c [Hc HV]].
  pose proof (excess_above_nonneg alpha) as H0. set (V := excess_above alpha) in *.
  replace (stack alpha (S n) y - r y) with (y * poly c n y) by (rewrite Hc; ring).
  rewrite Rabs_mult, (Rmult_assoc (Rabs y)). apply Rmult_le_compat_l; [apply Rabs_pos |].
  apply Rle_trans with (INR (S n) * (A * sqrt V * X ^ n)); [| right; ring].
  apply poly_abs; try apply HX; [apply Rmult_le_pos; [exact HA | apply sqrt_pos] |].
  apply (H V c); [now right | exact H0].
Qed.

(** ... and the gradient ... *)
Lemma slope_by_excess : forall B, 0 <= B -> exists C, 0 <= C /\ forall alpha i, (i < S n)%nat ->
  (forall k, (k < S n)%nat -> Rabs (alpha k) <= B) -> Rabs (stack_slope P alpha (S n) i) <= C * sqrt (excess_above alpha).
Proof.
  intros B HB. destruct quotient_bound as [A [HA H]]. pose proof (hi_pos P) as Hh. pose proof (lo_nonneg P) as Hlo.
  set (Q := (1 + B * (1 + hi P)) ^ S n).
  assert (HQ : 0 <= Q).
  { unfold Q. apply pow_le. assert (0 <= B * (1 + hi P)) by (apply Rmult_le_pos; lra). lra. }
  set (C := hi P * ((1 + hi P) * (INR (S n) * (A * (1 + hi P) ^ n)) * Q)).
  assert (HC : 0 <= C).
  { unfold C. repeat (apply Rmult_le_pos; try lra); try apply pos_INR; try apply pow_le; lra. }
  exists (2 * C). split; [lra |]. intros alpha i Hi Hbound.
  destruct (excess_above_quotient alpha) as [c [Hc HV]].
  pose proof (excess_above_nonneg alpha) as H0. set (V := excess_above alpha) in *.
  pose proof (H V c (or_intror HV) H0) as Hck. set (M := A * sqrt V) in *.
  assert (HM : 0 <= M) by (apply Rmult_le_pos; [exact HA | apply sqrt_pos]).
  set (Ri := stack (without alpha i) (S n)). pose proof (stack_without_degree alpha i n Hi) as HRi. fold Ri in HRi.
  pose proof (poly_measurable P n Ri HRi) as DR. pose proof (poly_measurable P n _ (poly_degree c n)) as Dq.
  pose proof (poly_measurable P _ r r_degree) as Dr. unfold measurable in DR, Dq, Dr.
  assert (Hval : stack_slope P alpha (S n) i = -2 * E P (fun s => s * (1 + s) * poly c n (1 + s) * Ri (1 + s))).
  { pose proof (orthogonal_to_lower P (S n) r r_degree orthogonal n Ri (Nat.lt_succ_diag_r n) HRi) as Hz.
    unfold stack_slope. f_equal. rewrite <- (Rplus_0_l (E P (fun s => s * (1 + s) * poly c n (1 + s) * Ri (1 + s)))), <- Hz.
    rewrite <- (E_plus P (fun s => s * (r (1 + s) * Ri (1 + s)))) by in_dom.
    apply E_ext; [in_dom |]. intros s.
    replace (s * (r (1 + s) * Ri (1 + s)) + s * (1 + s) * poly c n (1 + s) * Ri (1 + s))
      with (s * ((r (1 + s) + (1 + s) * poly c n (1 + s)) * Ri (1 + s))) by ring.
    rewrite <- Hc, (stack_factor alpha i) by exact Hi. unfold Ri. ring. }
  assert (Habs : Rabs (E P (fun s => s * (1 + s) * poly c n (1 + s) * Ri (1 + s))) <= C * sqrt V).
  { apply E_abs; [in_dom |]. intros s Hs. assert (Hs' : 0 <= s <= hi P) by (destruct Hs as [-> | Hs']; lra).
    replace (C * sqrt V) with (hi P * (1 + hi P) * (INR (S n) * (M * (1 + hi P) ^ n)) * Q) by (unfold C, M; ring).
    rewrite !Rabs_mult, (Rabs_right s), (Rabs_right (1 + s)) by lra.
    apply Rmult_le_compat; [| apply Rabs_pos | |].
    - apply Rmult_le_pos; [apply Rmult_le_pos; lra | apply Rabs_pos].
    - apply Rmult_le_compat; [apply Rmult_le_pos; lra | apply Rabs_pos | apply Rmult_le_compat; lra |].
      apply poly_abs; try lra; [rewrite Rabs_right; lra | exact Hck].
    - apply stack_abs; trivial. now apply without_abs. }
  rewrite Hval, Rabs_mult, (Rabs_left (-2)) by lra. lra.
Qed.

(** ... and where no two weights are near each other, the gradient bounds it. *)
Lemma excess_by_slope : forall B delta, 0 <= B -> 0 < delta -> exists C, 0 < C /\ forall alpha G,
  (forall i j, (i < S n)%nat -> (j < S n)%nat -> i <> j -> delta <= Rabs (alpha i - alpha j)) ->
  (forall k, (k < S n)%nat -> Rabs (alpha k) <= B) ->
  (forall i, (i < S n)%nat -> Rabs (stack_slope P alpha (S n) i) <= G) -> excess_above alpha <= C * G ^ 2.
Proof.
  intros B delta HB Hdelta. destruct quotient_bound as [A [HA H]].
  set (F := spread B delta n). set (C := INR (S n) * (A * F)).
  exists (C ^ 2 + 1). split; [pose proof (pow2_ge_0 C); lra |]. intros alpha G Hap Hbd Hsm.
  destruct (excess_above_quotient alpha) as [c [Hc HV]].
  pose proof (excess_above_nonneg alpha) as H0. set (V := excess_above alpha) in *.
  pose proof (H V c (or_intror HV) H0) as Hck.
  pose proof (G_nonneg alpha G Hsm) as HG.
  pose proof (spread_nonneg alpha B delta Hdelta Hbd n) as HF. fold F in HF.
  assert (HC : 0 <= C) by (unfold C; apply Rmult_le_pos; [apply pos_INR | now apply Rmult_le_pos]).
  pose proof (poly_measurable P n _ (poly_degree c n)) as Dq. pose proof (dom_stack P alpha (S n)) as Da.
  pose proof (poly_measurable P _ r r_degree) as Dr. unfold measurable in Dq, Dr.
  assert (Hsum : V = E P (fun s => s * (stack alpha (S n) (1 + s) * poly c n (1 + s)))).
  { pose proof (orthogonal_to_lower P (S n) r r_degree orthogonal n _ (Nat.lt_succ_diag_r n) (poly_degree c n)) as Hz.
    rewrite <- HV. unfold residual_excess.
    rewrite (E_ext_supp P (fun s => s * / (1 + s) * ((1 + s) * poly c n (1 + s)) ^ 2)
      (fun s => s * (stack alpha (S n) (1 + s) * poly c n (1 + s)) - s * (r (1 + s) * poly c n (1 + s)))).
    - rewrite (E_minus P (fun s => s * (stack alpha (S n) (1 + s) * poly c n (1 + s)))), Hz by in_dom. ring.
    - in_dom.
    - in_dom.
    - intros s Hs. apply supp_nonneg in Hs. rewrite Hc. field. lra. }
  assert (Hterms : V = sum_f_R0 (fun k => c k * E P (fun s => s * (stack alpha (S n) (1 + s) * (1 + s) ^ k))) n).
  { rewrite Hsum.
    rewrite (E_ext P _ (fun s => sum_f_R0 (fun k => c k * (s * (stack alpha (S n) (1 + s) * (1 + s) ^ k))) n)).
    - rewrite (E_sum P (fun k s => c k * (s * (stack alpha (S n) (1 + s) * (1 + s) ^ k)))) by (intros; in_dom).
      apply sum_eq. intros k _. rewrite E_scal by in_dom. reflexivity.
    - in_dom.
    - intros s. unfold poly. rewrite !scal_sum. apply sum_eq. intros k _. ring. }
  assert (Hle : V <= INR (S n) * (A * sqrt V * (F * G))).
  { rewrite Hterms at 1. assert (Hm : forall m, (m <= n)%nat ->
      sum_f_R0 (fun k => c k * E P (fun s => s * (stack alpha (S n) (1 + s) * (1 + s) ^ k))) m
        <= INR (S m) * (A * sqrt V * (F * G))); [| now apply Hm].
    assert (Hterm : forall k, (k <= n)%nat ->
      c k * E P (fun s => s * (stack alpha (S n) (1 + s) * (1 + s) ^ k)) <= A * sqrt V * (F * G)).
    { intros k Hk. eapply Rle_trans; [apply Rle_abs |]. rewrite Rabs_mult.
      apply Rmult_le_compat; try apply Rabs_pos; [now apply Hck |].
      now apply (nearly_orthogonal alpha B delta G). }
    intros m; induction m as [|m IHm]; intros Hmn.
    - simpl sum_f_R0. simpl INR. rewrite Rmult_1_l. now apply (Hterm 0%nat).
    - rewrite tech5, (S_INR (S m)), Rmult_plus_distr_r, Rmult_1_l.
      apply Rplus_le_compat; [apply IHm; lia | now apply Hterm]. }
  assert (HCG : V <= C * G * sqrt V) by (apply Rle_trans with (1 := Hle); right; unfold C; ring).
  destruct (Req_dec V 0) as [-> | Hne].
  { apply Rmult_le_pos; [pose proof (pow2_ge_0 C); lra | apply pow2_ge_0]. }
  assert (Hroot : 0 < sqrt V) by (apply sqrt_lt_R0; lra).
  assert (Hroot' : sqrt V <= C * G).
  { apply (Rmult_le_reg_r (sqrt V)); [exact Hroot |]. rewrite sqrt_sqrt; lra. }
  assert (HV2 : V <= (C * G) ^ 2).
  { rewrite <- (pow2_sqrt V H0). apply pow_incr. lra. }
  pose proof (pow2_ge_0 G). rewrite Rpow_mult_distr in HV2. lra.
Qed.

End Gap.

End Static.
