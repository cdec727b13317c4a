"""Which components a mates file names: sub-assemblies that move as one stay whole, others are made flexible."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cadbridge.assembly import Assembly
from cadbridge.frames import Pose
from cadbridge.recognition.model import Recognition


@dataclass(frozen=True, eq=False)
class Unit:
    """A component as the mates file sees it: its path, its frame in W, its instances."""

    name: str
    X_WU: Pose
    instances: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class BodyUnits:
    """The components of each body (the one of the body's name first), and the sub-assemblies that are flexible."""

    of_body: tuple[tuple[Unit, ...], ...]
    flexible: tuple[str, ...]


def units_of(found: Recognition) -> BodyUnits:
    """The fewest components that no body divides."""
    assembly = found.assembly
    body_of = found.body_of
    nodes = {node["path"]: node for node in assembly.extra.get("tree") or ()}
    flexible: list[str] = []
    by_body: list[list[Unit]] = [[] for _ in found.bodies]
    for component in assembly.components:
        for unit in _whole(component.name, component.instances, component.X_WC, nodes, assembly, body_of, flexible):
            if unit.instances:
                by_body[body_of[unit.instances[0]]].append(unit)
    ordered = [
        sorted(units, key=lambda u: (body.name not in u.instances, u.name))
        for body, units in zip(found.bodies, by_body, strict=True)
    ]
    return BodyUnits(tuple(tuple(units) for units in ordered), tuple(flexible))


def _whole(
    path: str, instances: tuple[str, ...], X: Pose, nodes: dict[str, dict[str, object]], assembly: Assembly,
    body_of: dict[str, int], flexible: list[str],
) -> Iterable[Unit]:  # fmt: skip
    if len({body_of[name] for name in instances}) <= 1 or path not in nodes:
        return [Unit(path, assembly.instance(instances[0]).X_WI if len(instances) == 1 else X, instances)]
    flexible.append(path)
    found: list[Unit] = []
    for child in nodes[path]["children"]:  # type: ignore[attr-defined]
        name = child if isinstance(child, str) else child["path"]
        own = tuple(n for n in instances if n == name or n.startswith(name + "/"))
        node = nodes[name]
        X_child = node["X_WI"]
        assert isinstance(X_child, Pose)
        found += _whole(name, own, X_child, nodes, assembly, body_of, flexible)
    return found
