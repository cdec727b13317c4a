"""How numbers read: four significant digits, rounding noise as 0, and a true minus sign."""

from __future__ import annotations

from collections.abc import Sequence

DIGITS = 4
"""Significant digits of a number that a person reads; JSON has all of them."""
NOISE_SHARE = 1e-12
"""Below this share of the quantity's scale a number is rounding noise and shows as 0."""


def figure(value: float | None, digits: int = DIGITS, scale: float = 0.0) -> str:
    """A number to some digits, a dash where there is none, and 0 where it is noise beside `scale`.

    `scale` is the largest magnitude that the quantity has here, in the same unit.
    """
    if value is None:
        return "–"
    if abs(value) <= NOISE_SHARE * scale:
        value = 0.0
    return f"{value + 0.0:.{digits}g}".replace("-", "−")


def vector(values: Sequence[float] | None, factor: float = 1.0) -> str:
    """Components beside each other, each as a figure; one that is below a millionth of the largest is 0."""
    if values is None:
        return "–"
    scaled = [factor * v for v in values]
    largest = max(map(abs, scaled), default=0.0)
    # Beside the largest of the vector, which is shown with fewer digits, it is nothing.
    return ", ".join(figure(0.0 if abs(v) < 1e-6 * largest else v) for v in scaled)
