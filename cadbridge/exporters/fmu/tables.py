"""What the C runtime of an FMU reads (`model.bin`): the solver's tables and workspaces in one block, and their places.

Laid out as the solver itself does for a run by an explicit method (`solver.runs.marcher`), with one sample at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.exporters.fmu.image import WORD_BYTES, Image
from cadbridge.exporters.fmu.machine import METHOD, Machine
from cadbridge.exporters.fmu.signals import corners_of, signals_of
from cadbridge.lowering import joint_bearer
from cadbridge.simulation.scenario import Scenario
from solver.chart.stepping import no_joints
from solver.compilation.compiled import ENTRIES, Table
from solver.constraints.kernels import rows_workspace, terms_workspace
from solver.equations.kkt import Space, space
from solver.equations.system import System
from solver.equations.workspace import Workspace
from solver.runs.course import Course, begin_course, new_course
from solver.runs.driving import Drives
from solver.runs.integrate import first_step, longest_at, pace_of
from solver.runs.kinks import kinks_of
from solver.runs.marcher import sudden
from solver.runs.meeting import nothing_watched
from solver.steps.explicit import Pace
from solver.steps.methods import METHODS, Absolute
from solver.steps.samples import Within, make_samples

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

KERNELS = ("march", "stage_here", "observe_into", "settle", "least_into")
"""The entries of the solver that the runtime calls."""

PLACES = (
    "MARCH", "MARCH_RESULT", "MARCH_TOLERANCE", "STAGE", "STAGE_RESULT", "OBSERVE", "OBSERVE_RESULT", "SETTLE",
    "SETTLE_RESULT", "SETTLE_TOLERANCE", "LEAST", "TOLERANCE", "TIME", "SINCE", "CHANGED", "CLOCK", "COUNTS",
    "SAMPLE_TIME", "FILLER", "DRIVE", "BODY_COUNT", "ANGLE_COUNT", "DRIVE_COUNT", "ROW_COUNT", "COORDINATE_COUNT", "X",
    "Q", "V", "ANGLES", "GIVEN", "DERIVATIVES", "ACCELERATION", "TURNING", "POWER", "SLOPE_ACCELERATION",
    "SLOPE_TURNING", "SLOPE_POWER", "MULTIPLIERS", "REPEATED", "LEAST_X", "LEAST_Y", "ENERGY", "ROTATION", "BLOCKS",
    "BLOCK_ROW", "INPUT", "SIGNAL_START", "SIGNAL_TIME", "SIGNAL_VALUE", "MASS", "INVERSE_MASS", "EVEN_MASS",
    "INERTIA", "INVERSE_INERTIA", "EVEN_INERTIA", "MOTOR_COUNT", "MOTOR", "MOTOR_TERM", "MOTOR_ROW",
    "MOTOR_STIFFNESS", "MOTOR_DAMPING", "MOTOR_EFFORT", "MOTOR_GAIN", "MOTOR_BIAS", "MOTOR_BOUNDS", "TERM_VALUE",
    "TERM_RATE", "EFFORTS", "EFFORT_COUNT",
    "WRENCHES", "WRENCH_COUNT", "WRENCH_START", "WRENCH_BLOCK", "WRENCH_BODY", "WRENCH_LEVER", "ORIGINS",
    "ORIGIN_COUNT", "ORIGIN_BODY", "ORIGIN_LEVER",
)  # fmt: skip
"""Places in the block and counts, in the order of the enumeration in runtime/model.h."""

MAGIC = b"CBFMU001"
_TOKEN, _VARIABLES, _HEAD = (1, 2), 6, 7
"""Words of `model.bin`: the token, the number of variables, and how many come before the places."""

_LAWS = {"torque": 0, "pd": 1, "speed": 2, "angle": 2, "voltage": 3, "servo": 4}
_CONSTANT = {
    "Workspace": ("compliance",),
    "Steps": ("most", "sudden"),
    "Within": ("pose_fit", "sum_fit", "most", "still", "every_term", "every_row", "coordinate"),
}
"""The fields of workspaces that hold something before the first evaluation."""


_IMPORTER = 0.01
"""Of the scenario's tolerance: what an importer's integrator needs to follow the solver's own steps as closely."""


def importers_tolerance(what: Scenario) -> float:
    """The tolerance of the default experiment: for the integrator of model exchange."""
    return _IMPORTER * min(what.rtol, what.atol)


@dataclass(eq=False)
class TableBlock:
    """The block with its places; and the arrays, for the variables that stand in them."""

    image: Image
    places: dict[str, int] = field(default_factory=dict)
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)

    def put(self, **arrays: NDArray[Any]) -> None:
        """Arrays under the names of their places."""
        for name, array in arrays.items():
            self.arrays[name] = array
            self.places[name] = self.image.word(array)

    def call(self, name: str, entry: str, *arguments: Any) -> None:
        """The words of a call of a kernel, with the places of its results and of its last argument."""
        self.places[name], self.places[f"{name}_RESULT"], words = self.image.call(ENTRIES[entry], *arguments)
        self.places[f"{name}_TOLERANCE"] = words[-1]

    def at(self, name: str, index: int) -> int:
        """The word of an element of an array."""
        return self.places[name] + index

    def content(self, token: bytes, variables: Iterable[tuple[int, int, int]]) -> bytes:
        """`model.bin`; `variables` are kind, place and body (or 1: not negative) by value reference."""
        self.image.check()
        data, rows = bytes(self.image.data), np.array(list(variables), dtype=np.int64).reshape(-1, 3)
        counts = [len(PLACES), len(data) // WORD_BYTES, len(self.image.pointers), len(rows)]
        numbers = [*counts, *(self.places[name] for name in PLACES)]
        parts = [np.array(numbers, np.int64).tobytes(), data, np.array(self.image.pointers, np.int64).tobytes()]
        return b"".join([MAGIC, token, *parts, rows.tobytes()])

    def serve(self, other: bytes, variables: Sequence[tuple[int, int, int]]) -> bool:
        """Whether a `model.bin` of anybody is as here but for floating numbers, token and choice of variables.

        Kernels look for nothing at a place that a floating number says, so such a file leads them nowhere else.
        """
        if len(other) % WORD_BYTES:
            return False
        own, theirs = (np.frombuffer(data, np.int64) for data in (self.content(bytes(16), ()), other))
        fixed = np.ones(len(own), bool)
        fixed[[*_TOKEN, _VARIABLES]] = False
        for place, count in self.image.reals:
            fixed[_HEAD + len(PLACES) + place :][:count] = False
        here, more = theirs[: len(own)], theirs[len(own) :]
        if len(here) < len(own) or len(more) != 3 * here[_VARIABLES] or np.any((here != own) & fixed):
            return False
        return {tuple(row) for row in more.reshape(-1, 3).tolist()} <= set(variables)


def tables_of(machine: Machine) -> TableBlock:
    """The block of a machine at its start. ValueError where a function of time has no value."""
    made = TableBlock(Image())
    system, what = machine.system, machine.scenario
    engine = Absolute(system, METHODS[METHOD])
    n, na, d = system.program.bodies, system.program.angle_count, len(system.drives)
    start = machine.start
    state = tuple(np.array(a, float, order="C") for a in (start.positions, start.quaternions, start.velocities))
    made.put(X=state[0], Q=state[1], V=state[2], ANGLES=np.array(start.branches, float))
    given = np.concatenate([*(a.ravel() for a in state), made.arrays["ANGLES"]])
    made.put(GIVEN=given, DERIVATIVES=np.zeros(len(given)))
    made.put(TIME=np.zeros(1), SINCE=np.zeros(1), CHANGED=np.zeros(1, np.int64))
    made.put(
        TOLERANCE=np.array([min(what.rtol, what.atol), importers_tolerance(what)]),
        REPEATED=np.zeros(1, np.int64),
        ENERGY=np.zeros(2),
    )
    made.places |= {"BODY_COUNT": n, "ANGLE_COUNT": na, "DRIVE_COUNT": d, "ROW_COUNT": system.program.rows}
    made.places["COORDINATE_COUNT"] = len(machine.lowered.joints)
    _calls(made, machine, engine)
    _bodies_and_motors(made, machine)
    _signals(made, machine)
    _joints(made, machine)
    return made


def _cleared(table: Any) -> None:
    """What a workspace happens to hold is no part of the model: zeros, the same on each run."""
    keep = _CONSTANT.get(type(table).__name__, ())
    for name, value in zip(type(table).kinds, table, strict=True):
        if isinstance(value, Table):
            _cleared(value)
        elif isinstance(value, np.ndarray) and name not in keep:
            value.fill(0)


def _calls(made: TableBlock, machine: Machine, engine: Absolute) -> None:
    """The words of all calls of the kernels, and the places of what they get and give."""
    system, what = machine.system, machine.scenario
    n, d = system.program.bodies, len(system.drives)
    T, W, E, S = system.program.terms, system.rows, engine.tables[-1], engine.steps
    tableau = engine.method.tableau
    assert tableau is not None
    engine.may_change_suddenly(sudden((what.rtol, what.atol), machine.contradictory))
    D, Q, samples = engine.within, space(T, system.schur, n), make_samples(system, np.zeros(1))
    for workspace in (E, S, D, Q, samples):
        _cleared(workspace)
    pace, drives, course = _course(machine, engine, np.zeros((len(tableau.nodes), d, 3)))
    slope = (np.zeros((n, 6)), np.zeros(system.program.angle_count), np.zeros(d + 1))
    made.put(CLOCK=course.clock, COUNTS=course.counts, SAMPLE_TIME=samples.times, FILLER=drives.filler)
    made.put(DRIVE=drives.end, SLOPE_ACCELERATION=slope[0], SLOPE_TURNING=slope[1], SLOPE_POWER=slope[2])
    _put_workspaces(made, system, E, D, Q)
    state = tuple(made.arrays[name] for name in ("X", "Q", "V", "ANGLES"))
    tolerances, poses = (what.rtol, what.atol), (E.x, E.R, E.v)
    terms, rows = (D.every_term, D.value, D.term_rate, D.bias, D.JA, D.JB), (D.every_row, D.g, D.gv, D.c, D.blocks)
    B, F = system.bodies, system.loads
    made.call(
        "MARCH", "march", engine.tables, (no_joints(), engine.implicit), S, tableau, pace, drives, D,
        (nothing_watched(), kinks_of(F)), course, state, np.zeros(d + 1), slope, samples, 100_000, tolerances,
    )  # fmt: skip
    made.call("STAGE", "stage_here", T, system.plan, B, F, W, E, state, drives.end, made.arrays["MULTIPLIERS"])
    made.call(
        "OBSERVE", "observe_into", T, B, F, W, system.length, poses, state[3], drives.end, E.acceleration, terms, rows,
        (made.arrays["SECOND"], D.first, D.second),
    )  # fmt: skip
    before = (S.before_x, S.before_q, S.before_v)
    made.call("SETTLE", "settle", engine.tables, before, S.sudden, state, drives.end, tolerances)
    made.call(
        "LEAST", "least_into", T, system.schur, B, W, Q, poses, state[3], drives.end, terms_workspace(T),
        rows_workspace(T), made.arrays["MULTIPLIERS"],
    )  # fmt: skip


def _course(machine: Machine, engine: Absolute, nodes: Array) -> tuple[Pace, Drives, Course]:
    """How a communication step is walked: its pace, what drives it (at a method's `nodes`), and where it is."""
    what = machine.scenario
    longest = longest_at(what.rate)
    first = first_step(engine.method, (what.rtol, what.atol), longest)
    corners, end = corners_of(machine.functions, what.duration), np.zeros(nodes.shape[1:])
    course = new_course()
    begin_course(course, 0.0, first, 0.0)
    course.counts[6] = 1  # one sample, at the end of each communication step
    drives = Drives(np.zeros((0, 3)), np.zeros(1, np.int64), corners, nodes, end)
    return pace_of(engine.method, first, longest), drives, course


def _put_workspaces(made: TableBlock, system: System, E: Workspace, D: Within, Q: Space) -> None:
    """The places of what calls leave in their workspaces."""
    m, terms = system.program.rows, len(system.program.coordinate_term)
    made.put(ACCELERATION=E.acceleration, TURNING=E.turning, POWER=E.power, ROTATION=E.R)
    made.put(TERM_VALUE=D.value, TERM_RATE=D.term_rate, SECOND=np.zeros(terms), MULTIPLIERS=np.zeros(m))
    made.put(LEAST_X=Q.x, LEAST_Y=Q.y, BLOCKS=D.blocks)
    made.put(BLOCK_ROW=np.repeat(np.arange(m), np.diff(system.program.terms.row_block)).astype(np.int64))


def _bodies_and_motors(made: TableBlock, machine: Machine) -> None:
    B, F, model = machine.system.bodies, machine.system.loads, machine.system.model
    made.put(MASS=B.mass, INVERSE_MASS=B.inverse_mass, EVEN_MASS=B.even_mass, INERTIA=B.inertia, GRAVITY=B.gravity)
    made.put(INVERSE_INERTIA=B.inverse_inertia, EVEN_INERTIA=B.even_inertia, DAMPING=F.damping, FRICTION=F.friction)
    index = {joint.name: i for i, joint in enumerate(machine.lowered.joints)}
    motors = [[_LAWS[m.kind], -1 if m.kind == "voltage" else index.get(m.name, -1)] for m in model.motors]
    made.put(MOTOR=np.array(motors, dtype=np.int64).reshape(-1, 2), MOTOR_TERM=F.motor_term, MOTOR_ROW=F.motor_row)
    made.put(MOTOR_STIFFNESS=F.motor_stiffness, MOTOR_DAMPING=F.motor_damping, MOTOR_EFFORT=F.motor_effort)
    made.put(MOTOR_GAIN=F.motor_gain, MOTOR_BIAS=F.motor_bias, MOTOR_BOUNDS=F.motor_bounds)
    made.put(EFFORTS=np.zeros(len(index)))
    made.places |= {"MOTOR_COUNT": len(motors), "EFFORT_COUNT": len(index)}


def _signals(made: TableBlock, machine: Machine) -> None:
    """The inputs, and the scenario's functions of time."""
    inputs = np.zeros((len(machine.system.drives), 3))
    for given in machine.given:
        inputs[given.row, 0] = given.start
    signals = signals_of(machine.functions, machine.scenario.duration)
    made.put(INPUT=inputs, SIGNAL_START=signals.start, SIGNAL_TIME=signals.time, SIGNAL_VALUE=signals.value)


def _joints(made: TableBlock, machine: Machine) -> None:
    """What forces of joints and origins of bodies are made of."""
    lowered, system = machine.lowered, machine.system
    count = len(system.model.primitives)
    row_group = np.repeat(np.arange(count), np.diff(system.program.primitive_row[: count + 1]))
    row_block, block_body = system.program.terms.row_block, system.program.terms.block_body
    rows_of: defaultdict[str, list[int]] = defaultdict(list)
    for row, group in enumerate(row_group.tolist()):
        rows_of[system.model.groups[group]].append(row)
    start, blocks, bearers, levers = [0], [], [], []
    for joint in lowered.mechanism.joints:
        bearer, lever, sign = joint_bearer(lowered, joint)
        for row in rows_of[joint.name]:
            blocks += [b for b in range(row_block[row], row_block[row + 1]) if block_body[b] == bearer]
        start.append(len(blocks))
        bearers.append(bearer)
        levers.append([*lever, sign])
    made.put(WRENCH_START=np.array(start, np.int64), WRENCH_BLOCK=np.array(blocks, np.int64))
    made.put(WRENCH_BODY=np.array(bearers, np.int64), WRENCH_LEVER=np.array(levers, float).reshape(-1, 4))
    made.put(WRENCHES=np.zeros((len(bearers), 6)), ORIGINS=np.zeros((len(lowered.units), 7)))
    made.put(ORIGIN_BODY=np.arange(len(lowered.units), dtype=np.int64))
    made.put(ORIGIN_LEVER=np.array([-u.mass.com for u in lowered.units], float).reshape(-1, 3))
    made.places |= {"WRENCH_COUNT": len(bearers), "ORIGIN_COUNT": len(lowered.units)}
