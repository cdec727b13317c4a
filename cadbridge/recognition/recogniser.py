"""From an assembly as it stands to bodies, joints and gears, with the evidence of each."""

from __future__ import annotations

from collections.abc import Sequence

from cadbridge.assembly import Assembly
from cadbridge.recognition.choosing import settled
from cadbridge.recognition.evidence import gather
from cadbridge.recognition.hints import NO_HINTS, Hints
from cadbridge.recognition.model import Recognition


def recognise(
    assembly: Assembly, names: bool = True, ignore: Sequence[str] = (), hints: Hints = NO_HINTS
) -> Recognition:
    """Find bodies, joints and gears from the shapes of an assembly's parts and where they stand.

    Mates that the assembly has are not looked at. Joints get no limits here.

    Args:
        assembly: Parts with shapes, as placed.
        names: Whether the names of parts are a second witness beside their shapes.
        ignore: Patterns with * and ? of the names of instances or parts about which nothing is asked; they go with what
            they touch.
        hints: What a person knows of it: pairs of instances with a joint, fixed or apart, what stands still, the number
            of freedoms.

    Returns:
        What was found, each with its evidence and confidence, and what was seen and not taken.
    """
    return settled(gather(assembly, names, ignore), hints)
