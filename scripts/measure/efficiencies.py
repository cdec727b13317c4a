#!/usr/bin/env python3
"""Efficiencies of gears by kind, arrangement and driving side. Run it with the Python that has cadbridge.

    scripts/measure/efficiencies.py [-o out/measure] [--method absolute|bond-graph|tree]

Each case is a URDF and a mates file with `efficiency`, led at constant rates by `cadbridge inverse` against a load on
the wheel that is driven: the power that arrives over the power of the actuator, beside the closed form. With η the
efficiency of a pair:

- one pair, its axes in the ground or in a carrier that turns: η; of a worm that its wheel drives 2 − 1/η;
- sun, planets on an arm, ring, with i = z_ring / z_sun and η₀ that of both pairs as the arm sees it (VDI 2157): arm
  held η₀; ring held: sun to arm (1 + i η₀)/(1 + i), arm to sun (1 + i)/(1 + i/η₀); sun held: the same with 1/i.

Writes efficiencies.json.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from cadbridge.cli import main as cadbridge  # noqa: E402

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
ETA = 0.9
"""The efficiency of one pair; two in a planetary train have its square."""
RATE = 100.0
"""Degrees or mm a second of the member that drives."""

Axis = tuple[int, int, int]
Place = tuple[float, float, float]


@dataclass(frozen=True)
class Member:
    """A link `name` that turns (or slides) on `parent` about `axis` through `at`; `held`: it is fixed there."""

    name: str
    parent: str
    at: Place
    axis: Axis
    slides: bool = False
    held: bool = False


@dataclass(frozen=True)
class Pair:
    """Two wheels by the keys of the mates file, with the joints of both against their carrier."""

    keys: str
    a: Member
    b: Member


@dataclass(frozen=True)
class Case:
    """A train: the member that drives, the one that is driven, what turns beside them, and the closed form."""

    kind: str
    arrangement: str
    drives: str
    members: tuple[Member, ...]
    gears: tuple[tuple[str, str, str, Axis, Axis], ...]
    driver: str
    driven: str
    turning: tuple[str, ...]
    expected: float


def pairs(carrier: str) -> dict[str, Pair]:
    """One pair of each kind, on a carrier."""

    def wheel(name: str, at: Place, axis: Axis, slides: bool = False) -> Member:
        return Member(name, carrier, at, axis, slides)

    first = wheel("first", (0, 0, 0), Z)
    return {
        "spur": Pair("type: spur, teeth: [20, 50]", first, wheel("second", (0.07, 0, 0), Z)),
        "internal": Pair("type: internal, teeth: [20, 50]", first, wheel("second", (0.03, 0, 0), Z)),
        "bevel": Pair("type: bevel, teeth: [20, 50]", first, wheel("second", (0, 0, 0), X)),
        "rack": Pair("type: rack_pinion, radius: 0.02", first, wheel("second", (0, 0.02, 0), X, slides=True)),
        "worm": Pair(
            "type: worm, starts: 2, teeth: 40", wheel("first", (0, 0, 0), X), wheel("second", (0, 0, 0.05), Y)
        ),
        "belt": Pair("type: belt, teeth: [20, 50]", first, wheel("second", (0.3, 0, 0), Z)),
        "crossed helical": Pair(
            "type: crossed_helical, teeth: [20, 40], helix: 45",
            wheel("first", (0, 0, 0), X),
            wheel("second", (0, 0, 0.05), Y),
        ),
    }


def cases() -> Iterator[Case]:
    """All rows of the table."""
    for arrangement, carrier in (("simple", "base"), ("on a carrier", "carrier")):
        for kind, pair in pairs(carrier).items():
            gear = (pair.keys, "first", "second", pair.a.axis, pair.b.axis)
            more = (Member("carrier", "base", (0, 0, 0.2), Z),) if carrier != "base" else ()
            for drives, driver, driven in (("a", "first", "second"), ("b", "second", "first")):
                backwards = kind == "worm" and drives == "b"
                yield Case(
                    kind, arrangement, drives, (*more, pair.a, pair.b), (gear,), driver, driven,
                    tuple(m.name for m in more), 2 - 1 / ETA if backwards else ETA,
                )  # fmt: skip
    yield from epicyclic("spur, internal", 3.0, _planets)
    yield from epicyclic("bevel", 1.0, _bevels)


def epicyclic(kind: str, i: float, made: Any) -> Iterator[Case]:
    """A train of sun, planet on an arm and ring with each member held and each side driving; i = z_ring / z_sun."""
    basic = ETA**2

    def held(ratio: float) -> tuple[float, float]:
        return (1 + ratio * basic) / (1 + ratio), (1 + ratio) / (1 + ratio / basic)

    forms = {"ring": held(i), "sun": held(1 / i), "arm": (basic, basic)}
    ends = {"ring": ("sun", "arm"), "sun": ("ring", "arm"), "arm": ("sun", "ring")}
    for fixed, (one, other) in ends.items():
        for k, (driver, driven) in enumerate(((one, other), (other, one))):
            members, gears = made(fixed)
            said = f"planetary, {fixed} held"
            yield Case(kind, said, driver, members, gears, driver, driven, (), forms[fixed][k])


def _planets(fixed: str) -> Any:
    members = [Member(n, "base", (0, 0, 0), Z, held=n == fixed) for n in ("sun", "arm", "ring")]
    members.append(Member("planet", "arm", (0.04, 0, 0), Z))
    inner = ("type: spur, teeth: [20, 20]", "sun", "planet", Z, Z)
    return tuple(members), (inner, ("type: internal, teeth: [20, 60]", "planet", "ring", Z, Z))


def _bevels(fixed: str) -> Any:
    members = [Member(n, "base", (0, 0, 0), Z, held=n == fixed) for n in ("sun", "arm", "ring")]
    members.append(Member("planet", "arm", (0, 0, 0), X))
    # The other side wheel's axis points the other way: both lie at the cone's edge with the planet.
    back = (0, 0, -1)
    first = ("type: bevel, teeth: [30, 20]", "sun", "planet", Z, X)
    return tuple(members), (first, ("type: bevel, teeth: [20, 30]", "planet", "ring", X, back))


def write(case: Case, folder: Path) -> Path:
    """The URDF of a case and its mates file beside it."""
    lines = ['<robot name="train">', '  <link name="base"/>']
    for m in case.members:
        lines.append(
            f'  <link name="{m.name}"><inertial><mass value="1"/>'
            '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )
        kind = "fixed" if m.held else "prismatic" if m.slides else "continuous"
        limit = '<limit lower="-1000" upper="1000" effort="1e6" velocity="1e6"/>' if m.slides else ""
        lines.append(
            f'  <joint name="at_{m.name}" type="{kind}"><parent link="{m.parent}"/><child link="{m.name}"/>'
            f'<origin xyz="{_words(m.at)}"/><axis xyz="{_words(m.axis)}"/>{limit}</joint>'
        )
    (folder / "train.urdf").write_text("\n".join([*lines, "</robot>"]), "utf-8")
    text = "format: cadbridge.mates/1\nunits: {length: m, angle: deg}\ngears:\n"
    for k, (keys, a, b, u, w) in enumerate(case.gears):
        sides = [f"{{component: {c}, point: [0, 0, 0], axis: {list(axis)}}}" for c, axis in ((a, u), (b, w))]
        text += f"  - {{name: gear {k}, {keys}, efficiency: {ETA}, a: {sides[0]}, b: {sides[1]}}}\n"
    (folder / "train.mates.yaml").write_text(text, "utf-8")
    return folder / "train.urdf"


def _words(values: tuple[float, ...]) -> str:
    return " ".join(f"{v:g}" for v in values)


def inverse(case: Case, folder: Path, load: float, method: str) -> dict[str, float]:
    """The driver led at RATE against a load along the driven member's axis: the first row of the table."""
    import pyarrow.parquet as pq

    driven = next(m for m in case.members if m.name == case.driven)
    word = "force" if driven.slides else "torque"
    led = {f"at_{case.driver}": f"'{RATE}*t'"} | {f"at_{name}": "'50*t'" for name in case.turning}
    text = "format: cadbridge.motion/1\nduration: 0.1\nrate: 10\ngravity: [0, 0, 0]\n"
    text += "friction_speed: {turn: 1.0e-9, slide: 1.0e-9}\n"
    text += f"joints: {{{', '.join(f'{n}: {f}' for n, f in led.items())}}}\nactuators: [{', '.join(led)}]\n"
    axis = [load * v for v in driven.axis]
    text += f"loads: {{wrenches: [{{component: {case.driven}, axes: body, {word}: {axis}}}]}}\n"
    (folder / "motion.yaml").write_text(text, "utf-8")
    table = folder / "out.parquet"
    call = ["inverse", str(folder / "train.urdf"), "--motion", str(folder / "motion.yaml"), "--method", method]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        status = cadbridge([*call, "-o", str(table)])
    if status != 0:
        raise SystemExit(f"{case}\n{said.getvalue()}")
    found = pq.read_table(table)
    return {name: float(found[name][0].as_py()) for name in found.column_names}


def measure(case: Case, method: str = "absolute") -> float:
    """The power that arrives at the driven member over that of the driver; both against the carrier where one turns."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write(case, place)
        # Whichever way the driven member goes, the load is against it.
        way = inverse(case, place, 1.0, method)[f"joint.at_{case.driven}.qd"]
        found = inverse(case, place, -float(np.sign(way)), method)
    given = found[f"actuator.at_{case.driver}.effort"] * found[f"joint.at_{case.driver}.qd"]
    return abs(way) / given


def main() -> None:
    """Print the table, and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "out" / "measure")
    parser.add_argument("--method", default="absolute", choices=("absolute", "bond-graph", "tree"))
    given = parser.parse_args()
    rows = []
    print(f"{'kind':16} {'arrangement':22} {'drives':8} {'measured':>12} {'closed form':>12} {'difference':>11}")
    for case in cases():
        value = measure(case, given.method)
        rows.append({"kind": case.kind, "arrangement": case.arrangement, "drives": case.drives,
                     "measured": value, "closed_form": case.expected})  # fmt: skip
        print(
            f"{case.kind:16} {case.arrangement:22} {case.drives:8} {value:12.9f} {case.expected:12.9f} "
            f"{value - case.expected:11.1e}",
            flush=True,
        )
    given.output.mkdir(parents=True, exist_ok=True)
    (given.output / "efficiencies.json").write_text(json.dumps({"efficiency": ETA, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
