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
    """Bodies, joints and gears of an assembly from the shapes of its parts and where they stand.

    `names`: whether names are a second witness. `ignore`: patterns of the names of instances or parts that are left out
    of what is asked, and go with what they touch. `hints`: what a person knows of it. Mates that the assembly has are
    not looked at.
    """
    return settled(gather(assembly, names, ignore), hints)
