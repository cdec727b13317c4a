"""What others published of redundant mechanisms, rebuilt as far as their texts say how."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cadbridge.assembly import GROUND, Assembly, FeatureKind, Mate, MateKind
from cadbridge.inertia import MassProperties
from cadbridge.mechanism import build
from cadbridge.misfit import Settings, fit
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
