"""Pairs of wheels on the ground and on carriers, led or pushed: cases by chance."""

from __future__ import annotations

import math

import numpy as np

from cadbridge.assembly import GROUND, CamLaw, Coupling, CouplingKind, MateKind
from cadbridge.simulation import Scenario
from tests.oracle.building import Array, Maker
from tests.oracle.cases import Case, Chance, across, acting, direction, led, moment, motor_of, times

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


def coupled(made: Maker, carrier: str, pair: str, at: Array, z: Array, chance: Chance) -> None:
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
    coupled(made, carrier, pair, at, z, chance)
    turns = float(np.exp(chance.uniform(0.0, math.log(80.0))))
    slow = pair == "cam"
    motors = [motor_of("Wheel", *acting(chance, turns / 20 if slow else turns, 5.0 if not slow else 1.0))]
    if carried:
        # What slides on a carrier flies off where it turns fast.
        slides = pair in ("rack", "linear", "screw", "cam")
        motors.append(motor_of("Carrier", *acting(chance, 1.0 if slides else turns, 2.0 if slides else 20.0)))
    if pair == "differential" and chance.random() < 0.5:
        motors.append(motor_of("Case", "torque", moment(chance, 4.0)))
    duration, rate = times(chance)
    what = Scenario(duration=duration, rate=rate, motors=tuple(motors))
    return Case(pair, made.mechanism(), what, law_between(pair, made))


def law_between(pair: str, made: Maker) -> dict[str, dict[str, float]]:
    """What holds between the values of the two wheels, as their carrier sees them."""
    (gear,) = made.couplings
    if gear.factors:
        return {"law": {f"joint.{name}.q": factor for name, factor in gear.factors}}
    sense = {"spur": -1, "internal": 1, "belt": 1, "crossed belt": -1, "chain": 1}.get(pair)
    if pair == "ratio":
        return {"law": {"joint.Other.q": 1.0, "joint.Wheel.q": -float(gear.ratio or 0.0)}}
    return {"law": {"joint.Other.q": float(gear.ratio or 0.0), "joint.Wheel.q": -sense}} if sense else {}


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
    motors = [motor_of("C", *acting(chance, turns, 40.0)), motor_of("S", *acting(chance, turns / 4, 25.0))]
    duration, rate = times(chance, 2.0)
    return Case(f"planet {pair}", made.mechanism(), Scenario(duration=duration, rate=rate, motors=tuple(motors)))


def hundreds(chance: Chance) -> Case:
    """Wheels on a carrier that turns, with losses or not, led by hundreds of turns."""
    made, z, at = Maker(), direction(chance), 0.2 * chance.normal(size=3)
    made.body("carrier", np.zeros(3), 2.0, 0.05 * chance.normal(size=3), 0.3)
    made.joint("Carrier", MateKind.REVOLUTE, GROUND, "carrier", np.zeros(3), z)
    pair = str(chance.choice(("spur", "internal", "bevel", "worm", "belt", "chain", "ratio", "differential")))
    coupled(made, "carrier", pair, at, z, chance)
    turns = float(np.exp(chance.uniform(math.log(100.0), math.log(600.0))))
    motors = [motor_of("Wheel", "angle", led(chance, turns)), motor_of("Carrier", *acting(chance, turns / 10, 20.0))]
    duration, rate = times(chance)
    what = Scenario(duration=duration, rate=rate, motors=tuple(motors))
    return Case(f"{pair}, hundreds of turns", made.mechanism(), what, law_between(pair, made))
