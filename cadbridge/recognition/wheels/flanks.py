"""What the flanks of teeth say: base circle, module and pressure angle, and what kind of teeth they are.

The half thickness ψ of an involute tooth falls with the radius as ψ(r) = ψ_b − inv φ, cos φ = r_b / r (ISO 21771);
of an inner wheel that holds for the spaces. The fit of r_b needs neither module nor pressure angle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_PRESSURE_ANGLES = ((20.0, 0.0), (14.5, 0.3), (25.0, 0.3), (22.5, 0.5), (17.5, 0.5), (15.0, 0.5), (30.0, 0.8))
"""Pressure angles in use (deg), and how much worse a fit of the usual 20° has to be before each is believed."""

_FIRST = (
    0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 16, 20,
    25, 32, 40, 50,
)  # fmt: skip
_SECOND = (
    0.35, 0.45, 0.55, 0.7, 0.75, 0.9, 1.125, 1.2, 1.375, 1.75, 1.8, 2.25, 2.75, 3.5, 4.5, 5.5, 6.5, 7, 9, 11,
    14, 18, 22,
)  # fmt: skip
"""Modules of ISO 54's first series, mm, and of its second with what printers of gears like."""

_PITCHES = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20, 24, 32, 40, 48, 64, 72, 80, 96, 120)
"""Diametral pitches in use, teeth an inch."""

_MODULES = np.array([*_FIRST, *_SECOND, *(25.4 / p for p in _PITCHES)])
"""Modules in use, mm, of all three."""

_RARITY = np.array([0.0] * len(_FIRST) + [0.4] * len(_SECOND) + [0.8] * len(_PITCHES))
"""How much worse a fit of the first series has to be before one of the others is believed, as `_ODD`. A choice."""

_NO_INVOLUTE = 0.012
"""Share of a pitch by which flanks of a coarse mesh are off their involute; more is another curve. 54 machines: 0.0106
| 0.0128, both of wheels, so a choice."""

_ODD = 6.0
"""Misfit (standard deviations and priors together) above which no module and pressure angle are named. 54 machines:
5.97 | 6.09, so a choice."""

DEDENDUM, TOOTH_DEPTH = 1.25, 2.25
"""Modules that the roots of a gear lie below its reference circle, and that its teeth are deep (ISO 53)."""

_NO_FLANK = 0.3, 0.12
"""Of the depth: what the fillet at the root and the eased tip take of a flank at most. A choice."""

_LEAST_BASE, _TRIED = 0.6, 80
"""Of the innermost radius: the smallest base circle that is tried; and how many are, three times over."""

_ACROSS = 0.3
"""How much worse a helical wheel that is standard across its axis fits before it is believed, as `_ODD`."""

_MODULE_READ, _MODULE_DRAWN, _USUAL_DEPTH = 0.004, 0.02, 0.05
"""By what share a module that is read from flanks is off, one read from tips and roots, and these two."""


@dataclass(frozen=True)
class Flanks:
    """What was read from flanks. Lengths in m, angles in rad; None where it cannot be read.

    `reference`: radius of the reference circle, module · teeth / 2 in the transverse plane. `shift`: the profile
    shift, in modules.
    """

    module: float
    reference: float
    base: float | None
    pressure_angle: float | None
    shift: float | None


def involute(angle: Array | float) -> Array:
    """inv φ = tan φ − φ."""
    return np.asarray(np.tan(angle) - angle)


def base_circle(profile: Array, teeth: int, inside: bool) -> tuple[float, float, float]:
    """(r_b, ψ_b, error) of the involute that fits a profile (k, 3) of radii, shares and phases best.

    `error` is the deviation's root mean square as a share of the pitch; infinite where nothing fits.
    """
    low, high = profile[0, 0], profile[-1, 0]
    depth = high - low
    # Outer teeth have their roots at the lower end.
    fillet, edge = _NO_FLANK[::-1] if inside else _NO_FLANK
    used = (profile[:, 0] > low + fillet * depth) & (profile[:, 0] < high - edge * depth)
    r, share = profile[used, 0], profile[used, 1]
    if len(r) < 6:
        return 0.0, 0.0, math.inf
    half = (1 - share if inside else share) * math.pi / teeth
    highest = float(r[-len(r) // 2])  # below the base circle are no involutes, at least half of the radii must be
    start, stop = _LEAST_BASE * low, highest
    best = (0.0, 0.0, math.inf)
    for _ in range(3):
        grid = np.linspace(start, stop, _TRIED)
        valid = r >= grid[:, None]
        whole = half + involute(np.arccos(np.minimum(1.0, grid[:, None] / r)))
        mean = (whole * valid).sum(axis=1) / valid.sum(axis=1)
        spread = np.sqrt((valid * (whole - mean[:, None]) ** 2).sum(axis=1) / valid.sum(axis=1)) * teeth / (2 * math.pi)
        i = int(np.argmin(spread))
        best = (float(grid[i]), float(mean[i]), float(spread[i]))
        step = grid[1] - grid[0]
        start, stop = max(_LEAST_BASE * low, grid[i] - 2 * step), min(highest, grid[i] + 2 * step)
    return best


def read_flanks(profile: Array, teeth: int, tip: float, root: float, inside: bool, lead: float) -> Flanks:
    """Module and pressure angle of teeth in a section across their axis; `lead` is their turn by height, rad/m."""
    fit = base_circle(profile, teeth, inside)
    base, _, error = fit
    module, reference = _by_depth(teeth, tip, root, inside, lead)
    if error > _NO_INVOLUTE:
        return Flanks(module, reference, None, None, None)
    best: tuple[float, Flanks] | None = None
    for degrees, prior in _PRESSURE_ANGLES:
        for across in (False, True) if lead else (False,):
            found = _candidate(fit, teeth, math.radians(degrees), lead, across)
            if found is None:
                continue
            standard = 2 * found.reference / teeth if across else found.module
            score = prior + _ACROSS * across + _oddness(found, tip, root, inside, standard)
            if best is None or score < best[0]:
                best = (score, found)
    if best is None or best[0] > _ODD:
        return Flanks(module, reference, base, None, None)
    return best[1]


def _oddness(flanks: Flanks, tip: float, root: float, inside: bool, standard: float) -> float:
    """How far flanks are from what is usual: a module in use, teeth 1 module above and 1.25 below the circle."""
    sign = -1.0 if inside else 1.0
    shift = flanks.shift or 0.0
    addendum = sign * (tip - flanks.reference) / standard - shift
    dedendum = sign * (flanks.reference - root) / standard + shift
    usual = 3 * abs(addendum - 1.0) + 2 * abs(dedendum - DEDENDUM) + 2 * abs(shift)
    off = np.abs(np.log(standard * 1e3 / _MODULES)) / _MODULE_READ + _RARITY
    # Less than `_ODD`: a module that nobody sells is named all the same, where the rest of the teeth is usual.
    return usual + min(float(off.min()), 4.0)


def _candidate(fit: tuple[float, float, float], teeth: int, angle: float, lead: float, across: bool) -> Flanks | None:
    """The flanks if the pressure angle is `angle` in the normal plane, or `across` the axis.

    The helix at the reference circle follows by iteration, since tan α_t = tan α_n / cos β.
    """
    base, thickness, _ = fit
    reference, transverse = base / math.cos(angle), angle
    for _ in range(20):
        helix = math.atan(reference * lead)
        transverse = angle if across else math.atan(math.tan(angle) / math.cos(helix))
        reference = base / math.cos(transverse)
    module = 2 * reference / teeth * math.cos(helix)
    normal = math.atan(math.tan(transverse) * math.cos(helix))
    half = thickness - float(involute(transverse))
    shift = (half * teeth - math.pi / 2) / (2 * math.tan(transverse))
    return Flanks(module, reference, base, normal, shift) if abs(shift) < 2 else None


def _by_depth(teeth: int, tip: float, root: float, inside: bool, lead: float) -> tuple[float, float]:
    """(module, reference radius) by tips and roots; by the middle circle where teeth are not 2.25 deep."""
    sign = -1 if inside else 1
    by_tip, by_root = 2 * tip / (teeth + 2 * sign), 2 * root / max(teeth - 2 * DEDENDUM * sign, 1)
    usual = abs(by_tip - by_root) < _USUAL_DEPTH * by_tip
    module = (by_tip + by_root) / 2 if usual else (tip + root) / teeth
    reference = module * teeth / 2
    module *= math.cos(math.atan(reference * lead))
    return usual_module(module), reference


def usual_module(module: float) -> float:
    """The module in use (m) within 2 % of a measured one, the commonest first; the measured one where there is none."""
    off = np.abs(np.log(module * 1e3 / _MODULES))
    near = int(np.argmin(off / _MODULE_DRAWN + _RARITY))
    return float(_MODULES[near]) * 1e-3 if off[near] < _MODULE_DRAWN else module
