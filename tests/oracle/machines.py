"""Mechanisms made at random from a seed, of every kind that a run may meet, each with what acts on it.

A case is a mechanism and a scenario of default tolerances. Everything follows from the kind and the seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import cadbridge as cb
from cadbridge.assembly import GROUND, CamLaw, Coupling, CouplingKind, MateKind
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import LoadSpecs, MotorSpec, Scenario
from cadbridge.simulation.changes import ChangeSpec
from cadbridge.simulation.motors import Pd
from solver.functions import expression, table
from solver.model import Friction, JointLoad, Stop
from tests.oracle.building import Array, Maker, Triple

ROOT = Path(__file__).resolve().parents[2]
Z: Triple = (0.0, 0.0, 1.0)
Chance = np.random.Generator


@dataclass(frozen=True, eq=False)
class Case:
    """A mechanism with what acts on it; `name` says what it is, for whoever wants to see it again.

    `identities` are sums of columns, each with its factor, that are 0 in any right motion: what is known in closed
    form. `finest` (s) is the length of the shortest thing that happens, 0 where nothing is short.
    """

    name: str
    mechanism: Mechanism
    scenario: Scenario
    identities: dict[str, dict[str, float]] = field(default_factory=dict)
    finest: float = 0.0


def direction(chance: Chance) -> Array:
    """A direction (3,), all alike."""
    v = chance.normal(size=3)
    return np.asarray(v / np.linalg.norm(v), float)


def across(axis: Array, chance: Chance) -> Array:
    """A direction at right angles to an axis."""
    v = np.cross(axis, direction(chance))
    return np.asarray(v / np.linalg.norm(v), float)


def moment(chance: Chance, size: float) -> str:
    """A torque or force (N m, N) over time as an expression."""
    about = size * chance.uniform(0.3, 1.0) * chance.choice((-1.0, 1.0))
    shape = chance.choice(("{0:.4g}", "{0:.4g}*sin({1:.3g}*t)", "{0:.4g}*(1-{1:.3g}*t)", "{0:.4g}*cos({1:.3g}*t)"))
    return str(shape).format(about, chance.uniform(1.0, 6.0))


def led(chance: Chance, turns: float) -> str:
    """An angle (rad) over time that turns by so much in a second, as an expression."""
    rate = 2 * math.pi * turns * chance.choice((-1.0, 1.0))
    shape = chance.choice(
        ("{0:.6g}*t", "{0:.6g}*t*t", "{0:.6g}*t+{1:.4g}*sin(3*t)", "{0:.6g}*sin(2*t)/2", "{0:.6g}*t+{2:.4g}*sin(40*t)")
    )
    return str(shape).format(rate, chance.uniform(1.0, 40.0), chance.uniform(0.05, 0.4))


def _motor(joint: str, kind: str, text: str) -> MotorSpec:
    law: dict[str, Any] = {kind: expression(text)}
    return MotorSpec(joint, **law)


def times(chance: Chance, longest: float = 1.0) -> tuple[float, float]:
    """Duration (s) and rate (1/s) whose samples fall anywhere within steps."""
    duration = float(chance.uniform(0.4 * longest, longest))
    return duration, float(np.exp(chance.uniform(math.log(3.0), math.log(120.0))))


PAIRS = (
    "spur", "internal", "bevel", "worm", "rack", "belt", "crossed belt", "chain", "crossed helical", "ratio",
    "differential", "linear", "screw", "cam",
)  # fmt: skip


def _wheels(
    made: Maker, carrier: str, pair: str, at: Array, z: Array, chance: Chance
) -> tuple[tuple[str, str], tuple[Array, Array]]:
    """Two wheels on a carrier with their joints Wheel and Other; the names of their bodies, place and axis of Other."""
    x = across(z, chance)
    spread, other = float(chance.uniform(0.1, 0.4)), z
    if pair == "bevel":
        angle = chance.uniform(0.6, 2.2)
        other = math.cos(angle) * z + math.sin(angle) * x
    elif pair in ("worm", "crossed helical"):
        other = np.cross(z, x)
    place = at + spread * (other if pair == "bevel" else x)
    kind = MateKind.REVOLUTE
    if pair in ("rack", "linear", "screw", "cam"):
        kind = MateKind.PRISMATIC
        other = {"rack": np.cross(z, x), "cam": x, "screw": z}.get(pair, direction(chance))
    off = [0.03 * chance.normal(size=3) * (chance.random() < 0.5) for _ in range(2)]
    a = made.body("wheel", at, float(chance.uniform(0.3, 3.0)), off[0], float(chance.uniform(0.05, 0.15)))
    b = made.body("other", place, float(chance.uniform(0.3, 3.0)), off[1], float(chance.uniform(0.05, 0.15)))
    made.joint("Wheel", MateKind.REVOLUTE, carrier, a, at, z)
    made.joint("Other", kind, carrier, b, place, other)
    return (a, b), (place, other)


def _coupled(made: Maker, carrier: str, pair: str, at: Array, z: Array, chance: Chance) -> None:
    """Two wheels on a carrier and the gear between them."""
    (a, b), (place, other) = _wheels(made, carrier, pair, at, z, chance)
    one, two = (a, at, z), (b, place, other)
    teeth = (int(chance.integers(12, 40)), int(chance.integers(41, 90)))
    loss = {"efficiency": float(chance.uniform(0.6, 0.98))} if chance.random() < 0.3 else {}
    kinds = {
        "spur": CouplingKind.SPUR, "internal": CouplingKind.INTERNAL, "bevel": CouplingKind.BEVEL,
        "belt": CouplingKind.BELT, "crossed belt": CouplingKind.BELT, "chain": CouplingKind.CHAIN,
    }  # fmt: skip
    if pair in kinds:
        more = {"ratio": teeth[1] / teeth[0], "carrier": carrier, "crossed": pair == "crossed belt", **loss}
        made.pair("Gear", kinds[pair], one, two, **more)
    elif pair == "worm":
        loss = {k: max(v, 0.7) for k, v in loss.items()}
        made.pair("Gear", CouplingKind.WORM, one, two, teeth_a=1, teeth_b=teeth[0], ratio=float(teeth[0]), **loss,
                  helix=math.pi / 2 - 0.1, carrier=carrier)  # fmt: skip
    elif pair == "crossed helical":
        made.pair("Gear", CouplingKind.CROSSED_HELICAL, one, two, teeth_a=teeth[0], teeth_b=teeth[1],
                  ratio=teeth[1] / teeth[0], helix=math.pi / 4, carrier=carrier)  # fmt: skip
    elif pair == "rack":
        made.pair("Gear", CouplingKind.RACK_PINION, one, two, radius_a=float(chance.uniform(0.01, 0.05)),
                  carrier=carrier, **loss)  # fmt: skip
    elif pair == "ratio":
        made.pair("Gear", CouplingKind.RATIO, one, two, ratio=float(chance.uniform(-5, 5)), carrier=carrier)
    else:
        _by_joints(made, carrier, pair, at, z, chance)


def _by_joints(made: Maker, carrier: str, pair: str, at: Array, z: Array, chance: Chance) -> None:
    """The couplings that take joints by name."""
    factors: tuple[tuple[str, float], ...]
    if pair == "differential":
        c = made.body("case", at - 0.1 * z, 1.5, (0.0, 0.0, 0.0), 0.12)
        made.joint("Case", MateKind.REVOLUTE, carrier, c, at - 0.1 * z, z)
        factors = (("Case", 2.0), ("Wheel", -1.0), ("Other", -1.0))
        made.couplings.append(Coupling("Gear", CouplingKind.LINEAR, None, None, factors=factors))
    elif pair in ("linear", "screw"):
        factors = (("Wheel", float(chance.uniform(0.002, 0.02))), ("Other", -1.0))
        made.couplings.append(Coupling("Gear", CouplingKind.LINEAR, None, None, factors=factors))
    else:
        lift = float(chance.uniform(0.01, 0.03))
        law = CamLaw(
            tuple((a, lift * (1 - math.cos(a)) / 2) for a in np.linspace(0, 2 * math.pi, 25)), period=2 * math.pi
        )
        made.couplings.append(Coupling("Gear", CouplingKind.CAM, None, None, joints=("Wheel", "Other"), cam=law))


def train(pair: str, chance: Chance) -> Case:
    """A gear pair on a carrier that turns, or on the ground; led or pushed."""
    made = Maker()
    carried = chance.random() < 0.75
    z, at = direction(chance), 0.2 * chance.normal(size=3) * (chance.random() < 0.5)
    carrier: str = GROUND
    if carried:
        axis = z if chance.random() < 0.5 else direction(chance)
        carrier = made.body("carrier", np.zeros(3), float(chance.uniform(1.0, 5.0)), 0.05 * chance.normal(size=3), 0.3)
        made.joint("Carrier", MateKind.REVOLUTE, GROUND, carrier, np.zeros(3), axis)
    _coupled(made, carrier, pair, at, z, chance)
    turns = float(np.exp(chance.uniform(0.0, math.log(80.0))))
    slow = pair == "cam"
    motors = [_motor("Wheel", *_acting(chance, turns / 20 if slow else turns, 5.0 if not slow else 1.0))]
    if carried:
        # What slides on a carrier flies off where it turns fast.
        slides = pair in ("rack", "linear", "screw", "cam")
        motors.append(_motor("Carrier", *_acting(chance, 1.0 if slides else turns, 2.0 if slides else 20.0)))
    if pair == "differential" and chance.random() < 0.5:
        motors.append(_motor("Case", "torque", moment(chance, 4.0)))
    duration, rate = times(chance)
    what = Scenario(duration=duration, rate=rate, motors=tuple(motors))
    return Case(pair, made.mechanism(), what, _law(pair, made))


def _law(pair: str, made: Maker) -> dict[str, dict[str, float]]:
    """What holds between the values of the two wheels, as their carrier sees them."""
    (gear,) = made.couplings
    if gear.factors:
        return {"law": {f"joint.{name}.q": factor for name, factor in gear.factors}}
    sense = {"spur": -1, "internal": 1, "belt": 1, "crossed belt": -1, "chain": 1}.get(pair)
    if pair == "ratio":
        return {"law": {"joint.Other.q": 1.0, "joint.Wheel.q": -float(gear.ratio or 0.0)}}
    return {"law": {"joint.Other.q": float(gear.ratio or 0.0), "joint.Wheel.q": -sense}} if sense else {}


def _acting(chance: Chance, turns: float, size: float) -> tuple[str, str]:
    return ("angle", led(chance, turns)) if chance.random() < 0.4 else ("torque", moment(chance, size))


def planet(chance: Chance) -> Case:
    """A sun on the ground, a planet on a carrier: spur, internal or bevel; led or pushed."""
    made, z = Maker(), direction(chance)
    x = across(z, chance)
    pair = str(chance.choice(("spur", "internal", "bevel")))
    axis = z
    place = 0.2 * x
    if pair == "bevel":
        angle = chance.uniform(0.8, 2.0)
        axis = math.cos(angle) * z + math.sin(angle) * x
        place = 0.15 * axis
    made.body("sun", np.zeros(3), 1.0)
    made.body("carrier", 0.1 * z, 2.0, 0.05 * x, 0.2)
    made.body("planet", place, float(chance.uniform(0.2, 2.0)), (0, 0, 0), 0.06)
    made.joint("S", MateKind.REVOLUTE, GROUND, "sun", np.zeros(3), z)
    made.joint("C", MateKind.REVOLUTE, GROUND, "carrier", np.zeros(3), z)
    made.joint("P", MateKind.REVOLUTE, "carrier", "planet", place, axis)
    kind = {"spur": CouplingKind.SPUR, "internal": CouplingKind.INTERNAL, "bevel": CouplingKind.BEVEL}[pair]
    ratio = float(chance.integers(30, 80)) / float(chance.integers(12, 29))
    made.pair("G", kind, ("sun", np.zeros(3), z), ("planet", place, axis), ratio=1 / ratio, carrier="carrier")
    turns = float(np.exp(chance.uniform(0.0, math.log(80.0))))
    motors = [_motor("C", *_acting(chance, turns, 40.0)), _motor("S", *_acting(chance, turns / 4, 25.0))]
    duration, rate = times(chance, 2.0)
    return Case(f"planet {pair}", made.mechanism(), Scenario(duration=duration, rate=rate, motors=tuple(motors)))


def tree(chance: Chance) -> Case:
    """A chain or tree of bodies on joints of any kind that falls."""
    made, kinds = Maker(), (MateKind.REVOLUTE,) * 4 + (MateKind.SPHERICAL, MateKind.CYLINDRICAL, MateKind.UNIVERSAL)
    count = int(chance.integers(1, 6))
    at = {GROUND: np.zeros(3)}
    for k in range(count):
        base = GROUND if k == 0 else str(chance.choice(list(made.places)))
        place = at[base] + 0.3 * direction(chance)
        kind = kinds[int(chance.integers(len(kinds)))]
        body = made.body(f"b{k}", place, float(np.exp(chance.uniform(-2, 2))), 0.1 * direction(chance))
        axis = direction(chance)
        made.joint(f"J{k}", kind, base, body, (place + at[base]) / 2, axis)
        if kind is MateKind.UNIVERSAL:
            last = made.mates.pop()
            second = made.feature(body, (place + at[base]) / 2, across(axis, chance))
            made.mates.append(replace(last, b=second))
        at[body] = place
    duration, rate = times(chance)
    return Case("tree", made.mechanism(), Scenario(duration=duration, rate=rate))


def bars(corners: Array, masses: Array, *, spherical: bool = False) -> Maker:
    """A closed chain of bars in the plane through corners (k, 2): joints J0 … on z, the last closes it."""
    made = Maker()
    at = np.column_stack([corners, np.zeros(len(corners))])
    names = [GROUND]
    for k in range(len(at) - 1):
        middle, along = (at[k] + at[k + 1]) / 2, np.linalg.norm(at[k + 1] - at[k])
        names.append(made.body(f"bar{k}", middle, float(masses[k]), (0, 0, 0), 0.29 * float(along)))
        made.joint(f"J{k}", MateKind.REVOLUTE, names[-2], names[-1], at[k], Z)
    kind = MateKind.SPHERICAL if spherical else MateKind.REVOLUTE
    made.joint(f"J{len(at) - 1}", kind, names[-1], GROUND, at[-1], Z)
    return made


GRAVITY = (0.0, -9.81, 0.0)


def four_bar(chance: Chance) -> Case:
    """A four-bar of any lengths that falls or is pushed at its crank."""
    corners = np.array([[0, 0], [0.1, 0.3], [0.6, 0.5], [0.7, 0.0]]) + 0.08 * chance.normal(size=(4, 2))
    made = bars(corners, np.exp(chance.uniform(-1, 1, size=3)))
    duration, rate = times(chance)
    motors = (_motor("J0", "torque", moment(chance, 3.0)),) if chance.random() < 0.5 else ()
    return Case("four-bar", made.mechanism(), Scenario(gravity=GRAVITY, duration=duration, rate=rate, motors=motors))


def parallelogram(chance: Chance) -> Case:
    """A parallelogram with a third bar, whose pose is singular where it lies flat."""
    crank, base = float(chance.uniform(0.1, 0.3)), float(chance.uniform(0.4, 0.8))
    angle = chance.uniform(0.4, 2.6)
    u = crank * np.array([math.cos(angle), math.sin(angle)])
    corners = np.array([[0, 0], u, [base + u[0], u[1]], [base, 0]])
    made = bars(corners, np.exp(chance.uniform(-1, 1, size=3)))
    if chance.random() < 0.6:
        middle = np.array([base / 2, 0, 0])
        top = middle + np.array([*u, 0])
        made.body("third", (middle + top) / 2, 0.5, (0, 0, 0), 0.29 * crank)
        made.joint("T0", MateKind.REVOLUTE, GROUND, "third", middle, Z)
        made.joint("T1", MateKind.REVOLUTE, "third", "bar1", top, Z)
    duration, rate = times(chance)
    rates = {"J0": float(chance.uniform(-12, 12))} if chance.random() < 0.6 else {}
    return Case("parallelogram", made.mechanism(), Scenario(gravity=GRAVITY, duration=duration, rate=rate, rates=rates))


def slider(chance: Chance) -> Case:
    """A crank with its slider, of equal lengths in a part of cases (singular in the middle)."""
    made = Maker()
    crank = float(chance.uniform(0.1, 0.2))
    rod = crank * (1.0 if chance.random() < 0.25 else float(chance.uniform(1.2, 3.0)))
    angle = float(chance.uniform(0.3, 1.2))
    pin = crank * np.array([math.cos(angle), math.sin(angle), 0])
    end = np.array([pin[0] + math.sqrt(rod**2 - pin[1] ** 2), 0, 0])
    made.body("crank", pin / 2, 0.6, (0, 0, 0), 0.29 * crank)
    made.body("rod", (pin + end) / 2, 0.9, (0, 0, 0), 0.29 * rod)
    made.body("block", end, 1.4, (0, 0, 0), 0.05)
    made.joint("A", MateKind.REVOLUTE, GROUND, "crank", (0, 0, 0), Z)
    made.joint("B", MateKind.REVOLUTE, "crank", "rod", pin, Z)
    made.joint("C", MateKind.REVOLUTE, "rod", "block", end, Z)
    made.joint("D", MateKind.PRISMATIC, GROUND, "block", end, (1, 0, 0))
    duration, rate = times(chance)
    motors = (_motor("A", "torque", moment(chance, 4.0)),)
    name = "slider of equal bars" if rod == crank else "slider"
    return Case(name, made.mechanism(), Scenario(gravity=GRAVITY, duration=duration, rate=rate, motors=motors))


def pendulums(chance: Chance, count: int, masses: Array | None = None) -> Maker:
    """Bars in a row that hang in the plane."""
    made, at, names = Maker(), np.zeros(3), [GROUND]
    for k in range(count):
        angle = chance.uniform(-math.pi, 0)
        along = float(chance.uniform(0.2, 0.5)) * np.array([math.cos(angle), math.sin(angle), 0])
        mass = 1.0 if masses is None else float(masses[k])
        names.append(made.body(f"p{k}", at + along / 2, mass, (0, 0, 0), 0.29 * float(np.linalg.norm(along))))
        made.joint(f"J{k}", MateKind.REVOLUTE, names[-2], names[-1], at, Z)
        at = at + along
    return made


def pulse(chance: Chance) -> Case:
    """A short push on a disc, a pendulum or a gear pair at rest."""
    duration, rate = times(chance)
    start, width = float(chance.uniform(0.2, 0.8)) * duration, float(np.exp(chance.uniform(-7, -3)))
    size = float(chance.uniform(0.02, 0.5)) / width
    text = f"{size:.4g}*(step(t-{start:.5g})-step(t-{start + width:.5g}))"
    kind = str(chance.choice(("disc", "pendulum", "gear")))
    if kind == "pendulum":
        made, motor = pendulums(chance, 2), _motor("J0", "torque", text)
    elif kind == "gear":
        made = Maker()
        _coupled(made, GROUND, "spur", np.zeros(3), np.array(Z), chance)
        motor = _motor("Wheel", "torque", text)
    else:
        made = Maker()
        made.body("disc", (0, 0, 0))
        made.joint("Disc", MateKind.REVOLUTE, GROUND, "disc", (0, 0, 0), Z)
        motor = _motor("Disc", "torque", text)
    gravity = GRAVITY if kind == "pendulum" else (0.0, 0.0, 0.0)
    what = Scenario(gravity=gravity, duration=duration, rate=rate, motors=(motor,))
    return Case(f"pulse on a {kind}", made.mechanism(), what, finest=width / 2)


def _sprung(
    kind: str, chance: Chance, within: tuple[float, float], damped: float, longest: float, often: float
) -> Case:
    """Pendulums with a spring and damper at the first joint: `within` N m/rad, damping up to `damped` s of it."""
    made = pendulums(chance, int(chance.integers(1, 4)))
    stiffness = float(np.exp(chance.uniform(math.log(within[0]), math.log(within[1]))))
    spring = JointLoad(None, stiffness=stiffness, damping=float(chance.uniform(0, damped)) * stiffness)  # type: ignore[arg-type]
    duration, rate = times(chance, longest)
    loads = LoadSpecs(joint_springs=(("J0", spring),))
    return Case(kind, made.mechanism(), Scenario(gravity=GRAVITY, duration=duration, rate=often * rate, loads=loads))


def stiff(chance: Chance) -> Case:
    """Pendulums with a stiff spring and damper at a joint."""
    return _sprung("stiff spring", chance, (1e2, 3e5), 1e-3, 0.6, 1.0)


def stop(chance: Chance) -> Case:
    """Pendulums that fall into a stop."""
    made = pendulums(chance, int(chance.integers(1, 3)))
    duration, rate = times(chance)
    reach = float(chance.uniform(0.1, 0.6))
    ends = Stop(lower=-reach, upper=reach, stiffness=float(chance.uniform(200, 5000)), damping=5.0, depth=0.05)
    loads = LoadSpecs(stops=(("J0", ends),))
    return Case("stop", made.mechanism(), Scenario(gravity=GRAVITY, duration=duration, rate=rate, loads=loads))


def servo(chance: Chance) -> Case:
    """Pendulums led at their joints by controllers that come to the bounds of what they give."""
    count = int(chance.integers(1, 4))
    made, motors = pendulums(chance, count), []
    duration, rate = times(chance)
    for joint in ("J0", "J1")[:count]:
        stiffness = float(np.exp(chance.uniform(math.log(3.0), math.log(300.0))))
        goal = moment(chance, 2.0)
        damping, effort = float(chance.uniform(0.0, 0.1)) * stiffness, float(chance.uniform(0.05, 0.6)) * stiffness
        motors.append(MotorSpec(joint, pd=Pd(expression(goal), stiffness, damping, effort)))
    what = Scenario(gravity=GRAVITY, duration=duration, rate=rate, motors=tuple(motors))
    return Case("bounded controllers", made.mechanism(), what)


def change(chance: Chance) -> Case:
    """Pendulums of which a joint is locked, set free or let go on the way."""
    made = pendulums(chance, int(chance.integers(2, 4)))
    mechanism = made.mechanism()
    duration, rate = times(chance)
    joint = mechanism.joint_named("J1")
    first, second = sorted(float(t) for t in chance.uniform(0.1, 0.9, size=2) * duration)
    steps: tuple[ChangeSpec, ...]
    if chance.random() < 0.5:
        steps = (
            ChangeSpec(first, "lock", "J1", joint=joint, plastic=True),
            ChangeSpec(second, "unlock", "J1", joint=joint),
        )
    else:
        steps = (ChangeSpec(first, "release", "J1", joint=joint),)
    what = Scenario(gravity=GRAVITY, duration=duration, rate=rate, changes=steps)
    return Case(f"{steps[0].verb} on the way", mechanism, what)


CORNERS = (
    "{0:.4g}*abs(sin({1:.4g}*t))", "{0:.4g}*max(0, sin({1:.4g}*t))", "{0:.4g}*min(1, {1:.4g}*t)",
    "{0:.4g}*mod({1:.4g}*t, 1)", "{0:.4g}*floor({1:.4g}*t)", "{0:.4g}*sign(cos({1:.4g}*t))",
)  # fmt: skip


def corners(chance: Chance) -> Case:
    """Pendulums that are pushed by a law with corners, or led by a table."""
    made = pendulums(chance, int(chance.integers(1, 4)))
    duration, rate = times(chance)
    if chance.random() < 0.6:
        text = str(chance.choice(CORNERS)).format(chance.uniform(1.0, 6.0), chance.uniform(3.0, 30.0))
        motor = _motor("J0", "torque", text)
    else:
        at = np.sort(chance.uniform(0.0, duration, size=5))
        motor = MotorSpec("J0", angle=table(list(zip([0.0, *at], [0.0, *chance.uniform(-2, 2, size=5)], strict=True))))
    return Case("corners", made.mechanism(), Scenario(gravity=GRAVITY, duration=duration, rate=rate, motors=(motor,)))


def hundreds(chance: Chance) -> Case:
    """Wheels on a carrier that turns, with losses or not, led by hundreds of turns."""
    made, z, at = Maker(), direction(chance), 0.2 * chance.normal(size=3)
    made.body("carrier", np.zeros(3), 2.0, 0.05 * chance.normal(size=3), 0.3)
    made.joint("Carrier", MateKind.REVOLUTE, GROUND, "carrier", np.zeros(3), z)
    pair = str(chance.choice(("spur", "internal", "bevel", "worm", "belt", "chain", "ratio", "differential")))
    _coupled(made, "carrier", pair, at, z, chance)
    turns = float(np.exp(chance.uniform(math.log(100.0), math.log(600.0))))
    motors = [_motor("Wheel", "angle", led(chance, turns)), _motor("Carrier", *_acting(chance, turns / 10, 20.0))]
    duration, rate = times(chance)
    what = Scenario(duration=duration, rate=rate, motors=tuple(motors))
    return Case(f"{pair}, hundreds of turns", made.mechanism(), what, _law(pair, made))


def rigid(chance: Chance) -> Case:
    """Pendulums with a spring of up to 1e8 N m/rad at a joint."""
    return _sprung("rigid spring", chance, (1e6, 1e8), 1e-5, 0.05, 20.0)


def friction(chance: Chance) -> Case:
    """Pendulums whose first joint has dry friction."""
    made = pendulums(chance, int(chance.integers(1, 4)))
    dry = Friction(float(chance.uniform(0.1, 2.0)), float(np.exp(chance.uniform(math.log(1e-3), 0.0))))
    duration, rate = times(chance)
    loads = LoadSpecs(friction=(("J0", dry),))
    return Case("friction", made.mechanism(), Scenario(gravity=GRAVITY, duration=duration, rate=rate, loads=loads))


def masses(chance: Chance) -> Case:
    """Pendulums and four-bars whose masses are far apart."""
    apart = np.exp(chance.uniform(-8, 8, size=3))
    duration, rate = times(chance, 0.5)
    if chance.random() < 0.5:
        corners = np.array([[0, 0], [0.1, 0.3], [0.6, 0.5], [0.7, 0.0]]) + 0.05 * chance.normal(size=(4, 2))
        made, name = bars(corners, apart), "four-bar, masses apart"
    else:
        made, name = pendulums(chance, 3, apart), "pendulum, masses apart"
    return Case(name, made.mechanism(), Scenario(gravity=GRAVITY, duration=duration, rate=rate))


def _reported() -> dict[str, Case]:
    """What was once wrong, and called right: trains that turn far in a step, a pulse, a fall through a dead pose."""
    z, o = np.array(Z), np.zeros(3)
    cases: dict[str, Case] = {}
    for pair in ("bevel", "spur", "internal"):
        made = Maker()
        x = np.array([1.0, 0.0, 0.0])
        axis, place = (x, 0.15 * x) if pair == "bevel" else (z, 0.2 * x)
        for name, at, size in (("sun", o, 0.1), ("carrier", 0.1 * z, 0.2), ("planet", place, 0.06)):
            made.body(name, at, 1.0, o, size)
        made.joint("S", MateKind.REVOLUTE, GROUND, "sun", o, z)
        made.joint("C", MateKind.REVOLUTE, GROUND, "carrier", o, z)
        made.joint("P", MateKind.REVOLUTE, "carrier", "planet", place, axis)
        made.pair("G", CouplingKind(pair), ("sun", o, z), ("planet", place, axis), ratio=0.5, carrier="carrier")
        free = (_motor("C", "torque", "40"), _motor("S", "torque", "-25"))
        turns = math.pi / 180
        told = (
            _motor("C", "angle", f"{27000 * turns}*t+{2000 * turns}*sin(3*t)"),
            _motor("S", "angle", f"{-5000 * turns}*t*t"),
        )
        cases[f"{pair} planet, pushed"] = Case("", made.mechanism(), Scenario(duration=2.0, rate=50, motors=free))
        cases[f"{pair} planet, led"] = Case("", made.mechanism(), Scenario(duration=3.0, rate=50, motors=told))
    worm = Maker()
    worm.body("worm", o, 0.5, o, 0.03)
    worm.body("other", (0.05, 0.0, 0.0), 1.0, o, 0.05)
    worm.joint("Wheel", MateKind.REVOLUTE, GROUND, "worm", o, z)
    worm.joint("Other", MateKind.REVOLUTE, GROUND, "other", (0.05, 0.0, 0.0), (0, 1, 0))
    wheel = ("other", (0.05, 0.0, 0.0), (0, 1, 0))
    worm.pair("Gear", CouplingKind.WORM, ("worm", o, z), wheel, teeth_a=1, teeth_b=40, ratio=40.0,
              helix=math.pi / 2 - 0.1, carrier=GROUND)  # fmt: skip
    push = (_motor("Wheel", "torque", "0.5"),)
    cases["worm 1:40"] = Case("", worm.mechanism(), Scenario(duration=1.0, rate=50, motors=push))
    disc = Maker()
    disc.body("disc", o)
    disc.joint("Disc", MateKind.REVOLUTE, GROUND, "disc", o, Z)
    hit = (_motor("Disc", "torque", "5*(step(t-5.3)-step(t-5.305))"),)
    for rate in (1.0, 10.0, 100.0):
        what = Scenario(gravity=(0.0, 0.0, 0.0), duration=6.0, rate=rate, motors=hit)
        cases[f"pulse of 5 ms, {rate:g} samples a second"] = Case("", disc.mechanism(), what, finest=0.0025)
    fall = cb.build(cb.read(ROOT / "fixtures" / FIXTURES["TRRR3"]))
    cases["TRRR3 through a singular pose"] = Case("", fall, Scenario(duration=2.0, rate=100))
    return {name: replace(each, name=name) for name, each in cases.items()}


@cache
def _all_reported() -> tuple[Case, ...]:
    return tuple(_reported().values())


FIXTURES = {
    "delta": "delta/delta.sdf",
    "Stewart platform": "stewart/stewart.sdf",
    "PUMA 560": "puma560/puma560.urdf",
    "Bendix wrist": "bendix_wrist/bendix_wrist.urdf",
    "geared robot": "geared_robot3/geared_robot3.urdf",
    "RRRT3": "rrrt3/rrrt3.sdf",
    "TRRR3": "trrr3/trrr3.sdf",
}


SCENARIOS = {
    "four-bar driven": "four_bar/four_bar",
    "crank and slider driven": "crank_slider/crank_slider",
}


def driven(name: str) -> Callable[[Chance], Case]:
    """A fixture with its own scenario, sampled by chance."""

    def made(chance: Chance) -> Case:
        path = ROOT / "fixtures" / SCENARIOS[name]
        mechanism = cb.build(cb.read(path.with_suffix(".urdf")))
        what = cb.load_scenario(path.with_suffix(".scenario.yaml"), mechanism)
        duration, rate = times(chance, 1.5)
        return Case(name, mechanism, replace(what, duration=duration, rate=rate))

    return made


def fixture(name: str) -> Callable[[Chance], Case]:
    """A fixture that falls, for a time and with samples by chance."""

    def made(chance: Chance) -> Case:
        mechanism = cb.build(cb.read(ROOT / "fixtures" / FIXTURES[name]))
        duration, rate = times(chance, 1.5)
        return Case(name, mechanism, Scenario(duration=duration, rate=rate))

    return made


KINDS: dict[str, Callable[[Chance], Case]] = {
    **{pair: (lambda chance, pair=pair: train(pair, chance)) for pair in PAIRS},  # type: ignore[misc]
    "planet": planet, "tree": tree, "four-bar": four_bar, "parallelogram": parallelogram, "slider": slider,
    "pulse": pulse, "stiff": stiff, "stop": stop, "change": change, "masses": masses,
    "corners": corners, "hundreds": hundreds, "rigid": rigid, "friction": friction,
    **{name: fixture(name) for name in FIXTURES},
    **{name: driven(name) for name in SCENARIOS},
    "servo": servo,
}  # fmt: skip
LATER = {"servo": 1000}
"""Of kinds that came later, the numbers beside which they have their seeds: those of the others stay as they were."""


REPORTED = "reported"
"""The kind of the cases that were once wrong; their seeds only count them."""
ALL_KINDS = (*KINDS, REPORTED)


def case(kind: str, seed: int) -> Case:
    """The case of a kind and a seed."""
    if kind == REPORTED:
        return _all_reported()[seed % len(_all_reported())]
    place = LATER.get(kind) or sorted(set(KINDS) - set(LATER)).index(kind)
    return KINDS[kind](np.random.default_rng([seed, place]))
