"""Polynomials with rational coefficients, the constant first; the last is not 0 unless it is the only one."""

from __future__ import annotations

from fractions import Fraction

Polynomial = list[Fraction]


def added(first: Polynomial, second: Polynomial) -> Polynomial:
    """p + q."""
    longer, shorter = sorted((first, second), key=len, reverse=True)
    found = [c + d for c, d in zip(longer, shorter, strict=False)] + longer[len(shorter) :]
    while len(found) > 1 and not found[-1]:
        found.pop()
    return found


def scaled(polynomial: Polynomial, factor: Fraction) -> Polynomial:
    """factor p."""
    return [factor * c for c in polynomial] if factor else [Fraction(0)]


def times(first: Polynomial, second: Polynomial) -> Polynomial:
    """p q."""
    found = [Fraction(0)]
    for i, c in enumerate(second):
        found = added(found, [Fraction(0)] * i + scaled(first, c))
    return found


def power(base: Polynomial, exponent: int) -> Polynomial:
    """p^exponent, exponent >= 0."""
    found = [Fraction(1)]
    for _ in range(exponent):
        found = times(found, base)
    return found


def shifted(polynomial: Polynomial, by: Fraction) -> Polynomial:
    """p(by + x), of the same degree, by Horner's scheme."""
    found: Polynomial = [Fraction(0)]
    for c in reversed(polynomial):
        found = added(times(found, [by, Fraction(1)]), [c])
    return found
