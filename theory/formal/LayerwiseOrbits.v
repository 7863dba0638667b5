(** Where the gradient flow of the layers' weights ends: from pairwise distinct ones at the reciprocals of the Gauss
    nodes, in the order of the start, from equal ones at the tied optimum. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law OneParameter Flow FlowExistence Polynomial Layerwise LayerwiseLandscape LayerwiseDescent
  LayerwiseGeometry LayerwiseFlow BetweenZeros GaussZeros TiedOptimum Picard LayerwiseExistence.
Open Scope R_scope.

Lemma flows_stack_flow : forall P T x, flows P T x -> stack_flow P T x.
Proof.
  intros P T x H i Hi. split; intros t Ht; [| apply H; [exact Hi | lra]].
  apply derivable_continuous_pt. eexists. now apply H.
Qed.

(** Weights with the least excess are the reciprocals of the zeros of the best residual. *)
Theorem least_weights_are_reciprocals : forall P n alpha z, pts P n ->
  (forall j k, (j < k < S n)%nat -> z j < z k) -> (forall k, (k < S n)%nat -> 0 < z k) ->
  least_excess P (S n) (stack_excess P (fun k => / z k) (S n)) -> least_excess P (S n) (stack_excess P alpha (S n)) ->
  forall i, (i < S n)%nat -> exists k, (k < S n)%nat /\ alpha i = / z k.
Proof.
  intros P n alpha z Hpts Hz Hpos Hleast Halpha i Hi.
  assert (Hlayers : forall beta, layers_excess P beta (fun t => - beta t) (S n) = stack_excess P beta (S n)).
  { intros beta. apply (residual_excess_ext P (S n)); [apply layers_residual_polynomial |].
    intros x. apply layers_residual_product. }
  assert (Heq : forall x, stack alpha (S n) x = stack (fun k => / z k) (S n) x).
  { intros x. unfold stack. rewrite <- !layers_residual_product.
    apply (best_residual_unique P n); trivial; now rewrite Hlayers. }
  assert (Hne : alpha i <> 0).
  { intros E. apply (too_many_zeros n (stack alpha (S n)) z).
    - apply (degree_ext _ (stack (without alpha i) (S n))); [| now apply stack_without_degree].
      intros x. rewrite (stack_factor alpha i), E by exact Hi. ring.
    - exact Hz.
    - intros k Hk. rewrite Heq. apply stack_zero; auto.
    - apply stack_at_0. }
  destruct (stack_root (fun k => / z k) (S n) (/ alpha i)) as [k [Hk E]].
  { rewrite <- Heq, (stack_factor alpha i), Rinv_r by assumption. ring. }
  exists k. split; [exact Hk |]. specialize (Hpos k Hk).
  apply (Rmult_eq_reg_r (/ alpha i)); [rewrite Rinv_r by exact Hne; lra | now apply Rinv_neq_0_compat].
Qed.

(** Theorem: on a law with at least as many points as layers, from pairwise distinct weights, the gradient flow exists
    for all time, is unique, and tends exponentially to the reciprocals of the zeros of the best residual, in the order
    of the start. *)
Theorem flow_from_distinct_weights : forall P n x0, pts P n ->
  (forall i j, (i < S n)%nat -> (j < S n)%nat -> i <> j -> x0 i <> x0 j) -> exists x alpha z c K,
  (forall i, x i 0 = x0 i) /\ flows P (S n) x /\
  (forall y, flows P (S n) y -> (forall i, (i < S n)%nat -> y i 0 = x0 i) ->
    forall i t, (i < S n)%nat -> 0 <= t -> y i t = x i t) /\
  0 < c /\ (forall i t, (i < S n)%nat -> 1 <= t -> Rabs (x i t - alpha i) <= K * exp (- c * (t - 1))) /\
  (forall i, (i < S n)%nat -> exists k, (k < S n)%nat /\ alpha i = / z k) /\
  (forall i j, (i < S n)%nat -> (j < S n)%nat -> x0 i < x0 j -> alpha i < alpha j) /\
  (forall j k, (j < k < S n)%nat -> z j < z k) /\ (forall k, (k < S n)%nat -> 1 + lo P <= z k <= 1 + hi P) /\
  (forall k, (k < S n)%nat -> E P (fun s => s * (stack (fun k => / z k) (S n) (1 + s) * (1 + s) ^ k)) = 0) /\
  least_excess P (S n) (stack_excess P (fun k => / z k) (S n)).
Proof.
  intros P n x0 Hpts Hdist. pose proof (lo_nonneg P) as Hlo.
  destruct (layerwise_flow_exists P n x0 Hpts) as [x [Hx0 Hx]]. pose proof (flows_stack_flow P (S n) x Hx) as Hflow.
  destruct (distinct_flow_converges P n x Hpts Hflow) as [alpha [c [K [Hc [Hlim [Hd Hleast]]]]]].
  { intros i j Hi Hj Hij. rewrite !Hx0. now apply Hdist. }
  destruct (best_residual P (S n)) as [r [Hr [H0 Ho]]].
  destruct (zeros_of_best_residual P n r Hpts Hr H0 Ho) as [z [Hz [Hin [_ Hprod]]]].
  assert (Ho' : forall k, (k < S n)%nat -> E P (fun s => s * (stack (fun k => / z k) (S n) (1 + s) * (1 + s) ^ k)) = 0).
  { intros k Hk. rewrite <- (Ho k Hk). pose proof (dom_stack P (fun k => / z k) (S n)). apply E_ext; [in_dom |].
    intros s. now rewrite Hprod. }
  pose proof (least_excess_orthogonal P (S n) _ (stack_degree _ _) (stack_at_0 _ _) Ho') as Hbest.
  exists x, alpha, z, c, K. split; [exact Hx0 |]. split; [exact Hx |]. split.
  { intros y Hy Hy0. apply (layerwise_flow_unique P n); trivial. intros i Hi. now rewrite Hy0, Hx0. }
  split; [exact Hc |]. split; [intros i t Hi Ht; now apply Hlim |]. split.
  { apply (least_weights_are_reciprocals P n alpha z); trivial. intros k Hk. specialize (Hin k Hk). lra. }
  split; [| now repeat (split; [assumption |])].
  intros i j Hi Hj Hlt. assert (Hij : i <> j) by (intros ->; lra).
  specialize (Hd i j Hi Hj Hij).
  destruct (Rtotal_order (alpha i) (alpha j)) as [H | [H | H]]; [exact H | contradiction | exfalso].
  assert (Hti : forall k, (k < S n)%nat -> tends (x k) (alpha k)).
  { intros k Hk. assert (HK : 0 <= K).
    { specialize (Hlim 1 k (Rle_refl 1) Hk). replace (- c * (1 - 1)) with 0 in Hlim by ring.
      rewrite exp_0 in Hlim. pose proof (Rabs_pos (x k 1 - alpha k)). lra. }
    apply (tends_exp (x k) (alpha k) K c Hc HK). intros t Ht. now apply Hlim. }
  destruct (Hti i Hi ((alpha i - alpha j) / 2)) as [t0 T0]; [lra |].
  destruct (Hti j Hj ((alpha i - alpha j) / 2)) as [t1 T1]; [lra |].
  set (t := Rmax 0 (Rmax t0 t1)).
  assert (Ht : 0 <= t /\ t0 <= t /\ t1 <= t).
  { unfold t. pose proof (Rmax_l 0 (Rmax t0 t1)). pose proof (Rmax_r 0 (Rmax t0 t1)).
    pose proof (Rmax_l t0 t1). pose proof (Rmax_r t0 t1). lra. }
  destruct Ht as [Ht [Ht0 Ht1]]. specialize (T0 t Ht0). specialize (T1 t Ht1).
  destruct (flow_keeps_order P (S n) x i j 0 t Hflow Hi Hj ltac:(lra)) as [Hkeep _]. rewrite !Hx0 in Hkeep.
  specialize (Hkeep Hlt). apply Rabs_def2 in T0. apply Rabs_def2 in T1. lra.
Qed.

(** * From weights that are all equal *)

Lemma tied_without : forall a i n s, (i < S n)%nat -> stack (without (fun _ => a) i) (S n) (1 + s) = residual a s ^ n.
Proof.
  intros a i n s Hi. induction n as [|n IH].
  - unfold stack, without; simpl. replace i with 0%nat by lia. rewrite update_at. ring.
  - rewrite stack_next. destruct (Nat.eq_dec i (S n)) as [-> | Hne].
    + rewrite (stack_ext _ (fun _ => a)) by (intros k Hk; apply update_off; lia). unfold without. rewrite update_at.
      rewrite tied_stack. ring.
    + rewrite IH by lia. unfold without. rewrite update_off by lia. unfold residual. simpl. ring.
Qed.

Lemma tied_slope : forall P a i n, (i < S n)%nat -> stack_slope P (fun _ => a) (S n) i = / INR (S n) * slope P (S n) a.
Proof.
  intros P a i n Hi. unfold stack_slope, slope. pose proof (dom_stack P (without (fun _ => a) i) (S n)).
  rewrite (E_ext P _ (fun s => s * residual a s ^ (2 * S n - 1))).
  - rewrite mult_INR. simpl (INR 2). field. apply not_0_INR. lia.
  - in_dom.
  - intros s. rewrite tied_without by exact Hi. replace (2 * S n - 1)%nat with (S (n * 2)) by lia.
    rewrite <- pow_mult. reflexivity.
Qed.

(** Theorem: the flow from equal weights is that of one shared weight at 1/T of its speed, and ends at alpha_T. *)
Theorem tied_flow_converges : forall P n x a0 a, pts P n -> flows P (S n) x -> (forall i, (i < S n)%nat -> x i 0 = a0) ->
  minimiser P (S n) a -> forall i, (i < S n)%nat -> tends (x i) a.
Proof.
  intros P n x a0 a Hpts Hx Hx0 Ha. destruct (flow_exists P (S n) a0 ltac:(lia)) as [y [Hy0 Hy]].
  assert (HT : 0 < INR (S n)) by (apply lt_0_INR; lia). set (h := / INR (S n)).
  assert (Hh : 0 < h) by now apply Rinv_0_lt_compat.
  assert (Hz : flows P (S n) (fun _ t => y (h * t))).
  { intros i t Hi Ht. rewrite (tied_slope P (y (h * t)) i n Hi). fold h.
    replace (- (h * slope P (S n) (y (h * t)))) with (- slope P (S n) (y (h * t)) * h) by ring.
    apply (derivable_pt_lim_comp (fun t => h * t) y); [apply linear_derivative |].
    apply Hy. apply Rmult_le_pos; lra. }
  assert (Heq : forall i t, (i < S n)%nat -> 0 <= t -> x i t = y (h * t)).
  { apply (layerwise_flow_unique P n x (fun _ t => y (h * t)) Hpts Hx Hz).
    intros i Hi. now rewrite Hx0, Rmult_0_r, Hy0. }
  intros i Hi eps Heps. destruct (flow P (S n) a ltac:(lia) Ha y) with (eps := eps) as [t0 Ht0].
  - intros t Ht. apply Hy. lra.
  - exact Heps.
  - exists (Rmax 0 (t0 / h)). intros t Ht. pose proof (Rmax_l 0 (t0 / h)). pose proof (Rmax_r 0 (t0 / h)).
    rewrite Heq by (trivial; lra). apply Ht0.
    apply (Rmult_le_reg_r (/ h)); [now apply Rinv_0_lt_compat |].
    replace (h * t * / h) with t by (field; lra). unfold Rdiv in *. lra.
Qed.
