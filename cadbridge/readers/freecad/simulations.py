"""The simulation of an assembly (FreeCAD 1.1): motions of joints over time, as the run that the source asks for."""

from __future__ import annotations

import re

from cadbridge.assembly import Mate
from cadbridge.findings import Findings
from cadbridge.readers.freecad.document import Object
from cadbridge.readers.freecad.held import switched_off
from cadbridge.readers.freecad.references import JointSide
from cadbridge.readers.joints import coordinate
from cadbridge.readers.ondsel.text import expression, from_start
from cadbridge.study import MotionLaw, Study

Made = dict[str, tuple[Mate, JointSide, JointSide]]
"""By the names of joints: their mates and sides."""

_KINDS = {"Angular": ("angle", 5), "0": ("angle", 5), "Linear": ("distance", 2), "1": ("distance", 2)}
"""Of each type of motion: what it moves, and which of `freedoms.AXES` that is of the connectors."""


def read_study(root: Object, made: Made, length: float, findings: Findings) -> Study | None:
    """The first simulation of an assembly that has motions; None where there is none. The others are reported."""
    found = [(s, motions) for s in _members(root, "bTimeEnd") if (motions := _members(s, "Formula"))]
    for other, motions in found[1:]:
        text = f"{other.label} is a further simulation: that of {found[0][0].label} is read, its motions are not"
        findings.add("CB1212", text, other.where(), items=[m.label for m in motions])
    if not found:
        return None
    simulation, motions = found[0]
    start, end, step = (simulation.number(name) for name in ("aTimeStart", "bTimeEnd", "cTimeStepOutput"))
    laws = [_law(motion, made, length, start or 0.0, findings) for motion in motions]
    return Study(
        duration=end - (start or 0.0) if end is not None and end > (start or 0.0) else None,
        rate=1.0 / step if step is not None and step > 0.0 else None,
        tolerance=simulation.number("fGlobalErrorTolerance"),
        motions=tuple(law for law in laws if law is not None),
    )


def _members(owner: Object, mark: str) -> list[Object]:
    """What groups of simulations below an assembly, or a simulation itself, hold that has a property, each once."""
    objects = owner.document.objects
    held = [objects[n] for n in owner.links("Group") if n in objects]
    below = [o for g in held if g.type == "Assembly::SimulationGroup" for o in _members(g, mark)]
    # FreeCAD lists what is in a group of an assembly in the assembly itself as well.
    return list({o.name: o for o in (*held, *below) if o.has(mark)}.values())


def _law(motion: Object, made: Made, length: float, start: float, findings: Findings) -> MotionLaw | None:
    """A motion as FreeCAD's solver takes it: of the connectors, in mm or rad; None where it moves nothing."""
    from solver.functions import expression as parse

    written = (motion.value("Formula", "String") or "").strip()
    if not written:
        return None
    target = motion.link("Joint")
    held = made.get(target[1]) if target is not None else None
    kind = _KINDS.get(motion.choice("MotionType") or "")
    if held is None or kind is None:
        joint = None if target is None else motion.document.objects.get(target[1])
        # A joint that is switched off, or could not be read, is told of itself.
        if joint is None or kind is None or switched_off(joint):
            what = "a joint that is switched off" if joint is not None and kind is not None else "no joint"
            findings.add("CB1212", f"{motion.label} moves {what}; it is left out", motion.where("Joint"))
        return None
    mate, first, second = held
    now = coordinate(first.X_WM.inverse() @ second.X_WM, kind[1])
    scale = length if kind[0] == "distance" else 1.0
    text = from_start(re.sub(r"\binitialValue\b", f"({now / scale!r})", expression(written)), start)
    try:
        parse(text)
    except ValueError as fault:
        findings.add("CB1208", f"{motion.label}: {fault}", motion.where("Formula"))
        return None
    return MotionLaw(
        motion.label, mate.name, kind[0], f"{scale!r} * ({text})" if scale != 1.0 else text, motion.where()
    )
