"""Whether the laws of a scenario's motors can all hold: a freedom follows one law of motion, or forces."""

from __future__ import annotations

import math

import numpy as np

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.lowering import Lowered
from cadbridge.simulation.initial import prescribed_starts
from cadbridge.simulation.motors import LEADS
from cadbridge.simulation.scenario import Scenario
from solver.algebra.rank import rank
from solver.constraints import Coupler, evaluate

MOST_BODIES = 120
"""Bodies up to which laws of motion are looked at together: the rank of all rows takes time with their third power."""


def check_laws(lowered: Lowered, what: Scenario, findings: Findings) -> None:
    """InputError (CB631, CB636) where laws cannot be; reports (CB635) those that fix one freedom twice."""
    before = len(findings.errors)
    _one_law_each(what, findings)
    _one_start_each(what, findings)
    _released(what, findings)
    if len(findings.errors) > before:
        raise InputError("The scenario's motors cannot act together.", findings)
    _losses(what, findings)
    prescribed = prescribed_joints(what)
    for name, gear in locking_wheels(lowered, prescribed):
        findings.add(
            "CB634",
            f"{name} is prescribed, and is the wheel of {gear}, which locks itself",
            Where(item=name),
            items=[name, gear],
        )
    if len(prescribed) > 1 and len(lowered.units) <= MOST_BODIES:
        _twice(lowered, prescribed, findings)


def _one_law_each(what: Scenario, findings: Findings) -> None:
    """A joint whose motion is prescribed takes nothing else (CB631)."""
    laws: dict[str, list[str]] = {}
    for motor in what.motors:
        laws.setdefault(motor.joint, []).append(motor.kind)
    for joint, kinds in laws.items():
        if len(kinds) > 1 and set(kinds) & set(LEADS):
            message = f"{joint} has {len(kinds)} motors: {', '.join(kinds)}"
            findings.add("CB631", message, Where(item=joint), items=[joint])


def _one_start_each(what: Scenario, findings: Findings) -> None:
    """A joint whose motion is prescribed begins where that has it: another initial value would be dropped (CB631)."""
    try:
        starts = prescribed_starts(what)
    except ValueError:
        return  # a function without a value at the start ends the run, which says so
    for name, start in starts.items():
        for section, given, led in zip(("positions", "rates"), (what.positions, what.rates), start, strict=True):
            # Of what people write, in degrees or mm, rounding leaves 1e-12.
            if name in given and led is not None and not math.isclose(given[name], led, rel_tol=1e-9, abs_tol=1e-12):
                text = f"a motor prescribes how {name} begins, and initial {section} give it another value"
                hint = f"Remove {name} from `initial: {{{section}: …}}`, or let the motor begin at that value."
                findings.add("CB631", text, Where(item=name), hint, items=[name])


def _released(what: Scenario, findings: Findings) -> None:
    """A circuit acts on its joint for the whole run (CB636)."""
    gone = {name for spec in what.changes if spec.verb == "release" for name in (spec.name, *spec.parted)}
    for circuit in what.circuits:
        if circuit.joint in gone:
            message = f"{circuit.joint} has a motor with a circuit, and is released"
            findings.add("CB636", message, Where(item=circuit.joint), items=[circuit.joint])


def _losses(what: Scenario, findings: Findings) -> None:
    for circuit in what.circuits:
        if circuit.dc is not None and circuit.dc.efficiency < 1.0 and what.friction is None:
            message = f"the gearhead of {circuit.joint} loses power; the scenario ignores it"
            findings.add("CB613", message, Where(item=circuit.joint), items=[circuit.joint])


def prescribed_joints(what: Scenario) -> list[str]:
    """The joints whose motion a motor prescribes, by name."""
    return [motor.joint for motor in what.motors if motor.kind in LEADS]


def locking_wheels(lowered: Lowered, prescribed: list[str]) -> list[tuple[str, str]]:
    """The prescribed joints that are wheels of worms which lock themselves, each with its gear."""
    by_name = dict(zip((j.name for j in lowered.joints), lowered.model.coordinates, strict=True))
    return [
        (name, mesh.name)
        for mesh in lowered.model.meshes
        for name in prescribed
        if mesh.losses[0] >= 1.0 and {by_name[name].a, by_name[name].b} == {mesh.b.a, mesh.b.b}
    ]


def _twice(lowered: Lowered, prescribed: list[str], findings: Findings) -> None:
    """Report the joints whose prescribed motion the mates and the other laws fix already (CB635)."""
    model, length = lowered.model, lowered.mechanism.length_scale
    by_name = dict(zip((j.name for j in lowered.joints), model.coordinates, strict=True))
    rows = [Coupler(c.a, c.b, ((1.0, c),)) for c in (by_name[name] for name in prescribed)]
    G = evaluate((*model.primitives, *rows), model.positions, model.quaternions).G
    held = len(G) - len(prescribed)
    # One rank tells that all is well, which it mostly is; which law is at fault takes two for each.
    if rank(G, length).rank == rank(G[:held], length).rank + len(prescribed):
        return
    kept, fixed = list(range(held)), []
    for k, name in enumerate(prescribed):
        if rank(G[[*kept, held + k]], length).rank > rank(G[kept], length).rank:
            kept.append(held + k)
        else:
            fixed.append((name, _others(G, held, k, prescribed, length)))
    for name, others in fixed:
        with_ = ", ".join(others) if others else "the mates alone"
        findings.add(
            "CB635", f"{name} is prescribed, and {with_} fix it already", Where(item=name), items=[name, *others]
        )


def _others(G: np.ndarray, held: int, k: int, prescribed: list[str], length: float) -> list[str]:
    """The prescribed joints without which law k would be free."""
    before = list(range(held + k))
    found = []
    for other in range(k):
        left = [i for i in before if i != held + other]
        if rank(G[[*left, held + k]], length).rank > rank(G[left], length).rank:
            found.append(prescribed[other])
    return found
