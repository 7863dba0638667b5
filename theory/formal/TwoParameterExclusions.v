(** Where the minimiser of the two-parameter loss cannot be, at every depth from one on: the inequalities that
    the certificates of theorem 6.3 check, and why one depth is enough. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law OneParameter OneParameterLimit Embedding Polynomial Layerwise TwoParameter.
Open Scope R_scope.

(** Masses under nu of {lam <= l} and {lam >= l}. *)
Definition at_most (l s : R) : R := below (l - 1) s.
Definition at_least (l s : R) : R := 1 - strictly_below (l - 1) s.

(** p_M p_H (spread (1 - theta^T) r^T)^2 (1 - kappa^(2T)) > bound kappa^(2T) *)
Definition exceeds (P : law) (p spread theta r bound : R) (T : nat) : Prop :=
  bound * kappa P ^ (2 * T) < p * (spread * (1 - theta ^ T) * r ^ T) ^ 2 * (1 - kappa P ^ (2 * T)).

(** Thresholds lM < lH in the support, with lower bounds for their shares of nu. *)
Record thresholds (P : law) (lM lH pM pH : R) : Prop := {
  lM_low : 1 + lo P <= lM;
  lM_lH : lM < lH;
  lH_high : lH <= 1 + hi P;
  pM_nonneg : 0 <= pM;
  pH_nonneg : 0 <= pH;
  pM_mass : pM * scale P <= nu P (at_most lM);
  pH_mass : pH * scale P <= nu P (at_least lH)
}.

(** The inequality is inherited by larger depths. *)
Lemma exceeds_later : forall P p spread theta r bound T T', (T <= T')%nat -> 0 <= p -> 0 <= bound ->
  0 <= theta <= 1 -> kappa P < r -> exceeds P p spread theta r bound T -> exceeds P p spread theta r bound T'.
Proof.
  intros P p spread theta r bound T T' HT Hp Hbound Htheta Hr H.
  pose proof (kappa_bounds P) as Hk. induction HT as [| T' HT IH]; [exact H |]. clear H.
  unfold exceeds in *. set (k := kappa P ^ (2 * T')) in *.
  replace (kappa P ^ (2 * S T')) with (kappa P ^ 2 * k)
    by (unfold k; replace (2 * S T')%nat with (2 + 2 * T')%nat by lia; now rewrite pow_add).
  assert (Hk01 : 0 <= k <= 1) by (apply power_bounds; lra).
  assert (Hth : 0 <= theta ^ T' <= 1) by now apply power_bounds.
  replace (p * (spread * (1 - theta ^ S T') * r ^ S T') ^ 2)
    with (r ^ 2 * (p * (spread * r ^ T') ^ 2 * (1 - theta ^ S T') ^ 2)) by (simpl; ring).
  replace (p * (spread * (1 - theta ^ T') * r ^ T') ^ 2)
    with (p * (spread * r ^ T') ^ 2 * (1 - theta ^ T') ^ 2) in IH by ring.
  set (u := p * (spread * r ^ T') ^ 2) in *.
  assert (Hu : 0 <= u) by (apply Rmult_le_pos; [lra | apply pow2_ge_0]).
  assert (Hr2 : 0 < r ^ 2 /\ kappa P ^ 2 <= r ^ 2) by (split; [apply pow_lt; lra | apply pow_incr; lra]).
  assert (Hth' : (1 - theta ^ T') ^ 2 <= (1 - theta ^ S T') ^ 2) by (apply pow_incr; simpl; nra).
  assert (Hk2 : kappa P ^ 2 * k <= k) by (assert (kappa P ^ 2 <= 1) by (apply (power_bounds 2); lra); nra).
  assert (H1 : u * (1 - theta ^ T') ^ 2 * (1 - k) <= u * (1 - theta ^ S T') ^ 2 * (1 - kappa P ^ 2 * k)).
  { apply Rmult_le_compat; try lra; [apply Rmult_le_pos; [lra | apply pow2_ge_0] |].
    now apply Rmult_le_compat_l. }
  assert (H2 : kappa P ^ 2 * (bound * k) <= r ^ 2 * (bound * k)).
  { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | lra]. }
  assert (H3 : r ^ 2 * (bound * k) < r ^ 2 * (u * (1 - theta ^ S T') ^ 2 * (1 - kappa P ^ 2 * k)))
    by (apply Rmult_lt_compat_l; lra).
  lra.
Qed.

Section Exclusions.
Variable P : law.

Lemma indicator_at_most : forall l, indicator P (at_most l).
Proof.
  intros l. split; [apply dom_below |]. intros s. unfold at_most, below.
  destruct (Rle_dec s (l - 1)); auto.
Qed.

Lemma indicator_at_least : forall l, indicator P (at_least l).
Proof.
  intros l. split; [unfold at_least; in_dom |]. intros s. unfold at_least, strictly_below.
  destruct (Rlt_dec s (l - 1)); [left | right]; ring.
Qed.

Lemma at_most_iff : forall l s, at_most l s = 1 <-> 1 + s <= l.
Proof. intros l s. unfold at_most, below. destruct (Rle_dec s (l - 1)); split; lra. Qed.

Lemma at_least_iff : forall l s, at_least l s = 1 <-> l <= 1 + s.
Proof. intros l s. unfold at_least, strictly_below. destruct (Rlt_dec s (l - 1)); split; lra. Qed.

Lemma disjoint_low : forall lM lH s, lM < lH -> at_most lM s = 1 -> at_least lH s = 0.
Proof.
  intros lM lH s Hl H. apply at_most_iff in H. unfold at_least, strictly_below.
  destruct (Rlt_dec s (lH - 1)); lra.
Qed.

Lemma disjoint_high : forall lM lH s, lM < lH -> at_least lH s = 1 -> at_most lM s = 0.
Proof.
  intros lM lH s Hl H. apply at_least_iff in H. unfold at_most, below.
  destruct (Rle_dec s (lM - 1)); lra.
Qed.

Lemma kappa_power : forall T, 0 <= kappa P ^ (2 * T) <= 1.
Proof. intros T. pose proof (kappa_bounds P). apply power_bounds. lra. Qed.

(** From a variance that is large against the mean to a loss above C kappa^(2T). *)
Lemma excluded : forall T G c p q bound w, dom P G -> 0 < w ->
  bound * kappa P ^ (2 * T) < p * q ^ 2 * (1 - kappa P ^ (2 * T)) ->
  p * (scale P * (q * w)) ^ 2 <= variance P G -> nu P G ^ 2 <= bound * (w * scale P) ^ 2 ->
  scale P * kappa P ^ (2 * T) < nu P (fun s => (1 - c * G s) ^ 2).
Proof.
  intros T G c p q bound w HG Hw H HV Hmean. apply Rnot_le_lt. intros Hloss.
  apply variance_of_small_loss in Hloss; [| exact HG].
  pose proof (scale_pos P) as HC. pose proof (kappa_power T) as Hk.
  set (k := kappa P ^ (2 * T)) in *. set (V := variance P G) in *. set (g := nu P G ^ 2) in *.
  assert (Hpos : 0 < (w * scale P) ^ 2) by (apply pow_lt, Rmult_lt_0_compat; lra).
  assert (H1 : (1 - k) * (p * (scale P * (q * w)) ^ 2) <= (1 - k) * V) by (apply Rmult_le_compat_l; lra).
  assert (H2 : k * g <= k * (bound * (w * scale P) ^ 2)) by (apply Rmult_le_compat_l; lra).
  apply (Rmult_lt_compat_r ((w * scale P) ^ 2)) in H; [| exact Hpos].
  replace ((1 - k) * (p * (scale P * (q * w)) ^ 2)) with (p * q ^ 2 * (1 - k) * (w * scale P) ^ 2) in H1 by ring.
  lra.
Qed.

Lemma mass_product : forall pM pH mM mH d d', 0 <= pM -> 0 <= pH -> pM * scale P <= mM -> pH * scale P <= mH ->
  0 <= d' <= d -> pM * pH * (scale P * d') ^ 2 <= mM * mH * d ^ 2.
Proof.
  intros pM pH mM mH d d' HpM HpH HmM HmH Hd. pose proof (scale_pos P) as HC.
  replace (pM * pH * (scale P * d') ^ 2) with (pM * scale P * (pH * scale P) * d' ^ 2) by ring.
  assert (0 <= pM * scale P) by (apply Rmult_le_pos; lra). assert (0 <= pH * scale P) by (apply Rmult_le_pos; lra).
  apply Rmult_le_compat; [now apply Rmult_le_pos | apply pow2_ge_0 | | now apply pow_incr].
  now apply Rmult_le_compat.
Qed.

Lemma mean_square : forall G w, dom P G -> (forall s, lo P <= s <= hi P -> - w <= G s <= w) ->
  nu P G ^ 2 <= (w * scale P) ^ 2.
Proof.
  intros G w HG H. destruct (nu_bounds P G (- w) w HG H). apply pow_maj_Rabs, Rabs_le. lra.
Qed.

(** lM < lH: their masses are at most 1 together. *)
Lemma masses_product : forall lM lH pM pH, thresholds P lM lH pM pH -> pM + pH <= 1.
Proof.
  intros lM lH pM pH [_ Hl _ HpM HpH HmM HmH]. pose proof (scale_pos P) as HC.
  destruct (indicator_at_most lM) as [DM BM]. destruct (indicator_at_least lH) as [DH BH].
  apply (Rmult_le_reg_r (scale P)); [exact HC |].
  apply Rle_trans with (1 * nu P (at_most lM) + 1 * nu P (at_least lH)); [lra |].
  rewrite <- nu_combination, <- nu_const by assumption. apply nu_monotone; [in_dom | in_dom |].
  intros s _. destruct (BM s) as [E | E].
  - destruct (BH s) as [E' | E']; lra.
  - rewrite (disjoint_low lM lH) by assumption. lra.
Qed.

(** The filter in powers: (1 - c G)^2 with G = z^T - 1. *)
Definition power_signal (T : nat) (b s : R) : R := (1 - b * (1 + s)) ^ T - 1.

Lemma loss2_power : forall T alpha b, b <> 0 ->
  loss2 P T alpha (- b) = nu P (fun s => (1 - alpha / - b * power_signal T b s) ^ 2).
Proof.
  intros T alpha b Hb. rewrite loss2_nu. pose proof (dom_signal P T (- b)) as Hd.
  apply nu_ext; [in_dom | unfold power_signal; in_dom |]. intros s _. unfold power_signal.
  replace (1 - b * (1 + s)) with (1 + - b * (1 + s)) by ring. rewrite <- signal_power. f_equal. field. exact Hb.
Qed.

Lemma dom_power_signal : forall T b, dom P (power_signal T b).
Proof. intros T b. unfold power_signal. in_dom. Qed.

Lemma pow_parity : forall T, (forall x, (- x) ^ T = x ^ T) \/ (forall x, (- x) ^ T = - x ^ T).
Proof.
  intros T; induction T as [|T [IH | IH]]; [left | right | left]; intros x; simpl; try rewrite IH; ring.
Qed.

Lemma pow_even_pos : forall T, (forall x, (- x) ^ T = x ^ T) -> forall x, 0 <= x ^ T.
Proof.
  intros T H x. destruct (Rle_lt_dec 0 x); [now apply pow_le |].
  rewrite <- H. apply pow_le. lra.
Qed.

Lemma pow_abs_even : forall T, (forall x, (- x) ^ T = x ^ T) -> forall x y, - y <= x <= y -> x ^ T <= y ^ T.
Proof.
  intros T H x y Hxy. destruct (Rle_lt_dec 0 x); [apply pow_incr; lra |].
  rewrite <- H. apply pow_incr. lra.
Qed.

Lemma pow_abs_bounds : forall T x y, - y <= x <= y -> - y ^ T <= x ^ T <= y ^ T.
Proof.
  intros T x y Hxy. assert (H : Rabs (x ^ T) <= y ^ T).
  { rewrite <- RPow_abs. apply pow_incr. split; [apply Rabs_pos | now apply Rabs_le]. }
  revert H. unfold Rabs. destruct (Rcase_abs (x ^ T)); lra.
Qed.

End Exclusions.
