"""Mates, joints and gears recognised from bare geometry.

Rooms: `faces` (analytic surfaces of each distinct part), `contacts` (where surfaces of two instances meet).
"""

from __future__ import annotations
