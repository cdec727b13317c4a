"""What an export leaves out that moves the mechanism, and how far the mechanism gets without it.

The swing that `verify` compares is without what the format has no place for, or the engines could not be compared at
all. What that hides is measured here: the mechanism alone, with it and without it, from the same velocities.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cadbridge.catalogue import CATALOGUE
from cadbridge.errors import InputError, ModelError
from cadbridge.findings import Findings
from cadbridge.mechanism.model import Mechanism
from cadbridge.mjcf_data import KEY as MJCF
from cadbridge.options import words_of
from cadbridge.verification.swing import MISSES_AT_MOST, Swinger
from cadbridge.wording import listed

Lost = Mapping[str, tuple[str, ...]]
"""By code of a loss that an export reported, what it is about."""


@dataclass(frozen=True)
class Loss:
    """What an export leaves out: the loss's code, what it is in words, and the joints, couplings or tendons.

    `difference` is how far the joint `joint` (`unit`: rad or m) stands elsewhere, after the swing that was compared,
    in a run of the mechanism with all of it; None where there is no such run, and `remark` says why. `accepted`:
    whether the caller knows it.
    """

    code: str
    what: str
    items: tuple[str, ...]
    difference: float | None
    joint: str
    unit: str
    remark: str
    accepted: bool

    def document(self) -> dict[str, Any]:
        """It as plain data."""
        return {**self.__dict__, "items": list(self.items)}


_Restored = Callable[[Mechanism, Mechanism, Collection[str]], Mechanism | None]


def _with_joints(*fields: str) -> _Restored:
    def restored(bare: Mechanism, whole: Mechanism, items: Collection[str]) -> Mechanism | None:
        own = {w.name: {field: getattr(w, field) for field in fields} for w in whole.joints if w.name in items}
        other = any(getattr(b, field) != value for b in bare.joints for field, value in own.get(b.name, {}).items())
        joints = tuple(replace(b, **own.get(b.name, {})) for b in bare.joints)
        return replace(bare, joints=joints) if other else None

    return restored


def _with_efficiencies(bare: Mechanism, whole: Mechanism, items: Collection[str]) -> Mechanism | None:
    lossy = {c.name: c for c in whole.couplings if c.name in items}
    return replace(bare, couplings=tuple(lossy.get(c.name, c) for c in bare.couplings)) if lossy else None


def _with_tendons(bare: Mechanism, whole: Mechanism, items: Collection[str]) -> Mechanism | None:
    """With their springs, dampers and friction; what actuators exert on them is no part of the swing."""
    kept = whole.assembly.extra.get(MJCF) or {}
    tendons = [t for t in kept.get("tendons", ()) if t["name"] in items]
    extra = bare.assembly.extra | {MJCF: {"tendons": tendons}}
    return replace(bare, assembly=replace(bare.assembly, extra=extra)) if tendons else None


_ACTING: dict[str, tuple[str, _Restored]] = {
    "CB516": ("rotor inertias", _with_joints("armature")),
    "CB535": ("springs", _with_joints("stiffness", "rest")),
    "CB529": ("damping and dry friction", _with_joints("damping", "friction")),
    "CB527": ("losses of gears", _with_efficiencies),
    "CB1266": ("tendons", _with_tendons),
}
"""Losses that move the mechanism by themselves: in words, and the bare mechanism with what was left out (None: it acts
on nothing)."""

_NOT_SWUNG = {
    "CB511": "limits",
    "CB515": "gravity",
    "CB519": "drives",
    "CB520": "drives",
    "CB536": "servos",
    "CB1245": "gravity compensation",
}
"""What no swing shows, since it is without stops and controls and under the source's gravity, by the code by which an
export leaves it out."""


def not_swung(lost: Lost, unsaid: dict[str, str]) -> None:
    """Add what an export leaves out and no swing shows to what was not compared, with the reason."""
    for code, what in _NOT_SWUNG.items():
        if code in lost:
            unsaid.pop(what, None)
            unsaid[f"{what} of {listed(lost[code])}" if lost[code] else what] = f"left out by the export, {code}"


def known_losses(words: Iterable[str]) -> frozenset[str]:
    """The codes of losses, given in any case and separated by commas; InputError for any other word."""
    codes = [code.upper() for code in words_of("--accept", words)]
    for code in codes:
        if code not in _ACTING:
            raise InputError(f"{code!r} is no loss that can be accepted; there are: {', '.join(_ACTING)}")
    return frozenset(codes)


def losses_of(
    lost: Lost, whole: Mechanism, swinger: Swinger, duration: float, within: float, accepted: Collection[str]
) -> Iterator[Loss]:
    """What an export leaves out that shows in a swing of `duration` s: some joint stands elsewhere by over `within`.

    `lost` are the losses that the export reported, `whole` the mechanism with all that acts, `swinger` the swing of the
    bare one.
    """
    for code, (what, restored) in _ACTING.items():
        items = lost.get(code, ())
        given = restored(swinger.mechanism, whole, items) if items else None
        if given is None:
            continue
        difference: float | None = None
        joint, unit, remark = "", "", ""
        try:
            difference, joint, unit = swinger.apart(given, duration)
        except ModelError as error:
            remark = str(error)
        if difference is None or difference > max(within, MISSES_AT_MOST):
            yield Loss(code, what, items, difference, joint, unit, remark, code in accepted)


def in_words(losses: Iterable[Loss], to: str) -> str:
    """`the rotor inertias that urdf cannot hold (CB516)`; "" where nothing is lost."""
    named = [f"{loss.what} ({loss.code}{', accepted' * loss.accepted})" for loss in losses]
    return f"the {listed(named)} that {to} does not hold" if named else ""


def report_losses(losses: Iterable[Loss], to: str, duration: float, findings: Findings) -> None:
    """A finding of each loss that was not accepted."""
    for loss in losses:
        if loss.accepted:
            continue
        without = f"{to} does not hold the {loss.what} of {listed(loss.items)} ({loss.code})"
        if loss.difference is None:
            text = f"{without}, and a run of the mechanism with them fails: {loss.remark}"
        else:
            text = f"{without}: with them {loss.joint} stands {loss.difference:.2g} {loss.unit} elsewhere after"
            text += f" {duration:.3g} s"
        cure = f"{CATALOGUE[loss.code].cure} If this is known, pass --accept {loss.code}."
        findings.add("CB1490", text, hint=cure, items=loss.items)
