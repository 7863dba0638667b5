(** Mixtures of laws are laws, and so is a law of which a share is moved to s = 0. *)
From Coq Require Import Reals ZArith List Lra Lia.
From Formal Require Import Law.
Import ListNotations.
Open Scope R_scope.

Section Mixture.
Variables (P Q : law) (p : R).
Hypothesis Hp : 0 < p < 1.

Let low := Rmin (lo P) (lo Q).
Let high := Rmax (hi P) (hi Q).
Let both (f : R -> R) : Prop := dom P f /\ dom Q f.
Let mean (f : R -> R) : R := p * E P f + (1 - p) * E Q f.

Lemma mixture_nonneg : forall f, both f -> (forall s, s = 0 \/ low <= s <= high -> 0 <= f s) -> 0 <= mean f.
Proof.
  intros f [HP HQ] H. pose proof (Rmin_l (lo P) (lo Q)). pose proof (Rmin_r (lo P) (lo Q)).
  pose proof (Rmax_l (hi P) (hi Q)). pose proof (Rmax_r (hi P) (hi Q)).
  assert (0 <= E P f).
  { apply E_nonneg; [exact HP |]. intros s [-> | Hs]; apply H; [now left | right; unfold low, high; lra]. }
  assert (0 <= E Q f).
  { apply E_nonneg; [exact HQ |]. intros s [-> | Hs]; apply H; [now left | right; unfold low, high; lra]. }
  unfold mean. apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
Qed.

(** The mass near an end that one component has, the mixture has. *)
Lemma mixture_pos : forall f, both f -> (forall s, 0 <= s -> 0 <= f s) -> 0 < E P f \/ 0 < E Q f -> 0 < mean f.
Proof.
  intros f [HP HQ] H Hpos.
  assert (0 <= E P f) by (apply E_nonneg; [exact HP | intros s Hs; now apply H, (supp_nonneg P)]).
  assert (0 <= E Q f) by (apply E_nonneg; [exact HQ | intros s Hs; now apply H, (supp_nonneg Q)]).
  unfold mean. destruct Hpos as [Hpos | Hpos].
  - apply Rplus_lt_le_0_compat; [apply Rmult_lt_0_compat | apply Rmult_le_pos]; lra.
  - apply Rplus_le_lt_0_compat; [apply Rmult_le_pos | apply Rmult_lt_0_compat]; lra.
Qed.

Definition mixture : law.
Proof.
  refine (mk_law low high _ _ both mean _ _ _ _ _ _ _ _ _ _ _ _ _ _).
  - apply Rmin_glb; apply lo_nonneg.
  - apply Rle_trans with (lo P); [apply Rmin_l | apply Rle_trans with (hi P); [apply lo_hi | apply Rmax_l]].
  - intros c. split; apply dom_const.
  - split; apply dom_id.
  - intros f g [] []. split; now apply dom_plus.
  - intros f g [] []. split; now apply dom_mult.
  - split; apply dom_inv.
  - intros c. split; apply dom_below.
  - intros c. split; apply dom_strictly_below.
  - intros f g H []. split; now apply (dom_ext _ f).
  - intros f g [] []. unfold mean. rewrite !E_plus by assumption. ring.
  - intros c f []. unfold mean. rewrite !E_scal by assumption. ring.
  - unfold mean. rewrite !E_one. ring.
  - exact mixture_nonneg.
  - intros eps Heps. apply mixture_pos.
    + split; in_dom.
    + intros s Hs. apply Rmult_le_pos; [exact Hs |]. unfold below. destruct (Rle_dec s (low + eps)); lra.
    + unfold low, Rmin. destruct (Rle_dec (lo P) (lo Q)); [left | right]; now apply mass_low.
  - intros eps Heps. apply mixture_pos.
    + split; in_dom.
    + intros s Hs. apply Rmult_le_pos; [exact Hs |]. unfold below. destruct (Rle_dec s (high - eps)); lra.
    + unfold high, Rmax. destruct (Rle_dec (hi P) (hi Q)); [right | left]; now apply mass_high.
Defined.

Lemma mixture_ends : lo mixture = Rmin (lo P) (lo Q) /\ hi mixture = Rmax (hi P) (hi Q).
Proof. split; reflexivity. Qed.

Lemma mixture_E : forall f, E mixture f = p * E P f + (1 - p) * E Q f.
Proof. reflexivity. Qed.

End Mixture.

(** s has the law P with probability p and is 0 otherwise: the ends, over {s > 0}, do not move. *)
Section Zero.
Variables (P : law) (p : R).
Hypothesis Hp : 0 < p <= 1.

Let mean (f : R -> R) : R := p * E P f + (1 - p) * f 0.

Definition with_zero : law.
Proof.
  refine (mk_law (lo P) (hi P) (lo_nonneg P) (lo_hi P) (dom P) mean (dom_const P) (dom_id P) (dom_plus P)
    (dom_mult P) (dom_inv P) (dom_below P) (dom_strictly_below P) (dom_ext P) _ _ _ _ _ _).
  - intros f g Hf Hg. unfold mean. rewrite E_plus by assumption. ring.
  - intros c f Hf. unfold mean. rewrite E_scal by assumption. ring.
  - unfold mean. rewrite E_one. ring.
  - intros f Hf H. unfold mean. apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra.
    + now apply E_nonneg.
    + apply H. now left.
  - intros eps Heps. unfold mean. rewrite Rmult_0_l, Rmult_0_r, Rplus_0_r.
    apply Rmult_lt_0_compat; [lra | now apply mass_low].
  - intros eps Heps. unfold mean. rewrite Rmult_0_l, Rmult_0_r, Rplus_0_r.
    apply Rmult_lt_0_compat; [lra | now apply mass_high].
Defined.

Lemma with_zero_E : forall f, E with_zero f = p * E P f + (1 - p) * f 0.
Proof. reflexivity. Qed.

End Zero.

(** * Mixtures of several laws, by integer weights *)

Lemma share_of_two : forall W w : positive, 0 < IZR (Zpos W) / IZR (Zpos (W + w)) < 1.
Proof.
  intros W w. assert (0 < IZR (Zpos W) /\ 0 < IZR (Zpos w)) as [] by (split; apply (IZR_lt 0); lia).
  rewrite Pos2Z.inj_add, plus_IZR. split; [apply Rdiv_lt_0_compat; lra |].
  apply (Rmult_lt_reg_r (IZR (Zpos W) + IZR (Zpos w))); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Fixpoint blend (W : positive) (P : law) (rest : list (positive * law)) : law :=
  match rest with
  | [] => P
  | (w, Q) :: rest => blend (W + w) (mixture P Q _ (share_of_two W w)) rest
  end.

Definition weighed {A} (g : A -> R) (l : list (positive * A)) : R :=
  fold_right (fun x t => IZR (Zpos (fst x)) * g (snd x) + t) 0 l.
Definition weights {A} (W : positive) (l : list (positive * A)) : positive := fold_left (fun W x => W + fst x)%positive l W.

Lemma blend_E : forall f rest W P,
  IZR (Zpos (weights W rest)) * E (blend W P rest) f = IZR (Zpos W) * E P f + weighed (fun Q => E Q f) rest.
Proof.
  intros f rest; induction rest as [|[w Q] rest IH]; intros W P; simpl; [ring |].
  unfold weights in *. simpl. rewrite IH, mixture_E, Pos2Z.inj_add, plus_IZR. unfold weighed.
  assert (0 < IZR (Zpos W) /\ 0 < IZR (Zpos w)) as [] by (split; apply (IZR_lt 0); lia). simpl. field. lra.
Qed.

Lemma blend_dom : forall f rest W P, dom (blend W P rest) f ->
  dom P f /\ forall x, In x rest -> dom (snd x) f.
Proof.
  intros f rest; induction rest as [|[w Q] rest IH]; intros W P H; simpl in *; [tauto |].
  apply IH in H. destruct H as [[HP HQ] H]. split; [exact HP |]. intros x [<- | Hx]; [exact HQ | now apply H].
Qed.

Lemma blend_ends : forall rest W P,
  lo (blend W P rest) = fold_left (fun m x => Rmin m (lo (snd x))) rest (lo P)
  /\ hi (blend W P rest) = fold_left (fun m x => Rmax m (hi (snd x))) rest (hi P).
Proof. intros rest; induction rest as [|[w Q] rest IH]; intros W P; simpl; [tauto | apply IH]. Qed.
