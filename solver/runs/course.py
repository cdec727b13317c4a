"""Where a run is, and what the kernels of a run hand to each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.chart.stepping import Joints
from solver.compilation.compiled import Array1, Ints1, table
from solver.equations.dynamics import SlopeArrays, StateArrays, Tables
from solver.runs.driving import Drives
from solver.runs.kinks import Kinks
from solver.runs.meeting import Watched
from solver.steps.alpha import Implicit
from solver.steps.explicit import Steps
from solver.steps.samples import Samples, Within


@table
class Course(NamedTuple):
    """Where a run is, in place. `clock`: t, the next step's length, the run's end, the shortest and the longest step,
    the error of the step before, where that began and its length; what is left of a step of fixed length that could
    only be taken in parts, and the next part; up to where all corners are known; where a load bends next, as far as a
    step showed it. `counts`: steps, refused, refused for the constraints, evaluations, samples made, whether the last
    refusal was for the constraints, and how many samples to make.
    """

    clock: Array1
    counts: Ints1


def new_course() -> Course:
    """A course that has not begun."""
    return Course(np.zeros(12), np.zeros(7, np.int64))


def begin_course(course: Course, t: float, step: float, end: float) -> None:
    """Put a run at its start, with the length (s) of its first step; all corners are known, and no load bends."""
    course.clock[:] = t, step, end, np.inf, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, np.inf, np.inf
    course.counts[:6] = 0


Charts = tuple[Joints, Implicit]
"""The tree in whose coordinates a run is, and the generalised-α method by which it is; or what stands for none."""
Begin = tuple[StateArrays, Array1, SlopeArrays]
"""Where a step begins: the state, the work done up to there (J), and the slope."""
Marks = tuple[Watched, Kinks]
"""What is looked for within steps: events, and corners of loads, which are ends of steps."""
Run = tuple[Tables, Charts, Steps, Drives, Within, Marks, Course, Samples]
"""All that a run computes with, the samples last."""
