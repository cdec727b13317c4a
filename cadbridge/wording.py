"""Numbers with their nouns, for messages of every layer."""

from __future__ import annotations

from collections.abc import Sequence


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun in the right form: "1 joint", "2 joints", "no joints"."""
    noun = one if number == 1 else many or f"{one}s"
    return f"{number or 'no'} {noun}"


def of_which(some: int, of: int, one: str, many: str) -> str:
    """Some of several with what they do: "of which 2 spin", "both of which spin", "which spins"."""
    if some < of:
        return f"of which {some} {one if some == 1 else many}"
    return f"which {one}" if of == 1 else f"{'both' if of == 2 else 'all'} of which {many}"


def listed(names: Sequence[str], most: int = 5, between: str = ", ") -> str:
    """The first names, and how many more there are: "a, b and 3 more"."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return between.join(names[:most]) + more


def axis_name(direction: Sequence[float]) -> str:
    """A unit vector in words: "x" (its opposite too), "(0.6, 0.8, 0)"."""
    k = max(range(3), key=lambda i: abs(direction[i]))
    # Within 0.003°: what files round, and nobody tilts an axis by.
    if abs(direction[k]) > 1 - 1e-9:
        return "xyz"[k]
    return f"({', '.join(f'{round(float(v), 6) + 0.0:.3g}' for v in direction)})"
