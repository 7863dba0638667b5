(** Uniform laws with rational ends: alpha_T in an enclosure, and its limit for all T >= T0, by computation on
    integers. *)
From Coq Require Import Reals ZArith Bool List Lra Lia.
From Formal Require Import Law OneParameter OneParameterLimit Computed UniformLaw.
Open Scope R_scope.

(** The uniform law on [l/d, h/d]. *)
Definition uniform_ends (l h d : Z) : bool := ((0 <? d) && (0 <=? l) && (l <? h))%Z.

Lemma uniform_ends_order : forall l h d, uniform_ends l h d = true -> 0 <= IZR l / IZR d < IZR h / IZR d.
Proof.
  intros l h d H. unfold uniform_ends in H. rewrite !andb_true_iff in H. destruct H as [[Hd Hl] Hh].
  apply Z.ltb_lt, IZR_lt in Hd, Hh. apply Z.leb_le, IZR_le in Hl.
  pose proof (Rinv_0_lt_compat _ Hd). unfold Rdiv. split; [apply Rmult_le_pos; lra |].
  apply Rmult_lt_compat_r; lra.
Qed.

Definition uniformZ (l h d : Z) (ok : uniform_ends l h d = true) : law :=
  uniform (IZR l / IZR d) (IZR h / IZR d) (uniform_ends_order l h d ok).

(** * The sign of a sum of w x^k at even k, the powers rounded to B binary places: down where they help, up where
    they hurt *)

Definition term (B : N) (k : positive) (M w x : Z) : Z :=
  if (0 <=? w)%Z then (w * power (multiply_down B) (ratio_down B x M) k)%Z
  else (w * power (multiply_up B) (ratio_up B x M) k)%Z.

Definition largest (terms : list (Z * Z)) : Z := fold_right (fun t m => Z.max (Z.abs (snd t)) m) 0%Z terms.

Definition sum_positive (B : N) (k : positive) (terms : list (Z * Z)) : bool :=
  let M := largest terms in
  ((0 <? M) && (0 <? fold_right (fun t z => term B k M (fst t) (Z.abs (snd t)) + z) 0 terms))%Z.

Definition power_sum (k : positive) (terms : list (Z * Z)) : R :=
  fold_right (fun t y => IZR (fst t) * IZR (snd t) ^ Pos.to_nat k + y) 0 terms.

Lemma term_below : forall B k M w x, (0 < M)%Z -> (0 <= x)%Z ->
  IZR (term B k M w x) <= unit B * (IZR w * (IZR x / IZR M) ^ Pos.to_nat k).
Proof.
  intros B k M w x HM Hx. unfold term. destruct (Z.leb_spec 0 w) as [Hw | Hw]; rewrite mult_IZR.
  - apply IZR_le in Hw. destruct (power_lower B k _ _ (ratio_lower B x M Hx HM)) as [_ H].
    apply (Rmult_le_compat_l (IZR w)) in H; lra.
  - apply IZR_lt in Hw. destruct (power_upper B k _ _ (ratio_upper B x M Hx HM)) as [_ H].
    apply (Rmult_le_compat_neg_l (IZR w)) in H; lra.
Qed.

Lemma sum_positive_correct : forall B k terms, sum_positive B k~0 terms = true -> 0 < power_sum k~0 terms.
Proof.
  intros B k terms H. unfold sum_positive in H. apply andb_true_iff in H. destruct H as [HM H].
  set (M := largest terms) in *. apply Z.ltb_lt in HM, H. apply IZR_lt in H. clearbody M.
  assert (HM' : 0 < IZR M ^ Pos.to_nat k~0) by now apply pow_lt, IZR_lt.
  pose proof (unit_pos B) as HB.
  assert (Hsum : IZR (fold_right (fun t z => term B k~0 M (fst t) (Z.abs (snd t)) + z)%Z 0%Z terms)
    <= unit B * (power_sum k~0 terms / IZR M ^ Pos.to_nat k~0)).
  { clear H. induction terms as [| [w x] terms IH]; simpl fold_right.
    - unfold power_sum; simpl. unfold Rdiv. rewrite Rmult_0_l, Rmult_0_r. lra.
    - rewrite plus_IZR. change (power_sum k~0 ((w, x) :: terms)) with
        (IZR w * IZR x ^ Pos.to_nat k~0 + power_sum k~0 terms).
      pose proof (term_below B k~0 M w (Z.abs x) HM (Z.abs_nonneg x)) as Ht. simpl fst. simpl snd.
      replace ((IZR (Z.abs x) / IZR M) ^ Pos.to_nat k~0) with (IZR x ^ Pos.to_nat k~0 / IZR M ^ Pos.to_nat k~0) in Ht.
      + unfold Rdiv in *. lra.
      + unfold Rdiv. rewrite Rpow_mult_distr, pow_inv. f_equal. rewrite abs_IZR, Pos2Nat.inj_xO, !pow_mult.
        now rewrite pow2_abs. }
  apply (Rmult_lt_reg_l (unit B * / IZR M ^ Pos.to_nat k~0)).
  - apply Rmult_lt_0_compat; [exact HB | now apply Rinv_0_lt_compat].
  - unfold Rdiv in Hsum. lra.
Qed.

(** * Residuals and sides *)

(** (q d) times the residual 1 - (p/q) lam at s = x/d, and the factor of its (2T)-th power in the primitive. *)
Definition residualZ (p q d x : Z) : Z := (q * d - p * (d + x))%Z.
Definition factorZ (T : positive) (p q d r : Z) : Z := (Zpos T~0 * r - (Zpos T~0 + 1) * ((q - p) * d))%Z.

(** The sign of E[s (1 - (p/q) lam)^(2T-1)]. *)
Definition moment_positive (B : N) (l h d p q : Z) (T : positive) : bool :=
  let rl := residualZ p q d l in let rh := residualZ p q d h in
  sum_positive B T~0 ((factorZ T p q d rh, rh) :: (- factorZ T p q d rl, rl)%Z :: nil).
Definition moment_negative (B : N) (l h d p q : Z) (T : positive) : bool :=
  let rl := residualZ p q d l in let rh := residualZ p q d h in
  sum_positive B T~0 ((factorZ T p q d rl, rl) :: (- factorZ T p q d rh, rh)%Z :: nil).

(** E[|r|^n; r < 0] < E[r^n; r > c] with c the largest |r| over r < 0, or no r is negative. *)
Definition settles_aboveZ (B : N) (l h d p q : Z) (T : positive) : bool :=
  let rl := residualZ p q d l in let rh := residualZ p q d h in
  if (0 <=? rh)%Z then (0 <? rl)%Z
  else (- rh <=? rl)%Z && sum_positive B T~0
    ((factorZ T p q d rh, rh) :: (factorZ T p q d (- rh), - rh) :: (- factorZ T p q d rl, rl) :: nil)%Z.

(** The mirror image. *)
Definition settles_belowZ (B : N) (l h d p q : Z) (T : positive) : bool :=
  let rl := residualZ p q d l in let rh := residualZ p q d h in
  if (rl <=? 0)%Z then (rh <? 0)%Z
  else (rh <=? - rl)%Z && sum_positive B T~0
    ((factorZ T p q d rl, rl) :: (factorZ T p q d (- rl), - rl) :: (- factorZ T p q d rh, rh) :: nil)%Z.

Definition positive_weight (p q : Z) : bool := ((0 <? p) && (0 <? q))%Z.

Section Certificates.
Variables l h d : Z.
Hypothesis ok : uniform_ends l h d = true.
Let P := uniformZ l h d ok.

Lemma d_pos : 0 < IZR d.
Proof.
  pose proof ok as H. unfold uniform_ends in H. rewrite !andb_true_iff in H. destruct H as [[Hd _] _].
  now apply Z.ltb_lt, IZR_lt in Hd.
Qed.

Section Weight.
Variables (p q : Z) (T : positive).
Hypothesis Hpq : positive_weight p q = true.

Let a : R := IZR p / IZR q.
Let n : nat := (2 * Pos.to_nat T - 1)%nat.
Let Q : R := IZR q * IZR d.

Lemma weight_pos : 0 < IZR p /\ 0 < IZR q /\ 0 < a /\ 0 < Q.
Proof.
  pose proof d_pos as Hd. pose proof Hpq as Hw. apply andb_true_iff in Hw. destruct Hw as [Hp Hq].
  apply Z.ltb_lt, IZR_lt in Hp, Hq. repeat split; trivial.
  - now apply Rdiv_lt_0_compat.
  - now apply Rmult_lt_0_compat.
Qed.

Lemma residualZ_correct : forall x, residual a (IZR x / IZR d) = IZR (residualZ p q d x) / Q.
Proof.
  intros x. destruct weight_pos as [Hp [Hq _]]. pose proof d_pos. unfold residual, residualZ, a, Q.
  rewrite minus_IZR, !mult_IZR, plus_IZR. field. lra.
Qed.

Lemma exponent : S n = Pos.to_nat T~0.
Proof. unfold n. pose proof (Pos2Nat.is_pos T). rewrite Pos2Nat.inj_xO. lia. Qed.

(** Q^(2T+1) times the primitive. *)
Let primitiveQ (r : Z) : R := IZR (factorZ T p q d r) * IZR r ^ Pos.to_nat T~0.

Lemma primitiveQ_correct : forall r, primitive a (S n) (IZR r / Q) = primitiveQ r / Q ^ S (S n).
Proof.
  intros r. destruct weight_pos as [Hp [Hq [_ HQ]]]. pose proof d_pos as Hd.
  unfold primitive, primitiveQ, factorZ. rewrite exponent, INR_IPR. fold (IZR (Zpos T~0)).
  rewrite minus_IZR, !mult_IZR, plus_IZR, minus_IZR.
  unfold Rdiv. rewrite Rpow_mult_distr, pow_inv, <- tech_pow_Rmult. unfold a, Q. field.
  repeat split; try lra. apply pow_nonzero. apply Rgt_not_eq, HQ.
Qed.

Lemma primitive_0 : primitive a (S n) 0 = 0.
Proof. unfold primitive. rewrite pow_i by lia. ring. Qed.

Lemma powers_pos : 0 < Q ^ S (S n).
Proof. apply pow_lt, weight_pos. Qed.

Lemma depth_at_least_1 : (1 <= Pos.to_nat T)%nat.
Proof. pose proof (Pos2Nat.is_pos T). lia. Qed.

Lemma odd_n : Nat.Odd n.
Proof. exists (Pos.to_nat T - 1)%nat. unfold n. pose proof depth_at_least_1. lia. Qed.

Let width : R := (IZR h / IZR d - IZR l / IZR d) * factor a n.

Lemma width_pos' : 0 < width.
Proof. apply (width_pos (IZR l / IZR d) (IZR h / IZR d) (uniform_ends_order l h d ok)), weight_pos. Qed.

Lemma wholeZ : E P (fun s => s * residual a s ^ n)
  = (primitiveQ (residualZ p q d h) - primitiveQ (residualZ p q d l)) / Q ^ S (S n) / width.
Proof.
  unfold P, uniformZ. rewrite whole_moment by apply weight_pos.
  rewrite !residualZ_correct, !primitiveQ_correct. fold width. set (e := Q ^ S (S n)). unfold Rdiv. ring.
Qed.

Theorem alpha_above : forall B, moment_positive B l h d p q T = true -> forall b, minimiser P (Pos.to_nat T) b -> a < b.
Proof.
  intros B H b Hb. apply sum_positive_correct in H. unfold power_sum in H; simpl fold_right in H.
  rewrite opp_IZR in H. pose proof depth_at_least_1 as HT.
  apply (minimiser_above P (Pos.to_nat T)); trivial. apply slope_negative; trivial. fold n. rewrite wholeZ.
  apply Rdiv_lt_0_compat; [apply Rdiv_lt_0_compat; [unfold primitiveQ; lra | apply powers_pos] | apply width_pos'].
Qed.

Theorem alpha_below : forall B, moment_negative B l h d p q T = true -> forall b, minimiser P (Pos.to_nat T) b -> b < a.
Proof.
  intros B H b Hb. apply sum_positive_correct in H. unfold power_sum in H; simpl fold_right in H.
  rewrite opp_IZR in H. pose proof depth_at_least_1 as HT.
  apply (minimiser_below P (Pos.to_nat T)); trivial. unfold slope. fold n. rewrite wholeZ.
  assert (0 < INR (2 * Pos.to_nat T)) by (apply lt_0_INR; lia).
  pose proof (Rinv_0_lt_compat _ powers_pos). pose proof (Rinv_0_lt_compat _ width_pos').
  set (gap := primitiveQ (residualZ p q d h) - _) in *.
  assert (Hgap : 0 < - gap) by (unfold gap, primitiveQ; lra).
  replace (- INR (2 * Pos.to_nat T) * (gap / Q ^ S (S n) / width))
    with (INR (2 * Pos.to_nat T) * (- gap * / Q ^ S (S n) * / width)) by (unfold Rdiv; ring).
  repeat apply Rmult_lt_0_compat; assumption.
Qed.

(** alpha_T' > p/q for every T' >= T. *)
Theorem alpha_settles_above : forall B, settles_aboveZ B l h d p q T = true ->
  forall T' b, (Pos.to_nat T <= T')%nat -> minimiser P T' b -> a < b.
Proof.
  intros B H T' b HT' Hb. pose proof depth_at_least_1 as HT. destruct weight_pos as [Hp [Hq [Ha HQ]]].
  pose proof (residualZ_correct l) as Hrl. pose proof (residualZ_correct h) as Hrh.
  unfold settles_aboveZ in H. set (rl := residualZ p q d l) in *. set (rh := residualZ p q d h) in *.
  pose proof (Rinv_0_lt_compat _ HQ) as HQi.
  destruct (Z.leb_spec 0 rh) as [Hpos | Hneg].
  - apply Z.ltb_lt, IZR_lt in H. apply IZR_le in Hpos.
    assert (Hl' : 0 < residual a (lo P)) by (simpl lo; rewrite Hrl; now apply Rmult_lt_0_compat).
    assert (Hh' : 0 <= residual a (hi P)) by (simpl hi; rewrite Hrh; apply Rmult_le_pos; lra).
    unfold residual in Hl', Hh'.
    destruct (settled_low P a Ha ltac:(lra) ltac:(lra) T' b ltac:(lia) Hb) as [_ Hlt]. exact Hlt.
  - apply andb_true_iff in H. destruct H as [Hle Hlt]. apply Z.leb_le, IZR_le in Hle.
    apply sum_positive_correct in Hlt. unfold power_sum in Hlt; simpl fold_right in Hlt.
    rewrite (opp_IZR (factorZ _ _ _ _ _)) in Hlt.
    apply IZR_lt in Hneg. rewrite opp_IZR in Hle.
    set (c := - residual a (hi P)).
    assert (Hc : c = IZR (- rh) / Q) by (unfold c; simpl hi; rewrite Hrh, opp_IZR; unfold Rdiv; ring).
    assert (Hc0 : 0 <= c) by (rewrite Hc, opp_IZR; apply Rmult_le_pos; lra).
    assert (Hcl : c <= residual a (lo P)).
    { simpl lo. rewrite Hc, Hrl, opp_IZR. apply Rmult_le_compat_r; lra. }
    destruct (one_inequality_low P (Pos.to_nat T) a c) with T' b as [_ Hres]; trivial.
    + unfold c, residual. lra.
    + fold n. unfold P, uniformZ.
      rewrite (lower_part _ _ _ a n Ha 0), (upper_part _ _ _ a n Ha c).
      * fold width. rewrite Ropp_0, primitive_0, Hc, Hrl, Hrh, !primitiveQ_correct.
        apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat, width_pos' |].
        pose proof (Rinv_0_lt_compat _ powers_pos) as HS.
        unfold Rdiv. rewrite <- Rmult_minus_distr_r, <- (Rmult_0_l (/ Q ^ S (S n))), <- Rmult_minus_distr_r.
        apply Rmult_lt_compat_r; [exact HS | unfold primitiveQ in *; lra].
      * unfold c in Hc0, Hcl |- *. simpl lo in *. simpl hi in *. lra.
      * rewrite Ropp_0. unfold c in Hc0, Hcl. simpl lo in *. simpl hi in *. lra.
      * exact odd_n.
Qed.

(** alpha_T' < p/q for every T' >= T. *)
Theorem alpha_settles_below : forall B, settles_belowZ B l h d p q T = true ->
  forall T' b, (Pos.to_nat T <= T')%nat -> minimiser P T' b -> b < a.
Proof.
  intros B H T' b HT' Hb. pose proof depth_at_least_1 as HT. destruct weight_pos as [Hp [Hq [Ha HQ]]].
  pose proof (residualZ_correct l) as Hrl. pose proof (residualZ_correct h) as Hrh.
  unfold settles_belowZ in H. set (rl := residualZ p q d l) in *. set (rh := residualZ p q d h) in *.
  pose proof (Rinv_0_lt_compat _ HQ) as HQi.
  destruct (Z.leb_spec rl 0) as [Hneg | Hpos].
  - apply Z.ltb_lt, IZR_lt in H. apply IZR_le in Hneg.
    assert (Hl' : residual a (lo P) <= 0) by (simpl lo; rewrite Hrl; unfold Rdiv; nra).
    assert (Hh' : residual a (hi P) < 0) by (simpl hi; rewrite Hrh; unfold Rdiv; nra).
    unfold residual in Hl', Hh'.
    destruct (settled_high P a Ha ltac:(lra) ltac:(lra) T' b ltac:(lia) Hb) as [_ Hlt]. exact Hlt.
  - apply andb_true_iff in H. destruct H as [Hle Hlt]. apply Z.leb_le, IZR_le in Hle.
    apply sum_positive_correct in Hlt. unfold power_sum in Hlt; simpl fold_right in Hlt.
    rewrite (opp_IZR (factorZ _ _ _ _ _)) in Hlt.
    apply IZR_lt in Hpos. rewrite opp_IZR in Hle.
    set (c := residual a (lo P)).
    assert (Hc : - c = IZR (- rl) / Q) by (unfold c; simpl lo; rewrite Hrl, opp_IZR; unfold Rdiv; ring).
    assert (Hc0 : 0 <= c) by (unfold c; simpl lo; rewrite Hrl; apply Rmult_le_pos; lra).
    assert (Hch : residual a (hi P) <= - c).
    { simpl hi. rewrite Hc, Hrh, opp_IZR. apply Rmult_le_compat_r; lra. }
    destruct (one_inequality_high P (Pos.to_nat T) a c) with T' b as [_ Hres]; trivial.
    + unfold c, residual. lra.
    + fold n. unfold P, uniformZ. unfold c in Hc0, Hch. simpl lo in Hc0, Hch. simpl hi in Hch.
      rewrite (upper_part _ _ _ a n Ha 0) by lra.
      rewrite (lower_part _ _ _ a n Ha c) by (exact odd_n || (unfold c; simpl lo; lra)).
      fold width. rewrite primitive_0, Hc, Hrl, Hrh, !primitiveQ_correct.
      apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat, width_pos' |].
      pose proof (Rinv_0_lt_compat _ powers_pos) as HS.
      unfold Rdiv. rewrite <- Rmult_minus_distr_r, <- (Rmult_0_l (/ Q ^ S (S n))), <- Rmult_minus_distr_r.
      apply Rmult_lt_compat_r; [exact HS | unfold primitiveQ in *; lra].
Qed.
End Weight.

(** * What a certificate applies *)

(** p/q < alpha_T < p'/q'. *)
Definition uniform_encloses (B : N) (p q p' q' : Z) (T : positive) : bool :=
  positive_weight p q && positive_weight p' q' && moment_positive B l h d p q T
  && moment_negative B l h d p' q' T.

Theorem uniform_alpha_between : forall B p q p' q' T, uniform_encloses B p q p' q' T = true ->
  forall a, minimiser P (Pos.to_nat T) a -> IZR p / IZR q < a < IZR p' / IZR q'.
Proof.
  intros B p q p' q' T H a Ha. unfold uniform_encloses in H. rewrite !andb_true_iff in H.
  destruct H as [[[H1 H2] H3] H4]. split; [now apply (alpha_above p q T H1 B) | now apply (alpha_below p' q' T H2 B)].
Qed.

(** |alpha_T' - p/q| < (e/f) (p/q) for every T' >= T. *)
Definition uniform_stays_near (B : N) (p q e f : Z) (T : positive) : bool :=
  positive_weight (p * (f - e)) (q * f) && positive_weight (p * (f + e)) (q * f) && positive_weight q f
  && settles_aboveZ B l h d (p * (f - e)) (q * f) T && settles_belowZ B l h d (p * (f + e)) (q * f) T.

Theorem uniform_alpha_stays_near : forall B p q e f T, uniform_stays_near B p q e f T = true ->
  forall T' a, (Pos.to_nat T <= T')%nat -> minimiser P T' a ->
  Rabs (a - IZR p / IZR q) < IZR e / IZR f * (IZR p / IZR q).
Proof.
  intros B p q e f T H T' a HT Ha. unfold uniform_stays_near in H. rewrite !andb_true_iff in H.
  destruct H as [[[[H1 H2] H3] H4] H5]. apply andb_true_iff in H3. destruct H3 as [Hq Hf].
  apply Z.ltb_lt, IZR_lt in Hq, Hf.
  pose proof (alpha_settles_above _ _ _ H1 B H4 T' a HT Ha) as Hlow.
  pose proof (alpha_settles_below _ _ _ H2 B H5 T' a HT Ha) as Hhigh.
  rewrite mult_IZR, minus_IZR, mult_IZR in Hlow. rewrite mult_IZR, plus_IZR, mult_IZR in Hhigh.
  replace (IZR p * (IZR f - IZR e) / (IZR q * IZR f)) with (IZR p / IZR q - IZR e / IZR f * (IZR p / IZR q))
    in Hlow by (field; lra).
  replace (IZR p * (IZR f + IZR e) / (IZR q * IZR f)) with (IZR p / IZR q + IZR e / IZR f * (IZR p / IZR q))
    in Hhigh by (field; lra).
  apply Rabs_def1; lra.
Qed.

(** alpha* = p/q. *)
Theorem uniform_alpha_star : forall p q, (0 <? q)%Z && (p * (2 * d + l + h) =? 2 * d * q)%Z = true ->
  alpha_star P = IZR p / IZR q.
Proof.
  intros p q H. apply andb_true_iff in H. destruct H as [Hq H]. apply Z.ltb_lt, IZR_lt in Hq.
  apply Z.eqb_eq, (f_equal IZR) in H. rewrite !mult_IZR, !plus_IZR, mult_IZR in H. pose proof d_pos as Hd.
  pose proof (uniform_ends_order l h d ok) as [Hl Hh]. unfold alpha_star; simpl lo; simpl hi.
  assert (Hs : 0 < 2 * IZR d + IZR l + IZR h).
  { replace (2 * IZR d + IZR l + IZR h) with (IZR d * (2 + IZR l / IZR d + IZR h / IZR d)) by (field; lra).
    apply Rmult_lt_0_compat; lra. }
  replace (2 + IZR l / IZR d + IZR h / IZR d) with ((2 * IZR d + IZR l + IZR h) / IZR d) by (field; lra).
  apply (Rmult_eq_reg_r ((2 * IZR d + IZR l + IZR h) * IZR q)); [| apply Rmult_integral_contrapositive; split; lra].
  field_simplify; lra.
Qed.

End Certificates.
