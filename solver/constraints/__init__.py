"""Constraints: primitives (their algebra stands here alone), joints as lists of primitives, gears."""

from solver.constraints.evaluation import Evaluation, SparseRows, evaluate, evaluate_sparse
from solver.constraints.primitives import (
    GROUND,
    AxesAngle,
    ConstantVelocity,
    Coordinate,
    Coupler,
    Distance,
    FunctionCoupler,
    GearPair,
    LineDistance,
    PointLineDistance,
    PointOnPlane,
    Primitive,
    RackPinion,
    WheelPair,
)

__all__ = [
    "GROUND", "AxesAngle", "ConstantVelocity", "Coordinate", "Coupler", "Distance", "Evaluation", "FunctionCoupler",
    "GearPair", "LineDistance", "PointLineDistance", "PointOnPlane", "Primitive", "RackPinion", "SparseRows",
    "WheelPair", "evaluate", "evaluate_sparse",
]  # fmt: skip
