"""What a person reads on the terminal."""

from __future__ import annotations

import difflib
import io
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.report.document import counts
from cadbridge.report.ledger import many, taken_lines

if TYPE_CHECKING:
    from cadbridge.assembly import Assembly
    from cadbridge.diagnosis.model import Diagnosis, Reaction, Transmission
    from cadbridge.mechanism.model import Mechanism
    from cadbridge.simulation import Comparison, Run

MAX_ROWS = 60
"""Rows of a table on the terminal; JSON has all of them."""


def check_text(mechanism: Mechanism, diagnosis: Diagnosis) -> str:
    """The diagnosis: how it moves, which mates repeat which, and the joints."""
    n = counts(mechanism)
    m = diagnosis.mobility
    joints = ", ".join(f"{count} {kind}" for kind, count in n["joint_types"].items()) or "none"
    gears = ", ".join(f"{count} {kind}" for kind, count in n["gears"].items() if count)
    lines = [
        f"{mechanism.assembly.name}",
        f"  {n['instances']} instances of {n['parts']} parts → {n['components']} components"
        f" → {n['bodies']} moving bodies",
        f"  {n['mates']} mates → {n['joints']} joints ({joints})"
        + (f", {n['couplings']} couplings" + (f" ({gears})" if gears else "") if n["couplings"] else ""),
        f"  {m.rows} rows, rank {m.rank}, {m.redundant} redundant; "
        f"{m.dof} degrees of freedom (Grübler's count {m.gruebler})",
        f"  mass of what moves: {_total_mass(mechanism)}",
    ]
    text = "\n".join(lines) + "\n" + _freedoms_text(diagnosis)
    if diagnosis.redundancies:
        text += "\nWhat repeats what\n" + plain_table(
            ("mate", "rows repeated", "by", "kind", "instead"),
            [
                (
                    r.mate,
                    f"{r.rows} of {r.of}",
                    _some(r.duplicates),
                    r.kind if r.kind == "benign" else f"{r.kind}: {r.residual_mm:.3g} mm, {r.residual_deg:.3g}°",
                    "nothing: it can go" if r.deletable else r.weaker or "–",
                )
                for r in diagnosis.redundancies
            ],
        )
    if diagnosis.deletable_sets:
        text += "\nWhat can be deleted together, the motion staying the same\n"
        text += "".join(f"  {_some(s.mates, 8)}\n" for s in diagnosis.deletable_sets[:MAX_ROWS])
    text += _gears_text(diagnosis)
    if mechanism.joints:
        reactions = {r.joint: _undetermined(r) for r in diagnosis.reactions}
        text += "\nJoints\n" + plain_table(
            ("joint", "type", "between", "and", "reaction"),
            [
                (
                    j.name,
                    j.type,
                    _body(mechanism, j.a),
                    _body(mechanism, j.b),
                    reactions.get(j.name, "determined"),
                )
                for j in mechanism.joints
            ],
        )
    return text.rstrip()


def _freedoms_text(diagnosis: Diagnosis) -> str:
    """How it moves: a line for each freedom."""
    if not diagnosis.freedoms:
        return ""
    shown = [f.words + ("" if f.finite else "  (only for an instant)") for f in diagnosis.freedoms[:MAX_ROWS]]
    if len(diagnosis.freedoms) > MAX_ROWS:
        shown.append(f"… and {len(diagnosis.freedoms) - MAX_ROWS} more (all of them with --json)")
    return "\nHow it moves\n" + "".join(f"  {line}\n" for line in shown)


def _gears_text(diagnosis: Diagnosis) -> str:
    """What every motor turns, and trains that lock each other."""
    text = ""
    if diagnosis.transmissions:
        text += "\nTransmission\n" + plain_table(
            ("motor", "axis", "ratio", "reduction"),
            [(t.motor, t.axis, f"{t.ratio:.6g} {t.unit}".rstrip(), _reduction(t)) for t in diagnosis.transmissions],
        )
    for t in diagnosis.locked_trains:
        text += (
            f"\nLocked: {_some(t.mates, 8)} take {t.joints[1]} {t.ratios[0]:.6g} and {t.ratios[1]:.6g} times as far as "
            f"{t.joints[0]}; {math.degrees(t.mismatch):.4g}° apart after a turn\n"
        )
    return text


def _reduction(t: Transmission) -> str:
    """A ratio below 1 as "80 : 1", another one as "1 : 4"; with the sign of the turn."""
    if t.unit or not t.ratio:
        return "–"
    sign = "−" if t.ratio < 0 else ""
    return f"{sign}{1 / abs(t.ratio):.6g} : 1" if abs(t.ratio) < 1 else f"{sign}1 : {abs(t.ratio):.6g}"


def _undetermined(reaction: Reaction) -> str:
    """The components, in the joint's frame (z its axis), that a rigid model does not determine."""
    names = [f"{what}{axis}" for what, known in (("F", reaction.force), ("T", reaction.torque))
             for axis, ok in zip("xyz", known, strict=True) if not ok]  # fmt: skip
    return "determined" if reaction.determined else f"undetermined: {' '.join(names)}"


def inspect_text(assembly: Assembly) -> str:
    """What a file holds: counts, units, and a table of the parts."""
    from cadbridge.mass import part_mass

    instances = Counter(i.part for i in assembly.instances)
    lines = [
        assembly.name,
        f"  {many(len(assembly.instances), 'instance')} of {many(len(assembly.parts), 'part')}"
        f" in {many(len(assembly.components), 'component')}",
        *taken_lines(assembly),
    ]
    rows = []
    for part in assembly.parts:
        mass, source = part_mass(part, Findings())
        shape = part.shape
        rows.append(
            (
                part.name,
                str(instances[part.name]),
                f"{shape.brep.mass * 1e6:.6g}" if shape and shape.brep else "–",
                part.material or "–",
                f"{part.density:.6g}" if part.density else "–",
                f"{mass.mass:.6g}" if mass else "unknown",
                source or "–",
            )
        )
    head = ("part", "instances", "volume cm³", "material", "density kg/m³", "mass kg", "mass from")
    return "\n".join(lines) + "\n\n" + plain_table(head, rows).rstrip()


def faces_text(assembly: Assembly, part: str) -> str:
    """Every face of a part as the YAML that names it in a mates file.

    `part` is the name of a part, an instance or a component of one instance; InputError with the
    nearest names where there is none.
    """
    from cadbridge.readers import yaml_for_face

    for instance in assembly.instances:
        if part in (instance.part, instance.name, instance.name.rsplit("/", 1)[-1]):
            break
    else:
        names = {i.part for i in assembly.instances} | {i.name for i in assembly.instances}
        near = ", ".join(difflib.get_close_matches(part, sorted(names), n=5, cutoff=0.4))
        raise InputError(f"There is no part or instance {part!r}." + (f" Near it: {near}." if near else ""))
    shape = assembly.part(instance.part).shape
    if shape is None or not shape.faces:
        raise InputError(f"Part {instance.part!r} has no faces: its geometry is a mesh, or missing.")
    component = assembly.component(instance.component)
    inner = None
    if len(component.instances) > 1:
        inner = instance.name.removeprefix(component.name + "/")
    lines = [f"# {instance.part}, as {instance.name}: {len(shape.faces)} faces"]
    for index, face in enumerate(shape.faces):
        size = f", radius {face.radius * 1e3:.6g} mm" if face.radius else ""
        lines.append(f"# {index}: {face.kind}{size}, area {face.area * 1e6:.6g} mm²")
        lines.append(f"- {yaml_for_face(component.name, inner, face, shape.faces)}")
    return "\n".join(lines)


def run_text(run: Run, output: Path, against: Comparison | None = None) -> str:
    """How a simulation went, and how far it is from the source's own trajectory."""
    reached = f"simulated {run.summary['simulated_s']:.6g} s" if run.result.status.ok else "the run stopped early"
    lines = [f"{reached}; its trajectory is in {output}"]
    lines += [f"  {key}: {value}" for key, value in run.summary.items() if not isinstance(value, dict | list)]
    for change in run.summary.get("changes", ()):
        size = f"{change['impulse_N_s']:.4g} N s, {change['angular_impulse_N_m_s']:.4g} N m s"
        lines.append(f"  {change['t_s']:.6g} s: {change['change']} (impulse {size}; {change['energy_lost_J']:.4g} J)")
    if run.pace is not None:
        lines.append(f"  real-time factor {run.pace.factor:.3g}; at most {run.pace.latest * 1e3:.3g} ms late")
    if against is not None:
        verdict = "within" if against.within else "beyond"
        lines.append(
            f"  {len(against.distances)} parts at {against.samples} times: up to {against.largest:.3g} m, "
            f"{against.largest_angle:.3g} rad and {against.largest_rate:.3g} m/s or rad/s from the source's own run; "
            f"{verdict} its tolerance of {against.tolerance:.3g}"
        )
    return "\n".join(lines)


def _total_mass(mechanism: Mechanism) -> str:
    masses = [b.mass for b in mechanism.bodies]
    known = [m.mass for m in masses if m is not None]
    if len(known) == len(masses):
        return f"{sum(known):.6g} kg"
    return f"unknown ({len(masses) - len(known)} of {len(masses)} bodies lack a density or a mass)"


def _body(mechanism: Mechanism, index: int) -> str:
    return mechanism.bodies[index].name if index >= 0 else "ground"


def _some(names: Sequence[str], most: int = 4) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def plain_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A plain table that reads the same on a terminal and in a file."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    items = list(rows)
    table = Table(*head, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in items[:MAX_ROWS]:
        table.add_row(*(Text(cell) for cell in row))
    console = Console(file=io.StringIO(), width=140, color_system=None)
    console.print(table)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if len(items) > MAX_ROWS:
        lines.append(f"… and {len(items) - MAX_ROWS} more (all of them with --json)")
    return "\n".join(lines) + "\n"
