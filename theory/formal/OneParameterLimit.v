(** One shared weight at large depth: alpha_T -> alpha* = 2/(2 + m_lo + m_hi), the single inequality that
    proves a side of the limit for all larger depths, and the Bayes-optimality of the deep model. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law OneParameter.
Open Scope R_scope.

(** * One inequality at one odd exponent settles every larger one *)

Section OneInequality.
Variable P : law.
Variable q : R -> R.
Variable c : R.
Hypothesis dom_q : dom P q.
Hypothesis dom_large : dom P (fun s => above c (q s)).
Hypothesis dom_negative : dom P (fun s => above 0 (- q s)).
Hypothesis c_nonneg : 0 <= c.
Hypothesis q_above : forall s, lo P <= s <= hi P -> - c <= q s.

(** E[s q^n; q > c] and E[s |q|^n; q < 0]. *)
Definition large_part (n : nat) : R := E P (fun s => s * q s ^ n * above c (q s)).
Definition negative_part (n : nat) : R := E P (fun s => s * (- q s) ^ n * above 0 (- q s)).

Lemma dom_large_part : forall n, dom P (fun s => s * q s ^ n * above c (q s)).
Proof. intros n. in_dom. Qed.

Lemma dom_negative_part : forall n, dom P (fun s => s * (- q s) ^ n * above 0 (- q s)).
Proof. intros n. in_dom. Qed.

Lemma moment_lower_bound : forall n,
  large_part (S (2 * n)) - negative_part (S (2 * n)) <= E P (fun s => s * q s ^ S (2 * n)).
Proof.
  intros n. unfold large_part, negative_part. rewrite <- E_minus by in_dom. apply E_monotone; [in_dom .. |].
  intros s Hs. apply supp_nonneg in Hs. rewrite pow_odd_opp. pose proof (pow_even_nonneg (q s) n).
  replace (q s ^ S (2 * n)) with (q s * q s ^ (2 * n)) by reflexivity.
  unfold above. destruct (Rlt_dec c (q s)), (Rlt_dec 0 (- q s)); try nra.
  assert (0 <= q s * q s ^ (2 * n)) by (apply Rmult_le_pos; lra). nra.
Qed.

(** Two more layers multiply the first by at least c^2 ... *)
Lemma large_part_step : forall n, c ^ 2 * large_part n <= large_part (S (S n)).
Proof.
  intros n. unfold large_part. rewrite <- E_scal by in_dom. apply E_monotone; [in_dom .. |].
  intros s Hs. apply supp_nonneg in Hs. unfold above. destruct (Rlt_dec c (q s)) as [h|h]; [| lra].
  assert (0 <= q s ^ n) by (apply pow_le; lra). assert (0 <= s * q s ^ n) by now apply Rmult_le_pos.
  simpl. assert (c * c <= q s * q s) by (apply Rmult_le_compat; lra). nra.
Qed.

(** ... and the second by at most c^2. *)
Lemma negative_part_step : forall n, negative_part (S (S n)) <= c ^ 2 * negative_part n.
Proof.
  intros n. unfold negative_part. rewrite <- E_scal by in_dom. apply E_monotone; [in_dom .. |].
  intros s [-> | Hs]; [lra |]. specialize (q_above s Hs). pose proof (lo_nonneg P).
  unfold above. destruct (Rlt_dec 0 (- q s)) as [h|h]; [| lra].
  assert (0 <= (- q s) ^ n) by (apply pow_le; lra). assert (0 <= s * (- q s) ^ n) by (apply Rmult_le_pos; lra).
  simpl. assert (- q s * - q s <= c * c) by (apply Rmult_le_compat; lra). nra.
Qed.

Lemma negative_part_nonneg : forall n, 0 <= negative_part n.
Proof.
  intros n. unfold negative_part. apply E_nonneg; [in_dom |]. intros s Hs. apply supp_nonneg in Hs.
  unfold above. destruct (Rlt_dec 0 (- q s)) as [h|h]; [| lra].
  assert (0 <= (- q s) ^ n) by (apply pow_le; lra).
  assert (0 <= s * (- q s) ^ n) by (apply Rmult_le_pos; lra). lra.
Qed.

(** If the first is positive at one exponent >= 1, it is positive two later. *)
Lemma large_part_stays_positive : forall n, 0 < large_part (S n) -> 0 < large_part (S (S (S n))).
Proof.
  intros n Hn. pose proof (E_id_pos P) as Hm. set (m := E P (fun s => s)) in *.
  set (d := Rmin 1 (large_part (S n) / (2 * m))).
  assert (Hd : 0 < d).
  { apply Rmin_pos; [lra |]. apply Rdiv_lt_0_compat; lra. }
  assert (Hd1 : d <= 1) by apply Rmin_l.
  assert (Hdm : d * m <= large_part (S n) / 2).
  { apply Rle_trans with (large_part (S n) / (2 * m) * m); [apply Rmult_le_compat_r; [lra | apply Rmin_r] |].
    right. field. lra. }
  assert (H : d ^ 2 * large_part (S n) <= d ^ 2 * (d * m) + large_part (S (S (S n)))).
  { unfold large_part, m. rewrite <- (E_scal P d), <- !(E_scal P (d ^ 2)), <- E_plus by in_dom.
    apply E_monotone; [in_dom .. |]. intros s Hs. apply supp_nonneg in Hs.
    assert (0 <= d ^ 2 * (d * s)) by (apply Rmult_le_pos; [apply pow2_ge_0 | nra]).
    unfold above. destruct (Rlt_dec c (q s)) as [h|h]; [| lra].
    assert (0 < q s) as Hq by lra. assert (0 <= q s ^ S n) by (apply pow_le; lra).
    replace (q s ^ S (S (S n))) with (q s ^ S n * (q s) ^ 2) by (simpl; ring).
    destruct (Rle_dec d (q s)) as [h'|h'].
    - assert (d ^ 2 <= q s ^ 2) by (apply pow_incr; lra).
      assert (0 <= s * q s ^ S n) by now apply Rmult_le_pos. nra.
    - assert (q s ^ S n <= d).
      { apply Rle_trans with (d ^ S n); [apply pow_incr; lra |].
        simpl. assert (d ^ n <= 1) by (rewrite <- (pow1 n); apply pow_incr; lra). nra. }
      assert (d ^ 2 * (s * q s ^ S n) <= d ^ 2 * (d * s)) by
        (apply Rmult_le_compat_l; [apply pow2_ge_0 | nra]).
      assert (0 <= s * q s ^ S n * q s ^ 2) by
        (apply Rmult_le_pos; [now apply Rmult_le_pos | apply pow2_ge_0]).
      lra. }
  assert (0 < d ^ 2) by (apply pow_lt; lra). nra.
Qed.

Lemma one_inequality_step : forall n, negative_part (S n) < large_part (S n) ->
  negative_part (S (S (S n))) < large_part (S (S (S n))).
Proof.
  intros n H. pose proof (large_part_step (S n)). pose proof (negative_part_step (S n)).
  pose proof (negative_part_nonneg (S n)).
  destruct (Req_dec c 0) as [Hc | Hc].
  - assert (0 < large_part (S (S (S n)))) by (apply large_part_stays_positive; lra).
    assert (c ^ 2 = 0) by (rewrite Hc; ring). nra.
  - assert (0 < c ^ 2) by now apply pow2_pos. nra.
Qed.

Lemma one_inequality_persists : forall n k,
  negative_part (S (2 * n)) < large_part (S (2 * n)) ->
  negative_part (S (2 * (n + k))) < large_part (S (2 * (n + k))).
Proof.
  intros n k H. induction k as [|k IH]; [now rewrite Nat.add_0_r |].
  replace (S (2 * (n + S k))) with (S (S (S (2 * (n + k))))) by lia. now apply one_inequality_step.
Qed.

Lemma one_inequality_sign : forall n k, negative_part (S (2 * n)) < large_part (S (2 * n)) ->
  0 < E P (fun s => s * q s ^ S (2 * (n + k))).
Proof.
  intros n k H. apply (one_inequality_persists n k) in H.
  pose proof (moment_lower_bound (n + k)). lra.
Qed.

End OneInequality.

Section Limit.
Variable P : law.

Lemma slope_negative : forall T a, (1 <= T)%nat ->
  0 < E P (fun s => s * residual a s ^ (2 * T - 1)) -> slope P T a < 0.
Proof.
  intros T a HT H. unfold slope. assert (0 < INR (2 * T)) by (apply lt_0_INR; lia). nra.
Qed.

Lemma slope_positive : forall T a, (1 <= T)%nat ->
  0 < E P (fun s => s * (- residual a s) ^ (2 * T - 1)) -> 0 < slope P T a.
Proof.
  intros T a HT H. unfold slope. assert (0 < INR (2 * T)) by (apply lt_0_INR; lia).
  rewrite odd_exponent in * by assumption.
  rewrite (E_ext P _ (fun s => - (s * residual a s ^ S (2 * (T - 1))))) in H.
  - rewrite E_opp in H by in_dom. nra.
  - in_dom.
  - intros s. rewrite pow_odd_opp. ring.
Qed.

(** The inequality of theorem 6.2 at a weight a below alpha*: with q = 1 - a lam and
    c >= q_hi = max(0, a (1 + m_hi) - 1), E[s q^n; q > c] > E[s |q|^n; q < 0] at the odd n = 2 T0 - 1
    gives alpha_T > a for every T >= T0. *)
Theorem one_inequality_low : forall T0 a c, (1 <= T0)%nat -> 0 < a -> 0 <= c -> a * (1 + hi P) - 1 <= c ->
  E P (fun s => s * (- residual a s) ^ (2 * T0 - 1) * above 0 (- residual a s))
    < E P (fun s => s * residual a s ^ (2 * T0 - 1) * above c (residual a s)) ->
  forall T b, (T0 <= T)%nat -> minimiser P T b -> slope P T a < 0 /\ a < b.
Proof.
  intros T0 a c H0 Ha Hc Hq H T b HT Hb.
  assert (Hs : slope P T a < 0); [| split; [| apply (minimiser_above P T); [lia | |]]; assumption].
  apply slope_negative; [lia |]. rewrite odd_exponent in * by lia.
  replace (T - 1)%nat with (T0 - 1 + (T - T0))%nat by lia.
  apply (one_inequality_sign P (residual a) c); try in_dom; try assumption.
  intros s Hs. pose proof (residual_decreasing a s (hi P)) as Hd. unfold residual in Hd at 1. lra.
Qed.

(** Its mirror image at a weight a above alpha*: with c >= q_lo = max(0, 1 - a (1 + m_lo)),
    E[s |q|^n; q < - c] > E[s q^n; q > 0] at n = 2 T0 - 1 gives alpha_T < a for every T >= T0. *)
Theorem one_inequality_high : forall T0 a c, (1 <= T0)%nat -> 0 < a -> 0 <= c -> 1 - a * (1 + lo P) <= c ->
  E P (fun s => s * residual a s ^ (2 * T0 - 1) * above 0 (residual a s))
    < E P (fun s => s * (- residual a s) ^ (2 * T0 - 1) * above c (- residual a s)) ->
  forall T b, (T0 <= T)%nat -> minimiser P T b -> 0 < slope P T a /\ b < a.
Proof.
  intros T0 a c H0 Ha Hc Hq H T b HT Hb.
  assert (Hs : 0 < slope P T a); [| split; [| apply (minimiser_below P T); [lia | |]]; assumption].
  apply slope_positive; [lia |]. rewrite odd_exponent in * by lia.
  replace (T - 1)%nat with (T0 - 1 + (T - T0))%nat by lia.
  assert (Hopp : forall s, residual a s = - - residual a s) by (intros; ring).
  apply (one_inequality_sign P (fun s => - residual a s) c); try in_dom; try assumption.
  - apply (dom_ext P (fun s => above 0 (residual a s))); [intros s; now rewrite <- Hopp | in_dom].
  - intros s Hs. pose proof (residual_decreasing a (lo P) s) as Hd. unfold residual in Hd at 2. lra.
  - unfold negative_part, large_part. eapply Rle_lt_trans; [| exact H]. right. symmetry.
    apply E_ext; [in_dom | intros s; now rewrite <- Hopp].
Qed.

(** If q = 1 - a lam does not change sign on the support, its sign settles every depth at once. *)
Theorem settled_low : forall a, 0 < a -> a * (1 + hi P) <= 1 -> a * (1 + lo P) < 1 ->
  forall T b, (1 <= T)%nat -> minimiser P T b -> slope P T a < 0 /\ a < b.
Proof.
  intros a Ha Hh Hl T b HT Hb.
  assert (Hs : slope P T a < 0); [| split; [| apply (minimiser_above P T)]; assumption].
  apply slope_negative; [assumption |]. apply E_pos_low; [in_dom | | | ].
  - intros s Hs. apply pow_le. unfold residual. nra.
  - unfold residual. reg.
  - apply pow_lt. unfold residual. lra.
Qed.

Theorem settled_high : forall a, 0 < a -> 1 <= a * (1 + lo P) -> 1 < a * (1 + hi P) ->
  forall T b, (1 <= T)%nat -> minimiser P T b -> 0 < slope P T a /\ b < a.
Proof.
  intros a Ha Hl Hh T b HT Hb.
  assert (Hs : 0 < slope P T a); [| split; [| apply (minimiser_below P T)]; assumption].
  apply slope_positive; [assumption |]. apply E_pos_high; [in_dom | | | ].
  - intros s Hs. apply pow_le. unfold residual. nra.
  - unfold residual. reg.
  - apply pow_lt. unfold residual. lra.
Qed.

(** * The limit *)

(** Where q >= - c on the support and q >= r > c with positive mass, E[s q^n] > 0 at every large odd n. *)
Lemma eventually_positive : forall (q I : R -> R) c r, dom P q -> dom P I -> 0 <= c < r ->
  (forall s, lo P <= s <= hi P -> - c <= q s) ->
  (forall s, lo P <= s <= hi P -> I s = 0 \/ I s = 1 /\ r <= q s) ->
  0 < E P (fun s => s * I s) ->
  exists N, forall n, (N <= n)%nat -> 0 < E P (fun s => s * q s ^ S (2 * n)).
Proof.
  intros q I c r Hq HI [Hc Hr] Hlow HIr Hmass.
  pose proof (E_id_pos P) as Hm. set (m := E P (fun s => s)) in *. set (p := E P (fun s => s * I s)) in *.
  destruct (pow_lt_1_zero (c / r)) with (y := p / m) as [N HN].
  - rewrite Rabs_right by (apply Rle_ge, Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]).
    apply (Rmult_lt_reg_r r); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - apply Rdiv_lt_0_compat; lra.
  - exists N. intros n Hn. assert (HN' : (S (2 * n) >= N)%nat) by lia. apply HN in HN'.
    apply Rabs_def2 in HN'. destruct HN' as [HN' _].
    assert (Hrn : 0 < r ^ S (2 * n)) by (apply pow_lt; lra).
    assert (Hcn : c ^ S (2 * n) * m < r ^ S (2 * n) * p).
    { replace (c ^ S (2 * n)) with (r ^ S (2 * n) * (c / r) ^ S (2 * n)).
      - rewrite Rmult_assoc. apply Rmult_lt_compat_l; [assumption |].
        apply (Rmult_lt_compat_r m) in HN'; [| lra]. unfold Rdiv in HN' at 2.
        rewrite Rmult_assoc, Rinv_l in HN' by lra. lra.
      - rewrite <- Rpow_mult_distr. f_equal. field. lra. }
    apply Rlt_le_trans with (r ^ S (2 * n) * p - c ^ S (2 * n) * m); [lra |].
    unfold p, m. rewrite <- !E_scal, <- E_minus by in_dom. apply E_monotone; [in_dom .. |].
    intros s [-> | Hs]; [lra |]. pose proof (lo_nonneg P). specialize (Hlow s Hs).
    assert (Hcn0 : 0 <= c ^ S (2 * n)) by now apply pow_le.
    assert (Hqn : - c ^ S (2 * n) <= q s ^ S (2 * n)).
    { destruct (Rle_dec 0 (q s)); [apply Rle_trans with 0; [lra | now apply pow_le] |].
      assert ((- q s) ^ S (2 * n) <= c ^ S (2 * n)) by (apply pow_incr; lra).
      rewrite pow_odd_opp in *. lra. }
    destruct (HIr s Hs) as [-> | [-> Hrq]].
    + assert (s * - c ^ S (2 * n) <= s * q s ^ S (2 * n)) by (apply Rmult_le_compat_l; lra). lra.
    + assert (r ^ S (2 * n) <= q s ^ S (2 * n)) by (apply pow_incr; lra).
      assert (s * r ^ S (2 * n) <= s * q s ^ S (2 * n)) by (apply Rmult_le_compat_l; lra).
      assert (0 <= s * c ^ S (2 * n)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma alpha_star_eq : alpha_star P * (2 + lo P + hi P) = 2.
Proof.
  pose proof (lo_nonneg P). pose proof (lo_hi P). unfold alpha_star. field. lra.
Qed.

(** Below alpha* the slope is negative at every large depth. *)
Lemma limit_low : forall a, 0 < a < alpha_star P ->
  exists T0, forall T b, (T0 <= T)%nat -> minimiser P T b -> a < b.
Proof.
  intros a Ha. pose proof (lo_nonneg P). pose proof (lo_hi P). pose proof alpha_star_eq.
  set (r0 := residual a (lo P)). set (c := Rmax 0 (- residual a (hi P))).
  assert (Hc : 0 <= c < r0).
  { split; [apply Rmax_l |]. apply Rmax_lub_lt; unfold r0, residual; nra. }
  assert (Hh : 0 < (r0 - c) / (2 * a)) by (apply Rdiv_lt_0_compat; lra).
  destruct (eventually_positive (residual a) (below (lo P + (r0 - c) / (2 * a))) c ((r0 + c) / 2)) as [N HN].
  - in_dom.
  - in_dom.
  - lra.
  - intros s Hs. pose proof (Rmax_r 0 (- residual a (hi P))).
    pose proof (residual_decreasing a s (hi P)). fold c in H2. lra.
  - intros s Hs. unfold below. destruct (Rle_dec s (lo P + (r0 - c) / (2 * a))) as [h|h]; [right | now left].
    split; [reflexivity |].
    pose proof (residual_decreasing a s (lo P + (r0 - c) / (2 * a))) as Hd.
    replace (residual a (lo P + (r0 - c) / (2 * a))) with ((r0 + c) / 2) in Hd; [lra |].
    unfold r0, residual. field. lra.
  - now apply mass_low.
  - exists (S N). intros T b HT Hb. apply (minimiser_above P T); [lia | assumption |].
    apply slope_negative; [lia |]. rewrite odd_exponent by lia. apply HN. lia.
Qed.

(** Above alpha* it is positive at every large depth. *)
Lemma limit_high : forall a, alpha_star P < a ->
  exists T0, forall T b, (T0 <= T)%nat -> minimiser P T b -> b < a.
Proof.
  intros a Ha. pose proof (lo_nonneg P). pose proof (lo_hi P). pose proof alpha_star_eq.
  pose proof (alpha_star_pos P).
  set (r0 := - residual a (hi P)). set (c := Rmax 0 (residual a (lo P))).
  assert (Hc : 0 <= c < r0).
  { split; [apply Rmax_l |]. apply Rmax_lub_lt; unfold r0, residual; nra. }
  assert (Hh : 0 < (r0 - c) / (2 * a)) by (apply Rdiv_lt_0_compat; lra).
  destruct (eventually_positive (fun s => - residual a s)
    (fun s => 1 - below (hi P - (r0 - c) / (2 * a)) s) c ((r0 + c) / 2)) as [N HN].
  - in_dom.
  - in_dom.
  - lra.
  - intros s Hs. pose proof (Rmax_r 0 (residual a (lo P))).
    pose proof (residual_decreasing a (lo P) s). fold c in H3. lra.
  - intros s Hs. unfold below. destruct (Rle_dec s (hi P - (r0 - c) / (2 * a))) as [h|h]; [left; ring | right].
    split; [ring |].
    pose proof (residual_decreasing a (hi P - (r0 - c) / (2 * a)) s) as Hd.
    replace (residual a (hi P - (r0 - c) / (2 * a))) with (- ((r0 + c) / 2)) in Hd; [lra |].
    unfold r0, residual. field. lra.
  - now apply mass_high.
  - exists (S N). intros T b HT Hb. apply (minimiser_below P T); [lia | assumption |].
    apply slope_positive; [lia |]. rewrite odd_exponent by lia. apply HN. lia.
Qed.

(** Theorem 6.2, the limit: alpha_T -> alpha* = 2 / (2 + m_lo + m_hi). *)
Theorem limit : forall eps, 0 < eps -> exists T0, forall T a, (T0 <= T)%nat -> minimiser P T a ->
  Rabs (a - alpha_star P) < eps.
Proof.
  intros eps Heps. pose proof (alpha_star_pos P) as Hpos.
  destruct (limit_high (alpha_star P + eps)) as [T1 H1]; [lra |].
  destruct (limit_low (Rmax (alpha_star P / 2) (alpha_star P - eps))) as [T0 H0].
  - split; [eapply Rlt_le_trans; [| apply Rmax_l]; lra | apply Rmax_lub_lt; lra].
  - exists (max T0 T1). intros T a HT Ha.
    specialize (H0 T a ltac:(lia) Ha). specialize (H1 T a ltac:(lia) Ha).
    pose proof (Rmax_r (alpha_star P / 2) (alpha_star P - eps)). apply Rabs_def1; lra.
Qed.

(** No other weight is the limit: any candidate but alpha* is off by half its distance for good. *)
Theorem limit_unique : forall c, c <> alpha_star P -> exists T0, forall T a, (T0 <= T)%nat ->
  minimiser P T a -> Rabs (c - alpha_star P) / 2 < Rabs (a - c).
Proof.
  intros c Hc. assert (Hpos : 0 < Rabs (c - alpha_star P)) by now apply Rabs_pos_lt, Rminus_eq_contra.
  destruct (limit (Rabs (c - alpha_star P) / 2)) as [T0 H0]; [lra |].
  exists T0. intros T a HT Ha. specialize (H0 T a HT Ha).
  pose proof (Rabs_triang (a - alpha_star P) (c - a)) as Ht.
  replace (a - alpha_star P + (c - a)) with (c - alpha_star P) in Ht by ring.
  rewrite (Rabs_minus_sym c a) in Ht. lra.
Qed.

(** * Bayes-optimality *)

Lemma loss_nonneg : forall T a, 0 <= loss P T a.
Proof.
  intros T a. unfold loss. apply E_nonneg; [in_dom |]. intros s Hs. apply supp_nonneg in Hs.
  apply Rmult_le_pos; [| apply pow_even_nonneg].
  apply Rmult_le_pos; [assumption | apply Rlt_le, Rinv_0_lt_compat; lra].
Qed.

(** At alpha* the excess loss of depth T is at most C kappa^(2T). *)
Lemma loss_at_star : forall T, loss P T (alpha_star P) <= scale P * kappa P ^ (2 * T).
Proof.
  intros T. unfold loss, scale. rewrite Rmult_comm, <- E_scal by in_dom. apply E_monotone; [in_dom .. |].
  intros s [-> | Hs]; [lra |]. pose proof (lo_nonneg P).
  assert (0 < / (1 + s)) by (apply Rinv_0_lt_compat; lra).
  rewrite (Rmult_comm (kappa P ^ _)). apply Rmult_le_compat_l; [nra |].
  rewrite !pow_mult. apply pow_incr. split; [apply pow2_ge_0 |].
  rewrite <- pow2_abs. apply pow_incr. split; [apply Rabs_pos | now apply residual_star_bound].
Qed.

(** Theorem 6.2, Bayes-optimality: the excess loss of alpha_T is at most C kappa^(2T), at every depth. *)
Theorem bayes : forall T a, minimiser P T a -> 0 <= loss P T a <= scale P * kappa P ^ (2 * T).
Proof.
  intros T a Ha. split; [apply loss_nonneg |].
  eapply Rle_trans; [apply Ha | apply loss_at_star].
Qed.

(** Per prompt: a weight a >= 0 within eps of alpha* leaves a residual of at most
    max(1 - (alpha* - eps) (1 + m_lo), (alpha* + eps) (1 + m_hi) - 1). *)
Theorem residual_near_star : forall eps a s, 0 <= a -> Rabs (a - alpha_star P) <= eps -> lo P <= s <= hi P ->
  Rabs (residual a s) <=
  Rmax (1 - (alpha_star P - eps) * (1 + lo P)) ((alpha_star P + eps) * (1 + hi P) - 1).
Proof.
  intros eps a s Ha0 Ha Hs. pose proof (lo_nonneg P). pose proof (alpha_star_pos P).
  assert (- eps <= a - alpha_star P <= eps) as [Ha1 Ha2].
  { revert Ha. unfold Rabs. destruct (Rcase_abs _); lra. }
  apply Rabs_le. split.
  - apply Ropp_le_cancel. rewrite Ropp_involutive. eapply Rle_trans; [| apply Rmax_r]. unfold residual.
    assert (a * (1 + s) <= (alpha_star P + eps) * (1 + hi P)); [| lra].
    apply Rle_trans with ((alpha_star P + eps) * (1 + s)).
    + apply Rmult_le_compat_r; lra.
    + apply Rmult_le_compat_l; lra.
  - eapply Rle_trans; [| apply Rmax_l]. unfold residual.
    assert ((alpha_star P - eps) * (1 + lo P) <= a * (1 + s)); [| lra].
    apply Rle_trans with (a * (1 + lo P)); [apply Rmult_le_compat_r; lra | apply Rmult_le_compat_l; lra].
Qed.

(** The excess loss of alpha_T tends to zero with the depth. *)
Theorem excess_tends_to_zero : forall eps, 0 < eps -> exists T0, forall T a, (T0 <= T)%nat ->
  minimiser P T a -> loss P T a < eps.
Proof.
  intros eps Heps. pose proof (scale_pos P) as Hs. pose proof (kappa_bounds P) as Hk.
  destruct (pow_lt_1_zero (kappa P)) with (y := eps / scale P) as [T0 H0].
  - rewrite Rabs_right; lra.
  - now apply Rdiv_lt_0_compat.
  - exists T0. intros T a HT Ha. eapply Rle_lt_trans; [apply (bayes T a Ha) |].
    assert (Hp : Rabs (kappa P ^ (2 * T)) < eps / scale P) by (apply H0; lia).
    apply Rabs_def2 in Hp. destruct Hp as [Hp _].
    apply (Rmult_lt_compat_l (scale P)) in Hp; [| assumption].
    replace (scale P * (eps / scale P)) with eps in Hp by (field; lra). exact Hp.
Qed.

(** Per prompt: a rho < 1 bounds the residual of one layer on the whole support, from some depth on. *)
Theorem residual_rate : exists rho T0, 0 <= rho < 1 /\ forall T a, (T0 <= T)%nat -> minimiser P T a ->
  forall s, lo P <= s <= hi P -> Rabs (residual a s) <= rho.
Proof.
  pose proof (lo_nonneg P) as Hl. pose proof (hi_pos P) as Hh.
  pose proof (alpha_star_pos P) as Ha0. pose proof alpha_star_eq as Heq.
  set (e := Rmin (alpha_star P / 2) ((2 - alpha_star P * (1 + hi P)) / (2 * (1 + hi P)))).
  assert (H2 : 0 < 2 - alpha_star P * (1 + hi P)) by nra.
  assert (He : 0 < e) by (apply Rmin_pos; [lra | apply Rdiv_lt_0_compat; lra]).
  assert (He1 : e <= alpha_star P / 2) by apply Rmin_l.
  assert (He2 : e * (1 + hi P) <= (2 - alpha_star P * (1 + hi P)) / 2).
  { apply Rle_trans with ((2 - alpha_star P * (1 + hi P)) / (2 * (1 + hi P)) * (1 + hi P)).
    - apply Rmult_le_compat_r; [lra | apply Rmin_r].
    - right. field. lra. }
  set (rho := Rmax (1 - (alpha_star P - e) * (1 + lo P)) ((alpha_star P + e) * (1 + hi P) - 1)).
  destruct (limit e He) as [T1 H1]. exists rho, (max 1 T1). split.
  - split; [| apply Rmax_lub_lt; nra].
    eapply Rle_trans; [apply Rabs_pos | apply (residual_near_star e (alpha_star P) (lo P))]; try lra.
    + rewrite (Rminus_diag_eq _ _ eq_refl), Rabs_R0. lra.
    + pose proof (lo_hi P). lra.
  - intros T a HT Ha s Hs.
    apply residual_near_star; [| apply Rlt_le, (H1 T); [lia | assumption] | assumption].
    destruct (minimiser_bounds P T a) as [Hlow _]; [lia | assumption |].
    eapply Rle_trans; [apply Rlt_le, Rinv_0_lt_compat | exact Hlow]. lra.
Qed.

(** Theorem 6.2, Bayes-optimality, as the package claims it. *)
Theorem bayes_optimal :
  (forall T a, minimiser P T a -> 0 <= loss P T a <= scale P * kappa P ^ (2 * T)) /\ kappa P < 1 /\
  exists rho T0, rho < 1 /\ forall T a, (T0 <= T)%nat -> minimiser P T a ->
    forall s, lo P <= s <= hi P -> Rabs (residual a s) <= rho.
Proof.
  split; [exact bayes |]. split; [apply kappa_bounds |].
  destruct residual_rate as [rho [T0 [[_ Hrho] H]]]. now exists rho, T0.
Qed.

End Limit.
