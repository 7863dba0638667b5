(** Weights of their own for each layer, on a finite law: the least excess of depth T between two fractions.

    A certificate gives the best residual, up to a factor, as a polynomial in X = d lam with coefficients in Z;
    that it is orthogonal to all lower degrees in L^2(s dP) is checked exactly. *)
From Coq Require Import Reals ZArith Bool List Lra Lia.
From Formal Require Import Law Polynomial Layerwise FiniteLaw Computed Certificates.
Open Scope R_scope.

Section Optimal.
Variable P : law.

(** The excess of the orthogonal residual is E[(s/lam) r]. *)
Lemma least_excess_is_mean : forall T r e, degree T r -> r 0 = 1 ->
  (forall k, (k < T)%nat -> inner P r (fun x => x ^ S k) = 0) ->
  least_excess P T e -> e = inner P r (fun _ => 1).
Proof.
  intros T r e Hr H0 Ho He. pose proof (poly_measurable P T r Hr) as Mr. unfold measurable in Mr.
  assert (M1 : measurable P (fun _ => 1)) by (unfold measurable; in_dom).
  set (q := fun x => 1 * r x + -1 * 1).
  assert (Hq : degree T q) by (apply degree_plus; [now apply degree_scal | apply (degree_const T (-1 * 1))]).
  pose proof (poly_measurable P T q Hq) as Mq.
  assert (Hrq : inner P q r = 0).
  { rewrite inner_sym by assumption. apply (orthogonal_to_polynomials P T); trivial. unfold q. lra. }
  unfold q in Hrq. rewrite inner_combination, (inner_sym P (fun _ => 1)) in Hrq by assumption.
  rewrite (least_excess_unique P T e (residual_excess P r)); trivial.
  - transitivity (inner P r r); [apply E_ext; [in_dom | intros; ring] | lra].
  - apply least_excess_orthogonal; trivial. intros k Hk. rewrite <- (Ho k Hk).
    apply E_ext_supp; [in_dom | in_dom |]. intros s Hs. apply supp_nonneg in Hs. simpl pow. field. lra.
Qed.
End Optimal.

(** * Polynomials with coefficients in Z, the constant one first *)

Definition evaluate (c : list Z) (x : Z) : Z := fold_right (fun a y => a + x * y)%Z 0%Z c.
Definition evaluateR (c : list Z) (x : R) : R := fold_right (fun a y => IZR a + x * y) 0 c.

Lemma evaluate_IZR : forall c x, IZR (evaluate c x) = evaluateR c (IZR x).
Proof. induction c as [|a c IH]; intros x; simpl; [reflexivity | rewrite plus_IZR, mult_IZR, IH; reflexivity]. Qed.

Lemma evaluateR_degree : forall c v, degree (length c) (fun x => evaluateR c (v * x)).
Proof.
  induction c as [|a c IH]; intros v; simpl; [apply degree_const |].
  apply degree_plus; [apply degree_const |].
  apply (degree_ext _ (fun x => v * (x * evaluateR c (v * x)))); [intros; ring |].
  apply degree_scal, degree_shift, IH.
Qed.

Lemma evaluateR_degree' : forall a c v, degree (length c) (fun x => evaluateR (a :: c) (v * x)).
Proof.
  intros a c v. destruct c as [|b c].
  - apply (degree_ext _ (fun _ => IZR a)); [intros; simpl; ring | apply degree_const].
  - change (length (b :: c)) with (S (length c)). simpl evaluateR.
    apply degree_plus; [apply degree_const |].
    apply (degree_ext _ (fun x => v * (x * evaluateR (b :: c) (v * x)))); [intros; simpl; ring |].
    apply degree_scal, degree_shift. revert b. induction c as [|b' c IH]; intros b.
    + apply (degree_ext _ (fun _ => IZR b)); [intros; simpl; ring | apply degree_const].
    + change (length (b' :: c)) with (S (length c)).
      apply (degree_ext _ (fun x => IZR b + v * (x * evaluateR (b' :: c) (v * x)))); [intros; simpl; ring |].
      apply degree_plus; [apply degree_const | apply degree_scal, degree_shift, IH].
Qed.

(** The residual with these coefficients in X = d lam, up to a factor. *)
Definition best (d : Z) (c : list Z) (x : R) : R := evaluateR c (IZR d * x) / IZR (hd 0%Z c).

Lemma best_is_residual : forall d c T, length c = S T -> hd 0%Z c <> 0%Z ->
  degree T (best d c) /\ best d c 0 = 1.
Proof.
  intros d [|a c] T Hlen Hc; [discriminate |]. simpl in Hlen, Hc. injection Hlen as Hlen.
  assert (Ha := not_0_IZR _ Hc). split.
  - rewrite <- Hlen. apply (degree_ext _ (fun x => / IZR a * evaluateR (a :: c) (IZR d * x))).
    + intros x. unfold best. simpl hd. unfold Rdiv. ring.
    + apply degree_scal, evaluateR_degree'.
  - unfold best. simpl. rewrite Rmult_0_r. field. exact Ha.
Qed.

Definition orthogonal (D : table) (c : list Z) (k : nat) : bool :=
  (totalZ (fun row => snd row * fst row * (den D + fst row) ^ Z.of_nat k * evaluate c (den D + fst row)) (rows D)
   =? 0)%Z.

(** E[(s/lam) r] up to a positive factor, from below and from above. *)
Definition least_down (D : table) (B : N) (c : list Z) : Z :=
  totalZ (fun row => snd row * (Z.shiftl (fst row * evaluate c (den D + fst row)) (Z.of_N B) / (den D + fst row)))%Z
    (rows D).
Definition least_between (D : table) (B : N) (T : nat) (c : list Z) (p q p' q' : Z) : bool :=
  let c0 := hd 0%Z c in
  let U := (2 ^ Z.of_N B)%Z in
  Nat.eqb (length c) (S T) && forallb (orthogonal D c) (seq 0 T)
  && ((0 <? c0) && (0 <? q) && (0 <? q')
      && (p * (sum_weights D * U * c0) <? q * least_down D B c)
      && (q' * (least_down D B c + sum_weights D) <? p' * (sum_weights D * U * c0)))%Z.

Section Certified.
Variable D : table.
Hypothesis ok : valid D = true.
Let P := finite D ok.

Lemma eigenvalue_scaled : forall row, IZR (den D) * (1 + value D row) = IZR (den D + fst row).
Proof. intros row. pose proof (den_pos D ok). unfold value. rewrite plus_IZR. field. lra. Qed.

Lemma orthogonal_correct : forall c k, hd 0%Z c <> 0%Z -> orthogonal D c k = true ->
  inner P (best (den D) c) (fun x => x ^ S k) = 0.
Proof.
  intros c k Hc H. apply Z.eqb_eq in H. pose proof (den_pos D ok) as Hd. assert (Hc0 := not_0_IZR _ Hc).
  set (f := fun s => s * (1 + s) ^ k * evaluateR c (IZR (den D) * (1 + s))).
  assert (Hf : mean D f = 0).
  { apply (mean_is_zero D f (fun row => snd row * fst row * (den D + fst row) ^ Z.of_nat k
      * evaluate c (den D + fst row))%Z (IZR (den D) ^ S k)); [exact ok | apply pow_lt, Hd | | exact H].
    intros row _. unfold f, weight. rewrite eigenvalue_scaled, !mult_IZR, evaluate_IZR, <- pow_IZR.
    rewrite <- eigenvalue_scaled, Rpow_mult_distr.
    replace (IZR (fst row)) with (IZR (den D) * value D row) by (unfold value; field; lra).
    simpl pow. ring. }
  unfold inner.
  rewrite (E_ext_supp P _ (fun s => / IZR (hd 0%Z c) * f s)); [| exact I | exact I |].
  - rewrite E_scal by exact I. change (E P f) with (mean D f). rewrite Hf. ring.
  - intros s Hs. apply supp_nonneg in Hs. unfold best, f. simpl pow. field. split; lra.
Qed.

Lemma least_down_correct : forall B c, hd 0%Z c <> 0%Z ->
  let e := unit B * (inner P (best (den D) c) (fun _ => 1) * IZR (hd 0%Z c) * IZR (sum_weights D)) in
  IZR (least_down D B c) <= e <= IZR (least_down D B c + sum_weights D).
Proof.
  intros B c Hc e. assert (Hc0 := not_0_IZR _ Hc). pose proof (mass_pos D ok) as HW.
  assert (He : e = total (fun row => weight row * (unit B * (IZR (fst row * evaluate c (den D + fst row))
      / IZR (den D + fst row)))) (rows D)).
  { unfold e. change (inner P (best (den D) c) (fun _ => 1))
      with (mean D (fun s => s * / (1 + s) * (best (den D) c (1 + s) * 1))).
    rewrite sum_weights_mass. unfold mean.
    replace (unit B * (total (fun row => weight row * (value D row * / (1 + value D row)
        * (best (den D) c (1 + value D row) * 1))) (rows D) / total weight (rows D) * IZR (hd 0%Z c)
        * total weight (rows D)))
      with (unit B * IZR (hd 0%Z c) * total (fun row => weight row * (value D row * / (1 + value D row)
        * (best (den D) c (1 + value D row) * 1))) (rows D)) by (field; lra).
    rewrite <- total_scal. apply total_ext. intros row Hin. unfold best.
    pose proof (value_nonneg D ok row Hin). pose proof (den_pos D ok).
    rewrite mult_IZR, evaluate_IZR, <- eigenvalue_scaled.
    replace (IZR (fst row)) with (IZR (den D) * value D row) by (unfold value; field; lra).
    field. repeat split; lra. }
  assert (Hrow : forall row, In row (rows D) ->
    let z := (Z.shiftl (fst row * evaluate c (den D + fst row)) (Z.of_N B) / (den D + fst row))%Z in
    IZR z <= unit B * (IZR (fst row * evaluate c (den D + fst row)) / IZR (den D + fst row)) <= IZR z + 1).
  { intros row Hin z. destruct (entries D row ok Hin) as [_ [Hdv _]].
    assert (Hdv' : 0 < IZR (den D + fst row)) by (apply (IZR_lt 0), Hdv).
    pose proof (div_le (Z.shiftl (fst row * evaluate c (den D + fst row)) (Z.of_N B)) _ Hdv) as H1.
    pose proof (div_gt (Z.shiftl (fst row * evaluate c (den D + fst row)) (Z.of_N B)) _ Hdv) as H2.
    fold z in H1, H2. rewrite Z.shiftl_mul_pow2, mult_IZR in H1, H2 by lia.
    change (IZR (2 ^ Z.of_N B)) with (unit B) in H1, H2.
    set (m := IZR (fst row * evaluate c (den D + fst row))) in *. set (dv := IZR (den D + fst row)) in *.
    replace (unit B * (m / dv)) with (m * unit B / dv) by (field; lra).
    split; apply Rmult_le_reg_r with dv; trivial;
      replace (m * unit B / dv * dv) with (m * unit B) by (field; lra); assumption. }
  rewrite He. split.
  - unfold least_down. rewrite total_IZR. apply total_le. intros row Hin. rewrite mult_IZR.
    apply Rmult_le_compat_l; [apply Rlt_le, (weight_pos D ok), Hin | apply Hrow, Hin].
  - rewrite plus_IZR, sum_weights_mass. unfold least_down. rewrite total_IZR, <- total_plus.
    apply total_le. intros row Hin. rewrite (mult_IZR (snd row)). destruct (Hrow row Hin) as [_ H].
    apply Rmult_le_compat_l with (r := weight row) in H; [| apply Rlt_le, (weight_pos D ok), Hin].
    unfold weight in *. lra.
Qed.

(** The least excess of depth T lies between two fractions. *)
Theorem least_excess_between : forall B c p q p' q' T, least_between D B (depth T) c p q p' q' = true ->
  forall e, least_excess P (depth T) e -> IZR p / IZR q < e < IZR p' / IZR q'.
Proof.
  intros B c p q p' q' T H e He. unfold least_between in H. repeat rewrite andb_true_iff in H.
  destruct H as [[Hlen Ho] [[[[Hc Hq] Hq'] Hlow] Hhigh]].
  apply Nat.eqb_eq in Hlen. apply Z.ltb_lt in Hc, Hq, Hq', Hlow, Hhigh. rewrite forallb_forall in Ho.
  assert (Hc0 : hd 0%Z c <> 0%Z) by lia.
  destruct (best_is_residual (den D) c (depth T) Hlen Hc0) as [Hdeg Hat].
  assert (Horth : forall k, (k < depth T)%nat -> inner P (best (den D) c) (fun x => x ^ S k) = 0).
  { intros k Hk. apply orthogonal_correct; [exact Hc0 | apply Ho, in_seq; lia]. }
  rewrite (least_excess_is_mean P (depth T) _ e Hdeg Hat Horth He).
  destruct (least_down_correct B c Hc0) as [H1 H2].
  set (i := inner P (best (den D) c) (fun _ => 1)) in *.
  apply IZR_lt in Hc, Hq, Hq', Hlow, Hhigh. rewrite !mult_IZR in Hlow, Hhigh.
  change (IZR (2 ^ Z.of_N B)) with (unit B) in Hlow, Hhigh. pose proof (unit_pos B) as HU.
  pose proof (mass_pos D ok) as HW. rewrite <- sum_weights_mass in HW.
  set (f := IZR (sum_weights D) * unit B * IZR (hd 0%Z c)) in *.
  assert (Hf : 0 < f) by (unfold f; repeat apply Rmult_lt_0_compat; assumption).
  replace (unit B * (i * IZR (hd 0%Z c) * IZR (sum_weights D))) with (i * f) in H1, H2 by (unfold f; ring).
  split.
  - apply Rmult_lt_reg_r with (IZR q * f); [apply Rmult_lt_0_compat; assumption |].
    replace (IZR p / IZR q * (IZR q * f)) with (IZR p * f) by (field; lra).
    apply Rlt_le_trans with (1 := Hlow).
    replace (i * (IZR q * f)) with (IZR q * (i * f)) by ring. apply Rmult_le_compat_l; lra.
  - apply Rmult_lt_reg_r with (IZR q' * f); [apply Rmult_lt_0_compat; assumption |].
    replace (IZR p' / IZR q' * (IZR q' * f)) with (IZR p' * f) by (field; lra).
    apply Rle_lt_trans with (2 := Hhigh).
    replace (i * (IZR q' * f)) with (IZR q' * (i * f)) by ring. apply Rmult_le_compat_l; lra.
Qed.
End Certified.
