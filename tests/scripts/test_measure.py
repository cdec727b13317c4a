"""The full Jacobian that the measurement compares with is right: G T = Ĝ, and Ĝ the solver's."""

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from solver.constraints import (
    AxesAngle,
    Distance,
    GearPair,
    LineDistance,
    PointLineDistance,
    PointOnPlane,
    RackPinion,
)
from solver.model import Model
from tests.loading import module_of
from tests.solver.examples import X, Y, Z, body

FOLDER = Path(__file__).resolve().parents[2] / "scripts" / "measure"


@pytest.fixture(scope="module", params=["Python", pytest.param("compiled", marks=pytest.mark.nightly)])
def jacobians(request: pytest.FixtureRequest) -> ModuleType:
    """The script, its kernels as the Python that they are: to compile them takes far longer than the test."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "Python":
            patch.setattr("numba.njit", lambda *kernel, **_: kernel[0] if kernel else lambda made: made)
        return module_of(FOLDER / "jacobians.py")


def test_the_full_jacobian_times_the_rates_of_its_parameters_is_the_transformed_one(jacobians: ModuleType) -> None:
    rng = np.random.default_rng(3)
    p, q = rng.normal(size=(2, 3))
    rows = (
        PointOnPlane(0, 1, p, X, q),
        AxesAngle(1, 0, Y, Z),
        Distance(0, -1, p, q, 1.0),
        PointLineDistance(1, 0, p, Z, q, 1.0),
        LineDistance(-1, 1, p, X, q, Y, 0.1),
        GearPair(0, 1, "spur", p, Z, q, Z, 2.0),
        RackPinion(1, 0, p, Z, 0.2, q, X),
    )
    quaternions = rng.normal(size=(2, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
    model = Model((body("a"), body("b")), rows, rng.normal(size=(2, 3)), quaternions)
    found = jacobians.measure(model, rounds=1)
    assert found["G_T_minus_G_hat"] < 1e-12
    assert found["G_hat_minus_own"] < 1e-12
    assert (found["transformed"]["columns"], found["full"]["columns"]) == (12, 14)
    assert (found["transformed"]["unknowns"], found["full"]["unknowns"]) == (12 + 7, 14 + 7 + 2)
