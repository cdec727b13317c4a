"""Forces that errors cause, against closed forms and against a dense matrix of springs."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

from cadbridge.assembly import Assembly
from cadbridge.diagnosis.diagnose import mate_rows
from cadbridge.mechanism import build
from cadbridge.misfit.blocks import Block
from cadbridge.misfit.forces import Springs
from cadbridge.misfit.groups import DependentMates, constraints_of, groups_of
from tests.diagnosis.dense import matrix
from tests.diagnosis.linkages import bennett
from tests.diagnosis.pool import POOL
from tests.misfit.models import ball_bars, group, on_line, rails, table

EXACT = 1e-9
K = 1e7
KT = 1e4


def springs(found: DependentMates, k: float = K, kt: float = KT) -> Springs:
    """All mates alike."""
    stiffness = np.zeros(len(found.rows))
    for block in found.blocks:
        stiffness[block.rows] = kt if block.turns else k
    return Springs(found, stiffness)


def block(found: DependentMates, mate: str, kind: str) -> Block:
    """The block of a mate that holds one kind of thing."""
    return next(b for b in found.blocks if b.mate == mate and b.kind == kind)


def moved(found: DependentMates, mate: str, kind: str, by: tuple[float, float, float]) -> np.ndarray:
    """Misfits (m,) of a mate whose second side is off by a displacement or small turn in the world."""
    own, e = block(found, mate, kind), np.zeros(len(found.rows))
    e[own.rows] = own.directions @ np.array(by)
    return e


def test_the_middle_hinge_of_three_carries_two_thirds_and_the_outer_ones_a_third_each_against_it() -> None:
    delta = 1e-4
    found = group(on_line((0.0, 0.3, 0.6)))
    force = springs(found).forces(moved(found, "hinge 1", "across", (delta, 0.0, 0.0)))
    for name, share in (("hinge 0", -1 / 3), ("hinge 1", 2 / 3), ("hinge 2", -1 / 3)):
        own = block(found, name, "across")
        assert own.directions.T @ force[own.rows] == pytest.approx([share * K * delta, 0.0, 0.0], abs=EXACT * K * delta)
        for kind in ("along", "tilt"):
            assert np.abs(force[block(found, name, kind).rows]).max() < EXACT * K * delta


@pytest.mark.parametrize("n", [2, 4, 7])
def test_n_hinges_on_a_line_share_by_the_regression_of_their_heights(n: int) -> None:
    """Without stiffness against tilts the door is a beam on n springs: residuals of a straight line through them."""
    heights = np.array([0.0, 0.2, 0.45, 0.7, 0.8, 1.3, 1.4][:n])
    delta = 2e-5
    found = group(on_line(tuple(heights)))
    force = springs(found, kt=1e-8).forces(moved(found, "hinge 1", "across", (delta, 0.0, 0.0)))
    e = np.where(np.arange(n) == 1, delta, 0.0)
    A = np.column_stack([np.ones(n), heights])
    left = e - A @ np.linalg.lstsq(A, e, rcond=None)[0]
    own = [block(found, f"hinge {i}", "across") for i in range(n)]
    assert [float(b.directions[:, 0] @ force[b.rows]) for b in own] == pytest.approx(K * left, abs=1e-7 * K * delta)


def test_shares_go_by_stiffness() -> None:
    """Two shoulders against each other by δ are springs in series: k₁ k₂ / (k₁ + k₂) δ in both."""
    found = group(on_line((0.0, 0.5)))
    k = springs(found).k.copy()
    own = [block(found, f"hinge {i}", "along").rows for i in range(2)]
    k[own[0]], k[own[1]] = 3e6, 8e6
    force = Springs(found, k).forces(moved(found, "hinge 1", "along", (0.0, 0.0, 1e-4)))
    pull = 3e6 * 8e6 / 11e6 * 1e-4
    assert np.abs([force[own[0]][0], force[own[1]][0]]) == pytest.approx([pull, pull], rel=EXACT)


def test_two_rails_that_are_apart_by_too_much_push_with_half_the_stiffness() -> None:
    found = group(rails(0.4))
    delta = 3e-5
    apart = springs(found).forces(moved(found, "rail 1", "across", (0.0, delta, 0.0)))
    for i in range(2):
        own = block(found, f"rail {i}", "across")
        assert abs(float(own.directions[:, 1] @ apart[own.rows])) == pytest.approx(K * delta / 2, rel=EXACT)
    # One rail higher turns the carriage about the rails: none of it is left.
    higher = springs(found).forces(moved(found, "rail 1", "across", (0.0, 0.0, delta)))
    assert np.abs(higher).max() < EXACT * K * delta
    # Out of parallel by φ, across: two springs of k_t in series, beside none of the places.
    twisted = springs(found).forces(moved(found, "rail 1", "tilt", (0.0, 0.0, 1e-3)))
    assert np.abs(twisted).max() == pytest.approx(KT * 1e-3 / 2, rel=EXACT)


def test_a_table_on_four_legs_rocks_by_a_quarter_of_the_error_on_each_leg() -> None:
    found = group(table([(0.0, 0.0), (1.0, 0.0), (1.0, 0.6), (0.0, 0.6)]))
    delta = 1e-3
    assert found.redundant == 1
    e = np.zeros(4)
    e[block(found, "foot 2", "along").rows] = delta
    force = springs(found).forces(e)
    legs = [force[block(found, f"foot {i}", "along").rows[0]] for i in range(4)]
    assert np.array(legs) * np.sign(legs[2]) == pytest.approx(K * delta / 4 * np.array([1, -1, 1, -1]), rel=EXACT)


def test_a_third_bar_of_a_parallelogram_that_is_too_long_strains_all_three() -> None:
    """Bars at 0, a, 2a: one stress (1, −2, 1), so that a middle one too long by δ carries 4/6 k δ."""
    found = group(ball_bars(3))
    delta = 1e-4
    assert found.redundant == 1
    e = np.zeros(len(found.rows))
    middle = next(b for b in found.blocks if b.mate == "bar 1").rows
    e[middle] = delta
    force = springs(found).forces(e)
    bars = [float(force[next(b for b in found.blocks if b.mate == f"bar {i}").rows][0]) for i in range(3)]
    assert np.array(bars) * np.sign(bars[1]) == pytest.approx(K * delta * np.array([-1 / 3, 2 / 3, -1 / 3]), rel=EXACT)


def dense(model: Assembly) -> tuple[np.ndarray, list[DependentMates]]:
    """All rows in lengths and angles as one matrix, and the groups."""
    found = constraints_of(build(model))
    factors = np.where(found.rows.factors > 0.0, found.rows.factors, 1.0)
    return matrix(mate_rows(build(model))) / factors[:, None] * found.blocks.scale[:, None], groups_of(found)


@pytest.mark.parametrize("name", POOL)
def test_forces_are_those_of_springs_in_all_rows_at_once(name: str) -> None:
    """The least energy of springs over all motions, by least squares on one dense matrix."""
    A, groups = dense(POOL[name]())
    random = np.random.default_rng(3)
    for found in groups:
        k = 10.0 ** random.uniform(4, 7, len(found.rows))
        e = random.normal(size=(len(found.rows), 2)) * 1e-4
        rows = A[found.rows] * np.sqrt(k)[:, None]
        x = np.linalg.lstsq(rows, np.sqrt(k)[:, None] * e, rcond=1e-11)[0]
        expected = k[:, None] * e - np.sqrt(k)[:, None] * (rows @ x)
        assert Springs(found, k).forces(e) == pytest.approx(expected, abs=1e-6 * np.abs(expected).max())


def test_bennetts_linkage_needs_no_force_where_its_condition_stays() -> None:
    """a / sin α = b / sin β holds for all sizes: hinges off as those of a linkage larger by a millionth bind nowhere.

    A side alone that is longer by as much takes it off its condition.
    """
    small, larger = bennett(), bennett(a=0.3 * (1 + 1e-6), b=0.2 * (1 + 1e-6))
    found = group(small)
    assert found.redundant == 3
    e = np.zeros(found.B.shape[1])
    for zone in found.errors.zones:
        face = found.errors.faces[zone.face if zone.face is not None else 0]
        k = int(face.mates[0].split()[-1])
        mates = [(m.a if m.a.component == face.component else m.b) for m in (small.mates[k], larger.mates[k])]
        moved_by = face.X_WF.R.T @ (mates[1].point - mates[0].point)
        if zone.kind in ("across", "along"):
            e[zone.columns] = moved_by[:2] if zone.kind == "across" else moved_by[2:]
    assert np.abs(e).max() > 1e-8
    strain = springs(found).forces(found.B @ e)
    one = np.where(np.arange(len(e)) == int(np.argmax(np.abs(e))), e, 0.0)
    assert np.abs(strain).max() < 1e-4 * np.abs(springs(found).forces(found.B @ one)).max()


def test_levers_beyond_the_digits_of_a_number_end_in_numbers() -> None:
    """A file with a point 6e11 mm away: two self-stresses are the same to the last digit, and no Cholesky exists."""
    N = csr_array(np.array([[1.0, 1.0], [1e12, 1e12], [1.0, 1.0]]))
    group = SimpleNamespace(N=N, E=csr_array(np.zeros((3, 2))))
    found = Springs(group, np.ones(3)).forces(np.array([1.0, 0.0, 0.0]))  # type: ignore[arg-type]
    assert np.isfinite(found).all()
    assert np.abs(found).max() < 1.0
