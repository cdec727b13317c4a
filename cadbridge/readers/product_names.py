"""Names of products and occurrences of STEP files, as parts of a path."""

from __future__ import annotations

_NO_NAME = {"", "none", "null", "unnamed", "$", "*"}


def clean(name: str) -> str:
    """A name without what separates the levels of a path, or "" where OCCT made it up."""
    name = " ".join(name.split()).replace("/", "_")
    return "" if name.startswith("=>[") or name.lower() in _NO_NAME else name
