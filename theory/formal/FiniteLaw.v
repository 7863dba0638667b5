(** Laws with finitely many rational atoms.

   Data are integers: the atoms are v/d, with masses w/W, W the sum of the weights w.  Validity is a
   boolean that computes; a valid table is a law, and its expectations are sums over its rows. *)
From Coq Require Import Reals ZArith Bool List Lra Lia.
From Formal Require Import Law.
Import ListNotations.
Open Scope R_scope.

Record table := mk_table {
  den : Z;              (** d > 0: the common denominator of the atoms *)
  low : Z;              (** low/d and high/d: the ends of s over {s > 0} *)
  high : Z;
  rows : list (Z * Z)   (** (v, w): s = v/d with a mass proportional to w *)
}.

Definition within (D : table) (row : Z * Z) : bool :=
  let (v, w) := row in ((0 <? w) && ((v =? 0) || ((low D <=? v) && (v <=? high D))))%Z.

Definition valid (D : table) : bool :=
  ((0 <? den D) && (0 <? low D) && forallb (within D) (rows D)
   && existsb (fun row => fst row =? low D) (rows D)
   && existsb (fun row => fst row =? high D) (rows D))%Z.

Definition total (f : Z * Z -> R) (l : list (Z * Z)) : R := fold_right (fun row t => f row + t) 0 l.
Definition totalZ (f : Z * Z -> Z) (l : list (Z * Z)) : Z := fold_right (fun row t => f row + t)%Z 0%Z l.

Definition weight (row : Z * Z) : R := IZR (snd row).
Definition value (D : table) (row : Z * Z) : R := IZR (fst row) / IZR (den D).
Definition mean (D : table) (f : R -> R) : R :=
  total (fun row => weight row * f (value D row)) (rows D) / total weight (rows D).

(** Sums. *)
Lemma total_ext : forall f g l, (forall row, In row l -> f row = g row) -> total f l = total g l.
Proof.
  induction l as [|row l IH]; intros H; simpl; [reflexivity|].
  rewrite (H row), IH; [reflexivity | intros; apply H; right; assumption | left; reflexivity].
Qed.

Lemma total_plus : forall f g l, total (fun row => f row + g row) l = total f l + total g l.
Proof. induction l as [|row l IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma total_scal : forall c f l, total (fun row => c * f row) l = c * total f l.
Proof. induction l as [|row l IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma total_le : forall f g l, (forall row, In row l -> f row <= g row) -> total f l <= total g l.
Proof.
  induction l as [|row l IH]; intros H; simpl; [lra|].
  apply Rplus_le_compat; [apply H; left; reflexivity | apply IH; intros; apply H; right; assumption].
Qed.

Lemma total_zero : forall l, total (fun _ => 0) l = 0.
Proof. induction l as [|row l IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma total_nonneg : forall f l, (forall row, In row l -> 0 <= f row) -> 0 <= total f l.
Proof. intros f l H. rewrite <- (total_zero l). apply total_le, H. Qed.

Lemma total_pos : forall f l row, (forall r, In r l -> 0 <= f r) -> In row l -> 0 < f row -> 0 < total f l.
Proof.
  induction l as [|r l IH]; intros row H Hin Hpos; [destruct Hin|]; simpl.
  assert (0 <= f r) by (apply H; left; reflexivity).
  assert (Hl : forall r', In r' l -> 0 <= f r') by (intros; apply H; right; assumption).
  destruct Hin as [->|Hin].
  - pose proof (total_nonneg f l Hl). lra.
  - pose proof (IH row Hl Hin Hpos). lra.
Qed.

Lemma total_IZR : forall f l, IZR (totalZ f l) = total (fun row => IZR (f row)) l.
Proof. induction l as [|row l IH]; simpl; [reflexivity | rewrite plus_IZR, IH; reflexivity]. Qed.

Section Valid.
Variable D : table.
Hypothesis ok : valid D = true.

Lemma valid_parts :
  (0 < den D)%Z /\ (0 < low D)%Z
  /\ (forall row, In row (rows D) -> (0 < snd row)%Z /\ (fst row = 0 \/ low D <= fst row <= high D)%Z)
  /\ (exists row, In row (rows D) /\ fst row = low D)
  /\ (exists row, In row (rows D) /\ fst row = high D).
Proof.
  unfold valid in ok. repeat rewrite andb_true_iff in ok.
  destruct ok as [[[[Hd Hl] Hall] Hlow] Hhigh].
  apply Z.ltb_lt in Hd, Hl. rewrite forallb_forall in Hall.
  apply existsb_exists in Hlow, Hhigh.
  repeat split; try assumption.
  - specialize (Hall (fst row, snd row)). rewrite <- surjective_pairing in Hall.
    specialize (Hall H). destruct row as [v w]; simpl in *.
    apply andb_true_iff in Hall. apply Z.ltb_lt, Hall.
  - specialize (Hall _ H). destruct row as [v w]; simpl in *.
    apply andb_true_iff in Hall. destruct Hall as [_ Hv].
    apply orb_true_iff in Hv. destruct Hv as [Hv|Hv].
    + left. apply Z.eqb_eq, Hv.
    + right. apply andb_true_iff in Hv. destruct Hv as [Hv1 Hv2].
      split; apply Z.leb_le; assumption.
  - destruct Hlow as [row [Hin Hv]]. exists row. split; [assumption | apply Z.eqb_eq, Hv].
  - destruct Hhigh as [row [Hin Hv]]. exists row. split; [assumption | apply Z.eqb_eq, Hv].
Qed.

Lemma den_pos : 0 < IZR (den D).
Proof. apply (IZR_lt 0), valid_parts. Qed.

Lemma low_pos : 0 < IZR (low D).
Proof. apply (IZR_lt 0), valid_parts. Qed.

Lemma weight_pos : forall row, In row (rows D) -> 0 < weight row.
Proof. intros row H. apply (IZR_lt 0). apply valid_parts, H. Qed.

Lemma mass_pos : 0 < total weight (rows D).
Proof.
  destruct valid_parts as [_ [_ [_ [[row [Hin _]] _]]]].
  apply total_pos with row; [intros r Hr; apply Rlt_le, weight_pos, Hr | exact Hin | apply weight_pos, Hin].
Qed.

Lemma value_range : forall row, In row (rows D) ->
  value D row = 0 \/ IZR (low D) / IZR (den D) <= value D row <= IZR (high D) / IZR (den D).
Proof.
  intros row H. pose proof den_pos as Hd. apply Rinv_0_lt_compat in Hd.
  destruct valid_parts as [_ [_ [Hr _]]]. destruct (Hr row H) as [_ [Hv|[Hl Hh]]]; unfold value, Rdiv.
  - left. rewrite Hv. ring.
  - right. apply IZR_le in Hl, Hh. split; apply Rmult_le_compat_r; lra.
Qed.

Lemma value_nonneg : forall row, In row (rows D) -> 0 <= value D row.
Proof.
  intros row H. destruct (value_range row H) as [->|[Hl _]]; [lra|].
  apply Rle_trans with (2 := Hl). apply Rlt_le, Rdiv_lt_0_compat; [apply low_pos | apply den_pos].
Qed.

Lemma mean_plus : forall f g, mean D (fun s => f s + g s) = mean D f + mean D g.
Proof.
  intros f g. unfold mean, Rdiv. rewrite <- Rmult_plus_distr_r, <- total_plus.
  f_equal. apply total_ext. intros; ring.
Qed.

Lemma mean_scal : forall c f, mean D (fun s => c * f s) = c * mean D f.
Proof.
  intros c f. unfold mean, Rdiv. rewrite <- Rmult_assoc, <- total_scal.
  f_equal. apply total_ext. intros; ring.
Qed.

Lemma mean_one : mean D (fun _ => 1) = 1.
Proof.
  unfold mean. rewrite (total_ext _ weight) by (intros; ring).
  field. apply Rgt_not_eq, mass_pos.
Qed.

Lemma mean_nonneg : forall f,
  (forall s, s = 0 \/ IZR (low D) / IZR (den D) <= s <= IZR (high D) / IZR (den D) -> 0 <= f s) -> 0 <= mean D f.
Proof.
  intros f H. apply Rmult_le_pos.
  - apply total_nonneg. intros row Hrow.
    apply Rmult_le_pos; [apply Rlt_le, weight_pos, Hrow | apply H, value_range, Hrow].
  - apply Rlt_le, Rinv_0_lt_compat, mass_pos.
Qed.

Lemma mean_pos : forall f row, In row (rows D) -> (forall r, In r (rows D) -> 0 <= f (value D r)) ->
  0 < f (value D row) -> 0 < mean D f.
Proof.
  intros f row Hin H Hpos. apply Rdiv_lt_0_compat; [|apply mass_pos].
  apply total_pos with row; [|exact Hin|].
  - intros r Hr. apply Rmult_le_pos; [apply Rlt_le, weight_pos, Hr | apply H, Hr].
  - apply Rmult_lt_0_compat; [apply weight_pos, Hin | exact Hpos].
Qed.

Lemma ends_nonneg : 0 <= IZR (low D) / IZR (den D).
Proof. apply Rlt_le, Rdiv_lt_0_compat; [apply low_pos | apply den_pos]. Qed.

Lemma ends_order : IZR (low D) / IZR (den D) <= IZR (high D) / IZR (den D).
Proof.
  destruct valid_parts as [_ [Hl [Hr [[row [Hin Hv]] _]]]].
  destruct (Hr row Hin) as [_ Hrow].
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, den_pos | apply IZR_le; lia].
Qed.

Lemma mean_low : forall eps, 0 < eps ->
  0 < mean D (fun s => s * below (IZR (low D) / IZR (den D) + eps) s).
Proof.
  intros eps Heps. destruct valid_parts as [_ [Hl [_ [[row [Hin Hv]] _]]]].
  assert (E : value D row = IZR (low D) / IZR (den D)) by (unfold value; rewrite Hv; reflexivity).
  assert (0 < value D row) by (rewrite E; apply Rdiv_lt_0_compat; [apply low_pos | apply den_pos]).
  apply mean_pos with row; [exact Hin | |].
  - intros r Hr. pose proof (value_nonneg r Hr). unfold below. destruct (Rle_dec _ _); lra.
  - unfold below. destruct (Rle_dec _ _) as [_|Hn]; [lra | exfalso; apply Hn; lra].
Qed.

Lemma mean_high : forall eps, 0 < eps ->
  0 < mean D (fun s => s * (1 - below (IZR (high D) / IZR (den D) - eps) s)).
Proof.
  intros eps Heps. destruct valid_parts as [_ [Hl [_ [_ [row [Hin Hv]]]]]].
  assert (E : value D row = IZR (high D) / IZR (den D)) by (unfold value; rewrite Hv; reflexivity).
  assert (0 < value D row).
  { rewrite E. apply Rlt_le_trans with (2 := ends_order).
    apply Rdiv_lt_0_compat; [apply low_pos | apply den_pos]. }
  apply mean_pos with row; [exact Hin | |].
  - intros r Hr. pose proof (value_nonneg r Hr). unfold below. destruct (Rle_dec _ _); lra.
  - unfold below. destruct (Rle_dec _ _) as [Hle|_]; [exfalso; lra | lra].
Qed.
End Valid.

(** Every valid table is a law; every function of s has an expectation. *)
Definition finite (D : table) (ok : valid D = true) : law.
Proof.
  refine {| lo := IZR (low D) / IZR (den D); hi := IZR (high D) / IZR (den D);
            dom := fun _ => True; E := mean D |};
    try (intros; exact I).
  - exact (ends_nonneg D ok).
  - exact (ends_order D ok).
  - intros; apply mean_plus.
  - intros; apply mean_scal.
  - exact (mean_one D ok).
  - intros f _. exact (mean_nonneg D ok f).
  - exact (mean_low D ok).
  - exact (mean_high D ok).
Defined.
