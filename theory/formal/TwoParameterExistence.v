(** A global minimiser of the two-parameter loss exists for m_lo < m_hi and T >= 2: its infimum over alpha, as a
    function of beta, tends at both infinities to one value, and from the side of + oo it comes from below. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law OneParameter OneParameterLimit Embedding Polynomial Layerwise TwoParameter
  TwoParameterExclusions TwoParameterMinimum.
Open Scope R_scope.

Lemma mixed_telescope : forall T x y, (y - x) * mixed T x y = y ^ T - x ^ T.
Proof.
  intros T x y; induction T as [|T IH]; simpl; [ring |].
  replace ((y - x) * (x ^ T + y * mixed T x y)) with ((y - x) * x ^ T + y * ((y - x) * mixed T x y)) by ring.
  rewrite IH. ring.
Qed.

Lemma mixed_diagonal : forall n x, mixed (S n) x x = INR (S n) * x ^ n.
Proof.
  intros n x; induction n as [|n IH]; [simpl; ring |].
  change (mixed (S (S n)) x x) with (x ^ S n + x * mixed (S n) x x).
  rewrite IH, (S_INR (S n)). simpl (x ^ S n). ring.
Qed.

Lemma mixed_at_least_1 : forall T x y, (1 <= T)%nat -> 1 <= x -> 1 <= y -> 1 <= mixed T x y.
Proof.
  intros [|T] x y HT Hx Hy; [lia |]. simpl. pose proof (pow_R1_Rle x T Hx).
  pose proof (mixed_nonneg T x y ltac:(lra) ltac:(lra)). nra.
Qed.

(** The geometric sum vanishes at -1 at most. *)
Lemma geometric_zero : forall T z, (1 <= T)%nat -> geometric_sum z T = 0 -> z = -1.
Proof.
  intros T z HT H. pose proof (geometric_sum_closed z T) as Hc. rewrite H, Rmult_0_r in Hc.
  assert (Habs : Rabs z ^ T = 1).
  { rewrite RPow_abs. replace (z ^ T) with 1 by lra. apply Rabs_R1. }
  assert (Hz : Rabs z = 1).
  { destruct (Rtotal_order (Rabs z) 1) as [Hlt | [E | Hgt]]; [| exact E |].
    - assert (Rabs z ^ T < 1) by (apply pow_lt_1_compat; [split; [apply Rabs_pos | exact Hlt] | lia]). lra.
    - assert (1 < Rabs z ^ T) by (apply Rlt_pow_R1; [lra | lia]). lra. }
  revert Hz. unfold Rabs. destruct (Rcase_abs z); intros Hz; [lra |]. subst z.
  pose proof (geometric_pos T 1 HT ltac:(lra)). lra.
Qed.

Section Existence.
Variable P : law.
Hypothesis wide : lo P < hi P.

Lemma nu_pos : forall f, dom P f -> (forall s, lo P <= s <= hi P -> 0 <= f s) ->
  continuity f -> 0 < f (lo P) \/ 0 < f (hi P) -> 0 < nu P f.
Proof.
  intros f Hf Hpos Hc Hends. pose proof (lo_nonneg P).
  assert (Heq : nu P f = E P (fun s => s * (/ (1 + s) * f s))) by (apply E_ext; [in_dom | intros; ring]).
  assert (Hinv : forall s, lo P <= s <= hi P -> 0 < / (1 + s)) by (intros; apply Rinv_0_lt_compat; lra).
  assert (Hg : forall s, lo P <= s <= hi P -> continuity_pt (fun x => / (1 + x) * f x) s).
  { intros s Hs. apply (continuity_pt_mult (fun x => / (1 + x))); [reg; lra | apply Hc]. }
  rewrite Heq. destruct Hends as [H0 | H0].
  - apply (E_pos_low P (fun s => / (1 + s) * f s)); [in_dom | | apply Hg; lra |].
    + intros s Hs. apply Rmult_le_pos; [apply Rlt_le|]; auto.
    + apply Rmult_lt_0_compat; [apply Hinv; lra | exact H0].
  - apply (E_pos_high P (fun s => / (1 + s) * f s)); [in_dom | | apply Hg; lra |].
    + intros s Hs. apply Rmult_le_pos; [apply Rlt_le|]; auto.
    + apply Rmult_lt_0_compat; [apply Hinv; lra | exact H0].
Qed.

(** * The least excess of the filters c G *)

Definition least (G : R -> R) : R := scale P - nu P G ^ 2 / nu P (fun s => G s ^ 2).

Lemma least_below : forall G c, dom P G -> 0 < nu P (fun s => G s ^ 2) ->
  least G <= nu P (fun s => (1 - c * G s) ^ 2).
Proof.
  intros G c HG HD. rewrite nu_square by exact HG. unfold least.
  set (N := nu P G). set (D := nu P (fun s => G s ^ 2)) in *.
  assert (Hsq : scale P - 2 * c * N + c ^ 2 * D - (scale P - N ^ 2 / D) = (c * D - N) ^ 2 / D)
    by (field; lra).
  assert (0 <= (c * D - N) ^ 2 / D); [| lra].
  apply Rmult_le_pos; [apply pow2_ge_0 | now apply Rlt_le, Rinv_0_lt_compat].
Qed.

Lemma least_attained : forall G, dom P G -> 0 < nu P (fun s => G s ^ 2) ->
  nu P (fun s => (1 - nu P G / nu P (fun s => G s ^ 2) * G s) ^ 2) = least G.
Proof. intros G HG HD. rewrite nu_square by exact HG. unfold least. field. lra. Qed.

Lemma least_scale : forall G H k, dom P G -> dom P H -> k <> 0 -> 0 < nu P (fun s => G s ^ 2) ->
  (forall s, H s = k * G s) -> least H = least G.
Proof.
  intros G H k HG HH Hk HD E. unfold least.
  rewrite (nu_ext P H (fun s => k * G s + 0 * G s)), (nu_ext P (fun s => H s ^ 2) (fun s => k ^ 2 * G s ^ 2 + 0 * G s))
    by (in_dom || (intros; rewrite E; ring)).
  rewrite !nu_combination by in_dom. field. split; [lra |]. exact Hk.
Qed.

Lemma least_continuous : forall F h0, family P F h0 -> 0 < nu P (fun s => F h0 s ^ 2) ->
  continuity_pt (fun h => least (F h)) h0.
Proof.
  intros F h0 HF HD. unfold least.
  apply (continuity_pt_minus (fun _ => scale P)); [now apply continuity_pt_const |].
  apply (continuity_pt_div (fun h => nu P (F h) ^ 2) (fun h => nu P (fun s => F h s ^ 2))).
  - apply (continuity_pt_comp (fun h => nu P (F h)) (fun y => y ^ 2)); [now apply family_nu | reg].
  - apply family_nu. now apply family_pow.
  - lra.
Qed.

Variable T : nat.
Hypothesis deep : (2 <= T)%nat.

(** * The profile in beta *)

Definition profile (b : R) : R := least (fun s => signal T b (1 + s)).

Lemma signal_continuous : forall b, continuity (fun s => signal T b (1 + s)).
Proof.
  intros b. apply (continuity_mult (fun s => 1 + s)); [reg |]. clear deep.
  induction T as [|n IH]; [now apply continuity_const |].
  apply (continuity_plus (fun s => geometric_sum (1 + b * (1 + s)) n) (fun s => (1 + b * (1 + s)) ^ n));
    [exact IH | reg].
Qed.

Lemma square_continuous : forall f, continuity f -> continuity (fun s => f s ^ 2).
Proof. intros f Hf s. apply (continuity_pt_comp f (fun y => y ^ 2)); [apply Hf | reg]. Qed.

(** No beta makes the signal vanish on the support: at one end at least it does not. *)
Lemma signal_square_pos : forall b, 0 < nu P (fun s => signal T b (1 + s) ^ 2).
Proof.
  intros b. pose proof (lo_nonneg P) as Hlo. pose proof (dom_signal P T b) as Hd.
  apply nu_pos; [in_dom | intros; apply pow2_ge_0 | apply square_continuous, signal_continuous |].
  assert (Hzero : forall l, 0 < l -> signal T b l = 0 -> b * l = -2).
  { intros l Hl H. unfold signal in H. apply Rmult_integral in H. destruct H as [H | H]; [lra |].
    apply geometric_zero in H; [lra | lia]. }
  destruct (Req_dec (signal T b (1 + lo P)) 0) as [El | Nl]; [right | left; now apply pow2_pos].
  apply pow2_pos. intros Eh. apply Hzero in El; [| lra]. apply Hzero in Eh; [| lra].
  assert (b * (hi P - lo P) = 0) as Hb by lra. apply Rmult_integral in Hb. destruct Hb as [-> | Hb]; lra.
Qed.

Lemma family_signal : forall b0, family P (fun b s => signal T b (1 + s)) b0.
Proof.
  intros b0. apply (family_ext P (fun b s => (1 + s) * mixed T 1 (1 + b * (1 + s)))).
  { intros b s. unfold signal. now rewrite geometric_mixed. }
  apply (family_mult P (fun _ s => 1 + s)); [apply family_lam |].
  apply (family_mixed P (fun _ _ => 1)); [apply family_number |].
  apply (family_plus P (fun _ _ => 1)); [apply family_number |].
  apply (family_mult P (fun b _ => b)); [apply family_parameter | apply family_lam].
Qed.

Lemma profile_continuous : forall b, continuity_pt profile b.
Proof.
  intros b. apply (least_continuous (fun b s => signal T b (1 + s))); [apply family_signal |].
  apply signal_square_pos.
Qed.

Lemma profile_nonneg : forall b, 0 <= profile b.
Proof.
  intros b. pose proof (dom_signal P T b) as Hd. unfold profile.
  rewrite <- least_attained by (exact Hd || apply signal_square_pos).
  apply nu_nonneg; [in_dom | intros; apply pow2_ge_0].
Qed.

Lemma profile_below : forall alpha beta, profile beta <= loss2 P T alpha beta.
Proof.
  intros alpha beta. rewrite loss2_nu.
  apply (least_below (fun s => signal T beta (1 + s))); [apply dom_signal | apply signal_square_pos].
Qed.

(** * The profile at infinity, h = 1/beta *)

Definition at_infinity (h s : R) : R := (1 + s + h) ^ T - h ^ T.

Lemma at_infinity_signal : forall h s, h <> 0 -> at_infinity h s = h ^ (T - 1) * signal T (/ h) (1 + s).
Proof.
  intros h s Hh. pose proof (signal_power T (/ h) (1 + s)) as H.
  replace (signal T (/ h) (1 + s)) with (h * ((1 + / h * (1 + s)) ^ T - 1)) by (rewrite <- H; field; exact Hh).
  replace (h ^ (T - 1) * (h * ((1 + / h * (1 + s)) ^ T - 1))) with (h ^ S (T - 1) * ((1 + / h * (1 + s)) ^ T - 1))
    by (simpl; ring).
  replace (S (T - 1)) with T by lia. rewrite Rmult_minus_distr_l, <- Rpow_mult_distr. unfold at_infinity.
  replace (h * (1 + / h * (1 + s))) with (1 + s + h) by (field; exact Hh). ring.
Qed.

Lemma family_at_infinity : forall h0, family P at_infinity h0.
Proof.
  intros h0. apply family_minus; apply family_pow; [| apply family_parameter].
  apply (family_plus P (fun _ s => 1 + s)); [apply family_lam | apply family_parameter].
Qed.

Lemma dom_at_infinity : forall h, dom P (at_infinity h).
Proof. intros h. apply (family_at_infinity 0). Qed.

Lemma profile_at_infinity : forall h, h <> 0 -> profile (/ h) = least (at_infinity h).
Proof.
  intros h Hh. symmetry. apply (least_scale _ _ (h ^ (T - 1))).
  - apply dom_signal.
  - apply dom_at_infinity.
  - now apply pow_nonzero.
  - apply signal_square_pos.
  - intros s. now apply at_infinity_signal.
Qed.

(** At h = 0 the filter is lam^T. *)
Lemma at_infinity_0 : forall s, at_infinity 0 s = (1 + s) ^ T.
Proof. intros s. unfold at_infinity. rewrite (pow_i T) by lia. rewrite Rplus_0_r. ring. Qed.

Lemma nu_power_pos : forall n, 0 < nu P (fun s => (1 + s) ^ n).
Proof.
  intros n. pose proof (lo_nonneg P). apply nu_pos; [in_dom | intros; apply pow_le; lra | reg |].
  left. apply pow_lt. lra.
Qed.

Lemma at_infinity_square_pos : 0 < nu P (fun s => at_infinity 0 s ^ 2).
Proof.
  rewrite (nu_ext P _ (fun s => (1 + s) ^ (T * 2))).
  - apply nu_power_pos.
  - pose proof (dom_at_infinity 0). in_dom.
  - in_dom.
  - intros s _. rewrite at_infinity_0. now rewrite pow_mult.
Qed.

(** Chebyshev's inequality for the increasing functions lam and lam^T, strict as lam is not constant. *)
Lemma association : nu P (fun s => (1 + s) ^ T) * nu P (fun s => (1 + s) ^ (2 * T - 1))
  < nu P (fun s => (1 + s) ^ (T - 1)) * nu P (fun s => (1 + s) ^ (2 * T)).
Proof.
  pose proof (lo_nonneg P) as Hlo. pose proof (nu_power_pos (T - 1)) as H1.
  set (m1 := nu P (fun s => (1 + s) ^ (T - 1))) in *. set (m2 := nu P (fun s => (1 + s) ^ T)).
  set (m3 := nu P (fun s => (1 + s) ^ (2 * T - 1))). set (m4 := nu P (fun s => (1 + s) ^ (2 * T))).
  set (mu := m2 / m1).
  assert (Hmu : 1 <= mu).
  { unfold mu. apply (Rmult_le_reg_r m1); [exact H1 |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
    apply nu_monotone; [in_dom | in_dom |]. intros s Hs. apply Rle_pow; [lra | lia]. }
  set (f := fun s => (1 + s) ^ (T - 1) * (1 + s - mu) ^ 2).
  assert (Hf : 0 < nu P f).
  { assert (Hfc : continuity f).
    { apply (continuity_mult (fun s => (1 + s) ^ (T - 1))); [reg |].
      apply (square_continuous (fun s => 1 + s - mu)). clearbody mu. reg. }
    apply nu_pos; [unfold f; in_dom | | exact Hfc |].
    - intros s Hs. apply Rmult_le_pos; [apply pow_le; lra | apply pow2_ge_0].
    - unfold f. destruct (Req_dec (1 + lo P - mu) 0) as [E | Hne]; [right | left];
        (apply Rmult_lt_0_compat; [apply pow_lt; lra | apply pow2_pos; lra]). }
  assert (Hle : nu P f <= m4 - mu * m3).
  { replace (m4 - mu * m3) with (1 * (1 * m4 + - mu * m3) + - mu ^ T * (1 * m2 + - mu * m1))
      by (unfold mu; field; lra).
    unfold m1, m2, m3, m4. rewrite <- !nu_combination by in_dom.
    apply nu_monotone; [unfold f; in_dom | in_dom |]. intros s Hs. unfold f. set (x := 1 + s).
    assert (Hx : 1 <= x) by (unfold x; lra).
    assert (E2 : x ^ (2 * T) = x ^ (T - 1) * (x * x ^ T))
      by (rewrite tech_pow_Rmult, <- pow_add; f_equal; lia).
    assert (E3 : x ^ (2 * T - 1) = x ^ (T - 1) * x ^ T) by (rewrite <- pow_add; f_equal; lia).
    assert (E1 : x ^ T = x * x ^ (T - 1)) by (rewrite tech_pow_Rmult; f_equal; lia).
    pose proof (mixed_telescope T mu x) as Ht. pose proof (mixed_at_least_1 T mu x ltac:(lia) Hmu Hx) as Hm.
    assert (Hy : 0 <= x ^ (T - 1)) by (apply pow_le; lra). pose proof (pow2_ge_0 (x - mu)) as Hsq.
    rewrite E2, E3. rewrite E1 in *. set (y := x ^ (T - 1)) in *.
    replace (1 * (1 * _ + _) + _) with (y * ((x - mu) * (x * y - mu ^ T))) by ring.
    rewrite <- Ht. apply Rmult_le_compat_l; [exact Hy |].
    replace ((x - mu) * ((x - mu) * mixed T mu x)) with ((x - mu) ^ 2 * mixed T mu x) by ring. nra. }
  apply (Rmult_lt_reg_r (/ m1)); [now apply Rinv_0_lt_compat |].
  replace (m2 * m3 * / m1) with (mu * m3) by (unfold mu; field; lra).
  replace (m1 * m4 * / m1) with m4 by (field; lra). lra.
Qed.

(** Large positive beta does better than its limit. *)
Lemma profile_dips : exists h, 0 < h /\ least (at_infinity h) < least (at_infinity 0).
Proof.
  pose proof (lo_nonneg P) as Hlo. pose proof at_infinity_square_pos as HD.
  set (c := nu P (at_infinity 0) / nu P (fun s => at_infinity 0 s ^ 2)).
  set (A := fun s => 1 - c * at_infinity 0 s).
  set (M := fun h s => c * (mixed T (1 + s) (1 + s + h) - h ^ (T - 1))).
  assert (DA : dom P A) by (pose proof (dom_at_infinity 0); unfold A; in_dom).
  assert (Hsplit : forall h s, 1 - c * at_infinity h s = A s - h * M h s).
  { intros h s. unfold A, M. rewrite at_infinity_0. unfold at_infinity.
    pose proof (mixed_telescope T (1 + s) (1 + s + h)) as Ht.
    replace (1 + s + h - (1 + s)) with h in Ht by ring.
    replace (h ^ T) with (h * h ^ (T - 1)) by (rewrite tech_pow_Rmult; f_equal; lia).
    replace ((1 + s + h) ^ T) with ((1 + s) ^ T + h * mixed T (1 + s) (1 + s + h)) by lra. ring. }
  assert (FM : forall h0, family P M h0).
  { intros h0. apply family_scal, family_minus; [| apply family_pow, family_parameter].
    apply (family_mixed P (fun _ s => 1 + s)); [apply family_lam |].
    apply (family_plus P (fun _ s => 1 + s)); [apply family_lam | apply family_parameter]. }
  assert (DM : forall h, dom P (M h)) by (intros h; apply (FM 0)).
  set (K := fun h => 2 * nu P (fun s => A s * M h s) - h * nu P (fun s => M h s ^ 2)).
  assert (Hexpand : forall h, nu P (fun s => (1 - c * at_infinity h s) ^ 2) = nu P (fun s => A s ^ 2) - h * K h).
  { intros h. specialize (DM h). pose proof (dom_at_infinity h) as Dh.
    rewrite (nu_ext P _ (fun s => 1 * A s ^ 2 + 1 * ((- 2 * h) * (A s * M h s) + h ^ 2 * M h s ^ 2)))
      by (in_dom || (intros; rewrite Hsplit; ring)).
    rewrite (nu_combination P 1 1 (fun s => A s ^ 2) (fun s => - 2 * h * (A s * M h s) + h ^ 2 * M h s ^ 2)),
      (nu_combination P _ _ (fun s => A s * M h s) (fun s => M h s ^ 2)) by in_dom.
    unfold K. ring. }
  assert (HK : continuity_pt K 0).
  { apply (continuity_pt_minus (fun h => 2 * nu P (fun s => A s * M h s))).
    - apply (continuity_pt_scal (fun h => nu P (fun s => A s * M h s))). apply family_nu.
      apply (family_mult P (fun _ => A)); [| apply FM]. unfold A.
      apply family_minus; [apply family_number |]. apply family_scal.
      apply (family_ext P (fun _ s => (1 + s) ^ T)); [intros; now rewrite at_infinity_0 |].
      apply family_pow, family_lam.
    - apply (continuity_pt_mult (fun h => h)); [reg |]. apply family_nu. now apply family_pow. }
  assert (HK0 : 0 < K 0).
  { unfold K. rewrite Rmult_0_l, Rminus_0_r. apply Rmult_lt_0_compat; [lra |].
    assert (HN : nu P (at_infinity 0) = nu P (fun s => (1 + s) ^ T)).
    { apply nu_ext; [apply dom_at_infinity | in_dom | intros; apply at_infinity_0]. }
    assert (HD' : nu P (fun s => at_infinity 0 s ^ 2) = nu P (fun s => (1 + s) ^ (2 * T))).
    { apply nu_ext; [pose proof (dom_at_infinity 0); in_dom | in_dom |].
      intros s _. rewrite at_infinity_0, <- pow_mult. f_equal. lia. }
    assert (HT : 0 < INR T) by (apply lt_0_INR; lia).
    pose proof (nu_power_pos T) as Hpos. rewrite HD' in HD.
    assert (Hc : c = nu P (fun s => (1 + s) ^ T) / nu P (fun s => (1 + s) ^ (2 * T)))
      by (unfold c; now rewrite HN, HD').
    assert (Hc0 : 0 < c) by (rewrite Hc; now apply Rdiv_lt_0_compat).
    specialize (DM 0).
    rewrite (nu_ext P _ (fun s => c * INR T * (1 + s) ^ (T - 1) + - (c ^ 2 * INR T) * (1 + s) ^ (2 * T - 1))).
    - rewrite nu_combination by in_dom.
      replace (c * INR T * nu P (fun s => (1 + s) ^ (T - 1)) + - (c ^ 2 * INR T) * nu P (fun s => (1 + s) ^ (2 * T - 1)))
        with (c * INR T * (nu P (fun s => (1 + s) ^ (T - 1)) - c * nu P (fun s => (1 + s) ^ (2 * T - 1)))) by ring.
      apply Rmult_lt_0_compat; [now apply Rmult_lt_0_compat |]. apply Rlt_Rminus.
      apply (Rmult_lt_reg_r (nu P (fun s => (1 + s) ^ (2 * T)))); [exact HD |].
      rewrite Hc. field_simplify; [| lra]. pose proof association. lra.
    - in_dom.
    - in_dom.
    - intros s _. unfold A, M. rewrite at_infinity_0, Rplus_0_r, (pow_i (T - 1)) by lia.
      replace (2 * T - 1)%nat with (T + (T - 1))%nat by lia. rewrite pow_add.
      replace (mixed T (1 + s) (1 + s)) with (INR T * (1 + s) ^ (T - 1)); [ring |].
      replace T with (S (T - 1)) at 1 3 by lia. symmetry. apply mixed_diagonal. }
  destruct (HK (K 0)) as [d [Hd Hnear]]; [exact HK0 |].
  assert (Hcand : forall h, 0 < h < d -> 0 < K h).
  { intros h Hh. assert (Hlt : Rabs (K h - K 0) < K 0).
    { apply Hnear. repeat split; [lra |]. simpl. unfold R_dist. rewrite Rminus_0_r, Rabs_right; lra. }
    apply Rabs_def2 in Hlt. lra. }
  set (h := d / 2). assert (Hh : 0 < h < d) by (unfold h; lra). exists h. split; [lra |].
  apply Rle_lt_trans with (nu P (fun s => (1 - c * at_infinity h s) ^ 2)).
  - apply least_below; [apply dom_at_infinity |].
    replace (nu P (fun s => at_infinity h s ^ 2))
      with (nu P (fun s => (h ^ (T - 1)) ^ 2 * signal T (/ h) (1 + s) ^ 2 + 0 * 1)).
    + pose proof (dom_signal P T (/ h)) as Ds. rewrite nu_combination by in_dom. rewrite Rmult_0_l, Rplus_0_r.
      apply Rmult_lt_0_compat; [apply pow_lt, pow_lt; lra | apply signal_square_pos].
    + pose proof (dom_signal P T (/ h)) as Ds. pose proof (dom_at_infinity h) as Dh.
      apply nu_ext; [in_dom | in_dom |]. intros s _. rewrite at_infinity_signal by lra. ring.
  - rewrite Hexpand. pose proof (Hcand h Hh).
    assert (Hbase : nu P (fun s => A s ^ 2) = least (at_infinity 0)).
    { apply (least_attained (at_infinity 0)); [apply dom_at_infinity | exact HD]. }
    rewrite Hbase. assert (0 < h * K h) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** Theorem 6.3: for m_lo < m_hi and T >= 2 a global minimiser exists. *)
Theorem two_parameter_minimiser_exists : exists alpha beta, minimiser2 P T alpha beta.
Proof.
  destruct profile_dips as [h0 [Hh0 Hdip]].
  destruct (least_continuous at_infinity 0 (family_at_infinity 0) at_infinity_square_pos
    (least (at_infinity 0) - least (at_infinity h0))) as [d [Hd Hnear]]; [lra |].
  set (B := Rmax (/ h0) (2 / d)).
  assert (HB1 : / h0 <= B) by apply Rmax_l. assert (HB2 : 2 / d <= B) by apply Rmax_r.
  assert (HB0 : 0 < / h0) by now apply Rinv_0_lt_compat.
  destruct (attains_minimum profile (- B) B) as [b [Hb Hmin]]; [lra | intros; apply profile_continuous |
    intros; apply profile_nonneg |].
  assert (Hall : forall b', profile b <= profile b').
  { intros b'. destruct (Rle_lt_dec (Rabs b') B) as [Hin | Hout].
    - apply Hmin. revert Hin. unfold Rabs. destruct (Rcase_abs b'); lra.
    - assert (Hb' : b' <> 0) by (intros ->; rewrite Rabs_R0 in Hout; lra).
      apply Rle_trans with (profile (/ h0)); [apply Hmin; lra |].
      rewrite profile_at_infinity by lra. rewrite <- (Rinv_inv b'), profile_at_infinity by now apply Rinv_neq_0_compat.
      assert (Hsmall : Rabs (/ b') < d).
      { rewrite Rabs_inv. assert (H2d : 0 < 2 / d) by (apply Rdiv_lt_0_compat; lra).
        apply Rlt_trans with (/ (2 / d)).
        - apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra | lra].
        - replace (/ (2 / d)) with (d / 2) by (field; lra). lra. }
      assert (Hlt : Rabs (least (at_infinity (/ b')) - least (at_infinity 0))
                    < least (at_infinity 0) - least (at_infinity h0)).
      { apply Hnear. repeat split.
        - apply not_eq_sym. now apply Rinv_neq_0_compat.
        - simpl. unfold R_dist. now rewrite Rminus_0_r. }
      apply Rabs_def2 in Hlt. lra. }
  exists (nu P (fun s => signal T b (1 + s)) / nu P (fun s => signal T b (1 + s) ^ 2)), b. intros alpha' beta'.
  apply Rle_trans with (2 := profile_below alpha' beta'). apply Rle_trans with (2 := Hall beta').
  rewrite loss2_nu. apply Req_le, (least_attained (fun s => signal T b (1 + s))); [apply dom_signal |].
  apply signal_square_pos.
Qed.

End Existence.
