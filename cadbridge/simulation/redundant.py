"""Rows that repeat others and contradict them a little: found, and looked at all over the motion.

A row repeats others where it stays within the gap at poses all around the design that the others allow, so that a pose
that is special (a flattened parallelogram) hides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Pose
from cadbridge.lowering import Lowered
from cadbridge.mechanism.rows import rows_of
from solver import rotation
from solver.equations.projection import POSITION_TOLERANCE, carry_angles, open_rows, project
from solver.equations.system import System, prepare
from solver.model import Model
from solver.state import State

if TYPE_CHECKING:
    from cadbridge.diagnosis.constraint_graph import ConstraintGraph

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

LARGEST_SHARE = 1e-3
"""Parts of the mechanism's length that are never taken for rounding."""
WAYS, STEPS_A_WAY, STEP_LENGTH = 2, 10, 0.3
"""Ways from the design, each also backwards; steps along each, and their length in rad or lengths of the mechanism."""
MOST_ITERATIONS = 15
"""Iterations that put a step on the rows again, or it was too long: Newton within its reach doubles the digits with
each; a tenth of the step is tried then."""
EXACT_PART = 0.01
"""Singular values below this part of what may be rounding are none, so that the widest gap is not the one below it."""
MOST_SPECIAL = 50
"""Rows that only the design makes repeat others, above which nothing is looked for."""
_KEPT = 8
"""Choices of spare rows for which the system is kept: small machines have one to five all over their motion."""


@dataclass(frozen=True, eq=False)
class Case:
    """The bodies and rows of a mechanism of some `length` (m); scaled residuals up to `allowed` may be rounding."""

    system: System
    length: float
    allowed: float

    @cached_property
    def without(self) -> Callable[[Ints], System]:
        """Gives the system without some of its rows."""
        return reduced(self.system)

    @property
    def model(self) -> Model:
        """Its bodies and primitives, of one row each."""
        return self.system.model


@dataclass(frozen=True, eq=False)
class Redundant:
    """A model whose rows contradict each other a little.

    `samples` are states that its motion leads to, the design first, each with the rows that are spare there: it lies on
    all but those, which repeat others. `worst` are the groups that are open there, and how far (m), the worst first.
    """

    case: Case
    samples: tuple[tuple[State, Ints], ...]
    worst: tuple[tuple[str, float], ...]


def find_redundant(lowered: Lowered, gap: float) -> Redundant | None:
    """The model where rows contradict others by no more than `gap` (m), looked at near the design.

    None where all rows hold exactly, or do not by more. ValueError where it cannot be computed.
    """
    # Loads and measured coordinates change no row, and nothing is measured here.
    model = replace(lowered.model, loads=(), meshes=(), coordinates=(), coordinate_names=())
    system = prepare(model, carried=False)
    case = Case(system, lowered.mechanism.length_scale, min(gap / system.length, LARGEST_SHARE))
    found = project(system, State.at_rest(model.positions, model.quaternions))
    if float(np.max(found.residuals[0], initial=0.0)) > case.allowed:
        return None
    rounding = max(POSITION_TOLERANCE, _rounding(system, found.state))
    all_around = tuple(_walk(case, np.zeros(0, np.int64), found.state, steps=1))
    if len(all_around) > 2 * WAYS and opened_rows(system, all_around).max(initial=0.0) <= rounding:
        return None
    spare = _spare(case, found.state)
    for _ in range(min(len(spare), MOST_SPECIAL)):
        samples = tuple(_walk(case, spare, found.state, steps=1))
        opened = opened_rows(system, samples)
        largest = float(opened[spare].max())
        if largest <= rounding:
            return None
        if largest <= case.allowed:
            return _redundant(case, samples)
        # At another pose it says something of its own: the design is a special one.
        spare = np.delete(spare, int(np.argmax(opened[spare])))
    return None


def all_over(redundant: Redundant) -> Redundant:
    """The same, looked at all over its motion."""
    design, spare = redundant.samples[0]
    samples = tuple(s for s in _walk(redundant.case, spare, design, STEPS_A_WAY) if len(s[1]) == len(spare))
    return _redundant(redundant.case, samples)


def _redundant(case: Case, samples: tuple[tuple[State, Ints], ...]) -> Redundant:
    opened = opened_rows(case.system, samples) * case.system.length
    sizes = sorted(((name, float(opened[rows].max())) for name, rows in by_group(case.model).items()), key=_size)
    # Groups that open by a hundredth of the worst are not what contradicts: their rows give way to others'.
    return Redundant(case, samples, tuple(s for s in sizes if s[1] >= 0.01 * sizes[0][1]))


def _size(group: tuple[str, float]) -> float:
    return -group[1]


def _rounding(system: System, state: State) -> float:
    """What rows may be open by for the computer's rounding alone: positions far from the origin have fewer digits."""
    # Some five hundred roundings of a scaled row, and a hundred of the farthest position.
    return 1e-13 + 2e-14 * float(np.max(np.abs(state.positions), initial=0.0)) / system.length


def by_group(model: Model) -> dict[str, Ints]:
    """The rows (m,) of each group; a primitive has one row."""
    found: dict[str, list[int]] = {}
    for row, name in enumerate(model.groups):
        found.setdefault(name, []).append(row)
    return {name: np.array(rows, np.int64) for name, rows in found.items()}


def opened_rows(system: System, samples: Sequence[tuple[State, Ints]]) -> Array:
    """How far each row (m,) is open at most, scaled."""
    return np.asarray(np.max([open_rows(system, state)[0] for state, _ in samples], axis=0))


def graph_at(case: Case, state: State, strongest: bool = False) -> ConstraintGraph:
    """The dependence of the rows at a state, as the diagnosis sees it, but that what may be rounding is no rank."""
    # Most runs have no rows that repeat each other, and do not wait for the diagnosis.
    from cadbridge.diagnosis.constraint_graph import graph_of
    from cadbridge.diagnosis.pairs import Choice

    poses = [Pose(rotation.matrix(q), x) for x, q in zip(state.positions, state.quaternions, strict=True)]
    rows = rows_of(case.model.primitives, case.model.groups, poses, case.length)
    return graph_of(rows, range(len(rows)), Choice(case.allowed, EXACT_PART * case.allowed, strongest))


def _spare(case: Case, state: State) -> Ints:
    """Rows that repeat the others at a pose, and are small sums of them."""
    from cadbridge.diagnosis.dependence import kept_rows

    return np.flatnonzero(~kept_rows(graph_at(case, state, strongest=True)))


def reduced(system: System) -> Callable[[Ints], System]:
    """Gives the system without some of its rows, in ascending order. Most states of a walk have the same ones spare.

    The last few are kept: to prepare a system takes as long as some ten states to be put on its rows.
    """

    @lru_cache(maxsize=_KEPT)
    def prepared(spare: tuple[int, ...]) -> System:
        if not spare:
            return system
        gone = set(spare)
        kept = tuple(p for i, p in enumerate(system.model.primitives) if i not in gone)
        return prepare(replace(system.model, primitives=kept, groups=()), carried=False)

    return lambda spare: prepared(tuple(spare.tolist()))


def put_on(system: System, less: System, state: State, iterations: int = 60) -> tuple[State, bool]:
    """The state of `system` put on the rows of `less`, which has fewer, rates as well; and whether it could be."""
    found = project(less, carry_angles(state, system, less), iterations=iterations)
    return carry_angles(found.state, less, system), found.status.ok


def _moved(system: System, less: System, state: State, way: Array) -> State | None:
    """The state `STEP_LENGTH` along a way (n, 6), or a tenth of that; None where neither closes the rows of `less`."""
    # Rows that bend sharply close at a shorter step only.
    for part in (STEP_LENGTH, 0.1 * STEP_LENGTH):
        turned = rotation.turned(state.quaternions, part * way[:, 3:])
        moved = replace(state, positions=state.positions + part * way[:, :3], quaternions=turned)
        found, holds = put_on(system, less, moved, MOST_ITERATIONS)
        if holds:
            return found
    return None


def _walk(case: Case, spare: Ints, design: State, steps: int) -> Iterator[tuple[State, Ints]]:
    """The design without the `spare` rows, and states that it moves to, each with the rows that are spare there."""
    system, without = case.system, case.without
    at_home = without(spare)
    home, _ = put_on(system, at_home, design)
    yield home, spare
    # The same ways each time: whether a mechanism is fitted must not change from run to run.
    random = np.random.default_rng(1)
    weights = np.array([system.length] * 3 + [1.0] * 3)
    ways = [random.standard_normal(home.velocities.shape) * weights for _ in range(WAYS)]
    for rates in (*ways, *(-way for way in ways)):
        here, own, less = home, spare, at_home
        for _ in range(steps):
            # A way goes on in its own direction, as far as the rows allow where it has come to.
            rates = put_on(system, less, replace(here, velocities=rates))[0].velocities
            size = float(np.max(np.abs(rates) / weights, initial=0.0))
            # Rates of unit size: rows that leave nothing of a way leave rounding.
            if size < 1e-9:
                break
            moved = _moved(system, less, here, rates / size)
            if moved is None:
                break
            here = moved
            if steps > 1:
                own = _spare(case, here)
                less = without(own)
            yield here, own
