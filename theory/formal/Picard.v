(** A system of equations x_i' = G_i(x) whose right hand side is bounded and Lipschitz, in the largest modulus of the
    coordinates, has a solution for all time from every start: Picard's iteration in a norm weighted by exp(-2 K t).
    The integrals are Coquelicot's. *)
From Coq Require Import Reals Lra Lia.
#[local] Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
From Formal Require Import Law Flow LayerwiseLandscape LayerwiseFlow.
Open Scope R_scope.

(** * Sequences whose steps halve *)

Lemma small_half : forall c d, 0 < d -> exists n, c / 2 ^ n < d.
Proof.
  intros c d Hd. destruct (pow_lt_1_zero (/ 2)) with (y := d / (Rabs c + 1)) as [n Hn].
  - rewrite Rabs_right; lra.
  - apply Rdiv_lt_0_compat; [exact Hd | pose proof (Rabs_pos c); lra].
  - exists n. specialize (Hn n (Nat.le_refl n)). pose proof (Rabs_pos c) as Hc.
    assert (Hp : 0 < / 2 ^ n) by (apply Rinv_0_lt_compat, pow_lt; lra).
    rewrite pow_inv, Rabs_right in Hn by (apply Rle_ge, Rlt_le, Hp).
    apply Rle_lt_trans with ((Rabs c + 1) * / 2 ^ n).
    + apply Rmult_le_compat_r; [lra |]. pose proof (Rle_abs c). lra.
    + apply (Rmult_lt_compat_l (Rabs c + 1)) in Hn; [| lra].
      replace ((Rabs c + 1) * (d / (Rabs c + 1))) with d in Hn by (field; lra). exact Hn.
Qed.

Lemma le_half : forall a b c, (forall n, a <= b + c / 2 ^ n) -> a <= b.
Proof.
  intros a b c H. apply Rnot_lt_le. intros Hlt. destruct (small_half c (a - b)) as [n Hn]; [lra |].
  specialize (H n). lra.
Qed.

Lemma halving_limit : forall (u : nat -> R) c, (forall n, Rabs (u (S n) - u n) <= c / 2 ^ n) ->
  { l | forall n, Rabs (u n - l) <= 2 * c / 2 ^ n }.
Proof.
  intros u c H. set (w := fun n => 2 * c / 2 ^ n).
  assert (Hw : forall n, w n = w (S n) + c / 2 ^ n).
  { intros n. unfold w. simpl pow. field. apply pow_nonzero. lra. }
  assert (Hc : 0 <= c) by (specialize (H 0%nat); simpl in H; pose proof (Rabs_pos (u 1%nat - u 0%nat)); lra).
  assert (Hpos : forall n, 0 <= w n).
  { intros n. apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, pow_lt; lra]. }
  assert (Hstep : forall n, u n - w n <= u (S n) - w (S n) /\ u (S n) + w (S n) <= u n + w n).
  { intros n. destruct (abs_le_bounds _ _ (H n)). rewrite (Hw n). lra. }
  assert (Hmono : forall m n, (m <= n)%nat -> u m - w m <= u n - w n /\ u n + w n <= u m + w m).
  { intros m n Hmn. induction Hmn as [|n Hmn IH]; [lra |]. specialize (Hstep n). lra. }
  destruct (completeness (fun y => exists n, y = u n - w n)) as [l [Hub Hlub]].
  - exists (u 0%nat + w 0%nat). intros y [n ->]. destruct (Hmono 0%nat n ltac:(lia)). specialize (Hpos n). lra.
  - exists (u 0%nat - w 0%nat). now exists 0%nat.
  - exists l. intros n. change (2 * c / 2 ^ n) with (w n). apply Rabs_le. split.
    + assert (l <= u n + w n); [| lra]. apply Hlub. intros y [m ->].
      destruct (Nat.le_ge_cases m n) as [Hmn | Hmn]; destruct (Hmono _ _ Hmn);
        specialize (Hpos n) as Hn; specialize (Hpos m) as Hm; lra.
    + assert (u n - w n <= l); [| lra]. apply Hub. now exists n.
Qed.

(** * Bounds from derivatives *)

Lemma linear_derivative : forall c t, derivable_pt_lim (fun u => c * u) t c.
Proof.
  intros c t. pose proof (derivable_pt_lim_scal id c t 1 (derivable_pt_lim_id t)) as H. now rewrite Rmult_1_r in H.
Qed.

Definition lip (M : R) (f : R -> R) : Prop := forall s t, Rabs (f t - f s) <= M * Rabs (t - s).

Lemma lip_continuous : forall M f, lip M f -> continuity f.
Proof.
  intros M f H t eps Heps. pose proof (Rabs_pos M) as HM. exists (eps / (Rabs M + 1)). split.
  - apply Rdiv_lt_0_compat; lra.
  - intros s [_ Hs]. simpl in *. unfold R_dist in *. apply Rle_lt_trans with (1 := H t s).
    pose proof (Rabs_pos (s - t)). pose proof (Rle_abs M).
    apply Rle_lt_trans with ((Rabs M + 1) * Rabs (s - t)); [nra |].
    apply (Rmult_lt_compat_l (Rabs M + 1)) in Hs; [| lra].
    replace ((Rabs M + 1) * (eps / (Rabs M + 1))) with eps in Hs by (field; lra). exact Hs.
Qed.

Lemma lip_of_derivative : forall M f f', (forall t, derivable_pt_lim f t (f' t)) -> (forall t, Rabs (f' t) <= M) ->
  lip M f.
Proof.
  intros M f f' Hd HM.
  assert (H : forall s t, s <= t -> Rabs (f t - f s) <= M * (t - s)).
  { intros s t Hst.
    pose proof (linear_derivative M) as Hlin.
    assert (H1 : f t - M * t <= f s - M * s).
    { apply (nonincreasing (fun u => f u - M * u) (fun u => f' u - M)); [exact Hst | |].
      - intros u _. apply derivable_continuous_pt. eexists.
        apply (derivable_pt_lim_minus f (fun u => M * u)); [apply Hd | apply Hlin].
      - intros u _. split; [now apply (derivable_pt_lim_minus f (fun u => M * u)) |].
        destruct (abs_le_bounds _ _ (HM u)). lra. }
    assert (H2 : - f t - M * t <= - f s - M * s).
    { apply (nonincreasing (fun u => - f u - M * u) (fun u => - f' u - M)); [exact Hst | |].
      - intros u _. apply derivable_continuous_pt. eexists.
        apply (derivable_pt_lim_minus (fun u => - f u) (fun u => M * u)); [apply derivable_pt_lim_opp, Hd | apply Hlin].
      - intros u _. split; [apply (derivable_pt_lim_minus (fun u => - f u) (fun u => M * u));
          [now apply derivable_pt_lim_opp | apply Hlin] |].
        destruct (abs_le_bounds _ _ (HM u)). lra. }
    apply Rabs_le. lra. }
  intros s t. destruct (Rle_dec s t) as [Hst | Hst].
  - rewrite (Rabs_right (t - s)) by lra. now apply H.
  - rewrite Rabs_minus_sym, (Rabs_left (t - s)) by lra. replace (- (t - s)) with (s - t) by ring. apply H. lra.
Qed.

(** The weight exp(2 K t) halves a difference whose derivative is K times as large. *)
Lemma halved : forall K C w f f', 0 < K -> 0 <= C -> 0 <= w -> f 0 = 0 ->
  (forall t, 0 <= t -> derivable_pt_lim f t (f' t)) ->
  (forall t, 0 <= t -> Rabs (f' t) <= K * (w * (C * exp (2 * K * t)))) ->
  forall t, 0 <= t -> Rabs (f t) <= w / 2 * (C * exp (2 * K * t)).
Proof.
  intros K C w f f' HK HC Hw H0 Hd Hb t Ht. set (g := fun t => w / 2 * (C * exp (2 * K * t))).
  assert (Hg : forall u, derivable_pt_lim g u (K * (w * (C * exp (2 * K * u))))).
  { intros u. unfold g.
    replace (K * (w * (C * exp (2 * K * u)))) with (w / 2 * (C * (exp (2 * K * u) * (2 * K)))) by field.
    apply (derivable_pt_lim_scal (fun t => C * exp (2 * K * t))), (derivable_pt_lim_scal (fun t => exp (2 * K * t))).
    apply (derivable_pt_lim_comp (fun u => 2 * K * u) exp); [apply linear_derivative | apply derivable_pt_lim_exp]. }
  assert (Hg0 : 0 <= g 0).
  { unfold g. apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; [exact HC | apply Rlt_le, exp_pos]. }
  assert (H1 : f t - g t <= f 0 - g 0).
  { assert (Hfg : forall u, 0 <= u ->
      derivable_pt_lim (fun u => f u - g u) u (f' u - K * (w * (C * exp (2 * K * u))))).
    { intros u Hu. apply derivable_pt_lim_minus; [now apply Hd | apply Hg]. }
    apply (nonincreasing (fun u => f u - g u) (fun u => f' u - K * (w * (C * exp (2 * K * u))))); [exact Ht | |].
    - intros u Hu. apply derivable_continuous_pt. eexists. apply Hfg. lra.
    - intros u Hu. split; [apply Hfg; lra |]. destruct (abs_le_bounds _ _ (Hb u ltac:(lra))). lra. }
  assert (H2 : - f t - g t <= - f 0 - g 0).
  { assert (Hfg : forall u, 0 <= u ->
      derivable_pt_lim (fun u => - f u - g u) u (- f' u - K * (w * (C * exp (2 * K * u))))).
    { intros u Hu. apply (derivable_pt_lim_minus (fun u => - f u) g); [now apply derivable_pt_lim_opp, Hd | apply Hg]. }
    apply (nonincreasing (fun u => - f u - g u) (fun u => - f' u - K * (w * (C * exp (2 * K * u))))); [exact Ht | |].
    - intros u Hu. apply derivable_continuous_pt. eexists. apply Hfg. lra.
    - intros u Hu. split; [apply Hfg; lra |]. destruct (abs_le_bounds _ _ (Hb u ltac:(lra))). lra. }
  fold (g t). apply Rabs_le. lra.
Qed.

Lemma integral_derivative : forall c f t, continuity f -> derivable_pt_lim (fun t => c + RInt f 0 t) t (f t).
Proof.
  intros c f t Hf. replace (f t) with (0 + f t) by ring.
  apply (derivable_pt_lim_plus (fun _ => c)); [apply derivable_pt_lim_const |].
  apply is_derive_Reals. apply (is_derive_RInt f (RInt f 0) 0 t).
  - apply filter_forall. intros y. apply (RInt_correct (V := R_CompleteNormedModule)).
    apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply continuity_pt_filterlim, Hf.
  - apply continuity_pt_filterlim, Hf.
Qed.

Section Picard.
Variables (G : (nat -> R) -> nat -> R) (x0 : nat -> R) (M K : R).
Hypothesis HM : 0 <= M.
Hypothesis HK : 0 < K.
Hypothesis bounded : forall y i, Rabs (G y i) <= M.
Hypothesis lipschitz : forall y y' d, (forall k, Rabs (y k - y' k) <= d) -> forall i, Rabs (G y i - G y' i) <= K * d.

Definition step (x : nat -> R -> R) (i : nat) (t : R) : R := x0 i + RInt (fun s => G (fun k => x k s) i) 0 t.
Fixpoint iterate (n : nat) : nat -> R -> R := match n with O => fun i _ => x0 i | S m => step (iterate m) end.

Lemma step_derivative : forall x i t, (forall k, lip M (x k)) ->
  derivable_pt_lim (step x i) t (G (fun k => x k t) i).
Proof.
  intros x i t Hx. apply (integral_derivative (x0 i) (fun s => G (fun k => x k s) i)).
  apply (lip_continuous (K * M)). intros s u. rewrite Rmult_assoc. apply lipschitz. intros k. apply Hx.
Qed.

Lemma step_lip : forall x i, (forall k, lip M (x k)) -> lip M (step x i).
Proof.
  intros x i Hx. apply (lip_of_derivative M _ (fun t => G (fun k => x k t) i)); [| intros; apply bounded].
  intros t. now apply step_derivative.
Qed.

Lemma step_at_0 : forall x i, step x i 0 = x0 i.
Proof. intros x i. unfold step. rewrite (RInt_point (V := R_CompleteNormedModule) 0 _). apply Rplus_0_r. Qed.

Lemma iterate_lip : forall n i, lip M (iterate n i).
Proof.
  intros n; induction n as [|n IH]; intros i; simpl; [| now apply step_lip].
  intros s t. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. apply Rmult_le_pos; [exact HM | apply Rabs_pos].
Qed.

(** Two steps are half as far apart as what they start from. *)
Lemma steps_close : forall x y w, (forall k, lip M (x k)) -> (forall k, lip M (y k)) -> 0 <= w ->
  (forall k t, 0 <= t -> Rabs (x k t - y k t) <= w * (M / K * exp (2 * K * t))) ->
  forall i t, 0 <= t -> Rabs (step x i t - step y i t) <= w / 2 * (M / K * exp (2 * K * t)).
Proof.
  intros x y w Hx Hy Hw H i t Ht.
  apply (halved K (M / K) w (fun t => step x i t - step y i t)
    (fun t => G (fun k => x k t) i - G (fun k => y k t) i)); trivial.
  - apply Rmult_le_pos; [exact HM | apply Rlt_le, Rinv_0_lt_compat, HK].
  - rewrite !step_at_0. ring.
  - intros u _. apply derivable_pt_lim_minus; now apply step_derivative.
  - intros u Hu. apply lipschitz. intros k. now apply H.
Qed.

Lemma iterates_close : forall n i t, 0 <= t ->
  Rabs (iterate (S n) i t - iterate n i t) <= / 2 ^ n * (M / K * exp (2 * K * t)).
Proof.
  intros n; induction n as [|n IH]; intros i t Ht.
  - pose proof (iterate_lip 1 i 0 t) as H. simpl iterate in *. rewrite step_at_0, Rminus_0_r, (Rabs_right t) in H by lra.
    apply Rle_trans with (1 := H). simpl pow. rewrite Rinv_1, Rmult_1_l.
    destruct (exp_ge (2 * K * t)) as [_ He]; [apply Rmult_le_pos; lra |].
    replace (M * t) with (M / K * (K * t)) by (field; lra). apply Rmult_le_compat_l.
    + apply Rmult_le_pos; [exact HM | apply Rlt_le, Rinv_0_lt_compat, HK].
    + assert (0 <= K * t) by (apply Rmult_le_pos; lra). lra.
  - replace (/ 2 ^ S n) with (/ 2 ^ n / 2) by (simpl; field; apply pow_nonzero; lra).
    change (Rabs (step (iterate (S n)) i t - step (iterate n) i t) <= / 2 ^ n / 2 * (M / K * exp (2 * K * t))).
    apply steps_close; trivial; try apply iterate_lip. apply Rlt_le, Rinv_0_lt_compat, pow_lt. lra.
Qed.

(** Theorem (Picard, Lindeloef): a solution for all time. *)
Theorem picard : exists x : nat -> R -> R,
  (forall i, x i 0 = x0 i) /\ (forall i, lip M (x i)) /\
  forall i t, 0 <= t -> derivable_pt_lim (x i) t (G (fun k => x k t) i).
Proof.
  set (W := fun t => M / K * exp (2 * K * t)).
  assert (Hlim : forall i t, { l | forall n, Rabs (iterate n i (Rmax t 0) - l) <= 2 * W (Rmax t 0) / 2 ^ n }).
  { intros i t. apply halving_limit. intros n. unfold Rdiv. rewrite Rmult_comm.
    apply iterates_close, Rmax_r. }
  set (y := fun i t => proj1_sig (Hlim i t)).
  assert (Hy : forall i t n, Rabs (iterate n i (Rmax t 0) - y i t) <= 2 * W (Rmax t 0) / 2 ^ n).
  { intros i t. exact (proj2_sig (Hlim i t)). }
  assert (Hmax : forall s t, Rabs (Rmax t 0 - Rmax s 0) <= Rabs (t - s)).
  { intros s t. unfold Rmax. destruct (Rle_dec t 0), (Rle_dec s 0); unfold Rabs;
      repeat match goal with |- context [Rcase_abs ?x] => destruct (Rcase_abs x) end; lra. }
  assert (Hylip : forall i, lip M (y i)).
  { intros i s t. apply (le_half _ _ (2 * W (Rmax t 0) + 2 * W (Rmax s 0))). intros n.
    pose proof (Hy i t n) as Ht. pose proof (Hy i s n) as Hs.
    pose proof (iterate_lip n i (Rmax s 0) (Rmax t 0)) as Hl.
    pose proof (Rmult_le_compat_l M _ _ HM (Hmax s t)) as Hm.
    apply abs_le_bounds in Ht. apply abs_le_bounds in Hs. apply abs_le_bounds in Hl.
    unfold Rdiv in *. rewrite Rmult_plus_distr_r. apply Rabs_le. lra. }
  exists (step y). split; [intros i; apply step_at_0 |]. split; [intros i; now apply step_lip |].
  assert (Heq : forall i t, 0 <= t -> y i t = step y i t).
  { intros i t Ht. apply Rminus_diag_uniq. apply Rabs_eq_0. apply Rle_antisym; [| apply Rabs_pos].
    apply (le_half _ _ (2 * W t)). intros n. pose proof (Hy i t (S n)) as H1. rewrite Rmax_left in H1 by exact Ht.
    assert (H2 : Rabs (iterate (S n) i t - step y i t) <= 2 * / 2 ^ n / 2 * W t).
    { apply (steps_close (iterate n) y (2 * / 2 ^ n)); trivial; [apply iterate_lip | |].
      - apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, pow_lt; lra].
      - intros k u Hu. pose proof (Hy k u n) as H3. rewrite Rmax_left in H3 by exact Hu.
        unfold Rdiv in *. fold (W u). lra. }
    replace (2 * W t / 2 ^ S n) with (W t * / 2 ^ n) in H1 by (simpl; field; apply pow_nonzero; lra).
    replace (2 * / 2 ^ n / 2 * W t) with (W t * / 2 ^ n) in H2 by (field; apply pow_nonzero; lra).
    apply abs_le_bounds in H1. apply abs_le_bounds in H2. unfold Rdiv. apply Rabs_le. lra. }
  intros i t Ht. replace (G (fun k => step y k t) i) with (G (fun k => y k t) i); [now apply step_derivative |].
  apply Rminus_diag_uniq. apply Rabs_eq_0. apply Rle_antisym; [| apply Rabs_pos].
  rewrite <- (Rmult_0_r K). apply lipschitz. intros k.
  rewrite Heq, Rminus_diag_eq, Rabs_R0 by trivial. lra.
Qed.

End Picard.
