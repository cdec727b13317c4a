"""Trees against Pinocchio on real robots, and against their own matrices."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from solver.denoc import (
    GROUND,
    Link,
    Tree,
    base_reaction,
    complement,
    forward_by_modules,
    forward_dynamics,
    inertia_factors,
    inertia_matrix,
    inverse_by_modules,
    inverse_dynamics,
    twists,
    universal,
)
from tests.real_robots import ROBOTS
from tests.solver.denoc.pinocchio_trees import configuration, robot, tree_of

Array = np.ndarray


def close(found: Array, expected: Array, tolerance: float = 1e-10) -> None:
    assert_allclose(found, expected, rtol=0, atol=tolerance * max(1.0, float(np.abs(expected).max())))


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("name", ROBOTS)
def test_real_robots_as_pinocchio_computes_them(name: str, floating: bool) -> None:
    model = robot(name, floating)
    data, tree = model.createData(), tree_of(model)
    rng = np.random.default_rng(7)
    given = pin.randomConfiguration(model, np.full(model.nq, -3.0), np.full(model.nq, 3.0))
    q = configuration(model, tree, given)
    rates, wanted = rng.normal(size=(2, model.nv))
    expected = pin.rnea(model, data, given, rates, wanted)
    found = inverse_dynamics(tree, q, rates, wanted)
    close(found.efforts, expected)
    upper = np.triu(pin.crba(model, data, given))
    expected_inertia = upper + np.triu(upper, 1).T
    close(inertia_matrix(tree, q), expected_inertia)
    close(forward_dynamics(tree, q, rates, wanted), pin.aba(model, data, given, rates, wanted))
    factor, D = inertia_factors(tree, q)
    assert np.all(np.tril(factor, -1) == 0.0)
    close(factor @ np.diag(D) @ factor.T, expected_inertia)
    # Module by module it is the same.
    close(inverse_by_modules(tree, q, rates, wanted).efforts, expected)
    close(inverse_by_modules(tree, q, rates, wanted).wrenches, found.wrenches)
    close(forward_by_modules(tree, q, rates, wanted), pin.aba(model, data, given, rates, wanted))


@pytest.mark.parametrize("name", [ROBOTS[3], ROBOTS[9]])
def test_the_complement_gives_twists_and_inertia(name: str) -> None:
    tree = tree_of(robot(name, True))
    rng = np.random.default_rng(3)
    q, rates = tree.moved(tree.neutral, rng.normal(size=tree.nv)), rng.normal(size=tree.nv)
    for by_module in (False, True):
        spread, motion = complement(tree, q, by_module=by_module)
        close(spread @ motion @ rates, twists(tree, q, rates).ravel())
    # Decoupled: module by module the outer matrix is the identity within each module, and N̄ stands in the inner.
    spread, motion = complement(tree, q, by_module=True)
    run = max(tree.modules, key=len)
    assert not spread[6 * run[1] : 6 * run[1] + 6, 6 * run[0] : 6 * run[0] + 6].any()
    assert motion[6 * run[1] : 6 * run[1] + 6, tree.tables.v_start[run[0]]].any()


def _small() -> Tree:
    """Every kind of joint, branched, with armature and a universal joint."""
    rng = np.random.default_rng(0)

    def mass() -> dict[str, object]:
        A = rng.normal(size=(3, 3))
        return {"mass": 1.0 + rng.random(), "com": rng.normal(size=3), "inertia": A @ A.T + np.eye(3)}

    return Tree(
        (
            Link("body", GROUND, "free", **mass()),  # type: ignore[arg-type]
            Link("arm", 0, "spherical", point=rng.normal(size=3), **mass()),  # type: ignore[arg-type]
            Link("slide", 1, "prismatic", point=rng.normal(size=3), axis=rng.normal(size=3), **mass()),  # type: ignore[arg-type]
            Link("nut", 0, "screw", axis=rng.normal(size=3), pitch=0.3, armature=0.7, **mass()),  # type: ignore[arg-type]
            Link("fixed", 3, "fixed", point=rng.normal(size=3), **mass()),  # type: ignore[arg-type]
            *universal("shaft", 4, 5, [1.0, 0, 0], [0, 1.0, 0], point=rng.normal(size=3), **mass()),
            Link("wheel", 6, "revolute", axis=rng.normal(size=3), armature=0.2, **mass()),  # type: ignore[arg-type]
        ),
        (0.3, -0.2, -9.81),
    )


def test_every_joint_by_differences() -> None:
    """The twists are the rates of the poses, and the energy's rate is the power: independent of the recursions."""
    tree = _small()
    rng = np.random.default_rng(2)
    q, rates, efforts = tree.moved(tree.neutral, rng.normal(size=tree.nv)), *rng.normal(size=(2, tree.nv))
    accelerations = forward_dynamics(tree, q, rates, efforts)
    close(forward_by_modules(tree, q, rates, efforts), accelerations)
    close(inverse_dynamics(tree, q, rates, accelerations).efforts, efforts)
    close(_energy_rate(tree, q, rates, accelerations), efforts @ rates, 1e-6)
    factor, D = inertia_factors(tree, q)
    close(factor @ np.diag(D) @ factor.T, inertia_matrix(tree, q))


def _energy_rate(tree: Tree, q: Array, rates: Array, accelerations: Array) -> Array:
    h = 1e-5

    def energy(s: float) -> float:
        at, v = tree.moved(q, s * (rates + s / 2 * accelerations)), rates + s * accelerations
        return float(v @ inertia_matrix(tree, at) @ v / 2) + _potential(tree, at)

    return np.array((energy(h) - energy(-h)) / (2 * h))


def _potential(tree: Tree, q: Array) -> float:
    from solver.denoc import poses

    o, R = poses(tree, q)
    return -sum(
        link.mass * float(np.array(tree.gravity) @ (o[k] + R[k] @ link.com)) for k, link in enumerate(tree.links)
    )


def test_base_reaction_carries_the_weight_and_the_rate_of_momentum() -> None:
    tree = tree_of(robot(ROBOTS[1], False))
    rng = np.random.default_rng(5)
    q, zero = rng.normal(size=tree.nv), np.zeros(tree.nv)
    at_rest = base_reaction(tree, q, inverse_dynamics(tree, q, zero, zero))
    weight = sum(link.mass for link in tree.links) * np.array(tree.gravity)
    close(at_rest[:3], weight)
    # A free base in the same motion takes no effort: then nothing but gravity acts from outside.
    free = _small()
    q, rates = free.moved(free.neutral, rng.normal(size=free.nv)), rng.normal(size=free.nv)
    accelerations = forward_dynamics(free, q, rates, np.zeros(free.nv))
    close(base_reaction(free, q, inverse_dynamics(free, q, rates, accelerations)), np.zeros(6))


def test_what_is_no_tree_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"one: a joint is one of .*; two: its parent 5 must be"):
        Tree((Link("one", GROUND, "ball"), Link("two", 5, "revolute")))
    for method in (forward_dynamics, forward_by_modules):
        with pytest.raises(ValueError, match="no inertia"):
            method(Tree((Link("one", GROUND, "revolute"),)), [0.0], [0.0], [1.0])
    with pytest.raises(ValueError, match=r"q must hold 1 numbers"):
        inertia_matrix(Tree((Link("one", GROUND, "revolute"),)), [0.0, 1.0])
