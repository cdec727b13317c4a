"""What a person reads on the terminal."""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cadbridge.errors import InputError
from cadbridge.report.ledger import taken_lines
from cadbridge.report.terminal import MAX_ROWS, PIPED, draw, plain_table, wrapped
from cadbridge.report.views import tables, verdict
from cadbridge.report.views.numbers import figure, vector
from cadbridge.report.views.table import Row, Table, number
from cadbridge.units import EARTH, TO_CM3, TO_DEGREES, TO_MILLI, TO_MM
from cadbridge.wording import count, listed

if TYPE_CHECKING:
    from cadbridge.assembly import Assembly
    from cadbridge.mass import PartMass
    from cadbridge.mechanism.model import Mechanism
    from cadbridge.simulation import Comparison, Run
    from cadbridge.simulation.confirming import Confirmation

Document = Mapping[str, Any]

FOLDED_FROM = 3
"""Motions alike that share one line: a file without mates has hundreds of bodies that float, a machine hundreds of
rollers, which would hide all else."""
_FOLDED: Mapping[tuple[str, str], Callable[[Document], bool]] = {
    ("body only spins about its own axes", "bodies only spin about their own axes"): lambda f: bool(f.get("spin")),
    ("body floats freely", "bodies float freely"): lambda f: f["kind"] == "float" and len(f["bodies"]) == 1,
}
"""What is said of motions alike, and which those are."""


def check_text(mechanism: Mechanism, document: Document, columns: int = PIPED) -> str:
    """The answer of a check document, how it moves, which mates repeat which, and the joints."""
    between = tables.components_between(mechanism)
    n, m = document["counts"], document["mobility"]
    joints = ", ".join(f"{k} {kind}" for kind, k in n["joint_types"].items()) or "none"
    lines = [
        f"{mechanism.assembly.name}: {verdict(document, between).text}",
        "",
        f"  {count(n['instances'], 'instance')} of {count(n['parts'], 'part')} → "
        f"{count(n['components'], 'component')} → {count(n['bodies'], 'moving body', 'moving bodies')}",
        f"  {count(n['mates'], 'mate')} → {count(n['joints'], 'joint')} ({joints})"
        + (f", {count(n['couplings'], 'coupling')}" if n["couplings"] else ""),
        f"  {count(m['rows'], 'equation')}, rank {m['rank']}, {m['redundant']} redundant; "
        f"{count(m['dof'], 'degree')} of freedom (Grübler's count {figure(m['gruebler'], 9)})",
        f"  mass of the moving bodies: {_total_mass(mechanism)}",
    ]
    drawn = [_motions(document, columns), *(
        draw(t, columns) for t in (
            tables.cures(document, between), tables.deletable(document), tables.ratios(document),
            tables.joints(document), tables.shares(document), tables.carried_weights(document),
        ) if t.rows
    )]  # fmt: skip
    locked = tables.gears(document, between).note
    return "\n".join([*wrapped(lines, columns), "", *[text for text in (*drawn, locked) if text]]).rstrip()


def _motions(document: Document, columns: int) -> str:
    """How it moves: a line for each freedom."""
    if not document["freedoms"]:
        return ""
    folded = {text: [f for f in document["freedoms"] if alike(f)] for text, alike in _FOLDED.items()}
    folded = {text: own for text, own in folded.items() if len(own) >= FOLDED_FROM}
    hidden = {id(f) for own in folded.values() for f in own}
    others = [f for f in document["freedoms"] if id(f) not in hidden]
    shown = [tables.motion(document, f) + ("" if f["finite"] else " (only at this pose)") for f in others[:MAX_ROWS]]
    if len(others) > MAX_ROWS:
        shown.append(f"… and {len(others) - MAX_ROWS} more (all of them with --json)")
    for text, own in folded.items():
        # A ball in its socket spins about three axes.
        names = list(dict.fromkeys(name for f in own for name in f["bodies"]))
        shown.append(f"{count(len(names), *text)}: {listed(names, MAX_ROWS)}")
    return "\n".join(["How it moves", *wrapped((f"  {line}" for line in shown), columns), ""])


def inspect_text(assembly: Assembly, masses: Iterable[PartMass], columns: int = PIPED) -> str:
    """What a file holds: counts, units, and a table of the parts."""
    lines = [
        assembly.name,
        f"  {count(len(assembly.instances), 'instance')} of {count(len(assembly.parts), 'part')}"
        f" in {count(len(assembly.components), 'component')}",
        *taken_lines(assembly),
    ]
    rows = []
    for part, mass in zip(assembly.parts, masses, strict=True):
        shape = part.shape
        rows.append(
            (
                part.name,
                str(mass.instances),
                f"{figure(shape.brep.mass * TO_CM3)}" if shape and shape.brep else "–",
                part.material or "–",
                figure(part.density or None),
                "unknown" if mass.mass is None else figure(mass.mass),
                mass.source or "–",
            )
        )
    head = ("part", "instances", "volume cm³", "material", "density kg/m³", "mass kg", "mass from")
    numeric = [False, True, True, False, True, True, False]
    text = "\n".join(lines) + "\n\n" + plain_table(head, rows, columns, numeric).rstrip()
    return text + "\n\n" + plain_table(("component", "parts"), _components(assembly), columns).rstrip()


def _components(assembly: Assembly) -> list[tuple[str, str]]:
    """Components with the parts in them, the first of many."""
    rows = []
    for component in assembly.components[:MAX_ROWS]:
        counts = Counter(assembly.instance(name).part for name in component.instances)
        parts = [f"{count} × {name}" if count > 1 else name for name, count in counts.items()]
        rows.append((component.name, listed(parts)))
    if len(assembly.components) > MAX_ROWS:
        rows.append((f"… {len(assembly.components) - MAX_ROWS} more", "(all of them with --json)"))
    return rows


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
        # As in `fits`.
        near = ", ".join(difflib.get_close_matches(part, sorted(names), n=5, cutoff=0.4))
        raise InputError(f"There is no part or instance {part!r}." + (f" Near it: {near}." if near else ""))
    shape = assembly.part(instance.part).shape
    if shape is None or not shape.faces:
        raise InputError(f"Part {instance.part!r} has no faces: its geometry is a mesh, or missing.")
    component = assembly.component(instance.component)
    inner = None
    if len(component.instances) > 1:
        inner = instance.name.removeprefix(component.name + "/")
    lines = [f"# {instance.part}, as {instance.name}: {count(len(shape.faces), 'face')}"]
    for index, face in enumerate(shape.faces):
        size = f", radius {face.radius * TO_MM:.6g} mm" if face.radius else ""
        lines.append(f"# {index}: {face.kind}{size}, area {face.area * TO_MM**2:.6g} mm²")
        lines.append(f"- {yaml_for_face(component.name, inner, face, shape.faces)}")
    return "\n".join(lines)


_COORDINATES = {"absolute": "the poses of all bodies", "tree": "joint coordinates"}
"""What a run takes its steps in, by its method."""


def _value(value: float, unit: str) -> str:
    """A joint's coordinate as people write it."""
    return f"{np.degrees(value):.6g}°" if unit == "rad" else f"{value * TO_MM:.6g} mm"


def run_text(
    run: Run, output: Path, against: Comparison | None = None, plots: Path | None = None, columns: int = PIPED
) -> str:
    """How a simulation went, where its joints ended, and how far it is from the source's own trajectory."""
    s = run.summary
    reached = f"Simulated {figure(s['simulated_s'])} s" if run.result.status.ok else "The run stopped early"
    lines = [
        *_distrust(run),
        f"{reached}: {count(s['bodies'], 'body', 'bodies')}, {count(s['rows'], 'equation')}, "
        f"{count(s['samples'], 'sample')}, {count(s['steps'], 'step')} in {_COORDINATES[s['method']]}.",
    ]
    if not run.result.status.ok:
        lines.append(f"  {s['message']}")
    if not np.allclose(s["gravity"], (0.0, 0.0, -EARTH), atol=1e-9):
        lines.append(f"  gravity ({vector(s['gravity'])}) m/s²" if any(s["gravity"]) else "  without gravity")
    lines.append(f"  constraints hold to {_held(s['constraint_position'])} (relative)")
    if s["energy_exchanged_J"] is not None:
        drift = figure(s["energy_drift_J"], scale=s["energy_exchanged_J"])
        lines.append(f"  energy exchanged {figure(s['energy_exchanged_J'])} J, error of its balance {drift} J")
    lines += _trust(run)
    lines += [
        f"  joint {e['joint']} passes {_value(e['value'], e['unit'])} at {figure(e['t_s'])} s" for e in s["events"]
    ]
    for change in s.get("changes", ()):
        size = f"{figure(change['impulse_N_s'])} N s, {figure(change['angular_impulse_N_m_s'])} N m s"
        lost = figure(change["energy_lost_J"])
        lines.append(f"  {figure(change['t_s'])} s: {change['change']} (impulse {size}; energy lost {lost} J)")
    if run.pace is not None:
        lines.append(f"  real-time factor {run.pace.factor:.3g}; at most {run.pace.latest * TO_MILLI:.3g} ms late")
    if against is not None:
        verdict = "within" if against.within else "beyond" if against.judged else "for the reason below not judged by"
        lines.append(
            f"  {count(len(against.distances), 'part')} at {count(against.samples, 'time')}: "
            f"up to {against.largest:.3g} m, "
            f"{against.largest_angle:.3g} rad and {against.largest_rate:.3g} m/s or rad/s from the source's own run; "
            f"{verdict} its tolerance of {against.tolerance:.3g}"
        )
    lines += _springs(run)
    lines.append(f"  trajectory: {output}" + (f"; plots: {plots}" if plots is not None else ""))
    return "\n".join([*wrapped(lines, columns), *_joint_ends(run, columns)])


def _springs(run: Run) -> list[str]:
    """How a run with springs in place of mates that repeat each other compares."""
    found = run.elastic
    if found is None:
        return []
    if found.reason:
        return [f"  no run with springs: {found.reason}"]
    rigid = f"; {listed(found.stiff, 5)} stay rigid" if found.stiff else ""
    forces = f"{figure(found.force, 2)} N of {figure(found.of_force, 3)} N"
    moments = f"{figure(found.torque, 2)} N m of {figure(found.of_torque, 3)} N m"
    return [
        f"  with springs in {listed(found.mates, 5)}{rigid}: forces differ from the shares by stiffness by at most "
        f"{forces}, moments by {moments}; bodies are at most {figure(found.moved * TO_MM, 2)} mm off the rigid motion; "
        f"the springs swing at up to {found.fastest:.0f} Hz"
    ]


def _distrust(run: Run) -> list[str]:
    """The first line of a run that is not what it promises, or of which that is not known."""
    found = run.summary["verdict"]
    if not run.result.status.ok:
        return []
    if found["state"] == "wrong":
        why = "; ".join(check["message"] for check in found["checks"] if check["state"] == "wrong")
        return [f"WRONG from t = {figure(found['wrong_from_s'])} s on: {why}."]
    if found["state"] == "not tested":
        return [f"Not tested: {found['reason']}."]
    return []


def _errors(rows: Iterable[Mapping[str, Any]]) -> str:
    """Estimated errors of a run, one for each unit; those that are rounding are left out."""
    # Any unit: the last places of values of one.
    shown = [row for row in rows if row["error"] is None or row["error"] > 1e-15]
    return ", ".join(f"{figure(row['error'], 1)} {row['unit']}" for row in shown) or "1e-15"


def _trust(run: Run) -> list[str]:
    """What was looked at, and how well the run is known."""
    if not run.summary["trusted"]:
        return []
    checks = run.summary["verdict"]["checks"]
    looked = [check["check"] for check in checks if check["state"] == "ok" and check["check"] != "sensitivity"]
    lines = [f"  within what {'its step' if run.scenario.step else 'its tolerance'} promises: {', '.join(looked)}"]
    known = run.summary["sensitivity"]
    if errors := known.get("estimated_errors", []):
        beside = f"as a run at tolerance {known['beside_a_run_at']:.0e} shows"
        lines.append(f"  wrong by up to about {_errors(errors)}, {beside}")
    elif run.scenario.step:
        lines.append(
            "  how wrong steps of this length make it was not tested: --confirm repeats it at half of the step"
        )
    return lines


WORST_SHOWN = 12
"""Columns of a confirmation that are shown; JSON has all of them."""


def confirmation_text(found: Confirmation, columns: int = PIPED) -> str:
    """How a run compares with its repetition, and the columns that differ most."""
    if found.reason:
        return f"\nNot confirmed, nor refuted: {found.reason}."
    at = f"a tolerance of {figure(found.tolerance)}" if found.step is None else f"a step of {figure(found.step)} s"
    beyond, every = len(found.beyond), count(len(found.differences), "column")
    outcome = f"NOT confirmed: {beyond} of {every} differ" if beyond else f"Confirmed: none of {every} differs"
    lines = [f"{outcome} from a run at {at} by more than it may."]
    rows = [
        Row([d.column, figure(d.largest, 2), d.unit, figure(d.t), figure(d.tolerances, 2)])
        for d in found.differences[:WORST_SHOWN]
    ]
    heads = ("column", "largest difference", "", "at s", "tolerances")
    return "\n".join(["", *wrapped(lines, columns), "", draw(Table("confirmation", "Columns", heads, rows), columns)])


def _held(error: float) -> str:
    """How well constraints hold: rounding errors are all called 1e-12."""
    # Any unit: what is less is the rounding of both runs.
    return figure(error, 2) if error > 1e-12 else "1e-12 or better"


MOST_JOINTS = 40
"""Joints of a run whose ends are shown: what a person looks through; the trajectory has all of them."""


def _joint_ends(run: Run, columns: int) -> list[str]:
    """A table of where joints began and ended, those that a person named first; degrees and millimetres.

    A joint has no value while it is released.
    """
    from cadbridge.simulation.changes import released_at

    T = run.result.trajectory
    named = set(run.mechanism.assembly.joint_names.values())
    single = [(i, j) for i, j in enumerate(run.lowered.joints) if j.coordinate]
    single.sort(key=lambda each: each[1].name not in named)
    if not single or not len(T.t):
        return []
    rows = []
    for i, joint in single[:MOST_JOINTS]:
        angle = joint.coordinate == "angle"
        q = T.coordinates[:, i] * (TO_DEGREES if angle else TO_MM)
        q = np.where(released_at(run.scenario.changes, joint.name, T.t), np.nan, q)
        known = q[np.isfinite(q)]
        ends = (q[0], q[-1], known.min(), known.max()) if known.size else (None,) * 4
        # What moves by less than a billionth of a degree or millimetre stands still.
        cells = [number(None if v is None or not math.isfinite(v) else float(v), scale=1e3) for v in ends]
        rows.append(Row([joint.name, *cells, "°" if angle else "mm"]))
    table = draw(Table("ends", "Joints", ("joint", "at first", "at the end", "least", "most", ""), rows), columns)
    left = len(single) - len(rows)
    more = [f"  {count(left, 'joint')} more: the trajectory has all"] if left > 0 else []
    return ["", table, *more]


def _total_mass(mechanism: Mechanism) -> str:
    masses = [b.mass for b in mechanism.bodies]
    known = [m.mass for m in masses if m is not None]
    if len(known) == len(masses):
        return f"{figure(sum(known))} kg"
    lacking = len(masses) - len(known)
    lack = "lacks" if lacking == 1 else "lack"
    return f"unknown ({lacking} of {count(len(masses), 'body', 'bodies')} {lack} a density or a mass)"
