r"""LaTeX as a line of readable Unicode, for terminals: ``$\alpha_T \to \alpha^*$`` becomes ``α_T → α*``.

A translator for statements and formulas, not a TeX: an unknown command is shown by its name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from reports.text.marked import visible

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}^_&~$]|\s+|.", re.DOTALL)


def _table(pairs: str) -> dict[str, str]:
    words = pairs.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SYMBOLS = _table("""
    alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ
    pi π rho ρ sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω varepsilon ε varphi φ ell ℓ
    varrho ϱ vartheta ϑ
    Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω nabla ∇ partial ∂
    leq ≤ le ≤ leqslant ≤ geq ≥ ge ≥ geqslant ≥ neq ≠ ne ≠ ll ≪ gg ≫ sim ~ simeq ≃ approx ≈ equiv ≡
    propto ∝ in ∈ notin ∉ subset ⊂ subseteq ⊆ cap ∩ cup ∪ setminus ∖ emptyset ∅ perp ⊥ mid |
    to → rightarrow → longrightarrow ⟶ mapsto ↦ leftarrow ← uparrow ↑ downarrow ↓
    Rightarrow ⇒ implies ⟹ iff ⟺ Leftrightarrow ⇔ forall ∀ exists ∃ neg ¬ land ∧ lor ∨
    infty ∞ pm ± mp ∓ times × cdot · ast * star ⋆ circ ∘ otimes ⊗ oplus ⊕ sum ∑ prod ∏ int ∫
    Vert ‖ lVert ‖ rVert ‖ | ‖ vert | lvert | rvert | langle ⟨ rangle ⟩
    lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ ldots … dots … cdots ⋯ top ᵀ prime ′ colon : square □ blacksquare ■
    { { } } % % _ _ # # $ $ & & textbackslash \\
""")
_SPACES = {"quad": "  ", "qquad": "    ", ",": " ", ";": " ", ":": " ", " ": " "}
_IGNORED = _words("""
    left right middle big Big bigl bigr Bigl Bigr bigg biggl biggr displaystyle textstyle limits nolimits
    nonumber notag allowbreak noindent centering ! / - ( ) [ ]
""")
_FUNCTIONS = _words("log ln exp max min sup inf lim arg det dim sin cos Pr")
_WORDS = _words("text emph textit textbf texttt textrm textup mbox")
_TRANSPARENT = _words("""
    mathrm operatorname operatorname* mathit mathbf boldsymbol mathsf mathfrak overline substack
""")
_COMBINING = {"hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "tilde": "\u0303", "widetilde": "\u0303"}
_COMBINING |= {"dot": "\u0307", "ddot": "\u0308", "vec": "\u20d7", "not": "\u0338"}
_SCRIPT = _table("E ℰ L ℒ N 𝒩")
_DOUBLE_STRUCK = _table("E 𝔼 N ℕ P ℙ R ℝ Z ℤ Q ℚ C ℂ 1 𝟙")
# T is not among them: ᵀ is the transpose, and a power T is written ^T.
_SUPERSCRIPTS = dict(zip("0123456789+-=()nikdm*′ᵀ", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵏᵈᵐ*′ᵀ", strict=True))
_SUBSCRIPTS = dict(zip("0123456789+-=()aeijkmnprstx*", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₖₘₙₚᵣₛₜₓ*", strict=True))


# Private characters that live only inside a translation: around a fraction, where a formula meets words,
# behind the name of a function, between lines.
_FRACTION = re.compile("\ue000([^\ue000\ue001]*)\ue001")
_BORDER, _APPLIED, _BREAK = "\ue002", "\ue003", "\ue004"
_SCRIPTS = "".join({*_SUPERSCRIPTS.values(), *_SUBSCRIPTS.values()} - {"*"})
_INDEXED = re.compile(
    rf"{_APPLIED} ?((?:[_^](?:\w+|\((?:[^()]|\([^()]*\))*\))|[{re.escape(_SCRIPTS)}])*) *(?=(\S?))"
)
_MATRICES = {"matrix": ".", "bmatrix": "[.]", "pmatrix": "(.)", "vmatrix": "|.|", "cases": "{."}


def formula_to_unicode(latex: str) -> str:
    """LaTeX without delimiters on one line; spaces at its ends are kept."""
    return _translated(latex).replace(_BREAK, " ")


def display_lines(latex: str) -> list[str]:
    """A displayed formula, line by line."""
    return [line.strip() for line in _translated(latex).split(_BREAK) if line.strip()]


def _translated(latex: str) -> str:
    latex = re.sub(r"\\l(Vert|vert|angle)\s+", r"\\l\1{}", latex)
    latex = re.sub(r"\s+((?:\\right)?\s*\\r(?:Vert|vert|angle))", r"{}\1", latex)
    tokens = iter(_TOKEN.findall(latex))
    translated = "".join(_translate(token, tokens) for token in tokens if token != "}")
    text = _INDEXED.sub(_applied, _bare_fractions(translated).replace(_BORDER, ""))
    return visible(unicodedata.normalize("NFC", re.sub(r" +", " ", text)))


def _applied(match: re.Match[str]) -> str:
    """A function's index, and a space unless brackets follow."""
    return match[1] + (" " if match[2] and match[2] not in "([)]},;" else "")


def _parts(tokens: Iterator[str]) -> Iterator[str]:
    """The translation of `tokens` up to the brace that closes their group."""
    for token in tokens:
        if token == "}":
            return
        yield _translate(token, tokens)


def _matrix(kind: str, tokens: Iterator[str]) -> str:
    """Rows between semicolons, in the brackets of their kind."""
    left, right = _MATRICES[kind].split(".")
    rows: list[list[str]] = [[""]]
    for token in tokens:
        if token == r"\end":
            _argument(tokens)
            break
        if token == "&":
            rows[-1].append("")
        elif token == r"\\":
            rows.append([""])
        else:
            rows[-1][-1] += _translate(token, tokens)
    cells = [[cell.strip() for cell in row] for row in rows]
    return left + "; ".join(", ".join(row) for row in cells if any(row)) + right


def _translate(token: str, tokens: Iterator[str]) -> str:
    if token == "{":
        return "".join(_parts(tokens))
    if token == "~" or token.isspace():
        return " "
    if token == "&":
        return ""
    if token == r"\\":
        return _BREAK
    if token == "^":
        return _raised(_argument(tokens), _SUPERSCRIPTS, "^")
    if token == "_":
        return _raised(_argument(tokens), _SUBSCRIPTS, "_")
    return _command(token[1:], tokens) if token[0] == "\\" and len(token) > 1 else token


def _command(name: str, tokens: Iterator[str]) -> str:
    if name in {"frac", "tfrac", "dfrac"}:
        return f"\ue000{_grouped(_argument(tokens))}/{_grouped(_argument(tokens))}\ue001"
    if name == "sqrt":
        return "√" + _grouped(_argument(tokens))
    if name in _WORDS:
        return _BORDER + _argument(tokens, strip=False) + _BORDER
    if name == "mathcal":
        return "".join(_SCRIPT.get(char, char) for char in _argument(tokens))
    if name in _TRANSPARENT:
        return _argument(tokens)
    if name in {"mathbb", "mathds"}:
        return "".join(_DOUBLE_STRUCK.get(char, char) for char in _argument(tokens))
    if name in _COMBINING:
        return _argument(tokens) + _COMBINING[name]
    if name in {"begin", "end"}:
        kind = _argument(tokens)
        return _matrix(kind, tokens) if name == "begin" and kind in _MATRICES else " "
    if name in _FUNCTIONS:
        return name + _APPLIED
    return "" if name in _IGNORED else _SPACES.get(name) or SYMBOLS.get(name, name)


def _argument(tokens: Iterator[str], strip: bool = True) -> str:
    """The next group, or the next token that is no space."""
    token = next((token for token in tokens if not token.isspace()), "")
    text = _translate(token, tokens) if token else ""
    return text.strip() if strip else text


def _raised(text: str, alphabet: dict[str, str], mark: str) -> str:
    """As a superscript or subscript; a word such as `hi` keeps its letters: ``m_hi``."""
    text = text.replace(_APPLIED, "")
    if "\N{PRIME}" in text:
        text = text.replace(" ", "")
    if all(char in alphabet for char in text) and (len(text) == 1 or not text.isalpha()):
        return "".join(alphabet[char] for char in text)
    alone = text.isdigit() or text.isalpha() or re.fullmatch(r"\([^()]*\)", text)
    return mark + (text if alone else f"({text})")


def _bare_fractions(text: str) -> str:
    """Fractions without their marks; in parentheses where they touch another factor."""
    while fraction := _FRACTION.search(text):
        before, after = text[: fraction.start()], text[fraction.end() :]
        touches = re.search(rf"[\w){_APPLIED}]\s*$", before) or re.match(r"\s*[\w(\[√∑∏∫]", after)
        text = before + (f"({fraction[1]})" if touches else fraction[1]) + after
    return text


def _grouped(text: str) -> str:
    """In parentheses unless it is one number or symbol."""
    return text if re.fullmatch(r"[\w*₀-₉⁰-⁹²³]+", text) else f"({text})"
