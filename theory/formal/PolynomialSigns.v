(** Where a polynomial changes sign on an interval: its zeros of odd order there, without the excluded middle. *)
From Coq Require Import Reals Ranalysis5 List Lra Lia Rlogic ClassicalDedekindReals.
From Formal Require Import Polynomial.
Import ListNotations.
Open Scope R_scope.

(** * Whether a continuous function is negative somewhere on an interval *)

(** Among the points k/N of [0, 1] one is within 1/N of any other. *)
Lemma grid : forall N t, (1 <= N)%nat -> 0 <= t <= 1 -> exists i, (i <= N)%nat /\ INR i <= t * INR N <= INR i + 1.
Proof.
  intros N t HN Ht. assert (H : forall n, (n <= N)%nat ->
    (exists i, (i <= N)%nat /\ INR i <= t * INR N <= INR i + 1) \/ INR n <= t * INR N).
  { induction n as [|n IH]; intros Hn; [right; pose proof (pos_INR N); simpl; nra |].
    destruct IH as [H | H]; [lia | now left |].
    destruct (Rle_dec (t * INR N) (INR n + 1)) as [H1 | H1]; [left; exists n; split; [lia | lra] |].
    right. rewrite S_INR. lra. }
  destruct (H N (Nat.le_refl N)) as [Hi | HNt]; [exact Hi |].
  exists N. split; [lia |]. pose proof (pos_INR N). nra.
Qed.

Section Sign.
Variables (f : R -> R) (a b : R).
Hypothesis Hf : continuity f.
Hypothesis Hab : a < b.

Let point (N i : nat) : R := a + (b - a) * (INR i / INR (S N)).

Lemma point_inside : forall N i, (i <= S N)%nat -> a <= point N i <= b.
Proof.
  intros N i Hi. apply le_INR in Hi. pose proof (pos_INR i). pose proof (lt_0_INR (S N) ltac:(lia)) as HN.
  assert (0 <= INR i / INR (S N) <= 1).
  { split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra] |].
    apply (Rmult_le_reg_r (INR (S N))); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  unfold point. nra.
Qed.

Lemma negative_on_grid_dec : forall N,
  {i | (i <= S N)%nat /\ f (point N i) < 0} + {forall i, (i <= S N)%nat -> 0 <= f (point N i)}.
Proof.
  intros N. assert (H : forall n, {i | (i <= n)%nat /\ f (point N i) < 0}
    + {forall i, (i <= n)%nat -> 0 <= f (point N i)}).
  { induction n as [|n [[i [Hi H]] | IH]].
    - destruct (Rlt_dec (f (point N 0)) 0) as [H | H]; [left; now exists 0%nat |].
      right. intros i Hi. replace i with 0%nat by lia. lra.
    - left. exists i. split; [lia | exact H].
    - destruct (Rlt_dec (f (point N (S n))) 0) as [H | H]; [left; now exists (S n) |].
      right. intros i Hi. destruct (Nat.eq_dec i (S n)) as [-> | Hne]; [lra | apply IH; lia]. }
  apply H.
Qed.

Lemma negative_dec : {x | a <= x <= b /\ f x < 0} + {forall x, a <= x <= b -> 0 <= f x}.
Proof.
  destruct (sig_forall_dec (fun N => forall i, (i <= S N)%nat -> 0 <= f (point N i))) as [[N HN] | H].
  - intros N. destruct (negative_on_grid_dec N) as [[i [Hi H]] | H]; [right | now left].
    intros Hall. specialize (Hall i Hi). lra.
  - left. destruct (negative_on_grid_dec N) as [[i [Hi H]] | H]; [| contradiction].
    exists (point N i). split; [now apply point_inside | exact H].
  - right. intros x Hx. apply Rnot_lt_le. intros Hneg.
    destruct (Hf x (- f x)) as [d [Hd Hc]]; [lra |].
    destruct (archimed_cor1 (d / (b - a))) as [N [HN HN0]]; [apply Rdiv_lt_0_compat; lra |].
    destruct N as [|N]; [lia |].
    destruct (grid (S N) ((x - a) / (b - a))) as [i [Hi Hgrid]]; [lia | |].
    { split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra] |].
      apply (Rmult_le_reg_r (b - a)); [lra |]. replace ((x - a) / (b - a) * (b - a)) with (x - a) by (field; lra).
      lra. }
    specialize (H N i ltac:(lia)). pose proof (lt_0_INR (S N) ltac:(lia)) as HNpos.
    assert (Hnear : Rabs (point N i - x) < d).
    { assert (Hd' : (b - a) * / INR (S N) < d).
      { apply (Rmult_lt_compat_l (b - a)) in HN; [| lra].
        replace ((b - a) * (d / (b - a))) with d in HN by (field; lra). exact HN. }
      assert (Hdiff : point N i - x = ((b - a) * / INR (S N)) * (INR i - (x - a) / (b - a) * INR (S N))).
      { unfold point. field. lra. }
      rewrite Hdiff, Rabs_mult, (Rabs_right ((b - a) * / INR (S N))).
      2: { apply Rle_ge, Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]. }
      assert (Rabs (INR i - (x - a) / (b - a) * INR (S N)) <= 1) by (apply Rabs_le; lra).
      apply Rle_lt_trans with ((b - a) * / INR (S N) * 1); [| lra]. apply Rmult_le_compat_l; [| assumption].
      apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]. }
    destruct (Req_dec (point N i) x) as [E | Hne]; [rewrite E in H; lra |].
    assert (Hlt : Rabs (f (point N i) - f x) < - f x).
    { apply Hc. repeat split; [now apply not_eq_sym | exact Hnear]. }
    apply Rabs_def2 in Hlt. lra.
Qed.

End Sign.

(** * The zeros where a polynomial changes sign *)

Lemma degree_continuous : forall n f, degree n f -> continuity f.
Proof.
  intros n f [c Hc].
  assert (Hp : forall m, continuity (poly c m)).
  { assert (Hm : forall k, continuity (fun x => c k * x ^ k)).
    { intros k x. apply continuity_pt_mult; [now apply continuity_const |].
      apply derivable_continuous_pt, derivable_pt_pow. }
    intros m; induction m as [|m IH]; [exact (Hm 0%nat) |].
    exact (continuity_plus _ _ IH (Hm (S m))). }
  intros x eps He. destruct (Hp n x eps He) as [d [Hd H]]. exists d. split; [exact Hd |].
  intros y Hy. rewrite !Hc. now apply H.
Qed.

(** A polynomial is bounded on an interval. *)
Lemma degree_bounded : forall n f a b, degree n f -> exists M, 0 <= M /\ forall x, a <= x <= b -> Rabs (f x) <= M.
Proof.
  intros n; induction n as [|n IH]; intros f a b Hf.
  - exists (Rabs (f 0)). split; [apply Rabs_pos |]. intros x _. destruct Hf as [c Hc].
    rewrite !Hc. apply Rle_refl.
  - destruct (degree_div n 0 f Hf) as [g [Hg H]]. destruct (IH g a b Hg) as [M [HM HgM]].
    set (B := Rmax (Rabs a) (Rabs b)).
    assert (HB : forall x, a <= x <= b -> Rabs x <= B).
    { intros x Hx. unfold B. pose proof (Rmax_l (Rabs a) (Rabs b)). pose proof (Rmax_r (Rabs a) (Rabs b)).
      pose proof (Rle_abs b). pose proof (Rle_abs (- a)). rewrite Rabs_Ropp in *. apply Rabs_le. lra. }
    exists (Rabs (f 0) + B * M). split.
    + apply Rplus_le_le_0_compat; [apply Rabs_pos | apply Rmult_le_pos; [| exact HM]].
      apply Rle_trans with (Rabs a); [apply Rabs_pos | apply Rmax_l].
    + intros x Hx. rewrite H. eapply Rle_trans; [apply Rabs_triang |]. apply Rplus_le_compat_l.
      rewrite Rminus_0_r, Rabs_mult. apply Rmult_le_compat; try apply Rabs_pos; auto.
Qed.

Fixpoint product_at (l : list R) (x : R) : R :=
  match l with [] => 1 | z :: l' => (x - z) * product_at l' x end.

Lemma product_at_degree : forall l, degree (length l) (product_at l).
Proof.
  intros l; induction l as [|z l IH]; simpl; [apply degree_const |].
  apply (degree_ext _ (fun x => (- z + 1 * x) * product_at l x)); [intros; ring | now apply degree_affine].
Qed.

Lemma product_at_remove : forall z l, NoDup l -> In z l ->
  exists l', NoDup l' /\ S (length l') = length l /\ (forall y, In y l' -> In y l) /\
  forall x, product_at l x = (x - z) * product_at l' x.
Proof.
  intros z l; induction l as [|y l IH]; intros Hd Hin; [contradiction |]. inversion Hd as [| ? ? Hny Hd']; subst.
  destruct (Req_EM_T y z) as [-> | Hne].
  - exists l. repeat split; trivial. intros u Hu. now right.
  - destruct IH as [l' [Hd1 [Hlen [Hsub Hx]]]]; [exact Hd' | destruct Hin; [contradiction | assumption] |].
    exists (y :: l'). repeat split.
    + constructor; [intros H; apply Hny, Hsub, H | exact Hd1].
    + simpl. lia.
    + intros u [-> | Hu]; [now left | right; now apply Hsub].
    + intros x. simpl. rewrite Hx. ring.
Qed.

Lemma product_at_root : forall l z, In z l -> product_at l z = 0.
Proof.
  intros l z; induction l as [|y l IH]; intros Hin; [contradiction |]. simpl.
  destruct Hin as [-> | Hin]; [| rewrite IH by exact Hin]; ring.
Qed.

(** A polynomial is a product over distinct points inside the interval times a polynomial of one sign on it. *)
Lemma sign_changes : forall a b n f, a < b -> degree n f ->
  exists l k, NoDup l /\ (forall z, In z l -> a < z < b) /\ (length l <= n)%nat /\
  degree (n - length l) k /\ (forall x, f x = product_at l x * k x) /\
  ((forall x, a <= x <= b -> 0 <= k x) \/ (forall x, a <= x <= b -> 0 <= - k x)).
Proof.
  intros a b n; induction n as [n IH] using lt_wf_ind; intros f Hab Hf.
  pose proof (degree_continuous n f Hf) as Hc.
  assert (Hone : (forall x, a <= x <= b -> 0 <= f x) \/ (forall x, a <= x <= b -> 0 <= - f x) ->
    exists l k, NoDup l /\ (forall z, In z l -> a < z < b) /\ (length l <= n)%nat /\
    degree (n - length l) k /\ (forall x, f x = product_at l x * k x) /\
    ((forall x, a <= x <= b -> 0 <= k x) \/ (forall x, a <= x <= b -> 0 <= - k x))).
  { intros H. exists [], f. repeat split; try (simpl; lia); trivial.
    - constructor.
    - simpl in H0. contradiction.
    - simpl in H0. contradiction.
    - simpl. now rewrite Nat.sub_0_r.
    - intros x. simpl. ring. }
  destruct (negative_dec f a b Hc Hab) as [[x [Hx Hfx]] | H]; [| apply Hone; now left].
  destruct (negative_dec (fun y => - f y) a b (continuity_opp f Hc) Hab) as [[y [Hy Hfy]] | H];
    [| apply Hone; now right].
  assert (Hroot : exists c, a < c < b /\ f c = 0).
  { destruct (Rtotal_order x y) as [Hlt | [-> | Hlt]]; [| lra |].
    - destruct (IVT_interv f x y) as [c [Hcxy E]];
        [intros u _; apply Hc | exact Hlt | exact Hfx | lra |].
      exists c. split; [| exact E]. destruct (Req_dec c x) as [-> | H1]; [lra |].
      destruct (Req_dec c y) as [-> | H2]; lra.
    - destruct (IVT_interv (fun u => - f u) y x) as [c [Hcxy E]];
        [intros u _; apply continuity_pt_opp, Hc | exact Hlt | exact Hfy | lra |].
      exists c. split; [| lra]. destruct (Req_dec c x) as [-> | H1]; [lra |].
      destruct (Req_dec c y) as [-> | H2]; lra. }
  destruct Hroot as [c [Hcab Hfc]]. destruct n as [|n].
  { destruct Hf as [d Hd]. rewrite !Hd in *. unfold poly in *. simpl in *. lra. }
  destruct (degree_div n c f Hf) as [h [Hh Hdiv]]. rewrite Hfc in Hdiv.
  destruct (IH n (Nat.lt_succ_diag_r n) h Hab Hh) as [l [k [Hnd [Hin [Hlen [Hk [Hprod Hsign]]]]]]].
  destruct (in_dec Req_EM_T c l) as [Hcl | Hcl].
  - destruct (product_at_remove c l Hnd Hcl) as [l' [Hnd' [Hlen' [Hsub Hrem]]]].
    exists l', (fun u => (u - c) * ((u - c) * k u)). repeat split; trivial; try lia.
    + apply Hin, Hsub, H.
    + apply Hin, Hsub, H.
    + replace (S n - length l')%nat with (S (S (n - length l))) by lia.
      apply (degree_ext _ (fun u => (- c + 1 * u) * ((- c + 1 * u) * k u))); [intros; ring |].
      now apply degree_affine, degree_affine.
    + intros u. rewrite Hdiv, Hprod, Hrem. ring.
    + destruct Hsign as [H | H]; [left | right]; intros u Hu; specialize (H u Hu).
      * replace ((u - c) * ((u - c) * k u)) with ((u - c) ^ 2 * k u) by ring.
        apply Rmult_le_pos; [apply pow2_ge_0 | exact H].
      * replace (- ((u - c) * ((u - c) * k u))) with ((u - c) ^ 2 * - k u) by ring.
        apply Rmult_le_pos; [apply pow2_ge_0 | exact H].
  - exists (c :: l), k. repeat split; trivial.
    + now constructor.
    + destruct H as [<- | H]; [lra | now apply Hin].
    + destruct H as [<- | H]; [lra | now apply Hin].
    + simpl. lia.
    + intros u. rewrite Hdiv, Hprod. simpl. ring.
Qed.
