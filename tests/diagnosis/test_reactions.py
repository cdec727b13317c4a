"""Determined reactions, against the null space of one dense matrix and against solutions with other weights."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import null_space

from cadbridge.assembly import GROUND, Assembly, MateKind
from cadbridge.diagnosis import Diagnosis, diagnose
from cadbridge.diagnosis.diagnose import mate_rows
from cadbridge.mechanism import Mechanism, build
from cadbridge.mechanism.rows import Rows
from tests.diagnosis import linkages
from tests.diagnosis.dense import matrix
from tests.diagnosis.pool import POOL
from tests.mechanism.building import assembly, mate

Array = NDArray[np.float64]
KINDS = (MateKind.INSERT, MateKind.CONCENTRIC, MateKind.FLUSH, MateKind.SPHERICAL, MateKind.PRISMATIC)


def web(seed: int) -> Assembly:
    """Five parts and the ground with nine joints between any two, their axes along and across a common frame."""
    random = np.random.default_rng(seed)
    places = {f"part {i}": tuple(random.uniform(-0.3, 0.3, 3)) for i in range(5)}
    names = [GROUND, *places]
    pairs = [(i, (i + 1) % 6) for i in range(6)] + [tuple(random.choice(6, 2, replace=False)) for _ in range(3)]
    mates = []
    for k, (a, b) in enumerate(pairs):
        axis = np.eye(3)[random.integers(3)] if random.random() < 0.7 else random.normal(size=3)
        point, kind = random.uniform(-0.3, 0.3, 3), KINDS[random.integers(len(KINDS))]
        mates.append(mate(places, f"m{k}", kind, names[a], names[b], point, axis))
    return assembly(places, mates)


MODELS: dict[str, Callable[[], Assembly]] = {
    **{f"web {seed}": partial(web, seed) for seed in range(20)},
    **{
        n: POOL[n] for n in ("four-bar", "Bennett", "Sarrus", "planetary", "universal joint", "crank-slider", "stack 1")
    },
    "bars": lambda: linkages.parallel_bars(3),
}


def on_bodies(mechanism: Mechanism) -> Rows:
    """All rows of the mates, between bodies."""
    return mate_rows(mechanism).on([mechanism.body_of[n] for n in mechanism.component_names], len(mechanism.bodies))


def wrenches(mechanism: Mechanism, rows: Rows, multipliers: Array) -> dict[str, Array]:
    """What each joint's mates put on its body b, for multipliers (m, k): (6, k) at its origin, in its frame.

    Of a joint to the ground on side b: on a.
    """
    found = {}
    for joint in mechanism.joints:
        body = joint.b if joint.b >= 0 else joint.a
        W = np.zeros((6, multipliers.shape[1]))
        for i, owner in enumerate(rows.owners):
            if owner in joint.mates and body in rows.units[i]:
                W += np.outer(rows.wrenches[i][rows.units[i].index(body)], multipliers[i])
        base = mechanism.bodies[joint.a] if joint.a >= 0 else mechanism.ground
        X = base.X_WB @ joint.X_AJ
        torque = W[3:] * rows.length - np.cross(X.p - rows.centre, W[:3], axisb=0, axisc=0)
        found[joint.name] = np.vstack([X.R.T @ W[:3], X.R.T @ torque / rows.length])
    return found


def told(found: Diagnosis) -> dict[str, tuple[bool, ...]]:
    return {r.joint: (*r.force, *r.torque) for r in found.reactions}


@pytest.mark.parametrize("name", MODELS)
def test_a_component_is_determined_where_no_self_stress_has_a_part_in_it(name: str) -> None:
    """Wojtyra & Frączek's criterion: Aᵀ N_A = 0, with N from one singular value decomposition."""
    mechanism = build(MODELS[name]())
    rows = on_bodies(mechanism)
    N = null_space(matrix(rows).T, rcond=1e-9)
    expected = {joint: tuple(np.max(np.abs(W), axis=1, initial=0.0) < 1e-7) for joint, W in
                wrenches(mechanism, rows, N).items()}  # fmt: skip
    found = diagnose(mechanism)
    assert told(found) == expected
    assert {r.joint: r.determined for r in found.reactions} == {j: all(c) for j, c in expected.items()}


@pytest.mark.parametrize("name", MODELS)
def test_a_determined_reaction_is_the_same_whatever_the_weights(name: str) -> None:
    """The same load carried by multipliers of least norm in two random weights: what agrees is what is determined."""
    mechanism = build(MODELS[name]())
    rows = on_bodies(mechanism)
    G = matrix(rows)
    random = np.random.default_rng(5)
    load = G.T @ random.normal(size=(len(rows), 4))
    carried = []
    for _ in range(2):
        weights = random.uniform(0.2, 5.0, len(rows))
        least = weights[:, None] * (np.linalg.pinv(G.T * weights, rcond=1e-9) @ load)
        np.testing.assert_allclose(G.T @ least, load, atol=1e-8)
        carried.append(wrenches(mechanism, rows, least))
    for joint, components in told(diagnose(mechanism)).items():
        apart = np.max(np.abs(carried[0][joint] - carried[1][joint]), axis=1)
        assert tuple(apart < 1e-6) == components
