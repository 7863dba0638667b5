(** The law of s, the squared norm of the factor, and what every such law has in common. *)
From Coq Require Import Reals Lra Lia.
Open Scope R_scope.

(** Indicators.  E[f; s <= c] is written [E P (fun s => f s * below c s)]. *)
Definition below (c s : R) : R := if Rle_dec s c then 1 else 0.
Definition strictly_below (c s : R) : R := if Rlt_dec s c then 1 else 0.
Definition above (c x : R) : R := if Rlt_dec c x then 1 else 0.

(** A law of s = ||m||^2, known through the expectations of a class of functions closed under sums and
    products.  Every probability law of a bounded s >= 0 with P(s > 0) > 0 is one: [dom] are the Borel
    functions bounded on {0} and [lo, hi], and lo, hi are the essential infimum and supremum of s over
    {s > 0}.  The mass at s = 0 is free. *)
Record law := mk_law {
  lo : R;
  hi : R;
  lo_nonneg : 0 <= lo;
  lo_hi : lo <= hi;
  dom : (R -> R) -> Prop;
  E : (R -> R) -> R;
  dom_const : forall c, dom (fun _ => c);
  dom_id : dom (fun s => s);
  dom_plus : forall f g, dom f -> dom g -> dom (fun s => f s + g s);
  dom_mult : forall f g, dom f -> dom g -> dom (fun s => f s * g s);
  dom_inv : dom (fun s => / (1 + s));
  dom_below : forall c, dom (fun s => below c s);
  dom_strictly_below : forall c, dom (fun s => strictly_below c s);
  dom_ext : forall f g, (forall s, f s = g s) -> dom f -> dom g;
  E_plus : forall f g, dom f -> dom g -> E (fun s => f s + g s) = E f + E g;
  E_scal : forall c f, dom f -> E (fun s => c * f s) = c * E f;
  E_one : E (fun _ => 1) = 1;
  E_nonneg : forall f, dom f -> (forall s, s = 0 \/ lo <= s <= hi -> 0 <= f s) -> 0 <= E f;
  mass_low : forall eps, 0 < eps -> 0 < E (fun s => s * below (lo + eps) s);
  mass_high : forall eps, 0 < eps -> 0 < E (fun s => s * (1 - below (hi - eps) s))
}.

(** Where the law lives: its support lies in {0} and [lo, hi]. *)
Definition supp (P : law) (s : R) : Prop := s = 0 \/ lo P <= s <= hi P.

(** The residual 1 - a lam of one layer of weight a, lam = 1 + s. *)
Definition residual (a s : R) : R := 1 - a * (1 + s).

(** C = E[s / lam], the excess loss at weight zero; the weight alpha* and the rate kappa. *)
Definition scale (P : law) : R := E P (fun s => s * / (1 + s)).
Definition alpha_star (P : law) : R := 2 / (2 + lo P + hi P).
Definition kappa (P : law) : R := (hi P - lo P) / (2 + lo P + hi P).

(** The law has more than n points of support in {s > 0}: no polynomial of degree <= n vanishes on it. *)
Definition pts (P : law) (n : nat) : Prop :=
  forall c : nat -> R, (exists k, (k <= n)%nat /\ c k <> 0) ->
  0 < E P (fun s => s * sum_f_R0 (fun k => c k * (1 + s) ^ k) n ^ 2).

(** * Functions that have an expectation *)

Create HintDb dom.

Lemma dom_scal : forall P c f, dom P f -> dom P (fun s => c * f s).
Proof. intros P c f Hf. apply (dom_mult P (fun _ => c) f); [apply dom_const | exact Hf]. Qed.

Lemma dom_opp : forall P f, dom P f -> dom P (fun s => - f s).
Proof. intros P f Hf. apply (dom_ext P (fun s => -1 * f s)); [intro; ring | now apply dom_scal]. Qed.

Lemma dom_minus : forall P f g, dom P f -> dom P g -> dom P (fun s => f s - g s).
Proof. intros P f g Hf Hg. apply (dom_plus P f (fun s => - g s)); [exact Hf | now apply dom_opp]. Qed.

Lemma dom_pow : forall P f n, dom P f -> dom P (fun s => f s ^ n).
Proof.
  intros P f n Hf; induction n as [|n IH]; simpl; [apply dom_const | now apply dom_mult].
Qed.

Lemma dom_sum : forall P (f : nat -> R -> R) n, (forall k, (k <= n)%nat -> dom P (f k)) ->
  dom P (fun s => sum_f_R0 (fun k => f k s) n).
Proof.
  intros P f n; induction n as [|n IH]; intros Hf; simpl.
  - apply (Hf 0%nat); lia.
  - apply dom_plus; [apply IH; intros k Hk; apply Hf; lia | apply Hf; lia].
Qed.

Lemma dom_above : forall P c, dom P (fun s => above c s).
Proof.
  intros P c. apply (dom_ext P (fun s => 1 - below c s)).
  - intros s. unfold above, below. destruct (Rlt_dec c s), (Rle_dec s c); lra.
  - apply dom_minus; [apply dom_const | apply dom_below].
Qed.

(** Closes a goal [dom P f] for f built from the functions above. *)
Ltac in_dom :=
  repeat first
    [ assumption
    | apply dom_const | apply dom_id | apply dom_inv
    | apply dom_below | apply dom_strictly_below | apply dom_above
    | solve [auto with dom nocore]
    | apply dom_opp | apply dom_pow | apply dom_plus | apply dom_minus | apply dom_mult
    | apply dom_sum; intros ].

Lemma dom_residual : forall P a, dom P (fun s => residual a s).
Proof. intros P a. unfold residual. in_dom. Qed.
#[export] Hint Resolve dom_residual : dom.

(** {1 - a lam > c} is an event: a ray in s. *)
Lemma dom_above_residual : forall P a c, 0 < a -> dom P (fun s => above c (residual a s)).
Proof.
  intros P a c Ha. apply (dom_ext P (fun s => strictly_below ((1 - c) / a - 1) s)); [intros s | in_dom].
  assert (residual a s - c = a * ((1 - c) / a - 1 - s)) by (unfold residual; field; lra).
  unfold strictly_below, above.
  destruct (Rlt_dec s ((1 - c) / a - 1)) as [h|h], (Rlt_dec c (residual a s)) as [h'|h']; trivial; exfalso.
  - apply h'. assert (0 < a * ((1 - c) / a - 1 - s)) by (apply Rmult_lt_0_compat; lra). lra.
  - apply h. assert (0 < (1 - c) / a - 1 - s) by (apply (Rmult_lt_reg_l a); lra). lra.
Qed.

Lemma dom_above_minus_residual : forall P a c, 0 < a -> dom P (fun s => above c (- residual a s)).
Proof.
  intros P a c Ha. apply (dom_ext P (fun s => above ((1 + c) / a - 1) s)); [intros s | in_dom].
  assert (- residual a s - c = a * (s - ((1 + c) / a - 1))) by (unfold residual; field; lra).
  unfold above.
  destruct (Rlt_dec ((1 + c) / a - 1) s) as [h|h], (Rlt_dec c (- residual a s)) as [h'|h']; trivial; exfalso.
  - apply h'. assert (0 < a * (s - ((1 + c) / a - 1))) by (apply Rmult_lt_0_compat; lra). lra.
  - apply h. assert (0 < s - ((1 + c) / a - 1)) by (apply (Rmult_lt_reg_l a); lra). lra.
Qed.
#[export] Hint Resolve dom_above_residual dom_above_minus_residual : dom.

(** * The expectation is linear and monotone *)

Lemma supp_nonneg : forall P s, supp P s -> 0 <= s.
Proof. intros P s [->|H]; pose proof (lo_nonneg P); lra. Qed.

Lemma E_monotone : forall P f g, dom P f -> dom P g ->
  (forall s, supp P s -> f s <= g s) -> E P f <= E P g.
Proof.
  intros P f g Hf Hg H.
  assert (H0 : 0 <= E P (fun s => g s + -1 * f s)).
  { apply E_nonneg; [in_dom | intros s Hs; specialize (H s Hs); lra]. }
  rewrite (E_plus P g (fun s => -1 * f s)), E_scal in H0 by in_dom. lra.
Qed.

Lemma E_ext : forall P f g, dom P f -> (forall s, f s = g s) -> E P f = E P g.
Proof.
  intros P f g Hf H. assert (Hg : dom P g) by now apply (dom_ext P f).
  apply Rle_antisym; apply E_monotone; trivial; intros s _; rewrite H; lra.
Qed.

Lemma E_ext_supp : forall P f g, dom P f -> dom P g -> (forall s, supp P s -> f s = g s) -> E P f = E P g.
Proof.
  intros P f g Hf Hg H. apply Rle_antisym; apply E_monotone; trivial; intros s Hs; rewrite H; trivial; lra.
Qed.

Lemma E_opp : forall P f, dom P f -> E P (fun s => - f s) = - E P f.
Proof.
  intros P f Hf. rewrite (E_ext P _ (fun s => -1 * f s)) by (in_dom || (intros; ring)).
  rewrite E_scal by assumption. ring.
Qed.

Lemma E_minus : forall P f g, dom P f -> dom P g -> E P (fun s => f s - g s) = E P f - E P g.
Proof.
  intros P f g Hf Hg. rewrite (E_ext P _ (fun s => f s + - g s)) by (in_dom || (intros; ring)).
  rewrite (E_plus P f (fun s => - g s)), E_opp by in_dom. ring.
Qed.

Lemma E_const : forall P c, E P (fun _ => c) = c.
Proof.
  intros P c. rewrite (E_ext P _ (fun _ => c * 1)) by (in_dom || (intros; ring)).
  rewrite (E_scal P c (fun _ => 1)), E_one by in_dom. ring.
Qed.

Lemma E_sum : forall P (f : nat -> R -> R) n, (forall k, (k <= n)%nat -> dom P (f k)) ->
  E P (fun s => sum_f_R0 (fun k => f k s) n) = sum_f_R0 (fun k => E P (f k)) n.
Proof.
  intros P f n; induction n as [|n IH]; intros Hf; simpl.
  - apply E_ext; [apply (Hf 0%nat); lia | reflexivity].
  - rewrite (E_plus P (fun s => sum_f_R0 (fun k => f k s) n) (f (S n))).
    + rewrite IH; [reflexivity | intros k Hk; apply Hf; lia].
    + apply dom_sum; intros k Hk; apply Hf; lia.
    + apply Hf; lia.
Qed.

(** * Strict positivity, from the mass at the ends *)

(** An expectation of s g(s) is positive as soon as g >= 0 on the support and g > 0 at its lower end. *)
Lemma E_pos_low : forall P g, dom P g -> (forall s, lo P <= s <= hi P -> 0 <= g s) ->
  continuity_pt g (lo P) -> 0 < g (lo P) -> 0 < E P (fun s => s * g s).
Proof.
  intros P g Hg Hpos Hc Hlo.
  destruct (Hc (g (lo P) / 2)) as [d [Hd H]]; [lra |].
  apply Rlt_le_trans with (g (lo P) / 2 * E P (fun s => s * below (lo P + d / 2) s)).
  { apply Rmult_lt_0_compat; [lra | apply mass_low; lra]. }
  rewrite <- E_scal by in_dom. apply E_monotone; [in_dom .. |].
  intros s [-> | Hs]; [lra |]. pose proof (lo_nonneg P).
  unfold below; destruct (Rle_dec s (lo P + d / 2)) as [h|h].
  - assert (g (lo P) / 2 <= g s); [| nra].
    destruct (Req_dec s (lo P)) as [-> | Hne]; [lra |].
    assert (Rabs (g s - g (lo P)) < g (lo P) / 2) as Hlt.
    { apply H. repeat split; [now apply not_eq_sym |]. simpl; unfold R_dist. rewrite Rabs_right; lra. }
    apply Rabs_def2 in Hlt. lra.
  - specialize (Hpos s Hs). nra.
Qed.

(** The same at the upper end. *)
Lemma E_pos_high : forall P g, dom P g -> (forall s, lo P <= s <= hi P -> 0 <= g s) ->
  continuity_pt g (hi P) -> 0 < g (hi P) -> 0 < E P (fun s => s * g s).
Proof.
  intros P g Hg Hpos Hc Hhi.
  destruct (Hc (g (hi P) / 2)) as [d [Hd H]]; [lra |].
  apply Rlt_le_trans with (g (hi P) / 2 * E P (fun s => s * (1 - below (hi P - d / 2) s))).
  { apply Rmult_lt_0_compat; [lra | apply mass_high; lra]. }
  rewrite <- E_scal by in_dom. apply E_monotone; [in_dom .. |].
  intros s [-> | Hs]; [lra |]. pose proof (lo_nonneg P).
  unfold below; destruct (Rle_dec s (hi P - d / 2)) as [h|h].
  - specialize (Hpos s Hs). nra.
  - assert (g (hi P) / 2 <= g s); [| nra].
    destruct (Req_dec s (hi P)) as [-> | Hne]; [lra |].
    assert (Rabs (g s - g (hi P)) < g (hi P) / 2) as Hlt.
    { apply H. repeat split; [now apply not_eq_sym |]. simpl; unfold R_dist. rewrite Rabs_left; lra. }
    apply Rabs_def2 in Hlt. lra.
Qed.

(** The mean of s is positive, and so are C and hi. *)
Lemma E_id_pos : forall P, 0 < E P (fun s => s).
Proof.
  intros P. rewrite (E_ext P _ (fun s => s * 1)) by (in_dom || (intros; ring)).
  apply E_pos_low; [in_dom | intros; lra | now apply continuity_const | lra].
Qed.

Lemma hi_pos : forall P, 0 < hi P.
Proof.
  intros P. apply Rnot_le_lt. intros H. pose proof (lo_nonneg P). pose proof (lo_hi P).
  pose proof (E_id_pos P) as Hpos.
  rewrite (E_ext_supp P _ (fun _ => 0)), E_const in Hpos by (in_dom || (intros s [-> | Hs]; lra)). lra.
Qed.

Lemma scale_pos : forall P, 0 < scale P.
Proof.
  intros P. pose proof (lo_nonneg P). apply (E_pos_low P (fun s => / (1 + s))); [in_dom | | |].
  - intros s Hs. apply Rlt_le, Rinv_0_lt_compat; lra.
  - reg; lra.
  - apply Rinv_0_lt_compat; lra.
Qed.

(** * Cauchy-Schwarz *)

Lemma cauchy_schwarz : forall P f g, dom P f -> dom P g ->
  E P (fun s => f s * g s) ^ 2 <= E P (fun s => f s ^ 2) * E P (fun s => g s ^ 2).
Proof.
  intros P f g Hf Hg.
  assert (H : forall x y, 0 <= x ^ 2 * E P (fun s => f s ^ 2) - 2 * x * y * E P (fun s => f s * g s)
                              + y ^ 2 * E P (fun s => g s ^ 2)).
  { intros x y. replace (_ + _) with (E P (fun s => (x * f s - y * g s) ^ 2)).
    - apply E_nonneg; [in_dom | intros; apply pow2_ge_0].
    - rewrite (E_ext P _ (fun s => (x ^ 2 * f s ^ 2 - (2 * x * y) * (f s * g s)) + y ^ 2 * g s ^ 2))
        by (in_dom || (intros; ring)).
      rewrite (E_plus P (fun s => x ^ 2 * f s ^ 2 - (2 * x * y) * (f s * g s)) (fun s => y ^ 2 * g s ^ 2)),
        (E_minus P (fun s => x ^ 2 * f s ^ 2) (fun s => (2 * x * y) * (f s * g s))),
        (E_scal P (x ^ 2) (fun s => f s ^ 2)), (E_scal P (2 * x * y) (fun s => f s * g s)),
        (E_scal P (y ^ 2) (fun s => g s ^ 2)) by in_dom.
      reflexivity. }
  set (A := E P (fun s => f s ^ 2)) in *. set (B := E P (fun s => f s * g s)) in *.
  set (D := E P (fun s => g s ^ 2)) in *.
  assert (HA : 0 <= A) by (apply E_nonneg; [in_dom | intros; apply pow2_ge_0]).
  assert (HD : 0 <= D) by (apply E_nonneg; [in_dom | intros; apply pow2_ge_0]).
  clearbody A B D.
  destruct (Rle_lt_or_eq_dec 0 A HA) as [Hlt | Heq].
  - specialize (H B A). assert (0 <= A * (A * D - B ^ 2)) by nra. nra.
  - specialize (H (B * (D + 1)) (B ^ 2)). rewrite <- Heq in H |- *.
    apply Rnot_lt_le. intros HB. assert (0 < B ^ 2 * B ^ 2 * (D + 2)).
    { apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat |]; lra. }
    ring_simplify in H. ring_simplify in H0. lra.
Qed.

(** * The weight alpha* and the rate kappa *)

Lemma alpha_star_pos : forall P, 0 < alpha_star P.
Proof.
  intros P. pose proof (lo_nonneg P). pose proof (lo_hi P). unfold alpha_star.
  apply Rdiv_lt_0_compat; lra.
Qed.

Lemma kappa_bounds : forall P, 0 <= kappa P < 1.
Proof.
  intros P. pose proof (lo_nonneg P). pose proof (lo_hi P). unfold kappa. split.
  - apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra].
  - apply (Rmult_lt_reg_r (2 + lo P + hi P)); [lra |].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** At alpha* the residual is kappa at the lower end and - kappa at the upper end. *)
Lemma residual_star : forall P,
  residual (alpha_star P) (lo P) = kappa P /\ residual (alpha_star P) (hi P) = - kappa P.
Proof.
  intros P. pose proof (lo_nonneg P). pose proof (lo_hi P). unfold residual, alpha_star, kappa.
  split; field; lra.
Qed.

Lemma residual_decreasing : forall a s t, 0 <= a -> s <= t -> residual a t <= residual a s.
Proof. intros a s t Ha H. unfold residual. nra. Qed.

(** |1 - alpha* lam| <= kappa on the support. *)
Lemma residual_star_bound : forall P s, lo P <= s <= hi P -> Rabs (residual (alpha_star P) s) <= kappa P.
Proof.
  intros P s Hs. destruct (residual_star P) as [Hl Hh]. pose proof (alpha_star_pos P).
  apply Rabs_le. rewrite <- Hh at 1. rewrite <- Hl. split; apply residual_decreasing; lra.
Qed.
