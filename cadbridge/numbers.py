"""What models of the files that people write are made of: numbers, finite and of a size that machines have.

No length, mass, stiffness, time or ratio of a machine comes near `LARGEST` in any unit that such a file may use, and
products of a few such numbers stay finite.
"""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

LARGEST = 1e12
"""No length, mass or force of a machine in any unit that people write is as large (m, mm, kg, N …); squares and cubes
of it stay finite, so that no reader has to look for an overflow."""

Finite = Annotated[float, Field(allow_inf_nan=False, ge=-LARGEST, le=LARGEST)]
Positive = Annotated[float, Field(allow_inf_nan=False, gt=0, le=LARGEST)]
NotNegative = Annotated[float, Field(allow_inf_nan=False, ge=0, le=LARGEST)]


class FileModel(BaseModel):
    """A mapping of such a file: no unknown key passes."""

    # Built when the first file is validated: most commands read none.
    model_config = ConfigDict(extra="forbid", defer_build=True)

    @classmethod
    def schema_text(cls, name: str) -> str:
        """The JSON Schema of a file of the format `name`, as cadbridge/data/schemas has it."""
        document = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": name, **cls.model_json_schema()}
        return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


class Strict(FileModel):
    """One in which no text becomes a number, either."""

    model_config = ConfigDict(strict=True, frozen=True, allow_inf_nan=False)
