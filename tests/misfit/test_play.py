"""The play that is needed: closed forms, and HiGHS on the same programme."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from cadbridge.mechanism import build
from cadbridge.misfit import Rule, Settings, fit
from cadbridge.misfit.groups import DependentMates, constraints_of, groups_of
from cadbridge.misfit.play import Play
from cadbridge.misfit.zones import Zones
from tests.diagnosis.pool import POOL
from tests.misfit.models import group, on_line, table
from tests.misfit.test_forces import moved


def play(found: DependentMates, reach: float = 0.03) -> Play:
    """Play in all directions, of turns over a reach."""
    return Play(found, np.array([1.0 / reach if block.turns else 1.0 for block in found.blocks]))


def by_programme(found: DependentMates, w: np.ndarray, e: np.ndarray) -> float:
    """The least play by HiGHS: planes around each disc and ball are added until none is crossed."""
    E, owner = found.E.toarray(), [(b, *block.rows) for b, block in enumerate(found.blocks)]
    planes = [(b, np.array(rows), s * u) for b, *rows in owner for u in np.eye(len(rows)) for s in (1, -1)]
    scale = float(np.abs(e).max())
    t = np.inf
    for _ in range(40):
        A = np.array([[*(u @ E[rows]) / w[b], -1.0] for b, rows, u in planes])
        right = np.array([-(u @ e[rows]) / w[b] / scale for b, rows, u in planes])
        cost = np.append(np.zeros(E.shape[1]), 1.0)
        solved = linprog(cost, A_ub=A, b_ub=right, bounds=(None, None), method="highs")
        assert solved.x is not None
        r = E @ solved.x[:-1] * scale + e
        t = float(solved.x[-1]) * scale
        sizes = [(b, np.array(rows), float(np.linalg.norm(r[rows]))) for b, *rows in owner]
        more = [(b, rows, r[rows] / size) for b, rows, size in sizes if size > t * w[b] * (1 + 1e-5)]
        if not more:
            break
        planes += more
    return t


def test_a_middle_hinge_that_is_off_needs_half_of_it_as_play() -> None:
    found = group(on_line((0.0, 0.3, 0.6)))
    e = moved(found, "hinge 1", "across", (6e-5, 8e-5, 0.0))
    needed = play(found).least(e[:, None])
    assert needed.low == pytest.approx([5e-5], rel=1e-9)
    assert needed.high == pytest.approx([5e-5], rel=1e-9)


def test_a_table_on_four_legs_needs_a_quarter_of_a_short_leg_at_each() -> None:
    found = group(table([(0.0, 0.0), (1.0, 0.0), (1.0, 0.6), (0.0, 0.6)]))
    e = np.zeros(4)
    e[2] = 1e-3
    assert play(found).least(e[:, None]).low == pytest.approx([0.25e-3], rel=1e-12)


@pytest.mark.parametrize("name", POOL)
def test_the_bounds_enclose_what_highs_finds(name: str) -> None:
    random = np.random.default_rng(5)
    for found in groups_of(constraints_of(build(POOL[name]())))[:1]:
        own = play(found)
        e = random.normal(size=(len(found.rows), 1)) * 1e-4
        needed = own.least(e)
        exact = by_programme(found, own.w, e[:, 0])
        assert needed.low == pytest.approx([exact], rel=1e-4)
        assert needed.high == pytest.approx([exact], rel=1e-4)


def test_draws_need_less_than_the_worst_case_and_that_no_more_than_is_enough() -> None:
    found = fit(build(on_line((0.0, 0.3, 0.6)))).groups[0].play
    assert found.designed == pytest.approx(0.0, abs=1e-15)
    assert found.median < found.most95 < found.most997 < found.worst <= found.sufficient


def test_the_worst_case_of_two_shoulders_is_half_the_sum_of_their_tolerances() -> None:
    rules = (Rule("mates", "*", {"across": 0.0, "tilt": 0.0, "along": 1e-4}),)
    found = fit(build(on_line((0.0, 0.5))), Settings(tolerances=rules)).groups[0].play
    assert found.worst == pytest.approx(2e-4, rel=1e-9)
    assert found.sufficient == pytest.approx(2e-4, rel=1e-9)
    assert found.squares == pytest.approx(1e-4, rel=1e-9)  # √4 · 0.1 mm / 2


def test_the_share_that_goes_together_is_that_of_a_normal_distribution() -> None:
    """Two shoulders, four errors of σ = t/3 cut off at 3 σ: |Σ| ≤ 2 p, a normal one of 2 σ (cut: 0.9733 of it)."""
    rules = (Rule("mates", "*", {"across": 0.0, "tilt": 0.0, "along": 3e-4}),)
    given = (Rule("mates", "*", {"along": 1e-4, "across": 1.0, "tilt": 1.0}),)
    found = fit(build(on_line((0.0, 0.5))), Settings(tolerances=rules, play=given, draws=10_000)).groups[0].play
    deviation = 2e-4 * np.sqrt(1 - 2 * 3 * np.exp(-4.5) / np.sqrt(2 * np.pi) / 0.9973002)
    from scipy.stats import norm

    assert found.together == pytest.approx(2 * norm.cdf(2e-4 / deviation) - 1, abs=0.01)


def test_zones_do_not_know_the_axes() -> None:
    """The widest of a plane's and a space's results does not change when their axes turn."""
    from scipy.stats import special_ortho_group

    found = group(on_line((0.0, 0.3, 0.6)))
    zones = Zones(found.errors.zones, np.full(len(found.errors.zones), 1e-4))
    random = np.random.default_rng(2)
    for size in (2, 3):
        G = random.normal(size=(size, found.B.shape[1]))
        widest, u = zones.widest(G)
        assert float(zones.worst(u @ G)) == pytest.approx(widest, rel=1e-9)
        turned = special_ortho_group.rvs(size, random_state=4) @ G
        assert zones.widest(turned)[0] == pytest.approx(widest, rel=1e-9)
        angles = random.normal(size=(2000, size))
        angles /= np.linalg.norm(angles, axis=1, keepdims=True)
        assert float(zones.worst(angles @ G).max()) <= widest * (1 + 1e-12)
