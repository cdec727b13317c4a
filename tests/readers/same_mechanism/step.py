"""The mechanism as STEP text: products without geometry, with kinematics of AP242 or AP214, and without any.

Masses come from a mates file: a STEP file has none of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.frames import Pose
from tests.readers.same_mechanism.model import BODIES, GEAR, GUIDE, HINGES, Body, Hinge
from tests.readers.same_mechanism.plain import (
    beside,
    gears,
    ground,
    joint_mates,
    limits,
    masses,
    write_mates,
)


class Deck:
    """Numbered entities of a Part 21 text, in mm and degrees."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def put(self, text: str) -> str:
        """Add an entity; its reference."""
        self.lines.append(f"#{len(self.lines) + 1}={text};")
        return f"#{len(self.lines)}"

    def placement(self, X: Pose) -> str:
        """An AXIS2_PLACEMENT_3D."""
        point = self.put(f"CARTESIAN_POINT('',{_triple(X.p * 1e3)})")
        z, x = (self.put(f"DIRECTION('',{_triple(X.R[:, k])})") for k in (2, 0))
        return self.put(f"AXIS2_PLACEMENT_3D('',{point},{z},{x})")

    def text(self, schema: str) -> str:
        """The whole file."""
        head = "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\nFILE_NAME('','',(''),(''),'','','');\n"
        return (
            f"{head}FILE_SCHEMA(('{schema}'));\nENDSEC;\nDATA;\n"
            + "\n".join(self.lines)
            + "\nENDSEC;\nEND-ISO-10303-21;\n"
        )


def _triple(values: Any) -> str:
    return f"({','.join(real(v) for v in values)})"


def real(value: float) -> str:
    """A number with the point that Part 21 demands."""
    mantissa, mark, exponent = repr(float(value)).upper().partition("E")
    return mantissa + mark + exponent if "." in mantissa else f"{mantissa}.{mark}{exponent}"


class Structure:
    """The assembly `fourbar` of one occurrence a body; `context`, `usage` and `shape` for the kinematics."""

    def __init__(self) -> None:
        d = self.deck = Deck()
        application = d.put("APPLICATION_CONTEXT('mechanical design')")
        self._product_context = d.put(f"PRODUCT_CONTEXT('',{application},'mechanical')")
        self._definition_context = d.put(f"PRODUCT_DEFINITION_CONTEXT('part definition',{application},'design')")
        length = d.put("(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.))")
        radian = d.put("(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))")
        size = d.put(f"PLANE_ANGLE_MEASURE_WITH_UNIT(PLANE_ANGLE_MEASURE({np.pi / 180!r}),{radian})")
        exponents = d.put("DIMENSIONAL_EXPONENTS(0.,0.,0.,0.,0.,0.,0.)")
        angle = d.put(f"(CONVERSION_BASED_UNIT('DEGREE',{size})NAMED_UNIT({exponents})PLANE_ANGLE_UNIT())")
        solid = d.put("(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())")
        self.context = d.put(
            f"(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNIT_ASSIGNED_CONTEXT(({length},{angle},{solid}))"
            "REPRESENTATION_CONTEXT('',''))"
        )
        self.definition: dict[str, str] = {}
        self.shape: dict[str, str] = {}
        self.usage: dict[str, str] = {}
        self._origin: dict[str, str] = {}
        for name in ("fourbar", *BODIES):
            self._product(name)
        for body in BODIES.values():
            self._occurrence(body)

    def _product(self, name: str) -> None:
        d = self.deck
        product = d.put(f"PRODUCT('{name}','{name}','',({self._product_context}))")
        d.put(f"PRODUCT_RELATED_PRODUCT_CATEGORY('part','',({product}))")
        formation = d.put(f"PRODUCT_DEFINITION_FORMATION('','',{product})")
        self.definition[name] = d.put(f"PRODUCT_DEFINITION('','',{formation},{self._definition_context})")
        shape = d.put(f"PRODUCT_DEFINITION_SHAPE('','',{self.definition[name]})")
        self._origin[name] = d.placement(Pose())
        self.shape[name] = d.put(f"SHAPE_REPRESENTATION('{name}',({self._origin[name]}),{self.context})")
        d.put(f"SHAPE_DEFINITION_REPRESENTATION({shape},{self.shape[name]})")

    def _occurrence(self, body: Body) -> None:
        d, name = self.deck, body.name
        place = d.placement(body.X)
        change = d.put(f"ITEM_DEFINED_TRANSFORMATION('','',{self._origin[name]},{place})")
        relation = d.put(
            f"(REPRESENTATION_RELATIONSHIP('','',{self.shape[name]},{self.shape['fourbar']})"
            f"REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION({change})SHAPE_REPRESENTATION_RELATIONSHIP())"
        )
        self.usage[name] = d.put(
            f"NEXT_ASSEMBLY_USAGE_OCCURRENCE('{name}','{name}','',{self.definition['fourbar']},"
            f"{self.definition[name]},$)"
        )
        shape = d.put(f"PRODUCT_DEFINITION_SHAPE('','',{self.usage[name]})")
        d.put(f"CONTEXT_DEPENDENT_SHAPE_REPRESENTATION({relation},{shape})")


def _frames(d: Deck, hinge: Hinge) -> str:
    """The pair's frames in its two links: at the hinge's point with the world's axes."""
    X = Pose(np.eye(3), hinge.point)
    return ",".join(d.placement(BODIES[name].X.inverse() @ X) for name in (hinge.a, hinge.b))


def _gear(d: Deck) -> tuple[str, str]:
    """The frames of the gear pair, and its radii."""
    _, a, b, ratio = GEAR
    axes = {h.b: h.point for h in HINGES if h.a == "Base"}
    frames = ",".join(d.placement(BODIES[n].X.inverse() @ Pose(np.eye(3), axes[n])) for n in (a, b))
    first = float(np.linalg.norm(axes[b] - axes[a])) * 1e3 / (1 + ratio)
    return frames, f"{real(first)},{real(first * ratio)},0.,0.,{real(ratio)}"


def ap242(folder: Path) -> Path:
    """Kinematics of the second edition: ranges in the pairs, occurrences bound."""
    s = Structure()
    d = s.deck
    links, bases = {}, {}
    for name in BODIES:
        links[name] = d.put(f"KINEMATIC_LINK('{name}')")
        origin = d.placement(Pose())
        bases[name] = d.put(f"RIGID_LINK_REPRESENTATION('{name}',({origin}),{s.context},{links[name]})")
        bound = d.put(f"KINEMATIC_LINK_REPRESENTATION_ASSOCIATION('',$,{bases[name]},{s.shape[name]})")
        relation = d.put(f"PRODUCT_DEFINITION_RELATIONSHIP_KINEMATICS('',$,{s.usage[name]})")
        d.put(f"CONTEXT_DEPENDENT_KINEMATIC_LINK_REPRESENTATION({bound},{relation})")
    joints, pairs = [], []

    def join(name: str, a: str, b: str) -> str:
        joints.append(d.put(f"KINEMATIC_JOINT('{name}',{links[a]},{links[b]})"))
        return joints[-1]

    for h in (*HINGES, GUIDE):
        head = f"'{h.name}','',$,{_frames(d, h)},{join(h.name, h.a, h.b)}"
        if h is GUIDE:
            pairs.append(d.put(f"PLANAR_PAIR({head},.T.,.T.,.F.,.F.,.F.,.T.)"))
        elif h.limits:
            ends = ",".join(real(np.degrees(v)) for v in h.limits)
            pairs.append(d.put(f"REVOLUTE_PAIR_WITH_RANGE({head},*,*,*,*,*,*,{ends})"))
        else:
            pairs.append(d.put(f"REVOLUTE_PAIR({head},.F.,.F.,.F.,.F.,.F.,.T.)"))
    frames, radii = _gear(d)
    pairs.append(d.put(f"GEAR_PAIR('{GEAR[0]}','',$,{frames},{join(GEAR[0], GEAR[1], GEAR[2])},{radii})"))
    topology = d.put(f"KINEMATIC_TOPOLOGY_STRUCTURE('',({','.join(joints)}),{s.context})")
    mechanism = d.put(f"MECHANISM_REPRESENTATION('',({','.join(pairs)}),{s.context},{topology})")
    kinematics = d.put(f"PRODUCT_DEFINITION_KINEMATICS('','',{s.definition['fourbar']})")
    d.put(f"KINEMATIC_PROPERTY_MECHANISM_REPRESENTATION({kinematics},{mechanism},{bases['Base']})")
    schema = "AP242_MANAGED_MODEL_BASED_3D_ENGINEERING_MIM_LF { 1 0 10303 442 1 1 4 }"
    return _written(folder, d.text(schema))


def ap214(folder: Path) -> Path:
    """Kinematics of the first edition: ranges apart, links bound to products of one occurrence each."""
    s = Structure()
    d = s.deck
    links = {}
    for name in BODIES:
        links[name] = d.put("KINEMATIC_LINK()")
        origin = d.placement(Pose())
        representation = d.put(f"KINEMATIC_LINK_REPRESENTATION('{name}',({origin}),{s.context})")
        d.put(f"KINEMATIC_LINK_REPRESENTATION_RELATION({links[name]},{representation})")
        d.put(f"KINEMATIC_LINK_REPRESENTATION_ASSOCIATION('','',{representation},{s.shape[name]})")
    joints = []

    def join(a: str, b: str) -> str:
        joints.append(d.put(f"KINEMATIC_JOINT({links[a]},{links[b]})"))
        return joints[-1]

    for h in (*HINGES, GUIDE):
        kind = "PLANAR" if h is GUIDE else "REVOLUTE"
        pair = d.put(f"{kind}_PAIR('{h.name}','',{_frames(d, h)},{join(h.a, h.b)})")
        if h.limits:
            ends = ",".join(f"PLANE_ANGLE_MEASURE({real(np.degrees(v))})" for v in h.limits)
            d.put(f"REVOLUTE_PAIR_RANGE({pair},{ends})")
    frames, radii = _gear(d)
    d.put(f"GEAR_PAIR('{GEAR[0]}','',{frames},{join(GEAR[1], GEAR[2])},{radii})")
    structure = d.put(f"KINEMATIC_STRUCTURE(({','.join(joints)}))")
    owner = d.put(f"KINEMATIC_PROPERTY_DEFINITION('','',{s.definition['fourbar']},$)")
    d.put(f"MECHANISM({structure},{links['Base']},{owner})")
    return _written(folder, d.text("AUTOMOTIVE_DESIGN { 1 0 10303 214 3 1 1 1 }"))


def _written(folder: Path, text: str) -> Path:
    path = folder / "fourbar.step"
    path.write_text(text, encoding="ascii")
    write_mates(beside(path), masses())
    return path


def bare(folder: Path, name: str = "fourbar") -> Path:
    """The products and where they are; no kinematics and no mates file."""
    path = folder / f"{name}.step"
    path.write_text(Structure().deck.text("AUTOMOTIVE_DESIGN { 1 0 10303 214 3 1 1 1 }"), encoding="ascii")
    return path


def with_mates(folder: Path) -> Path:
    """No kinematics: all from a mates file."""
    path = bare(folder)
    write_mates(beside(path), ground(), joint_mates(), gears(), limits(), masses())
    return path


def mates_of(write: Callable[[Path], Path]) -> Callable[[Path], Path]:
    """The mates of another format, written by us as a mates file, over the structure alone."""

    def overlaid(folder: Path) -> Path:
        import cadbridge as cb
        from cadbridge.exporters import export

        mechanism = cb.build(cb.read(write(folder)))
        export(mechanism, folder / "out", "mates-file", name="bare")
        return bare(folder / "out", "bare")

    return overlaid


def converted(folder: Path) -> Path:
    """The one without kinematics, converted by us to AP242."""
    import cadbridge as cb
    from cadbridge.exporters import export

    mechanism = cb.build(cb.read(with_mates(folder)))
    result = export(mechanism, folder / "out", "step-ap242", name="fourbar")
    write_mates(beside(result.files[0]), masses())
    return result.files[0]
