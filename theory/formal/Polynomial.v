(** Polynomials of degree at most n, as functions of a real variable; Chebyshev polynomials. *)
From Coq Require Import Reals Lra Lia.
Open Scope R_scope.

Definition poly (c : nat -> R) (n : nat) (x : R) : R := sum_f_R0 (fun k => c k * x ^ k) n.

(** f is a polynomial of degree at most n. *)
Definition degree (n : nat) (f : R -> R) : Prop := exists c, forall x, f x = poly c n x.

Lemma poly_at_0 : forall c n, poly c n 0 = c 0%nat.
Proof.
  intros c n; induction n as [|n IH]; unfold poly in *; simpl in *; [ring | rewrite IH; ring].
Qed.

Lemma poly_ext : forall c d n x, (forall k, (k <= n)%nat -> c k = d k) -> poly c n x = poly d n x.
Proof. intros c d n x H. apply sum_eq. intros k Hk. now rewrite H. Qed.

Lemma degree_ext : forall n f g, (forall x, f x = g x) -> degree n f -> degree n g.
Proof. intros n f g H [c Hc]. exists c. intros x. now rewrite <- H. Qed.

Lemma degree_const : forall n v, degree n (fun _ => v).
Proof.
  intros n v. exists (fun k => match k with O => v | S _ => 0 end). intros x.
  induction n as [|n IH]; unfold poly in *; simpl in *; [ring | rewrite <- IH; ring].
Qed.

Lemma degree_plus : forall n f g, degree n f -> degree n g -> degree n (fun x => f x + g x).
Proof.
  intros n f g [c Hc] [d Hd]. exists (fun k => c k + d k). intros x. rewrite Hc, Hd. unfold poly.
  rewrite <- plus_sum. apply sum_eq. intros; ring.
Qed.

Lemma degree_scal : forall n v f, degree n f -> degree n (fun x => v * f x).
Proof.
  intros n v f [c Hc]. exists (fun k => v * c k). intros x. rewrite Hc. unfold poly.
  rewrite scal_sum. apply sum_eq. intros; ring.
Qed.

Lemma degree_S : forall n f, degree n f -> degree (S n) f.
Proof.
  intros n f [c Hc]. exists (fun k => if Nat.leb k n then c k else 0). intros x. rewrite Hc.
  unfold poly; rewrite tech5, (proj2 (Nat.leb_gt (S n) n)), Rmult_0_l, Rplus_0_r by lia.
  apply sum_eq. intros k Hk. now rewrite (proj2 (Nat.leb_le k n)).
Qed.

Lemma degree_le : forall m n f, (m <= n)%nat -> degree m f -> degree n f.
Proof. intros m n f H Hf. induction H; [exact Hf | now apply degree_S]. Qed.

Lemma degree_shift : forall n f, degree n f -> degree (S n) (fun x => x * f x).
Proof.
  intros n f [c Hc]. exists (fun k => match k with O => 0 | S j => c j end). intros x. rewrite Hc.
  unfold poly. rewrite (decomp_sum _ (S n)) by lia. simpl. rewrite Rmult_0_l, Rplus_0_l, scal_sum.
  apply sum_eq. intros; ring.
Qed.

Lemma degree_affine : forall n u v f, degree n f -> degree (S n) (fun x => (u + v * x) * f x).
Proof.
  intros n u v f Hf. apply (degree_ext _ (fun x => u * f x + v * (x * f x))); [intros; ring |].
  apply degree_plus; apply degree_scal; [now apply degree_S | now apply degree_shift].
Qed.

(** Division by x - z. *)
Lemma degree_div : forall n z f, degree (S n) f -> exists g, degree n g /\ forall x, f x = f z + (x - z) * g x.
Proof.
  intros n z f [c Hc].
  assert (Hpow : forall m, exists q, degree m q /\ forall x, x ^ S m - z ^ S m = (x - z) * q x).
  { intros m; induction m as [|m [q [Hq H]]].
    - exists (fun _ => 1). split; [apply degree_const | intros; ring].
    - exists (fun x => x * q x + z ^ S m). split.
      + apply degree_plus; [now apply degree_shift | apply degree_const].
      + intros x. replace (x ^ S (S m) - _) with (x * (x ^ S m - z ^ S m) + z ^ S m * (x - z)) by (simpl; ring).
        rewrite H. ring. }
  assert (Hdiv : forall m, exists g, degree m g /\ forall x, poly c (S m) x = poly c (S m) z + (x - z) * g x).
  { intros m; induction m as [|m [g [Hg H]]].
    - exists (fun _ => c 1%nat). split; [apply degree_const | intros; unfold poly; simpl; ring].
    - destruct (Hpow (S m)) as [q [Hq Hx]]. exists (fun x => g x + c (S (S m)) * q x). split.
      + apply degree_plus; [now apply degree_S | now apply degree_scal].
      + intros x. specialize (Hx x). unfold poly in *. rewrite !(tech5 _ (S m)), H.
        replace (x ^ S (S m)) with (z ^ S (S m) + (x - z) * q x) by (rewrite <- Hx; ring). ring. }
  destruct (Hdiv n) as [g [Hg H]]. exists g. split; [exact Hg |]. intros x. now rewrite !Hc.
Qed.

(** * Products over layers *)

(** prod_(k < n) f k *)
Fixpoint prod (f : nat -> R) (n : nat) : R :=
  match n with O => 1 | S m => prod f m * f m end.

Lemma prod_ext : forall f g n, (forall k, (k < n)%nat -> f k = g k) -> prod f n = prod g n.
Proof.
  intros f g n; induction n as [|n IH]; intros H; simpl; [reflexivity |].
  rewrite IH by (intros; apply H; lia). now rewrite H by lia.
Qed.

Lemma prod_1 : forall n, prod (fun _ => 1) n = 1.
Proof. intros n; induction n as [|n IH]; simpl; [| rewrite IH]; ring. Qed.

(** A polynomial with r(0) = 1 that vanishes at n distinct points is prod (1 - x / z_k). *)
Lemma product_of_roots : forall n r z, degree n r -> r 0 = 1 -> (forall k, (k < n)%nat -> r (z k) = 0) ->
  (forall j k, (j < k < n)%nat -> z j <> z k) -> forall x, r x = prod (fun k => 1 - / z k * x) n.
Proof.
  intros n; induction n as [|n IH]; intros r z Hr H0 Hz Hd x.
  - destruct Hr as [c Hc]. simpl. rewrite <- H0, !Hc. unfold poly; simpl; ring.
  - destruct (degree_div n (z n) r Hr) as [g [Hg H]]. rewrite Hz in H by lia.
    assert (Hne : z n <> 0).
    { intros E. specialize (Hz n ltac:(lia)). rewrite E, H0 in Hz. lra. }
    assert (Hg0 : - z n * g 0 = 1) by (rewrite <- H0, H; ring).
    simpl. rewrite <- (IH (fun y => - z n * g y) z); trivial.
    + rewrite H. field. exact Hne.
    + now apply degree_scal.
    + intros k Hk. specialize (Hz k ltac:(lia)). rewrite H in Hz.
      assert (z k - z n <> 0) by (specialize (Hd k n ltac:(lia)); lra).
      assert (g (z k) = 0) as -> by (apply (Rmult_eq_reg_l (z k - z n)); lra). ring.
    + intros j k Hk. apply Hd. lia.
Qed.

Lemma degree_prod : forall a n, degree n (fun x => prod (fun k => 1 - a k * x) n).
Proof.
  intros a n; induction n as [|n IH]; simpl; [apply degree_const |].
  apply (degree_ext _ (fun x => (1 + - a n * x) * prod (fun k => 1 - a k * x) n)); [intros; ring |].
  now apply degree_affine.
Qed.

(** * Chebyshev polynomials *)

Fixpoint chebyshev (n : nat) (x : R) : R :=
  match n with
  | O => 1
  | S m => match m with O => x | S k => 2 * x * chebyshev m x - chebyshev k x end
  end.

Lemma chebyshev_SS : forall n x, chebyshev (S (S n)) x = 2 * x * chebyshev (S n) x - chebyshev n x.
Proof. reflexivity. Qed.

(** A property of a two-term recurrence. *)
Lemma nat_pair_ind : forall Q : nat -> Prop, Q 0%nat -> Q 1%nat ->
  (forall n, Q n -> Q (S n) -> Q (S (S n))) -> forall n, Q n.
Proof.
  intros Q H0 H1 HS n. enough (Q n /\ Q (S n)) by tauto. induction n as [|n [IH IH']]; auto.
Qed.

Lemma chebyshev_degree : forall u v n, degree n (fun x => chebyshev n (u + v * x)).
Proof.
  intros u v n. induction n as [| |n IH IH'] using nat_pair_ind.
  - apply (degree_const 0 1).
  - apply (degree_ext _ (fun x => (u + v * x) * 1)); [intros; simpl; ring |].
    apply (degree_affine 0 u v (fun _ => 1)), degree_const.
  - apply (degree_ext _ (fun x => 2 * ((u + v * x) * chebyshev (S n) (u + v * x))
                                  + -1 * chebyshev n (u + v * x))).
    { intros x. rewrite chebyshev_SS. ring. }
    apply degree_plus; apply degree_scal; [now apply degree_affine |].
    now apply degree_S, degree_S.
Qed.

Lemma chebyshev_cos : forall n t, chebyshev n (cos t) = cos (INR n * t).
Proof.
  intros n t. induction n as [| |n IH IH'] using nat_pair_ind.
  - simpl. now rewrite Rmult_0_l, cos_0.
  - simpl. now rewrite Rmult_1_l.
  - rewrite chebyshev_SS, IH, IH', !S_INR.
    replace ((INR n + 1 + 1) * t) with ((INR n + 1) * t + t) by ring.
    replace (INR n * t) with ((INR n + 1) * t - t) by ring.
    rewrite cos_plus, cos_minus. ring.
Qed.

(** |T_n| <= 1 on [-1, 1], by T_n^2 + (1 - x^2) U_(n-1)^2 = 1. *)
Lemma chebyshev_bounded : forall n x, -1 <= x <= 1 -> -1 <= chebyshev n x <= 1.
Proof.
  intros n x Hx.
  assert (H : exists u, chebyshev (S n) x = x * chebyshev n x - (1 - x ^ 2) * u /\
    chebyshev n x ^ 2 + (1 - x ^ 2) * u ^ 2 = 1).
  { induction n as [|n [u [H1 H2]]].
    - exists 0. simpl. split; ring.
    - exists (chebyshev n x + x * u). rewrite chebyshev_SS, H1. split; [ring |].
      apply Rminus_diag_uniq_sym. rewrite <- H2 at 1. ring. }
  destruct H as [u [_ H]]. assert (0 <= (1 - x ^ 2) * u ^ 2) by (apply Rmult_le_pos; [nra | apply pow2_ge_0]).
  split; nra.
Qed.

(** T_n((y + 1/y)/2) = (y^n + y^-n)/2. *)
Lemma chebyshev_outside : forall n y z, y * z = 1 -> chebyshev n ((y + z) / 2) = (y ^ n + z ^ n) / 2.
Proof.
  intros n y z H. induction n as [| |n IH IH'] using nat_pair_ind.
  - simpl; field.
  - simpl; field.
  - rewrite chebyshev_SS, IH, IH'. simpl.
    replace (2 * ((y + z) / 2) * ((y * y ^ n + z * z ^ n) / 2) - (y ^ n + z ^ n) / 2)
      with ((y * (y * y ^ n) + z * (z * z ^ n) + (y * z - 1) * (y ^ n + z ^ n)) / 2) by field.
    rewrite H. field.
Qed.

(** The zeros of T_n. *)
Definition chebyshev_zero (n k : nat) : R := cos ((2 * INR k + 1) / (2 * INR n) * PI).

Lemma chebyshev_at_zero : forall n k, (k < n)%nat -> chebyshev n (chebyshev_zero n k) = 0.
Proof.
  intros n k H. unfold chebyshev_zero. rewrite chebyshev_cos. apply cos_eq_0_1.
  exists (Z.of_nat k). rewrite <- INR_IZR_INZ. field. apply not_0_INR. lia.
Qed.

Lemma chebyshev_zeros_distinct : forall n j k, (j < k < n)%nat -> chebyshev_zero n k < chebyshev_zero n j.
Proof.
  intros n j k H. assert (Hn : 0 < INR n) by (apply lt_0_INR; lia).
  assert (Hk : INR j + 1 <= INR k) by (rewrite <- S_INR; apply le_INR; lia).
  assert (Hkn : INR k + 1 <= INR n) by (rewrite <- S_INR; apply le_INR; lia).
  pose proof (pos_INR j). pose proof PI_RGT_0.
  assert (Ha : forall m, 0 <= INR m -> INR m + 1 <= INR n -> 0 <= (2 * INR m + 1) / (2 * INR n) * PI <= PI).
  { intros m Hm Hm'. split.
    - apply Rmult_le_pos; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra] | lra].
    - rewrite <- (Rmult_1_l PI) at 2. apply Rmult_le_compat_r; [lra |].
      apply (Rmult_le_reg_r (2 * INR n)); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  apply cos_decreasing_1; try apply Ha; try lra.
  apply Rmult_lt_compat_r; [lra |]. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat |]; lra.
Qed.
