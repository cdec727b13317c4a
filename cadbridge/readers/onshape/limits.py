"""Limits: from the features document, or from the mate itself, in m and rad."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cadbridge.assembly import Limit
from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.readers.json_file import JsonFile, is_number, text_of
from cadbridge.readers.paths import lies_beside
from cadbridge.units import DEGREE, LENGTH

UNITS: dict[str, float] = {
    **LENGTH,
    "meters": 1.0, "metres": 1.0, "millimeters": 1e-3, "millimetres": 1e-3, "centimeters": 1e-2, "centimetres": 1e-2,
    "inches": 0.0254, "yd": 0.9144, "yard": 0.9144, "yards": 0.9144,
    "": 1.0, "rad": 1.0, "radian": 1.0, "radians": 1.0,
    "deg": DEGREE, "degree": DEGREE, "degrees": DEGREE,
}  # fmt: skip
"""m or rad a unit, as Onshape's expressions spell them."""

_QUANTITY = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*\*?\s*([A-Za-z]*)\s*")

Say = Callable[[str], object]


@dataclass
class Parameters:
    """The parameters of a feature by their ids, as the features document has them."""

    values: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def limited(self) -> bool:
        """Whether the mate's limits are switched on."""
        return self.values.get("limitsEnabled", {}).get("value") is True

    def quantity(self, key: str, say: Say) -> float | None:
        """A quantity in m or rad; None where it is absent or empty, and reported where it cannot be read."""
        parameter = self.values.get(key)
        if parameter is None or parameter.get("isNull") is True:
            return None
        # The expression first: beside it Onshape leaves `value` 0 and `units` empty.
        found = quantity(parameter.get("expression"))
        if found is None and is_number(parameter.get("value")):
            unit = UNITS.get(text_of(parameter.get("units")).strip().lower())
            found = None if unit is None else float(parameter["value"]) * unit
        if found is None:
            say(f"{key} is {parameter.get('expression')!r}, which is not a plain number with a unit")
        return found


def quantity(expression: Any) -> float | None:
    """A number with a unit ('-90 deg', '25.4*mm') in m or rad; None for anything else."""
    match = _QUANTITY.fullmatch(expression) if isinstance(expression, str) else None
    factor = None if match is None else UNITS.get(match[2].lower())
    if match is None or factor is None:
        return None
    value = float(match[1]) * factor
    return value if math.isfinite(value) else None


def features_beside(path: Path) -> Path | None:
    """The features document beside an assembly definition: NAME.features.json or NAME_features.json."""
    for ending in (".features.json", "_features.json"):
        candidate = path.with_name(path.stem + ending)
        if candidate.is_file() and lies_beside(candidate, path):
            return candidate
    return None


def read_parameters(file: JsonFile, findings: Findings) -> dict[str, Parameters]:
    """The parameters of every feature, by feature id, of the features document beside the file or in it."""
    beside = features_beside(file.path)
    content = file.content.get("features") if beside is None else None
    if beside is not None:
        try:
            file = JsonFile(beside, findings)
        except InputError:
            return {}  # reported; the mates do without their limits
        content = file.content.get("features") if isinstance(file.content, dict) else file.content
    found: dict[str, Parameters] = {}
    for entry in file.objects(content, "features"):
        feature = _message(entry)
        identity = text_of(feature.get("featureId"))
        parameters = (_message(p) for p in file.objects(feature.get("parameters"), f"parameters of {identity}"))
        found[identity] = Parameters({text_of(p.get("parameterId")): p for p in parameters})
    if beside is not None:
        file.report_misspelt()
    return found


def _message(entry: dict[str, Any]) -> dict[str, Any]:
    """The older form wraps every object in {type, typeName, message}."""
    message = entry.get("message")
    return message if isinstance(message, dict) else entry


def limit_of(key: str, parameters: Parameters | None, own: dict[str, Any], say: Say) -> Limit | None:
    """The range of the freedom whose parameters begin with `key` from the mate's zero; `say` reports all others.

    `own` are limits that the mate itself carries, numbers in m and rad under the same names.
    """
    if own:
        given = {k: {"value": v} for k, v in own.items() if isinstance(k, str)}
        parameters = Parameters({**given, "limitsEnabled": {"value": True}})
    if parameters is None or not parameters.limited:
        return None
    keys = (f"{key}Min", f"{key}Max") if key else ()
    lower, upper = (parameters.quantity(k, say) for k in keys) if keys else (None, None)
    for name, parameter in parameters.values.items():
        other = name.startswith("limit") and name.endswith(("Min", "Max")) and name not in keys
        if other and parameter.get("isNull") is not True:
            shown = parameter.get("expression", parameter.get("value"))
            say(f"{name} = {shown} is of a freedom that has no limit here")
    if lower is not None and upper is not None and lower > upper:
        say(f"the lower limit {lower:g} is above the upper {upper:g}")
        return None
    return Limit.of(lower, upper)
