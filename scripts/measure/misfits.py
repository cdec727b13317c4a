"""Forces of misfits by Exudyn's six-axis springs, beside those of `cadbridge fit`'s rows: two engines, one answer.

    python scripts/measure/misfits.py [SOURCE …]        by default the tests' textbook mechanisms and the fixtures

For each mechanism with redundant mates, every mate becomes a RigidBodySpringDamper between two rigid bodies whose
stiffness is that of the mate's rows, and whose offset is a random misfit. Exudyn solves its non-linear static
equilibrium; only bodies, places and springs are handed over, no row, rank or null space. The first column is at misfits
of 0.1 µm and µrad, the second tells up to which size first order is within a thousandth. Needs `pip install exudyn`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import exudyn as exu
import numpy as np
from exudyn.utilities import RigidBodyInertia

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from cadbridge.assembly import Assembly  # noqa: E402
from cadbridge.frames import Pose  # noqa: E402
from cadbridge.mechanism import build  # noqa: E402
from cadbridge.misfit.blocks import TURNS  # noqa: E402
from cadbridge.misfit.forces import Springs  # noqa: E402
from cadbridge.misfit.groups import Constraints, constraints_of, groups_of  # noqa: E402
from cadbridge.reading import read  # noqa: E402

K, KT = 1e7, 1e4
WEAK = (0.1, 0.01)
"""N/m and N m/rad that hold what the mates leave free: what they do goes with them, so that none are extrapolated."""
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


def springs_of(constraints: Constraints) -> dict[str, tuple[int, int, np.ndarray, np.ndarray]] | str:
    """Of each mate its two units, point (3,) and stiffness (6, 6) in the world; else why a row is no such spring."""
    blocks, rows = constraints.blocks, constraints.rows
    bound = {mate for group in groups_of(constraints) for mate in group.mates}
    loose = {c.name for c in constraints.mechanism.assembly.couplings} - bound
    found: dict[str, tuple[int, int, np.ndarray, np.ndarray]] = {}
    for block in (b for b in blocks.blocks if b.mate not in loose):
        for i, d in zip(block.rows, block.directions, strict=True):
            if len(rows.ends[i]) != 2 or not np.any(d):
                return f"{block.mate} couples joints"
            wrench = blocks.wrenches[i]
            expected = np.concatenate([np.zeros(3), d] if block.kind in TURNS else [d, np.zeros(3)])
            if not np.allclose(wrench, expected, atol=1e-9):
                return f"{block.mate} is no spring at one point"
            a, b = rows.ends[i]
            known = found.setdefault(block.mate, (a, b, blocks.frames[block.mate].point, np.zeros((6, 6))))
            if (a, b) != known[:2]:
                return f"{block.mate} has rows between its units in both orders"
            known[3][:, :] += (KT if block.kind in TURNS else K) * np.outer(expected, expected)
    return found


def by_exudyn(constraints: Constraints, springs: dict[str, Any], off: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The force and torque (6,) of each spring, world axes, extrapolated to nothing that holds the free motions."""
    strong, weak = (_equilibrium(constraints, springs, off, k) for k in WEAK)
    part = WEAK[1] / (WEAK[0] - WEAK[1])
    return {mate: weak[mate] + part * (weak[mate] - strong[mate]) for mate in weak}


def _equilibrium(
    constraints: Constraints, springs: dict[str, Any], off: dict[str, np.ndarray], weak: float
) -> dict[str, np.ndarray]:
    """The same in static equilibrium, with springs `weak` (N/m, N m/rad) between all bodies and the ground."""
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


def by_rows(constraints: Constraints, off: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The same by λ = N (Nᵀ C N)⁻¹ Nᵀ e."""
    found = {mate: np.zeros(6) for mate in off}
    for group in groups_of(constraints):
        k, e = np.zeros(len(group.rows)), np.zeros(len(group.rows))
        for block in group.blocks:
            part = slice(3, 6) if block.turns else slice(0, 3)
            k[block.rows] = KT if block.turns else K
            e[block.rows] = -block.directions @ off[block.mate][part]
        force = Springs(group, k).forces(e)
        for block in group.blocks:
            part = slice(3, 6) if block.turns else slice(0, 3)
            found[block.mate][part] += block.directions.T @ force[block.rows]
    return found


def difference(constraints: Constraints, springs: dict[str, Any], size: float) -> float:
    """The largest difference of a force, or a torque over 32 mm, beside the largest; nan: no equilibrium found."""
    random = np.random.default_rng(1)
    off = {mate: size * random.uniform(-1.0, 1.0, 6) for mate in springs}
    try:
        theirs, ours = by_exudyn(constraints, springs, off), by_rows(constraints, off)
    except exu.SolverError:
        return float("nan")
    weights = np.array([1.0] * 3 + [1.0 / np.sqrt(KT / K)] * 3)
    largest = max(float(np.abs(weights * f).max()) for f in ours.values())
    return max(float(np.abs(weights * (theirs[m] - ours[m])).max()) for m in springs) / largest


def main() -> None:
    exu.config.suppressWarnings = True
    print(f"{'mechanism':28} {'mates':>5} {'redundant':>9}   difference at 0.1 µm, µrad   within 1e-3 up to")
    compared = []
    for name, model in models(sys.argv[1:]):
        constraints = constraints_of(build(model))
        redundant = len(constraints.dependence.repeated)
        springs = springs_of(constraints)
        if not redundant or isinstance(springs, str):
            why = springs if redundant else "nothing binds"
            print(f"{name:28} {len(model.mates):5} {redundant:9}   left out: {why}")
            continue
        differences = [difference(constraints, springs, size) for size in SIZES]
        good = [size for size, d in zip(SIZES, differences, strict=True) if d < 1e-3]
        if np.isfinite(differences[0]):
            compared.append(differences[0])
        up_to = max(good, default=0.0)
        print(f"{name:28} {len(springs):5} {redundant:9}   {differences[0]:24.1e}   {up_to:.0e} m, rad", flush=True)
    print(f"{len(compared)} mechanisms, largest difference {max(compared, default=0.0):.1e}")


if __name__ == "__main__":
    main()
