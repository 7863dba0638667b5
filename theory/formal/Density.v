(** Laws with a density on an interval: continuous on [low, high], not negative, and not identically 0 near either
    end.  Uniform laws and polynomial densities are instances.  Functions that are piecewise continuous have an
    expectation, by the Riemann integral of Coquelicot. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Formal Require Import Law.
Open Scope R_scope.

(** * Piecewise continuous functions *)

(** On each of finitely many intervals f agrees, ends apart, with a function that is continuous up to the ends. *)
Inductive piecewise : R -> R -> (R -> R) -> Prop :=
| piece : forall a b f g, a <= b -> (forall x, a <= x <= b -> continuous g x) ->
    (forall x, a < x < b -> f x = g x) -> piecewise a b f
| join : forall a c b f, piecewise a c f -> piecewise c b f -> piecewise a b f.

Lemma piecewise_order : forall a b f, piecewise a b f -> a <= b.
Proof. intros a b f H; induction H; lra. Qed.

Lemma piecewise_restrict : forall a b f, piecewise a b f -> forall a' b', a <= a' -> a' <= b' -> b' <= b ->
  piecewise a' b' f.
Proof.
  intros a b f H; induction H as [a b f g Hab Hg Hf | a c b f H1 IH1 H2 IH2]; intros a' b' Ha Hab' Hb.
  - apply (piece _ _ f g); trivial; intros x Hx; [apply Hg | apply Hf]; lra.
  - destruct (Rle_lt_dec b' c); [apply IH1; lra |]. destruct (Rle_lt_dec c a'); [apply IH2; lra |].
    apply (join a' c b'); [apply IH1 | apply IH2]; lra.
Qed.

Lemma piecewise_operation : forall op : R -> R -> R,
  (forall u v (x : R), continuous u x -> continuous v x -> continuous (fun y => op (u y) (v y)) x) ->
  forall a b f, piecewise a b f -> forall h, piecewise a b h -> piecewise a b (fun x => op (f x) (h x)).
Proof.
  intros op Hop a b f Hf; induction Hf as [a b f g Hab Hg Hfg | a c b f H1 IH1 H2 IH2]; intros h Hh.
  - revert f g Hab Hg Hfg.
    induction Hh as [a b h k Hab' Hk Hhk | a c b h H1 IH1 H2 IH2]; intros f g Hab Hg Hfg.
    + apply (piece _ _ _ (fun x => op (g x) (k x))); trivial.
      * intros x Hx. apply Hop; [apply Hg | apply Hk]; lra.
      * intros x Hx. now rewrite Hfg, Hhk.
    + pose proof (piecewise_order _ _ _ H1). pose proof (piecewise_order _ _ _ H2).
      apply (join a c b); [apply (IH1 f g) | apply (IH2 f g)]; trivial; intros x Hx; (apply Hg || apply Hfg); lra.
  - pose proof (piecewise_order _ _ _ H1). pose proof (piecewise_order _ _ _ H2).
    assert (a <= b /\ piecewise a c h /\ piecewise c b h) as [_ [Ha Hb]].
    { repeat split; [lra | |]; apply (piecewise_restrict a b); trivial; lra. }
    apply (join a c b); [apply IH1 | apply IH2]; assumption.
Qed.

Lemma piecewise_continuous : forall a b f, a <= b -> (forall x, a <= x <= b -> continuous f x) -> piecewise a b f.
Proof. intros a b f Hab Hf. now apply (piece a b f f). Qed.

Lemma piecewise_ext : forall a b f g, (forall x, a < x < b -> f x = g x) -> piecewise a b f -> piecewise a b g.
Proof.
  intros a b f g H Hf. induction Hf as [a b f k Hab Hk Hfk | a c b f H1 IH1 H2 IH2].
  - apply (piece a b g k); trivial. intros x Hx. rewrite <- H by exact Hx. now apply Hfk.
  - pose proof (piecewise_order _ _ _ H1). pose proof (piecewise_order _ _ _ H2).
    apply (join a c b); [apply IH1 | apply IH2]; intros x Hx; apply H; lra.
Qed.

(** A function with one jump. *)
Lemma piecewise_jump : forall a b c f u v, a <= b -> (forall x, x < c -> f x = u) -> (forall x, c < x -> f x = v) ->
  piecewise a b f.
Proof.
  intros a b c f u v Hab Hu Hv. assert (Hconst : forall (k x : R), continuous (fun _ : R => k) x)
    by (intros; apply continuous_const).
  destruct (Rle_lt_dec c a).
  { apply (piece a b f (fun _ => v)); [exact Hab | auto | intros; apply Hv; lra]. }
  destruct (Rle_lt_dec b c).
  { apply (piece a b f (fun _ => u)); [exact Hab | auto | intros; apply Hu; lra]. }
  apply (join a c b); [apply (piece a c f (fun _ => u)) | apply (piece c b f (fun _ => v))]; auto; try lra; intros;
    [apply Hu | apply Hv]; lra.
Qed.

Lemma piecewise_integrable : forall a b f, piecewise a b f -> ex_RInt f a b.
Proof.
  intros a b f H; induction H as [a b f g Hab Hg Hfg | a c b f H1 IH1 H2 IH2].
  - apply (ex_RInt_ext g).
    + rewrite Rmin_left, Rmax_right by exact Hab. intros x Hx. symmetry. now apply Hfg.
    + apply (@ex_RInt_continuous R_CompleteNormedModule). rewrite Rmin_left, Rmax_right by exact Hab. exact Hg.
  - now apply (ex_RInt_Chasles f a c b).
Qed.

Lemma integral_ext : forall (f g : R -> R) a b, (forall x, f x = g x) -> RInt f a b = RInt g a b.
Proof. intros f g a b H. apply RInt_ext. intros x _. apply H. Qed.

Lemma integral_plus : forall (f g : R -> R) a b, ex_RInt f a b -> ex_RInt g a b ->
  RInt (fun s => f s + g s) a b = RInt f a b + RInt g a b.
Proof. intros f g a b Hf Hg. exact (@RInt_plus R_CompleteNormedModule f g a b Hf Hg). Qed.

Lemma integral_scal : forall (f : R -> R) c a b, ex_RInt f a b -> RInt (fun s => c * f s) a b = c * RInt f a b.
Proof. intros f c a b Hf. exact (@RInt_scal R_CompleteNormedModule f a b c Hf). Qed.

(** * A density *)

Record density (low high : R) (w : R -> R) : Prop := {
  low_nonneg : 0 <= low;
  low_high : low < high;
  w_continuous : forall x, low <= x <= high -> continuous w x;
  w_nonneg : forall x, low <= x <= high -> 0 <= w x;
  w_low : forall eps, 0 < eps -> exists x, low < x < low + eps /\ x < high /\ 0 < w x;
  w_high : forall eps, 0 < eps -> exists x, high - eps < x < high /\ low < x /\ 0 < w x
}.

Section Density.
Variables (low high : R) (w : R -> R).
Hypothesis W : density low high w.

Let mass : R := RInt w low high.
Let mean (f : R -> R) : R := RInt (fun s => f s * w s) low high / mass.

Lemma weighted : forall f, piecewise low high f -> piecewise low high (fun s => f s * w s).
Proof.
  intros f Hf. apply (piecewise_operation Rmult); trivial.
  - intros u v x Hu Hv. now apply (continuous_mult u v).
  - destruct W. apply piecewise_continuous; [lra | assumption].
Qed.

(** The integral of f w is positive if f >= 0 on [low, high] and f w > 0 about one point. *)
Lemma integral_pos : forall f x d k, piecewise low high f -> low < x < high -> 0 < w x -> 0 < d -> 0 < k ->
  (forall s, low < s < high -> 0 <= f s) ->
  (forall s, low < s < high -> Rabs (s - x) < d -> k <= f s) ->
  0 < RInt (fun s => f s * w s) low high.
Proof.
  intros f x d k Hf Hx Hw Hd Hk Hpos Hnear. destruct W as [_ Hlh Hc Hn _ _].
  assert (Hcx : continuity_pt w x) by (apply continuity_pt_filterlim, Hc; lra).
  destruct (Hcx (w x / 2)) as [d' [Hd' Hw']]; [lra |].
  set (h := Rmin (Rmin d d') (Rmin (x - low) (high - x)) / 2).
  assert (Hh : 0 < h /\ h < d /\ h < d' /\ low < x - h /\ x + h < high).
  { pose proof (Rmin_l (Rmin d d') (Rmin (x - low) (high - x))).
    pose proof (Rmin_r (Rmin d d') (Rmin (x - low) (high - x))).
    pose proof (Rmin_l d d'). pose proof (Rmin_r d d').
    pose proof (Rmin_l (x - low) (high - x)). pose proof (Rmin_r (x - low) (high - x)).
    assert (0 < Rmin (Rmin d d') (Rmin (x - low) (high - x))) by (repeat apply Rmin_glb_lt; lra).
    unfold h. lra. }
  clearbody h. pose proof (weighted f Hf) as Hfw.
  assert (Hint : forall a b, low <= a -> a <= b -> b <= high -> ex_RInt (fun s => f s * w s) a b).
  { intros a b Ha Hab Hb. apply piecewise_integrable, (piecewise_restrict low high); trivial. }
  rewrite <- (RInt_Chasles _ low (x - h) high), <- (RInt_Chasles _ (x - h) (x + h) high) by (apply Hint; lra).
  assert (Hge : forall a b, low <= a -> a <= b -> b <= high -> 0 <= RInt (fun s => f s * w s) a b).
  { intros a b Ha Hab Hb. apply RInt_ge_0; [lra | now apply Hint |]. intros s Hs.
    apply Rmult_le_pos; [apply Hpos | apply Hn]; lra. }
  assert (Hmid : k * (w x / 2) * (2 * h) <= RInt (fun s => f s * w s) (x - h) (x + h)).
  { replace (k * (w x / 2) * (2 * h)) with (RInt (fun _ => k * (w x / 2)) (x - h) (x + h))
      by (rewrite RInt_const; unfold scal; simpl; unfold mult; simpl; ring).
    apply RInt_le; [lra | apply ex_RInt_const | apply Hint; lra |]. intros s Hs.
    apply Rmult_le_compat; try lra.
    - apply Hnear; [lra | apply Rabs_def1; lra].
    - destruct (Req_dec s x) as [-> | Hne]; [lra |].
      assert (Hws : Rabs (w s - w x) < w x / 2).
      { apply Hw'. repeat split; [now apply not_eq_sym |]. simpl. unfold R_dist. apply Rabs_def1; lra. }
      apply Rabs_def2 in Hws. lra. }
  pose proof (Hge low (x - h) ltac:(lra) ltac:(lra) ltac:(lra)).
  pose proof (Hge (x + h) high ltac:(lra) ltac:(lra) ltac:(lra)).
  assert (0 < k * (w x / 2) * (2 * h)) by (repeat apply Rmult_lt_0_compat; lra).
  unfold plus; simpl. lra.
Qed.

Lemma piecewise_const : forall c : R, piecewise low high (fun _ => c).
Proof. intros c. destruct W. apply piecewise_continuous; [lra | intros; apply continuous_const]. Qed.

Lemma piecewise_id : piecewise low high (fun s => s).
Proof. destruct W. apply piecewise_continuous; [lra | intros; apply continuous_id]. Qed.

Lemma piecewise_mult : forall f g, piecewise low high f -> piecewise low high g ->
  piecewise low high (fun s => f s * g s).
Proof. intros f g Hf Hg. apply (piecewise_operation Rmult); trivial. intros u v x. apply (continuous_mult u v). Qed.

Lemma piecewise_plus : forall f g, piecewise low high f -> piecewise low high g ->
  piecewise low high (fun s => f s + g s).
Proof. intros f g Hf Hg. apply (piecewise_operation Rplus); trivial. intros u v x. apply (continuous_plus u v). Qed.

Lemma piecewise_below : forall c, piecewise low high (fun s => below c s).
Proof.
  intros c. destruct W. apply (piecewise_jump low high c _ 1 0); [lra | |];
    intros x Hx; unfold below; destruct (Rle_dec x c); lra.
Qed.

Lemma piecewise_strictly_below : forall c, piecewise low high (fun s => strictly_below c s).
Proof.
  intros c. destruct W. apply (piecewise_jump low high c _ 1 0); [lra | |];
    intros x Hx; unfold strictly_below; destruct (Rlt_dec x c); lra.
Qed.

Lemma mass_pos : 0 < mass.
Proof.
  destruct W as [_ Hlh _ _ Hl _]. destruct (Hl 1) as [x [Hx [Hxh Hwx]]]; [lra |].
  pose proof (integral_pos (fun _ => 1) x 1 1 (piecewise_const 1)) as H.
  unfold mass. rewrite (integral_ext w (fun s => 1 * w s)) by (intros; ring). apply H; try lra; intros; lra.
Qed.

Lemma mean_pos : forall f x d k, piecewise low high f -> low < x < high -> 0 < w x -> 0 < d -> 0 < k ->
  (forall s, low < s < high -> 0 <= f s) ->
  (forall s, low < s < high -> Rabs (s - x) < d -> k <= f s) -> 0 < mean f.
Proof.
  intros. apply Rdiv_lt_0_compat; [now apply (integral_pos f x d k) | exact mass_pos].
Qed.

Definition density_law : law.
Proof.
  refine (mk_law low high (low_nonneg _ _ _ W) (Rlt_le _ _ (low_high _ _ _ W)) (piecewise low high) mean
    piecewise_const piecewise_id piecewise_plus piecewise_mult _ piecewise_below piecewise_strictly_below
    _ _ _ _ _ _ _).
  - destruct W as [H0 Hlh _ _ _ _]. apply piecewise_continuous; [lra |]. intros x Hx.
    apply (continuous_comp (fun s => 1 + s) Rinv).
    + apply (continuous_plus (fun _ => 1) (fun s => s)); [apply continuous_const | apply continuous_id].
    + apply continuous_Rinv. lra.
  - intros f g H Hf. now apply (piecewise_ext low high f); [intros; apply H |].
  - intros f g Hf Hg. unfold mean.
    rewrite (integral_ext _ (fun s => f s * w s + g s * w s)) by (intros; ring).
    rewrite integral_plus by (apply piecewise_integrable, weighted; assumption).
    field. pose proof mass_pos. lra.
  - intros c f Hf. unfold mean.
    rewrite (integral_ext _ (fun s => c * (f s * w s))) by (intros; ring).
    rewrite integral_scal by (apply piecewise_integrable, weighted; assumption).
    field. pose proof mass_pos. lra.
  - unfold mean. rewrite (integral_ext _ w) by (intros; ring). apply Rinv_r. pose proof mass_pos. unfold mass in *. lra.
  - intros f Hf H. unfold mean. apply Rmult_le_pos; [| apply Rlt_le, Rinv_0_lt_compat, mass_pos].
    destruct W as [_ Hlh _ Hn _ _]. apply RInt_ge_0; [lra | now apply piecewise_integrable, weighted |].
    intros s Hs. apply Rmult_le_pos; [apply H; right; lra | apply Hn; lra].
  - intros eps Heps. destruct W as [H0 Hlh _ _ Hl _]. destruct (Hl eps Heps) as [x [Hx [Hxh Hwx]]].
    apply (mean_pos _ x (Rmin (x / 2) (low + eps - x)) (x / 2)); try lra.
    + apply piecewise_mult; [apply piecewise_id | apply piecewise_below].
    + apply Rmin_glb_lt; lra.
    + intros s Hs. unfold below. destruct (Rle_dec s (low + eps)); lra.
    + intros s Hs Hsx. pose proof (Rmin_l (x / 2) (low + eps - x)). pose proof (Rmin_r (x / 2) (low + eps - x)).
      apply Rabs_def2 in Hsx. unfold below. destruct (Rle_dec s (low + eps)); lra.
  - intros eps Heps. destruct W as [H0 Hlh _ _ _ Hh]. destruct (Hh eps Heps) as [x [Hx [Hxl Hwx]]].
    apply (mean_pos _ x (Rmin (x / 2) (x - (high - eps))) (x / 2)); try lra.
    + apply piecewise_mult; [apply piecewise_id |].
      apply (piecewise_ext low high (fun s => 1 + -1 * below (high - eps) s)); [intros; ring |].
      apply piecewise_plus; [apply piecewise_const |].
      apply piecewise_mult; [apply piecewise_const | apply piecewise_below].
    + apply Rmin_glb_lt; lra.
    + intros s Hs. unfold below. destruct (Rle_dec s (high - eps)); lra.
    + intros s Hs Hsx. pose proof (Rmin_l (x / 2) (x - (high - eps))).
      pose proof (Rmin_r (x / 2) (x - (high - eps))).
      apply Rabs_def2 in Hsx. unfold below. destruct (Rle_dec s (high - eps)); lra.
Defined.

Lemma density_E : forall f, E density_law f = RInt (fun s => f s * w s) low high / RInt w low high.
Proof. reflexivity. Qed.

End Density.

(** A density that is continuous on [low, high] and positive inside: uniform laws, and polynomials such as
    (s - low)^i (high - s)^j. *)
Lemma positive_density : forall low high w, 0 <= low < high -> (forall x, low <= x <= high -> continuous w x) ->
  (forall x, low < x < high -> 0 < w x) -> density low high w.
Proof.
  intros low high w Hlh Hc Hpos.
  assert (Hinside : forall x eps, low <= x <= high -> 0 < eps -> exists y, Rabs (y - x) < eps /\ low < y < high).
  { intros x eps Hx Heps. set (h := Rmin eps (high - low) / 3).
    assert (Hh : 0 < h < eps /\ 3 * h <= high - low).
    { pose proof (Rmin_l eps (high - low)). pose proof (Rmin_r eps (high - low)).
      assert (0 < Rmin eps (high - low)) by (apply Rmin_glb_lt; lra). unfold h. lra. }
    clearbody h. destruct (Rle_lt_dec x ((low + high) / 2)).
    - exists (x + h). split; [apply Rabs_def1; lra | lra].
    - exists (x - h). split; [apply Rabs_def1; lra | lra]. }
  split; try lra; try assumption.
  - intros x Hx. apply Rnot_lt_le. intros Hneg.
    assert (Hcx : continuity_pt w x) by (apply continuity_pt_filterlim, Hc; exact Hx).
    destruct (Hcx (- w x)) as [d [Hd H]]; [lra |].
    destruct (Hinside x d Hx Hd) as [y [Hy Hy']]. specialize (Hpos y Hy').
    destruct (Req_dec y x) as [-> | Hne]; [lra |].
    assert (Hlt : Rabs (w y - w x) < - w x).
    { apply H. repeat split; [now apply not_eq_sym | exact Hy]. }
    apply Rabs_def2 in Hlt. lra.
  - intros eps Heps. destruct (Hinside low eps ltac:(lra) Heps) as [y [Hy Hy']]. exists y.
    apply Rabs_def2 in Hy. repeat split; try lra. now apply Hpos.
  - intros eps Heps. destruct (Hinside high eps ltac:(lra) Heps) as [y [Hy Hy']]. exists y.
    apply Rabs_def2 in Hy. repeat split; try lra. now apply Hpos.
Qed.

(** Expectations by antiderivatives: E[f; u < s < v] from F' = f w. *)
Lemma density_part : forall low high w (W : density low high w) (f I F : R -> R) u v,
  low <= u <= v -> v <= high ->
  (forall s, low < s < u -> I s = 0) -> (forall s, u < s < v -> I s = 1) -> (forall s, v < s < high -> I s = 0) ->
  (forall s, u <= s <= v -> is_derive F s (f s * w s)) -> (forall s, u <= s <= v -> continuous (fun x => f x * w x) s) ->
  E (density_law low high w W) (fun s => f s * I s) = (F v - F u) / RInt w low high.
Proof.
  intros low high w W f I F u v Hu Hv H0 H1 H2 HF Hc. rewrite density_E. f_equal.
  assert (Hzero : forall a b, a <= b -> (forall s, a < s < b -> I s = 0) ->
    is_RInt (fun s => f s * I s * w s) a b 0).
  { intros a b Hab HI. apply (is_RInt_ext (fun _ => 0)).
    - rewrite Rmin_left, Rmax_right by exact Hab. intros s Hs. now rewrite HI, Rmult_0_r, Rmult_0_l.
    - pose proof (is_RInt_const (V := R_NormedModule) a b 0) as Hk.
      unfold scal in Hk; simpl in Hk; unfold mult in Hk; simpl in Hk. now rewrite Rmult_0_r in Hk. }
  assert (Hmid : is_RInt (fun s => f s * I s * w s) u v (F v - F u)).
  { apply (is_RInt_ext (fun s => f s * w s)).
    - rewrite Rmin_left, Rmax_right by lra. intros s Hs. now rewrite H1, Rmult_1_r.
    - apply (is_RInt_derive (V := R_CompleteNormedModule) F); rewrite Rmin_left, Rmax_right by lra; assumption. }
  apply is_RInt_unique.
  replace (F v - F u) with (0 + (F v - F u + 0)) by ring.
  refine (is_RInt_Chasles (V := R_NormedModule) _ low u high 0 _ (Hzero low u _ H0)
    (is_RInt_Chasles (V := R_NormedModule) _ u v high _ 0 Hmid (Hzero v high _ H2))); lra.
Qed.
