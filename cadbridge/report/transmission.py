"""What a geared robot is made of, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cadbridge.report.document import findings_list
from cadbridge.report.terminal import PIPED, plain_table

if TYPE_CHECKING:
    from cadbridge.geared import Analysis


def transmission_document(found: Analysis) -> dict[str, Any]:
    """The document `cadbridge.transmission/1`: SI, angles in rad; links by their bodies' names, the base "ground"."""
    robot, graph, name = found.robot, found.robot.graph, found.name
    assembly = found.mechanism.assembly
    return {
        "format": "cadbridge.transmission/1",
        "source": assembly.source,
        "links": ["ground", *graph.names],
        "turning_pairs": [
            {
                "joint": p.name,
                "link": name(p.link),
                "on": name(p.parent),
                "canonical": name(graph.canonical[p.link]),
                "axis": p.label,
            }
            for p in graph.pairs
        ],
        "gear_pairs": [
            {
                "gear": m.name,
                "kind": m.gear.kind,
                "driver": name(a),
                "driven": name(b),
                "carrier": name(m.carrier),
                "pressure_angle": found.pressure_angles.get(m.name),
            }
            for m, a, b in zip(graph.meshes, robot.driver, robot.driven, strict=True)
        ],
        "primary": [name(i) for i in robot.primary],
        "secondary": [{"link": name(i), "carrier": name(c)} for i, c in robot.carrier_of.items()],
        "open_loop_chain": [graph.pairs[i].name for i in robot.primary[1:]],
        "inputs": [graph.pairs[i].name for i in robot.inputs],
        "lines": [
            {
                "input": graph.pairs[line.input].name,
                "links": [name(i) for i in line.links],
                "gears": [graph.meshes[g].name for g in line.meshes],
                "level": line.level,
            }
            for line in robot.lines
        ],
        "structure_matrix": robot.structure.tolist(),
        "form": "pseudo-triangular" if robot.pseudo_triangular else "general",
        "sequence": [[name(i) for i in step] for step in robot.sequence],
        "largest_system": robot.balance.largest,
        "unbalanced": [
            {"link": name(i.link), "offset": i.offset, "asymmetry": i.asymmetry} for i in robot.unbalanced
        ],
        "findings": findings_list((*assembly.findings, *found.mechanism.findings, *found.findings)),
    }  # fmt: skip


def transmission_text(found: Analysis, columns: int = PIPED) -> str:
    """The lines, the structure matrix, the gear pairs with their carriers and the axes, for the terminal."""
    robot, graph, name = found.robot, found.robot.graph, found.name
    form = "pseudo-triangular" if robot.pseudo_triangular else "general"
    n = len(robot.primary) - 1
    text = (
        f"{found.mechanism.assembly.name}\n"
        f"  {len(graph.pairs)} moving links, {len(graph.pairs)} hinges, {len(graph.meshes)} gear pairs; {n} inputs\n"
        f"  open-loop chain: {' – '.join(name(i) for i in robot.primary)}\n"
        f"  structure matrix of {form} form; at most {robot.balance.largest} "
        f"{'unknown is' if robot.balance.largest == 1 else 'unknowns are'} solved at once\n"
    )
    text += "\nTransmission lines\n" + plain_table(
        ("input", "level", "links", "gears"),
        [
            (
                graph.pairs[line.input].name,
                str(line.level),
                " → ".join(name(i) for i in line.links),
                ", ".join(graph.meshes[g].name for g in line.meshes),
            )
            for line in robot.lines
        ],
        columns,
    )
    inputs = [graph.pairs[i].name for i in robot.inputs]
    text += "\nStructure matrix A: input angles Q = Aᵀ Θ of the primary angles\n" + plain_table(
        ("", *inputs),
        [
            (graph.pairs[link].name, *(_number(v) for v in row))
            for link, row in zip(robot.primary[1:], robot.structure, strict=True)
        ],
        columns,
    )
    text += "\nGear pairs\n" + plain_table(
        ("gear", "kind", "driver", "driven", "carrier", "pressure angle"),
        [
            (m.name, m.gear.kind, name(a), name(b), name(m.carrier), _angle(found.pressure_angles.get(m.name)))
            for m, a, b in zip(graph.meshes, robot.driver, robot.driven, strict=True)
        ],
        columns,
    )
    text += "\nTurning pairs\n" + plain_table(
        ("hinge", "axis", "link", "on", "carried in the canonical graph by", ""),
        [
            (p.name, p.label, name(p.link), name(p.parent), name(graph.canonical[p.link]),
             "primary" if p.link in robot.primary else "secondary")
            for p in graph.pairs
        ],
        columns,
    )  # fmt: skip
    return text.rstrip()


def _number(value: float) -> str:
    return "0" if abs(value) < 1e-12 else f"{value:.6g}"


def _angle(value: float | None) -> str:
    return "–" if value is None else f"{np.degrees(value):.4g}°"
