"""The JSON documents that other tools read: keys are added, never renamed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cadbridge.assembly import CouplingKind
from cadbridge.documents import FORMATS
from cadbridge.files import output
from cadbridge.findings import Finding, Findings
from cadbridge.report.ledger import mates_document, taken
from cadbridge.report.weights import by_stiffness_document

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from cadbridge.assembly import Assembly, Instance, Limit, Part
    from cadbridge.diagnosis.model import Diagnosis, Freedom, Gear, Reaction
    from cadbridge.exporters import ExportResult
    from cadbridge.inertia import MassProperties
    from cadbridge.mass import PartMass
    from cadbridge.mechanism.model import Joint, Mechanism
    from cadbridge.simulation import Comparison, Run
    from cadbridge.simulation.confirming import Confirmation


def write_json(path: Path, document: dict[str, Any]) -> None:
    """Write a document by atomic rename; nothing half-written stays behind."""
    with output(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        json.dump(document, file, indent=2, ensure_ascii=False, allow_nan=False)
        file.write("\n")


def all_findings(mechanism: Mechanism, diagnosis: Diagnosis) -> tuple[Finding, ...]:
    """The findings of reading, building and diagnosis, each once, in that order."""
    found = (*mechanism.assembly.findings, *mechanism.findings, *diagnosis.findings)
    return tuple(dict.fromkeys(found))


def check_document(
    mechanism: Mechanism, diagnosis: Diagnosis, findings: Iterable[Finding] | None = None, *, twists: bool = True
) -> dict[str, Any]:
    """Say a mechanism and its diagnosis as the JSON document `cadbridge.check/1`.

    Its keys are in docs/check-json.md; all is SI, with angles in rad but where the key says deg.

    Args:
        mechanism: The mechanism.
        diagnosis: Its diagnosis.
        findings: Those to report; None takes all of the assembly, the mechanism and the diagnosis.
        twists: Whether freedoms have the twists of their bodies: of a long chain they are millions of numbers that only
            a program reads.

    Returns:
        Plain data for `json.dumps`.
    """
    chosen = all_findings(mechanism, diagnosis) if findings is None else findings
    return {
        "format": FORMATS["check"],
        "source": mechanism.assembly.source,
        "counts": counts(mechanism),
        **_mobility(diagnosis),
        "freedoms": [_freedom(f, twists) for f in diagnosis.freedoms],
        **_redundant(diagnosis),
        "reactions": [_reaction(r) for r in diagnosis.reactions],
        **by_stiffness_document(mechanism, diagnosis),
        **_trains(mechanism, diagnosis),
        "masses": [_part_mass(mass) for mass in mechanism.part_masses],
        "overlaps": [
            {"parts": [o.a, o.b], "volume": _number(o.volume), "share": _number(o.share)} for o in diagnosis.overlaps
        ],
        "bodies": [
            {"name": b.name, "parts": list(b.instances), **_mass(b.mass), "mass_source": b.mass_source}
            for b in mechanism.bodies
        ],
        "joints": [_joint(mechanism, j) for j in mechanism.joints],
        "findings": findings_list(chosen),
    }


def _mobility(diagnosis: Diagnosis) -> dict[str, Any]:
    m = diagnosis.mobility
    numbers = {"dof": m.dof, "rows": m.rows, "rank": m.rank, "redundant": m.redundant, "gruebler": m.gruebler}
    return {"mobility": numbers, "motion": {"finite": m.finite, "generic_rank": m.generic_rank}}


def _redundant(diagnosis: Diagnosis) -> dict[str, Any]:
    """Mates that repeat others, alone and in sets."""
    return {
        "groups": [{"mates": list(g.mates), "rows": g.rows, "rank": g.rank} for g in diagnosis.groups],
        "redundancies": [
            {
                "mate": r.mate,
                "rows": r.rows,
                "of": r.of,
                "duplicates": list(r.duplicates),
                "kind": r.kind,
                "residual": {"mm": _number(r.residual_mm), "deg": _number(r.residual_deg)},
                "deletable": r.deletable,
                "weaker": r.weaker,
                "alone": r.alone,
                "carries": list(r.carries),
            }
            for r in diagnosis.redundancies
        ],
        "repetitions": [
            {
                "mate": r.mate,
                "repeated": r.repeated,
                "of": r.of,
                "deletable": r.deletable,
                "weaker": r.weaker,
                "alone": r.alone,
                "carries": list(r.carries),
            }
            for r in diagnosis.repetitions
        ],
        "deletable_sets": [{"mates": list(s.mates), "rows": s.rows} for s in diagnosis.deletable_sets],
        "deletion_choices": [
            {"mates": list(c.mates), "count": c.count, "sets": [list(s) for s in c.sets]}
            for c in diagnosis.deletion_choices
        ],
    }


def _reaction(r: Reaction) -> dict[str, Any]:
    entry = {"joint": r.joint, "determined": r.determined, "force": list(r.force), "torque": list(r.torque)}
    return {**entry, **_shares(r)}


def _trains(mechanism: Mechanism, diagnosis: Diagnosis) -> dict[str, Any]:
    """Gears, the ratios from motors to axes, and trains that cannot turn."""
    return {
        "gears": [_gear(g) for g in diagnosis.gears],
        "recognised_gears": list(mechanism.assembly.extra.get("recognised_gears", ())),
        "transmissions": [
            {"motor": t.motor, "axis": t.axis, "ratio": _number(t.ratio), "unit": t.unit}
            for t in diagnosis.transmissions
        ],
        "locked_trains": [
            {
                "mates": list(t.mates),
                "joints": list(t.joints),
                "ratios": _numbers(t.ratios),
                "units": list(t.units),
                "mismatch": _number(t.mismatch),
            }
            for t in diagnosis.locked_trains
        ],
    }


def counts(mechanism: Mechanism) -> dict[str, Any]:
    """How many of everything, from parts to gears."""
    assembly = mechanism.assembly
    kinds = Counter(c.kind for c in assembly.couplings)
    return {
        "parts": len(assembly.parts),
        "instances": len(assembly.instances),
        "components": len(assembly.components),
        "mates": len(assembly.mates) + len(assembly.couplings),
        "couplings": len(assembly.couplings),
        "bodies": len(mechanism.bodies),
        "joints": len(mechanism.joints),
        "joint_types": dict(sorted(Counter(j.type for j in mechanism.joints).items())),
        "gears": {kind.value: kinds[kind] for kind in CouplingKind},
    }


def findings_list(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Findings as plain data."""
    return [f.document() for f in findings]


def weighed(assembly: Assembly) -> tuple[Assembly, tuple[PartMass, ...]]:
    """The assembly with the findings of weighing its parts, and their masses."""
    from cadbridge.mass import mass_ledger

    findings = Findings()
    masses = mass_ledger(assembly, findings)
    return assembly.with_findings(findings.as_tuple()), masses


def inspect_document(assembly: Assembly, masses: Iterable[PartMass]) -> dict[str, Any]:
    """The document `cadbridge.inspect/2`: what a file holds, in SI."""
    return {
        "format": FORMATS["inspect"],
        "source": assembly.source,
        "reader": assembly.format,
        "taken": taken(assembly),
        "units": list(assembly.units),
        "mates_report": mates_document(assembly),
        "counts": {
            "parts": len(assembly.parts),
            "instances": len(assembly.instances),
            "solid_instances": sum(
                1 for i in assembly.instances if (s := assembly.part(i.part).shape) is not None and s.solids
            ),
            "components": len(assembly.components),
            "mates": len(assembly.mates) + len(assembly.couplings),
            "mates_in_file": assembly.mates_in_file,
            "couplings": len(assembly.couplings),
        },
        "parts": [_part(part, mass) for part, mass in zip(assembly.parts, masses, strict=True)],
        "instances": [_instance(i) for i in assembly.instances],
        "components": [
            {"name": c.name, "instances": len(c.instances), "grounded": c.grounded} for c in assembly.components
        ],
        "mates": [
            {"name": m.name, "type": m.kind.value, "components": [m.a.component, m.b.component]} for m in assembly.mates
        ],
        "couplings": [{"name": c.name, "type": c.kind.value, "ratio": c.ratio} for c in assembly.couplings],
        "findings": findings_list(assembly.findings),
    }


def _part(part: Part, mass: PartMass) -> dict[str, Any]:
    shape = part.shape
    shown = None if shape is None else shape.coarse or shape.fine
    return {
        "name": part.name,
        "instances": mass.instances,
        "solids": shape.solids if shape else 0,
        "faces": len(shape.faces) if shape else 0,
        "triangles": len(shown.triangles) if shown else 0,
        "volume": _number(shape.brep.mass) if shape and shape.brep else None,
        "material": part.material,
        "density": part.density,
        "density_source": part.density_source,
        **_mass(mass.properties),
        "mass_source": mass.source,
        "mirrored_from": part.mirrored_from,
    }


def _instance(instance: Instance) -> dict[str, Any]:
    X = instance.X_WI
    names = {"name": instance.name, "part": instance.part, "component": instance.component}
    return {**names, "position": _numbers(X.p), "rotation": _numbers(X.R)}


def export_document(mechanism: Mechanism, result: ExportResult, to: str) -> dict[str, Any]:
    """The document `cadbridge.convert/1`: what was written, and what could not be carried."""
    return {
        "format": FORMATS["convert"],
        "source": mechanism.assembly.source,
        "to": to,
        "files": [str(path) for path in result.files],
        "findings": findings_list((*mechanism.assembly.findings, *mechanism.findings, *result.findings)),
    }


def run_document(
    run: Run, output: Path, against: Comparison | None = None, confirmed: Confirmation | None = None
) -> dict[str, Any]:
    """The document `cadbridge.run/1`: how a simulation went, how far it is from the source's own trajectory, and from
    its own repetition."""
    return {
        "format": FORMATS["simulate"],
        "source": run.mechanism.assembly.source,
        "trajectory": str(output),
        **run.summary,
        **_pace(run),
        **({} if against is None else {"against": _against(against)}),
        **({} if confirmed is None else {"confirmation": confirmed.document()}),
        **({} if run.elastic is None else {"elastic": run.elastic.document()}),
        "findings": findings_list((*run.mechanism.assembly.findings, *run.mechanism.findings, *run.findings)),
    }


def _pace(run: Run) -> dict[str, float]:
    """How a run in real time kept pace; of another run nothing, so that its document is the same each time."""
    return {} if run.pace is None else {"real_time_factor": run.pace.factor, "latest_s": run.pace.latest}


def _against(found: Comparison) -> dict[str, Any]:
    return {
        "samples": found.samples,
        "tolerance": found.tolerance,
        "largest_m": found.largest,
        "largest_rad": found.largest_angle,
        "within": found.within,
        "judged": found.judged,
        "energy_error_of_reference": found.energy_error,
        "distances_m": dict(sorted(found.distances.items())),
        "angles_rad": dict(sorted(found.angles.items())),
        "speeds_m_s": dict(sorted(found.speeds.items())),
        "spins_rad_s": dict(sorted(found.spins.items())),
    }


def _shares(reaction: Reaction) -> dict[str, Any]:
    """The shares of the mates of a joint, where several make it."""
    if not reaction.shares:
        return {}
    return {
        "shares": [
            {"mate": s.mate, "determined": s.determined, "force": list(s.force), "torque": list(s.torque)}
            for s in reaction.shares
        ],
        "free": [{"mate": f.mate, "equations": list(f.equations), "all": f.all} for f in reaction.free],
    }


def _freedom(freedom: Freedom, twists: bool) -> dict[str, Any]:
    return {
        "words": freedom.words,
        "kind": freedom.kind,
        "leader": freedom.leader,
        "bodies": list(freedom.bodies),
        "finite": freedom.finite,
        "count": freedom.count,
        "rates": {name: _number(rate) for name, rate in freedom.rates.items()},
        **({"twists": {name: _numbers(twist) for name, twist in freedom.twists.items()}} if twists else {}),
        **({"carried": freedom.carried} if freedom.carried else {}),
        **({"spin": True} if freedom.spin else {}),
    }


def _part_mass(mass: PartMass) -> dict[str, Any]:
    return {
        "part": mass.part,
        "instances": mass.instances,
        "mass": _maybe(mass.mass),
        "source": mass.source,
        "density": _maybe(mass.density),
        "density_source": mass.density_source,
        "mesh_volume": _maybe(mass.mesh_volume),
        "brep_volume": _maybe(mass.brep_volume),
        "declared": _maybe(mass.declared),
    }


def _gear(gear: Gear) -> dict[str, Any]:
    return {
        "name": gear.name,
        "type": gear.kind,
        "bodies": list(gear.bodies),
        "ratio": _maybe(gear.ratio),
        "teeth": None if gear.teeth is None else list(gear.teeth),
        "radii": [_maybe(r) for r in gear.radii],
        "pitch_radii": None if gear.pitch_radii is None else _numbers(gear.pitch_radii),
        "centre_distance": _maybe(gear.centre_distance),
        "shaft_angle": _maybe(gear.shaft_angle),
        "agrees": gear.agrees,
    }


def _maybe(value: float | None) -> float | None:
    return None if value is None else _number(value)


def _joint(mechanism: Mechanism, joint: Joint) -> dict[str, Any]:
    """A joint at the designed pose, in the world frame."""
    body = mechanism.bodies[joint.a] if joint.a >= 0 else mechanism.ground
    X_WJ = body.X_WB @ joint.X_AJ
    return {
        "name": joint.name,
        "type": joint.type,
        "bodies": [mechanism.body_name(joint.a), mechanism.body_name(joint.b)],
        "origin": _numbers(X_WJ.p),
        "axis": _numbers(X_WJ.R[:, 2]),
        "frame": _numbers(X_WJ.R),
        "mates": list(joint.mates),
        "limits": _limits(joint.limit),
    }


def _limits(limit: Limit | None) -> dict[str, float]:
    if limit is None:
        return {}
    values = {"lower": limit.lower, "upper": limit.upper, "velocity": limit.velocity, "effort": limit.effort}
    return {key: float(value) for key, value in values.items() if value is not None}


def _mass(mass: MassProperties | None) -> dict[str, Any]:
    if mass is None:
        return {"mass": None, "com": None, "inertia": None}
    return {"mass": _number(mass.mass), "com": _numbers(mass.com), "inertia": _numbers(mass.inertia)}


def _number(value: float) -> float:
    """A float to 12 digits, so that the last bits of a processor do not show."""
    # The sum makes 0 of -0.
    return float(f"{value:.12g}") + 0.0


def _numbers(values: ArrayLike) -> Any:
    array = np.asarray(values, dtype=float)
    if array.ndim == 0:
        return _number(float(array))
    return [_numbers(row) for row in array]
