"""What settles fastest by dampers, dry friction and servos: explicit steps must follow it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from cadbridge.units import DEGREE, MM
from solver.algebra.rank import null_space
from solver.analyses.minimal import jacobian, mass_matrix
from solver.constraints.primitives import GROUND, Coordinate
from solver.equations.system import prepare
from solver.model import Friction, JointLoad, Model
from solver.rotation import matrix
from solver.state import State


@dataclass(frozen=True)
class Settling:
    """A joint (or load) by `name`, its `damping` and dry `friction`, and its time constant (s).

    `turns`: in N m s/rad and N m, else N s/m and N. Friction that is smoothed over a `speed` (rad/s, m/s) damps at
    rest as much as it goes up by a rate.
    """

    name: str
    damping: float
    friction: float
    turns: bool
    time: float
    speed: float = math.inf

    @property
    def slope(self) -> float:
        """All that damps at rest, N m s/rad or N s/m."""
        return self.damping + self.friction / self.speed

    @property
    def words(self) -> str:
        """What damps, with units."""
        viscous, dry = ("N m s/rad", "N m") if self.turns else ("N s/m", "N")
        parts = [f"{self.damping:.3g} {viscous}"] if self.damping else []
        parts += [f"{self.friction:.3g} {dry} of dry friction"] if self.friction else []
        return " and ".join(parts)

    def softer(self, steps: float, few: float) -> str | None:
        """What takes about `few` steps where dry friction makes so many, else None: a larger speed that smooths it."""
        factor = 10.0 ** math.ceil(math.log10(max(steps / few, 1.0)))
        # Below a tenth of all that damps: whatever friction does then, the steps stay nearly as short.
        if factor == 1.0 or self.friction / self.speed < 9.0 * self.damping:
            return None
        what, unit = ("turn", DEGREE) if self.turns else ("slide", MM)
        speed = f"`friction_speed: {{{what}: {self.speed * factor / unit:.3g}}}`"
        return (
            f"Check the friction of {self.name} against its loads, and the inertia that it holds. With {speed} in the "
            f"scenario the run takes about {factor:g} times fewer steps, and the joint creeps {factor:g} times as fast "
            "while it rests under a load."
        )


def settling(model: Model, slowest: float = math.inf) -> Settling | None:
    """What settles fastest by its dampers, its friction and its servos' answer to rates; None where nothing is damped.

    A time constant is I/d, with the inertia that is felt along the coordinate: a link turns about its hinge. None too
    where nothing settles in less than `slowest` (s).
    """
    # Free bodies give way more easily than held ones: what is slow between free ones need not be looked at.
    quick = [(c, each) for c, each in _damped(model) if each.time < slowest]
    eases = _held(model, [c for c, _ in quick])
    found = [
        replace(each, time=1.0 / (ease * each.slope)) for (_, each), ease in zip(quick, eases, strict=True) if ease
    ]
    return min((each for each in found if each.time < slowest), key=lambda each: each.time, default=None)


def _damped(model: Model) -> list[tuple[Coordinate, Settling]]:
    """What is damped along each coordinate, with the time constant of its two bodies as if nothing else held them."""
    none = Friction(0.0, 1.0)
    given = [(each.name, each.coordinate, each.damping, each.friction or none, each.armature) for each in model.loads]
    given += [(m.name, m.coordinate, m.damping, none, 0.0) for m in model.motors if m.kind == "pd"]
    given += [(m.name, m.coordinate, max(0.0, -m.bias[2]), none, 0.0) for m in model.motors if m.kind == "servo"]
    # By name: the coordinate, its damping, its dry friction, what that damps at rest, its armature.
    along: dict[str, tuple[Coordinate, float, float, float, float]] = {}
    for name, coordinate, damping, dry, armature in given:
        _, d, torque, smoothed, more = along.get(name, (coordinate, 0.0, 0.0, 0.0, 0.0))
        smoothed += dry.torque / dry.speed
        along[name] = (coordinate, d + damping, torque + dry.torque, smoothed, more + armature)
    found = []
    for name, (c, d, torque, smoothed, armature) in along.items():
        if c.kind in ("angle", "distance") and d + smoothed > 0.0 and (ease := _ease(model, c)) > 0.0:
            time, speed = (1.0 / ease + armature) / (d + smoothed), torque / smoothed if smoothed else math.inf
            found.append((c, Settling(name, d, torque, c.kind == "angle", time, speed)))
    return found


def _held(model: Model, along: list[Coordinate]) -> list[float]:
    """The acceleration along each coordinate (rad/s², m/s²) by an effort of 1, all joints and armatures holding."""
    if not along:
        return []
    state = State.at_rest(model.positions, model.quaternions)
    own = prepare(replace(model, motors=()), carried=False)
    # Rotors' rows, as their gradients are those of the coordinates.
    rotors = tuple(JointLoad(c, armature=1.0) for c in along)
    gradients = jacobian(prepare(replace(model, motors=(), loads=rotors), carried=False), state)[1]
    N = null_space(jacobian(own, state)[0], own.length)
    felt = gradients @ N
    eased = np.linalg.lstsq(N.T @ mass_matrix(own, state, lent=True) @ N, felt.T, rcond=None)[0]
    return [float(each) for each in np.sum(felt * eased.T, axis=1)]


def _ease(model: Model, c: Coordinate) -> float:
    """The acceleration along a coordinate (rad/s², m/s²) by an effort of 1 on its two bodies, as if they were free."""
    axis = np.asarray(c.axis_a, float)
    if c.a != GROUND:
        axis = matrix(np.asarray(model.quaternions[c.a], float)) @ axis
    ease = 0.0
    for end in (c.a, c.b):
        if end == GROUND or model.bodies[end].mass <= 0.0:
            continue
        own = matrix(np.asarray(model.quaternions[end], float)).T @ axis
        inertia = np.asarray(model.bodies[end].inertia, float)
        # Least squares, as a rod without thickness has no inertia about itself: about that axis it takes no part.
        turned = float(own @ np.linalg.lstsq(inertia, own, rcond=None)[0])
        ease += turned if c.kind == "angle" else 1.0 / model.bodies[end].mass
    return ease
