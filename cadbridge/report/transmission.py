"""What a geared robot is made of, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cadbridge.documents import FORMATS
from cadbridge.geared.solution import bearings_of, frames_of, steps_of
from cadbridge.report.document import findings_list
from cadbridge.report.terminal import PIPED, plain_table
from cadbridge.units import TO_MM
from cadbridge.wording import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cadbridge.geared import Analysis
    from cadbridge.geared.solution import Entering

    Array = NDArray[np.float64]


def transmission_document(found: Analysis) -> dict[str, Any]:
    """The document `cadbridge.transmission/1`: SI, angles in rad; links by their bodies' names, the base "ground"."""
    robot, graph, name = found.robot, found.robot.graph, found.name
    assembly = found.mechanism.assembly
    return {
        "format": FORMATS["transmission"],
        "source": assembly.source,
        "links": ["ground", *graph.names],
        "turning_pairs": [
            {"joint": p.name, "link": name(p.link), "on": name(p.parent), "canonical": name(graph.canonical[p.link]),
             "axis": p.label}
            for p in graph.pairs
        ],
        "gear_pairs": [
            {"gear": m.name, "kind": m.gear.kind, "driver": name(a), "driven": name(b), "carrier": name(m.carrier),
             "pressure_angle": found.pressure_angles.get(m.name)}
            for m, a, b in zip(graph.meshes, robot.driver, robot.driven, strict=True)
        ],
        "primary": [name(i) for i in robot.primary],
        "secondary": [{"link": name(i), "carrier": name(c)} for i, c in robot.carrier_of.items()],
        "open_loop_chain": [graph.pairs[i].name for i in robot.primary[1:]],
        "inputs": [graph.pairs[i].name for i in robot.inputs],
        "lines": [
            {"input": graph.pairs[line.input].name, "links": [name(i) for i in line.links],
             "gears": [graph.meshes[g].name for g in line.meshes], "level": line.level}
            for line in robot.lines
        ],
        "structure_matrix": robot.structure.tolist(),
        "form": "pseudo-triangular" if robot.pseudo_triangular else "general",
        "sequence": [[name(i) for i in step] for step in robot.sequence],
        "largest_system": robot.balance.largest,
        "solution": _steps_listed(found),
        "bearings": _bearings_listed(found),
        "contact_frames": _frames_listed(found),
        "unbalanced": [
            {"link": name(i.link), "offset": i.offset, "asymmetry": i.asymmetry} for i in robot.unbalanced
        ],
        "findings": findings_list((*assembly.findings, *found.mechanism.findings, *found.findings)),
    }  # fmt: skip


def _steps_listed(found: Analysis) -> list[dict[str, Any]]:
    return [
        {
            "step": k,
            "level": step.level,
            "links": [found.name(i) for i in step.links],
            "transmitted": list(step.gears),
            "torques": list(step.torques),
            "external": [
                {"joint": e.joint, "force": _listed(e.force), "moment": _listed(e.moment)} for e in step.external
            ],
        }
        for k, step in enumerate(steps_of(found), 1)
    ]


def _bearings_listed(found: Analysis) -> list[dict[str, Any]]:
    name = found.name
    return [
        {"level": level, "joint": p.name, "link": name(p.link), "on": name(p.parent), "axis": _listed(p.axis)}
        for level, p in bearings_of(found)
    ]


def _frames_listed(found: Analysis) -> list[dict[str, Any]]:
    name = found.name
    return [
        {
            "gear": f.gear, "driver": name(f.driver), "driven": name(f.driven), "carrier": name(f.carrier),
            "H": [_listed(row) for row in f.H], "H_driven": [_listed(row) for row in f.H_driven],
            "point": _listed(f.point), "radii": list(f.radius),
            "cone_angle": f.cone, "delta": f.delta, "pressure_angle": f.pressure_angle,
        }
        for f in frames_of(found)
    ]  # fmt: skip


def transmission_text(found: Analysis, columns: int = PIPED) -> str:
    """The lines, the structure matrix, the pairs with their carriers, the order of solution and the contact frames."""
    sections = (_lines, _structure, _gear_pairs, _turning_pairs, _solution, _bearings, _contact_frames)
    tables = ((title, plain_table(head, rows, columns)) for title, head, rows in (make(found) for make in sections))
    return "\n".join([_overview(found), *(f"{title}\n{table}" for title, table in tables)]).rstrip()


Section = tuple[str, tuple[str, ...], Sequence[tuple[str, ...]]]
"""Title, head and rows of a table."""


def _overview(found: Analysis) -> str:
    robot, graph, name = found.robot, found.robot.graph, found.name
    form = "pseudo-triangular" if robot.pseudo_triangular else "general"
    n = len(robot.primary) - 1
    return (
        f"{found.mechanism.assembly.name}\n"
        f"  {count(len(graph.pairs), 'moving link')}, {count(len(graph.pairs), 'hinge')}, "
        f"{count(len(graph.meshes), 'gear pair')}; {count(n, 'input')}\n"
        f"  open-loop chain: {' – '.join(name(i) for i in robot.primary)}\n"
        f"  structure matrix of {form} form; at most {robot.balance.largest} "
        f"{'unknown is' if robot.balance.largest == 1 else 'unknowns are'} solved at once\n"
    )


def _lines(found: Analysis) -> Section:
    robot, graph, name = found.robot, found.robot.graph, found.name
    rows = [
        (
            graph.pairs[line.input].name,
            str(line.level),
            " → ".join(name(i) for i in line.links),
            ", ".join(graph.meshes[g].name for g in line.meshes),
        )
        for line in robot.lines
    ]
    return "Transmission lines", ("input", "level", "links", "gears"), rows


def _structure(found: Analysis) -> Section:
    robot, pairs = found.robot, found.robot.graph.pairs
    rows = [
        (pairs[link].name, *(_number(v) for v in row))
        for link, row in zip(robot.primary[1:], robot.structure, strict=True)
    ]
    title = "Structure matrix A: input angles Q = Aᵀ Θ of the primary angles"
    return title, ("", *(pairs[i].name for i in robot.inputs)), rows


def _gear_pairs(found: Analysis) -> Section:
    robot, name = found.robot, found.name
    rows = [
        (m.name, m.gear.kind, name(a), name(b), name(m.carrier), _angle(found.pressure_angles.get(m.name)))
        for m, a, b in zip(robot.graph.meshes, robot.driver, robot.driven, strict=True)
    ]
    return "Gear pairs", ("gear", "kind", "driver", "driven", "carrier", "pressure angle"), rows


def _turning_pairs(found: Analysis) -> Section:
    robot, graph, name = found.robot, found.robot.graph, found.name
    rows = [
        (p.name, p.label, name(p.link), name(p.parent), name(graph.canonical[p.link]),
         "primary" if p.link in robot.primary else "secondary")
        for p in graph.pairs
    ]  # fmt: skip
    return "Turning pairs", ("hinge", "axis", "link", "on", "carried in the canonical graph by", ""), rows


def _solution(found: Analysis) -> Section:
    rows = [
        (
            str(k),
            str(step.level),
            " + ".join(found.name(i) for i in step.links),
            ", ".join(step.gears) or "–",
            ", ".join(step.torques) or "–",
            "; ".join(_entering(e) for e in step.external) or "–",
        )
        for k, step in enumerate(steps_of(found), 1)
    ]
    title = "Order of solution: transmitted forces and torques, by moment balances about the links' axes"
    found_by = ("found: force in the teeth", "torque", "from the reactions on what the links carry")
    return title, ("step", "level", "links", *found_by), rows


def _bearings(found: Analysis) -> Section:
    name = found.name
    rows = [(str(level), p.name, name(p.link), name(p.parent), _direction(p.axis)) for level, p in bearings_of(found)]
    title = "Then the bearings, link by link: three forces, and two moments across the axis"
    return title, ("level", "hinge", "link", "on", "axis (world, as designed)"), rows


def _contact_frames(found: Analysis) -> Section:
    rows = [
        (
            f.gear,
            found.name(f.carrier),
            *(_direction(f.H[:, k]) for k in range(3)),
            _triple(TO_MM * f.point),
            _number(TO_MM * f.radius[0]),
            _angle(f.cone),
            str(f.delta),
        )
        for f in frames_of(found)
    ]
    title = "Frames of the contact forces on the drivers, in the carriers' axes as designed"
    axes = ("x (radial)", "y (tangential)", "z (axial)")
    return title, ("gear", "carrier", *axes, "contact mm", "radius mm", "cone", "δ"), rows


def _entering(part: Entering) -> str:
    """What enters of a reaction: "theta3: force along y, moment about z"."""
    summary = [f"{what} {_direction(v)}" for what, v in (("force along", part.force), ("moment about", part.moment))
            if v is not None]  # fmt: skip
    return f"{part.joint}: {', '.join(summary)}"


def _direction(v: Array) -> str:
    """An axis by its letter, else by its components."""
    k = int(np.argmax(np.abs(v)))
    # As `wording.axis_name`: within 0.003°.
    if abs(v[k]) > 1 - 1e-9:
        return ("−" if v[k] < 0 else "") + "xyz"[k]
    return _triple(v)


def _triple(v: Array) -> str:
    return f"({', '.join(_number(float(x)) for x in np.round(v, 9))})"


def _listed(v: Array | None) -> list[float] | None:
    """Numbers without what is rounding."""
    return None if v is None else [float(x) + 0.0 for x in np.round(v, 12)]


def _number(value: float) -> str:
    # Any unit: entries of a structure matrix are ratios and lengths; so little is rounding.
    return "0" if abs(value) < 1e-12 else f"{value:.6g}"


def _angle(value: float | None) -> str:
    return "–" if value is None else f"{np.degrees(value):.4g}°"
