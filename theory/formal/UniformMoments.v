(** Uniform laws with rational ends: their moments on integers, C = E[s/lam] and the masses near the ends by
    logarithms, and the certificates that these give: the gap, the least excess, the minimax weight, two parameters. *)
From Coq Require Import Reals ZArith QArith Qreals Bool List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Formal Require Import Law OneParameter OneParameterLimit SelfAttention Minimax Density UniformLaw Computed
  UniformCertificates Polynomial Layerwise TwoParameter TwoParameterExclusions Certificates BandCertificates
  LayerwiseCertificates MomentCertificates Logarithm.
Import ListNotations.
Open Scope R_scope.

(** * Expectations by antiderivatives *)

Section Uniform.
Variables low high : R.
Hypothesis H : 0 <= low < high.
Let P := uniform low high H.

Lemma uniform_between : forall (f I F : R -> R) u v, low <= u <= v -> v <= high ->
  (forall s, low < s < u -> I s = 0) -> (forall s, u < s < v -> I s = 1) -> (forall s, v < s < high -> I s = 0) ->
  (forall s, u <= s <= v -> is_derive F s (f s)) -> (forall s, u <= s <= v -> continuous f s) ->
  E P (fun s => f s * I s) = (F v - F u) / (high - low).
Proof.
  intros f I F u v Hu Hv H0 H1 H2 HF Hc. unfold P, uniform. rewrite (density_part low high _ _ f I F u v); trivial.
  - f_equal. rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. ring.
  - intros s Hs. rewrite Rmult_1_r. now apply HF.
  - intros s Hs. apply (continuous_ext f); [intros; now rewrite Rmult_1_r | now apply Hc].
Qed.

Lemma uniform_mean : forall (f F : R -> R), dom P f ->
  (forall s, low <= s <= high -> is_derive F s (f s)) -> (forall s, low <= s <= high -> continuous f s) ->
  E P f = (F high - F low) / (high - low).
Proof.
  intros f F Df HF Hc. rewrite (E_ext P f (fun s => f s * 1)) by (assumption || (intros; ring)).
  apply uniform_between; trivial; intros; lra.
Qed.

(** E[s X^k], X = d lam. *)
Definition moment_primitive (d : R) (k : nat) (s : R) : R :=
  ((d * (1 + s)) ^ S (S k) / INR (S (S k)) - d * (d * (1 + s)) ^ S k / INR (S k)) / d ^ 2.

Lemma uniform_moment : forall d k, 0 < d ->
  E P (fun s => s * (d * (1 + s)) ^ k) = (moment_primitive d k high - moment_primitive d k low) / (high - low).
Proof.
  intros d k Hd. apply uniform_mean; [in_dom | |].
  - intros s _. pose proof (not_0_INR (S k) ltac:(lia)) as H1. pose proof (not_0_INR (S (S k)) ltac:(lia)) as H2.
    unfold moment_primitive. rewrite (S_INR (S k)) in *. auto_derive; [trivial |].
    change (match k with O => 1 | S _ => INR k + 1 end) with (INR (S k)) in *. simpl pred.
    set (n := INR (S k)) in *. clearbody n. simpl pow. field. repeat split; lra.
  - intros s _. apply (@ex_derive_continuous R_AbsRing R_NormedModule). auto_derive. trivial.
Qed.

(** An antiderivative of s/lam. *)
Definition ratio_primitive (s : R) : R := s - ln (1 + s).

Lemma ratio_derive : forall s, 0 <= s -> is_derive ratio_primitive s (s * / (1 + s)).
Proof. intros s Hs. unfold ratio_primitive. auto_derive; [lra |]. field. lra. Qed.

Lemma ratio_continuous : forall s, 0 <= s -> continuous (fun x => x * / (1 + x)) s.
Proof.
  intros s Hs. apply (@ex_derive_continuous R_AbsRing R_NormedModule). auto_derive. lra.
Qed.

Lemma uniform_scale : scale P = (ratio_primitive high - ratio_primitive low) / (high - low).
Proof.
  apply uniform_mean; [in_dom | intros; apply ratio_derive; lra | intros; apply ratio_continuous; lra].
Qed.

Lemma uniform_low_share : forall l, 1 + low <= l <= 1 + high ->
  nu P (at_most l) = (ratio_primitive (l - 1) - ratio_primitive low) / (high - low).
Proof.
  intros l Hl. unfold nu, at_most. apply uniform_between; try lra.
  - intros; lra.
  - intros s Hs. unfold below. destruct (Rle_dec s (l - 1)); lra.
  - intros s Hs. unfold below. destruct (Rle_dec s (l - 1)); lra.
  - intros; apply ratio_derive; lra.
  - intros; apply ratio_continuous; lra.
Qed.

Lemma uniform_high_share : forall l, 1 + low <= l <= 1 + high ->
  nu P (at_least l) = (ratio_primitive high - ratio_primitive (l - 1)) / (high - low).
Proof.
  intros l Hl. unfold nu, at_least. apply uniform_between; try lra.
  - intros s Hs. unfold strictly_below. destruct (Rlt_dec s (l - 1)); lra.
  - intros s Hs. unfold strictly_below. destruct (Rlt_dec s (l - 1)); lra.
  - intros; lra.
  - intros; apply ratio_derive; lra.
  - intros; apply ratio_continuous; lra.
Qed.

End Uniform.

(** * The law on [l/d, h/d], on integers: X = d lam is uniform on [a, b] *)

Section Certificates.
Variables l h d : Z.
Hypothesis ok : uniform_ends l h d = true.
Let P := uniformZ l h d ok.
Let a : Z := (d + l)%Z.
Let b : Z := (d + h)%Z.

Lemma ends : (0 < d)%Z /\ (0 < a < b)%Z.
Proof.
  pose proof ok as Hok. unfold uniform_ends in Hok. rewrite !andb_true_iff in Hok. destruct Hok as [[Hd Hl] Hh].
  apply Z.ltb_lt in Hd, Hh. apply Z.leb_le in Hl. unfold a, b. lia.
Qed.

Lemma eigenvalues : 1 + lo P = IZR a / IZR d /\ 1 + hi P = IZR b / IZR d /\ hi P - lo P = IZR (b - a) / IZR d.
Proof.
  destruct ends as [Hd _]. assert (Hd' := IZR_lt _ _ Hd). simpl lo. simpl hi. unfold a, b.
  rewrite minus_IZR, !plus_IZR. repeat split; field; lra.
Qed.

(** L is divisible by 1, ..., n + 1. *)
Definition divisible (L : Z) (n : nat) : bool := forallb (fun k => (L mod Z.of_nat (S k) =? 0)%Z) (seq 0 (S n)).
Definition momentZ (L : Z) (k : nat) : Z :=
  (L / Z.of_nat (S (S k)) * (b ^ Z.of_nat (S (S k)) - a ^ Z.of_nat (S (S k)))
   - d * (L / Z.of_nat (S k)) * (b ^ Z.of_nat (S k) - a ^ Z.of_nat (S k)))%Z.

(** C = 1 - d ln(b/a)/(b - a) *)
Definition scale_bound (B : N) (logarithm : Z) : Q :=
  fraction ((b - a) * 2 ^ Z.of_N B - d * logarithm) ((b - a) * 2 ^ Z.of_N B).
Definition uniform_moments (B : N) (terms : nat) (L : Z) (n : nat) : moments :=
  mk_moments d (d * L * (b - a)) (map (momentZ L) (seq 0 n))
    (scale_bound B (ln_up B terms a b)) (scale_bound B (ln_down B terms a b)).

Lemma exact_quotient : forall L k, (L mod Z.of_nat (S k) = 0)%Z -> IZR (L / Z.of_nat (S k)) = IZR L / INR (S k).
Proof.
  intros L k Hdiv. pose proof (not_0_INR (S k) ltac:(lia)) as Hk.
  rewrite (Z.div_mod L (Z.of_nat (S k))) at 2 by lia. rewrite Hdiv, Z.add_0_r, mult_IZR, <- INR_IZR_INZ.
  field. exact Hk.
Qed.

Lemma scale_bounds : forall B terms,
  Q2R (scale_bound B (ln_up B terms a b)) <= scale P <= Q2R (scale_bound B (ln_down B terms a b)).
Proof.
  intros B terms. destruct ends as [Hd [Ha Hab]]. destruct eigenvalues as [El [Eh Ew]].
  assert (Hd' := IZR_lt _ _ Hd). assert (Ha' := IZR_lt _ _ Ha). assert (Hb' := IZR_lt _ _ (Z.lt_trans _ _ _ Ha Hab)).
  assert (Hw : 0 < IZR b - IZR a) by (apply IZR_lt in Hab; lra).
  pose proof (unit_pos B) as HU. assert (HUz : (0 < 2 ^ Z.of_N B)%Z) by (apply lt_IZR; exact HU).
  assert (Hscale : scale P = 1 - IZR d * ln (IZR b / IZR a) / (IZR b - IZR a)).
  { unfold P, uniformZ. rewrite uniform_scale. unfold ratio_primitive.
    change (IZR h / IZR d) with (hi P). change (IZR l / IZR d) with (lo P). rewrite Ew, El, Eh.
    unfold Rdiv. rewrite !ln_mult, minus_IZR, !ln_Rinv by (try apply Rinv_0_lt_compat; lra).
    replace (hi P) with (IZR b / IZR d - 1) by lra. replace (lo P) with (IZR a / IZR d - 1) by lra.
    field. split; lra. }
  assert (Hbound : forall z, Q2R (scale_bound B z) = 1 - IZR d * (IZR z / unit B) / (IZR b - IZR a)).
  { intros z. unfold scale_bound. rewrite fraction_R by nia.
    rewrite minus_IZR, !mult_IZR, minus_IZR. change (IZR (2 ^ Z.of_N B)) with (unit B). field. split; lra. }
  destruct (ln_between B terms a b ltac:(lia)) as [H1 H2]. rewrite Hscale, !Hbound.
  assert (Hmono : forall x y, x <= y -> IZR d * x / (IZR b - IZR a) <= IZR d * y / (IZR b - IZR a)).
  { intros x y Hxy. unfold Rdiv. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, Hw |].
    apply Rmult_le_compat_l; lra. }
  assert (Hdown : IZR (ln_down B terms a b) / unit B <= ln (IZR b / IZR a)).
  { apply (Rmult_le_reg_l (unit B)); [exact HU |]. replace (unit B * (_ / unit B)) with (IZR (ln_down B terms a b))
      by (field; lra). exact H1. }
  assert (Hup : ln (IZR b / IZR a) <= IZR (ln_up B terms a b) / unit B).
  { apply (Rmult_le_reg_l (unit B)); [exact HU |]. replace (unit B * (_ / unit B)) with (IZR (ln_up B terms a b))
      by (field; lra). exact H2. }
  apply Hmono in Hdown, Hup. lra.
Qed.

Lemma uniform_moments_of_law : forall B terms L n, ((0 <? L)%Z && divisible L n)%bool = true ->
  of_law P (uniform_moments B terms L n).
Proof.
  intros B terms L n HL. apply andb_true_iff in HL. destruct HL as [HL Hdiv]. apply Z.ltb_lt in HL.
  unfold divisible in Hdiv. rewrite forallb_forall in Hdiv.
  destruct ends as [Hd [Ha Hab]]. destruct eigenvalues as [El [Eh Ew]].
  assert (Hd' := IZR_lt _ _ Hd). assert (HL' := IZR_lt _ _ HL). assert (Ha' := IZR_lt _ _ Ha).
  assert (Hw : 0 < IZR (b - a)) by (apply (IZR_lt 0); lia).
  unfold of_law, uniform_moments; cbn [scaling denominator entries_of c_low c_high]. repeat split; try nia.
  - intros k Hk. rewrite map_length, seq_length in Hk.
    rewrite (nth_indep _ 0%Z (momentZ L 0)) by (rewrite map_length, seq_length; exact Hk).
    rewrite map_nth, seq_nth, Nat.add_0_l by exact Hk.
    assert (D1 : (L mod Z.of_nat (S k) = 0)%Z) by (apply Z.eqb_eq, Hdiv, in_seq; lia).
    assert (D2 : (L mod Z.of_nat (S (S k)) = 0)%Z) by (apply Z.eqb_eq, Hdiv, in_seq; lia).
    unfold P, uniformZ. rewrite uniform_moment by exact Hd'.
    change (IZR h / IZR d) with (hi P). change (IZR l / IZR d) with (lo P). rewrite Ew.
    unfold moment_primitive. rewrite El, Eh.
    replace (IZR d * (IZR a / IZR d)) with (IZR a) by (field; lra).
    replace (IZR d * (IZR b / IZR d)) with (IZR b) by (field; lra).
    unfold momentZ. rewrite !minus_IZR, !mult_IZR, !minus_IZR, <- !pow_IZR, !(exact_quotient L) by assumption.
    rewrite minus_IZR in Hw.
    pose proof (not_0_INR (S k) ltac:(lia)). pose proof (not_0_INR (S (S k)) ltac:(lia)).
    set (n1 := INR (S k)) in *. set (n2 := INR (S (S k))) in *. clearbody n1 n2.
    field. repeat split; lra.
  - apply scale_bounds.
  - apply scale_bounds.
Qed.

(** * What a certificate applies *)

(** The gap of theorem 4.1. *)
Theorem uniform_gap_between : forall B terms p q p' q',
  gap_between_moments (uniform_moments B (depth terms) 6 2) p q p' q' = true ->
  IZR p / IZR q < gap P < IZR p' / IZR q'.
Proof.
  intros B terms p q p' q' H.
  now apply (gap_is_between_moments P _ (uniform_moments_of_law B (depth terms) 6 2 eq_refl)).
Qed.

(** The least excess of depth T. *)
Definition uniform_least_between (B : N) (terms : positive) (L : Z) (T : positive) (c : list Z) (p q p' q' : Z) : bool :=
  let n := (depth T + depth T)%nat in
  ((0 <? L)%Z && divisible L n)
  && least_between_moments (uniform_moments B (depth terms) L n) (depth T) c p q p' q'.

Theorem uniform_least_excess_between : forall B terms L c p q p' q' T,
  uniform_least_between B terms L T c p q p' q' = true ->
  forall e, least_excess P (depth T) e -> IZR p / IZR q < e < IZR p' / IZR q'.
Proof.
  intros B terms L c p q p' q' T H e He. apply andb_true_iff in H. destruct H as [HL H].
  exact (least_excess_between_moments P _ (uniform_moments_of_law B (depth terms) L _ HL) _ c p q p' q' H e He).
Qed.

(** kappa, and the minimax weight. *)
Definition uniform_is_star (p q : Z) : bool := ((0 <? q) && (p * (2 * d + l + h) =? 2 * d * q))%Z.
Definition uniform_is_kappa (p q : Z) : bool := ((0 <? q) && (p * (2 * d + l + h) =? (h - l) * q))%Z.

Lemma uniform_kappa : forall p q, uniform_is_kappa p q = true -> kappa P = IZR p / IZR q.
Proof.
  intros p q H. apply andb_true_iff in H. destruct H as [Hq H]. apply Z.ltb_lt, IZR_lt in Hq.
  apply Z.eqb_eq, (f_equal IZR) in H. rewrite !mult_IZR, !plus_IZR, mult_IZR, minus_IZR in H.
  destruct ends as [Hd [Ha Hab]]. assert (Hd' := IZR_lt _ _ Hd).
  assert (Hs : 0 < 2 * IZR d + IZR l + IZR h).
  { unfold a, b in *. rewrite <- mult_IZR, <- !plus_IZR. apply (IZR_lt 0). lia. }
  assert (HsP : 2 + lo P + hi P = (2 * IZR d + IZR l + IZR h) / IZR d) by (simpl lo; simpl hi; field; lra).
  unfold kappa. rewrite HsP. simpl lo. simpl hi. apply (Rmult_eq_reg_r ((2 * IZR d + IZR l + IZR h) * IZR q)).
  - replace (IZR p / IZR q * ((2 * IZR d + IZR l + IZR h) * IZR q))
      with (IZR p * (2 * IZR d + IZR l + IZR h)) by (field; lra). rewrite H. field. repeat split; lra.
  - apply Rmult_integral_contrapositive. split; lra.
Qed.

Theorem uniform_minimax_is : forall p q u v, uniform_is_star p q && uniform_is_kappa u v = true ->
  worst_residual P (IZR p / IZR q) (IZR u / IZR v)
  /\ forall x w, worst_residual P x w -> x <> IZR p / IZR q -> IZR u / IZR v < w.
Proof.
  intros p q u v H. apply andb_true_iff in H. destruct H as [Ha Hk].
  rewrite <- (uniform_alpha_star l h d ok p q Ha), <- (uniform_kappa u v Hk).
  split; [apply worst_residual_star | apply minimax].
Qed.

(** alpha_T tends to no other number than alpha*. *)
Theorem uniform_not_the_limit : forall p q, (0 <? q)%Z && negb (p * (2 * d + l + h) =? 2 * d * q)%Z = true ->
  ~ tends_to P (IZR p / IZR q).
Proof.
  intros p q H Hlim. apply andb_true_iff in H. destruct H as [Hq H]. apply Z.ltb_lt in Hq.
  apply negb_true_iff, Z.eqb_neq in H. destruct ends as [Hd [Ha Hab]]. assert (Hd' := IZR_lt _ _ Hd).
  assert (Hq' := IZR_lt _ _ Hq). apply H, eq_IZR. rewrite !mult_IZR, !plus_IZR, mult_IZR.
  assert (Hs : 0 < 2 * IZR d + IZR l + IZR h).
  { unfold a, b in *. rewrite <- mult_IZR, <- !plus_IZR. apply (IZR_lt 0). lia. }
  assert (Hstar : alpha_star P = 2 * IZR d / (2 * IZR d + IZR l + IZR h)).
  { unfold alpha_star. simpl lo. simpl hi. field. repeat split; lra. }
  destruct (Req_dec (IZR p / IZR q) (alpha_star P)) as [E | Hne].
  - rewrite Hstar in E. apply (Rmult_eq_reg_r (/ (IZR q * (2 * IZR d + IZR l + IZR h)))).
    + replace (IZR p * (2 * IZR d + IZR l + IZR h) * / (IZR q * (2 * IZR d + IZR l + IZR h)))
        with (IZR p / IZR q) by (field; lra). rewrite E. field. lra.
    + apply Rinv_neq_0_compat, Rmult_integral_contrapositive. split; lra.
  - exfalso. destruct (limit_unique P (IZR p / IZR q) Hne) as [T0 H0].
    assert (Hpos : 0 < Rabs (IZR p / IZR q - alpha_star P) / 2).
    { apply Rdiv_lt_0_compat; [apply Rabs_pos_lt, Rminus_eq_contra, Hne | lra]. }
    destruct (Hlim _ Hpos) as [T1 H1].
    set (T := max 1 (max T0 T1)). destruct (minimiser_exists P T) as [x [Hx _]]; [unfold T; lia |].
    specialize (H0 T x ltac:(unfold T; lia) Hx). specialize (H1 T x ltac:(unfold T; lia) Hx). lra.
Qed.

(** * Two parameters *)

Section TwoParameters.
Variables (B : N) (terms : positive).

Let l1 : Q := fraction a d.
Let l2 : Q := fraction b d.

(** ln(y/x), rounded up, of two fractions 0 < x <= y. *)
Definition ln_of (x y : Q) : Q := fraction (ln_up B (depth terms) (Qnum x * QDen y) (Qnum y * QDen x)) (2 ^ Z.of_N B).

(** The share of nu between two eigenvalues, rounded down. *)
Definition share (x y : Q) : Q := ((y - x - ln_of x y) * fraction d (b - a))%Q.

Definition holds_share (p x y : Q) : bool :=
  Qle_bool 0 p && Qle_bool (p * scale_bound B (ln_down B (depth terms) a b)) (share x y).

Definition uniform_thresholds (x : exclusion) : bool :=
  Qle_bool l1 (ex_lM x) && Qlt_bool (ex_lM x) (ex_lH x) && Qle_bool (ex_lH x) l2
  && holds_share (ex_pM x) l1 (ex_lM x) && holds_share (ex_pH x) (ex_lH x) l2.

Lemma l1_correct : Q2R l1 = 1 + lo P.
Proof. destruct ends as [Hd _]. destruct eigenvalues as [E _]. unfold l1. now rewrite fraction_R, E by lia. Qed.

Lemma l2_correct : Q2R l2 = 1 + hi P.
Proof. destruct ends as [Hd _]. destruct eigenvalues as [_ [E _]]. unfold l2. now rewrite fraction_R, E by lia. Qed.

Lemma share_correct : forall p x y, 0 < Q2R x -> Q2R x <= Q2R y -> holds_share p x y = true ->
  0 <= Q2R p /\
  Q2R p * scale P <= (ratio_primitive (Q2R y - 1) - ratio_primitive (Q2R x - 1)) / (hi P - lo P).
Proof.
  intros p x y Hx Hxy H. apply andb_true_iff in H. destruct H as [Hp H]. apply Qle_bool_R in Hp, H.
  destruct Q2R_small as [Q0 _]. rewrite Q0 in Hp. split; [exact Hp |]. rewrite Q2R_mult in H.
  destruct ends as [Hd [Ha Hab]]. destruct eigenvalues as [_ [_ Ew]].
  destruct (scale_bounds B (depth terms)) as [_ Hup].
  apply (Rmult_le_compat_l (Q2R p)) in Hup; [| exact Hp]. apply Rle_trans with (1 := Hup), Rle_trans with (1 := H).
  pose proof (QDen_pos x) as Dx. pose proof (QDen_pos y) as Dy. rewrite Q2R_fraction in Hx.
  assert (Nx : 0 < IZR (Qnum x)).
  { apply (Rmult_lt_reg_r (/ IZR (QDen x))); [now apply Rinv_0_lt_compat | rewrite Rmult_0_l; exact Hx]. }
  assert (Hxy' : IZR (Qnum x) * IZR (QDen y) <= IZR (Qnum y) * IZR (QDen x)).
  { rewrite !Q2R_fraction in Hxy. apply (Rmult_le_reg_r (/ (IZR (QDen x) * IZR (QDen y)))).
    - apply Rinv_0_lt_compat. now apply Rmult_lt_0_compat.
    - replace (IZR (Qnum x) * IZR (QDen y) * / (IZR (QDen x) * IZR (QDen y))) with (IZR (Qnum x) / IZR (QDen x))
        by (field; lra).
      replace (IZR (Qnum y) * IZR (QDen x) * / (IZR (QDen x) * IZR (QDen y))) with (IZR (Qnum y) / IZR (QDen y))
        by (field; lra). exact Hxy. }
  pose proof (unit_pos B) as HU.
  assert (Hln : ln (Q2R y) - ln (Q2R x) <= Q2R (ln_of x y)).
  { unfold ln_of. rewrite fraction_R by (apply Z.pow_nonzero; lia). change (IZR (2 ^ Z.of_N B)) with (unit B).
    destruct (ln_between B (depth terms) (Qnum x * QDen y) (Qnum y * QDen x)) as [_ Hl].
    - split; [apply lt_IZR | apply le_IZR]; rewrite !mult_IZR; [now apply Rmult_lt_0_compat | exact Hxy'].
    - rewrite !mult_IZR in Hl. apply (Rmult_le_reg_l (unit B)); [exact HU |].
      replace (unit B * (_ / unit B)) with (IZR (ln_up B (depth terms) (Qnum x * QDen y) (Qnum y * QDen x)))
        by (field; lra).
      eapply Rle_trans; [| exact Hl]. right. f_equal.
      assert (Ny : 0 < IZR (Qnum y)).
      { apply (Rmult_lt_reg_r (IZR (QDen x))); [exact Dx |]. rewrite Rmult_0_l.
        apply Rlt_le_trans with (2 := Hxy'). now apply Rmult_lt_0_compat. }
      rewrite !Q2R_fraction. unfold Rdiv.
      assert (Hi : forall z, 0 < z -> 0 < / z) by (intros; now apply Rinv_0_lt_compat).
      rewrite Rinv_mult, !ln_mult, !ln_Rinv by (repeat apply Rmult_lt_0_compat; auto). ring. }
  assert (Hw : 0 < IZR (b - a)) by (apply (IZR_lt 0); lia). assert (Hd' := IZR_lt _ _ Hd).
  unfold share. rewrite Q2R_mult, !Q2R_minus, fraction_R by lia. rewrite Ew. unfold ratio_primitive.
  replace (1 + (Q2R y - 1)) with (Q2R y) by ring. replace (1 + (Q2R x - 1)) with (Q2R x) by ring.
  replace (IZR d / IZR (b - a)) with (/ (IZR (b - a) / IZR d)) by (field; lra).
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, Rdiv_lt_0_compat; lra | lra].
Qed.

Lemma uniform_thresholds_correct : forall x, uniform_thresholds x = true ->
  thresholds P (Q2R (ex_lM x)) (Q2R (ex_lH x)) (Q2R (ex_pM x)) (Q2R (ex_pH x)).
Proof.
  intros x H. unfold uniform_thresholds in H. rewrite !andb_true_iff in H.
  destruct H as [[[[H1 H2] H3] HM] HH]. apply Qle_bool_R in H1, H3. apply Qlt_bool_R in H2.
  pose proof (lo_nonneg P) as Hlo.
  rewrite l1_correct in H1. rewrite l2_correct in H3.
  destruct (share_correct (ex_pM x) l1 (ex_lM x) ltac:(rewrite l1_correct; lra)
    ltac:(rewrite l1_correct; exact H1) HM) as [M0 M1].
  destruct (share_correct (ex_pH x) (ex_lH x) l2 ltac:(lra) ltac:(rewrite l2_correct; exact H3) HH) as [N0 N1].
  rewrite l1_correct in M1. rewrite l2_correct in N1.
  replace (1 + lo P - 1) with (lo P) in M1 by ring. replace (1 + hi P - 1) with (hi P) in N1 by ring.
  split; try assumption; try lra.
  - unfold P, uniformZ in *. rewrite uniform_low_share; [exact M1 | simpl lo in *; simpl hi in *; lra].
  - unfold P, uniformZ in *. rewrite uniform_high_share; [exact N1 | simpl lo in *; simpl hi in *; lra].
Qed.

Definition uniform_two_parameter (star kap epsilon e rho : Q) (above below near : exclusion) (T : positive) : bool :=
  uniform_is_star (Qnum star) (QDen star) && uniform_is_kappa (Qnum kap) (QDen kap)
  && band_bool l1 l2 uniform_thresholds star kap epsilon e rho B above below near T.
End TwoParameters.

(** |beta + p/q| and |alpha - p/q| below (u/v) (p/q) at every minimiser, for every T >= T0. *)
Theorem uniform_two_parameter_stays_near : forall B terms kap e rho above below near p q u v T0,
  uniform_two_parameter B terms (p # q) kap (u # v) e rho above below near T0 = true ->
  forall T alpha beta, (depth T0 <= T)%nat -> minimiser2 P T alpha beta ->
  Rabs (beta + IZR p / IZR (Zpos q)) < IZR u / IZR (Zpos v) * (IZR p / IZR (Zpos q))
  /\ Rabs (alpha - IZR p / IZR (Zpos q)) < IZR u / IZR (Zpos v) * (IZR p / IZR (Zpos q)).
Proof.
  intros B terms kap e rho above below near p q u v T0 H T alpha beta HT Hmin.
  unfold uniform_two_parameter in H. rewrite !andb_true_iff in H. destruct H as [[Hs Hk] Hband].
  pose proof (uniform_alpha_star l h d ok _ _ Hs) as Hstar. pose proof (uniform_kappa _ _ Hk) as Hkap.
  exact (band_correct _ _ _ P l1_correct l2_correct (uniform_thresholds_correct B terms)
    (p # q) kap e B T0 Hstar Hkap (u # v) rho above below near Hband T alpha beta HT Hmin).
Qed.

End Certificates.
