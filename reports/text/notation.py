r"""Plain text with ASCII notation such as ``|alpha_T - alpha*| <= 1e-6`` as words and formulas.

A run of symbols, numbers, signs and brackets is one formula.  What stands in quotes is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """How a piece of a statement is to be read."""

    PLAIN = "characters that mean themselves"
    CODE = "a name of the command line"
    WORDS = "LaTeX outside of formulas"
    FORMULA = "LaTeX of a formula"


@dataclass(frozen=True)
class Piece:
    """Part of a statement; spaces around formulas belong to the words beside them."""

    kind: Kind
    text: str


_NAMES = (
    "alpha beta gamma delta zeta eta theta kappa mu nu pi rho sigma tau xi lambda Delta Gamma Lambda Sigma"
)
_GREEK = {name: rf"\{name}" for name in _NAMES.split()}
_GREEK |= {
    "lam": r"\lambda",
    "epsilon": r"\epsilon",
    "eps": r"\epsilon",
    "Lhat": r"\hat\Lambda",
    "th": r"\theta",
}
# Differentials are one name.
_GREEK |= {name: name for name in ("dt", "dP", "dL")}
_RELATIONS = {"~": r"\sim", "->": r"\to", "<=": r"\le", ">=": r"\ge", "!=": r"\ne"}
_FUNCTIONS = {
    name: rf"\{name}" for name in ("log", "exp", "min", "max", "lim", "sup", "inf", "sum", "int", "sqrt")
}
_FUNCTIONS |= {"log10": r"\log_{10}"}
_FUNCTIONS |= {name: rf"\operatorname{{{name}}}" for name in ("Cov", "Var", "diag")}
_SUMS = frozenset(["sum", "int"])
_NO_NOUNS = frozenset(
    ["is", "are", "and", "or", "of", "the", "at", "with", "in", "for", "to", "on", "gives", "has"]
)
# ^T transposes vectors and matrices, and is a power of anything else.
_VECTORS = frozenset("abehkmnoprvwxKMR")
_VECTORS_IN_BRACKETS = frozenset("mnwx")
_GLYPHS = dict(zip("αβγδζηθκμνπρστξλΔΓΛΣ", _NAMES.split(), strict=True)) | {"ε": "epsilon", "𝔼": "E"}
_ASCII: dict[str, str | int | None] = {"‖": "||", "ᵀ": "^T", "²": "^2", "−": "-", "∞": "infinity"}
_ASCII |= {char: f"_{letter}" for char, letter in zip("ₐₑᵢⱼₖₘₙₚᵣₛₜₓ", "aeijkmnprstx", strict=True)}
_ASCII |= {"≤": "<=", "≥": ">=", "→": "->", "≠": "!="}

_GLYPH = f"[{''.join(_GLYPHS)}]"
_BASE = rf"(?P<glyph>{_GLYPH})|{'|'.join(sorted(_GREEK, key=len, reverse=True))}|[A-Za-z]"
_SCRIPT = r"\w+|\([^()]*\)"
_TOKEN = re.compile(
    rf"""
      (?P<quoted>"[^"]*"|(?<!\w)'[^']*'(?!\w))
    | `(?P<code>[^`]*)`
    | \|\|(?P<norm>\w)\|\|(?:\^(?P<square>\d))?
    | (?P<number>\d+(?:\.\d+)?)(?:[eE](?P<ten>[+-]?\d+))?(?P<dots>\.\.\.)?
    | (?P<base>{_BASE})(?P<index>\d+|(?<=[lp])[HMR])?
      (?:_(?P<sub>{_SCRIPT}))?(?P<primes>'*)(?P<star>\*(?!\w))?(?:\^(?P<sup>-?(?:{_SCRIPT})))?
      (?(glyph)|(?!(?!{_GLYPH})\w|-[A-Za-z]{{2}}|\.[A-Za-z]))
    | (?P<word>[^\W\d]\w*(?:[-'.][^\W\d_]+)*'?)
    | \^(?P<power>-?(?:{_SCRIPT})) | (?<=[)\]])(?P<prime>'+)
    | (?P<relation>->|<=|>=|!=|[=<>~])
    | (?P<sign>\|\||[-+/|])
    | (?P<open>[(\[{{])
    | (?P<close>[)\]}}])
    | (?P<pause>[,;])
    | (?P<space>\s+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


_MARKS = {"glyph", "square", "ten", "dots", "index", "sub", "primes", "star", "sup"}
_ROLES = [name for name in _TOKEN.groupindex if name not in _MARKS]


@dataclass
class _Token:
    """One token: its role, itself, and its LaTeX (empty where it cannot be part of a formula)."""

    role: str
    text: str
    latex: str = ""


def notation(text: str) -> Iterator[Piece]:
    """The words and formulas of a plain text."""
    tokens = [_token(match) for match in _TOKEN.finditer(text.translate(str.maketrans(_ASCII)))]
    _settle_words(tokens)
    inside = _brackets(tokens)
    start = 0
    while start < len(tokens):
        end = start
        while end < len(tokens) and tokens[end].latex and (inside[end] or tokens[end].role != "pause"):
            end += 1
        yield from _run(tokens[start:end], tokens[start - 1] if start else None)
        if end < len(tokens):
            code = tokens[end].role == "code"
            yield Piece(Kind.CODE, tokens[end].text[1:-1]) if code else Piece(Kind.PLAIN, tokens[end].text)
        start = end + 1


def _token(match: re.Match[str]) -> _Token:
    found, text = match.groupdict(), match[0]
    role = next(name for name in _ROLES if found[name] is not None)
    if role == "norm":
        return _Token("symbol", text, rf"\lVert {found['norm']}\rVert" + _raised(found["square"] or ""))
    if role == "number":
        return _Token(
            role, text, _number(found["number"], found["ten"]) + (r"\dots" if found["dots"] else "")
        )
    if role == "base":
        return _Token("symbol", text, _symbol(found))
    if role == "prime":
        return _Token("power", text, text)
    if role == "power":
        return _Token(role, text, _raised(_script(found["power"])))
    latex = {
        "relation": _RELATIONS.get(text, text),
        "sign": r"\Vert " if text == "||" else text,
        "open": r"\{" if text == "{" else text,
        "close": r"\}" if text == "}" else text,
        "pause": text,
        "space": " ",
    }
    return _Token(role, text, latex.get(role, ""))


def _number(digits: str, ten: str | None) -> str:
    if ten is None:
        return digits
    power = f"10^{{{int(ten)}}}"
    return power if digits == "1" else rf"{digits} \times {power}"


def _symbol(found: dict[str, str | None]) -> str:
    """LaTeX of a letter with its marks."""
    base = str(found["base"])
    base = _GLYPHS.get(base, base)
    sub, sup = found["index"] or found["sub"] or "", found["sup"] or ""
    letter = _GREEK.get(base, base)
    if base == "l" and sub:
        letter = r"\ell"
    if base == "E" and sub:
        letter = r"\mathcal{E}"
    sub = _script(sub)
    sup = r"\top" if sup == "T" and base in _VECTORS else _script(sup)
    primes, star = str(found["primes"]), "*" if found["star"] else ""
    raised = r"\prime" * len(primes) + star + (f" {sup}" if primes and sup else sup)
    return letter + (f"_{{{sub}}}" if sub else "") + (primes if primes == raised else _raised(raised))


def _script(text: str) -> str:
    """LaTeX of a sub- or superscript: a formula, or a word."""
    tokens = [_token(match) for match in _TOKEN.finditer(text.strip("()"))]
    return "".join(token.latex or rf"\mathrm{{{token.text}}}" for token in tokens).strip()


def _raised(power: str) -> str:
    return f"^{{{power}}}" if power else ""


def _settle_words(tokens: list[_Token]) -> None:
    """Names of functions before an argument, infinity after a sign, the article, E and P of a law."""
    nothing = _Token("", "")
    solid = [nothing, *(token for token in tokens if token.role != "space"), nothing]
    for previous, token, following in zip(solid, solid[1:], solid[2:], strict=False):
        if token.text in _SUMS and not ("_" in following.text or following.text == "d"):
            continue
        if token.text in _FUNCTIONS and following.role in {"symbol", "open", "number"}:
            token.role, token.latex = "symbol", _FUNCTIONS[token.text]
        elif token.text == "infinity" and previous.role in {"relation", "sign"}:
            token.role, token.latex = "symbol", r"\infty"
        elif token.text in {"a", "A"} and _is_article(previous, following):
            token.role, token.latex = "word", ""
        elif token.text in {"E", "E'", "𝔼"} and (
            following.role in {"symbol", "open"} or "|" in following.text
        ):
            token.latex = r"\mathbb{E}" + token.text[1:]
        elif token.text == "P" and following.text == "(":
            token.latex = r"\mathbb{P}"


def _is_article(previous: _Token, following: _Token) -> bool:
    """Whether the letter between these tokens is a word: an article stands before a noun."""
    noun = following.role in {"word", "code", "quoted"} and following.text not in _NO_NOUNS
    return noun and previous.role not in {"relation", "sign", "open"}


def _brackets(tokens: list[_Token]) -> list[bool]:
    """Which tokens stand inside of brackets of a formula; brackets with words in them are words."""
    inside = [False] * len(tokens)
    opened: list[int] = []
    for index, token in enumerate(tokens):
        if token.role == "open":
            opened.append(index)
        elif token.role == "close" and opened:
            start = opened.pop()
            body, before = tokens[start + 1 : index], tokens[start - 1] if start else None
            if _is_call(before, body):
                # A law, or words about something.
                for part in tokens[start - 1 : index + 1] if not _symbols(body) else (tokens[start], token):
                    part.latex = ""
            elif all(part.latex for part in body):
                inside[start : index + 1] = [True] * (index + 1 - start)
                _transpose(tokens, start, index)
                if before is not None and before.text == "sqrt":
                    tokens[start].latex, token.latex = "{", "}"
            else:
                tokens[start].latex = token.latex = ""
        elif token.role == "close":
            token.latex = ""
    for index in opened:
        tokens[index].latex = ""
    return inside


def _is_call(before: _Token | None, body: list[_Token]) -> bool:
    """Whether brackets hold the arguments of a word, as in ``uniform(1, 4)`` or ``beta(2, 3)``."""
    law = before is not None and before.text == "beta" and bool(body) and not _symbols(body)
    return law or (before is not None and before.role == "word")


def _symbols(tokens: list[_Token]) -> bool:
    return any(token.role in {"symbol", "word"} for token in tokens)


def _transpose(tokens: list[_Token], start: int, end: int) -> None:
    """^T after brackets: of a moment, and of what is made of vectors."""
    if end + 1 < len(tokens) and tokens[end + 1].text == "^T":
        letters = {token.text[0] for token in tokens[start:end] if token.role == "symbol"}
        if tokens[end].text == "]" or letters & _VECTORS_IN_BRACKETS:
            tokens[end + 1].latex = r"^{\top}"


def _run(tokens: list[_Token], before: _Token | None) -> Iterator[Piece]:
    """A formula with the spaces around it as words; words only if there is no symbol in it."""
    spaced = [token.role == "space" for token in tokens]
    first = spaced.index(False) if False in spaced else len(tokens)
    last = len(tokens) - spaced[::-1].index(False) if False in spaced else first
    if tokens[first:] and tokens[first].role == "sign" and first and before is not None:
        # A dash between words and a formula.
        first += 1 if tokens[first].text == "-" and last > first + 1 and spaced[first + 1] else 0
    core = tokens[first:last]
    roles = {token.role for token in core}
    scientific = any(token.role == "number" and token.latex != token.text for token in core)
    if not ("symbol" in roles or scientific or ("number" in roles and roles & {"sign", "relation"})):
        yield Piece(Kind.PLAIN, "".join(token.text for token in tokens))
        return
    yield Piece(Kind.PLAIN, "".join(token.text for token in tokens[:first]))
    formula = "".join(_spaced(core, index) for index in range(len(core))).strip()
    # A sign between a word and a formula has its two sides.
    dangling = [token.role == "sign" and "|" not in token.text for token in core]
    if dangling[0] and len(core) > 1 and core[1].role == "space":
        formula = "{} " + formula
    yield Piece(Kind.FORMULA, formula + (" {}" if dangling[-1] else ""))
    yield Piece(Kind.PLAIN, "".join(token.text for token in tokens[last:]))


def _spaced(core: list[_Token], index: int) -> str:
    """LaTeX of a token; a space between a long number, a fraction or E and a factor is seen."""
    token = core[index]
    if token.role != "space" or core[index + 1].role != "symbol":
        return token.latex
    previous = core[index - 1]
    number = previous.role == "number" and (
        not previous.text.isdigit() or (index > 1 and core[index - 2].text == "/")
    )
    return r"\," if number or previous.latex.startswith(r"\mathbb{E}") else token.latex
