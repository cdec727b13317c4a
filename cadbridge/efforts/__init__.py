"""Inverse dynamics: a mechanism driven along a prescribed motion, and what that asks of actuators, joints and gears."""

from cadbridge.efforts.inverse import Inverse, effort_unit, inverse
from cadbridge.efforts.methods import METHODS
from cadbridge.efforts.motion import BodyPath, JointPath, Motion, Turning, load_motion
from cadbridge.efforts.plots import write_inverse_plots
from cadbridge.efforts.table import Peak, inverse_columns, inverse_document, inverse_table, peaks, write_inverse
from cadbridge.efforts.task import Forces, Task

__all__ = [
    "METHODS", "BodyPath", "Forces", "Inverse", "JointPath", "Motion", "Peak", "Task", "Turning", "effort_unit",
    "inverse", "inverse_columns", "inverse_document", "inverse_table", "load_motion", "peaks", "write_inverse",
    "write_inverse_plots",
]  # fmt: skip
