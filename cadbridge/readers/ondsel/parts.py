"""Parts with their masses and velocities, and the markers that joints take hold of."""

from __future__ import annotations

import numpy as np

from cadbridge.assembly import GROUND, Component, Instance, Part
from cadbridge.frames import Pose, Vector
from cadbridge.inertia import MassProperties
from cadbridge.readers.markers import Marker
from cadbridge.readers.names import free_name
from cadbridge.readers.ondsel.context import Reader
from cadbridge.readers.ondsel.text import TreeLine


def read_parts(r: Reader, assembly: TreeLine) -> dict[str, Vector]:
    """Fill parts, instances, components and markers; returns the twists (6,) of parts that move at the start."""
    root = assembly.value("Name") or r.path.stem
    X_WA = r.pose(assembly, root) or Pose()
    _markers(r, assembly, GROUND, X_WA, f"/{root}")
    velocities: dict[str, Vector] = {}
    taken = {GROUND}
    for node in assembly.under("Parts"):
        name = node.value("Name")
        if node.text != "Part" or name is None:
            r.say("CB181", f"{node.text} is not a Part with a Name", node)
            continue
        X_AC = r.pose(node, name)
        if X_AC is None:
            continue
        full = f"/{root}/{name}"
        name = _unique(r, node, name, taken)
        mass = _mass(r, node, name, full)
        r.parts.append(Part(name, declared=mass, where=r.where(node, name)))
        r.instances.append(Instance(name, name, X_WA @ X_AC, name))
        r.components.append(Component(name, (name,), X_WA @ X_AC, where=r.where(node, name)))
        r.component_of.setdefault(full, name)
        r.X_WC[name] = X_WA @ X_AC
        _markers(r, node, name, Pose(), full)
        twist = _twist(r, node, name)
        if twist is not None and np.any(twist):
            # The assembly may stand turned in the world, and its parts' velocities are given along its own axes.
            velocities[name] = np.concatenate([X_WA.vector(twist[:3]), X_WA.vector(twist[3:])])
    _placeholders(r)
    return velocities


def _unique(r: Reader, node: TreeLine, name: str, taken: set[str]) -> str:
    unique = free_name(name, taken)
    if unique != name:
        r.say("CB107", f"two parts are called {name!r}; the later one is now {unique!r}", node, name)
    return unique


def _mass(r: Reader, node: TreeLine, name: str, full: str) -> MassProperties | None:
    """The principal mass marker, which motions may take hold of too: mass, its frame, the moments along its axes."""
    marker = node.child("PrincipalMassMarker")
    if marker is None:
        return None
    mass = r.scalar(marker, "Mass", name)
    moments = r.vector(marker, "MomentOfInertias", name)
    X_CP = r.pose(marker, f"the mass of {name}")
    if X_CP is not None:
        r.markers[f"{full}/{marker.value('Name')}"] = Marker(name, X_CP)
    if mass is None or moments is None or X_CP is None:
        return None
    if not mass > 0:
        r.say("CB163", f"{name} has a mass of {mass:g}", marker, name)
        return None
    # Moments are about the centre along the axes of the marker; the mass is in kg whatever the unit of length.
    inertia = X_CP.R @ np.diag(moments) @ X_CP.R.T * r.length**2
    return MassProperties(mass, X_CP.p, inertia)


def _placeholders(r: Reader) -> None:
    known = [p.declared for p in r.parts if p.declared is not None]
    unit = np.eye(3) * r.length**2
    # OndselSolver's own defaults, written back with all digits.
    if known and all(m.mass == 1.0 and np.allclose(m.inertia, unit, rtol=1e-12) for m in known):
        r.findings.add("CB1206", f"all {len(known)} masses are 1 and all inertias are 1", r.parts[0].where)


def _twist(r: Reader, node: TreeLine, name: str) -> Vector | None:
    if node.child("Velocity3D") is None and node.child("Omega3D") is None:
        return None
    v, w = r.vector(node, "Velocity3D", name), r.vector(node, "Omega3D", name)
    return None if v is None or w is None else np.concatenate([v * r.length, w])


def _markers(r: Reader, node: TreeLine, component: str, X_CN: Pose, full: str) -> None:
    """The markers of a part (or of the assembly, which is the ground) with the reference points that hold them."""
    for ref in node.under("RefPoints"):
        X_NR = r.pose(ref, f"a reference point of {full}")
        if X_NR is None:
            continue
        for marker in ref.under("Markers"):
            name = marker.value("Name")
            X_RM = None if name is None else r.pose(marker, f"{full}/{name}")
            if X_RM is not None:
                r.markers.setdefault(f"{full}/{name}", Marker(component, X_CN @ X_NR @ X_RM))
