(** Logarithms between integers: ln((1 + y)/(1 - y)) = 2 (y + y^3/3 + y^5/5 + ...), cut off with a bound on the rest. *)
From Coq Require Import Reals ZArith List Lra Lia.
From Formal Require Import LayerwiseLandscape Computed.
Open Scope R_scope.

(** y^k/k + y^(k+2)/(k+2) + ..., n terms. *)
Fixpoint odd_powers (n k : nat) (y : R) : R :=
  match n with O => 0 | S m => y ^ k / INR k + odd_powers m (S (S k)) y end.

Fixpoint even_powers (n k : nat) (y : R) : R :=
  match n with O => 0 | S m => y ^ k + even_powers m (S (S k)) y end.

Lemma power_derivative : forall k y, derivable_pt_lim (fun x => x ^ S k / INR (S k)) y (y ^ k).
Proof.
  intros k y. pose proof (not_0_INR (S k) ltac:(lia)) as Hk.
  replace (y ^ k) with (/ INR (S k) * (INR (S k) * y ^ pred (S k))) by (simpl pred; field; exact Hk).
  apply (derivable_pt_lim_ext (fun x => / INR (S k) * x ^ S k)); [intros; unfold Rdiv; ring |].
  apply (derivable_pt_lim_scal (fun x => x ^ S k)), derivable_pt_lim_pow.
Qed.

Lemma odd_powers_derivative : forall n k y, derivable_pt_lim (odd_powers n (S k)) y (even_powers n k y).
Proof.
  intros n; induction n as [|n IH]; intros k y; simpl odd_powers; simpl even_powers.
  - apply derivable_pt_lim_const.
  - apply (derivable_pt_lim_plus (fun x => x ^ S k / INR (S k))); [apply power_derivative | apply IH].
Qed.

Lemma even_powers_sum : forall n k y, (1 - y ^ 2) * even_powers n k y = y ^ k - y ^ (k + 2 * n).
Proof.
  intros n; induction n as [|n IH]; intros k y; simpl even_powers.
  - rewrite Nat.mul_0_r, Nat.add_0_r. ring.
  - rewrite Rmult_plus_distr_l, IH. replace (S (S k) + 2 * n)%nat with (k + 2 * S n)%nat by lia. simpl. ring.
Qed.

Lemma odd_powers_at_0 : forall n k, odd_powers n (S k) 0 = 0.
Proof.
  intros n; induction n as [|n IH]; intros k; simpl odd_powers; [reflexivity |].
  rewrite IH. unfold Rdiv. simpl. ring.
Qed.

Lemma artanh_derivative : forall y, 0 <= y < 1 ->
  derivable_pt_lim (fun x => ln (1 + x) - ln (1 - x)) y (2 / (1 - y ^ 2)).
Proof.
  intros y Hy. replace (2 / (1 - y ^ 2)) with (/ (1 + y) * (0 + 1) - / (1 - y) * (0 - 1)) by (field; repeat split; nra).
  apply derivable_pt_lim_minus; [apply (derivable_pt_lim_comp (fun x => 1 + x) ln) |
    apply (derivable_pt_lim_comp (fun x => 1 - x) ln)].
  - apply derivable_pt_lim_plus; [apply derivable_pt_lim_const | apply derivable_pt_lim_id].
  - apply derivable_pt_lim_ln. lra.
  - apply derivable_pt_lim_minus; [apply derivable_pt_lim_const | apply derivable_pt_lim_id].
  - apply derivable_pt_lim_ln. lra.
Qed.

Lemma ln_bounds : forall n y, 0 <= y < 1 ->
  2 * odd_powers n 1 y <= ln (1 + y) - ln (1 - y)
    <= 2 * (odd_powers n 1 y + y ^ (1 + 2 * n) / (INR (1 + 2 * n) * (1 - y ^ 2))).
Proof.
  intros n y Hy. set (f := fun x => ln (1 + x) - ln (1 - x)).
  assert (Hf0 : f 0 = 0) by (unfold f; rewrite Rplus_0_r, Rminus_0_r; ring).
  assert (Hpow : forall x, 0 <= x -> 0 <= x ^ (2 * n)) by (intros; now apply pow_le).
  assert (Hsq : forall x, 0 <= x <= y -> 0 < 1 - y ^ 2 <= 1 - x ^ 2) by (intros; nra).
  split.
  - set (g := fun x => 2 * odd_powers n 1 x - f x).
    assert (H : g y <= g 0).
    { apply (nonincreasing g (fun x => 2 * even_powers n 0 x - 2 / (1 - x ^ 2))); [lra | |].
      - intros t Ht. apply derivable_continuous_pt. eexists. unfold g.
        apply (derivable_pt_lim_minus (fun x => 2 * odd_powers n 1 x)); [| apply artanh_derivative; lra].
        apply (derivable_pt_lim_scal (odd_powers n 1)), odd_powers_derivative.
      - intros t Ht. split.
        + apply (derivable_pt_lim_minus (fun x => 2 * odd_powers n 1 x)); [| apply artanh_derivative; lra].
          apply (derivable_pt_lim_scal (odd_powers n 1)), odd_powers_derivative.
        + pose proof (even_powers_sum n 0 t) as He. rewrite pow_O, Nat.add_0_l in He.
          specialize (Hpow t ltac:(lra)). specialize (Hsq t ltac:(lra)).
          apply (Rmult_le_reg_r (1 - t ^ 2)); [lra |].
          replace ((2 * even_powers n 0 t - 2 / (1 - t ^ 2)) * (1 - t ^ 2))
            with (2 * ((1 - t ^ 2) * even_powers n 0 t) - 2) by (field; lra). rewrite He. lra. }
    unfold g in H. rewrite Hf0, odd_powers_at_0 in H. fold (f y). lra.
  - set (c := / (INR (1 + 2 * n) * (1 - y ^ 2))).
    set (g := fun x => f x - 2 * (odd_powers n 1 x + x ^ S (2 * n) / INR (S (2 * n)) * / (1 - y ^ 2))).
    assert (Hder : forall t, 0 <= t <= y ->
      derivable_pt_lim g t (2 / (1 - t ^ 2) - 2 * (even_powers n 0 t + t ^ (2 * n) * / (1 - y ^ 2)))).
    { intros t Ht. apply derivable_pt_lim_minus; [apply artanh_derivative; lra |].
      apply (derivable_pt_lim_scal (fun x => odd_powers n 1 x + x ^ S (2 * n) / INR (S (2 * n)) * / (1 - y ^ 2))).
      apply (derivable_pt_lim_plus (odd_powers n 1)); [apply odd_powers_derivative |].
      rewrite (Rmult_comm (t ^ (2 * n))).
      apply (derivable_pt_lim_ext (fun x => / (1 - y ^ 2) * (x ^ S (2 * n) / INR (S (2 * n))))); [intros; ring |].
      apply (derivable_pt_lim_scal (fun x => x ^ S (2 * n) / INR (S (2 * n)))), power_derivative. }
    assert (H : g y <= g 0).
    { apply (nonincreasing g (fun t => 2 / (1 - t ^ 2) - 2 * (even_powers n 0 t + t ^ (2 * n) * / (1 - y ^ 2)))).
      - lra.
      - intros t Ht. apply derivable_continuous_pt. eexists. apply Hder. lra.
      - intros t Ht. split; [apply Hder; lra |].
        pose proof (even_powers_sum n 0 t) as He. rewrite pow_O, Nat.add_0_l in He.
        specialize (Hpow t ltac:(lra)). specialize (Hsq t ltac:(lra)).
        assert (Hi : 1 <= / (1 - y ^ 2) * (1 - t ^ 2)).
        { apply (Rmult_le_reg_l (1 - y ^ 2)); [lra |]. rewrite <- Rmult_assoc, Rinv_r; lra. }
        apply (Rmult_le_reg_r (1 - t ^ 2)); [lra |].
        replace ((2 / (1 - t ^ 2) - 2 * (even_powers n 0 t + t ^ (2 * n) * / (1 - y ^ 2))) * (1 - t ^ 2))
          with (2 - 2 * ((1 - t ^ 2) * even_powers n 0 t) - 2 * (t ^ (2 * n) * (/ (1 - y ^ 2) * (1 - t ^ 2))))
          by (field; lra). rewrite He. nra. }
    unfold g in H. rewrite Hf0, odd_powers_at_0, pow_i in H by lia. fold (f y).
    change (1 + 2 * n)%nat with (S (2 * n)). rewrite Rmult_0_l in H || idtac.
    replace (y ^ S (2 * n) / (INR (S (2 * n)) * (1 - y ^ 2)))
      with (y ^ S (2 * n) / INR (S (2 * n)) * / (1 - y ^ 2)).
    + unfold Rdiv in *. lra.
    + specialize (Hsq y ltac:(lra)). pose proof (not_0_INR (S (2 * n)) ltac:(lia)). field. split; lra.
Qed.

(** * On integers *)

(** n terms of the series to B binary places: p/2^B stands for y^k, u/v for y^2.  Rounded down ... *)
Fixpoint series_down (n : nat) (k p u v : Z) : Z :=
  match n with O => 0 | S m => p / k + series_down m (k + 2) (p * u / v) u v end%Z.

(** ... and up, with the bound on the rest. *)
Fixpoint series_up (n : nat) (k p u v : Z) : Z :=
  match n with
  | O => p * v / (k * (v - u)) + 1
  | S m => p / k + 1 + series_up m (k + 2) (p * u / v + 1) u v
  end%Z.

(** ln(b/a) = ln((1 + y)/(1 - y)) with y = (b - a)/(b + a). *)
Definition ln_down (B : N) (n : nat) (a b : Z) : Z :=
  (2 * series_down n 1 (ratio_down B (b - a) (b + a)) ((b - a) * (b - a)) ((b + a) * (b + a)))%Z.
Definition ln_up (B : N) (n : nat) (a b : Z) : Z :=
  (2 * series_up n 1 (ratio_up B (b - a) (b + a)) ((b - a) * (b - a)) ((b + a) * (b + a)))%Z.

Section Series.
Variables (B : N) (u v : Z) (y : R).
Hypothesis Hv : (0 < v)%Z.
Hypothesis Huv : (0 <= u < v)%Z.
Hypothesis Hy : 0 <= y < 1.
Hypothesis Hy2 : IZR u / IZR v = y ^ 2.

Lemma div_below : forall x m, (0 < m)%Z -> IZR (x / m) <= IZR x / IZR m.
Proof.
  intros x m Hm. assert (HM := IZR_lt _ _ Hm). apply (Rmult_le_reg_r (IZR m)); [exact HM |].
  replace (IZR x / IZR m * IZR m) with (IZR x) by (field; lra). now apply div_le.
Qed.

Lemma div_above : forall x m, (0 < m)%Z -> IZR x / IZR m <= IZR (x / m + 1).
Proof.
  intros x m Hm. assert (HM := IZR_lt _ _ Hm). apply (Rmult_le_reg_r (IZR m)); [exact HM |].
  replace (IZR x / IZR m * IZR m) with (IZR x) by (field; lra). rewrite plus_IZR. now apply div_gt.
Qed.

Lemma next_power : forall p, IZR (p * u) / IZR v = IZR p * y ^ 2.
Proof. intros p. rewrite mult_IZR, <- Hy2. unfold Rdiv. ring. Qed.

Lemma of_nat_pos : forall k, (0 < Z.of_nat (S k))%Z.
Proof. intros. lia. Qed.

Lemma of_nat_next : forall k, (Z.of_nat k + 2)%Z = Z.of_nat (S (S k)).
Proof. intros. lia. Qed.

Lemma series_down_correct : forall n k p, IZR p <= unit B * y ^ S k ->
  IZR (series_down n (Z.of_nat (S k)) p u v) <= unit B * odd_powers n (S k) y.
Proof.
  intros n; induction n as [|n IH]; intros k p Hp; cbn [series_down odd_powers]; [lra |].
  rewrite plus_IZR, Rmult_plus_distr_l. pose proof (of_nat_pos k) as Hk. apply Rplus_le_compat.
  - apply Rle_trans with (1 := div_below p _ Hk). rewrite <- INR_IZR_INZ.
    replace (unit B * (y ^ S k / INR (S k))) with (unit B * y ^ S k / INR (S k)) by (unfold Rdiv; ring).
    apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, lt_0_INR; lia | exact Hp].
  - rewrite of_nat_next. apply IH. apply Rle_trans with (1 := div_below _ _ Hv). rewrite next_power.
    replace (unit B * y ^ S (S (S k))) with (unit B * y ^ S k * y ^ 2) by (simpl; ring).
    apply Rmult_le_compat_r; [apply pow2_ge_0 | exact Hp].
Qed.

Lemma series_up_correct : forall n k p, unit B * y ^ S k <= IZR p ->
  unit B * (odd_powers n (S k) y + y ^ (S k + 2 * n) / (INR (S k + 2 * n) * (1 - y ^ 2)))
    <= IZR (series_up n (Z.of_nat (S k)) p u v).
Proof.
  assert (Hden : IZR (v - u) = IZR v * (1 - y ^ 2)).
  { rewrite minus_IZR, <- Hy2. field. apply not_0_IZR. lia. }
  assert (Hv' := IZR_lt _ _ Hv).
  assert (Hsq : 0 < 1 - y ^ 2) by nra.
  intros n; induction n as [|n IH]; intros k p Hp; cbn [series_up odd_powers].
  - rewrite Nat.mul_0_r, Nat.add_0_r, Rplus_0_l. pose proof (of_nat_pos k) as Hk.
    assert (Hm : (0 < Z.of_nat (S k) * (v - u))%Z) by (apply Z.mul_pos_pos; lia).
    apply Rle_trans with (2 := div_above _ _ Hm). rewrite !mult_IZR, <- INR_IZR_INZ, Hden.
    pose proof (lt_0_INR (S k) ltac:(lia)) as HK.
    replace (IZR p * IZR v / (INR (S k) * (IZR v * (1 - y ^ 2)))) with (IZR p * / (INR (S k) * (1 - y ^ 2)))
      by (field; repeat split; lra).
    unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [| exact Hp].
    apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; assumption.
  - rewrite plus_IZR, Rplus_assoc, Rmult_plus_distr_l. pose proof (of_nat_pos k) as Hk. apply Rplus_le_compat.
    + apply Rle_trans with (2 := div_above p _ Hk). rewrite <- INR_IZR_INZ.
      replace (unit B * (y ^ S k / INR (S k))) with (unit B * y ^ S k / INR (S k)) by (unfold Rdiv; ring).
      apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, lt_0_INR; lia | exact Hp].
    + rewrite of_nat_next. replace (S k + 2 * S n)%nat with (S (S (S k)) + 2 * n)%nat by lia. apply IH.
      apply Rle_trans with (2 := div_above _ _ Hv). rewrite next_power.
      replace (unit B * y ^ S (S (S k))) with (unit B * y ^ S k * y ^ 2) by (simpl; ring).
      apply Rmult_le_compat_r; [apply pow2_ge_0 | exact Hp].
Qed.

End Series.

Theorem ln_between : forall B n a b, (0 < a <= b)%Z ->
  IZR (ln_down B n a b) <= unit B * ln (IZR b / IZR a) <= IZR (ln_up B n a b).
Proof.
  intros B n a b [Ha Hab]. assert (HA := IZR_lt _ _ Ha). assert (HAB := IZR_le _ _ Hab).
  set (y := (IZR b - IZR a) / (IZR b + IZR a)).
  assert (Hy : 0 <= y < 1).
  { unfold y. split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra] |].
    apply (Rmult_lt_reg_r (IZR b + IZR a)); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (Hln : ln (IZR b / IZR a) = ln (1 + y) - ln (1 - y)).
  { replace (1 + y) with (IZR b / IZR a * (1 - y)) by (unfold y; field; lra).
    rewrite ln_mult; [ring | apply Rdiv_lt_0_compat; lra | lra]. }
  set (u := ((b - a) * (b - a))%Z). set (v := ((b + a) * (b + a))%Z).
  assert (Hv : (0 < v)%Z) by (unfold v; nia). assert (Huv : (0 <= u < v)%Z) by (unfold u, v; nia).
  assert (Hy2 : IZR u / IZR v = y ^ 2).
  { unfold u, v, y. rewrite !mult_IZR, minus_IZR, plus_IZR. field. lra. }
  pose proof (unit_pos B) as HU. destruct (ln_bounds n y Hy) as [H1 H2].
  assert (Hba : (0 < b + a)%Z) by lia. assert (Hba' : (0 <= b - a)%Z) by lia.
  assert (Hratio : IZR (b - a) / IZR (b + a) = y) by (unfold y; now rewrite minus_IZR, plus_IZR).
  rewrite Hln. unfold ln_down, ln_up. fold u v. rewrite !mult_IZR. split.
  - destruct (ratio_lower B (b - a) (b + a) Hba' Hba) as [_ Hp]. rewrite Hratio in Hp.
    pose proof (series_down_correct B u v y Hv Hy2 n 0 _ ltac:(rewrite pow_1; exact Hp)) as H.
    change (Z.of_nat 1) with 1%Z in H. apply (Rmult_le_compat_l (unit B)) in H1; lra.
  - destruct (ratio_upper B (b - a) (b + a) Hba' Hba) as [_ Hp]. rewrite Hratio in Hp.
    pose proof (series_up_correct B u v y Hv Huv Hy Hy2 n 0 _ ltac:(rewrite pow_1; exact Hp)) as H.
    change (Z.of_nat 1) with 1%Z in H. change (1 + 2 * n)%nat with (S 0 + 2 * n)%nat in H2.
    apply (Rmult_le_compat_l (unit B)) in H2; lra.
Qed.
