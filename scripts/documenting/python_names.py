"""The public names of Python in the way of the data, each group with a short example; a test runs the examples.

A group is a page of the site. Its examples stand one after the other in one folder: what one makes the next uses.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class Group:
    """Names that belong together: functions, then the classes that they take and give."""

    page: str
    title: str
    about: str
    example: str
    functions: tuple[str, ...]
    classes: tuple[str, ...] = ()


READ = Group(
    "read",
    "Read",
    "A source becomes an `Assembly`: what the CAD system states, in SI, with findings and without interpretation.",
    """\
import cadbridge as cb

assembly = cb.read("demo.step")
print(assembly, assembly.mates[0])
for finding in assembly.findings:
    print(finding.code, finding.message, finding.where)
""",
    ("cadbridge.read",),
    (
        "cadbridge.ReadOptions", "cadbridge.assembly.Assembly", "cadbridge.assembly.Part",
        "cadbridge.assembly.Instance", "cadbridge.assembly.Component", "cadbridge.assembly.Mate",
        "cadbridge.assembly.MateKind", "cadbridge.assembly.Feature", "cadbridge.assembly.FeatureKind",
        "cadbridge.assembly.Limit", "cadbridge.assembly.Coupling", "cadbridge.assembly.CouplingKind",
        "cadbridge.assembly.CamLaw", "cadbridge.assembly.Drive", "cadbridge.assembly.ControlLaw",
        "cadbridge.assembly.NamedFrame", "cadbridge.assembly.MassOverride", "cadbridge.geometry.Shape",
        "cadbridge.geometry.Mesh", "cadbridge.geometry.Face", "cadbridge.frames.Pose",
        "cadbridge.inertia.MassProperties", "cadbridge.study.Study", "cadbridge.study.MotionLaw",
        "cadbridge.study.FrameMotion", "cadbridge.study.Reference",
    ),
)  # fmt: skip
BUILD = Group(
    "build",
    "Build",
    "Mates become bodies and joints. Each keeps the way back: a joint knows its mates, a mate its line in the file.",
    """\
mechanism = cb.build(assembly)
for joint in mechanism.joints:
    print(joint.name, joint.type, mechanism.body_name(joint.a), mechanism.body_name(joint.b), joint.mates)
""",
    ("cadbridge.build",),
    (
        "cadbridge.mechanism.Mechanism", "cadbridge.mechanism.Body", "cadbridge.mechanism.Joint",
        "cadbridge.mechanism.BodyCoupling", "cadbridge.mechanism.MateRows", "cadbridge.mass.PartMass",
        "cadbridge.mechanism.masses.ComponentMass",
    ),
)  # fmt: skip
DIAGNOSE = Group(
    "diagnose",
    "Diagnose",
    "Mobility, redundant and conflicting mates, freedoms, and the reactions that a rigid model determines.",
    """\
diagnosis = cb.diagnose(mechanism)
print(diagnosis.mobility.dof, diagnosis.mobility.redundant)
for r in diagnosis.redundancies:
    print(r.mate, r.kind, r.duplicates, r.residual_mm, r.deletable, r.weaker)
undetermined = [r.joint for r in diagnosis.reactions if not r.determined]
document = cb.check_document(mechanism, diagnosis)
""",
    ("cadbridge.diagnose", "cadbridge.check_document"),
    (
        "cadbridge.diagnosis.Diagnosis", "cadbridge.diagnosis.Mobility", "cadbridge.diagnosis.model.Freedom",
        "cadbridge.diagnosis.Group", "cadbridge.diagnosis.Redundancy", "cadbridge.diagnosis.model.Repetition",
        "cadbridge.diagnosis.model.DeletionChoice", "cadbridge.diagnosis.model.DeletableSet",
        "cadbridge.diagnosis.Reaction", "cadbridge.diagnosis.model.Share", "cadbridge.diagnosis.model.Freed",
        "cadbridge.diagnosis.model.Gear", "cadbridge.diagnosis.model.Transmission",
        "cadbridge.diagnosis.model.LockedTrains", "cadbridge.mass.Overlap",
    ),
)  # fmt: skip
RECOGNISE = Group(
    "recognise-and-fit",
    "Recognise and fit",
    "Joints from bare geometry; and what redundant mates cost: play, forces, and the weaker mates that free them.",
    """\
found = cb.recognise(assembly)
for joint in found.joints:
    print(joint.name, joint.type, joint.confidence, joint.evidence)

costs = cb.fit(mechanism)
for group in costs.groups:
    print(group.mates, f"{group.play.worst * 1e3:.2f} mm of play", [r.left for r in group.releases.found])
""",
    ("cadbridge.recognise", "cadbridge.recognition.mates_text", "cadbridge.fit", "cadbridge.load_fit"),
    (
        "cadbridge.recognition.Recognition", "cadbridge.recognition.model.FoundBody",
        "cadbridge.recognition.model.FoundJoint", "cadbridge.recognition.model.Motion",
        "cadbridge.recognition.model.Bond", "cadbridge.recognition.model.Held",
        "cadbridge.recognition.model.Rejected", "cadbridge.recognition.hints.Hints",
        "cadbridge.recognition.hints.Hint", "cadbridge.recognition.hints.Told", "cadbridge.misfit.Settings",
        "cadbridge.misfit.Rule",
        "cadbridge.misfit.settings.Fitted", "cadbridge.misfit.Fit", "cadbridge.misfit.model.GroupFit",
        "cadbridge.misfit.model.Equation", "cadbridge.misfit.model.Term", "cadbridge.misfit.model.Error",
        "cadbridge.misfit.model.PlayNeeded", "cadbridge.misfit.model.Load", "cadbridge.misfit.model.Alone",
        "cadbridge.misfit.model.Clearance", "cadbridge.misfit.model.Releases", "cadbridge.misfit.model.Release",
        "cadbridge.misfit.model.Change", "cadbridge.misfit.model.OneSided", "cadbridge.misfit.model.PushLoad",
        "cadbridge.misfit.model.LiftOff",
    ),
)  # fmt: skip
SIMULATE = Group(
    "simulate",
    "Simulate",
    "A mechanism and a scenario give a `Run`: the trajectory, a verdict on it, and findings.",
    """\
from cadbridge.simulation import Scenario

run = cb.simulate(mechanism, Scenario(duration=0.2, rate=50.0))
print(run.summary["status"], run.verdict.state, run.result.statistics.steps)
cb.write_trajectory(run, "run.parquet", columns=["joints", "energy"])
table = cb.load_trajectory("run.parquet")
for name in table.columns:
    print(name, table.units[name], table[name][-1])
""",
    ("cadbridge.simulate", "cadbridge.load_scenario", "cadbridge.write_trajectory", "cadbridge.load_trajectory"),
    (
        "cadbridge.simulation.Run", "cadbridge.simulation.LoadedTrajectory", "cadbridge.simulation.Scenario",
        "cadbridge.simulation.scenario.EventSpec", "cadbridge.simulation.MotorSpec", "cadbridge.simulation.Pd",
        "cadbridge.simulation.DcMotor", "cadbridge.simulation.Cylinder", "cadbridge.simulation.Chamber",
        "cadbridge.simulation.motors.CylinderSide", "cadbridge.simulation.LoadSpecs",
        "cadbridge.simulation.JointForce", "cadbridge.simulation.changes.ChangeSpec",
        "cadbridge.simulation.servos.Servos", "cadbridge.simulation.trust.checks.Verdict",
        "cadbridge.simulation.trust.checks.Check", "cadbridge.simulation.pace.Pace",
        "cadbridge.simulation.elastic.Elastic",
    ),
)  # fmt: skip
INVERSE = Group(
    "inverse-and-sweep",
    "Inverse dynamics, transmissions, sweeps",
    "Efforts along a motion, the transmission lines of geared robots, and many runs of one mechanism.",
    """\
robot = cb.build(cb.read("geared_robot3.urdf"))
lines = cb.transmission(robot)
print(lines.robot.structure)

motion = cb.load_motion("path.yaml", robot)
asked = cb.inverse(robot, motion)
print([joint.name for joint in asked.actuators], abs(asked.forces.efforts).max(axis=0))
cb.write_inverse(asked, "efforts.parquet")

what = {"format": "cadbridge.sweep/1", "vary": [{"joint": mechanism.joints[0].name, "damping": [0.0, 1.0]}]}
runs = cb.sweep(mechanism, what, duration=0.05, workers=1)
print(runs.parameters, runs["status"], runs.statuses)
cb.write_sweep(runs, "sweep.parquet")
print(cb.load_sweep("sweep.parquet"))
""",
    (
        "cadbridge.inverse", "cadbridge.load_motion", "cadbridge.write_inverse", "cadbridge.transmission",
        "cadbridge.sweep", "cadbridge.load_sweep", "cadbridge.write_sweep",
    ),
    (
        "cadbridge.efforts.inverse.Inverse", "cadbridge.efforts.motion.Motion", "cadbridge.efforts.motion.JointPath",
        "cadbridge.efforts.motion.BodyPath", "cadbridge.efforts.motion.Turning", "cadbridge.efforts.task.Forces",
        "cadbridge.efforts.task.Quantity", "cadbridge.geared.analysis.Analysis", "cadbridge.sweeps.table.SweepTable",
    ),
)  # fmt: skip
EXPORT = Group(
    "export",
    "Export",
    "A folder for another engine, and a list of what its format could not carry.",
    """\
result = cb.export(mechanism, "out", to="mjcf")
print(result.files[0], [finding.code for finding in result.findings])
""",
    ("cadbridge.export",),
    ("cadbridge.exporters.ExportOptions", "cadbridge.exporters.ExportResult"),
)
JOBS = Group(
    "jobs",
    "Jobs",
    "Many sources, each in a process of its own, with results kept by the content of what they depend on.",
    """\
plan = cb.jobs.plan([{"sources": "geared_robot3.urdf", "do": "check"}], output="checked")
results = list(cb.jobs.run(plan, workers=1, cache=False))
for result in results:
    print(result.job.name, result.state, result.reason, result.seconds)
print(results[0].read("check.json")["mobility"], cb.jobs.write_summary(plan, results))
""",
    ("cadbridge.jobs.load", "cadbridge.jobs.plan", "cadbridge.jobs.run", "cadbridge.jobs.write_summary"),
    (
        "cadbridge.jobs.Plan", "cadbridge.jobs.Job", "cadbridge.jobs.Result", "cadbridge.jobs.State",
        "cadbridge.jobs.Progress", "cadbridge.jobs.batch.Executor", "cadbridge.jobs.Cache",
    ),
)  # fmt: skip
ERRORS = Group(
    "findings-and-errors",
    "Findings and errors",
    "Every fault of an input is a finding of the result. An error is raised only where nothing can go on.",
    """\
try:
    cb.read("nothing.step")
except cb.InputError as error:
    print(error, [(finding.code, str(finding.where), finding.hint) for finding in error.findings])
""",
    (),
    (
        "cadbridge.CadbridgeError", "cadbridge.InputError", "cadbridge.ModelError", "cadbridge.findings.Finding",
        "cadbridge.findings.Where", "cadbridge.findings.Severity", "cadbridge.findings.Stage",
    ),
)  # fmt: skip
SOLVER = Group(
    "solver",
    "The solver",
    "The solver works by itself, in SI and the world's axes; [its page](../../solver.md) says what holds. "
    "`lower` makes its model from a mechanism.",
    """\
import solver
from cadbridge.lowering import lower

lowered = lower(mechanism)
rest = solver.equilibrium(lowered.model)
modes = solver.linearise(lowered.model, rest.state)
print(rest.status.code, rest.stable, modes.frequencies)
result = solver.simulate(lowered.model, rest.state, duration=0.1, rate=20.0)
print(result.status.message, result.trajectory.coordinates[-1])
""",
    (
        "cadbridge.lowering.lower", "solver.assemble", "solver.kinematic", "solver.equilibrium", "solver.simulate",
        "solver.simulate_changing", "solver.inverse", "solver.linearise", "solver.wrenches", "solver.gear_errors",
        "solver.geared.transmission",
    ),
    (
        "cadbridge.lowering.Lowered", "cadbridge.lowering.Unit", "solver.model.Model", "solver.model.RigidBody",
        "solver.model.TimeFunction", "solver.model.Motor", "solver.model.JointLoad", "solver.model.Friction",
        "solver.model.Stop", "solver.model.Bushing", "solver.model.Wrench", "solver.model.Mesh",
        "solver.model.Gyrator", "solver.model.Callback", "solver.constraints.Primitive",
        "solver.constraints.Coordinate", "solver.constraints.GearPair", "solver.State", "solver.Status",
        "solver.Result", "solver.Trajectory", "solver.Statistics", "solver.result.Dip", "solver.result.Skipped",
        "solver.Event", "solver.Occurrence", "solver.Change", "solver.Changed", "solver.Rebuilt",
        "solver.equations.projection.Projected", "solver.Equilibrium", "solver.Linearisation", "solver.Efforts",
        "solver.GearError", "solver.chart.TreeJoint", "solver.chart.steps.Step", "solver.geared.Transmission",
        "solver.geared.Graph", "solver.geared.TurningPair", "solver.geared.Mesh", "solver.geared.Line",
        "solver.geared.Imbalance", "solver.constraints.gears.Contact",
    ),
)  # fmt: skip

ADDING = Group(
    "formats",
    "Formats and options",
    "What tables of formats and options hold; [How to add](../../how-to-add.md) shows how to add to them.",
    """\
from cadbridge.readers.registry import FORMATS
from cadbridge.targets import target_named, target_names

print([form.name for form in FORMATS], target_names(), target_named("mjcf").opens_with)
""",
    ("cadbridge.targets.target_names", "cadbridge.targets.target_named"),
    (
        "cadbridge.readers.registry.Format", "cadbridge.targets.Target", "cadbridge.targets.EngineCheck",
        "cadbridge.run_options.RunOptions",
    ),
)  # fmt: skip

GROUPS = (READ, BUILD, DIAGNOSE, RECOGNISE, SIMULATE, INVERSE, EXPORT, JOBS, ERRORS, SOLVER, ADDING)

FURTHER = ("solver.constraints", "solver.constraints.curves", "solver.geared", "solver.bondgraph", "solver.denoc")
"""Rooms of the solver for those who build models of their own. What they export is described as the pages' names are,
but Python's `help` alone shows it: the site's pages follow the way of the data, which leads past them."""


def public() -> Iterator[tuple[str, Any]]:
    """All names of the groups and what they mean, in order."""
    for group in GROUPS:
        for name in (*group.functions, *group.classes):
            yield name, meant(name)


def further() -> Iterator[tuple[str, Any]]:
    """What the rooms of `FURTHER` export: all classes and functions of `__all__`, or all public ones of their own."""
    for room in FURTHER:
        module = import_module(room)
        names = getattr(module, "__all__", [n for n in vars(module) if not n.startswith("_")])
        for name in names:
            thing = getattr(module, name)
            ours = inspect.isclass(thing) or inspect.isfunction(thing)
            if ours and (hasattr(module, "__all__") or thing.__module__ == room):
                yield f"{room}.{name}", thing


def meant(name: str) -> Any:
    """What a name with its module means."""
    return pkgutil.resolve_name(":".join(name.rsplit(".", 1)))


def name_types() -> None:
    """Give the modules of public names what they import for types alone, so that annotations can be evaluated."""
    for _, thing in (*public(), *further()):
        _import_types(sys.modules[thing.__module__])


def _import_types(module: ModuleType) -> None:
    for block in ast.parse(inspect.getsource(module)).body:
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
            for line in block.body:
                # pandas and xarray belong to an extra.
                with contextlib.suppress(ImportError):
                    exec(ast.unparse(line), vars(module))
