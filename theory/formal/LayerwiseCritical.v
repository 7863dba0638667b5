(** A critical point with pairwise distinct weights is a global minimum. *)
From Coq Require Import Reals List Lra Lia.
From Formal Require Import Law Polynomial Layerwise LayerwiseLandscape.
Import ListNotations.
Open Scope R_scope.

Section Critical.
Variable P : law.
Variables (alpha : nat -> R) (T : nat).

(** The factors of the layers in l taken out. *)
Definition taken_out (l : list nat) (k : nat) : R := if in_dec Nat.eq_dec k l then 0 else alpha k.

Lemma taken_out_cons : forall i l lam, (i < T)%nat -> ~ In i l ->
  stack (taken_out l) T lam = (1 - alpha i * lam) * stack (taken_out (i :: l)) T lam.
Proof.
  intros i l lam Hi Hl. rewrite (stack_factor _ i) by exact Hi. unfold taken_out at 1.
  destruct (in_dec Nat.eq_dec i l) as [H | _]; [contradiction |]. f_equal. apply stack_ext.
  intros k _. unfold without, update, taken_out.
  destruct (Nat.eqb_spec k i) as [-> | Hne].
  - destruct (in_dec Nat.eq_dec i (i :: l)) as [_ | H]; [reflexivity | exfalso; apply H; now left].
  - destruct (in_dec Nat.eq_dec k l) as [H | H], (in_dec Nat.eq_dec k (i :: l)) as [H' | H']; trivial; exfalso.
    + apply H'. now right.
    + destruct H' as [E | H']; [now apply Hne | contradiction].
Qed.

(** The inner product of the residual with lam^p times the other factors, in L^2(s dP). *)
Definition against (p : nat) (l : list nat) : R :=
  E P (fun s => s * (stack alpha T (1 + s) * ((1 + s) ^ p * stack (taken_out l) T (1 + s)))).

Lemma against_cons : forall p i l, (i < T)%nat -> ~ In i l ->
  against p l = against p (i :: l) - alpha i * against (S p) (i :: l).
Proof.
  intros p i l Hi Hl. unfold against. pose proof (dom_stack P alpha T) as D1.
  pose proof (dom_stack P (taken_out (i :: l)) T) as D2. pose proof (dom_stack P (taken_out l) T) as D3.
  rewrite <- E_scal, <- E_minus by in_dom. apply E_ext; [in_dom |].
  intros s. rewrite (taken_out_cons i l) by assumption. simpl. ring.
Qed.

Lemma against_single : forall i, (i < T)%nat -> against 0 [i] = - stack_slope P alpha T i / 2.
Proof.
  intros i Hi. unfold against, stack_slope. pose proof (dom_stack P alpha T) as D1.
  pose proof (dom_stack P (taken_out [i]) T) as D2. pose proof (dom_stack P (without alpha i) T) as D3.
  rewrite (E_ext P _ (fun s => s * ((1 - alpha i * (1 + s)) * stack (without alpha i) T (1 + s) ^ 2))); [lra | in_dom |].
  intros s. rewrite (stack_factor alpha i) by exact Hi.
  rewrite (stack_ext (taken_out [i]) (without alpha i)); [simpl; ring |].
  intros k _. unfold taken_out, without, update.
  destruct (in_dec Nat.eq_dec k [i]) as [[E | []] | H], (Nat.eqb_spec k i) as [E' | E']; trivial; exfalso.
  - now apply E'.
  - apply H. left. now symmetry.
Qed.

Lemma against_swap : forall p i j l, against p (i :: j :: l) = against p (j :: i :: l).
Proof.
  intros p i j l. unfold against. pose proof (dom_stack P alpha T) as D1.
  pose proof (dom_stack P (taken_out (i :: j :: l)) T) as D2. apply E_ext; [in_dom |]. intros s.
  rewrite (stack_ext (taken_out (i :: j :: l)) (taken_out (j :: i :: l))); [reflexivity |].
  intros k _. unfold taken_out.
  destruct (in_dec Nat.eq_dec k (i :: j :: l)) as [H | H], (in_dec Nat.eq_dec k (j :: i :: l)) as [H' | H'];
    trivial; exfalso; simpl in *; tauto.
Qed.

Lemma against_all : forall k, against k (seq 0 T) = E P (fun s => s * (stack alpha T (1 + s) * (1 + s) ^ k)).
Proof.
  intros k. unfold against. pose proof (dom_stack P alpha T) as D1. pose proof (dom_stack P (taken_out (seq 0 T)) T) as D2.
  apply E_ext; [in_dom |]. intros s. rewrite (stack_ext (taken_out (seq 0 T)) (fun _ => 0)).
  - unfold stack at 2. rewrite (prod_ext _ (fun _ => 1)) by (intros; ring). rewrite prod_1. ring.
  - intros t Ht. unfold taken_out. destruct (in_dec Nat.eq_dec t (seq 0 T)) as [_ | H]; [reflexivity |].
    exfalso. apply H, in_seq. lia.
Qed.

Hypothesis distinct : forall i j, (i < j < T)%nat -> alpha i <> alpha j.
Hypothesis critical : forall i, (i < T)%nat -> stack_slope P alpha T i = 0.

Lemma against_zero : forall n l, length l = S n -> NoDup l -> (forall i, In i l -> (i < T)%nat) ->
  forall p, (p <= n)%nat -> against p l = 0.
Proof.
  intros n; induction n as [|n IH]; intros l Hlen Hdup Hin p Hp.
  - destruct l as [| i [| j l]]; try discriminate. replace p with 0%nat by lia.
    rewrite against_single, critical by (apply Hin; now left). lra.
  - destruct l as [| i [| j l]]; try discriminate.
    assert (Hi : (i < T)%nat) by (apply Hin; now left). assert (Hj : (j < T)%nat) by (apply Hin; right; now left).
    inversion Hdup as [| ? ? Hni Hdup']; subst. inversion Hdup' as [| ? ? Hnj Hdup'']; subst.
    assert (Hij : i <> j) by (intros ->; apply Hni; now left).
    assert (Hil : ~ In i l) by (intros H; apply Hni; now right).
    assert (Hne : alpha i <> alpha j).
    { destruct (Nat.lt_total i j) as [H | [H | H]]; [now apply distinct | contradiction |].
      apply not_eq_sym. now apply distinct. }
    assert (Hnext : forall q, (q <= n)%nat -> against (S q) (i :: j :: l) = 0 /\ against q (i :: j :: l) = 0).
    { intros q Hq.
      pose proof (against_cons q i (j :: l) Hi Hni) as E1.
      rewrite (IH (j :: l)) in E1 by (simpl in *; auto; lia).
      pose proof (against_cons q j (i :: l) Hj) as E2. rewrite !(against_swap _ j i) in E2.
      rewrite (IH (i :: l)) in E2; simpl in *; auto; try lia; [| now constructor | intros k [-> | Hk]; auto].
      assert (E2' : 0 = against q (i :: j :: l) - alpha j * against (S q) (i :: j :: l)).
      { apply E2. intros [E | H]; [now apply Hij | contradiction]. }
      assert (Hz : (alpha i - alpha j) * against (S q) (i :: j :: l) = 0) by lra.
      apply Rmult_integral in Hz. destruct Hz as [Hz | Hz]; [exfalso; apply Hne; lra |].
      rewrite Hz in E1. split; [exact Hz | lra]. }
    destruct p as [| q]; [apply (Hnext 0%nat); lia | apply (Hnext q); lia].
Qed.

(** A critical point whose weights are pairwise distinct has the least excess of its depth. *)
Theorem critical_is_least : least_excess P T (stack_excess P alpha T).
Proof.
  apply least_excess_orthogonal; [apply stack_degree | apply stack_at_0 |]. intros k Hk. rewrite <- against_all.
  apply (against_zero (T - 1)); [rewrite seq_length; lia | apply seq_NoDup | | lia].
  intros i Hi. apply in_seq in Hi. lia.
Qed.

End Critical.
