"""What others published of redundant mechanisms, rebuilt as far as their texts say how."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cadbridge.assembly import GROUND, Assembly, FeatureKind, Mate, MateKind
from cadbridge.inertia import MassProperties
from cadbridge.mechanism import build
from cadbridge.misfit import Settings, fit
from cadbridge.misfit.file import FitEntry
from cadbridge.misfit.fits import fitted_by, rules_of
from cadbridge.misfit.proposing import applied
from cadbridge.misfit.settings import Rule
from tests.mechanism.building import assembly, feature, mate
from tests.misfit.models import Z, on_line

G = 9.81


def on_limbs(count: int, guided: bool, seed: int) -> tuple[Assembly, dict[str, float], np.ndarray]:
    """A platform on limbs with a ball joint at either end (SS), of unlike stiffness, and their screws (count, 6).

    `guided`: a slide along z holds it too.
    """
    random = np.random.default_rng(seed)
    places = {"platform": (0.0, 0.0, 0.5)}
    mates, stiffness, screws = [], {}, []
    if guided:
        mates.append(mate(places, "P", MateKind.PRISMATIC, GROUND, "platform", (0.0, 0.0, 0.5), Z))
    for i in range(count):
        low, high = np.append(random.uniform(-0.5, 0.5, 2), 0.0), np.append(random.uniform(-0.3, 0.3, 2), 0.5)
        a = feature(places, GROUND, FeatureKind.POINT, tuple(low))
        b = feature(places, "platform", FeatureKind.POINT, tuple(high))
        length = float(np.linalg.norm(high - low))
        mates.append(Mate(f"limb {i}", MateKind.DISTANCE, a, b, value=length))
        stiffness[f"limb {i}"] = float(random.uniform(1e6, 9e6))
        along = (high - low) / length
        screws.append(np.concatenate([along, np.cross(high - [0.0, 0.0, 0.5], along)]))
    return assembly(places, mates), stiffness, np.array(screws)


@pytest.mark.parametrize(("count", "guided"), [(2, True), (7, False)], ids=["2SS+P", "7-SS"])
def test_limbs_carry_what_the_equivalent_stiffness_gives(count: int, guided: bool) -> None:
    """By equivalent stiffness f = k $ᵀ (Σ k $ $ᵀ)⁻¹ F of the limbs' screws $ and stiffness k (CJME 36:23, 2023).

    Of 2SS+P F and $ are their parts along the slide. The paper's own numbers were not to be had.
    """
    model, stiffness, screws = on_limbs(count, guided, seed=5)
    com = np.array([0.1, -0.05, 0.0])
    part = replace(model.parts[0], declared=MassProperties(2.0, com, 0.01 * np.eye(3)))
    rigid = Rule("mates", "P", {"across": 1e15, "tilt": 1e15, "turn": 1e15})
    limbs = [Rule("mates", name, {"place": k, "along": k}) for name, k in stiffness.items()]
    settings = Settings(stiffness=[rigid, *limbs])
    (found,) = fit(build(replace(model, parts=(part,))), settings).groups
    assert found.redundant == 1
    free = np.eye(6)[2:3] if guided else np.eye(6)
    k, S = np.array(list(stiffness.values())), screws @ free.T
    down = np.array([0.0, 0.0, -2.0 * G])
    F = free @ np.concatenate([down, np.cross(com, down)])
    expected = k * (S @ np.linalg.solve(S.T @ (k[:, None] * S), F))
    carried = {load.mate: load.weight for load in found.loads}
    assert [carried[name] for name in stiffness] == pytest.approx(np.abs(expected), rel=1e-7)


def test_an_over_constrained_design_assembles_in_half_of_all_cases_and_an_exact_one_in_all() -> None:
    """As in a Monte Carlo simulation of IDETC 2003-37009 (100 % against 50 %), whose abstract has no dimensions.

    Play that half of the doors need lets half of them go together; weaker hinges need none.
    """
    model = on_line((0.0, 0.5, 1.0))
    (group,) = fit(build(model)).groups
    play = {"across": group.play.median, "along": group.play.median, "tilt": group.play.median / group.reach}
    given = fit(build(model), Settings(play=[Rule("mates", "*", play)]), releases=0)
    assert given.together == pytest.approx(0.5, abs=0.03)  # 10,000 draws, each known to a hundredth
    released = fit(build(applied(model, group.releases.found[0].changes)))
    assert [f.code for f in released.findings] == ["CB441"]


EXACT = Rule("mates", "*", dict.fromkeys(("across", "along", "tilt", "turn"), 0.0))
CATALOGUE = {
    (15, False): 0.020,
    (20, False): 0.026,
    (25, False): 0.031,
    (15, True): 0.008,
    (20, True): 0.010,
    (25, True): 0.014,
}
"""mm by which two rails may be out of parallel by their size, and whether they are preloaded."""
HEIGHT = {False: 0.0012, True: 0.00035}
"""Rails a distance a apart may differ in height by a times this."""


def go_together(size: int, preloaded: bool, distance: float, off: tuple[float, float, float]) -> bool:
    """Whether a beam goes together on two rails of exact parts, the second mounted so far (m) from its place."""
    places = {"beam": (0.0, 0.0, 0.0)}
    at = (-distance / 2, distance / 2)
    made = [
        mate(places, f"rail {i}", MateKind.PRISMATIC, GROUND, "beam", (0.0, y, 0.0), (1.0, 0.0, 0.0))
        for i, y in enumerate(at)
    ]
    made[1] = replace(made[1], a=replace(made[1].a, point=made[1].a.point + np.array(off)))
    model = assembly(places, made)
    fitted = [fitted_by(model, one, FitEntry(mates="*", rail=size, preloaded=preloaded)) for one in made]
    settings = Settings(tolerances=[EXACT], play=rules_of(fitted)[0], draws=100)
    return fit(build(model), settings, releases=0).together == 1.0


@pytest.mark.parametrize(("size", "preloaded"), CATALOGUE)
def test_rails_take_the_errors_of_mounting_that_their_catalogue_states(size: int, preloaded: bool) -> None:
    """Euro-Bearings, Motion guidance, "Parallelism": P1 of sizes 15 to 25; in height S = a f, f = 0.0012 or 0.00035.

    Beside the roll f of the carriages their play across takes up P1 in height too, so that S is between a f and
    a f + P1: it grows with a by f exactly.
    """
    parallel = 1e-3 * CATALOGUE[size, preloaded]
    f = HEIGHT[preloaded]
    for a in (0.3, 0.9):
        assert go_together(size, preloaded, a, (0.0, 0.999 * parallel, 0.0))
        assert not go_together(size, preloaded, a, (0.0, 1.001 * parallel, 0.0))
        assert go_together(size, preloaded, a, (0.0, 0.0, a * f + 0.999 * parallel))
        assert not go_together(size, preloaded, a, (0.0, 0.0, a * f + 1.001 * parallel))
