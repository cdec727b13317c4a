"""Motions of joints that a FreeCAD file holds (1.1's simulations): the run that the source asks for."""

import math
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly
from cadbridge.findings import Findings, Severity
from cadbridge.readers import ReadOptions
from cadbridge.simulation import simulate, study_scenario
from tests.readers.freecad.making import Maker, choice, flag, group, number, text, xlink

TURNED = (0.0, 0.0, math.sin(math.pi / 12.0), math.cos(math.pi / 12.0))
"""A quaternion (x, y, z, w) of 30° about z."""


def made_with(solids: dict[str, bytes], folder: Path, formulas: dict[str, str], **more: tuple[str, str]) -> Assembly:
    """A hinge that stands at 30° and a slide that stands at 4 mm, with a simulation from 1 s to 1.5 s."""
    made = Maker()
    made.part("A", solids["box"])
    made.part("B", solids["box"], (0.0, 0.0, 0.0), TURNED)
    made.part("C", solids["box"], (0.0, 0.0, 4.0))
    made.joint("Hinge", "Revolute", ("A.Face1", "B.Face1"), **more)
    made.joint("Slide", "Slider", ("A.Face1", "C.Face1"))
    made.ground("A")
    for joint, formula in formulas.items():
        kind = choice("Angular" if joint == "Hinge" else "Linear", ("Angular", "Linear"))
        made.add(f"Move{joint}", "App::FeaturePython", MotionType=kind, Joint=xlink(joint), Formula=text(formula))
    times = {"aTimeStart": number(1.0), "bTimeEnd": number(1.5), "cTimeStepOutput": number(0.01)}
    moved = group(*(f"Move{joint}" for joint in formulas))
    made.add("Simulation", "App::FeaturePython", Group=moved, fGlobalErrorTolerance=number(1e-6), **times)
    made.add("Further", "App::FeaturePython", Group=moved, **times)
    made.add("Simulations", "Assembly::SimulationGroup", Group=group("Simulation", "Further"))
    # FreeCAD lists in the assembly what its groups hold, too.
    made.assembly("A", "B", "C", "Simulations", "Simulation", *(f"Move{joint}" for joint in formulas))
    return cb.read(made.save(folder / "made.FCStd"), options=ReadOptions(geometry=False, density=1000.0))


def test_the_motions_of_a_simulation_drive_the_joints(solids: dict[str, bytes], tmp_path: Path) -> None:
    """FreeCAD's formulas are of the connectors in rad and mm, of a time that begins at aTimeStart."""
    formulas = {"Hinge": "initialValue + 2.0*(time - 1.0)^2", "Slide": "4.0 + 3.0*sin(time - 1.0)"}
    assembly = made_with(solids, tmp_path, formulas)
    assert [f.code for f in assembly.findings if f.severity is Severity.ERROR] == []
    # Of two simulations the first is run.
    assert [f.where.item for f in assembly.findings if f.code == "CB1212"] == ["Further"]
    mechanism = cb.build(assembly)
    scenario = study_scenario(mechanism, Findings())
    assert (scenario.duration, scenario.rate) == (pytest.approx(0.5), pytest.approx(100.0))
    run = simulate(mechanism, scenario)
    assert run.result.status.ok
    names = [j.name for j in run.lowered.joints]
    turn, travel = (run.result.trajectory.coordinates[-1, names.index(n)] for n in ("Hinge", "Slide"))
    assert turn == pytest.approx(2.0 * 0.5**2, abs=1e-9)
    assert travel == pytest.approx(3e-3 * math.sin(0.5), abs=1e-12)


def test_a_formula_that_is_none_is_told_and_one_of_a_suppressed_joint(solids: dict[str, bytes], tmp_path: Path) -> None:
    assembly = made_with(solids, tmp_path, {"Hinge": "2*time", "Slide": "3*("}, Suppressed=flag(True))
    told = {(f.code, f.where.item) for f in assembly.findings}
    assert ("CB1208", "MoveSlide") in told
    assert ("CB1212", "MoveHinge") in told
    assert assembly.study is not None
    assert assembly.study.motions == ()


def test_a_simulation_without_motions_asks_for_no_run(solids: dict[str, bytes], tmp_path: Path) -> None:
    assert made_with(solids, tmp_path, {}).study is None
