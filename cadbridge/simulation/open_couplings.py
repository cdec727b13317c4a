"""Couplings that do not hold as designed, such as a mimic with an offset: the joints that follow are led until they do.

An engine of the source's format puts the followers where their leaders have them. Left to a projection, which moves the
least mass, the leaders would move as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from cadbridge.findings import Findings, Where
from cadbridge.lowering import Lowered
from cadbridge.units import TO_MM
from cadbridge.wording import listed
from solver.constraints import Coupler, FunctionCoupler, Primitive, evaluate
from solver.equations.system import System, prepare
from solver.model import Model

_OPEN = 1e-9
"""rad (m) above which a coupling does not hold: rounding of a file's constants, and of poses, leaves less."""
_MOST_NAMED = 4
"""Couplings that a finding names with their gaps."""


@dataclass(frozen=True)
class OpenCouplings:
    """The couplings of a model that do not hold as designed.

    `gaps` are left side less right side (rad, m) by the place among the model's primitives.
    """

    gaps: dict[int, float]

    @property
    def largest(self) -> float:
        """The largest gap, rad or m; 0 where all hold."""
        return max(map(abs, self.gaps.values()), default=0.0)

    def prepared(self, model: Model, share: float) -> System:
        """The system of a model with constants that leave 1 − `share` of every gap, its angles those of the model."""
        if not self.gaps or share == 1.0:
            return prepare(model, carried=False)
        primitives: list[Primitive] = list(model.primitives)
        for k, gap in self.gaps.items():
            p = primitives[k]
            if isinstance(p, Coupler | FunctionCoupler):
                primitives[k] = replace(p, constant=p.constant + (1.0 - share) * gap)
        system = prepare(replace(model, primitives=tuple(primitives)), carried=False)
        # Turns are kept by whose they are: a coupling's stay its own from one share to the next.
        own = dict(zip(map(id, primitives), model.primitives, strict=True))
        owners = [(own[id(o[0])], o[1]) if isinstance(o, tuple) else o for o in system.angle_owner]
        return replace(system, angle_owner=tuple(owners))

    def report(self, lowered: Lowered, findings: Findings) -> None:
        """Say which couplings are open as designed, and that the run begins where they hold (CB698)."""
        if not self.gaps:
            return
        model = lowered.model
        names = [model.groups[k] for k in self.gaps]
        gaps = [f"{model.groups[k]} ({_amount(model.primitives[k], gap)} off)" for k, gap in self.gaps.items()]
        place = {c.name: c.coupling.where for c in lowered.mechanism.couplings}.get(names[0], Where())
        hold = "does not hold" if len(names) == 1 else "do not hold"
        text = f"{listed(gaps, _MOST_NAMED)} {hold} as designed; the joints that follow are moved until all hold"
        findings.add("CB698", text, replace(place, item=names[0]), items=names)


def open_couplings(lowered: Lowered) -> OpenCouplings:
    """The couplings that are open in the designed pose, where the coordinates of all joints are 0."""
    model = lowered.model
    sums = [k for k, p in enumerate(model.primitives) if isinstance(p, Coupler | FunctionCoupler)]
    if not sums:
        return OpenCouplings({})
    g = evaluate([model.primitives[k] for k in sums], model.positions, model.quaternions).g
    return OpenCouplings({k: float(v) for k, v in zip(sums, np.ravel(g), strict=True) if abs(v) > _OPEN})


def held_joints(lowered: Lowered) -> Iterator[str]:
    """The joints that a coupling of theirs alone holds at a value."""
    for coupling in lowered.mechanism.couplings:
        if len(coupling.coupling.factors) == 1:
            yield coupling.coupling.factors[0][0]


def followers(lowered: Lowered) -> Iterator[str]:
    """The joints that couplings move after others."""
    for coupling in lowered.mechanism.couplings:
        if coupling.coupling.joints:
            yield coupling.coupling.joints[1]


def _amount(p: Primitive, gap: float) -> str:
    turns = isinstance(p, Coupler | FunctionCoupler) and p.unit == "rad"
    return f"{math.degrees(abs(gap)):.4g}°" if turns else f"{abs(gap) * TO_MM:.4g} mm"
