(** Inequalities between expectations over a finite law, decided on integers.

   Denominators are cleared, residuals are divided by the largest and kept to B binary places, rounded
   down where they help and up where they hurt: what a boolean that computes finds positive is positive. *)
From Coq Require Import Reals ZArith Bool List Lra Lia.
From Formal Require Import Law FiniteLaw.
Open Scope R_scope.

(** An integer x stands for x/2^B. *)
Definition unit (B : N) : R := IZR (2 ^ Z.of_N B).
Definition multiply_down (B : N) (x y : Z) : Z := Z.shiftr (x * y) (Z.of_N B).
Definition multiply_up (B : N) (x y : Z) : Z := (Z.shiftr (x * y) (Z.of_N B) + 1)%Z.
Definition ratio_down (B : N) (x M : Z) : Z := (Z.shiftl x (Z.of_N B) / M)%Z.
Definition ratio_up (B : N) (x M : Z) : Z := (Z.shiftl x (Z.of_N B) / M + 1)%Z.

Fixpoint power (multiply : Z -> Z -> Z) (x : Z) (n : positive) : Z :=
  match n with
  | xH => x
  | xO m => let y := power multiply x m in multiply y y
  | xI m => let y := power multiply x m in multiply x (multiply y y)
  end.

Definition lower (B : N) (x : Z) (r : R) : Prop := 0 <= IZR x <= unit B * r.
Definition upper (B : N) (x : Z) (r : R) : Prop := 0 <= r /\ unit B * r <= IZR x.

Lemma unit_pos : forall B, 0 < unit B.
Proof. intros B. apply (IZR_lt 0), Z.pow_pos_nonneg; lia. Qed.

Lemma div_le : forall x m, (0 < m)%Z -> IZR (x / m) * IZR m <= IZR x.
Proof. intros x m H. rewrite <- mult_IZR. apply IZR_le. rewrite Z.mul_comm. apply Z.mul_div_le, H. Qed.

Lemma div_gt : forall x m, (0 < m)%Z -> IZR x <= (IZR (x / m) + 1) * IZR m.
Proof.
  intros x m H. rewrite <- (plus_IZR _ 1), <- mult_IZR. apply IZR_le.
  pose proof (Z.mul_succ_div_gt x m H). rewrite Z.mul_comm. lia.
Qed.

Lemma multiply_lower : forall B x y r t, lower B x r -> lower B y t -> lower B (multiply_down B x y) (r * t).
Proof.
  intros B x y r t [Hx1 Hx2] [Hy1 Hy2]. unfold lower, multiply_down.
  rewrite Z.shiftr_div_pow2 by lia. pose proof (unit_pos B) as HS.
  assert (HZ : (0 < 2 ^ Z.of_N B)%Z) by (apply lt_IZR; exact HS).
  pose proof (div_le (x * y) _ HZ) as H. fold (unit B) in H. rewrite mult_IZR in H.
  pose proof (Rmult_le_compat _ _ _ _ Hx1 Hy1 Hx2 Hy2) as Hxy. split.
  - apply IZR_le, Z.div_pos; [apply le_IZR; rewrite mult_IZR; apply Rmult_le_pos; assumption | exact HZ].
  - apply Rmult_le_reg_r with (unit B); [exact HS | lra].
Qed.

Lemma multiply_upper : forall B x y r t, upper B x r -> upper B y t -> upper B (multiply_up B x y) (r * t).
Proof.
  intros B x y r t [Hr Hx] [Ht Hy]. unfold upper, multiply_up.
  rewrite Z.shiftr_div_pow2, plus_IZR by lia. pose proof (unit_pos B) as HS.
  assert (HZ : (0 < 2 ^ Z.of_N B)%Z) by (apply lt_IZR; exact HS).
  pose proof (div_gt (x * y) _ HZ) as H. fold (unit B) in H. rewrite mult_IZR in H.
  assert (0 <= unit B * r /\ 0 <= unit B * t) as [Hr' Ht'] by (split; apply Rmult_le_pos; lra).
  pose proof (Rmult_le_compat _ _ _ _ Hr' Ht' Hx Hy) as Hxy. split; [apply Rmult_le_pos; assumption|].
  apply Rmult_le_reg_r with (unit B); [exact HS | lra].
Qed.

Lemma ratio_lower : forall B x M, (0 <= x)%Z -> (0 < M)%Z -> lower B (ratio_down B x M) (IZR x / IZR M).
Proof.
  intros B x M Hx HM. unfold lower, ratio_down. rewrite Z.shiftl_mul_pow2 by lia.
  pose proof (unit_pos B) as HS. assert (HZ : (0 < 2 ^ Z.of_N B)%Z) by (apply lt_IZR; exact HS). split.
  - apply IZR_le, Z.div_pos; lia.
  - apply Rmult_le_reg_r with (IZR M); [apply (IZR_lt 0), HM|].
    apply Rle_trans with (1 := div_le _ _ HM). rewrite mult_IZR. fold (unit B).
    right. field. apply not_0_IZR. lia.
Qed.

Lemma ratio_upper : forall B x M, (0 <= x)%Z -> (0 < M)%Z -> upper B (ratio_up B x M) (IZR x / IZR M).
Proof.
  intros B x M Hx HM. unfold upper, ratio_up. rewrite Z.shiftl_mul_pow2, plus_IZR by lia. split.
  - apply Rmult_le_pos; [apply IZR_le, Hx | apply Rlt_le, Rinv_0_lt_compat, (IZR_lt 0), HM].
  - apply Rmult_le_reg_r with (IZR M); [apply (IZR_lt 0), HM|].
    apply Rle_trans with (2 := div_gt _ _ HM). rewrite mult_IZR. fold (unit B).
    right. field. apply not_0_IZR. lia.
Qed.

Lemma pow_double : forall (x : R) n, x ^ (2 * n) = x ^ n * x ^ n.
Proof. intros. replace (2 * n)%nat with (n + n)%nat by lia. apply pow_add. Qed.

Lemma power_lower : forall B n x r, lower B x r -> lower B (power (multiply_down B) x n) (r ^ Pos.to_nat n).
Proof.
  intros B n x r H. induction n as [m IH|m IH|]; simpl power.
  - rewrite Pos2Nat.inj_xI. rewrite <- tech_pow_Rmult, pow_double. repeat apply multiply_lower; assumption.
  - rewrite Pos2Nat.inj_xO, pow_double. apply multiply_lower; assumption.
  - change (Pos.to_nat 1) with 1%nat. rewrite pow_1. exact H.
Qed.

Lemma power_upper : forall B n x r, upper B x r -> upper B (power (multiply_up B) x n) (r ^ Pos.to_nat n).
Proof.
  intros B n x r H. induction n as [m IH|m IH|]; simpl power.
  - rewrite Pos2Nat.inj_xI. rewrite <- tech_pow_Rmult, pow_double. repeat apply multiply_upper; assumption.
  - rewrite Pos2Nat.inj_xO, pow_double. apply multiply_upper; assumption.
  - change (Pos.to_nat 1) with 1%nat. rewrite pow_1. exact H.
Qed.

Lemma power_exact : forall n x, IZR (power Z.mul x n) = IZR x ^ Pos.to_nat n.
Proof.
  intros n x. induction n as [m IH|m IH|]; simpl power.
  - rewrite Pos2Nat.inj_xI, <- tech_pow_Rmult, pow_double, !mult_IZR, IH. reflexivity.
  - rewrite Pos2Nat.inj_xO, pow_double, mult_IZR, IH. reflexivity.
  - change (Pos.to_nat 1) with 1%nat. rewrite pow_1. reflexivity.
Qed.

(** From integers to expectations: what each row contributes, up to one positive factor c. *)
Lemma mean_positive : forall D f (g : Z * Z -> Z) c, valid D = true -> 0 < c ->
  (forall row, In row (rows D) -> IZR (g row) <= c * (weight row * f (value D row))) ->
  (0 < totalZ g (rows D))%Z -> 0 < mean D f.
Proof.
  intros D f g c ok Hc Hrow H. apply IZR_lt in H. rewrite total_IZR in H.
  pose proof (total_le _ _ _ Hrow) as Hle. rewrite total_scal in Hle.
  apply Rdiv_lt_0_compat; [|apply mass_pos, ok].
  apply Rmult_lt_reg_l with c; [exact Hc | lra].
Qed.

Lemma mean_is_zero : forall D f (g : Z * Z -> Z) c, valid D = true -> 0 < c ->
  (forall row, In row (rows D) -> IZR (g row) = c * (weight row * f (value D row))) ->
  totalZ g (rows D) = 0%Z -> mean D f = 0.
Proof.
  intros D f g c ok Hc Hrow H. apply (f_equal IZR) in H. rewrite total_IZR in H.
  rewrite (total_ext _ _ _ Hrow), total_scal in H. unfold mean.
  apply Rmult_integral in H. destruct H as [H|H]; [lra|]. rewrite H. unfold Rdiv. ring.
Qed.

(** Residuals 1 - a (1 + s) at a = p/q, over the denominator q d; turned round on the side Below. *)
Inductive side := Above | Below.
Definition turn (o : side) (x : Z) : Z := match o with Above => x | Below => (- x)%Z end.
Definition turnR (o : side) (x : R) : R := match o with Above => x | Below => - x end.

Definition cleared (D : table) (o : side) (p q v : Z) : Z := turn o (q * den D - p * (den D + v)).

(** x^n where h < x or x < 0, and 0 between: what the one-inequality argument counts. *)
Definition tails (h : R) (n : nat) (x : R) : R :=
  if Rlt_dec h x then x ^ n else if Rlt_dec x 0 then x ^ n else 0.

Definition contribution (D : table) (o : side) (p q : Z) (B : N) (n : positive) (M h : Z) (row : Z * Z) : Z :=
  let (v, w) := row in
  let r := cleared D o p q v in
  (if h <? r then w * v * power (multiply_down B) (ratio_down B r M) n
   else if r <? 0 then - (w * v * power (multiply_up B) (ratio_up B (- r) M) n)
   else 0)%Z.

(** The largest absolute residual, and the largest on the negative side: residuals are affine in s. *)
Definition largest (D : table) (o : side) (p q : Z) : Z :=
  Z.max (Z.abs (cleared D o p q (low D))) (Z.abs (cleared D o p q (high D))).
Definition opposite (D : table) (o : side) (p q : Z) : Z :=
  Z.max 0 (Z.max (- cleared D o p q (low D)) (- cleared D o p q (high D))).

Definition positive_tails (D : table) (o : side) (p q : Z) (B : N) (n : positive) (h : Z) : bool :=
  let M := largest D o p q in
  ((0 <? q) && (0 <? M) && (0 <=? h) && (0 <? totalZ (contribution D o p q B n M h) (rows D)))%Z.

Lemma cleared_value : forall D o p q row, (0 < den D)%Z -> (0 < q)%Z ->
  IZR (cleared D o p q (fst row)) = IZR q * IZR (den D) * turnR o (residual (IZR p / IZR q) (value D row)).
Proof.
  intros D o p q row Hd Hq. unfold cleared, residual, value.
  assert (IZR (den D) <> 0) by (apply not_0_IZR; lia). assert (IZR q <> 0) by (apply not_0_IZR; lia).
  destruct o; simpl; rewrite ?opp_IZR, minus_IZR, !mult_IZR, plus_IZR; field; split; assumption.
Qed.

Theorem positive_tails_mean : forall D o p q B n h, valid D = true -> Nat.Odd (Pos.to_nat n) ->
  positive_tails D o p q B n h = true ->
  0 < mean D (fun s => s * tails (IZR h / (IZR q * IZR (den D))) (Pos.to_nat n)
                             (turnR o (residual (IZR p / IZR q) s))).
Proof.
  intros D o p q B n h ok Hodd H. unfold positive_tails in H. repeat rewrite andb_true_iff in H.
  destruct H as [[[Hq HM] Hh] H]. apply Z.ltb_lt in Hq, HM, H. apply Z.leb_le in Hh.
  set (M := largest D o p q) in *. set (N := Pos.to_nat n) in *.
  pose proof (valid_parts D ok) as [Hd [_ [Hrows _]]].
  assert (HQ : 0 < IZR q * IZR (den D)) by (rewrite <- mult_IZR; apply (IZR_lt 0); nia).
  assert (HMR : 0 < IZR M) by (apply (IZR_lt 0), HM).
  apply mean_positive with (c := unit B * IZR (den D) * (IZR q * IZR (den D) / IZR M) ^ N) (4 := H); [exact ok | |].
  - repeat apply Rmult_lt_0_compat; [apply unit_pos | apply (IZR_lt 0), Hd |].
    apply pow_lt, Rdiv_lt_0_compat; assumption.
  - intros [v w] Hin. pose proof (cleared_value D o p q (v, w) Hd Hq) as Hr. simpl fst in Hr.
    destruct (Hrows _ Hin) as [Hw Hv]. simpl in Hw, Hv.
    set (x := turnR o (residual (IZR p / IZR q) (value D (v, w)))) in *.
    set (r := cleared D o p q v) in *. unfold contribution. fold r.
    assert (Hwv : 0 <= IZR (w * v)).
    { apply (IZR_le 0). pose proof (valid_parts D ok) as [_ [Hl _]]. nia. }
    assert (Hval : IZR (den D) * (IZR w * value D (v, w)) = IZR (w * v)).
    { unfold value; simpl fst. rewrite mult_IZR. field. apply not_0_IZR; lia. }
    assert (Hx : x = IZR r / (IZR q * IZR (den D))) by (rewrite Hr; field; split; apply not_0_IZR; lia).
    assert (Hrow : forall y, unit B * IZR (den D) * (IZR q * IZR (den D) / IZR M) ^ N
                       * (weight (v, w) * (value D (v, w) * y))
                     = IZR (w * v) * (unit B * ((IZR q * IZR (den D) / IZR M) ^ N * y))).
    { intros y. rewrite <- Hval. unfold weight; simpl snd. ring. }
    rewrite Hrow. clear Hrow. unfold tails. rewrite Hx.
    assert (Hpow : (IZR q * IZR (den D) / IZR M) ^ N * (IZR r / (IZR q * IZR (den D))) ^ N = (IZR r / IZR M) ^ N).
    { rewrite <- Rpow_mult_distr. f_equal. field. repeat split; apply not_0_IZR; lia. }
    assert (Hcmp : forall y z, (y < z)%Z -> IZR y / (IZR q * IZR (den D)) < IZR z / (IZR q * IZR (den D))).
    { intros y z Hyz. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat, HQ | apply IZR_lt, Hyz]. }
    assert (Hcmp' : forall y z, (y <= z)%Z -> IZR y / (IZR q * IZR (den D)) <= IZR z / (IZR q * IZR (den D))).
    { intros y z Hyz. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, HQ | apply IZR_le, Hyz]. }
    destruct (Z.ltb_spec h r) as [Hhr|Hhr].
    + destruct (Rlt_dec _ _) as [_|Hn]; [|exfalso; apply Hn, Hcmp, Hhr].
      rewrite Hpow, mult_IZR. apply Rmult_le_compat_l; [exact Hwv|].
      apply power_lower, ratio_lower; lia.
    + destruct (Rlt_dec _ _) as [Hn|_]; [exfalso; specialize (Hcmp' _ _ Hhr); lra|].
      destruct (Z.ltb_spec r 0) as [Hneg|Hneg].
      * destruct (Rlt_dec _ 0) as [_|Hn]; [|exfalso; apply Hn; specialize (Hcmp _ _ Hneg); lra].
        rewrite Hpow, opp_IZR, mult_IZR.
        replace (IZR r / IZR M) with (- (IZR (- r) / IZR M)) by (rewrite opp_IZR; field; lra).
        replace ((- (IZR (- r) / IZR M)) ^ N) with (- (IZR (- r) / IZR M) ^ N).
        -- destruct (power_upper B n (ratio_up B (- r) M) (IZR (- r) / IZR M)) as [_ Hup];
             [apply ratio_upper; lia|].
           fold N in Hup. pose proof (Rmult_le_compat_l _ _ _ Hwv Hup). lra.
        -- destruct Hodd as [k Hk]. fold N in Hk. rewrite Hk, Nat.add_1_r, <- !tech_pow_Rmult, !pow_double.
           assert (E : forall y z : R, y * y = z * z -> y = z \/ y = - z).
           { intros y z Hyz. assert ((y - z) * (y + z) = 0) by lra.
             apply Rmult_integral in H0. destruct H0; [left|right]; lra. }
           rewrite <- !Rpow_mult_distr.
           replace (- (IZR (- r) / IZR M) * - (IZR (- r) / IZR M))
             with (IZR (- r) / IZR M * (IZR (- r) / IZR M)) by ring. ring.
      * destruct (Rlt_dec _ 0) as [Hn|_]; [exfalso; specialize (Hcmp' _ _ Hneg); lra|].
        rewrite !Rmult_0_r. lra.
Qed.
(** * The gap of one layer of linear self-attention, between two rationals *)

Definition sum_weights (D : table) : Z := totalZ snd (rows D).
Definition sum_first (D : table) : Z := totalZ (fun row => snd row * fst row)%Z (rows D).
Definition sum_second (D : table) : Z := totalZ (fun row => snd row * fst row * (den D + fst row))%Z (rows D).
Definition sum_ratios (D : table) (ratio : Z -> Z -> Z) : Z :=
  totalZ (fun row => snd row * ratio (fst row) (den D + fst row))%Z (rows D).

(** p/q < gap and gap < p/q. *)
Definition gap_exceeds (D : table) (B : N) (p q : Z) : bool :=
  ((0 <? q) && (2 ^ Z.of_N B * (sum_weights D * p * sum_second D + sum_first D ^ 2 * q)
    <? sum_ratios D (ratio_down B) * q * sum_second D))%Z.
Definition gap_is_below (D : table) (B : N) (p q : Z) : bool :=
  ((0 <? q) && (sum_ratios D (ratio_up B) * q * sum_second D
    <? 2 ^ Z.of_N B * (sum_weights D * p * sum_second D + sum_first D ^ 2 * q)))%Z.

Lemma sum_weights_mass : forall D, IZR (sum_weights D) = total weight (rows D).
Proof. intros D. apply total_IZR. Qed.

Lemma mean_first : forall D, valid D = true ->
  mean D (fun s => s) = IZR (sum_first D) / (IZR (den D) * IZR (sum_weights D)).
Proof.
  intros D ok. pose proof (den_pos D ok). pose proof (mass_pos D ok).
  rewrite sum_weights_mass. unfold mean, sum_first. rewrite total_IZR.
  rewrite (total_ext _ (fun row => / IZR (den D) * IZR (snd row * fst row)) (rows D)).
  - rewrite total_scal. field. lra.
  - intros row _. unfold weight, value. rewrite mult_IZR. field. lra.
Qed.

Lemma mean_second : forall D, valid D = true ->
  mean D (fun s => s * (1 + s)) = IZR (sum_second D) / (IZR (den D) ^ 2 * IZR (sum_weights D)).
Proof.
  intros D ok. pose proof (den_pos D ok). pose proof (mass_pos D ok).
  rewrite sum_weights_mass. unfold mean, sum_second. rewrite total_IZR.
  rewrite (total_ext _ (fun row => / IZR (den D) ^ 2 * IZR (snd row * fst row * (den D + fst row))) (rows D)).
  - rewrite total_scal. field. lra.
  - intros row _. unfold weight, value. rewrite !mult_IZR, plus_IZR. field. lra.
Qed.

Lemma sum_second_pos : forall D, valid D = true -> 0 < IZR (sum_second D).
Proof.
  intros D ok. pose proof (den_pos D ok) as Hd. pose proof (mass_pos D ok) as Hm.
  rewrite <- sum_weights_mass in Hm.
  assert (H : 0 < mean D (fun s => s * (1 + s))).
  { destruct (valid_parts D ok) as [_ [Hl [_ [[row [Hin Hv]] _]]]]. apply mean_pos with row; [exact ok | exact Hin | |].
    - intros r Hr. pose proof (value_nonneg D ok r Hr). nra.
    - assert (0 < value D row) by (unfold value; rewrite Hv; apply Rdiv_lt_0_compat; [apply (IZR_lt 0) |]; assumption).
      nra. }
  rewrite mean_second in H by exact ok.
  assert (HQ : 0 < IZR (den D) ^ 2 * IZR (sum_weights D)) by (apply Rmult_lt_0_compat; [apply pow_lt |]; assumption).
  apply Rmult_lt_compat_r with (1 := HQ) in H. unfold Rdiv in H.
  rewrite Rmult_0_l, Rmult_assoc, Rinv_l in H by lra. lra.
Qed.

Lemma ratios_value : forall D, valid D = true ->
  total (fun row => weight row * (IZR (fst row) / IZR (den D + fst row))) (rows D)
  = mean D (fun s => s * / (1 + s)) * IZR (sum_weights D).
Proof.
  intros D ok. pose proof (den_pos D ok). pose proof (mass_pos D ok).
  rewrite sum_weights_mass. unfold mean, Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply total_ext. intros row Hin. pose proof (value_nonneg D ok row Hin) as Hv. unfold value in *.
  assert (Hs : 0 < IZR (den D) * (1 + IZR (fst row) / IZR (den D))) by (apply Rmult_lt_0_compat; lra).
  assert (He : IZR (den D) * (1 + IZR (fst row) / IZR (den D)) = IZR (den D) + IZR (fst row)) by (field; lra).
  rewrite plus_IZR. field. lra.
Qed.

Lemma entries : forall D row, valid D = true -> In row (rows D) ->
  (0 <= fst row)%Z /\ (0 < den D + fst row)%Z /\ 0 <= weight row.
Proof.
  intros D row ok Hin. destruct (valid_parts D ok) as [Hd [Hl [Hr _]]]. destruct (Hr row Hin) as [_ Hv].
  repeat split; [lia | lia | apply Rlt_le, (weight_pos D ok), Hin].
Qed.

Lemma ratios_down : forall D B, valid D = true ->
  IZR (sum_ratios D (ratio_down B)) <= unit B * (mean D (fun s => s * / (1 + s)) * IZR (sum_weights D)).
Proof.
  intros D B ok. rewrite <- ratios_value, <- total_scal by exact ok. unfold sum_ratios. rewrite total_IZR.
  apply total_le. intros row Hin. destruct (entries D row ok Hin) as [Hv [Hd Hw]].
  rewrite mult_IZR. destruct (ratio_lower B _ _ Hv Hd) as [_ H].
  apply Rmult_le_compat_l with (r := weight row) in H; [| exact Hw]. unfold weight in *. lra.
Qed.

Lemma ratios_up : forall D B, valid D = true ->
  unit B * (mean D (fun s => s * / (1 + s)) * IZR (sum_weights D)) <= IZR (sum_ratios D (ratio_up B)).
Proof.
  intros D B ok. rewrite <- ratios_value, <- total_scal by exact ok. unfold sum_ratios. rewrite total_IZR.
  apply total_le. intros row Hin. destruct (entries D row ok Hin) as [Hv [Hd Hw]].
  rewrite mult_IZR. destruct (ratio_upper B _ _ Hv Hd) as [_ H].
  apply Rmult_le_compat_l with (r := weight row) in H; [| exact Hw]. unfold weight in *. lra.
Qed.

(** C - (E s)^2 / E[s lam] against p/q, cleared of denominators. *)
Lemma gap_cleared : forall D p q, valid D = true -> 0 < q ->
  unit 0 * (mean D (fun s => s * / (1 + s)) - mean D (fun s => s) ^ 2 / mean D (fun s => s * (1 + s)) - p / q)
    * (IZR (sum_weights D) * IZR (sum_second D) * q)
  = mean D (fun s => s * / (1 + s)) * IZR (sum_weights D) * (q * IZR (sum_second D))
    - (IZR (sum_weights D) * p * IZR (sum_second D) + IZR (sum_first D) ^ 2 * q).
Proof.
  intros D p q ok Hq. pose proof (den_pos D ok). pose proof (mass_pos D ok) as Hm. pose proof (sum_second_pos D ok).
  rewrite <- sum_weights_mass in Hm. rewrite mean_first, mean_second by exact ok. unfold unit; simpl. field. lra.
Qed.

Definition finite_gap (D : table) : R :=
  mean D (fun s => s * / (1 + s)) - mean D (fun s => s) ^ 2 / mean D (fun s => s * (1 + s)).

Lemma gap_factor : forall D q, valid D = true -> 0 < q -> 0 < IZR (sum_weights D) * IZR (sum_second D) * q.
Proof.
  intros D q ok Hq. pose proof (mass_pos D ok) as Hm. rewrite <- sum_weights_mass in Hm.
  repeat apply Rmult_lt_0_compat; [assumption | apply sum_second_pos, ok | assumption].
Qed.

(** The sign of gap - p/q is that of an integer, up to what the ratios were rounded by. *)
Lemma gap_sign : forall D p q, valid D = true -> 0 < q ->
  let cleared := mean D (fun s => s * / (1 + s)) * IZR (sum_weights D) * (q * IZR (sum_second D))
    - (IZR (sum_weights D) * p * IZR (sum_second D) + IZR (sum_first D) ^ 2 * q) in
  (0 < cleared -> p / q < finite_gap D) /\ (cleared < 0 -> finite_gap D < p / q).
Proof.
  intros D p q ok Hq cleared. pose proof (gap_cleared D p q ok Hq) as G. pose proof (gap_factor D q ok Hq) as HF.
  fold cleared in G. fold (finite_gap D) in G. change (unit 0) with 1 in G. split; intros H; nra.
Qed.

Lemma square_IZR : forall z, IZR (z ^ 2) = IZR z ^ 2.
Proof. intros z. symmetry. apply (pow_IZR z 2). Qed.

Lemma gap_exceeds_mean : forall D B p q, valid D = true -> gap_exceeds D B p q = true -> IZR p / IZR q < finite_gap D.
Proof.
  intros D B p q ok H. unfold gap_exceeds in H. apply andb_true_iff in H. destruct H as [Hq H].
  apply Z.ltb_lt in Hq, H. apply IZR_lt in Hq, H. apply gap_sign; [exact ok | exact Hq |].
  rewrite !mult_IZR, plus_IZR, !mult_IZR, square_IZR in H. change (IZR (2 ^ Z.of_N B)) with (unit B) in H.
  pose proof (unit_pos B) as HU. pose proof (sum_second_pos D ok) as HS.
  assert (HR := Rmult_le_compat_r (IZR q * IZR (sum_second D)) _ _
    (Rlt_le _ _ (Rmult_lt_0_compat _ _ Hq HS)) (ratios_down D B ok)).
  apply Rmult_lt_reg_l with (1 := HU). lra.
Qed.

Lemma gap_is_below_mean : forall D B p q, valid D = true -> gap_is_below D B p q = true -> finite_gap D < IZR p / IZR q.
Proof.
  intros D B p q ok H. unfold gap_is_below in H. apply andb_true_iff in H. destruct H as [Hq H].
  apply Z.ltb_lt in Hq, H. apply IZR_lt in Hq, H. apply gap_sign; [exact ok | exact Hq |].
  rewrite !mult_IZR, plus_IZR, !mult_IZR, square_IZR in H. change (IZR (2 ^ Z.of_N B)) with (unit B) in H.
  pose proof (unit_pos B) as HU. pose proof (sum_second_pos D ok) as HS.
  assert (HR := Rmult_le_compat_r (IZR q * IZR (sum_second D)) _ _
    (Rlt_le _ _ (Rmult_lt_0_compat _ _ Hq HS)) (ratios_up D B ok)).
  apply Rmult_lt_reg_l with (1 := HU). lra.
Qed.
