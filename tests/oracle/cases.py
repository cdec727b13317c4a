"""What a case of the oracle is, and what is drawn by chance for all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.mechanism import Mechanism
from cadbridge.simulation import MotorSpec, Scenario
from solver.functions import expression
from tests.oracle.building import Array, Triple

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


def motor_of(joint: str, kind: str, text: str) -> MotorSpec:
    law: dict[str, Any] = {kind: expression(text)}
    return MotorSpec(joint, **law)


def times(chance: Chance, longest: float = 1.0) -> tuple[float, float]:
    """Duration (s) and rate (1/s) whose samples fall anywhere within steps."""
    duration = float(chance.uniform(0.4 * longest, longest))
    return duration, float(np.exp(chance.uniform(math.log(3.0), math.log(120.0))))


def acting(chance: Chance, turns: float, size: float) -> tuple[str, str]:
    return ("angle", led(chance, turns)) if chance.random() < 0.4 else ("torque", moment(chance, size))


GRAVITY = (0.0, -9.81, 0.0)
