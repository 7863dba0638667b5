(** What a certificate applies: a statement about one finite law, from a boolean that computes.

    In a certificate weights and bounds are fractions of integers, [IZR p / IZR q], and depths are binary. *)
From Coq Require Import Reals ZArith Bool List Lra Lia.
From Formal Require Import Law OneParameter FiniteLaw Computed.
Open Scope R_scope.

Definition depth (T : positive) : nat := Pos.to_nat T.

(** Proves that a check computes to true; what is false fails here, and nowhere else. *)
Ltac computed := vm_compute; reflexivity.

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

(** * Theorem 4.1: the gap *)

Definition gap_within (p q p' q' : Z) (B : N) : bool := gap_exceeds D B p q && gap_is_below D B p' q'.

End Certified.
