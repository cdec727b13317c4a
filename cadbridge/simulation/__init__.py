"""Scenario, run and trajectory."""

from cadbridge.simulation.against import Comparison, compare
from cadbridge.simulation.loaded import LoadedTrajectory, load_trajectory
from cadbridge.simulation.loads import JointForce, LoadSpecs
from cadbridge.simulation.motors import Chamber, Cylinder, DcMotor, MotorSpec, Pd
from cadbridge.simulation.plots import write_plots
from cadbridge.simulation.reactions import locked_wrench
from cadbridge.simulation.run import Run, simulate
from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.study import load_scenario, requested_scenario, study_scenario
from cadbridge.simulation.trajectory import read_trajectory, trajectory_table, write_trajectory

__all__ = [
    "Chamber", "Comparison", "Cylinder", "DcMotor", "JointForce", "LoadSpecs", "LoadedTrajectory", "MotorSpec", "Pd",
    "Run", "Scenario", "compare", "load_scenario", "load_trajectory", "locked_wrench", "read_trajectory",
    "requested_scenario", "simulate", "study_scenario", "trajectory_table", "write_plots", "write_trajectory",
]  # fmt: skip
