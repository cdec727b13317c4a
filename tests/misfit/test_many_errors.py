"""Groups of very many errors: what is bounded, drawn and summed in parts is what it is in one piece."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from cadbridge.mechanism import build
from cadbridge.misfit import fit
from cadbridge.misfit import spread as spread_module
from cadbridge.misfit import zones as zones_module
from cadbridge.misfit.blocks import ToleranceZone
from cadbridge.misfit.spread import Spread
from cadbridge.misfit.zones import Drawn, Zones
from tests.diagnosis.linkages import planar


def alike(random: np.random.Generator, count: int) -> Zones:
    """Zones of one to three columns, of several radii."""
    sizes = random.integers(1, 4, count)
    ends = np.cumsum(sizes)
    zones = [ToleranceZone("", None, "", np.arange(end - size, end)) for size, end in zip(sizes, ends, strict=True)]
    return Zones(zones, random.uniform(0.5, 1.5, count))


@pytest.mark.parametrize("uniform", [False, True])
def test_draws_in_parts_are_the_draws_at_once(monkeypatch: pytest.MonkeyPatch, uniform: bool) -> None:
    random = np.random.default_rng(3)
    zones, drawn = alike(random, 60), Drawn(200, 7, uniform)
    felt = csr_array(random.standard_normal((4, int(zones.sizes.sum()))))
    which = np.array([5, 17, 199])
    at_once = zones.misfits(felt, drawn), zones.chosen(which, drawn)
    np.testing.assert_allclose(np.asarray(felt @ at_once[1]), at_once[0][:, which], rtol=1e-12, atol=1e-12)
    monkeypatch.setattr(zones_module, "KEPT", 1500)
    assert max(errors.size for _, errors in zones._blocks(drawn)) <= 1500
    np.testing.assert_allclose(zones.misfits(felt, drawn), at_once[0], rtol=1e-12, atol=1e-12)
    assert np.array_equal(zones.chosen(which, drawn), at_once[1])


@pytest.mark.parametrize("seed", range(3))
def test_zones_taken_together_bound_what_they_bound_and_find_it(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Errors along a curve, as those of a long loop: the exact search, which climbs over all zones, finds no more."""
    random = np.random.default_rng(seed)
    count = 3000
    zones = Zones([ToleranceZone("", None, "", np.array([i])) for i in range(count)], random.uniform(0.5, 1.5, count))
    angle = np.linspace(0.0, 2.0 * np.pi, count)
    P = np.array([np.cos(angle), np.sin(angle), 0.3 + 0.1 * np.cos(2.0 * angle)])
    parts = [random.standard_normal((k, 3)) for k in (1, 2, 3) * 4]
    found, bounds = Spread(zones, P).widest(parts)
    monkeypatch.setattr(spread_module, "MANY_ERRORS", count + 1)
    exact, _ = Spread(zones, P).widest(parts)
    assert np.all(found <= exact * (1.0 + 1e-9))
    np.testing.assert_allclose(found, exact, rtol=1e-3)
    assert np.all(exact <= bounds * (1.0 + 1e-9))
    np.testing.assert_allclose(bounds, exact, rtol=2e-3)
    for F in parts:
        assert Spread(zones, P).squares(F) == pytest.approx(zones.widest_squares(F @ P), rel=1e-9)


def test_a_long_loop_is_computed_as_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty hinges around a plane, with zones taken together and draws in parts, and without."""
    points = [(float(np.cos(a)), float(np.sin(a))) for a in np.linspace(0.0, 2.0 * np.pi, 21)[:-1]]
    mechanism = build(planar(points))
    (plain,) = fit(mechanism, releases=0).groups
    monkeypatch.setattr(spread_module, "MANY_ERRORS", 1)
    monkeypatch.setattr(zones_module, "KEPT", 20_000)
    (parted,) = fit(mechanism, releases=0).groups
    assert parted.play.most95 == pytest.approx(plain.play.most95, rel=1e-9)
    assert parted.play.worst == pytest.approx(plain.play.worst, rel=1e-9)
    assert parted.play.sufficient == pytest.approx(plain.play.sufficient, rel=2e-3)
    forces = [[load.worst for load in g.loads] for g in (parted, plain)]
    np.testing.assert_allclose(forces[0], forces[1], rtol=1e-3)
