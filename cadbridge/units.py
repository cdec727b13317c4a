"""File units to SI, once, at the boundary."""

from __future__ import annotations

import math

LENGTH: dict[str, float] = {
    "m": 1.0, "metre": 1.0, "meter": 1.0,
    "dm": 0.1, "cm": 1e-2, "centimetre": 1e-2, "centimeter": 1e-2,
    "mm": 1e-3, "millimetre": 1e-3, "millimeter": 1e-3,
    "um": 1e-6, "micrometre": 1e-6, "micron": 1e-6, "micrometer": 1e-6,
    "km": 1e3, "kilometre": 1e3, "kilometer": 1e3,
    "in": 0.0254, "inch": 0.0254, "ft": 0.3048, "foot": 0.3048, "feet": 0.3048,
}  # fmt: skip
"""Metres a unit of length."""

ANGLE: dict[str, float] = {"rad": 1.0, "deg": math.pi / 180.0, "gon": math.pi / 200.0}
"""Radians a unit of angle."""

MM, DEGREE = LENGTH["mm"], ANGLE["deg"]
"""m and rad a unit of the numbers that people write in our own files."""

TO_MM = 1e3
"""mm a metre, of lengths that people read. Not 1 / `MM`, which is rounded: 12.5 mm are to be shown as 12.5 mm."""

TO_DEGREES = 180.0 / math.pi
"""Degrees a radian, of angles that people and files have in degrees. Not 1 / `DEGREE`, as `TO_MM` is not."""

TO_MILLI = 1e3
"""mm a metre, mrad a radian and ms a second, of errors that people read."""

TO_CM3 = 1e6
"""cm³ a cubic metre, of volumes that people read."""

BAR = 1e5
"""Pa a bar."""

DAY = 86400.0
"""Seconds a day."""

MEGABYTE, GIGABYTE = 1e6, 1e9
"""Bytes a unit of the sizes that people read: decimal, as disks and networks have them."""

EARTH = 9.81
"""m/s²: gravity where a source gives none, against z, as engines have it that are given none (MuJoCo, Drake)."""

MASS: dict[str, float] = {
    "kg": 1.0, "kilogram": 1.0, "g": 1e-3, "gram": 1e-3, "t": 1e3, "tonne": 1e3,
    "lb": 0.45359237, "lbm": 0.45359237, "lbmass": 0.45359237, "pound": 0.45359237, "slug": 14.593902937206364,
}  # fmt: skip
"""Kilograms a unit of mass."""

DENSITY: dict[str, float] = {
    "kg/m3": 1.0, "kg/m^3": 1.0, "kg/m³": 1.0,
    "g/cm3": 1e3, "g/cm^3": 1e3, "g/cm³": 1e3, "kg/dm3": 1e3, "t/m3": 1e3,
    "g/mm3": 1e6, "kg/mm3": 1e9, "t/mm3": 1e12, "tonne/mm3": 1e12,
    "lb/in3": 27679.90471019,
}  # fmt: skip
"""kg/m³ a unit of density, as writers of STEP spell them."""
