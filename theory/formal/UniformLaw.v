(** Uniform laws: the moments E[s (1 - a lam)^n] and their two sides in closed form, and the inequalities that
    enclose alpha_T and prove its limit, decided on integers. *)
From Coq Require Import Reals ZArith Bool Lra Lia.
From Coquelicot Require Import Coquelicot.
From Formal Require Import Law OneParameter OneParameterLimit Density.
Open Scope R_scope.

Lemma uniform_density : forall low high, 0 <= low < high -> density low high (fun _ => 1).
Proof.
  intros low high H. apply positive_density; [exact H | intros; apply continuous_const | intros; lra].
Qed.

Definition uniform (low high : R) (H : 0 <= low < high) : law :=
  density_law low high (fun _ => 1) (uniform_density low high H).

Lemma uniform_part : forall low high H (f I F : R -> R) u v, low <= u <= v -> v <= high ->
  (forall s, low < s < u -> I s = 0) -> (forall s, u < s < v -> I s = 1) -> (forall s, v < s < high -> I s = 0) ->
  (forall s, is_derive F s (f s)) -> (forall s, continuous f s) ->
  E (uniform low high H) (fun s => f s * I s) = (F v - F u) / (high - low).
Proof.
  intros low high H f I F u v Hu Hv H0 H1 H2 HF Hc. unfold uniform.
  rewrite (density_part low high _ _ f I F u v); trivial.
  - f_equal. rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. ring.
  - intros s _. rewrite Rmult_1_r. apply HF.
  - intros s _. apply (continuous_ext f); [intros; now rewrite Rmult_1_r | apply Hc].
Qed.

Section Uniform.
Variables low high : R.
Hypothesis H : 0 <= low < high.
Let P := uniform low high H.

(** An antiderivative of s (1 - a lam)^n. *)
Definition antiderivative (a : R) (n : nat) (s : R) : R :=
  - ((1 - a) / INR (S n) * residual a s ^ S n - / INR (S (S n)) * residual a s ^ S (S n)) / a ^ 2.

Lemma antiderivative_correct : forall (a : R) n (s : R), a <> 0 ->
  is_derive (antiderivative a n) s (s * residual a s ^ n).
Proof.
  intros a n s Ha. pose proof (not_0_INR (S n) ltac:(lia)) as H1. pose proof (not_0_INR (S (S n)) ltac:(lia)) as H2.
  unfold antiderivative, residual. rewrite (S_INR (S n)) in *.
  auto_derive; [trivial |]. simpl pred.
  change (match n with O => 1 | S _ => INR n + 1 end) with (INR (S n)) in *. set (k := INR (S n)) in *.
  clearbody k. set (q := 1 - a * (1 + s)). replace (1 + - (a * (1 + s))) with q by (unfold q; ring).
  assert (Hs : s = (1 - a - q) / a) by (unfold q; field; exact Ha).
  clearbody q. rewrite Hs at 1. simpl. field. repeat split; assumption.
Qed.

Variables (a : R) (n : nat).
Hypothesis Ha : 0 < a.

(** The antiderivative as a function of the residual r, up to the factor [factor] > 0. *)
Definition primitive (k : nat) (r : R) : R := r ^ k * (INR k * r - (INR k + 1) * (1 - a)).
Definition factor : R := a ^ 2 * INR (S n) * (INR (S n) + 1).

Lemma factor_pos : 0 < factor.
Proof.
  pose proof (lt_0_INR (S n) ltac:(lia)) as Hk. unfold factor.
  apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat |]; try lra. now apply pow_lt.
Qed.

Lemma antiderivative_primitive : forall s, antiderivative a n s = primitive (S n) (residual a s) / factor.
Proof.
  intros s. pose proof (lt_0_INR (S n) ltac:(lia)) as Hk. unfold antiderivative, primitive, factor.
  rewrite (S_INR (S n)). rewrite <- (tech_pow_Rmult _ (S n)). field. lra.
Qed.

Lemma moment_continuous : forall s : R, continuous (fun x => x * residual a x ^ n) s.
Proof.
  intros s. apply (@ex_derive_continuous R_AbsRing R_NormedModule). unfold residual. auto_derive. trivial.
Qed.

Let width : R := (high - low) * factor.

Lemma width_pos : 0 < width.
Proof. apply Rmult_lt_0_compat; [lra | apply factor_pos]. Qed.

Lemma part_of_moment : forall I u v, low <= u <= v -> v <= high ->
  (forall s, low < s < u -> I s = 0) -> (forall s, u < s < v -> I s = 1) -> (forall s, v < s < high -> I s = 0) ->
  E P (fun s => s * residual a s ^ n * I s)
    = (primitive (S n) (residual a v) - primitive (S n) (residual a u)) / width.
Proof.
  intros I u v Hu Hv H0 H1 H2. unfold P.
  rewrite (uniform_part low high H (fun s => s * residual a s ^ n) I (antiderivative a n) u v); trivial.
  - rewrite !antiderivative_primitive. unfold width. field. pose proof factor_pos. lra.
  - intros s. apply antiderivative_correct. lra.
  - apply moment_continuous.
Qed.

(** E[s q^n], q = 1 - a lam. *)
Lemma whole_moment : E P (fun s => s * residual a s ^ n)
  = (primitive (S n) (residual a high) - primitive (S n) (residual a low)) / width.
Proof.
  rewrite (E_ext P _ (fun s => s * residual a s ^ n * 1)) by (in_dom || (intros; ring)).
  apply part_of_moment; intros; lra.
Qed.

(** Where the residual is c. *)
Let crossing (c : R) : R := (1 - c) / a - 1.

Lemma residual_crossing : forall c, residual a (crossing c) = c.
Proof. intros c. unfold residual, crossing. field. lra. Qed.

Lemma crossing_below : forall c s, s < crossing c -> c < residual a s.
Proof.
  intros c s Hs. rewrite <- (residual_crossing c). unfold residual.
  assert (a * s < a * crossing c) by (apply Rmult_lt_compat_l; lra). lra.
Qed.

Lemma crossing_above : forall c s, crossing c < s -> residual a s < c.
Proof.
  intros c s Hs. rewrite <- (residual_crossing c). unfold residual.
  assert (a * crossing c < a * s) by (apply Rmult_lt_compat_l; lra). lra.
Qed.

Lemma crossing_within : forall c, residual a high <= c <= residual a low -> low <= crossing c <= high.
Proof.
  intros c Hc. split; apply Rnot_lt_le; intros Hlt.
  - apply crossing_above in Hlt. lra.
  - apply crossing_below in Hlt. lra.
Qed.

(** E[s q^n; q > c] *)
Lemma upper_part : forall c, residual a high <= c <= residual a low ->
  E P (fun s => s * residual a s ^ n * above c (residual a s))
    = (primitive (S n) c - primitive (S n) (residual a low)) / width.
Proof.
  intros c Hc. apply crossing_within in Hc.
  replace (primitive (S n) c) with (primitive (S n) (residual a (crossing c))) by now rewrite residual_crossing.
  apply part_of_moment; try lra; intros s Hs; unfold above; destruct (Rlt_dec c (residual a s)); trivial.
  - lra.
  - pose proof (crossing_below c s ltac:(lra)). lra.
  - pose proof (crossing_above c s ltac:(lra)). lra.
Qed.

(** E[|q|^n; q < - c] at odd n *)
Lemma lower_part : forall c, residual a high <= - c <= residual a low -> Nat.Odd n ->
  E P (fun s => s * (- residual a s) ^ n * above c (- residual a s))
    = (primitive (S n) (- c) - primitive (S n) (residual a high)) / width.
Proof.
  intros c Hc [m Hm]. apply crossing_within in Hc.
  assert (Hopp : forall x, (- x) ^ n = - x ^ n).
  { intros x. replace n with (S (2 * m)) by lia. apply pow_odd_opp. }
  rewrite (E_ext P _ (fun s => - (s * residual a s ^ n * above c (- residual a s)))).
  2: { apply dom_mult; [in_dom |]. now apply dom_above_minus_residual. }
  2: { intros s. rewrite Hopp. ring. }
  rewrite E_opp by (apply dom_mult; [in_dom | now apply dom_above_minus_residual]).
  rewrite (part_of_moment _ (crossing (- c)) high).
  - rewrite residual_crossing. field. pose proof width_pos. lra.
  - lra.
  - lra.
  - intros s Hs. unfold above. destruct (Rlt_dec c (- residual a s)); trivial.
    pose proof (crossing_below (- c) s ltac:(lra)). lra.
  - intros s Hs. unfold above. destruct (Rlt_dec c (- residual a s)); trivial.
    pose proof (crossing_above (- c) s ltac:(lra)). lra.
  - intros s Hs. lra.
Qed.

End Uniform.
