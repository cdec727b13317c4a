"""A Python script that rebuilds the solver's model with nothing of cadbridge but the solver, number for number."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from cadbridge.errors import ModelError
from cadbridge.exporters.options import ExportOptions
from cadbridge.findings import Findings
from cadbridge.lowering import lower
from cadbridge.mechanism.model import Mechanism
from solver.model import Model

_HEAD = '''"""{name}: {bodies} bodies, {rows} constraint rows, {coordinates} joint coordinates; SI units.

Written by cadbridge. Body frames lie in the centres of mass. `python {name}.py` swings it for a second under gravity.
"""

from numpy import array

from solver import simulate
{imports}

'''

_FOOT = """

def main() -> None:
    result = simulate(model(), duration=1.0, rate=100.0)
    print(result.status.message)
    for name, value in zip(model().coordinate_names, result.trajectory.coordinates[-1], strict=True):
        print(f"{name}: {value:.9g}")


if __name__ == "__main__":
    main()
"""


def contents(mechanism: Mechanism, name: str, findings: Findings, options: ExportOptions) -> dict[str, bytes]:
    """The files of the export, relative path → bytes; the script first."""
    # Compiled: only who exports a script pays for it.
    from cadbridge.simulation.fitting import fitted

    try:
        model = lower(fitted(mechanism, findings)).model
    except ModelError as error:
        findings.extend(error.findings)
        return {}
    kinds: set[type] = set()
    fields = [
        f"        {field.name}={_text(getattr(model, field.name), kinds, 2)},"
        for field in dataclasses.fields(Model)
        if not _is_default(field, model)
    ]
    head = _HEAD.format(
        name=name,
        bodies=len(model.bodies),
        rows=sum(p.rows for p in model.primitives),
        coordinates=len(model.coordinates),
        imports=_imports(kinds | {Model}),
    )
    body = "\n".join(["def model() -> Model:", "    return Model(", *fields, "    )", ""])
    return {f"{name}.py": (head + body + _FOOT).encode()}


def _is_default(field: dataclasses.Field[Any], owner: Any) -> bool:
    value = getattr(owner, field.name)
    # An array has no truth value when compared, and is written in any case.
    if isinstance(value, np.ndarray) or field.default is dataclasses.MISSING:
        return False
    return bool(value == field.default)


def _text(value: Any, kinds: set[type], depth: int) -> str:
    """A value as Python; `kinds` collects the classes that it names. Tuples of data have an item a line."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kinds.add(type(value))
        fields = [f for f in dataclasses.fields(value) if not _is_default(f, value)]
        given = (f"{f.name}={_text(getattr(value, f.name), kinds, depth + 1)}" for f in fields)
        return f"{type(value).__name__}({', '.join(given)})"
    if isinstance(value, np.ndarray):
        return f"array({value.tolist()!r})"
    if isinstance(value, tuple):
        items = [_text(item, kinds, depth + 1) for item in value]
        if value and dataclasses.is_dataclass(value[0]):
            indent = "    " * (depth + 1)
            return "(\n" + "".join(f"{indent}{item},\n" for item in items) + "    " * depth + ")"
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    return repr(value.item() if isinstance(value, np.generic) else value)


def _imports(kinds: set[type]) -> str:
    """Import lines for classes from where the solver publishes them."""
    by_home: dict[str, list[str]] = {}
    for kind in kinds:
        home = "solver.constraints" if kind.__module__.startswith("solver.constraints") else kind.__module__
        by_home.setdefault(home, []).append(kind.__name__)
    return "\n".join(f"from {home} import {', '.join(sorted(names))}" for home, names in sorted(by_home.items()))
