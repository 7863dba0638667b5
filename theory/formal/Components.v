(** Mixtures of rational atoms and of polynomial densities (s - low)^i (high - s)^j on rational intervals.

    Data are integers: s = v/d at an atom, low = l/d, high = (l + width)/d; every choice of them is a law.  What is
    integrated is written in X = d lam, which lies between d + l and d + l + width. *)
From Coq Require Import Reals ZArith Bool List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Formal Require Import Law FiniteLaw Mixture Density LayerwiseCertificates Primitives.
Import ListNotations.
Open Scope R_scope.

Inductive component :=
| Atom (v : positive)
| Piece (l : N) (width : positive) (i j : nat).

(** The ends of X. *)
Definition low_end (d : positive) (c : component) : Z :=
  match c with Atom v => Zpos d + Zpos v | Piece l _ _ _ => Zpos d + Z.of_N l end%Z.
Definition high_end (d : positive) (c : component) : Z :=
  match c with Atom v => Zpos d + Zpos v | Piece l width _ _ => Zpos d + Z.of_N l + Zpos width end%Z.

(** * One component *)

Lemma atom_valid : forall d v : positive, valid (mk_table (Zpos d) (Zpos v) (Zpos v) [(Zpos v, 1%Z)]) = true.
Proof.
  intros d v. unfold valid, within; cbn [den low high rows forallb existsb fst snd].
  now rewrite Z.leb_refl, Z.eqb_refl, orb_true_r.
Qed.

Definition piece_density (d : positive) (l h : Z) (i j : nat) (s : R) : R :=
  (IZR (Zpos d) * s - IZR l) ^ i * (IZR h - IZR (Zpos d) * s) ^ j.

Lemma IZR_pos : forall p : positive, 0 < IZR (Zpos p).
Proof. intros p. apply (IZR_lt 0). reflexivity. Qed.

Lemma piece_is_density : forall d l width i j,
  density (IZR (Z.of_N l) / IZR (Zpos d)) (IZR (Z.of_N l + Zpos width) / IZR (Zpos d))
    (piece_density d (Z.of_N l) (Z.of_N l + Zpos width) i j).
Proof.
  intros d l width i j. pose proof (IZR_pos d) as Hd. pose proof (IZR_pos width) as Hw.
  assert (Hl : 0 <= IZR (Z.of_N l)) by (apply (IZR_le 0), N2Z.is_nonneg).
  pose proof (Rinv_0_lt_compat _ Hd) as Hi. rewrite plus_IZR. apply positive_density.
  - unfold Rdiv. split; [apply Rmult_le_pos; lra | apply Rmult_lt_compat_r; lra].
  - intros x _. apply (@ex_derive_continuous R_AbsRing R_NormedModule). unfold piece_density. auto_derive. trivial.
  - intros x [H1 H2]. unfold piece_density. apply (Rmult_lt_compat_l (IZR (Zpos d))) in H1, H2; try lra.
    replace (IZR (Zpos d) * (IZR (Z.of_N l) / IZR (Zpos d))) with (IZR (Z.of_N l)) in H1 by (field; lra).
    replace (IZR (Zpos d) * ((IZR (Z.of_N l) + IZR (Zpos width)) / IZR (Zpos d)))
      with (IZR (Z.of_N l) + IZR (Zpos width)) in H2 by (field; lra).
    rewrite plus_IZR. apply Rmult_lt_0_compat; apply pow_lt; lra.
Qed.

Definition component_law (d : positive) (c : component) : law :=
  match c with
  | Atom v => finite _ (atom_valid d v)
  | Piece l width i j => density_law _ _ _ (piece_is_density d l width i j)
  end.

Lemma atom_E : forall d v f, E (component_law d (Atom v)) f = f (IZR (Zpos v) / IZR (Zpos d)).
Proof. intros d v f. simpl. unfold mean, total, weight, value; simpl. field. Qed.

Lemma component_ends : forall d c,
  lo (component_law d c) = IZR (low_end d c) / IZR (Zpos d) - 1
  /\ hi (component_law d c) = IZR (high_end d c) / IZR (Zpos d) - 1.
Proof.
  intros d [v | l width i j]; pose proof (IZR_pos d); unfold low_end, high_end; simpl lo; simpl hi;
    rewrite !plus_IZR; split; field; lra.
Qed.

(** * Expectations over a piece by primitives in X *)

Section Piece.
Variables (d : positive) (l : N) (width : positive) (i j : nat).
Let c := Piece l width i j.
Let a : R := IZR (low_end d c).
Let b : R := IZR (high_end d c).
Let D : R := IZR (Zpos d).
Let P := component_law d c.

Definition coefficients : list Z := two_powers (low_end d c) (high_end d c) i j.
Definition piece_mass : R := integralR coefficients b - integralR coefficients a.

Lemma D_pos : 0 < D.
Proof. apply IZR_pos. Qed.

Lemma X_ends : D * (1 + lo P) = a /\ D * (1 + hi P) = b /\ 0 < D <= a /\ a < b.
Proof.
  pose proof D_pos as Hd. destruct (component_ends d c) as [El Eh]. fold P D a in El. fold P D b in Eh.
  rewrite El, Eh. repeat split; try (field; lra); try lra.
  - unfold D, a, c, low_end. apply IZR_le. pose proof (N2Z.is_nonneg l). lia.
  - unfold a, b, c, low_end, high_end. apply IZR_lt. lia.
Qed.

Lemma density_in_X : forall s,
  piece_density d (Z.of_N l) (Z.of_N l + Zpos width) i j s = evaluateR coefficients (D * (1 + s)).
Proof.
  intros s. unfold coefficients. rewrite two_powers_R. unfold piece_density, D, c, low_end, high_end.
  rewrite !plus_IZR. f_equal; apply f_equal2; trivial; ring.
Qed.

Lemma in_X : forall (F : R -> R) g s, is_derive F (D * (1 + s)) g -> is_derive (fun s => / D * F (D * (1 + s))) s g.
Proof.
  intros F g s HF. pose proof D_pos as Hd.
  assert (Hat : is_derive (fun s : R => D * (1 + s)) s D) by (auto_derive; [trivial | ring]).
  eapply derive_eq; [apply derive_times; exact (is_derive_comp F (fun s => D * (1 + s)) s _ _ HF Hat) |].
  unfold scal; simpl; unfold mult; simpl. field. lra.
Qed.

Lemma density_integral : RInt (piece_density d (Z.of_N l) (Z.of_N l + Zpos width) i j) (lo P) (hi P) = piece_mass / D.
Proof.
  pose proof D_pos as Hd. destruct X_ends as [El [Eh [_ Hab]]]. apply is_RInt_unique.
  replace (piece_mass / D)
    with (/ D * integralR coefficients (D * (1 + hi P)) - / D * integralR coefficients (D * (1 + lo P))).
  - refine (is_RInt_derive (V := R_CompleteNormedModule)
      (fun s => / D * integralR coefficients (D * (1 + s))) _ (lo P) (hi P) _ _).
    + intros s _. apply in_X. rewrite density_in_X. apply integral_correct.
    + intros s _. apply (@ex_derive_continuous R_AbsRing R_NormedModule). unfold piece_density. auto_derive. trivial.
  - rewrite El, Eh. unfold piece_mass. field. lra.
Qed.

Lemma piece_mass_pos : 0 < piece_mass.
Proof.
  pose proof D_pos as Hd. pose proof (Density.mass_pos _ _ _ (piece_is_density d l width i j)) as H.
  change (0 < RInt (piece_density d (Z.of_N l) (Z.of_N l + Zpos width) i j) (lo P) (hi P)) in H.
  rewrite density_integral in H. apply (Rmult_lt_compat_r D) in H; [| exact Hd].
  replace (piece_mass / D * D) with piece_mass in H by (field; lra). lra.
Qed.

Variables f F G : R -> R.
Hypothesis f_continuous : forall s, lo P <= s <= hi P -> continuous f s.
Hypothesis F_derive : forall x, a <= x <= b -> is_derive F x (G x).
Hypothesis f_in_X : forall s, lo P <= s <= hi P ->
  f s * evaluateR coefficients (D * (1 + s)) = G (D * (1 + s)).

Lemma to_X : forall s t, D * (1 + s) < D * (1 + t) -> s < t.
Proof. intros s t H. apply Rmult_lt_reg_l in H; [lra | exact D_pos]. Qed.

Lemma to_X_le : forall s t, s <= t -> D * (1 + s) <= D * (1 + t).
Proof. intros s t H. pose proof D_pos. apply Rmult_le_compat_l; lra. Qed.

Lemma of_X : forall x, D * (1 + (x / D - 1)) = x.
Proof. intros x. pose proof D_pos. field. lra. Qed.

Lemma piece_part : forall (I : R -> R) u v, a <= u <= v -> v <= b ->
  (forall s, D * (1 + s) < u -> lo P < s -> I s = 0) -> (forall s, u < D * (1 + s) < v -> I s = 1) ->
  (forall s, v < D * (1 + s) -> s < hi P -> I s = 0) ->
  E P (fun s => f s * I s) = (F v - F u) / piece_mass.
Proof.
  intros I u v Huv Hv H0 H1 H2. pose proof D_pos as Hd. destruct X_ends as [El [Eh [_ Hab]]].
  pose proof (of_X u) as Eu. pose proof (of_X v) as Ev.
  assert (Hlt : forall s t, s < t -> D * (1 + s) < D * (1 + t)) by (intros; apply Rmult_lt_compat_l; lra).
  assert (Hlow : forall x, a <= x -> lo P <= x / D - 1).
  { intros x Hx. apply Rnot_lt_le. intros Hn. apply Hlt in Hn. rewrite of_X in Hn. lra. }
  assert (Hhigh : forall x, x <= b -> x / D - 1 <= hi P).
  { intros x Hx. apply Rnot_lt_le. intros Hn. apply Hlt in Hn. rewrite of_X in Hn. lra. }
  assert (Hin : forall s, u / D - 1 <= s <= v / D - 1 -> lo P <= s <= hi P).
  { intros s Hs. specialize (Hlow u ltac:(lra)). specialize (Hhigh v ltac:(lra)). lra. }
  pose proof (density_part (lo P) (hi P) _ (piece_is_density d l width i j) f I (fun s => / D * F (D * (1 + s)))
    (u / D - 1) (v / D - 1)) as H. change (density_law _ _ _ _) with P in H. rewrite H; clear H.
  - rewrite Eu, Ev. change (RInt _ _ _) with
      (RInt (piece_density d (Z.of_N l) (Z.of_N l + Zpos width) i j) (lo P) (hi P)).
    rewrite density_integral. field. pose proof piece_mass_pos. lra.
  - split; [apply Hlow; lra |]. apply Rnot_lt_le. intros Hn. apply Hlt in Hn. lra.
  - apply Hhigh. lra.
  - intros s [Hs1 Hs2]. apply H0; [| exact Hs1]. apply Hlt in Hs2. lra.
  - intros s [Hs1 Hs2]. apply Hlt in Hs1, Hs2. apply H1. lra.
  - intros s [Hs1 Hs2]. apply H2; [| exact Hs2]. apply Hlt in Hs1. lra.
  - intros s Hs. specialize (Hin s Hs). apply in_X. rewrite density_in_X, f_in_X by exact Hin. apply F_derive.
    destruct Hin as [Hs1 Hs2]. apply to_X_le in Hs1, Hs2. lra.
  - intros s Hs. apply (continuous_mult f); [now apply f_continuous, Hin |].
    apply (@ex_derive_continuous R_AbsRing R_NormedModule). unfold piece_density. auto_derive. trivial.
Qed.

(** X = t, moved into [a, b]. *)
Definition clip (t : R) : R := Rmax a (Rmin b t).

Lemma clip_cases : forall t, (t <= a /\ clip t = a) \/ (a <= t <= b /\ clip t = t) \/ (b <= t /\ clip t = b).
Proof.
  intros t. destruct X_ends as [_ [_ [_ Hab]]]. unfold clip, Rmin, Rmax.
  destruct (Rle_dec b t), (Rle_dec a b), (Rle_dec a t); lra.
Qed.

(** What ends at X = t is a part, with [piece_part], of the piece, or none or all of it. *)
Ltac clipped :=
  intros I t H1 H0; destruct X_ends as [El [Eh [_ Hab]]]; pose proof D_pos;
  assert (Hlo : forall s, lo P < s -> a < D * (1 + s)) by (intros; rewrite <- El; apply Rmult_lt_compat_l; lra);
  assert (Hhi : forall s, s < hi P -> D * (1 + s) < b) by (intros; rewrite <- Eh; apply Rmult_lt_compat_l; lra);
  destruct (clip_cases t) as [[Ht ->] | [[Ht ->] | [Ht ->]]]; apply piece_part; try lra; intros s Hs;
    try (intros Hs'; (specialize (Hlo s Hs') || specialize (Hhi s Hs'))); try (apply H1; lra); try (apply H0; lra);
    exfalso; lra.

Lemma piece_below : forall (I : R -> R) t, (forall s, D * (1 + s) < t -> I s = 1) ->
  (forall s, t < D * (1 + s) -> I s = 0) -> E P (fun s => f s * I s) = (F (clip t) - F a) / piece_mass.
Proof. clipped. Qed.

Lemma piece_above : forall (I : R -> R) t, (forall s, t < D * (1 + s) -> I s = 1) ->
  (forall s, D * (1 + s) < t -> I s = 0) -> E P (fun s => f s * I s) = (F b - F (clip t)) / piece_mass.
Proof. clipped. Qed.

Lemma piece_whole : dom P f -> E P f = (F b - F a) / piece_mass.
Proof.
  intros Df. rewrite (E_ext P f (fun s => f s * 1)) by (assumption || (intros; ring)).
  destruct X_ends as [El [Eh [_ Hab]]]. pose proof D_pos. apply piece_part; try lra.
  - intros s Hs Hs'. exfalso. rewrite <- El in Hs. apply to_X in Hs. lra.
  - reflexivity.
  - intros s Hs Hs'. exfalso. rewrite <- Eh in Hs. apply to_X in Hs. lra.
Qed.

End Piece.

(** * The law *)

Record components := mk_components {
  unit_of : positive;                     (** d *)
  zero : N;                               (** the weight at s = 0 *)
  first : positive * component;           (** a weight and a component *)
  rest : list (positive * component)
}.

Definition members (M : components) : list (positive * component) := first M :: rest M.
Definition positive_weight (M : components) : positive := weights (fst (first M)) (rest M).
Definition all_weight (M : components) : Z := (Z.of_N (zero M) + Zpos (positive_weight M))%Z.

Lemma all_weight_pos : forall M, 0 < IZR (all_weight M).
Proof. intros M. apply (IZR_lt 0). unfold all_weight. lia. Qed.

Lemma share_apart_from_0 : forall M, 0 < IZR (Zpos (positive_weight M)) / IZR (all_weight M) <= 1.
Proof.
  intros M. pose proof (all_weight_pos M) as H. pose proof (IZR_pos (positive_weight M)) as Hp.
  split; [now apply Rdiv_lt_0_compat |]. apply (Rmult_le_reg_r (IZR (all_weight M))); [exact H |].
  replace (_ / _ * _) with (IZR (Zpos (positive_weight M))) by (field; lra).
  rewrite Rmult_1_l. apply IZR_le. unfold all_weight. lia.
Qed.

Definition law_of (M : components) : law :=
  with_zero (blend (fst (first M)) (component_law (unit_of M) (snd (first M)))
    (map (fun x => (fst x, component_law (unit_of M) (snd x))) (rest M))) _ (share_apart_from_0 M).

Lemma weighed_map : forall A B (h : A -> B) g l,
  weighed g (map (fun x => (fst x, h (snd x))) l) = weighed (fun x => g (h x)) l.
Proof. intros A B h g l. unfold weighed. induction l as [|x l IH]; simpl; [reflexivity | now rewrite IH]. Qed.

Lemma weights_map : forall A B (h : A -> B) l W, weights W (map (fun x => (fst x, h (snd x))) l) = weights W l.
Proof. intros A B h l. unfold weights. induction l as [|x l IH]; intros W; simpl; [reflexivity | apply IH]. Qed.

Lemma law_E : forall M f, IZR (all_weight M) * E (law_of M) f
  = IZR (Z.of_N (zero M)) * f 0 + weighed (fun c => E (component_law (unit_of M) c) f) (members M).
Proof.
  intros M f. pose proof (all_weight_pos M) as Hpos. unfold law_of. rewrite with_zero_E.
  pose proof (blend_E f (map (fun x => (fst x, component_law (unit_of M) (snd x))) (rest M))
    (fst (first M)) (component_law (unit_of M) (snd (first M)))) as H.
  rewrite weights_map, weighed_map in H. fold (positive_weight M) in H.
  change (weighed ?g (members M))
    with (IZR (Zpos (fst (first M))) * g (snd (first M)) + weighed g (rest M)). cbv beta.
  rewrite <- H. set (W := IZR (Zpos (positive_weight M))). set (e := E _ f).
  assert (Ez : IZR (Z.of_N (zero M)) = IZR (all_weight M) - W) by (unfold all_weight, W; rewrite plus_IZR; ring).
  rewrite Ez. field. lra.
Qed.

Lemma law_dom : forall M f, dom (law_of M) f -> forall x, In x (members M) -> dom (component_law (unit_of M) (snd x)) f.
Proof.
  intros M f H x Hx. change (dom (blend (fst (first M)) (component_law (unit_of M) (snd (first M)))
    (map (fun x => (fst x, component_law (unit_of M) (snd x))) (rest M))) f) in H.
  apply blend_dom in H. destruct H as [H1 H]. destruct Hx as [<- | Hx]; [exact H1 |].
  apply (H (fst x, component_law (unit_of M) (snd x))). now apply (in_map (fun x => (fst x, _ (snd x)))).
Qed.

(** The ends of X. *)
Definition lowest (M : components) : Z :=
  fold_left (fun m x => Z.min m (low_end (unit_of M) (snd x))) (rest M) (low_end (unit_of M) (snd (first M))).
Definition highest (M : components) : Z :=
  fold_left (fun m x => Z.max m (high_end (unit_of M) (snd x))) (rest M) (high_end (unit_of M) (snd (first M))).

Lemma law_ends : forall M, let D := IZR (Zpos (unit_of M)) in
  1 + lo (law_of M) = IZR (lowest M) / D /\ 1 + hi (law_of M) = IZR (highest M) / D.
Proof.
  intros M D. pose proof (IZR_pos (unit_of M)) as Hd. fold D in Hd.
  assert (Hmono : forall x y, (x <= y)%Z -> IZR x / D - 1 <= IZR y / D - 1).
  { intros x y H. apply IZR_le in H. unfold Rdiv.
    pose proof (Rmult_le_compat_r (/ D) _ _ (Rlt_le _ _ (Rinv_0_lt_compat _ Hd)) H). lra. }
  unfold lowest, highest. change (lo (law_of M)) with (lo (blend (fst (first M)) (component_law (unit_of M)
    (snd (first M))) (map (fun x => (fst x, component_law (unit_of M) (snd x))) (rest M)))).
  change (hi (law_of M)) with (hi (blend (fst (first M)) (component_law (unit_of M)
    (snd (first M))) (map (fun x => (fst x, component_law (unit_of M) (snd x))) (rest M)))).
  destruct (blend_ends (map (fun x => (fst x, component_law (unit_of M) (snd x))) (rest M)) (fst (first M))
    (component_law (unit_of M) (snd (first M)))) as [-> ->].
  destruct (component_ends (unit_of M) (snd (first M))) as [-> ->].
  generalize (low_end (unit_of M) (snd (first M))), (high_end (unit_of M) (snd (first M))).
  induction (rest M) as [|x l IH]; intros m n; simpl; fold D; [split; lra |].
  destruct (component_ends (unit_of M) (snd x)) as [-> ->]. fold D.
  replace (Rmin (IZR m / D - 1) (IZR (low_end (unit_of M) (snd x)) / D - 1))
    with (IZR (Z.min m (low_end (unit_of M) (snd x))) / D - 1).
  2: { destruct (Z.min_spec m (low_end (unit_of M) (snd x))) as [[H ->] | [H ->]];
       [rewrite Rmin_left | rewrite Rmin_right]; trivial; apply Hmono; lia. }
  replace (Rmax (IZR n / D - 1) (IZR (high_end (unit_of M) (snd x)) / D - 1))
    with (IZR (Z.max n (high_end (unit_of M) (snd x))) / D - 1).
  2: { destruct (Z.max_spec n (high_end (unit_of M) (snd x))) as [[H ->] | [H ->]];
       [rewrite Rmax_right | rewrite Rmax_left]; trivial; apply Hmono; lia. }
  apply IH.
Qed.
