(** A law with more than n points bounds the coefficients of a polynomial of degree n by its mean square. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law Polynomial Layerwise GaussNodes.
Open Scope R_scope.

Section Bound.
Variable P : law.

Definition mean_square (f : R -> R) : R := E P (fun s => s * f (1 + s) ^ 2).

Lemma mean_square_nonneg : forall n f, degree n f -> 0 <= mean_square f.
Proof.
  intros n f Hf. pose proof (poly_measurable P n f Hf) as M. unfold measurable in M.
  apply E_nonneg; [in_dom |]. intros s Hs. apply supp_nonneg in Hs. apply Rmult_le_pos; [exact Hs | apply pow2_ge_0].
Qed.

Lemma poly_degree : forall c n, degree n (poly c n).
Proof. intros c n. now exists c. Qed.

(** The orthogonal polynomial splits off. *)
Lemma mean_square_split : forall n r q a, degree (S n) r -> degree n q ->
  (forall k, (k < S n)%nat -> E P (fun s => s * (r (1 + s) * (1 + s) ^ k)) = 0) ->
  mean_square (fun x => a * r x + q x) = a ^ 2 * mean_square r + mean_square q.
Proof.
  intros n r q a Hr Hq Ho. pose proof (poly_measurable P _ r Hr) as Mr. pose proof (poly_measurable P _ q Hq) as Mq.
  unfold measurable in Mr, Mq.
  pose proof (orthogonal_to_lower P (S n) r Hr Ho n q (Nat.lt_succ_diag_r n) Hq) as Hrq. unfold mean_square.
  rewrite (E_ext P _ (fun s => a ^ 2 * (s * r (1 + s) ^ 2)
    + (2 * a * (s * (r (1 + s) * q (1 + s))) + s * q (1 + s) ^ 2))) by (in_dom || (intros; ring)).
  rewrite (E_plus P (fun s => a ^ 2 * (s * r (1 + s) ^ 2))
      (fun s => 2 * a * (s * (r (1 + s) * q (1 + s))) + s * q (1 + s) ^ 2)),
    (E_plus P (fun s => 2 * a * (s * (r (1 + s) * q (1 + s)))) (fun s => s * q (1 + s) ^ 2)),
    (E_scal P (a ^ 2) (fun s => s * r (1 + s) ^ 2)),
    (E_scal P (2 * a) (fun s => s * (r (1 + s) * q (1 + s)))), Hrq by in_dom. ring.
Qed.

Lemma mean_square_ext : forall n f g, degree n f -> (forall x, f x = g x) -> mean_square f = mean_square g.
Proof.
  intros n f g Hf H. pose proof (poly_measurable P n f Hf) as M. unfold measurable in M.
  apply E_ext; [in_dom | intros; now rewrite H].
Qed.

Lemma pts_lower : forall n, pts P (S n) -> pts P n.
Proof.
  intros n Hpts c [k [Hk Hc]]. set (c' := fun j => if Nat.leb j n then c j else 0).
  specialize (Hpts c'). apply Rlt_le_trans with (E P (fun s => s * sum_f_R0 (fun j => c' j * (1 + s) ^ j) (S n) ^ 2)).
  - apply Hpts. exists k. split; [lia |]. unfold c'. now rewrite (proj2 (Nat.leb_le k n) Hk).
  - right. apply E_ext; [in_dom |]. intros s. rewrite tech5. unfold c' at 2.
    rewrite (proj2 (Nat.leb_gt (S n) n)), Rmult_0_l, Rplus_0_r by lia. do 2 f_equal.
    apply sum_eq. intros j Hj. unfold c'. now rewrite (proj2 (Nat.leb_le j n) Hj).
Qed.

Lemma finite_bound : forall (f : nat -> R) n, exists M, 0 <= M /\ forall k, (k <= n)%nat -> f k <= M.
Proof.
  intros f n; induction n as [|n [M [HM H]]].
  - exists (Rmax 0 (f 0%nat)). split; [apply Rmax_l |]. intros k Hk. replace k with 0%nat by lia. apply Rmax_r.
  - exists (Rmax M (f (S n))). split; [apply Rle_trans with (1 := HM), Rmax_l |]. intros k Hk.
    destruct (Nat.eq_dec k (S n)) as [-> | Hne]; [apply Rmax_r |].
    apply Rle_trans with M; [apply H; lia | apply Rmax_l].
Qed.

(** Every coefficient is at most the root of K times the mean square, for a K that depends on the law and n. *)
Theorem coefficient_bound : forall n, pts P n ->
  exists K, 0 <= K /\ forall c k, (k <= n)%nat -> c k ^ 2 <= K * mean_square (poly c n).
Proof.
  intros n; induction n as [|n IH]; intros Hpts.
  - exists (/ E P (fun s => s)). pose proof (E_id_pos P) as Hs. split; [apply Rlt_le, Rinv_0_lt_compat, Hs |].
    intros c k Hk. replace k with 0%nat by lia.
    rewrite (mean_square_ext 0 _ (fun _ => c 0%nat) (poly_degree c 0)) by (intros; unfold poly; simpl; ring).
    assert (Hm : mean_square (fun _ => c 0%nat) = c 0%nat ^ 2 * E P (fun s => s)).
    { unfold mean_square. rewrite <- E_scal by in_dom. apply E_ext; [in_dom | intros; ring]. }
    rewrite Hm. right. field. lra.
  - destruct IH as [K [HK Hbound]]; [now apply pts_lower |].
    destruct (best_residual P (S n)) as [r [[d Hd] [H0 Ho]]].
    assert (Hr : degree (S n) r) by now exists d.
    assert (Hpos : 0 < mean_square r) by (apply (pts_square_pos P (S n) r 0); trivial; lra).
    assert (Hlead : d (S n) <> 0).
    { intros E0. assert (Hlow : degree n r).
      { exists d. intros x. rewrite Hd. unfold poly. rewrite tech5, E0. ring. }
      pose proof (orthogonal_to_lower P (S n) r Hr Ho n r (Nat.lt_succ_diag_r n) Hlow) as Hz.
      pose proof (poly_measurable P _ r Hr) as Mr. unfold measurable in Mr.
      assert (Hsq : mean_square r = 0); [| lra].
      rewrite <- Hz. unfold mean_square. apply E_ext; [in_dom | intros; ring]. }
    set (m := mean_square r) in *. pose proof (Rinv_0_lt_compat _ Hpos) as Hi.
    destruct (finite_bound (fun k => d k ^ 2) (S n)) as [M [HM HdM]].
    exists (2 * K + 2 * (M * / m)). assert (HMm : 0 <= M * / m) by (apply Rmult_le_pos; lra).
    split; [lra |]. intros c k Hk. set (a := c (S n) / d (S n)). set (e := fun j => c j - a * d j).
    set (p := mean_square (poly c (S n))).
    assert (Hsplit : p = a ^ 2 * m + mean_square (poly e n)).
    { unfold p, m. rewrite <- (mean_square_split n r (poly e n) a Hr (poly_degree e n) Ho).
      apply (mean_square_ext (S n)); [apply poly_degree |]. intros x. rewrite Hd. unfold poly. rewrite !tech5.
      replace (c (S n)) with (a * d (S n)) by (unfold a; field; exact Hlead).
      rewrite Rmult_plus_distr_l, scal_sum. rewrite <- Rmult_assoc.
      enough (sum_f_R0 (fun j => c j * x ^ j) n
        = sum_f_R0 (fun i => d i * x ^ i * a) n + sum_f_R0 (fun j => e j * x ^ j) n) as -> by ring.
      rewrite <- plus_sum. apply sum_eq. intros j _. unfold e. ring. }
    pose proof (mean_square_nonneg n _ (poly_degree e n)) as He0.
    assert (Ha : a ^ 2 <= p * / m).
    { apply (Rmult_le_reg_r m); [exact Hpos |]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (Hp0 : 0 <= p) by (unfold p; apply (mean_square_nonneg (S n)), poly_degree).
    specialize (HdM k Hk). pose proof (pow2_ge_0 (d k)) as Hdk. pose proof (pow2_ge_0 a) as Ha0.
    assert (Had : a ^ 2 * d k ^ 2 <= M * / m * p).
    { apply Rle_trans with (p * / m * M); [now apply Rmult_le_compat | right; ring]. }
    destruct (Nat.eq_dec k (S n)) as [-> | Hne].
    + replace (c (S n) ^ 2) with (a ^ 2 * d (S n) ^ 2) by (unfold a; field; exact Hlead).
      assert (0 <= K * p) by now apply Rmult_le_pos. assert (0 <= M * / m * p) by now apply Rmult_le_pos. lra.
    + specialize (Hbound e k ltac:(lia)). assert (Hek : e k ^ 2 <= K * p).
      { apply Rle_trans with (1 := Hbound). apply Rmult_le_compat_l; [exact HK |].
        assert (0 <= a ^ 2 * m) by (apply Rmult_le_pos; lra). lra. }
      assert (Hc : c k = e k + a * d k) by (unfold e; ring). rewrite Hc.
      assert ((e k + a * d k) ^ 2 <= 2 * e k ^ 2 + 2 * (a ^ 2 * d k ^ 2)); [| lra].
      pose proof (pow2_ge_0 (e k - a * d k)). nra.
Qed.

End Bound.
