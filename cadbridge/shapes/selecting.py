"""Faces by cadquery's selectors. Runs in the worker."""

from __future__ import annotations

from typing import Any

from cadbridge.shapes.meshing import faces_of
from cadbridge.shapes.protocol import Failure


def select(shape: Any, selector: str) -> list[int] | Failure:
    """Indices of the faces of a shape that `selector` picks, ascending; a Failure for bad syntax."""
    import cadquery
    from cadquery.selectors import StringSyntaxSelector

    faces = [cadquery.Face(face) for face in faces_of(shape)]
    try:
        chosen = StringSyntaxSelector(selector)
    except Exception as error:
        # pyparsing's exceptions; their own text lists the whole grammar.
        at = getattr(error, "loc", 0)
        return Failure("selector", f"{selector[at:]!r} at character {at + 1} is not a part of a selector")
    try:
        picked = chosen.filter(faces)
    except (ValueError, IndexError) as error:
        # cadquery raises where nothing is left to compare, as with an index beyond the end.
        return Failure("nothing", f"{error}")
    # By identity: cadquery's selectors hand the same objects on, while faces of equal copies may be equal.
    numbers = {id(face): i for i, face in enumerate(faces)}
    return sorted(numbers[id(face)] for face in picked)
