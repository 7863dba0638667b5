(** Mixtures of atoms and polynomial densities: the partial expectations E[s r^n; r > r1 or r < r2] of an integer
    residual r at odd n, as sums of rational weights times even powers, and the sign of such a sum. *)
From Coq Require Import Reals ZArith QArith Qreals Bool List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Formal Require Import Law Mixture LayerwiseCertificates Primitives Components Computed.
Import ListNotations.
Open Scope R_scope.

(** * The sign of a sum of w x^k at even k, weights and powers rounded to B binary places: down where they help, up
    where they hurt *)

Definition fixed (B : N) (w : Q) : Z := (Z.shiftl (Qnum w) (Z.of_N B) / QDen w)%Z.

Definition term (B : N) (k : positive) (M w x : Z) : Z :=
  if (0 <=? w)%Z then (w * power (multiply_down B) (ratio_down B x M) k)%Z
  else (w * power (multiply_up B) (ratio_up B x M) k)%Z.

Definition largest (terms : list (Q * Z)) : Z := fold_right (fun t m => Z.max (Z.abs (snd t)) m) 0%Z terms.

(** A lower bound on the sum of w (x/M)^k, M the largest |x|, times 2^(2B). *)
Definition sum_below (B : N) (k : positive) (terms : list (Q * Z)) : Z :=
  fold_right (fun t z => term B k (largest terms) (fixed B (fst t)) (Z.abs (snd t)) + z)%Z 0%Z terms.

Definition sum_positive (B : N) (k : positive) (terms : list (Q * Z)) : bool :=
  ((0 <? largest terms) && (0 <? sum_below B k terms))%Z.

Definition power_sum (k : positive) (terms : list (Q * Z)) : R :=
  fold_right (fun t y => Q2R (fst t) * IZR (snd t) ^ Pos.to_nat k + y) 0 terms.

Lemma fixed_below : forall B w, IZR (fixed B w) <= unit B * Q2R w.
Proof.
  intros B w. unfold fixed. rewrite Z.shiftl_mul_pow2 by lia. assert (HD : (0 < QDen w)%Z) by reflexivity.
  pose proof (div_le (Qnum w * 2 ^ Z.of_N B) _ HD) as H. rewrite mult_IZR in H. fold (unit B) in H.
  apply IZR_lt in HD. apply (Rmult_le_reg_r (IZR (QDen w))); [exact HD |]. unfold Q2R.
  replace (unit B * (IZR (Qnum w) * / IZR (QDen w)) * IZR (QDen w)) with (IZR (Qnum w) * unit B) by (field; lra).
  exact H.
Qed.

Lemma term_below : forall B k M w x, (0 < M)%Z -> (0 <= x)%Z ->
  IZR (term B k M (fixed B w) x) <= unit B * (unit B * (Q2R w * (IZR x / IZR M) ^ Pos.to_nat k)).
Proof.
  intros B k M w x HM Hx. pose proof (unit_pos B) as HB. pose proof (fixed_below B w) as Hw.
  assert (Hy : 0 <= (IZR x / IZR M) ^ Pos.to_nat k).
  { apply pow_le, Rmult_le_pos; [now apply IZR_le | apply Rlt_le, Rinv_0_lt_compat, (IZR_lt 0), HM]. }
  apply Rle_trans with (unit B * (IZR (fixed B w) * (IZR x / IZR M) ^ Pos.to_nat k)).
  - unfold term. destruct (Z.leb_spec 0 (fixed B w)) as [H | H]; rewrite mult_IZR.
    + apply IZR_le in H. destruct (power_lower B k _ _ (ratio_lower B x M Hx HM)) as [_ Hp].
      apply (Rmult_le_compat_l (IZR (fixed B w))) in Hp; lra.
    + apply IZR_lt in H. destruct (power_upper B k _ _ (ratio_upper B x M Hx HM)) as [_ Hp].
      apply (Rmult_le_compat_neg_l (IZR (fixed B w))) in Hp; lra.
  - apply Rmult_le_compat_l; [lra |]. rewrite <- Rmult_assoc. now apply Rmult_le_compat_r.
Qed.

Lemma sum_positive_correct : forall B k terms, sum_positive B k~0 terms = true -> 0 < power_sum k~0 terms.
Proof.
  intros B k terms H. unfold sum_positive, sum_below in H. apply andb_true_iff in H. destruct H as [HM H].
  set (M := largest terms) in *. apply Z.ltb_lt in HM, H. apply IZR_lt in H. clearbody M.
  assert (HM' : 0 < IZR M ^ Pos.to_nat k~0) by now apply pow_lt, IZR_lt.
  pose proof (unit_pos B) as HB.
  assert (Hsum : IZR (fold_right (fun t z => term B k~0 M (fixed B (fst t)) (Z.abs (snd t)) + z)%Z 0%Z terms)
    <= unit B * (unit B * (power_sum k~0 terms / IZR M ^ Pos.to_nat k~0))).
  { clear H. induction terms as [| [w x] terms IH]; simpl fold_right.
    - unfold power_sum; simpl. unfold Rdiv. rewrite Rmult_0_l, !Rmult_0_r. lra.
    - rewrite plus_IZR. change (power_sum k~0 ((w, x) :: terms)) with
        (Q2R w * IZR x ^ Pos.to_nat k~0 + power_sum k~0 terms).
      pose proof (term_below B k~0 M w (Z.abs x) HM (Z.abs_nonneg x)) as Ht. simpl fst. simpl snd.
      replace ((IZR (Z.abs x) / IZR M) ^ Pos.to_nat k~0) with (IZR x ^ Pos.to_nat k~0 / IZR M ^ Pos.to_nat k~0) in Ht.
      + unfold Rdiv in *. lra.
      + unfold Rdiv. rewrite Rpow_mult_distr, pow_inv. f_equal. rewrite abs_IZR, Pos2Nat.inj_xO, !pow_mult.
        now rewrite pow2_abs. }
  apply (Rmult_lt_reg_l (unit B * (unit B * / IZR M ^ Pos.to_nat k~0))).
  - repeat apply Rmult_lt_0_compat; trivial. now apply Rinv_0_lt_compat.
  - unfold Rdiv in Hsum. lra.
Qed.

Lemma power_sum_app : forall k l l', power_sum k (l ++ l') = power_sum k l + power_sum k l'.
Proof. intros k l l'. induction l as [|t l IH]; simpl; [ring |]. unfold power_sum in *. simpl. rewrite IH. ring. Qed.

Definition scaled (w : Q) (terms : list (Q * Z)) : list (Q * Z) := map (fun t => (w * fst t, snd t)%Q) terms.

Lemma power_sum_scaled : forall k w l, power_sum k (scaled w l) = Q2R w * power_sum k l.
Proof.
  intros k w l. unfold power_sum, scaled. induction l as [|t l IH]; simpl; [ring |]. rewrite IH, Q2R_mult. ring.
Qed.

(** * E[s r^(2T-1); r > r1 or r < r2] as such a sum, r the integer residual q d - p X *)

Section Residuals.
Variables (d : positive) (p q : Z) (T : positive).

Definition residualZ (x : Z) : Z := (q * Zpos d - p * x)%Z.

(** s times the density, in X. *)
Definition moment_density (l : N) (width : positive) (i j : nat) : list Z :=
  times_linear (- Zpos d) 1 0 (coefficients d l width i j).
Definition massQ (l : N) (width : positive) (i j : nat) : Q :=
  let c := Piece l width i j in
  Qred (integralQ (coefficients d l width i j) (inject_Z (high_end d c))
        - integralQ (coefficients d l width i j) (inject_Z (low_end d c))).

Definition at_residual (l : N) (width : positive) (i j : nat) (r : Z) : Q :=
  let f := moment_density l width i j in let P := Z.to_pos p in
  if (r =? 0)%Z then 0%Q else by_partsQ (length f) f T~0 (Qred (Qmake r P)) (Qred (Qmake (q * Zpos d - r) P)).

Definition tail_terms (r1 r2 : Z) (c : component) : list (Q * Z) :=
  match c with
  | Atom v =>
      let r := residualZ (low_end d c) in
      if (r1 <? r)%Z || (r <? r2)%Z then [(inject_Z (p * Zpos v) / inject_Z r, r)%Q] else []
  | Piece l width i j =>
      let ra := residualZ (low_end d c) in let rb := residualZ (high_end d c) in
      let r1 := Z.max rb (Z.min ra r1) in let r2 := Z.max rb (Z.min ra r2) in
      let at_ := at_residual l width i j in
      scaled (/ massQ l width i j) [(at_ ra, ra); (- at_ r1, r1); (at_ r2, r2); (- at_ rb, rb)]%Q
  end.

Hypothesis Hp : (0 < p)%Z.
Hypothesis Hq : (0 < q)%Z.

Let a : R := IZR p / IZR q.
Let D : R := IZR (Zpos d).
Let K : R := IZR q * D.
Let t0 : R := K / IZR p.
Let n : nat := (2 * Pos.to_nat T - 1)%nat.

Lemma residual_signs : 0 < IZR p /\ 0 < IZR q /\ 0 < D /\ 0 < K /\ 0 < a.
Proof.
  assert (0 < IZR p) by now apply (IZR_lt 0). assert (0 < IZR q) by now apply (IZR_lt 0).
  pose proof (IZR_pos d) as HD. fold D in HD. assert (0 < K) by now apply Rmult_lt_0_compat.
  repeat split; trivial. now apply Rdiv_lt_0_compat.
Qed.

Lemma exponent : Pos.to_nat T~0 = S n.
Proof. unfold n. pose proof (Pos2Nat.is_pos T). rewrite Pos2Nat.inj_xO. lia. Qed.

Lemma residual_in_X : forall s, residual a s = IZR p / K * (t0 - D * (1 + s)).
Proof.
  intros s. destruct residual_signs as [H1 [H2 [H3 [H4 _]]]]. unfold residual, a, t0. unfold K. field. lra.
Qed.

Lemma residualZ_R : forall x, IZR (residualZ x) = K - IZR p * IZR x.
Proof. intros x. unfold residualZ, K, D. now rewrite minus_IZR, !mult_IZR. Qed.

(** What is summed, and its events. *)
Definition tailed (r1 r2 : Z) (s : R) : R :=
  s * residual a s ^ n * above (IZR r1 / K) (residual a s) + s * residual a s ^ n * above (- (IZR r2 / K)) (- residual a s).

Lemma tailed_dom : forall P r1 r2, dom P (tailed r1 r2).
Proof. intros P r1 r2. destruct residual_signs as [_ [_ [_ [_ Ha]]]]. unfold tailed. in_dom; auto with dom. Qed.

(** Where the residual is r/K. *)
Let crossing (r : Z) : R := (K - IZR r) / IZR p.

Lemma crossing_order : forall r r', (r < r')%Z -> crossing r' < crossing r.
Proof.
  intros r r' H. destruct residual_signs as [H1 _]. apply IZR_lt in H. unfold crossing, Rdiv.
  apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat | lra].
Qed.

Lemma crossing_at : forall x, crossing (residualZ x) = IZR x.
Proof. intros x. destruct residual_signs as [H1 _]. unfold crossing. rewrite residualZ_R. field. lra. Qed.

Lemma residual_crossing : forall r s, residual a s - IZR r / K = IZR p / K * (crossing r - D * (1 + s)).
Proof.
  intros r s. destruct residual_signs as [H1 [_ [_ [HK _]]]]. rewrite residual_in_X. unfold crossing, t0. field. lra.
Qed.

Lemma before_crossing : forall r s, D * (1 + s) < crossing r <-> IZR r / K < residual a s.
Proof.
  intros r s. destruct residual_signs as [H1 [_ [_ [HK _]]]]. pose proof (residual_crossing r s) as E.
  assert (Hpk : 0 < IZR p / K) by now apply Rdiv_lt_0_compat. split; intros H.
  - assert (0 < IZR p / K * (crossing r - D * (1 + s))) by (apply Rmult_lt_0_compat; lra). lra.
  - apply Rnot_le_lt. intros Hn.
    assert (0 <= IZR p / K * (D * (1 + s) - crossing r)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma after_crossing : forall r s, crossing r < D * (1 + s) <-> residual a s < IZR r / K.
Proof.
  intros r s. destruct residual_signs as [H1 [_ [_ [HK _]]]]. pose proof (residual_crossing r s) as E.
  assert (Hpk : 0 < IZR p / K) by now apply Rdiv_lt_0_compat. split; intros H.
  - assert (0 < IZR p / K * (D * (1 + s) - crossing r)) by (apply Rmult_lt_0_compat; lra). lra.
  - apply Rnot_le_lt. intros Hn.
    assert (0 <= IZR p / K * (crossing r - D * (1 + s))) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma fraction_of : forall r, Q2R (Qred (r # Z.to_pos p)) = IZR r / IZR p.
Proof.
  intros r. rewrite (Qeq_eqR _ _ (Qred_correct _)). unfold Q2R; simpl. now rewrite Z2Pos.id.
Qed.

(** * One piece *)

Section Piece.
Variables (l : N) (width : positive) (i j : nat).
Let c := Piece l width i j.
Let f := moment_density l width i j.

Lemma moment_density_R : forall x, evaluateR f x = (x - D) * evaluateR (coefficients d l width i j) x.
Proof. intros x. unfold f, moment_density. rewrite times_linear_R, opp_IZR. fold D. ring. Qed.

Lemma massQ_R : Q2R (massQ l width i j) = piece_mass d l width i j.
Proof.
  unfold massQ. rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_minus, !integralQ_R, !inject_R. reflexivity.
Qed.

Lemma mass_nonzero : ~ (massQ l width i j == 0)%Q.
Proof. intros H. apply Qeq_eqR in H. rewrite massQ_R, Q2R_0 in H. pose proof (piece_mass_pos d l width i j). lra. Qed.

Let scalar : R := / D * (IZR p / K) ^ n.
Let F (x : R) : R := scalar * - ((t0 - x) ^ S n * by_partsR (length f) f T~0 (t0 - x) x).
Let G (x : R) : R := scalar * (evaluateR f x * (t0 - x) ^ n).

Lemma F_derive : forall x, is_derive F x (G x).
Proof.
  intros x. apply derive_times. pose proof (by_parts_correct t0 (length f) f T~0 x (le_n _)) as H.
  rewrite exponent in H. exact H.
Qed.

Lemma F_at : forall r, IZR p * D * K ^ n * F (crossing r) = - (Q2R (at_residual l width i j r) * IZR r ^ S n).
Proof.
  intros r. destruct residual_signs as [H1 [_ [H3 [HK _]]]]. unfold F, at_residual.
  destruct (Z.eqb_spec r 0) as [-> | _].
  { replace (t0 - crossing 0) with 0 by (unfold t0, crossing; field; lra). rewrite !pow_i by lia. ring. }
  rewrite by_partsQ_R, !fraction_of. fold f.
  replace (t0 - crossing r) with (IZR r / IZR p) by (unfold t0, crossing; field; lra).
  replace (IZR (q * Zpos d - r) / IZR p) with (crossing r) by (unfold crossing, K, D; rewrite minus_IZR, mult_IZR; reflexivity).
  set (B := by_partsR _ _ _ _ _). unfold scalar, Rdiv. rewrite !Rpow_mult_distr, !pow_inv. simpl pow. field.
  repeat split; try lra; apply pow_nonzero; lra.
Qed.

Lemma clip_crossing : forall r,
  clip d l width i j (crossing r) = crossing (Z.max (residualZ (high_end d c)) (Z.min (residualZ (low_end d c)) r)).
Proof.
  intros r. pose proof (X_ends d l width i j) as [_ [_ [_ Hab]]].
  pose proof (crossing_at (low_end d c)) as Ea. pose proof (crossing_at (high_end d c)) as Eb. fold c in Hab.
  unfold clip. fold c. rewrite <- Ea, <- Eb in *. set (ra := residualZ (low_end d c)) in *.
  set (rb := residualZ (high_end d c)) in *. clearbody ra rb.
  assert (Hord : forall r r', (r <= r')%Z -> crossing r' <= crossing r).
  { intros y y' H. apply Zle_lt_or_eq in H. destruct H as [H | ->]; [apply Rlt_le, crossing_order, H | lra]. }
  assert (Hr : (rb < ra)%Z). { apply Znot_ge_lt. intros H. apply Z.ge_le, Hord in H. lra. }
  destruct (Z.min_spec ra r) as [[H ->] | [H ->]]; [rewrite Z.max_r by lia | destruct (Z.max_spec rb r) as [[H' ->] | [H' ->]]].
  - apply crossing_order in H. unfold Rmin, Rmax. destruct (Rle_dec (crossing rb) (crossing r)); destruct (Rle_dec _ _); lra.
  - apply Hord in H. apply crossing_order in H'. unfold Rmin, Rmax. destruct (Rle_dec (crossing rb) (crossing r)); destruct (Rle_dec _ _); lra.
  - apply Hord in H. apply Hord in H'. unfold Rmin, Rmax. destruct (Rle_dec (crossing rb) (crossing r)); destruct (Rle_dec _ _); lra.
Qed.

Lemma piece_tails : forall r1 r2,
  power_sum T~0 (tail_terms r1 r2 c) = IZR p * D * K ^ n * E (component_law d c) (tailed r1 r2).
Proof.
  intros r1 r2. destruct residual_signs as [H1 [_ [H3 [HK Ha]]]]. unfold tailed.
  set (P := component_law d c). set (g := fun s => s * residual a s ^ n).
  assert (Hc : forall s, lo P <= s <= hi P -> continuous g s).
  { intros s _. apply (@ex_derive_continuous R_AbsRing R_NormedModule). unfold g, residual. auto_derive. trivial. }
  assert (Hx : forall s, lo P <= s <= hi P -> g s * evaluateR (coefficients d l width i j) (D * (1 + s)) = G (D * (1 + s))).
  { intros s _. unfold g, G, scalar. rewrite moment_density_R, residual_in_X, Rpow_mult_distr. field. lra. }
  rewrite (E_plus P (fun s => s * residual a s ^ n * above (IZR r1 / K) (residual a s))
    (fun s => s * residual a s ^ n * above (- (IZR r2 / K)) (- residual a s))) by (in_dom; auto with dom).
  assert (E1 : E P (fun s => g s * above (IZR r1 / K) (residual a s))
    = (F (crossing (Z.max (residualZ (high_end d c)) (Z.min (residualZ (low_end d c)) r1))) - F (crossing (residualZ (low_end d c))))
      / piece_mass d l width i j).
  { rewrite <- clip_crossing, crossing_at. apply (piece_below d l width i j g F G Hc (fun x _ => F_derive x) Hx).
    - intros s Hs. apply before_crossing in Hs. unfold above. destruct (Rlt_dec _ _); lra.
    - intros s Hs. apply after_crossing in Hs. unfold above. destruct (Rlt_dec _ _); lra. }
  assert (E2 : E P (fun s => g s * above (- (IZR r2 / K)) (- residual a s))
    = (F (crossing (residualZ (high_end d c))) - F (crossing (Z.max (residualZ (high_end d c)) (Z.min (residualZ (low_end d c)) r2))))
      / piece_mass d l width i j).
  { rewrite <- clip_crossing, crossing_at. apply (piece_above d l width i j g F G Hc (fun x _ => F_derive x) Hx).
    - intros s Hs. apply after_crossing in Hs. unfold above. destruct (Rlt_dec _ _); lra.
    - intros s Hs. apply before_crossing in Hs. unfold above. destruct (Rlt_dec _ _); lra. }
  unfold g in E1, E2. rewrite E1, E2. pose proof (piece_mass_pos d l width i j) as Hm.
  unfold tail_terms, c. rewrite power_sum_scaled. unfold power_sum; cbn [fold_right fst snd].
  rewrite exponent, !Q2R_opp, Q2R_inv, massQ_R by exact mass_nonzero. fold c.
  set (ra := residualZ (low_end d c)). set (rb := residualZ (high_end d c)).
  pose proof (F_at ra) as Fa. pose proof (F_at rb) as Fb.
  pose proof (F_at (Z.max rb (Z.min ra r1))) as F1. pose proof (F_at (Z.max rb (Z.min ra r2))) as F2.
  set (C := IZR p * D * K ^ n) in *. unfold Rdiv.
  transitivity (/ piece_mass d l width i j * (C * F (crossing (Z.max rb (Z.min ra r1))) - C * F (crossing ra)
    + (C * F (crossing rb) - C * F (crossing (Z.max rb (Z.min ra r2)))))).
  - rewrite Fa, Fb, F1, F2. ring.
  - ring.
Qed.
End Piece.

Lemma component_tails : forall r1 r2 c, (r2 <= 0 <= r1)%Z ->
  power_sum T~0 (tail_terms r1 r2 c) = IZR p * D * K ^ n * E (component_law d c) (tailed r1 r2).
Proof.
  intros r1 r2 [v | l width i j] Hr; [| apply piece_tails].
  destruct residual_signs as [H1 [H2 [H3 [HK Ha]]]]. rewrite atom_E. cbn [tail_terms].
  set (r := residualZ (low_end d (Atom v))). set (s := IZR (Zpos v) / IZR (Zpos d)).
  assert (Es : D * s = IZR (Zpos v)) by (unfold s, D; field; apply Rgt_not_eq, IZR_pos).
  assert (EX : D * (1 + s) = IZR (low_end d (Atom v))) by (unfold low_end; rewrite plus_IZR, <- Es; fold D; ring).
  assert (Er : residual a s = IZR r / K).
  { apply Rminus_diag_uniq. rewrite residual_crossing. unfold r. rewrite crossing_at, EX. ring. }
  unfold tailed. rewrite Er.
  assert (Hlt : forall x y, (x < y)%Z -> IZR x / K < IZR y / K).
  { intros x y H. apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat | now apply IZR_lt]. }
  assert (Hle : forall x y, (x <= y)%Z -> IZR x / K <= IZR y / K).
  { intros x y H. apply Rmult_le_compat_r; [now apply Rlt_le, Rinv_0_lt_compat | now apply IZR_le]. }
  assert (Hone : (r < r2 \/ r1 < r)%Z -> Q2R (inject_Z (p * Zpos v) / inject_Z r) * IZR r ^ Pos.to_nat T~0
    = IZR p * D * K ^ n * (s * (IZR r / K) ^ n)).
  { intros H. assert (Hrz : r <> 0%Z) by lia. assert (Hr0 := not_0_IZR _ Hrz).
    rewrite Q2R_div, !inject_R, mult_IZR, <- Es, exponent.
    - simpl pow. unfold Rdiv. rewrite Rpow_mult_distr, pow_inv. field. repeat split; try lra; [now apply pow_nonzero, Rgt_not_eq].
    - intros E. apply Hrz. now apply (inject_Z_injective r 0). }
  unfold above. destruct (Z.ltb_spec r1 r) as [Hr1 | Hr1]; [| destruct (Z.ltb_spec r r2) as [Hr2 | Hr2]]; simpl orb; cbv iota.
  - specialize (Hone (or_intror Hr1)). unfold power_sum; cbn [fold_right fst snd]. rewrite Hone.
    set (y := (IZR r / K) ^ n).
    pose proof (Hlt _ _ Hr1). pose proof (Hle r2 r ltac:(lia)). destruct (Rlt_dec _ _); destruct (Rlt_dec _ _); try lra; ring.
  - specialize (Hone (or_introl Hr2)). unfold power_sum; cbn [fold_right fst snd]. rewrite Hone.
    set (y := (IZR r / K) ^ n).
    pose proof (Hle _ _ Hr1). pose proof (Hlt _ _ Hr2). destruct (Rlt_dec _ _); destruct (Rlt_dec _ _); try lra; ring.
  - pose proof (Hle _ _ Hr1). pose proof (Hle _ _ Hr2). unfold power_sum; simpl fold_right.
    destruct (Rlt_dec _ _); destruct (Rlt_dec _ _); try lra; ring.
Qed.

End Residuals.
