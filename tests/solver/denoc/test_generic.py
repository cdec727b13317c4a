"""The generic equation of open branches against DeNOC and against absolute coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from solver import State, rotation
from solver.constraints import GROUND as WORLD
from solver.constraints import AxesAngle
from solver.denoc import GROUND, Link, Tree, forward_dynamics, poses, twists, universal
from solver.denoc.generic import attachment_vectors, generic_accelerations, generic_equations, topology
from solver.equations.projection import complete
from solver.equations.system import prepare
from solver.model import Model, RigidBody
from solver.steps.methods import slope_at
from tests.solver.examples import ball, hinge

Array = np.ndarray


def branches() -> Tree:
    """Seven bodies on two branches: pins, a spherical and a universal joint."""
    rng = np.random.default_rng(4)

    def link(name: str, parent: int, joint: str) -> Link:
        A = rng.normal(size=(3, 3))
        return Link(
            name, parent, joint, point=rng.normal(size=3), axis=rng.normal(size=3), mass=1 + rng.random(),
            com=rng.normal(size=3), inertia=A @ A.T + np.eye(3),
        )  # fmt: skip

    A = rng.normal(size=(3, 3))
    shaft = universal(
        "shaft", 1, 4, [1.0, 0, 0], [0, 1.0, 0], point=rng.normal(size=3), mass=1.3, com=rng.normal(size=3),
        inertia=A @ A.T + np.eye(3),
    )  # fmt: skip
    return Tree(
        (
            link("base", GROUND, "revolute"),
            link("left", 0, "revolute"),
            link("right", 0, "spherical"),
            link("hand", 2, "revolute"),
            *shaft,
            link("tip", 5, "revolute"),
        ),
        (0.5, -1.0, -9.0),
    )


def in_absolute_coordinates(tree: Tree) -> Model:
    """Every body with the rows of its joint at q = 0; the cross of the universal joint is one row between its ends."""
    o, R = poses(tree, tree.neutral)
    x = np.array([o[k] + R[k] @ link.com for k, link in enumerate(tree.links)])
    number = {k: i for i, k in enumerate(k for k, link in enumerate(tree.links) if link.mass > 0)}
    rows = []
    for k, link in enumerate(tree.links):
        if link.mass == 0:
            continue
        cross = link.parent if link.parent != GROUND and tree.links[link.parent].mass == 0 else None
        parent = link.parent if cross is None else tree.links[cross].parent
        a = WORLD if parent == GROUND else number[parent]
        ends = (a, number[k], R[parent].T @ (o[k] - x[parent]) if a != WORLD else o[k], -link.com)
        if link.joint == "spherical" or cross is not None:
            rows += ball(*ends)
        if cross is not None:
            first = R[cross] @ tree.links[cross].axis
            rows.append(AxesAngle(a, number[k], R[parent].T @ first, link.axis))
        elif link.joint == "revolute":
            rows += hinge(*ends, link.axis / np.linalg.norm(link.axis))
    bodies = tuple(RigidBody(tree.links[k].name, tree.links[k].mass, tree.links[k].inertia) for k in number)
    quaternions = np.array([rotation.quaternion(R[k]) for k in number])
    return Model(bodies, tuple(rows), x[list(number)], quaternions, gravity=tree.gravity)


def state_of(tree: Tree, q: Array, rates: Array) -> State:
    o, R = poses(tree, q)
    t = twists(tree, q, rates)
    carried = [k for k, link in enumerate(tree.links) if link.mass > 0]
    arms = [R[k] @ tree.links[k].com for k in carried]
    v = [np.concatenate([t[k, :3] + np.cross(t[k, 3:], d), t[k, 3:]]) for k, d in zip(carried, arms, strict=True)]
    x = [o[k] + d for k, d in zip(carried, arms, strict=True)]
    return State(0.0, np.array(x), np.array([rotation.quaternion(R[k]) for k in carried]), np.array(v))


def test_equal_to_denoc_and_to_the_absolute_coordinates() -> None:
    tree = branches()
    rng = np.random.default_rng(9)
    model = in_absolute_coordinates(tree)
    system = prepare(model)
    for _ in range(5):
        q, rates = tree.moved(tree.neutral, rng.normal(size=tree.nv)), rng.normal(size=tree.nv)
        efforts, wrenches = rng.normal(size=tree.nv), rng.normal(size=(len(tree.links), 6))
        expected = forward_dynamics(tree, q, rates, efforts, wrenches)
        found = generic_accelerations(tree, q, rates, efforts, wrenches)
        assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
        for terms, start, end in zip(
            generic_equations(tree, q, rates, expected, efforts, wrenches),
            tree.tables.v_start[:-1],
            tree.tables.v_start[1:],
            strict=True,
        ):
            size = np.abs(terms.inertia @ expected[start:end]).max() + 1.0
            assert_allclose(terms.residual(expected[start:end]), 0.0, atol=1e-9 * size)
        # In absolute coordinates, by Ĝ: the accelerations of all bodies under gravity alone.
        fallen = generic_accelerations(tree, q, rates, np.zeros(tree.nv))
        absolute = slope_at(system, complete(system, state_of(tree, q, rates))).acceleration
        centres = centre_accelerations(tree, q, rates, fallen)
        assert_allclose(centres, absolute, rtol=0, atol=1e-9 * np.abs(absolute).max())


def centre_accelerations(tree: Tree, q: Array, rates: Array, accelerations: Array) -> Array:
    """[a; α] of the centres of the bodies that have mass, outward from body to body as in the textbooks."""
    o, R = poses(tree, q)
    t, found = twists(tree, q, rates), []
    a, alpha = np.zeros((len(o), 3)), np.zeros((len(o), 3))
    for k, link in enumerate(tree.links):
        axes = R[k] if link.joint == "spherical" else (R[k] @ link.axis / np.linalg.norm(link.axis))[:, None]
        own = slice(tree.tables.v_start[k], tree.tables.v_start[k + 1])
        w = t[k, 3:]
        alpha[k] = axes @ accelerations[own] + np.cross(w, axes @ rates[own])
        if link.parent != GROUND:
            p, r = link.parent, o[k] - o[link.parent]
            alpha[k] += alpha[p]
            a[k] = a[p] + np.cross(alpha[p], r) + np.cross(t[p, 3:], np.cross(t[p, 3:], r))
        d = R[k] @ link.com
        if link.mass > 0:
            found.append(np.concatenate([a[k] + np.cross(alpha[k], d) + np.cross(w, np.cross(w, d)), alpha[k]]))
    return np.array(found)


def test_the_topology_is_explicit() -> None:
    A = topology(branches())
    assert A.sum() == 6
    reach = attachment_vectors(A)
    assert_allclose(reach[:, 0], 1.0)
    assert_allclose(reach[:, 2], [0, 0, 1, 1, 0, 0, 0])
    assert_allclose(reach[:, 1], [0, 1, 0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match="only: slide"):
        generic_equations(Tree((Link("slide", GROUND, "prismatic", mass=1.0),)), [0.0], [0.0], [0.0], [0.0])


def test_armatures_count_in_the_accelerations() -> None:
    tree = branches()
    tree = replace(tree, links=tuple(replace(link, armature=0.5 + k) for k, link in enumerate(tree.links)))
    rng = np.random.default_rng(3)
    q, rates, efforts = tree.moved(tree.neutral, rng.normal(size=tree.nv)), *rng.normal(size=(2, tree.nv))
    expected = forward_dynamics(tree, q, rates, efforts)
    assert_allclose(generic_accelerations(tree, q, rates, efforts), expected, atol=1e-9 * np.abs(expected).max())
