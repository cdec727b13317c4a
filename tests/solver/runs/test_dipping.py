"""Minima of the smallest pivot, by the steps about them."""

from __future__ import annotations

import pytest

from solver.runs.dipping import _estimated


def test_three_squares_about_a_pose_at_which_rank_is_lost() -> None:
    lost = 0.53
    least, at = _estimated(lost**2, (0.4 - lost) ** 2, (1.0 - lost) ** 2, 0.0, 0.4, 1.0)
    assert least == 0.0
    assert at == pytest.approx(lost)


def test_a_parabola_that_stays_above_zero() -> None:
    least, at = _estimated(0.2 + 0.53**2, 0.2 + 0.13**2, 0.2 + 0.47**2, 0.0, 0.4, 1.0)
    assert least == pytest.approx(0.2)
    assert at == pytest.approx(0.53)


@pytest.mark.parametrize("short", [1e-4, 1.0 - 1e-4])
def test_a_short_step_beside_a_long_one_shows_no_lost_rank(short: float) -> None:
    """Pivots that hardly change: the two that lie close together agree with lines to any pose between."""
    least, _ = _estimated(0.45 + 1e-9, 0.45, 0.45 + 1e-9, 0.0, short, 1.0)
    assert least > 0.4
