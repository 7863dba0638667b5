(** The zeros of the best residual of depth T on a law with N >= T points: T simple ones, the nodes of the rule of Gauss
    of s dP; those of depths T and T + 1 interlace; for N = T they are the points of the support. *)
From Coq Require Import Reals Lra Lia.
From Formal Require Import Law Polynomial PolynomialSigns Layerwise LayerwiseLandscape GaussNodes Coefficients
  LayerwiseDescent LayerwiseGeometry LayerwiseFlow BetweenZeros.
Open Scope R_scope.

Section Points.
Variables (P : law) (n : nat).
Hypothesis enough : pts P n.

(** Either there are more points than n + 1, or depth n + 1 leaves nothing. *)
Lemma more_points_or_zero : forall e, least_excess P (S n) e -> pts P (S n) \/ e = 0.
Proof.
  intros e He. destruct (Req_dec e 0) as [E | Hne]; [now right | left]. intros c Hc. apply Rnot_le_lt.
  intros Hle. apply Hne, (least_excess_zero_iff P (S n) e He). intros Hpts. specialize (Hpts c Hc). lra.
Qed.

Section Residual.
Variable r : R -> R.
Hypothesis r_degree : degree (S n) r.
Hypothesis r_at_0 : r 0 = 1.
Hypothesis orthogonal : forall k, (k < S n)%nat -> E P (fun s => s * (r (1 + s) * (1 + s) ^ k)) = 0.

Lemma r_dom : dom P (fun s => r (1 + s)).
Proof. exact (poly_measurable P _ r r_degree). Qed.

Lemma null_mean_square : residual_excess P r = 0 -> E P (fun s => s * r (1 + s) ^ 2) = 0.
Proof.
  intros H0. pose proof r_dom as Dr. pose proof (lo_nonneg P). pose proof (hi_pos P).
  apply Rle_antisym; [| now apply (mean_square_nonneg P (S n))].
  rewrite <- (Rmult_0_r (1 + hi P)), <- H0. unfold residual_excess. rewrite <- E_scal by in_dom.
  apply E_monotone; [in_dom | in_dom |]. intros s [-> | Hs]; [rewrite !Rmult_0_l, Rmult_0_r; lra |].
  rewrite <- !Rmult_assoc. apply Rmult_le_compat_r; [apply pow2_ge_0 |].
  apply (Rmult_le_reg_r (1 + s)); [lra |]. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

(** A residual without excess vanishes at the ends of the support. *)
Lemma null_at_ends : residual_excess P r = 0 -> r (1 + lo P) = 0 /\ r (1 + hi P) = 0.
Proof.
  intros H0. pose proof (null_mean_square H0) as Hz. pose proof r_dom as Dr.
  assert (Hc : forall s, continuity_pt (fun s => r (1 + s) ^ 2) s).
  { intros s. assert (Hr : continuity_pt (fun s => r (1 + s)) s).
    { apply (continuity_pt_comp (fun s => 1 + s) r); [| exact (degree_continuous _ r r_degree (1 + s))].
      apply continuity_pt_plus; [now apply continuity_const | apply derivable_continuous_pt, derivable_pt_id]. }
    apply (continuity_pt_mult (fun s => r (1 + s)) (fun s => r (1 + s) * 1)); [exact Hr |].
    apply continuity_pt_mult; [exact Hr | now apply continuity_const]. }
  assert (Hsq : forall y, y <> 0 -> 0 < y ^ 2).
  { intros y Hy. rewrite <- pow2_abs. apply pow_lt. now apply Rabs_pos_lt. }
  split.
  - destruct (Req_dec (r (1 + lo P)) 0) as [E | Hne]; [exact E |].
    assert (0 < E P (fun s => s * r (1 + s) ^ 2)); [| lra].
    apply E_pos_low; [in_dom | intros; apply pow2_ge_0 | apply Hc | now apply Hsq].
  - destruct (Req_dec (r (1 + hi P)) 0) as [E | Hne]; [exact E |].
    assert (0 < E P (fun s => s * r (1 + s) ^ 2)); [| lra].
    apply E_pos_high; [in_dom | intros; apply pow2_ge_0 | apply Hc | now apply Hsq].
Qed.

(** Between the zeros of the depth before and beyond them, if r leaves nothing. *)
Lemma null_zeros : residual_excess P r = 0 -> exists z, (forall j k, (j < k < S n)%nat -> z j < z k) /\
  (forall k, (k < S n)%nat -> 1 + lo P <= z k) /\ forall k, (k < S n)%nat -> r (z k) = 0.
Proof.
  intros H0. destruct (null_at_ends H0) as [Hlo Hhi]. pose proof (lo_nonneg P) as Hl.
  destruct n as [|m] eqn:En.
  { exists (fun _ => 1 + lo P). repeat split; intros; [lia | lra | exact Hlo]. }
  destruct (best_residual P (S m)) as [q [Hq [Hq0 Hqo]]].
  destruct (gauss_nodes P (S m) q enough Hq Hq0 Hqo) as [w0 [Hw0 [Hd0 Hp0]]].
  destruct (sorted_family (S m) w0 Hd0) as [w [Hw Hin]].
  assert (Hins : forall k, (k < S m)%nat -> 1 + lo P < w k < 1 + hi P).
  { intros k Hk. destruct (Hin k Hk) as [j [Hj ->]]. now apply Hw0. }
  assert (Hpos : forall k, (k < S m)%nat -> 0 < w k) by (intros k Hk; specialize (Hins k Hk); lra).
  assert (Hqw : forall x, q x = stack (fun k => / w k) (S m) x).
  { apply product_of_roots; trivial; [| intros j k Hjk; specialize (Hw j k Hjk); lra].
    intros k Hk. destruct (Hin k Hk) as [j [Hj E]]. rewrite Hp0, E. apply (prod_zero _ _ j Hj).
    rewrite Rinv_l; [ring |]. specialize (Hw0 j Hj). lra. }
  assert (Hwo : forall k, (k < S m)%nat -> E P (fun s => s * (stack (fun k => / w k) (S m) (1 + s) * (1 + s) ^ k)) = 0).
  { intros k Hk. rewrite <- (Hqo k Hk). pose proof (dom_stack P (fun k => / w k) (S m)).
    apply E_ext; [in_dom |]. intros s. now rewrite Hqw. }
  destruct (after_vanishes P m w (pts_lower P m enough) Hwo Hpos Hw r r_degree) as [Hbetween | Hall].
  { intros p Hp. apply (orthogonal_to_lower P (S (S m)) r r_degree orthogonal m p); [lia | exact Hp]. }
  - destruct (finite_choice (fun i x => w i < x < w (S i) /\ r x = 0) m) as [x Hx].
    { intros i Hi. apply Hbetween. lia. }
    exists (fun k => if Nat.eqb k 0 then 1 + lo P else if Nat.eqb k (S m) then 1 + hi P else x (pred k)).
    assert (Hstep : forall k, (S k < S (S m))%nat ->
      (if Nat.eqb k 0 then 1 + lo P else if Nat.eqb k (S m) then 1 + hi P else x (pred k))
        < (if Nat.eqb (S k) 0 then 1 + lo P else if Nat.eqb (S k) (S m) then 1 + hi P else x (pred (S k)))).
    { intros k Hk. change (Nat.eqb (S k) 0) with false. change (Nat.eqb (S k) (S m)) with (Nat.eqb k m).
      change (pred (S k)) with k. cbv iota. destruct (Nat.eqb_spec k 0) as [-> | Hk0].
      - pose proof (Hins 0%nat ltac:(lia)). destruct (Nat.eqb_spec 0 m) as [Em | Hm]; [lra |].
        destruct (Hx 0%nat ltac:(lia)). lra.
      - rewrite (proj2 (Nat.eqb_neq k (S m))) by lia. destruct (Hx (pred k) ltac:(lia)) as [Hxk _].
        replace (S (pred k)) with k in Hxk by lia. pose proof (Hins k ltac:(lia)).
        destruct (Nat.eqb_spec k m) as [Em | Hm]; [lra |]. destruct (Hx k ltac:(lia)). lra. }
    split; [exact (increasing_below _ _ Hstep) |].
    split; intros k Hk; destruct (Nat.eqb_spec k 0) as [-> | Hk0]; trivial.
    + lra.
    + pose proof (lo_hi P). destruct (Nat.eqb_spec k (S m)); [lra |].
      destruct (Hx (pred k) ltac:(lia)) as [Hxk _]. pose proof (Hins (pred k) ltac:(lia)). lra.
    + destruct (Nat.eqb_spec k (S m)); [exact Hhi |]. apply Hx. lia.
  - exfalso.
    apply (too_many_zeros (S (S m)) r
      (fun k => if Nat.eqb k 0 then 1 + lo P else if Nat.eqb k (S (S m)) then 1 + hi P else w (pred k)) r_degree).
    + apply increasing_below. intros k Hk. change (Nat.eqb (S k) 0) with false. change (pred (S k)) with k.
      change (Nat.eqb (S k) (S (S m))) with (Nat.eqb k (S m)). cbv iota. destruct (Nat.eqb_spec k 0) as [-> | Hk0].
      * apply Hins. lia.
      * rewrite (proj2 (Nat.eqb_neq k (S (S m)))) by lia. destruct (Nat.eqb_spec k (S m)) as [-> | Hm].
        -- apply Hins. simpl. lia.
        -- apply Hw. lia.
    + intros k Hk. destruct (Nat.eqb_spec k 0); [exact Hlo |]. destruct (Nat.eqb_spec k (S (S m))); [exact Hhi |].
      apply Hall. lia.
    + exact r_at_0.
Qed.

End Residual.
End Points.

(** * For N >= T *)

(** The best residual of depth T has T simple zeros between the ends of the support, strictly for N > T. *)
Theorem zeros_of_best_residual : forall P n r, pts P n -> degree (S n) r -> r 0 = 1 ->
  (forall k, (k < S n)%nat -> E P (fun s => s * (r (1 + s) * (1 + s) ^ k)) = 0) -> exists z,
  (forall j k, (j < k < S n)%nat -> z j < z k) /\ (forall k, (k < S n)%nat -> 1 + lo P <= z k <= 1 + hi P) /\
  (pts P (S n) -> forall k, (k < S n)%nat -> 1 + lo P < z k < 1 + hi P) /\
  forall x, r x = stack (fun k => / z k) (S n) x.
Proof.
  intros P n r Hpts Hr H0 Ho. pose proof (lo_nonneg P) as Hlo.
  pose proof (least_excess_orthogonal P (S n) r Hr H0 Ho) as Hleast.
  assert (Hz : exists z, (forall j k, (j < k < S n)%nat -> z j < z k) /\ (forall k, (k < S n)%nat -> 1 + lo P <= z k) /\
    (pts P (S n) -> forall k, (k < S n)%nat -> 1 + lo P < z k < 1 + hi P) /\ forall k, (k < S n)%nat -> r (z k) = 0).
  { destruct (more_points_or_zero P n _ Hleast) as [Hmore | Hzero].
    - destruct (gauss_nodes P (S n) r Hmore Hr H0 Ho) as [y [Hy [Hd Hp]]].
      destruct (sorted_family (S n) y Hd) as [z [Hz Hin]]. exists z.
      assert (Hins : forall k, (k < S n)%nat -> 1 + lo P < z k < 1 + hi P /\ r (z k) = 0).
      { intros k Hk. destruct (Hin k Hk) as [j [Hj E]]. rewrite E. split; [now apply Hy |]. rewrite Hp.
        apply (prod_zero _ _ j Hj). rewrite Rinv_l; [ring |]. specialize (Hy j Hj). lra. }
      split; [exact Hz |]. split; [intros k Hk; destruct (Hins k Hk); lra |]. split; intros; now apply Hins.
    - destruct (null_zeros P n Hpts r Hr H0 Ho Hzero) as [z [Hz [Hl Hroot]]]. exists z. repeat split; trivial;
        pose proof (least_excess_positive P (S n) _ H Hleast); lra. }
  destruct Hz as [z [Hz [Hl [Hstrict Hroot]]]].
  assert (Hprod : forall x, r x = stack (fun k => / z k) (S n) x).
  { apply product_of_roots; trivial. intros j k Hjk. specialize (Hz j k Hjk). lra. }
  exists z. split; [exact Hz |]. split; [| now split]. intros k Hk. apply (zero_inside P n z Hpts); trivial.
  - intros j Hj. rewrite <- (Ho j Hj). pose proof (dom_stack P (fun k => / z k) (S n)). apply E_ext; [in_dom |].
    intros s. now rewrite Hprod.
  - intros j Hj. specialize (Hl j Hj). lra.
Qed.

(** The zeros of depth T and T + 1 interlace: N >= T + 1 is enough. *)
Theorem zeros_interlace : forall P n q r, pts P n ->
  degree n q -> q 0 = 1 -> (forall k, (k < n)%nat -> E P (fun s => s * (q (1 + s) * (1 + s) ^ k)) = 0) ->
  degree (S n) r -> r 0 = 1 -> (forall k, (k < S n)%nat -> E P (fun s => s * (r (1 + s) * (1 + s) ^ k)) = 0) ->
  exists w z, (forall k, (k < n)%nat -> z k < w k < z (S k)) /\
  (forall k, (k < S n)%nat -> 1 + lo P <= z k <= 1 + hi P) /\
  (forall x, q x = stack (fun k => / w k) n x) /\ forall x, r x = stack (fun k => / z k) (S n) x.
Proof.
  intros P n q r Hpts Hq Hq0 Hqo Hr Hr0 Hro. pose proof (lo_nonneg P) as Hlo.
  destruct (zeros_of_best_residual P n r Hpts Hr Hr0 Hro) as [z [Hz [Hin [_ Hprod]]]].
  assert (Hpos : forall k, (k < S n)%nat -> 0 < z k) by (intros k Hk; specialize (Hin k Hk); lra).
  assert (Ho : forall k, (k < S n)%nat -> E P (fun s => s * (stack (fun k => / z k) (S n) (1 + s) * (1 + s) ^ k)) = 0).
  { intros k Hk. rewrite <- (Hro k Hk). pose proof (dom_stack P (fun k => / z k) (S n)). apply E_ext; [in_dom |].
    intros s. now rewrite Hprod. }
  destruct (finite_choice (fun i x => z i < x < z (S i) /\ q x = 0) n) as [w Hw].
  { intros i Hi. apply (before_vanishes P n z Hpts Ho Hpos Hz q Hq Hq0 Hqo). lia. }
  exists w, z. split; [intros; now apply Hw |]. split; [exact Hin |]. split; [| exact Hprod].
  apply product_of_roots; trivial; [intros; now apply Hw |]. intros j k Hjk.
  destruct (Hw j ltac:(lia)) as [Hj _]. destruct (Hw k ltac:(lia)) as [Hk _].
  destruct (Nat.eq_dec (S j) k) as [<- | Hne]; [lra |]. specialize (Hz (S j) k ltac:(lia)). lra.
Qed.

(** The least excess is attained with a_t = - b_t = alpha_t, at distinct weights between 1/(1 + m_hi) and 1/(1 + m_lo),
    the reciprocals of these zeros ... *)
Theorem reciprocal_gauss_nodes : forall P n, pts P n -> exists alpha,
  (forall j k, (j < k < S n)%nat -> alpha k < alpha j) /\
  (forall k, (k < S n)%nat -> / (1 + hi P) <= alpha k <= / (1 + lo P)) /\
  (pts P (S n) -> forall k, (k < S n)%nat -> / (1 + hi P) < alpha k < / (1 + lo P)) /\
  (forall k, (k < S n)%nat -> E P (fun s => s * (stack alpha (S n) (1 + s) * (1 + s) ^ k)) = 0) /\
  least_excess P (S n) (stack_excess P alpha (S n)).
Proof.
  intros P n Hpts. pose proof (lo_nonneg P) as Hlo. destruct (best_residual P (S n)) as [r [Hr [H0 Ho]]].
  destruct (zeros_of_best_residual P n r Hpts Hr H0 Ho) as [z [Hz [Hin [Hstrict Hprod]]]].
  exists (fun k => / z k).
  assert (Ho' : forall k, (k < S n)%nat -> E P (fun s => s * (stack (fun k => / z k) (S n) (1 + s) * (1 + s) ^ k)) = 0).
  { intros k Hk. rewrite <- (Ho k Hk). pose proof (dom_stack P (fun k => / z k) (S n)). apply E_ext; [in_dom |].
    intros s. now rewrite Hprod. }
  split; [| split; [| split; [| split; [exact Ho' |]]]].
  - intros j k Hjk. pose proof (Hin j ltac:(lia)). pose proof (Hz j k Hjk). apply Rinv_lt_contravar; [nra | lra].
  - intros k Hk. specialize (Hin k Hk). split; apply Rinv_le_contravar; lra.
  - intros Hmore k Hk. specialize (Hstrict Hmore k Hk). split; apply Rinv_lt_contravar; nra.
  - apply least_excess_orthogonal; [apply stack_degree | apply stack_at_0 | exact Ho'].
Qed.

(** ... and every stack that attains it, tied or not, has the same residual. *)
Theorem best_residual_unique : forall P n a b a' b', pts P n ->
  least_excess P (S n) (layers_excess P a b (S n)) -> least_excess P (S n) (layers_excess P a' b' (S n)) ->
  forall x, layers_residual a b (S n) x = layers_residual a' b' (S n) x.
Proof.
  intros P n a b a' b' Hpts Hab Hab'. destruct (best_residual P (S n)) as [r [Hr [H0 Ho]]].
  assert (Hone : forall a b, least_excess P (S n) (layers_excess P a b (S n)) ->
    forall x, layers_residual a b (S n) x = r x).
  { intros u v Hleast x. destruct (layers_residual_polynomial u v (S n)) as [Hd Hd0].
    pose proof (orthogonal_residual P (S n) r Hr H0 Ho _ Hd Hd0) as Hsum.
    pose proof (least_excess_polynomial P (S n) _ r Hleast Hr H0) as Hle. unfold layers_excess in Hle.
    assert (Hdiff : degree (S n) (fun y => layers_residual u v (S n) y - r y)).
    { apply (degree_ext _ (fun y => layers_residual u v (S n) y + -1 * r y)); [intros; ring |].
      apply degree_plus; [exact Hd | now apply degree_scal]. }
    destruct (degree_div n 0 _ Hdiff) as [g [Hg Hx]].
    assert (Hq : forall y, layers_residual u v (S n) y - r y = y * g y) by (intros y; rewrite Hx, Hd0, H0; ring).
    rewrite (residual_excess_ext P (S n) _ _ Hdiff Hq) in Hsum.
    pose proof (mean_square_le_excess P n g Hg) as Hms.
    destruct (Req_dec (g x) 0) as [E | Hne]; [specialize (Hq x); rewrite E in Hq; lra |].
    pose proof (pts_square_pos P n g x Hpts Hg Hne) as Hpos. unfold mean_square in Hms. lra. }
  intros x. now rewrite (Hone a b), (Hone a' b').
Qed.

(** * The rule of Gauss, and N = T *)

(** The zeros are the nodes of a rule for s dP with positive weights that is exact up to degree 2 T - 1. *)
Theorem gauss_rule : forall P n, pts P n -> exists z w,
  (forall j k, (j < k < S n)%nat -> z j < z k) /\ (forall k, (k < S n)%nat -> 1 + lo P <= z k <= 1 + hi P) /\
  (forall k, (k < S n)%nat -> 0 < w k) /\
  (forall f, degree (S n + n) f -> E P (fun s => s * f (1 + s)) = total (fun k => w k * f (z k)) (S n)) /\
  least_excess P (S n) (stack_excess P (fun k => / z k) (S n)).
Proof.
  intros P n Hpts. pose proof (lo_nonneg P) as Hlo. destruct (best_residual P (S n)) as [r [Hr [H0 Ho]]].
  destruct (zeros_of_best_residual P n r Hpts Hr H0 Ho) as [z [Hz [Hin [_ Hprod]]]].
  assert (Hpos : forall k, (k < S n)%nat -> 0 < z k) by (intros k Hk; specialize (Hin k Hk); lra).
  assert (Ho' : forall k, (k < S n)%nat -> E P (fun s => s * (stack (fun k => / z k) (S n) (1 + s) * (1 + s) ^ k)) = 0).
  { intros k Hk. rewrite <- (Ho k Hk). pose proof (dom_stack P (fun k => / z k) (S n)). apply E_ext; [in_dom |].
    intros s. now rewrite Hprod. }
  exists z, (gauss_weight P n z). split; [exact Hz |]. split; [exact Hin |]. split; [| split].
  - intros k Hk. now apply gauss_weight_pos.
  - intros f Hf. apply (gauss_rule_exact P n z Hpts Ho' Hpos Hz n f Hf). intros g Hg.
    apply (orthogonal_to_lower P (S n) _ (stack_degree _ _) Ho' n g); [lia | exact Hg].
  - apply least_excess_orthogonal; [apply stack_degree | apply stack_at_0 | exact Ho'].
Qed.

Lemma stack_padded : forall alpha m T x, (m <= T)%nat ->
  stack (fun k => if Nat.ltb k m then alpha k else 0) T x = stack alpha m x.
Proof.
  intros alpha m T x HT. induction HT as [|T HT IH].
  - apply stack_ext. intros k Hk. now rewrite (proj2 (Nat.ltb_lt k m) Hk).
  - rewrite stack_next, IH, (proj2 (Nat.ltb_ge T m)) by exact HT. ring.
Qed.

(** For N = T the zeros are the points of the law, first and last its ends, the rule is the law, and the weights 1/z_t,
    beside any number of layers that do nothing, leave no excess. *)
Theorem zeros_are_the_points : forall P n, pts P n -> ~ pts P (S n) -> exists z w,
  (forall j k, (j < k < S n)%nat -> z j < z k) /\ z 0%nat = 1 + lo P /\ z n = 1 + hi P /\
  (forall k, (k < S n)%nat -> 0 < w k) /\
  (forall m f, degree m f -> E P (fun s => s * f (1 + s)) = total (fun k => w k * f (z k)) (S n)) /\
  (forall T, (S n <= T)%nat -> stack_excess P (fun k => if Nat.ltb k (S n) then / z k else 0) T = 0) /\
  forall a b, layers_excess P a b (S n) = 0 -> forall x, layers_residual a b (S n) x = stack (fun k => / z k) (S n) x.
Proof.
  intros P n Hpts Hnot. pose proof (lo_nonneg P) as Hlo. destruct (best_residual P (S n)) as [r [Hr [H0 Ho]]].
  pose proof (least_excess_orthogonal P (S n) r Hr H0 Ho) as Hleast.
  assert (Hnull : residual_excess P r = 0) by now apply (least_excess_zero_iff P (S n)).
  destruct (zeros_of_best_residual P n r Hpts Hr H0 Ho) as [z [Hz [Hin [_ Hprod]]]].
  assert (Hpos : forall k, (k < S n)%nat -> 0 < z k) by (intros k Hk; specialize (Hin k Hk); lra).
  assert (Ho' : forall k, (k < S n)%nat -> E P (fun s => s * (stack (fun k => / z k) (S n) (1 + s) * (1 + s) ^ k)) = 0).
  { intros k Hk. rewrite <- (Ho k Hk). pose proof (dom_stack P (fun k => / z k) (S n)). apply E_ext; [in_dom |].
    intros s. now rewrite Hprod. }
  assert (Hroot : forall x, 0 < x -> r x = 0 -> exists k, (k < S n)%nat /\ x = z k).
  { intros x Hx E. rewrite Hprod in E. destruct (stack_root _ _ _ E) as [k [Hk Ek]]. exists k. split; [exact Hk |].
    specialize (Hpos k Hk). apply (Rmult_eq_reg_l (/ z k)); [| apply Rinv_neq_0_compat; lra].
    rewrite Rinv_l; lra. }
  destruct (null_at_ends P n r Hr Hnull) as [Elo Ehi]. pose proof (hi_pos P) as Hhi.
  exists z, (gauss_weight P n z). split; [exact Hz |]. split; [| split; [| split; [| split; [| split]]]].
  - destruct (Hroot (1 + lo P) ltac:(lra) Elo) as [k [Hk E]]. pose proof (Hin 0%nat ltac:(lia)) as H1.
    destruct (Nat.eq_dec k 0) as [-> | Hne]; [now symmetry |]. specialize (Hz 0%nat k ltac:(lia)). lra.
  - destruct (Hroot (1 + hi P) ltac:(lra) Ehi) as [k [Hk E]]. pose proof (Hin n ltac:(lia)) as H1.
    destruct (Nat.eq_dec k n) as [-> | Hne]; [now symmetry |]. specialize (Hz k n ltac:(lia)). lra.
  - intros k Hk. now apply gauss_weight_pos.
  - intros m f Hf. apply (gauss_rule_exact P n z Hpts Ho' Hpos Hz m f); [apply (degree_le m); [lia | exact Hf] |].
    intros g Hg. pose proof (poly_measurable P _ g Hg) as Dg. pose proof (poly_measurable P _ r Hr) as Dr.
    unfold measurable in Dg, Dr. pose proof (dom_stack P (fun k => / z k) (S n)) as Ds.
    rewrite <- (inner_null P r (fun x => x * g x)).
    + apply E_ext_supp; [in_dom | in_dom |]. intros s Hs. apply supp_nonneg in Hs. rewrite Hprod. field. lra.
    + exact Dr.
    + unfold measurable. in_dom.
    + rewrite <- Hnull. apply E_ext; [in_dom |]. intros s. ring.
  - intros T HT. transitivity (residual_excess P r); [| exact Hnull].
    pose proof (poly_measurable P _ r Hr) as Dr. unfold measurable in Dr.
    apply E_ext; [pose proof (dom_stack P (fun k => if Nat.ltb k (S n) then / z k else 0) T); in_dom |].
    intros s. now rewrite stack_padded, Hprod.
  - intros a b Hab x.
    rewrite <- Hprod. destruct (polynomial_layers_residual (S n) r Hr H0) as [a0 [b0 Hr0]]. rewrite <- Hr0.
    apply (best_residual_unique P n); trivial.
    + now rewrite Hab, <- Hnull.
    + unfold layers_excess. rewrite (residual_excess_ext P (S n) _ r) by
        (exact Hr0 || apply layers_residual_polynomial). exact Hleast.
Qed.
