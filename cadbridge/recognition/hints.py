"""Hints, what a person knows of a file: which parts are joined, fixed or apart, what stands still, and the mobility.

Hints stand in the mates file and are honoured when it is recognised again. They name parts, and need no coordinates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from cadbridge.errors import InputError
from cadbridge.findings import Severity
from cadbridge.units import LENGTH

Pair = tuple[str, str]
Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Told:
    """What a hint says of a joint besides its parts.

    Attributes:
        type: The joint's type; "" where it is not said.
        point: (3,) m, in `frame`.
        axis: (3,), in `frame`.
        frame: The instance in whose frame they are; "" for the world.
        name: The joint's name.
        about: The part whose axis it is, where no point is given.
    """

    type: str = ""
    point: Triple | None = None
    axis: Triple | None = None
    frame: str = ""
    name: str = ""
    about: str = ""

    def __bool__(self) -> bool:
        return bool(self.type or self.point or self.name or self.about)


@dataclass(frozen=True)
class Hints:
    """What a person knows of a file before it is recognised.

    Attributes:
        joint: Pairs of instances with a joint between them.
        fixed: Pairs that are fixed to each other.
        apart: Pairs of two bodies without a joint between them.
        freedoms: The number of freedoms of the whole.
        ground: A part that stands still.
        told: What is known of the joints of some pairs.
    """

    joint: tuple[Pair, ...] = ()
    fixed: tuple[Pair, ...] = ()
    apart: tuple[Pair, ...] = ()
    freedoms: int | None = None
    ground: str | None = None
    told: tuple[tuple[Pair, Told], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.joint or self.fixed or self.apart or self.ground or self.freedoms is not None)

    @property
    def pairs(self) -> dict[str, tuple[Pair, ...]]:
        """The pairs by their kind."""
        return {"joint": self.joint, "fixed": self.fixed, "apart": self.apart}

    def having(self, kind: str, pairs: Iterable[Pair], told: Told | None = None) -> Hints:
        """Add pairs of one kind; what was said of the same pairs before is taken back.

        Args:
            kind: "joint", "fixed" or "apart".
            pairs: Pairs of instances.
            told: What is known of a joint of the pairs; None keeps what was known.

        Returns:
            New hints.
        """
        new = tuple(dict.fromkeys(_ordered(pair) for pair in pairs))
        kept = {k: [pair for pair in own if _ordered(pair) not in new] for k, own in self.pairs.items()}
        kept[kind] += new
        known = {_ordered(pair): own for pair, own in self.told}
        if told is not None:
            known |= dict.fromkeys(new, told)
        joined = {_ordered(pair) for pair in kept["joint"]}
        return replace(with_pairs(self, kept), told=tuple((p, own) for p, own in known.items() if p in joined and own))

    def told_of(self, pair: Pair) -> Told:
        """Look up what is known of the joint of a pair.

        Args:
            pair: Two instances, in any order.

        Returns:
            What is known; empty where nothing is.
        """
        return next((own for known, own in self.told if _ordered(known) == _ordered(pair)), Told())


NO_HINTS = Hints()
"""Nothing is known."""


def with_pairs(hints: Hints, pairs: Mapping[str, Sequence[Pair]]) -> Hints:
    """Hints with other pairs."""
    joint, fixed, apart = (tuple(pairs[kind]) for kind in ("joint", "fixed", "apart"))
    return replace(hints, joint=joint, fixed=fixed, apart=apart)


def _ordered(pair: Pair) -> Pair:
    first, second = sorted(pair)
    return first, second


def hints_of(path: Path) -> Hints:
    """The hints of a mates file; none where there is no file, or nothing of one.

    InputError with the faults where a hint cannot be read: the file would be written anew without it.
    """
    from cadbridge.readers.mates_file import load_document
    from cadbridge.recognition.edited import has_hints

    if not path.is_file():
        return Hints()
    document = load_document(path)
    spec = document.spec
    if "hints" in document.faulty or (spec is None and has_hints(path)):
        faults = [finding for finding in document.findings if finding.severity is Severity.ERROR]
        raise InputError(f"A hint in {path.name} cannot be read; the file is left as it is.", faults)
    if spec is None:
        return Hints()
    hints, length = Hints(), LENGTH[spec.units.length]
    for own in spec.hints:
        told = None
        if own.joint is not None:
            x, axis = own.point, own.axis
            told = Told(
                own.type or "",
                None if x is None else (x[0] * length, x[1] * length, x[2] * length),
                None if axis is None else (axis[0], axis[1], axis[2]),
                "" if x is None or own.frame == "world" else own.joint[0],
                own.name or "",
                own.about or "",
            )
        for kind in hints.pairs:
            if (pair := getattr(own, kind)) is not None:
                hints = _added(hints, kind, (pair[0], pair[1]), told)
        hints = replace(
            hints,
            freedoms=hints.freedoms if own.freedoms is None else own.freedoms,
            ground=hints.ground if own.ground is None else own.ground,
        )
    return hints


def _added(hints: Hints, kind: str, pair: Pair, told: Told | None) -> Hints:
    """Hints with one more, which takes nothing back: what contradicts it is told later."""
    pairs = {**hints.pairs, kind: (*hints.pairs[kind], pair)}
    return replace(with_pairs(hints, pairs), told=(*hints.told, (pair, told)) if told else hints.told)


def hints_text(hints: Hints) -> str:
    """Hints as the section of a mates file in mm; empty where there are none."""
    from cadbridge.readers.mates_file.faces import yaml_text, yaml_vector

    if not hints:
        return ""
    lines = ["hints:  # what you said; it holds when the file is recognised again\n"]
    lines += [f"  - freedoms: {hints.freedoms}\n"] if hints.freedoms is not None else []
    lines += [f"  - ground: {yaml_text(hints.ground)}\n"] if hints.ground is not None else []
    for kind, pairs in hints.pairs.items():
        for pair in pairs:
            told = hints.told_of(pair) if kind == "joint" else Told()
            a, b = pair if told.frame in ("", pair[0]) else pair[::-1]
            lines.append(f"  - {kind}: [{yaml_text(a)}, {yaml_text(b)}]\n")
            lines += [f"    type: {told.type}\n"] if told.type else []
            lines += [f"    about: {yaml_text(told.about)}\n"] if told.about and told.point is None else []
            if told.point is not None:
                lines.append(f"    point: {yaml_vector(np.array(told.point) * 1e3, 6)}\n")
                lines += [f"    axis: {yaml_vector(np.array(told.axis), 12)}\n"] if told.axis is not None else []
                lines += [] if told.frame else ["    in: world\n"]
            lines += [f"    name: {yaml_text(told.name)}\n"] if told.name else []
    return "".join(lines)
