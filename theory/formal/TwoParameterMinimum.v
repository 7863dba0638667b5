(** A global minimiser of the two-parameter loss exists for m_lo < m_hi and T >= 2; for a constant norm the
    minimisers form a curve. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law OneParameter OneParameterLimit Embedding Polynomial Layerwise TwoParameter
  TwoParameterExclusions TwoParameterLimit.
Open Scope R_scope.

(** * Degenerate cases *)

(** At depth 1 the loss does not depend on beta. *)
Theorem depth_one : forall P alpha beta beta', loss2 P 1 alpha beta = loss2 P 1 alpha beta'.
Proof.
  intros P alpha beta beta'. rewrite !loss2_nu.
  apply nu_ext; [pose proof (dom_signal P 1 beta); in_dom | pose proof (dom_signal P 1 beta'); in_dom |].
  intros s _. unfold signal. simpl. ring.
Qed.

(** For a constant norm the minimisers are the curve alpha lam S(beta) = 1, lam = 1 + m_lo. *)
Theorem constant_norm_curve : forall P T alpha beta, lo P = hi P -> (1 <= T)%nat ->
  (minimiser2 P T alpha beta <-> alpha * signal T beta (1 + lo P) = 1).
Proof.
  intros P T alpha beta Heq HT. pose proof (scale_pos P) as HC. pose proof (lo_nonneg P) as Hlo.
  assert (Hloss : forall a b, loss2 P T a b = (1 - a * signal T b (1 + lo P)) ^ 2 * scale P).
  { intros a b. rewrite loss2_nu, <- nu_const. apply nu_ext; [pose proof (dom_signal P T b); in_dom | in_dom |].
    intros s Hs. replace s with (lo P) by lra. reflexivity. }
  split; intros H.
  - assert (Hg : 0 < signal T 0 (1 + lo P)).
    { unfold signal. pose proof (geometric_pos T (1 + 0 * (1 + lo P)) HT ltac:(lra)).
      apply Rmult_lt_0_compat; lra. }
    specialize (H (/ signal T 0 (1 + lo P)) 0). rewrite !Hloss, Rinv_l in H by lra.
    replace ((1 - 1) ^ 2 * scale P) with 0 in H by ring.
    destruct (Req_dec (1 - alpha * signal T beta (1 + lo P)) 0) as [E | Hne]; [lra |].
    pose proof (pow2_pos _ Hne). nra.
  - intros a b. rewrite !Hloss, H. replace ((1 - 1) ^ 2 * scale P) with 0 by ring.
    apply Rmult_le_pos; [apply pow2_ge_0 | lra].
Qed.

(** * Families of functions that depend continuously on a parameter *)

Section Families.
Variable P : law.

(** F h tends to F h0 uniformly on the support. *)
Definition family (F : R -> R -> R) (h0 : R) : Prop :=
  (forall h, dom P (F h)) /\ (exists M, forall s, lo P <= s <= hi P -> Rabs (F h0 s) <= M) /\
  forall eps, 0 < eps -> exists d, 0 < d /\ forall h s, Rabs (h - h0) < d -> lo P <= s <= hi P ->
    Rabs (F h s - F h0 s) <= eps.

Lemma family_constant : forall g h0 M, dom P g -> (forall s, lo P <= s <= hi P -> Rabs (g s) <= M) ->
  family (fun _ => g) h0.
Proof.
  intros g h0 M Hg HM. repeat split; [auto | now exists M |]. intros eps Heps. exists 1. split; [lra |].
  intros h s _ _. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
Qed.

Lemma family_number : forall c h0, family (fun _ _ => c) h0.
Proof. intros c h0. apply (family_constant (fun _ => c) h0 (Rabs c)); [apply dom_const | intros; lra]. Qed.

Lemma family_lam : forall h0, family (fun _ s => 1 + s) h0.
Proof.
  intros h0. apply (family_constant (fun s => 1 + s) h0 (1 + hi P)); [in_dom |].
  intros s Hs. pose proof (lo_nonneg P). rewrite Rabs_right; lra.
Qed.

Lemma family_parameter : forall h0, family (fun h _ => h) h0.
Proof.
  intros h0. repeat split; [intros; apply dom_const | now exists (Rabs h0); intros; apply Rle_refl |].
  intros eps Heps. exists eps. split; [exact Heps | intros; lra].
Qed.

Lemma family_plus : forall F G h0, family F h0 -> family G h0 -> family (fun h s => F h s + G h s) h0.
Proof.
  intros F G h0 [DF [[M HM] CF]] [DG [[N HN] CG]]. repeat split.
  - intros h. specialize (DF h). specialize (DG h). in_dom.
  - exists (M + N). intros s Hs. apply Rle_trans with (1 := Rabs_triang _ _). apply Rplus_le_compat; auto.
  - intros eps Heps. destruct (CF (eps / 2)) as [d [Hd HF]]; [lra |]. destruct (CG (eps / 2)) as [e [He HG]]; [lra |].
    exists (Rmin d e). split; [now apply Rmin_glb_lt |]. intros h s Hh Hs.
    replace (_ - _) with ((F h s - F h0 s) + (G h s - G h0 s)) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _).
    specialize (HF h s (Rlt_le_trans _ _ _ Hh (Rmin_l _ _)) Hs).
    specialize (HG h s (Rlt_le_trans _ _ _ Hh (Rmin_r _ _)) Hs). lra.
Qed.

Lemma family_mult : forall F G h0, family F h0 -> family G h0 -> family (fun h s => F h s * G h s) h0.
Proof.
  intros F G h0 [DF [[M HM] CF]] [DG [[N HN] CG]].
  assert (HM0 : 0 <= M).
  { pose proof (lo_hi P). specialize (HM (lo P) ltac:(lra)). pose proof (Rabs_pos (F h0 (lo P))). lra. }
  assert (HN0 : 0 <= N).
  { pose proof (lo_hi P). specialize (HN (lo P) ltac:(lra)). pose proof (Rabs_pos (G h0 (lo P))). lra. }
  repeat split.
  - intros h. specialize (DF h). specialize (DG h). in_dom.
  - exists (M * N). intros s Hs. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos.
  - intros eps Heps. set (k := eps / (M + N + 1)).
    assert (Hk : 0 < k) by (apply Rdiv_lt_0_compat; lra).
    assert (Hk' : k * (M + N + 1) = eps) by (unfold k; field; lra).
    destruct (CF k Hk) as [d [Hd HF]]. destruct (CG (Rmin k 1)) as [e [He HG]]; [apply Rmin_glb_lt; lra |].
    exists (Rmin d e). split; [now apply Rmin_glb_lt |]. intros h s Hh Hs.
    specialize (HF h s (Rlt_le_trans _ _ _ Hh (Rmin_l _ _)) Hs).
    specialize (HG h s (Rlt_le_trans _ _ _ Hh (Rmin_r _ _)) Hs).
    pose proof (Rmin_l k 1). pose proof (Rmin_r k 1). specialize (HM s Hs). specialize (HN s Hs).
    replace (_ - _) with ((F h s - F h0 s) * (G h s - G h0 s)
      + ((F h s - F h0 s) * G h0 s + F h0 s * (G h s - G h0 s))) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _). rewrite <- Hk'.
    apply Rle_trans with (k * 1 + (k * N + M * k)); [| lra].
    apply Rplus_le_compat; [| apply Rle_trans with (1 := Rabs_triang _ _); apply Rplus_le_compat];
      rewrite Rabs_mult; apply Rmult_le_compat; try apply Rabs_pos; lra.
Qed.

Lemma family_ext : forall F G h0, (forall h s, F h s = G h s) -> family F h0 -> family G h0.
Proof.
  intros F G h0 H [D [[M HM] C]]. repeat split.
  - intros h. apply (dom_ext P (F h)); auto.
  - exists M. intros s Hs. rewrite <- H. auto.
  - intros eps Heps. destruct (C eps Heps) as [d [Hd HF]]. exists d. split; [exact Hd |].
    intros h s Hh Hs. rewrite <- !H. auto.
Qed.

Lemma family_scal : forall c F h0, family F h0 -> family (fun h s => c * F h s) h0.
Proof. intros c F h0 HF. apply (family_mult (fun _ _ => c) F); [apply family_number | exact HF]. Qed.

Lemma family_minus : forall F G h0, family F h0 -> family G h0 -> family (fun h s => F h s - G h s) h0.
Proof.
  intros F G h0 HF HG. apply (family_ext (fun h s => F h s + -1 * G h s)); [intros; ring |].
  now apply family_plus, family_scal.
Qed.

Lemma family_pow : forall F h0 n, family F h0 -> family (fun h s => F h s ^ n) h0.
Proof.
  intros F h0 n HF; induction n as [|n IH]; [apply (family_number 1) | now apply family_mult].
Qed.

Lemma family_mixed : forall F G h0 n, family F h0 -> family G h0 -> family (fun h s => mixed n (F h s) (G h s)) h0.
Proof.
  intros F G h0 n HF HG; induction n as [|n IH]; [apply (family_number 0) |].
  apply (family_plus (fun h s => F h s ^ n)); [now apply family_pow | now apply family_mult].
Qed.

Lemma family_nu : forall F h0, family F h0 -> continuity_pt (fun h => nu P (F h)) h0.
Proof.
  intros F h0 [D [_ C]] eps Heps. pose proof (scale_pos P) as HC.
  destruct (C (eps / (2 * scale P))) as [d [Hd H]]; [apply Rdiv_lt_0_compat; lra |].
  exists d. split; [exact Hd |]. intros h [_ Hh]. simpl in *. unfold R_dist in *.
  assert (Hdiff : nu P (fun s => 1 * F h s + -1 * F h0 s) = nu P (F h) - nu P (F h0))
    by (rewrite (nu_combination P 1 (-1) (F h) (F h0)) by auto; ring).
  assert (DD : dom P (fun s => 1 * F h s + -1 * F h0 s)).
  { pose proof (D h) as D1. pose proof (D h0) as D2. in_dom. }
  destruct (nu_bounds P _ (- (eps / (2 * scale P))) (eps / (2 * scale P)) DD) as [H1 H2].
  { intros s Hs. specialize (H h s Hh Hs).
    replace (1 * F h s + -1 * F h0 s) with (F h s - F h0 s) by ring.
    revert H. unfold Rabs. destruct (Rcase_abs (F h s - F h0 s)); lra. }
  rewrite Hdiff in H1, H2.
  replace (- (eps / (2 * scale P)) * scale P) with (- (eps / 2)) in H1 by (field; lra).
  replace (eps / (2 * scale P) * scale P) with (eps / 2) in H2 by (field; lra).
  apply Rabs_def1; lra.
Qed.

End Families.

(** A function that is continuous and not negative on [a, b] attains its minimum there: at the supremum of the
    points up to which it stays away from its infimum. *)
Lemma attains_minimum : forall f a b, a <= b -> (forall t, a <= t <= b -> continuity_pt f t) ->
  (forall t, a <= t <= b -> 0 <= f t) -> exists x, a <= x <= b /\ forall t, a <= t <= b -> f x <= f t.
Proof.
  intros f a b Hab Hc Hpos.
  destruct (completeness (fun y => exists t, a <= t <= b /\ y = - f t)) as [m' [Hub Hlub]].
  { exists 0. intros y [t [Ht ->]]. specialize (Hpos t Ht). lra. }
  { exists (- f a). exists a. split; [lra | reflexivity]. }
  set (m := - m').
  assert (Hm : forall t, a <= t <= b -> m <= f t).
  { intros t Ht. assert (- f t <= m') by (apply Hub; now exists t). unfold m. lra. }
  assert (Hinf : forall e, 0 < e -> ~ forall t, a <= t <= b -> m + e <= f t).
  { intros e He H. assert (m' <= m' - e); [| lra]. apply Hlub. intros y [t [Ht ->]].
    specialize (H t Ht). unfold m in H. lra. }
  set (away := fun c => exists e, 0 < e /\ forall t, a <= t <= c -> m + e <= f t).
  destruct (completeness (fun c => c = a \/ (a <= c <= b /\ away c))) as [x [Hxub Hxlub]].
  { exists b. intros c [-> | [Hcab _]]; lra. }
  { exists a. now left. }
  assert (Hax : a <= x) by (apply Hxub; now left).
  assert (Hxb : x <= b) by (apply Hxlub; intros c [-> | [Hcab _]]; lra).
  exists x. split; [lra |].
  assert (Hfx : f x <= m).
  { apply Rnot_lt_le. intros Hlt.
    destruct (Hc x (conj Hax Hxb) ((f x - m) / 2)) as [d [Hd Hf]]; [lra |].
    assert (Hnear : forall t, Rabs (t - x) < d -> m + (f x - m) / 2 <= f t).
    { intros t Ht. destruct (Req_dec t x) as [-> | Hne]; [lra |].
      assert (Hft : Rabs (f t - f x) < (f x - m) / 2).
      { apply Hf. repeat split; [now apply not_eq_sym | exact Ht]. }
      apply Rabs_def2 in Hft. lra. }
    assert (Hstep : forall c, (c = a \/ (a <= c <= b /\ away c)) -> x - d < c -> False).
    { intros c Hcin Hcx. assert (Hcle : c <= x) by (apply Hxub; exact Hcin).
      assert (Hext : forall y, c <= y < x + d -> away y).
      { intros y Hy. destruct Hcin as [-> | [Hcab [e [He HeF]]]].
        - exists ((f x - m) / 2). split; [lra |]. intros t Ht. apply Hnear, Rabs_def1; lra.
        - exists (Rmin e ((f x - m) / 2)). split; [apply Rmin_glb_lt; lra |]. intros t Ht.
          pose proof (Rmin_l e ((f x - m) / 2)). pose proof (Rmin_r e ((f x - m) / 2)).
          destruct (Rle_lt_dec t c) as [Htc | Htc].
          + specialize (HeF t ltac:(lra)). lra.
          + assert (m + (f x - m) / 2 <= f t); [| lra]. apply Hnear, Rabs_def1; lra. }
      assert (Hac : a <= c) by (destruct Hcin as [-> | [Hcab _]]; lra).
      destruct (Rle_lt_dec b (x + d / 2)) as [Hb | Hb].
      - destruct (Hext b ltac:(lra)) as [e [He HeF]]. now apply (Hinf e).
      - assert (x + d / 2 <= x); [| lra]. apply Hxub. right. split; [lra | apply Hext; lra]. }
    assert (x <= x - d); [| lra]. apply Hxlub. intros c Hcin. apply Rnot_lt_le. intros Hcx.
    now apply (Hstep c). }
  intros t Ht. specialize (Hm t Ht). lra.
Qed.
