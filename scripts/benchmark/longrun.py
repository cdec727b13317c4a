"""A run of very many steps and the memory that it holds: `scripts/bench --long-run 1000000`."""

from __future__ import annotations

import gc
import sys
import time
from pathlib import Path

from benchmark.cases import redundant_fourbar
from solver import simulate
from solver.equations.system import prepare

LOOKS = 20


def main(steps: int) -> None:
    """Steps of 1 ms of a redundant four-bar by RK4; a line of resident memory for each twentieth."""
    case = redundant_fourbar()
    system, start = prepare(case.model()), case.start()
    simulate(system, start, duration=1e-2, rate=100.0, integrator="rk4", step=1e-3)
    looks: list[int] = []

    def progress(part: float) -> None:
        if part * LOOKS >= len(looks):
            gc.collect()
            looks.append(resident())
            print(f"{part * steps:12.0f} steps  {looks[-1] / 1e6:8.1f} MB", flush=True)

    duration = steps * 1e-3
    began = time.perf_counter()
    result = simulate(
        system, start, duration=duration, rate=1 / duration, integrator="rk4", step=1e-3, progress=progress
    )
    seconds = time.perf_counter() - began
    grown = (looks[-1] - looks[1]) / 1e6
    energy = result.trajectory.kinetic + result.trajectory.potential
    print(
        f"{result.statistics.steps} steps in {seconds:.0f} s ({seconds / steps * 1e6:.0f} µs each), {grown:+.1f} MB "
        f"after the first twentieth; constraints {result.trajectory.constraint_position.max():.0e}, "
        f"energy {energy[-1] - energy[0]:+.1e} J"
    )
    if not result.status.ok:
        print(result.status.message, file=sys.stderr)
        raise SystemExit(1)


def resident() -> int:
    """Resident memory of this process, bytes."""
    status = Path("/proc/self/statm")
    if status.exists():
        import os

        return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import psutil

    return int(psutil.Process().memory_info().rss)
