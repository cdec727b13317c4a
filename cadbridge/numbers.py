"""Numbers of the files that people write (mates, scenario, motion, sweep, jobs): finite, of a size that machines have.

No length, mass, stiffness, time or ratio of a machine comes near `LARGEST` in any unit that such a file may use, and
products of a few such numbers stay finite.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

LARGEST = 1e12

Finite = Annotated[float, Field(allow_inf_nan=False, ge=-LARGEST, le=LARGEST)]
Positive = Annotated[float, Field(allow_inf_nan=False, gt=0, le=LARGEST)]
NotNegative = Annotated[float, Field(allow_inf_nan=False, ge=0, le=LARGEST)]
