(** The derivative of an expectation: integrands that are differentiable in t uniformly on the support. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law.
Open Scope R_scope.

Section Derivative.
Variable P : law.

(** f t s is differentiable at t with the derivative f' s, uniformly in s. *)
Record uniformly (f : R -> R -> R) (t : R) (f' : R -> R) : Prop := {
  u_dom : forall t, dom P (f t);
  u_dom' : dom P f';
  u_bound : exists M, 0 <= M /\ forall s, supp P s -> Rabs (f t s) <= M /\ Rabs (f' s) <= M;
  u_limit : forall eps, 0 < eps -> exists d, 0 < d /\ forall h, Rabs h < d -> forall s, supp P s ->
    Rabs (f (t + h) s - f t s - h * f' s) <= eps * Rabs h
}.

Lemma uniformly_E : forall f t f', uniformly f t f' -> derivable_pt_lim (fun t => E P (f t)) t (E P f').
Proof.
  intros f t f' [Df Df' _ Hlim] eps Heps. destruct (Hlim (eps / 2)) as [d [Hd H]]; [lra |].
  exists (mkposreal d Hd). intros h Hh Hlt. simpl in Hlt. specialize (H h Hlt).
  pose proof (Df (t + h)) as D1. pose proof (Df t) as D2.
  assert (Hval : E P (f (t + h)) - E P (f t) - h * E P f' = E P (fun s => f (t + h) s - f t s - h * f' s)).
  { rewrite (E_minus P (fun s => f (t + h) s - f t s) (fun s => h * f' s)),
      (E_minus P (f (t + h)) (f t)), (E_scal P h f') by in_dom. reflexivity. }
  assert (Habs : Rabs (E P (fun s => f (t + h) s - f t s - h * f' s)) <= eps / 2 * Rabs h).
  { apply Rabs_le. split.
    - rewrite <- (E_const P (- (eps / 2 * Rabs h))). apply E_monotone; [in_dom | in_dom |]. intros s Hs.
      specialize (H s Hs). revert H. unfold Rabs at 1. destruct (Rcase_abs _); lra.
    - rewrite <- (E_const P (eps / 2 * Rabs h)). apply E_monotone; [in_dom | in_dom |]. intros s Hs.
      specialize (H s Hs). revert H. unfold Rabs at 1. destruct (Rcase_abs _); lra. }
  rewrite <- Hval in Habs. pose proof (Rabs_pos_lt h Hh) as Hpos.
  replace ((E P (f (t + h)) - E P (f t)) / h - E P f')
    with ((E P (f (t + h)) - E P (f t) - h * E P f') / h) by (field; exact Hh).
  unfold Rdiv. rewrite Rabs_mult, Rabs_inv. apply (Rmult_lt_reg_r (Rabs h)); [exact Hpos |].
  rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

Lemma uniformly_const : forall c t, dom P c -> (exists M, 0 <= M /\ forall s, supp P s -> Rabs (c s) <= M) ->
  uniformly (fun _ => c) t (fun _ => 0).
Proof.
  intros c t Hc [M [HM H]]. split; [intros; exact Hc | in_dom | |].
  - exists M. split; [exact HM |]. intros s Hs. rewrite Rabs_R0. auto.
  - intros eps Heps. exists 1. split; [lra |]. intros h _ s _. rewrite Rmult_0_r, Rminus_0_r, Rminus_diag_eq, Rabs_R0 by reflexivity.
    apply Rmult_le_pos; [lra | apply Rabs_pos].
Qed.

(** The factor 1 - x(t) lam of a layer. *)
Lemma uniformly_factor : forall (x : R -> R) t x', derivable_pt_lim x t x' ->
  uniformly (fun t s => 1 - x t * (1 + s)) t (fun s => - x' * (1 + s)).
Proof.
  intros x t x' Hx. pose proof (hi_pos P) as Hh. pose proof (lo_nonneg P).
  assert (Hs : forall s, supp P s -> 0 <= 1 + s <= 1 + hi P) by (intros s [-> | Hs]; lra).
  split; [intros; in_dom | in_dom | |].
  - exists (1 + Rabs (x t) * (1 + hi P) + Rabs x' * (1 + hi P)).
    assert (0 <= Rabs (x t) * (1 + hi P)) by (apply Rmult_le_pos; [apply Rabs_pos | lra]).
    assert (0 <= Rabs x' * (1 + hi P)) by (apply Rmult_le_pos; [apply Rabs_pos | lra]).
    split; [lra |]. intros s Hsup. specialize (Hs s Hsup). split.
    + eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_R1, Rabs_Ropp, Rabs_mult, (Rabs_right (1 + s)) by lra.
      assert (Rabs (x t) * (1 + s) <= Rabs (x t) * (1 + hi P)); [| lra].
      apply Rmult_le_compat_l; [apply Rabs_pos | lra].
    + rewrite Rabs_mult, Rabs_Ropp, (Rabs_right (1 + s)) by lra.
      assert (Rabs x' * (1 + s) <= Rabs x' * (1 + hi P)); [| lra].
      apply Rmult_le_compat_l; [apply Rabs_pos | lra].
  - intros eps Heps. destruct (Hx (eps / (1 + hi P))) as [d Hd]; [apply Rdiv_lt_0_compat; lra |].
    exists d. split; [apply cond_pos |]. intros h Hlt s Hsup. specialize (Hs s Hsup).
    destruct (Req_dec h 0) as [-> | Hh0].
    + rewrite Rplus_0_r, Rmult_0_l, !Rminus_diag_eq, Rabs_R0 by lra. lra.
    + specialize (Hd h Hh0 Hlt).
      replace (1 - x (t + h) * (1 + s) - (1 - x t * (1 + s)) - h * (- x' * (1 + s)))
        with (- (((x (t + h) - x t) / h - x') * h * (1 + s))) by (field; exact Hh0).
      rewrite Rabs_Ropp, !Rabs_mult, (Rabs_right (1 + s)) by lra.
      pose proof (Rabs_pos h). apply Rle_trans with (eps / (1 + hi P) * Rabs h * (1 + s)).
      * apply Rmult_le_compat_r; [lra |]. apply Rmult_le_compat_r; lra.
      * apply Rle_trans with (eps / (1 + hi P) * Rabs h * (1 + hi P)).
        { apply Rmult_le_compat_l; [| lra]. apply Rmult_le_pos; [| assumption].
          apply Rlt_le, Rdiv_lt_0_compat; lra. }
        right. field. lra.
Qed.

Lemma uniformly_mult : forall f g t f' g', uniformly f t f' -> uniformly g t g' ->
  uniformly (fun t s => f t s * g t s) t (fun s => f' s * g t s + f t s * g' s).
Proof.
  intros f g t f' g' [Df Df' [M [HM Hf]] Lf] [Dg Dg' [N [HN Hg]] Lg].
  pose proof (Df t) as Dft. pose proof (Dg t) as Dgt.
  split; [intros u; pose proof (Df u); pose proof (Dg u); in_dom | in_dom | |].
  - exists (M * N + (M * N + M * N)). assert (HMN : 0 <= M * N) by now apply Rmult_le_pos.
    split; [lra |]. intros s Hs. destruct (Hf s Hs) as [F1 F2]. destruct (Hg s Hs) as [G1 G2].
    assert (Hprod : forall u v, Rabs u <= M -> Rabs v <= N -> Rabs (u * v) <= M * N).
    { intros u v Hu Hv. rewrite Rabs_mult. apply Rmult_le_compat; try apply Rabs_pos; assumption. }
    split; [specialize (Hprod _ _ F1 G1); lra |]. eapply Rle_trans; [apply Rabs_triang |].
    pose proof (Hprod _ _ F2 G1). pose proof (Hprod _ _ F1 G2). lra.
  - intros eps Heps. set (e := eps / (2 * (M + 2 * N + 2))).
    assert (He : 0 < e) by (apply Rdiv_lt_0_compat; lra).
    destruct (Lf (Rmin e 1)) as [d1 [Hd1 H1]]; [apply Rmin_glb_lt; lra |].
    destruct (Lg (Rmin e 1)) as [d2 [Hd2 H2]]; [apply Rmin_glb_lt; lra |].
    set (d3 := eps / (2 * ((M + 1) * (N + 1) + 1))).
    assert (HMN : 0 < (M + 1) * (N + 1)) by (apply Rmult_lt_0_compat; lra).
    assert (Hd3 : 0 < d3) by (apply Rdiv_lt_0_compat; lra).
    exists (Rmin (Rmin d1 d2) (Rmin d3 1)). split; [repeat apply Rmin_glb_lt; lra |].
    intros h Hlt s Hs.
    assert (Hh : Rabs h < d1 /\ Rabs h < d2 /\ Rabs h < d3 /\ Rabs h < 1).
    { pose proof (Rmin_l (Rmin d1 d2) (Rmin d3 1)). pose proof (Rmin_r (Rmin d1 d2) (Rmin d3 1)).
      pose proof (Rmin_l d1 d2). pose proof (Rmin_r d1 d2). pose proof (Rmin_l d3 1). pose proof (Rmin_r d3 1). lra. }
    destruct Hh as [Hh1 [Hh2 [Hh3 Hh4]]]. specialize (H1 h Hh1 s Hs). specialize (H2 h Hh2 s Hs).
    destruct (Hf s Hs) as [F1 F2]. destruct (Hg s Hs) as [G1 G2].
    pose proof (Rmin_l e 1) as Hm1. pose proof (Rmin_r e 1) as Hm2. pose proof (Rabs_pos h) as Hh0.
    set (a := f (t + h) s - f t s - h * f' s) in *. set (b := g (t + h) s - g t s - h * g' s) in *.
    assert (Ha : Rabs a <= e * Rabs h) by (apply Rle_trans with (1 := H1); apply Rmult_le_compat_r; lra).
    assert (Hb : Rabs b <= e * Rabs h) by (apply Rle_trans with (1 := H2); apply Rmult_le_compat_r; lra).
    assert (Hb1 : Rabs b <= Rabs h).
    { apply Rle_trans with (1 := H2). rewrite <- (Rmult_1_l (Rabs h)) at 2. apply Rmult_le_compat_r; lra. }
    assert (Hstep : Rabs (h * g' s + b) <= (N + 1) * Rabs h).
    { eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_mult.
      assert (Rabs h * Rabs (g' s) <= Rabs h * N) by (apply Rmult_le_compat_l; lra). lra. }
    assert (Hnext : Rabs (g t s + (h * g' s + b)) <= N + (N + 1)).
    { eapply Rle_trans; [apply Rabs_triang |].
      assert ((N + 1) * Rabs h <= (N + 1) * 1) by (apply Rmult_le_compat_l; lra). lra. }
    replace (f (t + h) s * g (t + h) s - f t s * g t s - h * (f' s * g t s + f t s * g' s))
      with (a * (g t s + (h * g' s + b)) + f t s * b + h * f' s * (h * g' s + b)) by (unfold a, b; ring).
    eapply Rle_trans; [apply Rabs_triang |]. eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang |].
    rewrite !Rabs_mult.
    assert (T1 : Rabs a * Rabs (g t s + (h * g' s + b)) <= e * Rabs h * (N + (N + 1))).
    { apply Rmult_le_compat; try apply Rabs_pos; assumption. }
    assert (T2 : Rabs (f t s) * Rabs b <= M * (e * Rabs h)) by (apply Rmult_le_compat; try apply Rabs_pos; assumption).
    assert (T3 : Rabs h * Rabs (f' s) * Rabs (h * g' s + b) <= Rabs h * M * ((N + 1) * Rabs h)).
    { apply Rmult_le_compat; try apply Rabs_pos; try assumption.
      - apply Rmult_le_pos; apply Rabs_pos.
      - apply Rmult_le_compat_l; lra. }
    assert (S1 : e * (M + 2 * N + 1) <= eps / 2).
    { apply Rle_trans with (e * (M + 2 * N + 2)); [apply Rmult_le_compat_l; lra |].
      right. unfold e. field. lra. }
    assert (S2 : M * (N + 1) * Rabs h <= eps / 2).
    { apply Rle_trans with (((M + 1) * (N + 1) + 1) * d3); [| right; unfold d3; field; lra].
      apply Rmult_le_compat; try lra. apply Rmult_le_pos; lra. }
    apply (Rmult_le_compat_r (Rabs h)) in S1; [| exact Hh0]. apply (Rmult_le_compat_r (Rabs h)) in S2; [| exact Hh0].
    lra.
Qed.

End Derivative.
