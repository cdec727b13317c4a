"""A sweep as plain data: its parameters with their values, and what each run keeps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from cadbridge.shown import sentence
from cadbridge.wording import count

Step = str | int
"""A key of a mapping or the index of a list."""


@dataclass(frozen=True)
class Parameter:
    """One quantity that the runs vary.

    `name` is its column. `kind` joint, body or gear with the `item` (its name), or scenario with the `path` to the
    value in the scenario's document. A value of the file times `factor` is the value in `unit`: SI, or what the model
    has where the file's values are relative. The values are `listed`, or spread over `steps` (from, to, count, log),
    or `drawn` (law, a, b) anew for each sample.
    """

    name: str
    kind: str
    item: str
    quantity: str
    unit: str = ""
    factor: float = 1.0
    path: tuple[Step, ...] = ()
    listed: tuple[Any, ...] = ()
    steps: tuple[float, float, int, bool] | None = None
    drawn: tuple[str, float, float] | None = None

    @property
    def count(self) -> int:
        """Its values in the grid; 1 where it is drawn."""
        if self.drawn is not None:
            return 1
        return self.steps[2] if self.steps is not None else len(self.listed)

    def values(self) -> list[Any]:
        """The values of the grid, in `unit`."""
        if self.steps is not None:
            start, end, number, log = self.steps
            spread = np.geomspace if log else np.linspace
            return [float(v) * self.factor for v in spread(start, end, number)]
        return [v * self.factor if isinstance(v, int | float) and self.factor != 1.0 else v for v in self.listed]

    def draw(self, source: np.random.Generator, number: int) -> list[Any]:
        """Values drawn anew, in `unit`."""
        assert self.drawn is not None
        law, a, b = self.drawn
        found = source.uniform(a, b, number) if law == "uniform" else source.normal(a, b, number)
        return [float(v) * self.factor for v in found]


@dataclass(frozen=True)
class Sweep:
    """All runs: every combination of the grid's values, each `samples` times where anything is drawn (by `seed`).

    `final`, `extremes` and `series` are groups and patterns of the columns that each run keeps.
    """

    parameters: tuple[Parameter, ...]
    samples: int = 1
    seed: int = 0
    final: tuple[str, ...] = ("joints", "energy")
    extremes: tuple[str, ...] = ()
    series: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return sentence("Sweep", "", count(len(self.parameters), "parameter"), count(self.count, "run"))

    @property
    def count(self) -> int:
        """The number of runs."""
        return math.prod(p.count for p in self.parameters) * self.samples

    def points(self) -> list[list[Any]]:
        """The values of each parameter, by parameter and run; the last parameter of the grid changes fastest."""
        source = np.random.default_rng(self.seed)
        number, rest = self.count, self.count
        found = []
        for parameter in self.parameters:
            if parameter.drawn is not None:
                found.append(parameter.draw(source, number))
                continue
            rest //= parameter.count
            values, n = parameter.values(), parameter.count
            found.append([values[run // rest % n] for run in range(number)])
        return found
