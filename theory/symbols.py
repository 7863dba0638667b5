"""The symbols that all derivations share, with their assumptions.

Letters that do not commute stand for vectors and matrices of any dimension d;
the identity matrix is 1, and `m_t` is the transpose of m.
"""

from __future__ import annotations

from sympy import Symbol

#: Depth of the stack.
T = Symbol("T", integer=True, positive=True)
#: s = ||m||^2, and lam = 1 + s, the eigenvalue of Lambda along m.
s = Symbol("s", positive=True)
lam = Symbol("lambda", positive=True)
#: Task weight: y = zeta u.
zeta = Symbol("zeta", real=True)
#: Trained weights: W_S = alpha I, W_V = beta I; scalar linear self-attention c I.
alpha = Symbol("alpha", real=True)
beta = Symbol("beta", real=True)
c = Symbol("c", real=True)
#: Context length and dimension.
L = Symbol("L", integer=True, positive=True)
d = Symbol("d", integer=True, positive=True)
#: Ends of the support of s, and of lam.
m_lo = Symbol("m_lo", nonnegative=True)
m_hi = Symbol("m_hi", nonnegative=True)
l1 = Symbol("ell_1", positive=True)
l2 = Symbol("ell_2", positive=True)

m = Symbol("m", commutative=False)
m_t = Symbol(r"m^{\top}", commutative=False)
x = Symbol("x", commutative=False)
x_t = Symbol(r"x^{\top}", commutative=False)
X = Symbol("X", commutative=False)
Lambda = Symbol("Lambda", commutative=False)

#: What lam abbreviates.
NORM = ((lam, 1 + s),)
#: The rule of calculation m^T m = s in any dimension, and its instance in dimension 1.
INNER = ((m_t * m, s),)
INNER_1D = ((m_t, m), (s, m**2))
