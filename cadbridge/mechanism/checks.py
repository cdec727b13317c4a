"""What the mates do not fulfil, lock or hold, and masses that cannot be, as findings."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np

from cadbridge.assembly import GROUND, MateKind
from cadbridge.findings import Where
from cadbridge.frames import Pose, Vector
from cadbridge.mechanism.building import Builder
from cadbridge.mechanism.masses import ComponentMass
from cadbridge.mechanism.model import GROUND_BODY, MateRows, Mechanism
from cadbridge.mechanism.proportions import WRITTEN, doubt_proportions
from cadbridge.mechanism.rows import ROUNDED_DEGREES, ROUNDED_MM, Rows, off_by, rows_of
from cadbridge.mechanism.together import carries
from cadbridge.wording import listed


def residuals(mate_rows: tuple[MateRows, ...], poses: tuple[Pose, ...]) -> list[tuple[str, float, float]]:
    """Per mate (name, mm, degrees): how far the poses are from fulfilling it."""
    primitives = [p for r in mate_rows for p in r.primitives]
    return residuals_of_rows(mate_rows, rows_of(primitives, [""] * len(primitives), poses, 1.0))


def residuals_of_rows(mate_rows: tuple[MateRows, ...], rows: Rows) -> list[tuple[str, float, float]]:
    """As `residuals`, of rows that are there already: those of the mates, in their order."""
    result, start = [], 0
    for mate in mate_rows:
        own = slice(start, start + mate.rows)
        result.append((mate.mate, *off_by(np.abs(rows.gaps[own]).tolist(), rows.unit[own])))
        start += mate.rows
    return result


def report_gaps(b: Builder, found: list[tuple[str, float, float]]) -> None:
    """Report the mates that the designed pose does not fulfil."""
    where = {m.name: m.where for m in b.assembly.mates}
    for name, mm, degrees in found:
        if mm > ROUNDED_MM or degrees > ROUNDED_DEGREES:
            b.findings.add(
                "CB207",
                f"{name} is not fulfilled as designed: off by {mm:.3g} mm, {degrees:.3g}°",
                where[name],
                items=[name],
            )


def report_locked(b: Builder, mate_rows: tuple[MateRows, ...]) -> None:
    """Report what mates carry that would leave a freedom, and that others lock."""
    by_name = {m.name: m for m in b.assembly.mates}
    for rows in mate_rows:
        mate = by_name[rows.mate]
        if rows.rows < 6 and b.body_index(rows.a) == b.body_index(rows.b) and (words := carries(mate)):
            text = f"{mate.name} is locked by other mates: its {listed(words)} {'has' if len(words) == 1 else 'have'}"
            b.findings.add("CB231", f"{text} no effect", mate.where, items=[mate.name])


def report_homes(b: Builder, mechanism: Mechanism) -> None:
    """Report joints to which two of their names give different values in the home pose."""
    for joint, first, other in mechanism.said_twice(b.assembly.home):
        text = f"home: {first} and {other} are names of one joint with different values; that of {other} is taken"
        b.findings.add("CB233", text, Where(item=other), items=[joint])


def _naming(b: Builder, component: str) -> list[str]:
    """The mates and couplings of the assembly that name a component, but for those that let it float."""
    pairs = [(m.name, m.a, m.b) for m in b.assembly.mates if m.kind is not MateKind.FREE]
    pairs += [(c.name, c.a, c.b) for c in b.assembly.couplings if c.a is not None and c.b is not None]
    return [name for name, *ends in pairs if component in [end.component for end in ends]]


def report_floating(b: Builder, mate_rows: tuple[MateRows, ...]) -> None:
    """Report components that no mate holds, and an assembly that nothing ties to the ground."""
    if not b.names:
        return  # all components stand on the ground
    if not b.assembly.mates and not b.assembly.couplings and len(b.assembly.components) > 1:
        if any(f.leaves_out for f in b.assembly.findings):
            message, cure = "no mate of the input could be used", "Fix the errors above first."
        elif any(f.code == "CB1304" for f in b.assembly.findings):
            message, cure = "every mate of the source is switched off", "Switch the joints on in the CAD system."
        else:
            message, cure = "the source has no mates", None
        n, of = len(b.names), len(b.assembly.components)
        floating = (
            f"the {n} components float" if n == of else f"{n} of {of} components {'floats' if n == 1 else 'float'}"
        )
        b.findings.add("CB415", f"{message}: {floating}", hint=cure, items=b.names)
        return
    held = {b.names[i] for r in mate_rows for i in (r.a, r.b) if i != GROUND_BODY}
    for name in (name for name in b.names if name not in held):
        if lost := _naming(b, name):
            text = f"{name} floats freely, as {listed(lost)}, which would hold it, {'is' if len(lost) == 1 else 'are'}"
            cure = f"Correct {lost[0]} first: it has a finding of its own."
            b.findings.add("CB401", f"{text} left out", Where(item=name), cure, items=[name, *lost])
        else:
            b.findings.add("CB401", f"{name} has no mate: it floats freely", Where(item=name))
    if not any(c.grounded for c in b.assembly.components) and not any(
        GROUND in (m.a.component, m.b.component) for m in b.assembly.mates
    ):
        b.findings.add("CB402", "nothing is grounded: the whole assembly floats")


def report_proportions(b: Builder, mate_rows: tuple[MateRows, ...], masses: dict[str, ComponentMass]) -> None:
    """Report masses and inertias that cannot be, beside each other and the joints of their bodies."""
    by_name = {m.name: m for m in b.assembly.mates}
    joints: dict[str, list[Vector]] = defaultdict(list)
    for rows in mate_rows:
        a, c = b.body_index(rows.a), b.body_index(rows.b)
        points = [b.side(f).world_point() for f in (by_name[rows.mate].a, by_name[rows.mate].b)]
        for k in {a, c} - {GROUND_BODY} if a != c else ():
            joints[b.bodies[k].name] += points
    where = {}
    for body in b.bodies:
        parts = [b.assembly.part(b.assembly.instance(i).part) for i in body.instances]
        heaviest = max(parts, key=lambda p: p.declared.mass if p.declared is not None else 0.0, default=None)
        if heaviest is not None:
            where[body.name] = replace(heaviest.where, item=body.name)
    fixed = {
        body.name: {
            name: b.assembly.component(name).X_WC.point(mass.com)
            for name in body.components
            if (mass := masses[name].mass) is not None and mass.mass > 0 and masses[name].source in WRITTEN
        }
        for body in b.bodies
        if len(body.components) > 1
    }
    doubt_proportions(b.bodies, joints, where, fixed, b.findings)
