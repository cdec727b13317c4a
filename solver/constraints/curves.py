"""Curves q ↦ f(q) that couple one coordinate to another: cubic splines, periodic or with ends, and cams.

Beyond its ends a curve goes on along its tangent; a periodic one repeats, and may rise by some amount a period.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curve:
    """Piecewise cubics: on [breaks[i], breaks[i + 1]] Σ coefficients[i, k] (q − breaks[i])^k.

    Attributes:
        breaks: (k,), rising, in the unit of the driver.
        coefficients: (k, 4), the lowest power first; the last row is for what lies beyond the last break.
        period: After which it repeats; 0: never.
        rise: What is added with each period.
    """

    breaks: Array
    coefficients: Array
    period: float = 0.0
    rise: float = 0.0

    def __call__(self, q: ArrayLike) -> Array:
        """The values at q, of any shape."""
        turns, s, c = self._pieces(q)
        return np.asarray(turns * self.rise + c[..., 0] + s * (c[..., 1] + s * (c[..., 2] + s * c[..., 3])))

    def slope(self, q: ArrayLike) -> Array:
        """Compute the derivative.

        Args:
            q: Where, of any shape.

        Returns:
            The derivatives at q.
        """
        _, s, c = self._pieces(q)
        return np.asarray(c[..., 1] + s * (2.0 * c[..., 2] + 3.0 * s * c[..., 3]))

    def _pieces(self, q: ArrayLike) -> tuple[Array, Array, Array]:
        """Of each q the whole periods before it, the way from its break, and its piece's coefficients (…, 4)."""
        x = np.asarray(q, float)
        turns = np.floor((x - self.breaks[0]) / self.period) if self.period > 0 else np.zeros_like(x)
        x = x - turns * self.period
        i = np.clip(np.searchsorted(self.breaks, x, side="right") - 1, 0, len(self.breaks) - 1)
        c = np.where((x < self.breaks[0])[..., None], self.coefficients[i] * [1, 1, 0, 0], self.coefficients[i])
        return turns, x - self.breaks[i], c


def _points(points: ArrayLike) -> Array:
    data = np.asarray(points, float)
    if data.ndim != 2 or data.shape[1] != 2 or len(data) < 3:
        raise ValueError("a curve needs at least three points [q, value]")
    if not np.all(np.isfinite(data)):
        raise ValueError("a curve must be of finite numbers")
    if not np.all(np.diff(data[:, 0]) > 0):
        k = int(np.argmin(np.diff(data[:, 0]) > 0))
        raise ValueError(f"the points of a curve must rise: {data[k + 1, 0]:g} follows {data[k, 0]:g}")
    return data


def spline(points: ArrayLike) -> Curve:
    """Lay a natural cubic spline through points.

    Args:
        points: (k, 2) of [q, value], three or more; q rises.

    Returns:
        The curve, which goes on along its tangents beyond the ends.

    Raises:
        ValueError: Fewer points than three, numbers that are not finite, or a q that does not rise.
    """
    data = _points(points)
    return _cubic(data[:, 0], data[:, 1], "natural")


def periodic(points: ArrayLike, period: float, rise: float = 0.0) -> Curve:
    """Lay a periodic cubic spline through the points of one period.

    Args:
        points: (k, 2) of [q, value], three or more; q rises, over at most one period.
        period: After which the curve repeats, in the unit of q.
        rise: By which it is higher after a period.

    Returns:
        The curve.

    Raises:
        ValueError: The points are no curve, or span more than a period; those that span it whole must end at the first
            value and the rise.
    """
    data = _points(points)
    if not (math.isfinite(period) and period > 0):
        raise ValueError(f"the period of a curve must be above zero, not {period}")
    span = data[-1, 0] - data[0, 0]
    # Periods are quotients of a turn, and tables have nine digits.
    if span > period * (1 + 1e-9) or (span > period * (1 - 1e-9) and abs(data[-1, 1] - data[0, 1] - rise) > 1e-9):
        raise ValueError(f"the points of a periodic curve must lie within one period of {period:g}")
    # A last point at the end of the period says the first one again, and two breaks in one place have no cubic between
    # them.
    if span > period * (1 - 1e-9):
        data = data[:-1]
    # A periodic spline needs equal values at both ends: the rise goes off as a straight line before, and comes back
    # after.
    slope = rise / period
    q = np.append(data[:, 0], data[0, 0] + period)
    flat = np.append(data[:, 1] - slope * (data[:, 0] - data[0, 0]), data[0, 1])
    made = _cubic(q, flat, "periodic")
    made.coefficients[:, 1] += slope
    made.coefficients[:, 0] += slope * (made.breaks - made.breaks[0])
    return Curve(made.breaks, made.coefficients, period, rise)


def _cubic(q: Array, values: Array, ends: Literal["natural", "periodic"]) -> Curve:
    # scipy is not light: only who makes a curve pays for it.
    from scipy.interpolate import CubicSpline

    found = CubicSpline(q, values, bc_type=ends)
    end = float(found.x[-1])
    # The tangent at the last break, for what lies beyond.
    last = [float(found(end)), float(found(end, 1)), 0.0, 0.0]
    # SciPy's coefficients begin with the highest power, a curve's with the lowest.
    return Curve(np.array(found.x, float), np.vstack([found.c[::-1].T, last]))


def pitch_curve(profile: ArrayLike, roller: float, count: int = 720) -> tuple[Array, Array]:
    """Find where the centre of a roller goes on a cam's profile.

    Args:
        profile: (k, 2) of [polar angle rad, radius m] of the cam's outline about its axis, within one turn.
        roller: Radius of the roller, m; 0: a knife edge.
        count: How many points are wanted.

    Returns:
        Polar angles (count,) rad and radii (count,) m of the centre.

    Raises:
        ValueError: The profile is no outline, or the roller does not fit into its hollows.
    """
    data = np.asarray(profile, float)
    outline = periodic(data, math.tau)
    if np.any(data[:, 1] <= 0):
        raise ValueError("the radii of a cam's profile must be above zero")
    if not (math.isfinite(roller) and roller >= 0):
        raise ValueError(f"the radius of a roller must be from zero, not {roller}")
    angle = outline.breaks[0] + np.arange(count) * math.tau / count
    r, slope = outline(angle), outline.slope(angle)
    size = np.hypot(r, slope)
    # Outward normal of the outline (r cos φ, r sin φ), in the radial and tangential directions.
    radial, across = r + roller * r / size, -roller * slope / size
    polar = angle + np.arctan2(across, radial)
    if np.any(np.diff(np.append(polar, polar[0] + math.tau)) <= 0):
        raise ValueError("the roller does not fit into the cam's profile: it cuts its own way off")
    return polar, np.hypot(radial, across)


def translating_cam(profile: ArrayLike, roller: float = 0.0, offset: float = 0.0) -> Curve:
    """Compute the height of a sliding follower over the turn of its cam.

    Args:
        profile: Of the cam, as in `pitch_curve`, at the turn 0 in the fixed frame.
        roller: Radius of the roller, m; 0: a knife edge.
        offset: x at which the follower slides along y of the fixed frame, above the cam's axis, m.

    Returns:
        Height (m) of the follower's edge or roller centre over the turn (rad).

    Raises:
        ValueError: The follower misses the cam or jams.
    """
    polar, radius = pitch_curve(profile, roller)
    if abs(offset) >= radius.min():
        raise ValueError(f"the follower's offset of {offset:g} m passes the cam beside it")
    # The point at (ρ, β) meets the follower's line where the cam has turned by θ: ρ cos(β + θ) = offset.
    return _over_turn(np.arccos(offset / radius) - polar, np.sqrt(radius**2 - offset**2))


def oscillating_cam(profile: ArrayLike, pivot: float, arm: float, roller: float = 0.0, side: int = 1) -> Curve:
    """Compute the angle of a swinging follower over the turn of its cam.

    Args:
        profile: Of the cam, as in `pitch_curve`, at the turn 0 in the fixed frame.
        pivot: Distance of the pivot from the cam's axis, on +x of the fixed frame, m.
        arm: Length from the pivot to the roller's centre, m.
        roller: Radius of the roller, m; 0: a knife edge.
        side: +1: the roller lies above the line from the pivot to the cam's axis, −1: below.

    Returns:
        Angle (rad) at the pivot from that line to the arm over the turn (rad), positive on either side.

    Raises:
        ValueError: The arm does not reach all of the cam, or the follower jams.
    """
    polar, radius = pitch_curve(profile, roller)
    # The law of cosines in the triangle of cam axis, pivot and roller, at the first and at the second.
    at_axis = (radius**2 + pivot**2 - arm**2) / (2 * radius * pivot)
    at_pivot = (arm**2 + pivot**2 - radius**2) / (2 * arm * pivot)
    if np.any(np.abs(at_axis) >= 1) or np.any(np.abs(at_pivot) >= 1):
        raise ValueError("the follower's arm does not reach all around the cam")
    return _over_turn(side * np.arccos(at_axis) - polar, np.arccos(at_pivot))


def _over_turn(turn: Array, value: Array) -> Curve:
    """The periodic curve of samples that fall steadily over one turn."""
    q, f = turn[::-1], value[::-1]
    if np.any(np.diff(np.append(q, q[0] + math.tau)) <= 0):
        raise ValueError("the follower jams: it would have to be in two places at one turn of the cam")
    return periodic(np.column_stack([q, f]), math.tau)
