"""Numbers as text, the same on every run."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cadbridge.frames import Matrix
from cadbridge.inertia import MassProperties

ROUNDED = 1e-13
"""What rounding leaves of an inertia, beside its trace, where a product or a moment is 0: some 500 times the spacing of
numbers, for the sums over a body's parts and the eigenvalues. A wire of 0.1 mm and 10 m has a moment of 1.5e-10."""
_ROUNDED_DIGITS = 1e-11
"""Ten times what writing the six numbers of an inertia with twelve digits may take from A + B − C, beside C."""
LEAST_IN_MUJOCO = 1e-15
"""kg and kg m²: mjMINVAL of MuJoCo, which refuses a moving body whose mass or moments are not above it."""
NO_LIMIT = 1e9
"""Stands for a bound that a format demands and nobody gave: no part of a machine is so fast, strong or far away."""
NOTHING = 1e-14
"""m, and of rotations: what products of poses leave of a 0; no file has so short a length or so small a turn."""


def number(value: float) -> str:
    """Twelve digits, which outlast no rounding of the last ones; what is below `NOTHING` is 0."""
    value = float(value)
    return "0" if abs(value) < NOTHING else f"{value:.12g}"


def small(value: float) -> str:
    """Twelve digits, however small (masses, inertias)."""
    return "0" if value == 0 else f"{float(value):.12g}"


def exact(value: float) -> str:
    """All digits (ratios, which add up over many turns)."""
    return f"{float(value):.15g}"


def tensor(inertia: Matrix) -> Matrix:
    """A symmetric inertia (3, 3), with products that are only rounding as 0."""
    inertia = 0.5 * (inertia + inertia.T)
    return np.where(np.abs(inertia) < ROUNDED * np.trace(inertia), 0.0, inertia)


def numbers(values: Iterable[float]) -> str:
    """Numbers with blanks between."""
    return " ".join(number(v) for v in values)


def possible(mass: MassProperties, least: float = 0.0) -> bool:
    """Whether a body can move with it: mass (kg) and principal moments (kg m²) above `least`, by more than rounding."""
    if not np.all(np.isfinite(mass.inertia)) or not mass.mass > least:
        return False
    moments = np.linalg.eigvalsh(0.5 * (mass.inertia + mass.inertia.T))
    return bool(moments[0] > max(least, ROUNDED * float(moments.sum())))


def balanced(mass: MassProperties) -> bool:
    """Whether no principal moment exceeds the sum of the others, A + B ≥ C, as of every distribution of mass."""
    a, b, c = np.linalg.eigvalsh(0.5 * (mass.inertia + mass.inertia.T))
    # A plate has A + B = C: files that write nine digits break it by their rounding.
    return bool(a + b >= c * (1 - 1e-9))


def taken_by_mujoco(inertia: Matrix) -> Matrix:
    """A balanced inertia (3, 3), a little rounder where twelve digits of it might break A + B ≥ C: MuJoCo checks that
    without a tolerance, and of a plate it is an equality."""
    a, b, c = np.linalg.eigvalsh(inertia)
    missing = c * (1 + _ROUNDED_DIGITS) - (a + b)
    return np.asarray(inertia + max(missing, 0.0) * np.eye(3))
