"""Constraints: primitives (one room for their algebra), joints as lists of primitives, gears."""

from solver.constraints.evaluation import Evaluation, SparseRows, evaluate, evaluate_sparse
from solver.constraints.primitives import (
    GROUND,
    AxesAngle,
    Coordinate,
    Coupler,
    Distance,
    GearPair,
    LineDistance,
    PointLineDistance,
    PointOnPlane,
    Primitive,
    RackPinion,
)

__all__ = [
    "GROUND",
    "AxesAngle",
    "Coordinate",
    "Coupler",
    "Distance",
    "Evaluation",
    "GearPair",
    "LineDistance",
    "PointLineDistance",
    "PointOnPlane",
    "Primitive",
    "RackPinion",
    "SparseRows",
    "evaluate",
    "evaluate_sparse",
]
