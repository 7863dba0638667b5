(** Any law whose moments E[s lam^k] are known exactly and whose C = E[s/lam] is known within bounds: the gap of
    theorem 4.1 and the least excess of depth T between two fractions. *)
From Coq Require Import Reals ZArith QArith Qreals Bool List Lra Lia.
From Formal Require Import Law Polynomial Layerwise SelfAttention Certificates BandCertificates LayerwiseCertificates.
Import ListNotations.
Open Scope R_scope.

Definition fraction (p q : Z) : Q := (inject_Z p / inject_Z q)%Q.

Lemma fraction_R : forall p q, q <> 0%Z -> Q2R (fraction p q) = IZR p / IZR q.
Proof.
  intros p q Hq. unfold fraction. rewrite Q2R_div.
  - unfold Q2R. simpl. now rewrite !Rinv_1, !Rmult_1_r.
  - intros H. apply Hq. now apply (inject_Z_injective q 0).
Qed.

(** c_0 m_0 + c_1 m_1 + ... *)
Fixpoint pairing (c m : list Z) : Z :=
  match c, m with a :: c', x :: m' => a * x + pairing c' m' | _, _ => 0 end%Z.

(** The moments of X = d lam under s dP, over the common denominator F. *)
Record moments := mk_moments { scaling : Z; denominator : Z; entries_of : list Z; c_low : Q; c_high : Q }.

Definition of_law (P : law) (M : moments) : Prop :=
  (0 < scaling M)%Z /\ (0 < denominator M)%Z /\
  (forall k, (k < length (entries_of M))%nat ->
     E P (fun s => s * (IZR (scaling M) * (1 + s)) ^ k) = IZR (nth k (entries_of M) 0%Z) / IZR (denominator M)) /\
  Q2R (c_low M) <= scale P <= Q2R (c_high M).

(** C - (E s)^2 / E[s lam] *)
Definition gap_between_moments (M : moments) (p q p' q' : Z) : bool :=
  match entries_of M with
  | m0 :: m1 :: _ =>
      let lost := fraction (scaling M * m0 * m0) (denominator M * m1) in
      (0 <? q)%Z && (0 <? q')%Z && (0 <? m1)%Z
      && Qlt_bool (fraction p q) (c_low M - lost) && Qlt_bool (c_high M - lost) (fraction p' q')
  | _ => false
  end.

(** C + (d/c_0) E[s (c_1 + c_2 X + ...)], for coefficients c that are orthogonal to all lower degrees. *)
Definition least_between_moments (M : moments) (T : nat) (c : list Z) (p q p' q' : Z) : bool :=
  let c0 := hd 0%Z c in
  let gained := fraction (scaling M * pairing (tl c) (entries_of M)) (c0 * denominator M) in
  Nat.eqb (length c) (S T) && Nat.leb (T + T) (length (entries_of M))
  && forallb (fun k => (pairing c (skipn k (entries_of M)) =? 0)%Z) (seq 0 T)
  && (0 <? c0)%Z && (0 <? q)%Z && (0 <? q')%Z
  && Qlt_bool (fraction p q) (c_low M + gained) && Qlt_bool (c_high M + gained) (fraction p' q').

Section Moments.
Variables (P : law) (M : moments).
Hypothesis HM : of_law P M.

Let d : R := IZR (scaling M).
Let F : R := IZR (denominator M).

Lemma scaling_pos : 0 < d /\ 0 < F.
Proof. destruct HM as [Hd [HF _]]. split; apply (IZR_lt 0); assumption. Qed.

Lemma evaluate_dom : forall c, dom P (fun s => evaluateR c (d * (1 + s))).
Proof.
  intros c. exact (poly_measurable P (length c) (fun x => evaluateR c (d * x)) (evaluateR_degree c d)).
Qed.

Lemma pairing_correct : forall c k, (k + length c <= length (entries_of M))%nat ->
  E P (fun s => s * ((d * (1 + s)) ^ k * evaluateR c (d * (1 + s)))) = IZR (pairing c (skipn k (entries_of M))) / F.
Proof.
  destruct HM as [_ [_ [Hm _]]]. pose proof scaling_pos as [Hd HF].
  intros c; induction c as [|a c IH]; intros k Hk.
  - replace (pairing [] _) with 0%Z by reflexivity. unfold Rdiv. rewrite Rmult_0_l, <- (E_const P 0) at 1.
    pose proof (evaluate_dom []). apply E_ext; [in_dom | intros s; unfold evaluateR; simpl; ring].
  - simpl length in Hk. specialize (IH (S k) ltac:(lia)). pose proof (evaluate_dom c) as Dc.
    assert (Hskip : skipn k (entries_of M) = nth k (entries_of M) 0%Z :: skipn (S k) (entries_of M)).
    { clear - Hk. revert k Hk. induction (entries_of M) as [|x l IHl]; intros k Hk; [simpl in Hk; lia |].
      destruct k as [|k]; [reflexivity |]. simpl skipn. rewrite IHl by (simpl in Hk; lia). reflexivity. }
    rewrite Hskip. cbn [pairing]. rewrite plus_IZR, mult_IZR.
    rewrite (E_ext P _ (fun s => IZR a * (s * (d * (1 + s)) ^ k)
      + s * ((d * (1 + s)) ^ S k * evaluateR c (d * (1 + s))))).
    + rewrite (E_plus P (fun s => IZR a * (s * (d * (1 + s)) ^ k))
        (fun s => s * ((d * (1 + s)) ^ S k * evaluateR c (d * (1 + s))))), E_scal, IH by in_dom.
      unfold d. rewrite Hm by lia. fold F. unfold Rdiv. ring.
    + simpl evaluateR. in_dom.
    + intros s. simpl. ring.
Qed.

Theorem gap_is_between_moments : forall p q p' q', gap_between_moments M p q p' q' = true ->
  IZR p / IZR q < gap P < IZR p' / IZR q'.
Proof.
  intros p q p' q' H. unfold gap_between_moments in H.
  destruct HM as [_ [_ [Hm [Hlow Hhigh]]]]. pose proof scaling_pos as [Hd HF].
  destruct (entries_of M) as [| m0 [| m1 ms]] eqn:El; [discriminate .. |].
  rewrite !andb_true_iff in H. destruct H as [[[[Hq Hq'] Hm1] H1] H2].
  apply Z.ltb_lt in Hq, Hq', Hm1. apply Qlt_bool_R in H1, H2.
  assert (HF1 : (denominator M * m1)%Z <> 0%Z) by (destruct HM as [_ [HFz _]]; nia).
  rewrite Q2R_minus, !fraction_R in H1, H2 by lia.
  assert (Hm1' := IZR_lt _ _ Hm1).
  assert (Hgap : gap P = scale P - IZR (scaling M * m0 * m0) / IZR (denominator M * m1)).
  { unfold gap. f_equal.
    pose proof (Hm 0%nat ltac:(simpl; lia)) as E0. pose proof (Hm 1%nat ltac:(simpl; lia)) as E1.
    simpl nth in E0, E1. fold d F in E0, E1.
    assert (E0' : E P (fun s => s) = IZR m0 / F).
    { rewrite <- E0. apply E_ext; [in_dom | intros; ring]. }
    assert (E1' : E P (fun s => s * (1 + s)) = IZR m1 / (d * F)).
    { apply (Rmult_eq_reg_l d); [| lra]. rewrite <- E_scal by in_dom.
      replace (d * (IZR m1 / (d * F))) with (IZR m1 / F) by (field; lra).
      rewrite <- E1. apply E_ext; [in_dom | intros; ring]. }
    rewrite E0', E1', !mult_IZR. fold d F. field. repeat split; lra. }
  rewrite Hgap. lra.
Qed.

Theorem least_excess_between_moments : forall T c p q p' q', least_between_moments M T c p q p' q' = true ->
  forall e, least_excess P T e -> IZR p / IZR q < e < IZR p' / IZR q'.
Proof.
  intros T c p q p' q' H e He. unfold least_between_moments in H. rewrite !andb_true_iff in H.
  destruct H as [[[[[[[Hlen Henough] Ho] Hc] Hq] Hq'] H1] H2].
  apply Nat.eqb_eq in Hlen. apply Nat.leb_le in Henough. rewrite forallb_forall in Ho.
  apply Z.ltb_lt in Hc, Hq, Hq'. apply Qlt_bool_R in H1, H2. assert (Hc0 : hd 0%Z c <> 0%Z) by lia.
  pose proof scaling_pos as [Hd HF]. destruct HM as [_ [HFz [_ [Hlow Hhigh]]]].
  assert (Hc0' := not_0_IZR _ Hc0).
  destruct (best_is_residual (scaling M) c T Hlen Hc0) as [Hdeg Hat].
  pose proof (evaluate_dom c) as Dc.
  assert (Horth : forall k, (k < T)%nat -> inner P (best (scaling M) c) (fun x => x ^ S k) = 0).
  { intros k Hk. pose proof (pairing_correct c k ltac:(lia)) as Hp.
    specialize (Ho k ltac:(apply in_seq; lia)). apply Z.eqb_eq in Ho. rewrite Ho in Hp.
    unfold inner. rewrite (E_ext_supp P _ (fun s => / (d ^ k * IZR (hd 0%Z c))
      * (s * ((d * (1 + s)) ^ k * evaluateR c (d * (1 + s)))))).
    - rewrite E_scal, Hp by in_dom. unfold Rdiv. ring.
    - unfold best. fold d. unfold Rdiv. in_dom.
    - in_dom.
    - intros s Hs. apply supp_nonneg in Hs. unfold best. fold d. rewrite Rpow_mult_distr. simpl pow. field.
      repeat split; try lra. apply pow_nonzero. lra. }
  rewrite (least_excess_is_mean P T _ e Hdeg Hat Horth He).
  assert (Hmean : inner P (best (scaling M) c) (fun _ => 1)
    = scale P + IZR (scaling M * pairing (tl c) (entries_of M)) / IZR (hd 0%Z c * denominator M)).
  { destruct c as [|a c]; [discriminate |]. simpl hd in *. simpl tl. simpl in Hlen. injection Hlen as Hlen.
    pose proof (evaluate_dom c) as Dc'.
    assert (Hp : E P (fun s => s * ((d * (1 + s)) ^ 0 * evaluateR c (d * (1 + s))))
      = IZR (pairing c (skipn 0 (entries_of M))) / F).
    { destruct (Nat.eq_dec T 0) as [-> | HT].
      - destruct c as [|b c]; [| discriminate]. apply (pairing_correct [] 0). simpl. lia.
      - apply pairing_correct. lia. }
    simpl skipn in Hp. unfold inner, scale.
    rewrite (E_ext_supp P _ (fun s => s * / (1 + s)
      + d / IZR a * (s * ((d * (1 + s)) ^ 0 * evaluateR c (d * (1 + s)))))).
    - rewrite (E_plus P (fun s => s * / (1 + s))
        (fun s => d / IZR a * (s * ((d * (1 + s)) ^ 0 * evaluateR c (d * (1 + s)))))) by in_dom.
      rewrite (E_scal P (d / IZR a) (fun s => s * ((d * (1 + s)) ^ 0 * evaluateR c (d * (1 + s))))), Hp by in_dom.
      rewrite !mult_IZR. fold d F. field. repeat split; lra.
    - unfold best. simpl hd. fold d. unfold Rdiv. in_dom.
    - in_dom.
    - intros s Hs. apply supp_nonneg in Hs. unfold best. simpl. fold d. field. split; lra. }
  rewrite Hmean. rewrite Q2R_plus, !fraction_R in H1, H2 by nia. lra.
Qed.

End Moments.
