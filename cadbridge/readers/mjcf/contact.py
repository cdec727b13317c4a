"""Which geoms of an MJCF may touch others in MuJoCo; here contact is not simulated, and is told where it matters."""

from __future__ import annotations

import numpy as np

from cadbridge.readers.mjcf.context import Context

_OFF = 1 << 0 | 1 << 4
"""MuJoCo's mjDSBL_CONSTRAINT and mjDSBL_CONTACT, bits of `disableflags`."""
_PARENTS_TOUCH = 1 << 10
"""MuJoCo's mjDSBL_FILTERPARENT: with it bodies touch their parents."""
_WORLD = 0


def touching(c: Context) -> int:
    """How many geoms may touch others.

    MuJoCo lets two geoms touch where the `contype` of one meets the `conaffinity` of the other; but not those of one
    body, of a body and its parent other than the world, or of bodies that stand still. A <pair> touches whatever
    these say; its geoms are not told apart, so with one all geoms count that may touch at all.
    """
    m, flags = c.model, int(c.model["options"].get("disableflags", 0))
    if flags & _OFF:
        return 0
    bits = list(zip(np.ravel(m["geom_contype"]).tolist(), np.ravel(m["geom_conaffinity"]).tolist(), strict=True))
    if m["counts"].get("pairs"):
        return max(2, sum(any(own) for own in bits))
    rigid, parents = np.asarray(m["body_weldid"], int), np.asarray(m["body_parentid"], int)
    body = rigid[np.asarray(m["geom_bodyid"], int)].tolist()
    above = {b: int(rigid[parents[b]]) for b in body}
    of_kind = {kind: {b for b, own in zip(body, bits, strict=True) if own == kind} for kind in set(bits)}

    def apart(a: int, b: int) -> bool:
        related = a == above[b] or b == above[a]
        return a != b and (not related or _WORLD in (a, b) or bool(flags & _PARENTS_TOUCH))

    def meets(own: tuple[int, int], a: int) -> bool:
        kinds = (kind for kind in of_kind if own[0] & kind[1] or kind[0] & own[1])
        return any(apart(a, b) for kind in kinds for b in of_kind[kind])

    return sum(meets(own, a) for own, a in zip(bits, body, strict=True))
