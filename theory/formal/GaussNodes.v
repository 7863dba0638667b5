(** The best residual of depth T has T simple zeros strictly between the ends of the support, the Gauss nodes of
    s dP in lam, for N > T, and leaves no excess for N <= T. *)
From Coq Require Import Reals List Lra Lia.
From Formal Require Import Law Polynomial Layerwise LayerwiseLandscape PolynomialSigns.
Import ListNotations.
Open Scope R_scope.

(** A law with more than n points does not let a polynomial of degree at most n vanish unless all of it does. *)
Lemma pts_square_pos : forall P n f x, pts P n -> degree n f -> f x <> 0 -> 0 < E P (fun s => s * f (1 + s) ^ 2).
Proof.
  intros P n f x Hpts [c Hc] Hx.
  assert (H : exists k, (k <= n)%nat /\ c k <> 0).
  { assert (Hdec : forall m, (exists k, (k <= m)%nat /\ c k <> 0) \/ forall k, (k <= m)%nat -> c k = 0).
    { intros m; induction m as [|m [[k [Hk H]] | IH]].
      - destruct (Req_dec (c 0%nat) 0) as [H | H]; [right | left; now exists 0%nat].
        intros k Hk. now replace k with 0%nat by lia.
      - left. exists k. split; [lia | exact H].
      - destruct (Req_dec (c (S m)) 0) as [H | H]; [right | left; now exists (S m)].
        intros k Hk. destruct (Nat.eq_dec k (S m)) as [-> | Hne]; [exact H | apply IH; lia]. }
    destruct (Hdec n) as [H | H]; [exact H |]. exfalso. apply Hx. rewrite Hc. unfold poly.
    rewrite (sum_eq _ (fun _ => 0)), sum_cte; [ring |]. intros k Hk. rewrite H by exact Hk. ring. }
  specialize (Hpts c H). apply Rlt_le_trans with (1 := Hpts). right.
  apply E_ext; [in_dom |]. intros s. now rewrite Hc.
Qed.

Lemma pts_wide : forall P n, pts P (S n) -> lo P < hi P.
Proof.
  intros P n Hpts. apply Rnot_le_lt. intros H. pose proof (lo_hi P).
  assert (Hd : degree (S n) (fun x => - (1 + lo P) + 1 * x)).
  { apply (degree_ext _ (fun x => (- (1 + lo P) + 1 * x) * 1)); [intros; ring |].
    apply degree_affine, degree_const. }
  pose proof (lo_nonneg P). pose proof (pts_square_pos P (S n) _ 0 Hpts Hd) as Hpos. cbv beta in Hpos.
  assert (Hz : E P (fun s => s * (- (1 + lo P) + 1 * (1 + s)) ^ 2) = 0).
  { rewrite <- (E_const P 0). apply E_ext_supp; [in_dom | in_dom |].
    intros s [-> | Hs]; [ring |]. replace s with (lo P) by lra. ring. }
  rewrite Hz in Hpos. enough (0 < 0) by lra. apply Hpos. lra.
Qed.

Section Nodes.
Variables (P : law) (T : nat) (r : R -> R).
Hypothesis enough : pts P T.
Hypothesis r_degree : degree T r.
Hypothesis r_at_0 : r 0 = 1.
Hypothesis orthogonal : forall k, (k < T)%nat -> E P (fun s => s * (r (1 + s) * (1 + s) ^ k)) = 0.

(** r is orthogonal, under s dP, to every polynomial of lower degree. *)
Lemma orthogonal_to_lower : forall n g, (n < T)%nat -> degree n g -> E P (fun s => s * (r (1 + s) * g (1 + s))) = 0.
Proof.
  intros n g Hn [c Hc]. pose proof (poly_measurable P T r r_degree) as Mr. unfold measurable in Mr.
  rewrite (E_ext P _ (fun s => sum_f_R0 (fun k => c k * (s * (r (1 + s) * (1 + s) ^ k))) n)).
  - rewrite (E_sum P (fun k s => c k * (s * (r (1 + s) * (1 + s) ^ k)))) by (intros; in_dom).
    rewrite (sum_eq _ (fun _ => 0)), sum_cte; [ring |]. intros k Hk.
    rewrite (E_scal P (c k) (fun s => s * (r (1 + s) * (1 + s) ^ k))), orthogonal by (in_dom || lia). ring.
  - assert (Mg : dom P (fun s => g (1 + s))) by (apply (poly_measurable P n g); now exists c). in_dom.
  - intros s. rewrite Hc. unfold poly. rewrite scal_sum, scal_sum. apply sum_eq. intros k _. ring.
Qed.

(** Fewer than T sign changes contradict it; sigma is the sign of what is left. *)
Lemma no_fewer : forall l k sigma, (length l < T)%nat -> degree (T - length l) k ->
  (forall x, r x = product_at l x * k x) -> sigma ^ 2 = 1 ->
  ~ (forall x, 1 + lo P <= x <= 1 + hi P -> 0 <= sigma * k x).
Proof.
  intros l k sigma Hlen Hk Hprod Hsigma Hsign.
  set (g := product_at l). pose proof (product_at_degree l) as Hg. fold g in Hg.
  destruct (degree_bounded _ k (1 + lo P) (1 + hi P) Hk) as [M [HM HkM]].
  pose proof (orthogonal_to_lower (length l) g Hlen Hg) as Ho.
  pose proof (poly_measurable P T r r_degree) as Mr. pose proof (poly_measurable P _ g Hg) as Mg.
  unfold measurable in Mr, Mg.
  assert (Hpos : 0 < E P (fun s => s * r (1 + s) ^ 2)).
  { apply (pts_square_pos P T r 0); trivial. rewrite r_at_0. lra. }
  assert (Hle : E P (fun s => s * r (1 + s) ^ 2) <= M * sigma * E P (fun s => s * (r (1 + s) * g (1 + s)))).
  { rewrite <- E_scal by in_dom. apply E_monotone; [in_dom | in_dom |].
    intros s [-> | Hs]; [rewrite !Rmult_0_l, Rmult_0_r; lra |].
    specialize (HkM (1 + s) ltac:(lra)). specialize (Hsign (1 + s) ltac:(lra)).
    rewrite Hprod. fold g. set (u := k (1 + s)) in *. pose proof (lo_nonneg P).
    replace (M * sigma * (s * (g (1 + s) * u * g (1 + s)))) with (s * (g (1 + s) ^ 2 * (M * (sigma * u)))) by ring.
    replace (s * (g (1 + s) * u) ^ 2) with (s * (g (1 + s) ^ 2 * u ^ 2)) by ring.
    apply Rmult_le_compat_l; [lra |]. apply Rmult_le_compat_l; [apply pow2_ge_0 |].
    assert (Habs : sigma * u = Rabs u).
    { assert (Hs1 : Rabs sigma = 1) by (pose proof (Rabs_pos sigma); rewrite <- pow2_abs in Hsigma; nra).
      pose proof (Rabs_right (sigma * u) ltac:(lra)) as Hr. rewrite Rabs_mult, Hs1 in Hr. lra. }
    rewrite Habs, <- pow2_abs. pose proof (Rabs_pos u). nra. }
  rewrite Ho in Hle. lra.
Qed.

(** The best residual has T distinct zeros strictly between the ends of the support. *)
Theorem gauss_nodes : exists z, (forall k, (k < T)%nat -> 1 + lo P < z k < 1 + hi P) /\
  (forall j k, (j < k < T)%nat -> z j <> z k) /\ forall x, r x = prod (fun k => 1 - / z k * x) T.
Proof.
  destruct (Nat.eq_dec T 0) as [E0 | Hpos].
  { exists (fun _ => 0). repeat split; try lia. intros x. rewrite E0. destruct r_degree as [c Hc].
    rewrite E0 in Hc. simpl prod. rewrite <- r_at_0, !Hc. reflexivity. }
  assert (Hwide : lo P < hi P) by (apply (pts_wide P (T - 1)); now replace (S (T - 1)) with T by lia).
  destruct (sign_changes (1 + lo P) (1 + hi P) T r ltac:(lra) r_degree)
    as [l [k [Hnd [Hin [Hlen [Hk [Hprod Hsign]]]]]]].
  assert (Hfull : length l = T).
  { destruct (Nat.eq_dec (length l) T) as [E | Hne]; [exact E | exfalso].
    assert (Hlt : (length l < T)%nat) by lia. destruct Hsign as [H | H].
    - apply (no_fewer l k 1 Hlt Hk Hprod); [ring |]. intros x Hx. specialize (H x Hx). lra.
    - apply (no_fewer l k (-1) Hlt Hk Hprod); [ring |]. intros x Hx. specialize (H x Hx). lra. }
  assert (Hroots : forall j, (j < T)%nat -> In (nth j l 0) l) by (intros; apply nth_In; lia).
  assert (Hdistinct : forall i j, (i < j < T)%nat -> nth i l 0 <> nth j l 0).
  { intros i j Hij E. enough (i = j) by lia. apply (proj1 (NoDup_nth l 0) Hnd i j); trivial; lia. }
  exists (fun j => nth j l 0). repeat split; trivial.
  - now apply Hin, Hroots.
  - now apply Hin, Hroots.
  - apply product_of_roots; trivial. intros j Hj. rewrite Hprod, product_at_root by now apply Hroots. ring.
Qed.

End Nodes.

(** The least excess is 0 iff the law has at most T points. *)
Theorem least_excess_zero_iff : forall P T e, least_excess P T e -> (e = 0 <-> ~ pts P T).
Proof.
  intros P T e He. split; [intros -> Hpts; pose proof (least_excess_positive P T 0 Hpts He); lra |].
  intros Hnot. assert (He0 : 0 <= e).
  { destruct He as [[a [b <-]] _]. apply (residual_excess_nonneg P T), layers_residual_polynomial. }
  destruct (Rle_lt_or_eq_dec 0 e He0) as [Hpos | E]; [exfalso | now symmetry].
  apply Hnot. intros c Hc. apply Rnot_le_lt. intros Hzero.
  assert (Hdiv : forall n d, (exists k, (k <= n)%nat /\ d k <> 0) -> E P (fun s => s * poly d n (1 + s) ^ 2) <= 0 ->
    exists q, degree n q /\ q 0 = 1 /\ E P (fun s => s * q (1 + s) ^ 2) <= 0).
  { assert (Hscale : forall n d, d 0%nat <> 0 -> E P (fun s => s * poly d n (1 + s) ^ 2) <= 0 ->
      exists q, degree n q /\ q 0 = 1 /\ E P (fun s => s * q (1 + s) ^ 2) <= 0).
    { intros n d Hd0 Hle. exists (fun x => / d 0%nat * poly d n x). repeat split.
      - apply degree_scal. now exists d.
      - rewrite poly_at_0. field. exact Hd0.
      - assert (Md : dom P (fun s => poly d n (1 + s))) by (apply (poly_measurable P n); now exists d).
        rewrite (E_ext P _ (fun s => (/ d 0%nat) ^ 2 * (s * poly d n (1 + s) ^ 2))) by (in_dom || (intros; ring)).
        rewrite E_scal by in_dom. pose proof (pow2_ge_0 (/ d 0%nat)). nra. }
    intros n; induction n as [|n IH]; intros d [k [Hk Hdk]] Hle.
    - apply (Hscale 0%nat d); trivial. now replace k with 0%nat in Hdk by lia.
    - destruct (Req_dec (d 0%nat) 0) as [E0 | Hd0]; [| now apply (Hscale (S n) d)].
      assert (Hshift : forall x, poly d (S n) x = x * poly (fun j => d (S j)) n x).
      { intros x. unfold poly. rewrite decomp_sum by lia. simpl pred. rewrite E0, Rmult_0_l, Rplus_0_l, scal_sum.
        apply sum_eq. intros j _. simpl. ring. }
      destruct (IH (fun j => d (S j))) as [q [Hq [Hq0 Hqz]]].
      + exists (pred k). destruct k as [|k]; [contradiction |]. split; [simpl; lia | exact Hdk].
      + eapply Rle_trans; [| exact Hle].
        assert (Md : dom P (fun s => poly (fun j => d (S j)) n (1 + s))).
        { apply (poly_measurable P n). now exists (fun j => d (S j)). }
        assert (Md' : dom P (fun s => poly d (S n) (1 + s))) by (apply (poly_measurable P (S n)); now exists d).
        apply E_monotone; [in_dom | in_dom |]. intros s Hs. apply supp_nonneg in Hs. rewrite Hshift.
        apply Rmult_le_compat_l; [exact Hs |]. set (w := poly _ n (1 + s)).
        replace (((1 + s) * w) ^ 2) with ((1 + s) ^ 2 * w ^ 2) by ring. pose proof (pow2_ge_0 w). nra.
      + exists q. split; [now apply degree_S | now split]. }
  destruct (Hdiv T c Hc Hzero) as [q [Hq [Hq0 Hqz]]].
  pose proof (least_excess_polynomial P T e q He Hq Hq0) as Hle.
  pose proof (poly_measurable P T q Hq) as Mq. unfold measurable in Mq.
  assert (residual_excess P q <= E P (fun s => s * q (1 + s) ^ 2)); [| lra].
  apply E_monotone; [in_dom | in_dom |]. intros s Hs. apply supp_nonneg in Hs.
  apply Rmult_le_compat_r; [apply pow2_ge_0 |]. apply (Rmult_le_reg_r (1 + s)); [lra |].
  rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.
