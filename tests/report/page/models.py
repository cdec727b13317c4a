"""A small mechanism that is made by hand."""

import numpy as np

from cadbridge.assembly import Assembly, Component, Feature, FeatureKind, Instance, Mate, MateKind, Part
from cadbridge.frames import Pose
from cadbridge.geometry import Mesh, Shape
from cadbridge.inertia import MassProperties

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&\x00"


def cube(side: float) -> Mesh:
    """A cube about the origin."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float) * side / 2
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return Mesh(corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))], dtype=np.int32))


def door(suffix: str = "", width: float = 0.5, more: int = 0) -> Assembly:
    """A door on two hinges and more, which repeat the first; `suffix` ends every name, `width` in m."""

    def axis(component: str, z: float) -> Feature:
        return Feature(component, FeatureKind.AXIS, np.array([0.0, 0.0, z]), np.array([0.0, 0.0, 1.0]))

    shapes = {name: Shape(name, cube(side), cube(side)) for name, side in (("frame", 0.4), ("leaf", 0.3))}
    mass = MassProperties(2.0, np.zeros(3), np.eye(3) * 0.1)
    parts = tuple(Part(name + suffix, shape, declared=mass) for name, shape in shapes.items())
    poses = {"frame": Pose(), "leaf": Pose(np.eye(3), np.array([width, 0.0, 0.0]))}
    names = {name: name + suffix for name in shapes}

    def hinge(name: str, z: float) -> Mate:
        b = axis(names["leaf"], z)
        b = Feature(b.component, b.kind, b.point - poses["leaf"].p, b.direction)
        return Mate(name + suffix, MateKind.REVOLUTE, axis(names["frame"], z), b)

    return Assembly(
        name="door" + suffix,
        source="door" + suffix,
        format="test",
        parts=parts,
        instances=tuple(Instance(names[n], names[n], X, names[n]) for n, X in poses.items()),
        components=tuple(Component(names[n], (names[n],), X, grounded=n == "frame") for n, X in poses.items()),
        mates=(hinge("upper", 0.1), hinge("lower", -0.1), *(hinge(f"hinge {k}", 0.01 * k) for k in range(more))),
    )
