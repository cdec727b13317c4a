"""What a call of `simulate` asks for, checked: its method, its events and the times of its samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.equations.system import System
from solver.faults import TooManySamplesError
from solver.runs.events import Event
from solver.runs.marching import SHORTEST
from solver.steps.methods import METHODS, Method

Array = NDArray[np.float64]

_MOST_SAMPLES = 1e7
"""Samples of a run: with a body of some ten numbers, they fill the memory of a large machine."""


def checked(
    duration: float, rate: float, tolerances: tuple[float, float], integrator: str, step: float | None, longest: float
) -> Method:
    """The method of that name; ValueError for numbers that no run can have."""
    if not (np.isfinite(duration) and duration >= 0):
        raise ValueError(f"the duration must be a number from zero, not {duration}")
    if not (np.isfinite(rate) and rate > 0):
        raise ValueError(f"the rate must be above zero, not {rate}")
    # Finer ones are below the rounding of a step; with coarser ones no digit of a sample is promised. Places of small
    # machines (m) may be asked for two digits finer.
    rtol, atol = tolerances
    if not (1e-14 <= rtol <= 0.1 and 1e-16 <= atol <= 0.1):
        raise ValueError("tolerances must lie between 1e-14 and 0.1")
    if integrator not in METHODS:
        raise ValueError(f'the integrator is one of {", ".join(METHODS)}, not "{integrator}"')
    if step is not None and not (np.isfinite(step) and step >= SHORTEST):
        raise ValueError(f"the step must be at least {SHORTEST:g} s, not {step:g}")
    if not longest >= SHORTEST:
        raise ValueError(f"no step can be as short as {longest:g} s: the shortest has {SHORTEST:g} s")
    if 0 < duration < SHORTEST:
        raise ValueError(f"the duration must be 0 or at least {SHORTEST:g} s, the shortest step, not {duration:g}")
    method = METHODS[integrator]
    if step is None and not method.adaptive:
        raise ValueError(f"{integrator} does not control its error: give it a step")
    return method


def check_events(system: System, events: Sequence[Event]) -> None:
    """ValueError for an event on a coordinate that is not there."""
    count = len(system.model.coordinates)
    for event in events:
        if not 0 <= event.coordinate < count:
            raise ValueError(f"event {event.name}: there is no coordinate {event.coordinate}, the model has {count}")


def sample_times(start: float, duration: float, rate: float, times: ArrayLike | None = None) -> Array:
    """Times (s) of the samples after the first: `rate` a second with the last at the end, or those given.

    ValueError where the times given do not rise from the start, or where they are more than can be kept.
    """
    if times is None:
        if duration * rate > _MOST_SAMPLES:
            raise TooManySamplesError(
                f"{duration:g} s with {rate:g} samples a second are more than {_MOST_SAMPLES:.0e} samples"
            )
        # A product that rounding left just below a whole number has its last sample too.
        count = int(np.floor(duration * rate * (1 + 1e-12)))
        found = np.arange(1, count + 1) / rate
        # A last sample that is short of the end by more than rounding is not the end.
        if duration > 0 and (count == 0 or found[-1] < duration * (1 - 1e-9)):
            found = np.append(found, duration)
        return np.asarray(start + found)
    given = np.asarray(times, dtype=float)
    if given.ndim != 1 or not np.all(np.isfinite(given)) or np.any(np.diff([start, *given]) <= 0):
        raise ValueError("the times of the samples must rise, all after the start")
    return given
