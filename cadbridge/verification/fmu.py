"""An FMU against the mechanism it came from, run by FMPy for co-simulation and for model exchange.

It holds damping, dry friction and rotors, so nothing is left out of the mechanism. Its inertias cannot be read: they
are compared by the kinetic energy of random velocities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.errors import ModelError
from cadbridge.exporters.tree import spanning_tree
from cadbridge.frames import Pose, Vector
from cadbridge.mechanism.model import Mechanism
from cadbridge.simulation import Run, Scenario, simulate
from cadbridge.verification.contents import (
    BY_MOTION,
    COUPLINGS,
    EFFORT,
    RANGE,
    ROTORS,
    SENSORS,
    SERVOS,
    SHAPES,
    SPEED,
    SPRINGS,
    TOUCHED,
    Compared,
    Contents,
    Exported,
    compare_contents,
)
from cadbridge.verification.engines import load_module
from cadbridge.verification.found import EngineFindings
from cadbridge.verification.swing import MISSES_AT_MOST, SHORTER, STILL_JOINT, TIGHT, Swing, at_rest, verdict_of

NAME = "FMPy"
PRECISION = 1e-9
"""rad and m, and relative: our own FMU carries the numbers of our own model, and only its steps (`LOOSE`) differ."""
KINDS = ("CoSimulation", "ModelExchange")
LOOSE = 1e-8
"""The tolerance of the FMU's own steps."""


def compare_fmu(
    mechanism: Mechanism,
    folder: Path,
    names: Mapping[str, Mapping[str, str]],
    duration: float,
    twists: Sequence[Vector],
) -> EngineFindings:
    """Compare the FMU in a folder; InputError where FMPy is not installed. `names` are those of its losses.json."""
    fmpy = load_module("fmpy")
    (path,) = folder.glob("*.fmu")
    try:
        tight, loose = (_run(mechanism, duration, twists, tolerance) for tolerance in (TIGHT, LOOSE))
    except ModelError as error:
        return EngineFindings(NAME, PRECISION, 0, 0, 0.0, 0.0, 0.0, 0.0, Swing("not tested", str(error)), Compared())
    fmu = _Fmu(fmpy, path, names)
    stepped = fmu.simulated(mechanism, KINDS[0], duration, twists)
    ours = tight.result.trajectory
    # Velocities that are set from outside do not reach what follows them, which the FMU then puts right by masses.
    follows = len(tight.system.bodies.mass) > len(tight.lowered.units)
    compared = ours.kinetic[0] > 0 and not follows
    energy = abs(stepped["energy.kinetic"][0] / ours.kinetic[0] - 1.0) if compared else 0.0
    mass, centre = fmu.masses(mechanism)
    still = None if spanning_tree(mechanism).freedoms else at_rest(len(mechanism.bodies), NAME)
    swing = still or _exchanged(fmu, mechanism, (tight, loose), stepped, duration, twists)
    counts = len(mechanism.bodies), len(tight.lowered.joints)
    contents = compare_contents(fmu.exported(mechanism), fmu.contents(mechanism), PRECISION)
    if follows:
        contents.unsaid["kinetic energy at the start"] = "tendons follow the joints, whose velocities are set"
    return EngineFindings(NAME, PRECISION, *counts, mass, centre, energy, fmu.pose(mechanism, stepped), swing, contents)


def _exchanged(
    fmu: _Fmu,
    mechanism: Mechanism,
    runs: tuple[Run, Run],
    stepped: NDArray[Any],
    duration: float,
    twists: Sequence[Vector],
) -> Swing:
    """Both kinds compared, `stepped` being co-simulation; an integrator that gives up gets a looser tolerance."""
    # A hundred times looser than the first try: an integrator that still gives up has another reason.
    for tighter in (1.0, 0.01):
        try:
            found = [stepped, fmu.simulated(mechanism, KINDS[1], duration, twists, tighter)]
            swing = _swing(*runs, found, fmu, duration)
            if swing.verdict == "differs":
                tolerances = zip(KINDS, (10.0, 10.0 * tighter), strict=True)
                finer = [fmu.simulated(mechanism, kind, duration, twists, times) for kind, times in tolerances]
                swing = _swing(*runs, found, fmu, duration, finer)
        except RuntimeError as fault:
            swing = Swing("not comparable", f"FMPy's integrator of model exchange gives up: {fault}", duration)
            continue
        return swing
    return swing


def _run(mechanism: Mechanism, duration: float, twists: Sequence[Vector], tolerance: float) -> Run:
    velocities = {}
    for body, (own, twist) in enumerate(zip(mechanism.bodies, twists, strict=True)):
        component = own.components[0]
        arm = mechanism.assembly.component(component).X_WC.p - mechanism.X_WB(body).p
        velocities[component] = np.concatenate([twist[:3] + np.cross(twist[3:], arm), twist[3:]])
    rate = max(SHORTER) / duration
    scenario = Scenario(
        duration=duration, rate=rate, rtol=tolerance, atol=tolerance, velocities=velocities,
        sensitivity=False,  # the tight run against the loose one says it
    )  # fmt: skip
    return simulate(mechanism, scenario)


@dataclass(frozen=True, eq=False)
class _Fmu:
    """The FMU with its description; `names` of joints and bodies, new → old."""

    fmpy: Any
    path: Path
    names: Mapping[str, Mapping[str, str]]

    @cached_property
    def described(self) -> Any:
        """Its description. ValueError with the first fault that FMPy finds in it."""
        try:
            return self.fmpy.read_model_description(str(self.path))
        except import_module("fmpy.model_description").ValidationError as fault:
            raise ValueError(f"modelDescription.xml: {fault.problems[0]}") from fault

    def new(self, kind: str) -> dict[str, str]:
        """Old name → new."""
        return {old: new for new, old in self.names[kind].items()}

    def simulated(
        self, mechanism: Mechanism, kind: str, duration: float, twists: Sequence[Vector], tighter: float = 1.0
    ) -> NDArray[Any]:
        """The outputs from the given velocities on; FMPy's integrator keeps the default tolerance, or a tighter one."""
        described = self.described
        outputs = [v.name for v in described.modelVariables if v.causality == "output"]
        found: NDArray[Any] = self.fmpy.simulate_fmu(
            str(self.path), fmi_type=kind, stop_time=duration, output_interval=duration / max(SHORTER),
            output=outputs, start_values=self._velocities(mechanism, twists),
            relative_tolerance=float(described.defaultExperiment.tolerance) / tighter, model_description=described,
        )  # fmt: skip
        return found

    def _velocities(self, mechanism: Mechanism, twists: Sequence[Vector]) -> dict[str, float]:
        """The twists of the bodies' origins as states: of their centres of mass."""
        new = self.new("links")
        values: dict[str, float] = {}
        for body, twist in zip(mechanism.bodies, twists, strict=True):
            arm = np.zeros(3) if body.mass is None else body.X_WB.R @ body.mass.com
            v = [*(twist[:3] + np.cross(twist[3:], arm)), *twist[3:]]
            letters = ("vx", "vy", "vz", "wx", "wy", "wz")
            values |= {f"state.{new[body.name]}.{x}": float(y) for x, y in zip(letters, v, strict=True)}
        return values

    def masses(self, mechanism: Mechanism) -> tuple[float, float]:
        """The largest differences of masses (relative) and centres (m), of what the description says."""
        described = self.described
        start = {v.name: float(v.start) for v in described.modelVariables if v.start is not None}
        new, mass, centre = self.new("links"), 0.0, 0.0
        for body in mechanism.bodies:
            name = new[body.name]
            if body.mass is None or f"body.{name}.mass" not in start:
                continue
            mass = max(mass, abs(start[f"body.{name}.mass"] / body.mass.mass - 1.0))
            theirs = np.array([start[f"state.{name}.{x}"] for x in "xyz"])
            centre = max(centre, float(np.max(np.abs(theirs - body.X_WB.point(body.mass.com)))))
        return mass, centre

    def exported(self, mechanism: Mechanism) -> Exported:
        """Its joints of one freedom by the names of its variables."""
        tree, new = spanning_tree(mechanism), self.new("joints")
        single = [link for link in tree.links if link.joint is not None and link.joint.coordinate is not None]
        return Exported(tree, {}, {new[link.freedoms[0].name]: link.first for link in single})

    def contents(self, mechanism: Mechanism) -> Contents:
        """The start values of its parameters. What else acts is in its tables, and is compared by the motion."""
        described = self.described
        start = {v.name: float(v.start) for v in described.modelVariables if v.start is not None}
        words = {"damping": "damping", "dry friction": "friction"}
        joints = {
            name: {
                what: start[f"joint.{name}.{word}"] for what, word in words.items() if f"joint.{name}.{word}" in start
            }
            for name in self.exported(mechanism).joints
        }
        within, none = BY_MOTION, "an FMU has none"
        return Contents(
            gravity=np.array([start[f"gravity.{axis}"] for axis in "xyz"]),
            joints=joints,
            unsaid={
                SPRINGS: within, COUPLINGS: within, ROTORS: within, SERVOS: within,
                RANGE: "they act where a scenario makes them stops",
                EFFORT: none, SPEED: none, SHAPES: none, SENSORS: none, TOUCHED: none,
            },
        )  # fmt: skip

    def pose(self, mechanism: Mechanism, found: NDArray[Any]) -> float:
        """The largest difference of a body's pose as designed (m, rad)."""
        new, worst = self.new("links"), 0.0
        for body in mechanism.bodies:
            p = [float(found[f"body.{new[body.name]}.{x}"][0]) for x in ("x", "y", "z", "qw", "qx", "qy", "qz")]
            theirs = Pose.from_quaternion(p[:3], p[3:])
            turn = float(np.linalg.norm(body.X_WB.R.T @ theirs.R - np.eye(3)) / np.sqrt(2))
            worst = max(worst, turn, float(np.max(np.abs(theirs.p - body.X_WB.p))))
        return worst


def _swing(
    tight: Run, loose: Run, found: Sequence[NDArray[Any]], fmu: _Fmu, duration: float,
    finer: Sequence[NDArray[Any]] = (),
) -> Swing:  # fmt: skip
    """The longest part of the swing that can be compared: where our own looser run does not differ as much.

    `finer` are co-simulation and model exchange at a tighter tolerance: by how much each differs is the error of its
    integrator.
    """
    if not tight.lowered.joints:
        return Swing("not tested", "no joint of one freedom")
    new = fmu.new("joints")
    runs = [*found, *finer]
    theirs = [np.array([r[f"joint.{new[j.name]}.q"] for j in tight.lowered.joints]) for r in runs]
    ours, own = (run.result.trajectory.coordinates.T for run in (tight, loose))
    last = Swing("not tested", "our own run ended early")
    for shorter in SHORTER:
        k = max(SHORTER) // shorter
        if k >= min(ours.shape[1], own.shape[1], *(t.shape[1] for t in theirs)):
            continue
        difference = max(float(np.max(np.abs(t[:, k] - ours[:, k]))) for t in theirs[: len(found)])
        pairs = [(own, ours), *zip(theirs, theirs[len(found) :], strict=False)]
        error = max(float(np.max(np.abs(a[:, k] - b[:, k]))) for a, b in pairs)
        moved = np.abs(ours[:, k])
        still = tuple(j.name for j, m in zip(tight.lowered.joints, moved, strict=True) if m < STILL_JOINT)
        step_error = None if difference <= MISSES_AT_MOST else error
        measured = (duration / shorter, difference, None, step_error, float(moved.max()), still)
        share = error / max(float(moved.max()), STILL_JOINT)
        verdict, remark = verdict_of(difference <= MISSES_AT_MOST, difference, error, share)
        off = np.max([np.abs(t[:, k] - ours[:, k]) for t in theirs[: len(found)]], axis=0)
        last = Swing(verdict, remark, *measured, joint=tight.lowered.joints[int(np.argmax(off))].name)
        if last.verdict != "not comparable":
            break
    return last
