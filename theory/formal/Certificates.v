(** What a certificate applies: a statement about one finite law, from a boolean that computes.

    In a certificate weights and bounds are fractions of integers, [IZR p / IZR q], and depths are binary. *)
From Coq Require Import Reals ZArith Bool List Lra Lia.
From Formal Require Import Law OneParameter OneParameterLimit SelfAttention Minimax FiniteLaw Computed.
Open Scope R_scope.

Definition depth (T : positive) : nat := Pos.to_nat T.

(** Proves that a check is true, by the computation of it that the kernel makes at the Qed that follows. *)
Ltac computed := vm_cast_no_check (eq_refl true).

Lemma depth_pos : forall T, (1 <= depth T)%nat.
Proof. intros T. unfold depth. lia. Qed.

Lemma depth_exponent : forall T, Pos.to_nat (Pos.pred_double T) = (2 * depth T - 1)%nat.
Proof. intros T. unfold depth. lia. Qed.

Lemma depth_odd : forall T, Nat.Odd (Pos.to_nat (Pos.pred_double T)).
Proof. intros T. exists (depth T - 1)%nat. rewrite depth_exponent. pose proof (depth_pos T). lia. Qed.

(** * One depth *)

(** 0 < E[s q^(2T-1)] at the weight p/q (Above), or < 0 (Below). *)
Definition decides (D : table) (o : side) (p q : Z) (B : N) (T : positive) : bool :=
  positive_tails D o p q B (Pos.pred_double T) 0.

Definition encloses (D : table) (p q p' q' : Z) (B : N) (T : positive) : bool :=
  decides D Above p q B T && decides D Below p' q' B T.

Lemma tails_zero : forall n x, Nat.Odd n -> tails 0 n x = x ^ n.
Proof.
  intros n x [k Hk]. unfold tails. destruct (Rlt_dec 0 x); [reflexivity |].
  destruct (Rlt_dec x 0); [reflexivity |]. replace x with 0 by lra. rewrite pow_i; [reflexivity | lia].
Qed.

Section Certified.
Variable D : table.
Hypothesis ok : valid D = true.
Let P := finite D ok.

Lemma decides_mean : forall o p q B T, decides D o p q B T = true ->
  0 < E P (fun s => s * turnR o (residual (IZR p / IZR q) s) ^ (2 * depth T - 1)).
Proof.
  intros o p q B T H. apply positive_tails_mean in H; [| exact ok | apply depth_odd].
  unfold Rdiv in H at 1. rewrite Rmult_0_l, depth_exponent in H.
  rewrite (E_ext P _ (fun s => s * tails 0 (2 * depth T - 1) (turnR o (residual (IZR p / IZR q) s)))).
  - exact H.
  - exact I.
  - intros s. rewrite tails_zero; [reflexivity |]. rewrite <- depth_exponent. apply depth_odd.
Qed.

Lemma decides_above : forall p q B T a, decides D Above p q B T = true -> minimiser P (depth T) a -> IZR p / IZR q < a.
Proof.
  intros p q B T a H Ha. apply (minimiser_above P (depth T)); [apply depth_pos | exact Ha |].
  apply decides_mean in H. simpl turnR in H. unfold slope.
  pose proof (lt_0_INR (2 * depth T)) as HT. pose proof (depth_pos T). assert (0 < INR (2 * depth T)) by (apply HT; lia).
  nra.
Qed.

Lemma decides_below : forall p q B T a, decides D Below p q B T = true -> minimiser P (depth T) a -> a < IZR p / IZR q.
Proof.
  intros p q B T a H Ha. apply (minimiser_below P (depth T)); [apply depth_pos | exact Ha |].
  apply decides_mean in H. simpl turnR in H. unfold slope.
  rewrite (E_ext P _ (fun s => - (s * residual (IZR p / IZR q) s ^ (2 * depth T - 1)))) in H.
  - rewrite E_opp in H by exact I.
    pose proof (lt_0_INR (2 * depth T)) as HT. pose proof (depth_pos T). assert (0 < INR (2 * depth T)) by (apply HT; lia).
    nra.
  - exact I.
  - intros s. rewrite odd_exponent by apply depth_pos. rewrite pow_odd_opp. ring.
Qed.

(** alpha_T lies strictly between two fractions. *)
Theorem alpha_between : forall B p q p' q' T, encloses D p q p' q' B T = true ->
  forall a, minimiser P (depth T) a -> IZR p / IZR q < a < IZR p' / IZR q'.
Proof.
  intros B p q p' q' T H a Ha. apply andb_true_iff in H. destruct H as [H H'].
  split; [apply (decides_above _ _ B T) | apply (decides_below _ _ B T)]; assumption.
Qed.

(** * alpha_star, kappa *)

Definition is_alpha_star (p q : Z) : bool :=
  ((0 <? q) && (p * (2 * den D + low D + high D) =? 2 * den D * q))%Z.
Definition is_kappa (p q : Z) : bool :=
  ((0 <? q) && (p * (2 * den D + low D + high D) =? (high D - low D) * q))%Z.

Lemma ends_sum : 0 < 2 * IZR (den D) + IZR (low D) + IZR (high D).
Proof.
  pose proof (den_pos D ok). pose proof (low_pos D ok). pose proof (ends_order D ok).
  assert (IZR (low D) <= IZR (high D)); [| lra].
  apply Rmult_le_reg_r with (/ IZR (den D)); [apply Rinv_0_lt_compat |]; assumption.
Qed.

Theorem alpha_star_is : forall p q, is_alpha_star p q = true -> alpha_star P = IZR p / IZR q.
Proof.
  intros p q H. apply andb_true_iff in H. destruct H as [Hq H].
  apply Z.ltb_lt, IZR_lt in Hq. apply Z.eqb_eq, (f_equal IZR) in H.
  repeat rewrite ?mult_IZR, ?plus_IZR in H. pose proof (den_pos D ok). pose proof ends_sum.
  unfold alpha_star; simpl lo; simpl hi.
  apply Rmult_eq_reg_r with (IZR q * (2 * IZR (den D) + IZR (low D) + IZR (high D))); [| nra].
  replace (IZR p / IZR q * _) with (IZR p * (2 * IZR (den D) + IZR (low D) + IZR (high D))) by (field; lra).
  rewrite H. field. repeat split; lra.
Qed.

Theorem kappa_is : forall p q, is_kappa p q = true -> kappa P = IZR p / IZR q.
Proof.
  intros p q H. apply andb_true_iff in H. destruct H as [Hq H].
  apply Z.ltb_lt, IZR_lt in Hq. apply Z.eqb_eq, (f_equal IZR) in H.
  repeat rewrite ?mult_IZR, ?plus_IZR, ?minus_IZR in H. pose proof (den_pos D ok). pose proof ends_sum.
  unfold kappa; simpl lo; simpl hi.
  apply Rmult_eq_reg_r with (IZR q * (2 * IZR (den D) + IZR (low D) + IZR (high D))); [| nra].
  replace (IZR p / IZR q * _) with (IZR p * (2 * IZR (den D) + IZR (low D) + IZR (high D))) by (field; lra).
  rewrite H. field. repeat split; lra.
Qed.

(** * All large depths *)

(** The one inequality at the weight p/q and depth T: alpha_T' > p/q (Above), or < p/q (Below), for T' >= T. *)
Definition settles (D : table) (o : side) (p q : Z) (B : N) (T : positive) : bool :=
  (0 <? p)%Z && positive_tails D o p q B (Pos.pred_double T) (opposite D o p q).

(** |alpha_T' - p/q| < (e/f) (p/q) for T' >= T. *)
Definition stays_near (D : table) (p q e f : Z) (B : N) (T : positive) : bool :=
  settles D Above (p * (f - e)) (q * f) B T && settles D Below (p * (f + e)) (q * f) B T
  && (0 <? q)%Z && (0 <? f)%Z.

Lemma tails_split : forall c x T, 0 <= c -> (1 <= T)%nat ->
  tails c (2 * T - 1) x = x ^ (2 * T - 1) * above c x - (- x) ^ (2 * T - 1) * above 0 (- x).
Proof.
  intros c x T Hc HT. rewrite odd_exponent by exact HT. rewrite pow_odd_opp. unfold tails, above.
  destruct (Rlt_dec c x), (Rlt_dec x 0), (Rlt_dec 0 (- x)); lra.
Qed.

Lemma settles_parts : forall o p q B T, settles D o p q B T = true ->
  (0 < p)%Z /\ (0 < q)%Z /\ positive_tails D o p q B (Pos.pred_double T) (opposite D o p q) = true.
Proof.
  intros o p q B T H. apply andb_true_iff in H. destruct H as [Hp H].
  split; [apply Z.ltb_lt, Hp |]. split; [| exact H].
  unfold positive_tails in H. repeat rewrite andb_true_iff in H. apply Z.ltb_lt, H.
Qed.

Lemma Rlt_0_minus : forall x y, 0 < y - x -> x < y.
Proof. intros; lra. Qed.

(** What is counted, as the library writes it: the gain is larger than the pain. *)
Lemma settles_mean : forall o p q B T, settles D o p q B T = true ->
  let x := fun s => turnR o (residual (IZR p / IZR q) s) in
  let c := IZR (opposite D o p q) / (IZR q * IZR (den D)) in
  E P (fun s => s * (- x s) ^ (2 * depth T - 1) * above 0 (- x s))
    < E P (fun s => s * x s ^ (2 * depth T - 1) * above c (x s)).
Proof.
  intros o p q B T H x c. apply settles_parts in H. destruct H as [_ [Hq H]].
  apply positive_tails_mean in H; [| exact ok | apply depth_odd]. rewrite depth_exponent in H.
  fold c in H. apply Rlt_0_minus. rewrite <- E_minus by exact I.
  apply Rlt_le_trans with (1 := H). right. symmetry. apply (E_ext P); [exact I |]. intros s.
  fold (x s). rewrite tails_split; [ring | | apply depth_pos].
  apply Rmult_le_pos; [apply IZR_le, Z.le_max_l |].
  apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; [apply (IZR_lt 0), Hq | apply (den_pos D ok)].
Qed.

(** At both ends of the support the residual is at least -c. *)
Lemma opposite_bounds : forall o p q, (0 < q)%Z ->
  let c := IZR (opposite D o p q) / (IZR q * IZR (den D)) in
  0 <= c /\ - turnR o (residual (IZR p / IZR q) (hi P)) <= c /\ - turnR o (residual (IZR p / IZR q) (lo P)) <= c.
Proof.
  intros o p q Hq c. pose proof (den_pos D ok) as Hd. pose proof (valid_parts D ok) as [HdZ _].
  assert (HQ : 0 < IZR q * IZR (den D)) by (apply Rmult_lt_0_compat; [apply (IZR_lt 0) |]; assumption).
  assert (Hend : forall v, (- cleared D o p q v <= opposite D o p q)%Z ->
    - turnR o (residual (IZR p / IZR q) (IZR v / IZR (den D))) <= c).
  { intros v Hv. pose proof (cleared_value D o p q (v, 1%Z) HdZ Hq) as E. unfold value in E; simpl fst in E.
    apply IZR_le in Hv. rewrite opp_IZR, E in Hv. apply Rmult_le_reg_l with (1 := HQ).
    unfold c. replace (IZR q * IZR (den D) * (IZR (opposite D o p q) / (IZR q * IZR (den D))))
      with (IZR (opposite D o p q)) by (field; split; apply not_0_IZR; lia). lra. }
  repeat split.
  - apply Rmult_le_pos; [apply IZR_le, Z.le_max_l | apply Rlt_le, Rinv_0_lt_compat, HQ].
  - apply (Hend (high D)). unfold opposite. lia.
  - apply (Hend (low D)). unfold opposite. lia.
Qed.

Theorem settles_above : forall B p q T0, settles D Above p q B T0 = true ->
  forall T a, (depth T0 <= T)%nat -> minimiser P T a -> IZR p / IZR q < a.
Proof.
  intros B p q T0 H T a HT Ha. pose proof (settles_mean _ _ _ _ _ H) as Hm.
  destruct (settles_parts _ _ _ _ _ H) as [Hp [Hq _]]. destruct (opposite_bounds Above p q Hq) as [Hc [Hh _]].
  simpl turnR in *.
  assert (Hh' : IZR p / IZR q * (1 + hi P) - 1 = - residual (IZR p / IZR q) (hi P)) by (unfold residual; ring).
  apply (one_inequality_low P (depth T0) (IZR p / IZR q) _ (depth_pos T0)) with (5 := HT) (6 := Ha) (4 := Hm).
  - apply Rdiv_lt_0_compat; apply (IZR_lt 0); assumption.
  - exact Hc.
  - rewrite Hh'. exact Hh.
Qed.

Theorem settles_below : forall B p q T0, settles D Below p q B T0 = true ->
  forall T a, (depth T0 <= T)%nat -> minimiser P T a -> a < IZR p / IZR q.
Proof.
  intros B p q T0 H T a HT Ha. pose proof (settles_mean _ _ _ _ _ H) as Hm.
  destruct (settles_parts _ _ _ _ _ H) as [Hp [Hq _]]. destruct (opposite_bounds Below p q Hq) as [Hc [_ Hl]].
  simpl turnR in *. rewrite Ropp_involutive in Hl. change (residual _ (lo P)) with (1 - IZR p / IZR q * (1 + lo P)) in Hl.
  assert (Hm' : E P (fun s => s * residual (IZR p / IZR q) s ^ (2 * depth T0 - 1)
                              * above 0 (residual (IZR p / IZR q) s))
                < E P (fun s => s * (- residual (IZR p / IZR q) s) ^ (2 * depth T0 - 1)
                              * above (IZR (opposite D Below p q) / (IZR q * IZR (den D)))
                                      (- residual (IZR p / IZR q) s))).
  { eapply Rle_lt_trans; [| exact Hm]. right.
    apply (E_ext P); [exact I | intros s; simpl turnR; now rewrite Ropp_involutive]. }
  apply (one_inequality_high P (depth T0) (IZR p / IZR q) _ (depth_pos T0)) with (5 := HT) (6 := Ha) (4 := Hm').
  - apply Rdiv_lt_0_compat; apply (IZR_lt 0); assumption.
  - exact Hc.
  - exact Hl.
Qed.

(** alpha_T stays within a relative distance e/f of p/q from depth T0 on. *)
Theorem alpha_stays_near : forall B p q e f T0, stays_near D p q e f B T0 = true ->
  forall T a, (depth T0 <= T)%nat -> minimiser P T a -> Rabs (a - IZR p / IZR q) < IZR e / IZR f * (IZR p / IZR q).
Proof.
  intros B p q e f T0 H T a HT Ha. unfold stays_near in H. repeat rewrite andb_true_iff in H.
  destruct H as [[[Hl Hh] Hq] Hf]. apply Z.ltb_lt, IZR_lt in Hq, Hf.
  pose proof (settles_above B _ _ T0 Hl T a HT Ha) as Ha1. pose proof (settles_below B _ _ T0 Hh T a HT Ha) as Ha2.
  rewrite !mult_IZR, minus_IZR in Ha1. rewrite !mult_IZR, plus_IZR in Ha2.
  assert (IZR p * (IZR f - IZR e) / (IZR q * IZR f) = IZR p / IZR q - IZR e / IZR f * (IZR p / IZR q)) by (field; lra).
  assert (IZR p * (IZR f + IZR e) / (IZR q * IZR f) = IZR p / IZR q + IZR e / IZR f * (IZR p / IZR q)) by (field; lra).
  apply Rabs_def1; lra.
Qed.

Definition tends_to (P : law) (A : R) : Prop :=
  forall eps, 0 < eps -> exists T0, forall T a, (T0 <= T)%nat -> minimiser P T a -> Rabs (a - A) < eps.

(** The weight p/q lies between A = u/v and every later alpha_T. *)
Definition separates (D : table) (o : side) (p q u v : Z) (B : N) (T : positive) : bool :=
  settles D o p q B T && (0 <? v)%Z && (0 <? turn o (p * v - u * q))%Z.

Theorem not_the_limit : forall o B p q u v T0, separates D o p q u v B T0 = true -> ~ tends_to P (IZR u / IZR v).
Proof.
  intros o B p q u v T0 H Hlim. unfold separates in H. repeat rewrite andb_true_iff in H.
  destruct H as [[H Hv] Hpu]. apply Z.ltb_lt, IZR_lt in Hv, Hpu.
  destruct (settles_parts _ _ _ _ _ H) as [_ [Hq _]]. apply IZR_lt in Hq.
  assert (Hd : 0 < turnR o (IZR p / IZR q - IZR u / IZR v)).
  { apply Rmult_lt_reg_r with (IZR q * IZR v); [apply Rmult_lt_0_compat; assumption |]. rewrite Rmult_0_l.
    destruct o; simpl in *; rewrite ?opp_IZR, minus_IZR, !mult_IZR in Hpu.
    - replace (_ * _) with (IZR p * IZR v - IZR u * IZR q) by (field; lra). exact Hpu.
    - replace (_ * _) with (- (IZR p * IZR v - IZR u * IZR q)) by (field; lra). exact Hpu. }
  destruct (Hlim _ Hd) as [T1 H1].
  destruct (minimiser_exists P (max (depth T0) T1)) as [a [Ha _]]; [pose proof (depth_pos T0); lia |].
  specialize (H1 (max (depth T0) T1) a ltac:(lia) Ha). apply Rabs_def2 in H1.
  destruct o; simpl in *.
  - pose proof (settles_above B p q T0 H (max (depth T0) T1) a ltac:(lia) Ha). lra.
  - pose proof (settles_below B p q T0 H (max (depth T0) T1) a ltac:(lia) Ha). lra.
Qed.

(** * Theorem 4.1: the gap of one layer of linear self-attention *)

Definition gap_between (D : table) (p q p' q' : Z) (B : N) : bool := gap_exceeds D B p q && gap_is_below D B p' q'.

Theorem gap_is_between : forall B p q p' q', gap_between D p q p' q' B = true ->
  IZR p / IZR q < gap P < IZR p' / IZR q'.
Proof.
  intros B p q p' q' H. apply andb_true_iff in H. destruct H as [H H'].
  split; [apply (gap_exceeds_mean D B) | apply (gap_is_below_mean D B)]; assumption.
Qed.

(** * The minimax weight *)

Theorem minimax_is : forall p q u v, is_alpha_star p q && is_kappa u v = true ->
  worst_residual P (IZR p / IZR q) (IZR u / IZR v)
  /\ forall a w, worst_residual P a w -> a <> IZR p / IZR q -> IZR u / IZR v < w.
Proof.
  intros p q u v H. apply andb_true_iff in H. destruct H as [Ha Hk].
  rewrite <- (alpha_star_is p q Ha), <- (kappa_is u v Hk).
  split; [apply worst_residual_star | apply minimax].
Qed.

End Certified.
