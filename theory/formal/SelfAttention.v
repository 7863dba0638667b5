(** Theorem 4.1: one layer of linear self-attention with the matrix c I has the excess loss
    E[s lam (c - 1/lam)^2]; what is left at the best c is the gap to the Bayes risk. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law OneParameter.
Open Scope R_scope.

Definition lsa_excess (P : law) (c : R) : R := E P (fun s => s * (1 + s) * (c - / (1 + s)) ^ 2).
Definition lsa_weight (P : law) : R := E P (fun s => s) / E P (fun s => s * (1 + s)).
Definition gap (P : law) : R := scale P - E P (fun s => s) ^ 2 / E P (fun s => s * (1 + s)).

Section SelfAttention.
Variable P : law.

(** A self-attention layer with a scalar matrix is the one-parameter stack of depth one. *)
Theorem lsa_is_depth_one : forall c, lsa_excess P c = loss P 1 c.
Proof.
  intros c. apply E_ext_supp; [in_dom .. |]. intros s Hs. apply supp_nonneg in Hs.
  unfold residual. simpl. field. lra.
Qed.

Lemma lam_mean_pos : 0 < E P (fun s => s * (1 + s)).
Proof.
  pose proof (lo_nonneg P). apply (E_pos_low P (fun s => 1 + s)); [in_dom | intros; lra | reg | lra].
Qed.

Lemma lsa_excess_expand : forall c,
  lsa_excess P c = scale P - 2 * c * E P (fun s => s) + c ^ 2 * E P (fun s => s * (1 + s)).
Proof.
  intros c. unfold lsa_excess, scale.
  rewrite <- (E_scal P (2 * c)), <- (E_scal P (c ^ 2)), <- E_minus, <- E_plus by in_dom.
  apply E_ext_supp; [in_dom .. |]. intros s Hs. apply supp_nonneg in Hs. field. lra.
Qed.

(** The excess loss is the gap plus a square: the best weight is E[s] / E[s lam]. *)
Theorem lsa_excess_square : forall c,
  lsa_excess P c = gap P + E P (fun s => s * (1 + s)) * (c - lsa_weight P) ^ 2.
Proof.
  intros c. rewrite lsa_excess_expand. unfold gap, lsa_weight. field.
  pose proof lam_mean_pos. lra.
Qed.

(** The gap is the least excess loss of a self-attention layer, attained at one weight only. *)
Theorem gap_is_least : forall c, gap P <= lsa_excess P c /\ (lsa_excess P c = gap P <-> c = lsa_weight P).
Proof.
  intros c. pose proof (lsa_excess_square c) as H. pose proof lam_mean_pos as Hp.
  pose proof (pow2_ge_0 (c - lsa_weight P)) as Hs. split; [nra | split].
  - intros Heq. assert (Hz : E P (fun s => s * (1 + s)) * (c - lsa_weight P) ^ 2 = 0) by lra.
    apply Rmult_integral in Hz. destruct Hz as [Hz | Hz]; [lra |]. nra.
  - intros ->. rewrite H. ring.
Qed.

Lemma lsa_excess_nonneg : forall c, 0 <= lsa_excess P c.
Proof.
  intros c. unfold lsa_excess. apply E_nonneg; [in_dom |]. intros s Hs. apply supp_nonneg in Hs.
  apply Rmult_le_pos; [nra | apply pow2_ge_0].
Qed.

(** Self-attention is never below the Bayes risk. *)
Theorem gap_nonneg : 0 <= gap P.
Proof.
  replace (gap P) with (lsa_excess P (lsa_weight P)); [apply lsa_excess_nonneg |].
  now apply gap_is_least.
Qed.

(** Unless the norm is constant, it stays strictly above it at every weight. *)
Lemma lsa_excess_pos : forall c, lo P < hi P -> 0 < lsa_excess P c.
Proof.
  intros c H. pose proof (lo_nonneg P) as Hl. unfold lsa_excess.
  rewrite (E_ext P _ (fun s => s * ((1 + s) * (c - / (1 + s)) ^ 2))) by (in_dom || (intros; ring)).
  assert (Hpos : forall x, 0 <= x -> c <> / (1 + x) -> 0 < (1 + x) * (c - / (1 + x)) ^ 2).
  { intros x Hx Hc. apply Rmult_lt_0_compat; [lra |].
    rewrite <- Rsqr_pow2. apply Rlt_0_sqr. now apply Rminus_eq_contra. }
  assert (Hnn : forall s, lo P <= s <= hi P -> 0 <= (1 + s) * (c - / (1 + s)) ^ 2).
  { intros s Hs. apply Rmult_le_pos; [lra | apply pow2_ge_0]. }
  destruct (Req_dec c (/ (1 + lo P))) as [Hc | Hc].
  - apply E_pos_high; [in_dom | exact Hnn | reg; lra |].
    apply Hpos; [lra |]. rewrite Hc. apply Rgt_not_eq, Rinv_lt_contravar; [nra | lra].
  - apply E_pos_low; [in_dom | exact Hnn | reg; lra | now apply Hpos].
Qed.

(** Theorem 4.1: the gap is zero if and only if the norm is constant on {s > 0}. *)
Theorem gap_zero_iff : gap P = 0 <-> lo P = hi P.
Proof.
  pose proof (lo_hi P) as Hlh. pose proof (lo_nonneg P) as Hl. split.
  - intros H. apply Rle_antisym; [assumption |]. apply Rnot_lt_le. intros Hlt.
    apply (lsa_excess_pos (lsa_weight P)) in Hlt.
    rewrite (proj2 (proj2 (gap_is_least (lsa_weight P))) eq_refl) in Hlt. lra.
  - intros H. apply Rle_antisym; [| apply gap_nonneg].
    apply Rle_trans with (lsa_excess P (/ (1 + lo P))); [apply gap_is_least |]. right.
    unfold lsa_excess. rewrite <- (E_const P 0). apply E_ext_supp; [in_dom .. |].
    intros s [-> | Hs]; [ring |]. replace s with (lo P) by lra. ring.
Qed.

(** Strictly positive otherwise. *)
Theorem gap_pos : lo P < hi P -> 0 < gap P.
Proof.
  intros H. destruct gap_nonneg as [Hpos | Hz]; [assumption |].
  symmetry in Hz. apply gap_zero_iff in Hz. lra.
Qed.

(** The Lagrange identity: with s' an independent copy of s,
    2 E[s lam] gap = E E' [s s' (s - s')^2 / (lam lam')]. *)
Theorem gap_lagrange :
  2 * E P (fun s => s * (1 + s)) * gap P =
  E P (fun s => E P (fun t => s * t * (s - t) ^ 2 * / (1 + s) * / (1 + t))).
Proof.
  set (A := scale P). set (B := E P (fun s => s ^ 2 * / (1 + s))). set (D := E P (fun s => s ^ 3 * / (1 + s))).
  transitivity (2 * (A * D - B ^ 2)).
  - assert (HB : B = E P (fun s => s) - A).
    { unfold A, B, scale. rewrite <- E_minus by in_dom. apply E_ext_supp; [in_dom .. |].
      intros s Hs. apply supp_nonneg in Hs. field. lra. }
    assert (HD : D = E P (fun s => s * (1 + s)) - 2 * E P (fun s => s) + A).
    { unfold A, D, scale. rewrite <- (E_scal P 2), <- E_minus, <- E_plus by in_dom.
      apply E_ext_supp; [in_dom .. |]. intros s Hs. apply supp_nonneg in Hs. field. lra. }
    rewrite HB, HD. unfold gap. fold A. field. apply Rgt_not_eq, lam_mean_pos.
  - assert (Hin : forall s, A * (s ^ 3 * / (1 + s)) - 2 * B * (s ^ 2 * / (1 + s)) + D * (s * / (1 + s)) =
      E P (fun t => s * t * (s - t) ^ 2 * / (1 + s) * / (1 + t))).
    { intros s. unfold A, B, D, scale. symmetry.
      rewrite (E_ext P _ (fun t => s ^ 3 * / (1 + s) * (t * / (1 + t))
        - 2 * (s ^ 2 * / (1 + s)) * (t ^ 2 * / (1 + t)) + s * / (1 + s) * (t ^ 3 * / (1 + t))))
        by (in_dom || (intros; ring)).
      rewrite (E_plus P (fun t => _ - _)), E_minus, !E_scal by in_dom. ring. }
    transitivity (E P (fun s => A * (s ^ 3 * / (1 + s)) - 2 * B * (s ^ 2 * / (1 + s))
      + D * (s * / (1 + s)))); [| apply E_ext; [in_dom | exact Hin]].
    rewrite (E_plus P (fun s => _ - _)), E_minus, !E_scal by in_dom.
    change (E P (fun s => s * / (1 + s))) with A. fold B D. ring.
Qed.

End SelfAttention.
