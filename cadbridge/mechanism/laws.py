"""Couplings between the coordinates of joints: linear laws of any number of joints, cams and their followers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from cadbridge.assembly import CamLaw, Coupling, Mate
from cadbridge.frames import Vector, cross_length, unit
from cadbridge.freedoms import SLIDE
from cadbridge.mechanism.couplings import NO_LINE, SKEW, joint_coordinate
from cadbridge.mechanism.sides import MateSide
from solver.constraints import Coupler, FunctionCoupler, Primitive
from solver.constraints.curves import Curve, oscillating_cam, periodic, spline, translating_cam

Placed = tuple[Mate, MateSide, MateSide]
"""A mate with its sides a and b."""


_PIECES = 1024
"""Cubics that a polynomial of a higher power is made of: each is off by the fourth power of its length, so that a
thousand leave 1e-12 of what one would miss, and a table of a thousand lines is still quick."""


def linear_primitive(coupling: Coupling, joints: list[Placed]) -> Primitive:
    """Σ factor · q = offset, each q zero as designed; ValueError where a mate leaves no one freedom."""
    terms = []
    for (_, factor), (mate, a, b) in zip(coupling.factors, joints, strict=True):
        coordinate = joint_coordinate(mate, a, b)
        if coordinate is None:
            raise ValueError(f"{mate.name} has no axis")
        terms.append((factor, coordinate))
    first = terms[0][1].a if len(terms) == 1 else terms[0][1].b
    return Coupler(first, terms[-1][1].b, tuple(terms), coupling.offset)


def cam_primitive(coupling: Coupling, driver: Placed, follower: Placed) -> Primitive:
    """The follower's value by a law of the driver's; ValueError where the cam cannot be."""
    assert coupling.cam is not None
    if coupling.cam.profile:
        driver, follower = _on_carrier(driver, follower)
        curve = _of_profile(coupling.cam, driver, follower)
    else:
        curve = _of_law(coupling.cam)
    first, second = joint_coordinate(*driver), joint_coordinate(*follower)
    if first is None or second is None:
        raise ValueError("a joint of a cam has no axis")
    # Both values are zero as designed, wherever on the cam that is.
    return FunctionCoupler(first.b, second.b, first, second, curve, coupling.offset - float(curve(0.0)))


def _of_law(cam: CamLaw) -> Curve:
    if cam.polynomial:
        return _of_polynomial(cam)
    return periodic(cam.points, cam.period) if cam.period > 0 else spline(cam.points)


def _of_polynomial(cam: CamLaw) -> Curve:
    """Cubics that meet the polynomial in value and slope: they are it up to the third power."""
    q = np.linspace(cam.points[0][0], cam.points[-1][0], 2 if len(cam.polynomial) <= 4 else _PIECES + 1)
    f = np.polynomial.Polynomial(cam.polynomial)
    value, slope = f(q), f.deriv()(q)
    h, rise = np.diff(q), np.diff(value)
    square = 3 * rise / h**2 - (2 * slope[:-1] + slope[1:]) / h
    cube = (slope[:-1] + slope[1:]) / h**2 - 2 * rise / h**3
    pieces = np.stack([value[:-1], slope[:-1], square, cube], axis=1)
    return Curve(q, np.vstack([pieces, [value[-1], slope[-1], 0.0, 0.0]]))


def _on_carrier(driver: Placed, follower: Placed) -> tuple[Placed, Placed]:
    """Both joints with the unit that carries cam and follower as their side a."""
    shared = {side.index for side in driver[1:]} & {side.index for side in follower[1:]}
    if len(shared) != 1:
        raise ValueError("a cam's profile needs its two joints on one carrier")

    def turned(placed: Placed) -> Placed:
        mate, a, b = placed
        return (mate, a, b) if a.index in shared else (mate, b, a)

    return turned(driver), turned(follower)


def _of_profile(cam: CamLaw, driver: Placed, follower: Placed) -> Curve:
    """The curve of the follower's value over the cam's turn about its axis in the carrier."""
    axis, direction = driver[1].world_direction(), follower[1].world_direction()
    way = follower[1].world_point() - driver[1].world_point()
    points = np.array(cam.points)
    if cam.arm is None:
        if follower[0].counted != SLIDE:
            raise ValueError("a follower that turns needs its arm")
        if abs(float(axis @ direction)) > SKEW:
            raise ValueError("the follower's slide must be across the cam's axis")
        points[:, 0] += math.pi / 2
        return translating_cam(points, cam.roller, float(np.cross(direction, axis) @ way))
    if cross_length(axis, direction) > SKEW:
        raise ValueError("the follower's pivot must be parallel to the cam's axis")
    across: Vector = way - axis * float(axis @ way)
    if float(np.linalg.norm(across)) < NO_LINE:
        raise ValueError("the follower's pivot lies on the cam's axis")
    curve = oscillating_cam(points, float(np.linalg.norm(across)), cam.arm, cam.roller, cam.side)
    # The arm stands at π − side · ψ about the cam's axis, from the line to the pivot.
    factor = -cam.side * float(np.sign(unit(axis) @ unit(direction)))
    return replace(curve, coefficients=factor * curve.coefficients, rise=factor * curve.rise)
