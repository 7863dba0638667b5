"""The works that a report rests on; one that is not always cited is listed where the text has its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """An entry of the bibliography, in LaTeX, and the words of a text that ask for it: none for always."""

    key: str
    text: str
    words: Sequence[str] = ()


REFERENCES = (
    Reference(
        "paper",
        r"N. Barnfield, S. Sen and P. Sur. Multi-layer cross-attention is provably optimal for multi-modal "
        r"in-context learning. arXiv:2602.04872, 2026.",
    ),
    Reference(
        "sympy",
        r"A. Meurer et al. SymPy: symbolic computing in Python. \emph{PeerJ Computer Science} 3:e103, 2017.",
    ),
    Reference(
        "arb",
        r"F. Johansson. Arb: efficient arbitrary-precision midpoint-radius interval arithmetic. "
        r"\emph{IEEE Transactions on Computers} 66(8):1281--1292, 2017.",
    ),
    Reference(
        "coquelicot",
        r"S. Boldo, C. Lelay and G. Melquiond. Coquelicot: a user-friendly library of real analysis for Coq. "
        r"\emph{Mathematics in Computer Science} 9(1):41--62, 2015.",
    ),
    Reference(
        "isserlis",
        r"L. Isserlis. On a formula for the product-moment coefficient of any order of a normal frequency "
        r"distribution in any number of variables. \emph{Biometrika} 12(1--2):134--139, 1918.",
        ("Isserlis",),
    ),
    Reference(
        "sherman-morrison",
        r"J. Sherman and W. J. Morrison. Adjustment of an inverse matrix corresponding to a change in one "
        r"element of a given matrix. \emph{The Annals of Mathematical Statistics} 21(1):124--127, 1950.",
        ("Sherman-Morrison", "Sherman--Morrison"),
    ),
    Reference(
        "lojasiewicz",
        r"S. {\L}ojasiewicz. Sur les trajectoires du gradient d'une fonction analytique. "
        r"\emph{Seminari di Geometria 1982--1983}, Bologna, 115--117, 1984. See also K. Kurdyka, "
        r"T. Mostowski and A. Parusi\'nski. Proof of the gradient conjecture of R. Thom. "
        r"\emph{Annals of Mathematics} 152:763--792, 2000.",
        ("Lojasiewicz", r"\L{}ojasiewicz"),
    ),
    Reference(
        "olver",
        r"F. W. J. Olver. \emph{Asymptotics and Special Functions}. Academic Press, 1974.",
        ("Laplace",),
    ),
    Reference(
        "golub-welsch",
        r"G. H. Golub and J. H. Welsch. Calculation of Gauss quadrature rules. "
        r"\emph{Mathematics of Computation} 23(106):221--230, 1969.",
        ("Gauss node", "Gauss quadrature", "Gauss rule"),
    ),
    Reference(
        "clopper-pearson",
        r"C. J. Clopper and E. S. Pearson. The use of confidence or fiducial limits illustrated in the case "
        r"of the binomial. \emph{Biometrika} 26(4):404--413, 1934.",
        ("Clopper",),
    ),
)


def references(text: str) -> list[Reference]:
    """What a document with this text cites."""
    return [
        reference
        for reference in REFERENCES
        if not reference.words or any(word in text for word in reference.words)
    ]
