"""Forces of misfits by Exudyn's six-axis springs, beside those of `cadbridge fit`'s rows: two engines, one answer.

    python scripts/measure/misfits.py [SOURCE …]        by default the tests' textbook mechanisms and the fixtures

For each mechanism with redundant mates, every mate becomes a RigidBodySpringDamper between two rigid bodies whose
stiffness is that of the mate's rows, and whose offset is a random misfit. Exudyn solves its non-linear static
equilibrium; only bodies, places and springs are handed over, no row, rank or null space. The first column is at misfits
of 0.1 µm and µrad, the second tells up to which size first order is within a thousandth. Needs `pip install exudyn`.
Between them stands the same equilibrium by dense Gauss-Newton steps in NumPy, which needs no springs for free motions;
`--dense` leaves Exudyn out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from cadbridge.assembly import Assembly  # noqa: E402
from cadbridge.frames import Pose  # noqa: E402
from cadbridge.mechanism import build  # noqa: E402
from cadbridge.misfit.groups import Constraints, constraints_of  # noqa: E402
from cadbridge.reading import read  # noqa: E402
from tests.misfit.springs import apart, by_dense, by_rows, drawn, springs_of  # noqa: E402

WEAK = (0.1, 0.01)
"""N/m and N m/rad that hold what the mates leave free: what they do goes with them, so that none are extrapolated."""
Engine = Callable[[Constraints, dict[str, Any], dict[str, np.ndarray]], dict[str, np.ndarray]]
SIZES = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2)


def models(arguments: list[str]) -> Iterator[tuple[str, Assembly]]:
    """Files, or the mechanisms of the tests and fixtures."""
    if arguments:
        for path in arguments:
            yield Path(path).name, read(path)
        return
    from tests.diagnosis.pool import POOL

    yield from ((name, make()) for name, make in POOL.items())
    for path in ("door/door.sdf", "crank_slider/crank_slider.urdf", "demo/demo.step", "kr15/kr15.step"):
        if (ROOT / "fixtures" / path).exists():
            yield path, read(ROOT / "fixtures" / path)


def by_exudyn(constraints: Constraints, springs: dict[str, Any], off: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The force and torque (6,) of each spring, world axes, extrapolated to nothing that holds the free motions."""
    strong, weak = (_equilibrium(constraints, springs, off, k) for k in WEAK)
    part = WEAK[1] / (WEAK[0] - WEAK[1])
    return {mate: weak[mate] + part * (weak[mate] - strong[mate]) for mate in weak}


def _equilibrium(
    constraints: Constraints, springs: dict[str, Any], off: dict[str, np.ndarray], weak: float
) -> dict[str, np.ndarray]:
    """The same in static equilibrium, with springs `weak` (N/m, N m/rad) between all bodies and the ground."""
    import exudyn as exu
    from exudyn.utilities import RigidBodyInertia

    exu.config.suppressWarnings = True
    system = exu.SystemContainer()
    mbs = system.AddSystem()
    ground = mbs.CreateGround()
    poses = constraints.mechanism.X_WC
    bodies = [
        mbs.CreateRigidBody(
            inertia=RigidBodyInertia(mass=1.0, inertiaTensor=np.eye(3) * 0.01),
            nodeType=exu.NodeType.RotationRxyz, referencePosition=list(X.p),
        )
        for X in poses
    ]  # fmt: skip
    objects = {}
    for body, X in zip(bodies, poses, strict=True):
        mbs.CreateRigidBodySpringDamper(
            bodyNumbers=[ground, body], localPosition0=list(X.p), localPosition1=[0.0, 0.0, 0.0],
            stiffness=weak * np.eye(6), damping=np.zeros((6, 6)),
        )  # fmt: skip
    for mate, (a, b, point, stiffness) in springs.items():
        ends = [(ground, Pose()) if i < 0 else (bodies[i], poses[i]) for i in (a, b)]
        objects[mate] = mbs.CreateRigidBodySpringDamper(
            bodyNumbers=[ends[0][0], ends[1][0]], localPosition0=list(point - ends[0][1].p),
            localPosition1=list(point - ends[1][1].p), stiffness=stiffness, damping=np.zeros((6, 6)),
            offset=list(off[mate]),
        )  # fmt: skip
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.staticSolver.numberOfLoadSteps = 1
    newton = settings.staticSolver.newton
    newton.relativeTolerance, newton.absoluteTolerance, newton.maxIterations = 2e-9, 1e-8, 60
    newton.numericalDifferentiation.relativeEpsilon = 1e-7
    newton.useModifiedNewton = False
    settings.staticSolver.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    mbs.SolveStatic(settings)
    kinds = (exu.OutputVariableType.ForceLocal, exu.OutputVariableType.TorqueLocal)
    return {
        mate: np.concatenate([np.array(mbs.GetObjectOutput(number, kind)).ravel()[:3] for kind in kinds])
        for mate, number in objects.items()
    }


def difference(constraints: Constraints, springs: dict[str, Any], size: float, engine: Engine) -> float:
    """The largest difference of a force, or a torque over 32 mm, beside the largest; nan: no equilibrium found."""
    off = drawn(springs, size)
    try:
        theirs = engine(constraints, springs, off)
    except Exception as fault:
        if type(fault).__name__ != "SolverError":  # Exudyn's
            raise
        return float("nan")
    return apart(theirs, by_rows(constraints, off))


def main() -> None:
    dense = "--dense" in sys.argv
    head = "difference at 0.1 µm, µrad: Exudyn   dense   within 1e-3 up to"
    print(f"{'mechanism':28} {'mates':>5} {'redundant':>9}   {head}")
    compared: list[tuple[float, float]] = []
    for name, model in models([argument for argument in sys.argv[1:] if argument != "--dense"]):
        constraints = constraints_of(build(model))
        redundant = len(constraints.dependence.repeated)
        springs = springs_of(constraints)
        if not redundant or isinstance(springs, str):
            why = springs if redundant else "nothing binds"
            print(f"{name:28} {len(model.mates):5} {redundant:9}   left out: {why}")
            continue
        engine = by_dense if dense else by_exudyn
        differences = [difference(constraints, springs, size, engine) for size in SIZES]
        second = differences[0] if dense else difference(constraints, springs, SIZES[0], by_dense)
        good = [size for size, d in zip(SIZES, differences, strict=True) if d < 1e-3]
        compared.append((float("nan") if dense else differences[0], second))
        up_to = max(good, default=0.0)
        print(
            f"{name:28} {len(springs):5} {redundant:9}   {compared[-1][0]:35.1e} {second:7.1e}   {up_to:.0e} m",
            flush=True,
        )
    for title, column in zip(("Exudyn", "dense"), zip(*compared, strict=True), strict=False):
        finite = [d for d in column if np.isfinite(d)]
        print(f"{title}: {len(finite)} mechanisms, largest difference {max(finite, default=0.0):.1e}")


if __name__ == "__main__":
    main()
