"""Limits that a sweep found, kept from one run to the next: a second call on the same file moves nothing.

They are kept by what the sweep depends on: meshes and where they stand, bodies, joints and couplings, the work that
is allowed, and the code that moves them.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import numpy as np

from cadbridge.mass.overlap import content_of
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.storage import computed_once, is_used
from cadbridge.units import TO_MM
from cadbridge.version import code_hash, version_of


@dataclasses.dataclass(frozen=True)
class Swept:
    """How far a joint goes either way (rad, m; None: no parts meet), and `ends`: what meets at either end.

    `folds` are where its loops close no further (None: they do): no limits, as the loops themselves end there, and one
    that is known to a fraction of a degree would stop them short of it. `fault` says why it was not moved, or that it
    cannot move; "" otherwise.
    """

    joint: Joint
    lower: float | None = None
    upper: float | None = None
    ends: tuple[str, str] = ("", "")
    folds: tuple[float | None, float | None] = (None, None)
    fault: str = ""

    @property
    def text(self) -> str:
        """Where it stops, and at what."""
        names = ("lower", "upper")
        scale, unit = (math.degrees(1.0), "°") if self.joint.coordinate == "angle" else (TO_MM, " mm")
        texts = [
            f"{name} limit {scale * value + 0.0:.4g}{unit}: {end}"
            for name, value, end in zip(names, (self.lower, self.upper), self.ends, strict=True)
            if value is not None
        ]
        folds = [f"{scale * value + 0.0:.4g}{unit}" for value in self.folds if value is not None]
        if folds:
            texts.append(f"its loops close no further than {' and '.join(folds)}, and need no limit there")
        free = "turns all round" if self.joint.coordinate == "angle" else "slides by the assembly's size both ways"
        return "; ".join(texts) or f"{free}, and nothing collides"


Sweep = tuple[list[Swept], list[str]]
"""What was found of each joint, and the names of the instances that have no closed mesh."""


def swept_once(
    mechanism: Mechanism, joints: Sequence[Joint], how: tuple[object, ...], sweep: Callable[[], Sweep]
) -> Sweep:
    """What `sweep` gives for some joints, or gave the same mechanism; `how` is all else that it depends on."""

    def unpack(data: bytes) -> Sweep:
        return _unpacked(data, mechanism, joints)

    if not is_used():
        return sweep()
    try:
        content = _content(mechanism, joints, how)
    except TypeError:  # a mechanism made in Python with rows of another kind
        return sweep()
    return computed_once(
        ["limits", code_hash(), version_of("manifold3d"), version_of("numpy"), content], sweep, _packed, unpack
    )


def _packed(found: Sweep) -> bytes:
    swept, hollow = found
    return json.dumps([[[s.joint.name, s.lower, s.upper, *s.ends, *s.folds, s.fault] for s in swept], hollow]).encode()


def _unpacked(data: bytes, mechanism: Mechanism, joints: Sequence[Joint]) -> Sweep:
    """ValueError unless it is of these joints and has the form that `_packed` gives."""
    try:
        rows, hollow = json.loads(data)
        known = {i.name for i in mechanism.assembly.instances}
        if not all(isinstance(name, str) and name in known for name in hollow):
            raise ValueError("parts of another assembly")
        return [_row(joint, *row) for joint, row in zip(joints, rows, strict=True)], hollow
    except (TypeError, ValueError, RecursionError) as fault:
        raise ValueError(f"no kept limits: {fault}") from fault


def _row(joint: Joint, name: Any, lower: Any, upper: Any, low: Any, high: Any, *rest: Any) -> Swept:
    first, last, fault = rest
    numbers = (lower, upper, first, last)
    known = all(x is None or (isinstance(x, float) and math.isfinite(x)) for x in numbers)
    if name != joint.name or not known or not all(isinstance(text, str) for text in (low, high, fault)):
        raise ValueError("limits of another joint")
    return Swept(joint, lower, upper, (low, high), (first, last), fault)


def _content(mechanism: Mechanism, joints: Sequence[Joint], how: tuple[object, ...]) -> str:
    """The hash of all that a sweep of some joints depends on."""
    assembly, total = mechanism.assembly, hashlib.sha256()
    coupled = [
        (c.name, c.primitive, c.coupling.kind, [f and f.component for f in (c.coupling.a, c.coupling.b)])
        for c in mechanism.couplings
    ]
    components = [(c.name, c.instances) for c in assembly.components]
    named = [sorted(assembly.joint_names.values()), [d.joint for d in mechanism.drives]]
    bodies = (mechanism.bodies, mechanism.ground, mechanism.joints, mechanism.length_scale)
    _feed(total, [content_of(assembly), components, coupled, named, bodies, [j.name for j in joints], how])
    return total.hexdigest()


def _feed(total: Any, value: object) -> None:
    """Feed a value to a hash, so that different values feed different bytes."""
    if isinstance(value, np.ndarray):
        total.update(f"{value.dtype} {value.shape} ".encode() + value.tobytes())
    elif dataclasses.is_dataclass(value):
        total.update(type(value).__name__.encode())
        _feed(total, [getattr(value, f.name) for f in dataclasses.fields(value)])
    elif isinstance(value, dict):
        _feed(total, list(value.items()))
    elif isinstance(value, list | tuple):
        total.update(f"[{len(value)} ".encode())
        for item in value:
            _feed(total, item)
    elif value is None or isinstance(value, Enum | str | bytes | bool | int | float | np.generic):
        text = repr(value).encode()
        total.update(f"{type(value).__name__} {len(text)} ".encode() + text)
    else:
        raise TypeError(f"{type(value).__name__} cannot be hashed")
