"""Clearances of fits, bearings and rails by their standards, so that a fit file need not give them as numbers.

Tables of ISO 286-1:2010 (standard tolerances, table 1; fundamental deviations, tables 2 to 5) for sizes up to 500 mm,
and of ISO 5753-1 (radial clearance of deep-groove ball bearings). Micrometres.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from cadbridge.units import LENGTH, TO_MM

_MICROMETRE = LENGTH["um"]

SIZES = (3, 6, 10, 18, 30, 50, 80, 120, 180, 250, 315, 400, 500)
"""mm: each range goes up to and includes its size."""
GRADES = {
    4: (3, 4, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20),
    5: (4, 5, 6, 8, 9, 11, 13, 15, 18, 20, 23, 25, 27),
    6: (6, 8, 9, 11, 13, 16, 19, 22, 25, 29, 32, 36, 40),
    7: (10, 12, 15, 18, 21, 25, 30, 35, 40, 46, 52, 57, 63),
    8: (14, 18, 22, 27, 33, 39, 46, 54, 63, 72, 81, 89, 97),
    9: (25, 30, 36, 43, 52, 62, 74, 87, 100, 115, 130, 140, 155),
    10: (40, 48, 58, 70, 84, 100, 120, 140, 160, 185, 210, 230, 250),
    11: (60, 75, 90, 110, 130, 160, 190, 220, 250, 290, 320, 360, 400),
    12: (100, 120, 150, 180, 210, 250, 300, 350, 400, 460, 520, 570, 630),
}
"""Standard tolerances IT4 to IT12."""
UPPER = {
    "d": (20, 30, 40, 50, 65, 80, 100, 120, 145, 170, 190, 210, 230),
    "e": (14, 20, 25, 32, 40, 50, 60, 72, 85, 100, 110, 125, 135),
    "f": (6, 10, 13, 16, 20, 25, 30, 36, 43, 50, 56, 62, 68),
    "g": (2, 4, 5, 6, 7, 9, 10, 12, 14, 15, 17, 18, 20),
    "h": (0,) * 13,
}
"""How far a shaft stays below its size at least; a hole of the same capital letter as far above it."""
LOWER = {
    "k": (0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5),
    "m": (2, 4, 6, 7, 8, 9, 11, 13, 15, 17, 20, 21, 23),
    "n": (4, 8, 10, 12, 15, 17, 20, 23, 27, 31, 34, 37, 40),
    "p": (6, 12, 15, 18, 22, 26, 32, 37, 43, 50, 56, 62, 68),
}
"""How far a shaft stands above its size at least; k in the grades 4 to 7.

A hole of the same capital letter ends as far below its size at least, but for Δ (see `_below`).
"""
FINEST = 5
"""Grade from which holes K to P are known: Δ takes the grade below."""

BORES = (6, 10, 18, 24, 30, 40, 50, 65, 80, 100, 120, 140, 160, 180, 200)
"""mm, of bearings; from above 2.5 mm."""
BEARINGS = {
    "C2": ((0, 7), (0, 7), (0, 9), (0, 10), (1, 11), (1, 11), (1, 11), (1, 15), (1, 15), (1, 18), (2, 20), (2, 23),
           (2, 23), (2, 25), (2, 30)),
    "CN": ((2, 13), (2, 13), (3, 18), (5, 20), (5, 20), (6, 20), (6, 23), (8, 28), (10, 30), (12, 36), (15, 41),
           (18, 48), (18, 53), (20, 61), (25, 71)),
    "C3": ((8, 23), (8, 23), (11, 25), (13, 28), (13, 28), (15, 33), (18, 36), (23, 43), (25, 51), (30, 58), (36, 66),
           (41, 81), (46, 91), (53, 102), (63, 117)),
    "C4": (None, (14, 29), (18, 33), (20, 36), (23, 41), (28, 46), (30, 51), (38, 61), (46, 71), (53, 84), (61, 97),
           (71, 114), (81, 130), (91, 147), (107, 163)),
    "C5": (None, (20, 37), (25, 45), (28, 48), (30, 53), (40, 64), (45, 73), (55, 90), (65, 105), (75, 120), (90, 140),
           (105, 160), (120, 180), (135, 200), (150, 230)),
}  # fmt: skip
"""Least and largest radial clearance by class and bore.

Compared with table 6.1 of TPI's catalogue 2202/E (to 65 mm: all 76 limits alike), with Cixi Yongchang's table
(bmzbearings.com, to 80 mm: 83 of 86; C2 to 18 mm ends at 8 there), and with two transcriptions of the standard in
public programs (to 200 mm: all alike, but for C4 and C5 to 6 mm, which one of them has and the catalogues do not).
"""

RAILS = {15: (20, 8), 20: (26, 10), 25: (31, 14)}
"""By size: how far two rails may be out of parallel at their carriages, with normal carriages and with preloaded ones
(catalogue of Euro-Bearings, Motion guidance, "Parallelism of the rails")."""
RAIL_ROLL, RAIL_TILT = (1.2e-3, 0.35e-3), (0.6e-3, 0.21e-3)
"""rad: rails a distance a apart may differ in height by a times the first, carriages b apart on one by b times the
second (the same catalogue, "Height alignment")."""

_FIT = re.compile(r"\s*([A-Z]{1,2})(\d{1,2})\s*/\s*([a-z]{1,2})(\d{1,2})\s*")


def fit_clearance(fit: str, diameter: float) -> tuple[float, float]:
    """Least and largest clearance (m) between hole and shaft of a fit such as H7/g6; below 0 they interfere.

    `diameter` in m. ValueError for fits and sizes that the tables do not have.
    """
    found = _FIT.fullmatch(fit)
    if found is None:
        raise ValueError(f"{fit!r} is not a fit; write it as H7/g6")
    hole, shaft = _hole(found[1], int(found[2]), diameter), _shaft(found[3], int(found[4]), diameter)
    return _MICROMETRE * (hole[0] - shaft[1]), _MICROMETRE * (hole[1] - shaft[0])


def bearing_clearance(clearance_class: str, bore: float) -> tuple[float, float]:
    """Least and largest radial clearance (m) of a deep-groove ball bearing; bore in m. ValueError as above."""
    table = BEARINGS.get(clearance_class)
    if table is None:
        raise ValueError(f"{clearance_class!r} is not a class of clearance; there are {', '.join(BEARINGS)}")
    at = bisect_left(BORES, round(bore * TO_MM, 6))
    # The tables begin above 2.5 mm.
    found = table[at] if bore * TO_MM > 2.5 and at < len(table) else None
    if found is None:
        raise ValueError(f"ISO 5753-1 has no {clearance_class} for a bore of {bore * TO_MM:g} mm")
    return _MICROMETRE * found[0], _MICROMETRE * found[1]


def rail_play(size: int, preloaded: bool) -> tuple[float, float, float]:
    """How far two rails may be out of parallel (m), and how far one may roll and tilt (rad), as the maker allows.

    ValueError for other sizes.
    """
    if size not in RAILS:
        raise ValueError(f"no rail of size {size} is known; there are {', '.join(map(str, RAILS))}")
    return _MICROMETRE * RAILS[size][preloaded], RAIL_ROLL[preloaded], RAIL_TILT[preloaded]


def _range(diameter: float) -> int:
    mm = round(diameter * TO_MM, 6)
    at = bisect_left(SIZES, mm)
    if not mm > 0.0 or at == len(SIZES):
        raise ValueError(f"ISO 286 is known here for diameters up to 500 mm, not {mm:g} mm")
    return at


def _grade(grade: int, at: int) -> int:
    if grade not in GRADES:
        raise ValueError(f"IT{grade} is not known here; there are IT{min(GRADES)} to IT{max(GRADES)}")
    return GRADES[grade][at]


def _shaft(letter: str, grade: int, diameter: float) -> tuple[float, float]:
    """Lower and upper deviation (µm) of a shaft."""
    at = _range(diameter)
    tolerance = _grade(grade, at)
    if letter == "js":
        return -tolerance / 2, tolerance / 2
    if letter in UPPER:
        return -UPPER[letter][at] - tolerance, -UPPER[letter][at]
    if letter in LOWER and (letter != "k" or grade <= 7):
        return LOWER[letter][at], LOWER[letter][at] + tolerance
    raise ValueError(f"shafts {letter}{grade} are not known here; there are {', '.join((*UPPER, 'js', *LOWER))}")


def _hole(letter: str, grade: int, diameter: float) -> tuple[float, float]:
    """Lower and upper deviation (µm) of a hole."""
    at = _range(diameter)
    tolerance = _grade(grade, at)
    if letter == "JS":
        return -tolerance / 2, tolerance / 2
    if letter.lower() in UPPER:
        return UPPER[letter.lower()][at], UPPER[letter.lower()][at] + tolerance
    upper = _below(letter, grade, at)
    if upper is None:
        known = ", ".join(x.upper() for x in (*UPPER, "js", *LOWER))
        raise ValueError(f"holes {letter}{grade} are not known here; there are {known}")
    return upper - tolerance, upper


def _below(letter: str, grade: int, at: int) -> float | None:
    """Upper deviation (µm) of a hole K, M, N or P: that of the shaft reversed, plus Δ in fine grades above 3 mm.

    Δ is the grade's tolerance less that of the next finer one, in K, M and N up to IT8 and in P up to IT7: a hole and
    a shaft one grade finer make the same fit whichever of them has the letter (ISO 286-1:2010, tables 2 and 3). Coarser
    holes K are not there, and N ends at its size. None for what is not known.
    """
    shaft, small = letter.lower(), at == 0
    if shaft not in LOWER or grade < FINEST or (letter == "K" and grade > (10 if small else 8)):
        return None
    if letter == "M" and grade == 6 and SIZES[at] == 315:
        return -9.0  # not −11: the table makes this exception
    if letter == "N" and grade > 8 and not small:
        return 0.0
    fine = grade <= (7 if letter == "P" else 8) and not small
    return GRADES[grade][at] - GRADES[grade - 1][at] - LOWER[shaft][at] if fine else -LOWER[shaft][at]
