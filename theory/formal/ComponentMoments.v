(** Mixtures of atoms and polynomial densities: the moments E[s X^k], X = d lam, exactly, and the parts of E[s/lam]
    below and above a threshold by logarithms, rounded outward. *)
From Coq Require Import Reals ZArith QArith Qreals Bool List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Formal Require Import Law Mixture LayerwiseCertificates Primitives Components Computed ComponentTails
  TwoParameter TwoParameterExclusions BandCertificates MomentCertificates Logarithm.
Import ListNotations.
Open Scope R_scope.

(** * Bounds on the integral of f(x)/x *)

Definition log_bound (up : bool) (B : N) (terms : nat) (x y : Q) : Q :=
  fraction ((if up then ln_up else ln_down) B terms (Qnum x * QDen y) (Qnum y * QDen x))%Z (2 ^ Z.of_N B).

Lemma log_between : forall B terms x y, 0 < Q2R x <= Q2R y ->
  Q2R (log_bound false B terms x y) <= ln (Q2R y) - ln (Q2R x) <= Q2R (log_bound true B terms x y).
Proof.
  intros B terms x y [Hx Hxy]. pose proof (QDen_pos x) as Dx. pose proof (QDen_pos y) as Dy.
  rewrite (Q2R_fraction x), (Q2R_fraction y) in *. pose proof (Rinv_0_lt_compat _ Dx) as Ix. pose proof (Rinv_0_lt_compat _ Dy) as Iy.
  assert (Nx : 0 < IZR (Qnum x)).
  { apply (Rmult_lt_reg_r (/ IZR (QDen x))); [exact Ix | rewrite Rmult_0_l; exact Hx]. }
  assert (Hcross : IZR (Qnum x) * IZR (QDen y) <= IZR (Qnum y) * IZR (QDen x)).
  { apply (Rmult_le_reg_r (/ (IZR (QDen x) * IZR (QDen y)))).
    - apply Rinv_0_lt_compat. now apply Rmult_lt_0_compat.
    - replace (IZR (Qnum x) * IZR (QDen y) * / (IZR (QDen x) * IZR (QDen y))) with (IZR (Qnum x) / IZR (QDen x))
        by (field; lra).
      replace (IZR (Qnum y) * IZR (QDen x) * / (IZR (QDen x) * IZR (QDen y))) with (IZR (Qnum y) / IZR (QDen y))
        by (field; lra). exact Hxy. }
  assert (Ny : 0 < IZR (Qnum y)).
  { apply (Rmult_lt_reg_r (IZR (QDen x))); [exact Dx |]. rewrite Rmult_0_l.
    apply Rlt_le_trans with (2 := Hcross). now apply Rmult_lt_0_compat. }
  destruct (ln_between B terms (Qnum x * QDen y) (Qnum y * QDen x)) as [H1 H2].
  { split; [apply lt_IZR | apply le_IZR]; rewrite !mult_IZR; [now apply Rmult_lt_0_compat | exact Hcross]. }
  assert (Hln : ln (IZR (Qnum y * QDen x) / IZR (Qnum x * QDen y))
    = ln (IZR (Qnum y) / IZR (QDen y)) - ln (IZR (Qnum x) / IZR (QDen x))).
  { rewrite !mult_IZR. unfold Rdiv. assert (Hi : forall z, 0 < z -> 0 < / z) by (intros; now apply Rinv_0_lt_compat).
    rewrite Rinv_mult, !ln_mult, !ln_Rinv by (repeat apply Rmult_lt_0_compat; auto). ring. }
  rewrite Hln in H1, H2. pose proof (unit_pos B) as HU. unfold log_bound.
  rewrite !fraction_R by (apply Z.pow_nonzero; lia). change (IZR (2 ^ Z.of_N B)) with (unit B).
  set (L := ln _ - ln _) in *.
  assert (Hdiv : forall z, unit B * (z / unit B) = z) by (intros; field; lra).
  split; apply (Rmult_le_reg_l (unit B)); trivial; rewrite Hdiv; assumption.
Qed.

Definition ratio_bound (up : bool) (B : N) (terms : nat) (f : list Z) (x y : Q) : Q :=
  let h := hd 0%Z f in
  (inject_Z h * log_bound (if (0 <=? h)%Z then up else negb up) B terms x y
   + (integralQ (tl f) y - integralQ (tl f) x))%Q.

Lemma ratio_between : forall B terms f x y, 0 < Q2R x <= Q2R y ->
  Q2R (ratio_bound false B terms f x y) <= over_x f (Q2R y) - over_x f (Q2R x) <= Q2R (ratio_bound true B terms f x y).
Proof.
  intros B terms f x y Hxy. pose proof (log_between B terms x y Hxy) as [H1 H2]. unfold ratio_bound, over_x.
  rewrite !Q2R_plus, !Q2R_minus, !Q2R_mult, !integralQ_R, inject_R. set (h := hd 0%Z f).
  destruct (Z.leb_spec 0 h) as [Hh | Hh]; simpl negb.
  - apply IZR_le in Hh. apply (Rmult_le_compat_l (IZR h)) in H1, H2; lra.
  - apply IZR_lt in Hh. apply (Rmult_le_compat_neg_l (IZR h)) in H1, H2; lra.
Qed.

(** * One component *)

Section Component.
Variable d : positive.
Let D : R := IZR (Zpos d).

(** E[s X^k] *)
Definition moment_of (k : nat) (c : component) : Q :=
  match c with
  | Atom v => (Zpos v * low_end d c ^ Z.of_nat k)%Z # d
  | Piece l width i j =>
      let f := moment_density d l width i j in let n := Pos.of_succ_nat k in
      let F x := (inject_Z (x ^ Z.of_nat (S k)) * primitiveQ n f (inject_Z x))%Q in
      ((F (high_end d c) - F (low_end d c)) / massQ d l width i j * (1 # d))%Q
  end.

Lemma Qmake_R : forall z e, Q2R (z # e) = IZR z / IZR (Zpos e).
Proof. reflexivity. Qed.

Lemma pow_Z : forall x k, IZR (x ^ Z.of_nat k) = IZR x ^ k.
Proof. intros. now rewrite pow_IZR. Qed.

Lemma moment_of_correct : forall k c, Q2R (moment_of k c) = E (component_law d c) (fun s => s * (D * (1 + s)) ^ k).
Proof.
  intros k [v | l width i j]; pose proof (IZR_pos d) as HD; fold D in HD.
  - rewrite atom_E. unfold moment_of. rewrite Qmake_R, mult_IZR, pow_Z. unfold low_end. rewrite plus_IZR. fold D.
    replace (D * (1 + IZR (Zpos v) / D)) with (D + IZR (Zpos v)) by (field; lra). field. lra.
  - set (f := moment_density d l width i j).
    set (F := fun x => / D * (x ^ S k * primitiveR (Pos.of_succ_nat k) f x)).
    rewrite (piece_whole d l width i j (fun s => s * (D * (1 + s)) ^ k) F (fun x => / D * (x ^ k * evaluateR f x))).
    + unfold moment_of. fold f. rewrite Q2R_mult, Q2R_div, massQ_R, Q2R_minus, !Q2R_mult, !primitiveQ_R, !inject_R, !pow_Z,
        unit_fraction by apply mass_nonzero.
      unfold F. fold D. pose proof (piece_mass_pos d l width i j). field. split; lra.
    + intros s _. apply (@ex_derive_continuous R_AbsRing R_NormedModule). auto_derive. trivial.
    + intros x _. apply derive_times. pose proof (primitive_correct f (Pos.of_succ_nat k) x) as H.
      rewrite SuccNat2Pos.id_succ in H. exact H.
    + intros s _. unfold f. rewrite moment_density_R. fold D. field. lra.
    + in_dom.
Qed.

(** Bounds on E[s/lam; X <= t] and E[s/lam; X >= t]. *)
Definition clipQ (a b : Z) (t : Q) : Q :=
  if Qle_bool t (inject_Z a) then inject_Z a else if Qle_bool (inject_Z b) t then inject_Z b else t.

Definition part_below (up : bool) (B : N) (terms : nat) (t : Q) (c : component) : Q :=
  let a := low_end d c in let b := high_end d c in
  match c with
  | Atom v => if Qle_bool (inject_Z a) t then Qmake (Zpos v) (d + v) else 0
  | Piece l width i j =>
      ratio_bound up B terms (moment_density d l width i j) (inject_Z a) (clipQ a b t) / massQ d l width i j
  end%Q.
Definition part_above (up : bool) (B : N) (terms : nat) (t : Q) (c : component) : Q :=
  let a := low_end d c in let b := high_end d c in
  match c with
  | Atom v => if Qle_bool t (inject_Z a) then Qmake (Zpos v) (d + v) else 0
  | Piece l width i j =>
      ratio_bound up B terms (moment_density d l width i j) (clipQ a b t) (inject_Z b) / massQ d l width i j
  end%Q.

Lemma Qle_bool_false_R : forall x y, Qle_bool x y = false -> Q2R y < Q2R x.
Proof. intros x y H. apply Qlt_bool_R. unfold Qlt_bool. now rewrite H. Qed.

Lemma clipQ_R : forall l width i j t, let c := Piece l width i j in
  Q2R (clipQ (low_end d c) (high_end d c) t) = clip d l width i j (Q2R t)
  /\ IZR (low_end d c) <= Q2R (clipQ (low_end d c) (high_end d c) t) <= IZR (high_end d c).
Proof.
  intros l width i j t c. pose proof (X_ends d l width i j) as [_ [_ [_ Hab]]]. fold c in Hab.
  unfold clip, clipQ. fold c. destruct (Qle_bool t (inject_Z (low_end d c))) eqn:E1.
  - apply Qle_bool_R in E1. rewrite inject_R in *. rewrite Rmin_right, Rmax_left by lra. lra.
  - apply Qle_bool_false_R in E1. rewrite inject_R in E1.
    destruct (Qle_bool (inject_Z (high_end d c)) t) eqn:E2.
    + apply Qle_bool_R in E2. rewrite inject_R in *. rewrite Rmin_left, Rmax_right by lra. lra.
    + apply Qle_bool_false_R in E2. rewrite inject_R in E2. rewrite Rmin_right, Rmax_right by lra. lra.
Qed.

Let ratio (s : R) : R := s * / (1 + s).

Lemma atom_ratio : forall v, ratio (IZR (Zpos v) / D) = Q2R (Qmake (Zpos v) (d + v)).
Proof.
  intros v. pose proof (IZR_pos d) as HD. fold D in HD. pose proof (IZR_pos v) as Hv. unfold ratio.
  rewrite Qmake_R, Pos2Z.inj_add, plus_IZR. fold D. field. lra.
Qed.

Lemma piece_ratio : forall l width i j, let c := Piece l width i j in
  (forall s, lo (component_law d c) <= s <= hi (component_law d c) -> continuous ratio s)
  /\ (forall x, IZR (low_end d c) <= x <= IZR (high_end d c) ->
        is_derive (over_x (moment_density d l width i j)) x (evaluateR (moment_density d l width i j) x / x))
  /\ (forall s, lo (component_law d c) <= s <= hi (component_law d c) ->
        ratio s * evaluateR (coefficients d l width i j) (D * (1 + s))
        = evaluateR (moment_density d l width i j) (D * (1 + s)) / (D * (1 + s))).
Proof.
  intros l width i j c. pose proof (X_ends d l width i j) as [_ [_ [[HD Ha] _]]]. fold D c in HD, Ha.
  pose proof (lo_nonneg (component_law d c)) as Hlo. split; [| split].
  - intros s Hs. apply (@ex_derive_continuous R_AbsRing R_NormedModule). unfold ratio. auto_derive. lra.
  - intros x Hx. apply over_x_correct. lra.
  - intros s Hs. rewrite moment_density_R. fold D. unfold ratio. field. lra.
Qed.

Lemma divide_between : forall q r e e', 0 < Q2R q -> Q2R r <= e <= Q2R e' -> ~ (q == 0)%Q ->
  Q2R (r / q) <= e / Q2R q <= Q2R (e' / q).
Proof.
  intros q r e e' Hq [H1 H2] Hn. rewrite !Q2R_div by exact Hn. unfold Rdiv.
  split; apply Rmult_le_compat_r; trivial; apply Rlt_le, Rinv_0_lt_compat, Hq.
Qed.

Ltac by_order :=
  match goal with
  | |- context [Rle_dec ?u ?w] => destruct (Rle_dec u w)
  | |- context [Rlt_dec ?u ?w] => destruct (Rlt_dec u w)
  end; lra.

(** The share of an atom is all or nothing, that of a piece ends at X = t. *)
Ltac shares part beyond compares ends edge :=
  intros B terms t x [v | l width i j] Ht; pose proof (IZR_pos d) as HD; fold D in HD;
  [ rewrite atom_E; unfold part, beyond, compares; fold D; rewrite atom_ratio;
    assert (EX : IZR (low_end d (Atom v)) = D * (1 + IZR (Zpos v) / D))
      by (unfold low_end; rewrite plus_IZR; fold D; field; lra);
    destruct (Qle_bool _ _) eqn:El; [apply Qle_bool_R in El | apply Qle_bool_false_R in El];
    rewrite inject_R, EX, Ht in El; (apply Rmult_le_reg_l in El || apply Rmult_lt_reg_l in El); try exact HD;
    rewrite ?Q2R_0; by_order
  | set (c := Piece l width i j); destruct (piece_ratio l width i j) as [H1 [H2 H3]]; fold c in H1, H2, H3;
    pose proof (X_ends d l width i j) as [_ [_ [[_ Ha] Hab]]]; fold D c in Ha, Hab;
    destruct (clipQ_R l width i j t) as [Ec Hc]; fold c in Ec, Hc;
    rewrite (ends d l width i j ratio _ _ H1 H2 H3 _ (Q2R t));
    [ rewrite <- Ec, <- massQ_R; unfold part; fold c;
      apply divide_between; [rewrite massQ_R; apply piece_mass_pos | | apply mass_nonzero];
      rewrite <- (inject_R (edge d c)); apply ratio_between; rewrite inject_R; lra
    | | ];
    intros s Hs; fold D in Hs; rewrite Ht in Hs; apply Rmult_lt_reg_l in Hs; try exact HD;
    unfold beyond, compares; by_order ].

Lemma part_below_between : forall B terms t x c, Q2R t = D * x ->
  Q2R (part_below false B terms t c) <= E (component_law d c) (fun s => ratio s * at_most x s)
    <= Q2R (part_below true B terms t c).
Proof. shares part_below at_most below piece_below low_end. Qed.

Lemma part_above_between : forall B terms t x c, Q2R t = D * x ->
  Q2R (part_above false B terms t c) <= E (component_law d c) (fun s => ratio s * at_least x s)
    <= Q2R (part_above true B terms t c).
Proof. shares part_above at_least strictly_below piece_above high_end. Qed.

End Component.

(** * The law *)

Section Law.
Variable M : components.
Let P := law_of M.
Let d := unit_of M.
Let D : R := IZR (Zpos d).

Definition law_moment (k : nat) : Q :=
  Qred (fold_right (fun x t => inject_Z (Zpos (fst x)) * moment_of (unit_of M) k (snd x) + t) 0 (members M)
        / inject_Z (all_weight M))%Q.

Lemma all_weight_nonzero : ~ (inject_Z (all_weight M) == 0)%Q.
Proof. intros H. apply Qeq_eqR in H. rewrite inject_R, Q2R_0 in H. pose proof (all_weight_pos M). lra. Qed.

Lemma law_moment_correct : forall k, E P (fun s => s * (D * (1 + s)) ^ k) = Q2R (law_moment k).
Proof.
  intros k. unfold law_moment. rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_div, inject_R by exact all_weight_nonzero.
  pose proof (all_weight_pos M) as HW. apply (Rmult_eq_reg_l (IZR (all_weight M))); [| lra].
  unfold P. rewrite law_E, Rmult_0_l, Rmult_0_r, Rplus_0_l. unfold Rdiv. rewrite (Rmult_comm (Q2R _)), <- Rmult_assoc, Rinv_r by lra.
  rewrite Rmult_1_l. unfold weighed. clear. induction (members M) as [|x l IH]; simpl; [now rewrite Q2R_0 |].
  rewrite Q2R_plus, Q2R_mult, inject_R, IH, moment_of_correct. reflexivity.
Qed.

(** A sum of bounds, each rounded outward. *)
Definition bound_sum (up : bool) (B : N) (g : component -> Q) : Q :=
  fraction (fold_right (fun x t => Zpos (fst x) * (fixed B (g (snd x)) + if up then 1 else 0) + t)%Z 0%Z (members M))
    (2 ^ Z.of_N B * all_weight M).

Lemma fixed_above : forall B w, unit B * Q2R w <= IZR (fixed B w + 1).
Proof.
  intros B w. unfold fixed. rewrite Z.shiftl_mul_pow2, plus_IZR by lia. assert (HD : (0 < QDen w)%Z) by reflexivity.
  pose proof (div_gt (Qnum w * 2 ^ Z.of_N B) _ HD) as H. rewrite mult_IZR in H. fold (unit B) in H.
  apply IZR_lt in HD. apply (Rmult_le_reg_r (IZR (QDen w))); [exact HD |]. unfold Q2R.
  replace (unit B * (IZR (Qnum w) * / IZR (QDen w)) * IZR (QDen w)) with (IZR (Qnum w) * unit B) by (field; lra).
  exact H.
Qed.

Lemma bound_sum_R : forall up B g, Q2R (bound_sum up B g) * (unit B * IZR (all_weight M))
  = weighed (fun c => IZR (fixed B (g c) + if up then 1 else 0)) (members M).
Proof.
  intros up B g. pose proof (unit_pos B) as HU. pose proof (all_weight_pos M) as HW.
  assert (Hz : (2 ^ Z.of_N B * all_weight M)%Z <> 0%Z).
  { intros H. apply (f_equal IZR) in H. rewrite mult_IZR in H. fold (unit B) in H. apply Rmult_integral in H. lra. }
  unfold bound_sum. rewrite fraction_R, mult_IZR by exact Hz. fold (unit B).
  transitivity (IZR (fold_right (fun x t => Zpos (fst x) * (fixed B (g (snd x)) + if up then 1 else 0) + t)%Z 0%Z (members M))).
  - field. lra.
  - unfold weighed. clear. induction (members M) as [|x l IH]; cbn [fold_right]; [reflexivity |].
    now rewrite plus_IZR, mult_IZR, IH.
Qed.

Lemma bounds_between : forall B g g' f, f 0 = 0 ->
  (forall c, Q2R (g c) <= E (component_law d c) f <= Q2R (g' c)) ->
  Q2R (bound_sum false B g) <= E P f <= Q2R (bound_sum true B g').
Proof.
  intros B g g' f H0 H. pose proof (unit_pos B) as HU. pose proof (all_weight_pos M) as HW.
  assert (HUW : 0 < unit B * IZR (all_weight M)) by now apply Rmult_lt_0_compat.
  pose proof (law_E M f) as HE. fold P d in HE. rewrite H0, Rmult_0_r, Rplus_0_l in HE.
  assert (HE' : E P f * (unit B * IZR (all_weight M)) = unit B * weighed (fun c => E (component_law d c) f) (members M))
    by (rewrite <- HE; ring).
  split; apply (Rmult_le_reg_r _ _ _ HUW); rewrite bound_sum_R, HE'; unfold weighed; clear - H HU;
    induction (members M) as [|x l IH]; cbn [fold_right]; try lra; specialize (H (snd x)); pose proof (IZR_pos (fst x)) as Hx.
  - pose proof (fixed_below B (g (snd x))) as Hf. rewrite plus_IZR.
    assert (IZR (fixed B (g (snd x))) + 0 <= unit B * E (component_law d (snd x)) f) as Hle.
    { rewrite Rplus_0_r. apply Rle_trans with (1 := Hf). apply Rmult_le_compat_l; lra. }
    apply (Rmult_le_compat_l (IZR (Zpos (fst x)))) in Hle; lra.
  - pose proof (fixed_above B (g' (snd x))) as Hf.
    assert (unit B * E (component_law d (snd x)) f <= IZR (fixed B (g' (snd x)) + 1)) as Hle.
    { apply Rle_trans with (2 := Hf). apply Rmult_le_compat_l; lra. }
    apply (Rmult_le_compat_l (IZR (Zpos (fst x)))) in Hle; lra.
Qed.

(** nu(lam <= x), nu(lam >= x) and C. *)
Definition nu_below (up : bool) (B : N) (terms : nat) (x : Q) : Q :=
  bound_sum up B (part_below (unit_of M) up B terms (inject_Z (Zpos (unit_of M)) * x)).
Definition nu_above (up : bool) (B : N) (terms : nat) (x : Q) : Q :=
  bound_sum up B (part_above (unit_of M) up B terms (inject_Z (Zpos (unit_of M)) * x)).
Definition scale_bound (up : bool) (B : N) (terms : nat) : Q :=
  bound_sum up B (part_below (unit_of M) up B terms (inject_Z (highest M))).

Lemma nu_below_between : forall B terms x,
  Q2R (nu_below false B terms x) <= nu P (at_most (Q2R x)) <= Q2R (nu_below true B terms x).
Proof.
  intros B terms x. apply bounds_between; [ring |]. intros c. apply part_below_between. now rewrite Q2R_mult, inject_R.
Qed.

Lemma nu_above_between : forall B terms x,
  Q2R (nu_above false B terms x) <= nu P (at_least (Q2R x)) <= Q2R (nu_above true B terms x).
Proof.
  intros B terms x. apply bounds_between; [ring |]. intros c. apply part_above_between. now rewrite Q2R_mult, inject_R.
Qed.

Lemma scale_between : forall B terms,
  Q2R (scale_bound false B terms) <= scale P <= Q2R (scale_bound true B terms).
Proof.
  intros B terms. pose proof (IZR_pos d) as HD. destruct (law_ends M) as [_ Eh]. fold P d in Eh.
  assert (Ht : Q2R (inject_Z (highest M)) = IZR (Zpos d) * (1 + hi P)) by (rewrite inject_R, Eh; field; lra).
  assert (Hs : scale P = nu P (at_most (1 + hi P))).
  { unfold scale, nu. apply E_ext_supp; [in_dom | unfold at_most; in_dom |]. intros s Hs.
    unfold at_most, below. destruct (Rle_dec _ _) as [_ | Hn]; [ring |].
    destruct Hs as [-> | Hs]; [ring | lra]. }
  rewrite Hs. apply bounds_between; [ring |]. intros c. now apply part_below_between.
Qed.

(** The moments over a common denominator. *)
Definition common (l : list Q) : Z := fold_right (fun q m => Z.lcm (QDen q) m) 1%Z l.

Definition law_moments (B : N) (terms n : nat) : moments :=
  let l := map law_moment (seq 0 n) in
  let F := common l in
  mk_moments (Zpos (unit_of M)) F (map (fun q => Qnum q * (F / QDen q))%Z l)
    (scale_bound false B terms) (scale_bound true B terms).

Lemma common_pos : forall l, (0 < common l)%Z.
Proof.
  induction l as [|q l IH]; simpl; [reflexivity |]. pose proof (Z.lcm_nonneg (QDen q) (common l)) as H.
  assert (Z.lcm (QDen q) (common l) <> 0%Z); [| lia]. intros E. apply Z.lcm_eq_0 in E. lia.
Qed.

Lemma common_divides : forall q l, In q l -> (QDen q | common l)%Z.
Proof.
  intros q l; induction l as [|x l IH]; intros H; [destruct H |]. simpl. destruct H as [-> | H].
  - apply Z.divide_lcm_l.
  - apply Z.divide_trans with (common l); [now apply IH | apply Z.divide_lcm_r].
Qed.

Lemma over_common : forall q F, (QDen q | F)%Z -> (0 < F)%Z -> Q2R q = IZR (Qnum q * (F / QDen q)) / IZR F.
Proof.
  intros q F [m ->] HF. rewrite Z.div_mul by discriminate. rewrite !mult_IZR. pose proof (QDen_pos q).
  assert (IZR m <> 0) by (apply not_0_IZR; intros ->; discriminate). rewrite Q2R_fraction. field. lra.
Qed.

Lemma law_moments_of_law : forall B terms n, of_law P (law_moments B terms n).
Proof.
  intros B terms n. unfold of_law, law_moments; cbn [scaling denominator entries_of c_low c_high].
  set (l := map law_moment (seq 0 n)). repeat split; try apply common_pos.
  - intros k Hk. rewrite map_length in Hk. fold d D.
    rewrite (nth_indep _ 0%Z ((fun q => Qnum q * (common l / QDen q))%Z 0%Q)) by now rewrite map_length.
    rewrite (map_nth (fun q => Qnum q * (common l / QDen q))%Z), law_moment_correct.
    assert (Hn : nth k l 0%Q = law_moment k).
    { unfold l in *. rewrite map_length, seq_length in Hk. rewrite (nth_indep _ 0%Q (law_moment 0)) by (now rewrite map_length, seq_length).
      now rewrite map_nth, seq_nth. }
    rewrite <- Hn. apply over_common; [apply common_divides, nth_In, Hk | apply common_pos].
  - apply scale_between.
  - apply scale_between.
Qed.

End Law.
