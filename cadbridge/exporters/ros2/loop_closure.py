"""Closes the loops of a mechanism whose URDF is a tree: values of the passive joints from those of the active ones.

Needs numpy alone, no ROS, and `loop_rows` and `loop_tree` beside it: `LoopClosure(urdf, closures)` takes the texts of
the URDF and of closures.json. A pose is solved by Newton's method on the equations of the loops, in small steps from
the last pose, so that the linkage stays in the form in which it was assembled. All arrays have a first axis for poses
that are solved at once.
"""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# Relative, and nothing else of cadbridge: the export writes the three files into a package of ROS, where it is not.
from .loop_rows import ROWS, Array, InLinks, Row, cross, screw
from .loop_tree import UrdfJoint, joints_of, limits_of, pose_of, rotations_about

TOLERANCE = 1e-6
"""m and rad: a loop is closed when no equation is off by more: a tenth of what a robot repeats its poses to."""
SOLVED, FOLLOWED = 1e-11, 1e-9
"""Of the loops' size: what no further step is taken for, of many poses at once and of one while ROS waits, for which
two digits less save a round; both are far below `TOLERANCE`."""
STEP = 0.1
"""The longest step of an active joint on the way to a pose: rad, or share of the mechanism's size. Newton from there
stays on the branch; a step that leaves it (`LEAP`) is halved, so that a longer one only costs tries."""
LEAP = 0.5
"""A passive joint that moves more in one step (rad, share of the size) has left its branch: the step is halved."""
SHORTEST = 1e-5
"""Of the way to a pose (rad, share of the size): a step that is shorter and still fails ends it, as the loops do not
close there. Thirteen halvings of `STEP`."""
ITERATIONS = 12
"""Newton's rounds of one step, which double the digits with each where it is near: a choice with room for the slower
way past a pose of lower rank."""
LEAST_DIVISOR = 1e-300
"""Stands in for a length of zero that divides another: the solver's constant, which is not there beside ROS."""


@dataclass(frozen=True)
class Solution:
    """Values by joint (rad, m), and how far the loops are closed.

    `error` is the largest residual of a loop (m, rad). `closed`: whether the pose was reached with no more than
    `TOLERANCE`, or twice the `gap` of loops that are open as designed (CB554).
    """

    values: dict[str, float]
    error: float
    closed: bool


@dataclass(frozen=True, eq=False)
class _Equation:
    """One equation between two links; `row` gives residual, force at a point, and moment of its gradient."""

    link_a: str
    link_b: str
    row: Row
    columns: tuple[tuple[UrdfJoint, float], ...]


class LoopClosure:
    """The mechanism: `joints` all that move, `active` those that are given, `passive` those that are solved for.

    `lower` and `upper` (n,) are the limits of the joints; `gap` is by how much the loops are open as designed (m, rad);
    `left_open` names the closures that are not solved, with the reason. ValueError where the texts do not fit.
    """

    def __init__(self, urdf: str, closures: str) -> None:
        """Parse both texts; `closures` in the format cadbridge.closures/1 with its key `active`."""
        document = json.loads(closures)
        root = ET.fromstring(urdf)
        self._joints = joints_of(root)
        self._above = {joint.child: joint for joint in self._joints}
        moving = [joint for joint in self._joints if joint.index is not None]
        self.joints = tuple(joint.name for joint in moving)
        self._axes = np.array([joint.axis for joint in moving]).reshape(-1, 3)
        self._number = {name: k for k, name in enumerate(self.joints)}
        self.lower, self.upper = limits_of(root, self.joints)
        self.links = tuple(str(link.get("name")) for link in root.findall("link"))
        self._E, self._e, own = self._relations(root, document)
        self._independent = own
        self.active = tuple(str(name) for name in document.get("active", ()))
        unknown = [name for name in self.active if name not in self._number or self._number[name] not in own]
        if unknown:
            raise ValueError(f"active joints that the URDF lacks or that follow others: {', '.join(unknown)}")
        self.left_open: dict[str, str] = {}
        self._equations = self._all_equations(document)
        self._used = tuple(dict.fromkeys(link for eq in self._equations for link in (eq.link_a, eq.link_b)))
        self._moving = tuple({joint.name: joint for eq in self._equations for joint, _ in eq.columns}.values())
        self._signs = np.zeros((len(self._equations), len(self.joints)))
        for i, eq in enumerate(self._equations):
            for joint, sign in eq.columns:
                self._signs[i, joint.index] += sign
        self._size = self._extent()
        touched = {joint.index for eq in self._equations for joint, _ in eq.columns}
        used = {k for k, z in enumerate(own) if any(self._E[j, k] for j in touched if j is not None)}
        given = {own.index(self._number[name]) for name in self.active}
        self._A = [own.index(self._number[name]) for name in self.active]
        self._P = sorted(used - given)
        self.passive = tuple(self.joints[own[k]] for k in self._P)
        slides = [self.slides(self.joints[number]) for number in own]
        self._scale = np.where(slides, self._size, 1.0)
        self._state = np.zeros((1, len(own)))
        self.gap = 0.0
        self._state, error = self._newton(self._state)
        self.gap = float(error[0])

    @property
    def expansion(self) -> Array:
        """(joints, k): how the joints turn with those that follow no other, named by `jacobian`."""
        return self._E

    def slides(self, name: str) -> bool:
        """Whether a joint slides."""
        return next(joint.slides for joint in self._joints if joint.name == name)

    def follow(self, values: Mapping[str, float]) -> Solution:
        """The pose at which the active joints have these values; those not named keep theirs.

        Where the loops do not close there, `closed` is False, the last pose remains, and the values are those of the
        nearest pose on the way that is closed.
        """
        state = self._state.copy()
        for k, j in enumerate(self._independent):
            if self.joints[j] in values and k not in self._A and k not in self._P:
                state[0, k] = values[self.joints[j]]
        now = dict(zip(self.active, state[0, self._A].tolist(), strict=True))
        target = np.array([[float(values.get(name, now[name])) for name in self.active]])
        if not np.isfinite(target).all():
            return Solution(self._named(state), math.inf, False)
        state, error, arrived = self._move(state, target, following=True)
        if arrived[0]:
            self._state = state
        return Solution(self._named(state), float(error[0]), bool(arrived[0]))

    def poses(self, targets: Array, start: Array | None = None) -> tuple[Array, Array]:
        """Closed poses (N, joints) on the way to active values (N, k) from `start` (N, joints); which arrived (N,).

        The designed pose is the start where none is given.
        Where a pose does not arrive the last one on the way stands in its place, found to a hundredth of a step.
        """
        targets = np.asarray(targets, dtype=float)
        if start is None:
            designed, _ = self._newton(np.zeros((1, len(self._independent))))
            state = np.repeat(designed, len(targets), axis=0)
        else:
            state = np.asarray(start, dtype=float)[:, self._independent]
        state, _, arrived = self._move(state, targets, 2 * STEP, 0.02 * STEP)
        return state @ self._E.T + self._e, arrived

    def place(self, q: Array, links: Sequence[str] | None = None) -> dict[str, tuple[Array, Array]]:
        """Rotations (N, 3, 3) and origins (N, 3) of the links in the root's frame at coordinates q (N, joints)."""
        placed: dict[str, tuple[Array, Array]] = {}
        turns = rotations_about(self._axes, q)
        for link in self.links if links is None else links:
            self._place(link, q, turns, placed)
        return placed

    def error(self, q: Array) -> Array:
        """The largest residual of a loop (N,), m and rad, at coordinates q (N, joints)."""
        residuals, _ = self._rows(np.asarray(q, dtype=float))
        return np.max(np.abs(residuals), axis=1, initial=0.0)

    def jacobian(self, q: Array) -> tuple[Array, tuple[str, ...]]:
        """The loops' gradient (N, rows, k) by the joints that follow no other, and the names of these."""
        _, J = self._rows(np.asarray(q, dtype=float))
        return J @ self._E, tuple(self.joints[j] for j in self._independent)

    def settle(self, q: Array) -> tuple[Array, Array]:
        """The closed poses nearest to coordinates q (N, joints), all joints moving; and their residuals (N,)."""
        state = np.asarray(q, dtype=float)[:, self._independent]
        state, error = self._newton(state, list(range(len(self._independent))))
        return state @ self._E.T + self._e, error

    def _named(self, state: Array) -> dict[str, float]:
        q = (state @ self._E.T + self._e)[0]
        return dict(zip(self.joints, q.tolist(), strict=True))

    def _move(
        self, state: Array, target: Array, stride: float = STEP, shortest: float = SHORTEST, following: bool = False
    ) -> tuple[Array, Array, Array]:
        """Go from closed poses towards active values; states, residuals, and which arrived.

        `following`: one pose, from where the equations were evaluated last, whose gradient tells where to begin.
        """
        state = state.copy()
        begin = state[:, self._A].copy()
        span = np.max(np.abs(target - begin) / self._scale[self._A], axis=1, initial=0.0)
        longest = np.minimum(1.0, stride / np.maximum(span, LEAST_DIVISOR))
        done, step = np.zeros(len(state)), longest.copy()
        errors, running = np.zeros(len(state)), np.ones(len(state), dtype=bool)
        while running.any():
            k = np.flatnonzero(running)
            share = np.minimum(1.0, done[k] + step[k])
            trial = state[k].copy()
            trial[:, self._A] = begin[k] + share[:, None] * (target[k] - begin[k])
            if following:
                self._go_along(trial, trial[:, self._A] - state[:, self._A])
            trial, error = self._newton(trial, solved=FOLLOWED if following else SOLVED)
            leap = np.abs(trial - state[k])[:, self._P] / self._scale[self._P]
            good = (error <= max(TOLERANCE, 2 * self.gap)) & (np.max(leap, axis=1, initial=0.0) <= LEAP)
            state[k[good]], done[k[good]], errors[k[good]] = trial[good], share[good], error[good]
            # Doubled after a success, so that one hard place does not slow the whole way.
            step[k] = np.where(good, np.minimum(longest[k], 2 * step[k]), step[k] / 2)
            failed = ~good & (step[k] * span[k] < shortest)
            errors[k[failed]] = error[failed]
            running[k[failed | (done[k] >= 1.0)]] = False
        return state, errors, done >= 1.0

    def _go_along(self, state: Array, by: Array) -> None:
        """Move the passive coordinates of a pose as the loops' gradient says of active ones moved by (1, k)."""
        scale, given = self._scale[self._P], (self._gradient[:, :, self._A] @ by[:, :, None])[:, :, 0]
        state[:, self._P] -= _least(self._gradient[:, :, self._P] * scale, given) * scale

    def _newton(self, state: Array, columns: list[int] | None = None, solved: float = SOLVED) -> tuple[Array, Array]:
        """Solve the loops for the passive coordinates (or for `columns`); the states and their residuals (N,)."""
        columns = self._P if columns is None else columns
        best, least = state, np.full(len(state), np.inf)
        for _ in range(ITERATIONS):
            residuals, J = self._rows(state @ self._E.T + self._e)
            error = np.max(np.abs(residuals), axis=1, initial=0.0)
            # Newton may overshoot near a pose of lower rank: the best state so far is the answer.
            better = error < least
            best, least = np.where(better[:, None], state, best), np.where(better, error, least)
            self._gradient = J @ self._E
            if not columns or not (better & (error > solved)).any():
                break
            weighed = self._gradient[:, :, columns] * self._scale[columns]
            step = -_least(weighed, residuals)
            longest = np.max(np.abs(step), axis=1, initial=0.0)
            step *= np.minimum(1.0, LEAP / np.maximum(longest, LEAST_DIVISOR))[:, None]
            state = state.copy()
            state[:, columns] += step * self._scale[columns]
        return best, least

    def _rows(self, q: Array) -> tuple[Array, Array]:
        """Residuals (N, rows) and their gradient (N, rows, joints): of each row F · v + T · ω about the origin."""
        placed = self.place(q, self._used)
        n = len(self._equations)
        residuals = np.zeros((len(q), n))
        force, torque, moments = np.zeros((len(q), n, 3)), np.zeros((len(q), n, 3)), np.zeros((len(q), n, 3))
        for i, eq in enumerate(self._equations):
            residuals[:, i], force[:, i], moments[:, i], torque[:, i] = eq.row(*placed[eq.link_a], *placed[eq.link_b])
        torque = cross(torque, force) + moments
        linear, angular = np.zeros((len(q), 3, len(self.joints))), np.zeros((len(q), 3, len(self.joints)))
        if self._moving:
            index = [joint.index for joint in self._moving if joint.index is not None]
            R, origin = (np.stack([placed[joint.child][k] for joint in self._moving], axis=1) for k in (0, 1))
            axes = np.einsum("nkij,kj->nki", R, np.array([joint.axis for joint in self._moving]))
            slides = np.array([joint.slides for joint in self._moving])[:, None]
            linear[:, :, index] = np.swapaxes(np.where(slides, axes, cross(origin, axes)), 1, 2)
            angular[:, :, index] = np.swapaxes(np.where(slides, 0.0, axes), 1, 2)
        return residuals, (force @ linear + torque @ angular) * self._signs

    def _place(self, link: str, q: Array, turns: Array, placed: dict[str, tuple[Array, Array]]) -> None:
        chain = []
        while link not in placed and link in self._above:
            chain.append(self._above[link])
            link = chain[-1].parent
        placed.setdefault(link, (np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3))))
        for joint in reversed(chain):
            R, p = placed[joint.parent]
            p, R = p + R @ joint.p, R @ joint.R
            if joint.index is not None:
                if joint.slides:
                    p = p + (R @ joint.axis) * q[:, joint.index, None]
                else:
                    R = R @ turns[:, joint.index]
            placed[joint.child] = (R, p)

    def _extent(self) -> float:
        """A length in m: how far the links' origins are apart as designed."""
        placed = self.place(np.zeros((1, len(self.joints))))
        points = np.array([p[0] for _, p in placed.values()])
        return float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0

    def _relations(self, root: ET.Element, document: Mapping[str, Any]) -> tuple[Array, Array, list[int]]:
        """q = E z + e, where z are the joints that follow no other (their numbers come third)."""
        follows: dict[int, tuple[list[tuple[int, float]], float]] = {}
        for element in root.findall("joint"):
            mimic = element.find("mimic")
            if mimic is not None:
                term = (self._number[mimic.get("joint", "")], float(mimic.get("multiplier", 1.0)))
                follows[self._number[element.get("name", "")]] = ([term], float(mimic.get("offset", 0.0)))
        for follower in document.get("follows", ()):
            terms = [(self._number[t["joint"]], float(t["factor"])) for t in follower["terms"]]
            follows[self._number[follower["joint"]]] = (terms, float(follower["offset"]))
        own = [k for k in range(len(self.joints)) if k not in follows]
        E, e = np.zeros((len(self.joints), len(own))), np.zeros(len(self.joints))
        E[own, range(len(own))] = 1.0
        left = dict(follows)
        while left:
            ready = [k for k, (terms, _) in left.items() if all(j not in left for j, _ in terms)]
            if not ready:
                raise ValueError("joints that follow one another in a circle")
            for k in ready:
                terms, offset = left.pop(k)
                # In the order of who follows whom, as a leader may follow others in turn.
                E[k] = sum((c * E[j] for j, c in terms), np.zeros(len(own)))
                e[k] = offset + sum(c * e[j] for j, c in terms)
        return E, e, own

    def _all_equations(self, document: Mapping[str, Any]) -> list[_Equation]:
        bodies = {body["index"]: (body["link"], pose_of(body["X_LB"])) for body in document.get("bodies", ())}
        found = []
        for joint in document.get("joints", ()):
            equations, reason = self._of_joint(joint, bodies)
            if reason:
                self.left_open[joint["name"]] = reason
            else:
                found += equations
        for coupling in document.get("couplings", ()):
            self.left_open[coupling["name"]] = "its ratio is not constant"
        return found

    def _of_joint(self, joint: Mapping[str, Any], bodies: Mapping[int, Any]) -> tuple[list[_Equation], str]:
        """The equations of a joint, or why there are none."""
        equations = []
        for primitive in joint["primitives"]:
            # A screw's coupler counts whole turns, which poses alone do not tell; `screw` holds it up to those.
            if primitive["kind"] == "Coupler" and joint.get("pitch") is not None:
                continue
            if primitive["kind"] not in ROWS:
                return [], f"no equation for {primitive['kind']}"
            (link_a, X_a), (link_b, X_b) = bodies[primitive["a"]], bodies[primitive["b"]]
            row = ROWS[primitive["kind"]](InLinks(primitive, X_a, X_b))
            equations.append((link_a, link_b, row))
        if joint.get("pitch") is not None:
            a, b = pose_of(joint["X_LaJ"]), pose_of(joint["X_LbJ"])
            equations.append((joint["link_a"], joint["link_b"], screw(a, b, float(joint["pitch"]))))
        found = []
        for link_a, link_b, row in equations:
            columns = self._columns(link_a, link_b)
            if columns is None:
                return [], "a body of the loop floats"
            found.append(_Equation(link_a, link_b, row, columns))
        return found, ""

    def _columns(self, link_a: str, link_b: str) -> tuple[tuple[UrdfJoint, float], ...] | None:
        """The joints between two links: +1 those above b alone, -1 those above a alone; None where one floats."""
        above_a, above_b = self._path(link_a), self._path(link_b)
        signed = [(joint, 1.0) for joint in above_b if joint not in above_a]
        signed += [(joint, -1.0) for joint in above_a if joint not in above_b]
        if any(joint.kind == "floating" for joint, _ in signed):
            return None
        return tuple((joint, sign) for joint, sign in signed if joint.index is not None)

    def _path(self, link: str) -> list[UrdfJoint]:
        path = []
        while link in self._above:
            path.append(self._above[link])
            link = path[-1].parent
        return path


def _least(J: Array, r: Array) -> Array:
    """The smallest x (N, k) with J x = r in the least squares sense, J (N, m, k) of any rank, slightly damped."""
    wide = J.shape[1] <= J.shape[2]
    Jt = np.swapaxes(J, 1, 2)
    A = J @ Jt if wide else Jt @ J
    n = A.shape[1]
    # Keeps A regular where rows repeat each other, at the price of its thirteenth digit, which Newton's next round gets
    # back; the constant, where all rows are zero.
    damping = 1e-13 * np.trace(A, axis1=1, axis2=2) + 1e-200
    A = A + damping[:, None, None] * np.eye(n)
    x = Jt @ np.linalg.solve(A, r[:, :, None]) if wide else np.linalg.solve(A, Jt @ r[:, :, None])
    return x[:, :, 0]
