"""What is true of the machines that recognition is measured on: one reader, and one way to hold what is found to it.

Two formats are read. `cadbridge.truth/1`, as in scripts/measure/machines: `source` (repository, commit, path, sha256),
`population`, `freedoms` (the mobility), `bodies` (patterns of names of instances), `unknown` (patterns of instances
that nobody judges) and `pairs` of two bodies: two `parts` that stand for them, a type, an axis and a point of it in the
assembly's frame (m). `recognition-truth/1`, as in the corpus: `components` with aliases, `bodies` of components,
`pairs` with or without parts, and `dof`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.recognition import Recognition
from cadbridge.recognition.model import FoundJoint

ROOT = Path(__file__).resolve().parents[2]
MACHINES = Path(__file__).with_name("machines")
"""The truths that come with the project."""
FORMATS = ("cadbridge.truth/1", "recognition-truth/1")
SAME = {"continuous": "revolute", "hinge": "revolute", "ball": "spherical", "slider": "prismatic", "helical": "screw"}
WITHOUT_POINT = ("prismatic", "planar")
NEAR = 1e-3
"""Distance of an axis from the true one, m."""
ALONG = math.radians(1.0)
"""Angle of an axis to the true one."""


@dataclass(frozen=True)
class Pair:
    """Two bodies and the joint between them; `parts` are two instances that stand for them, where they are named."""

    bodies: tuple[str, str]
    type: str
    axis: tuple[float, ...] | None = None
    point: tuple[float, ...] | None = None
    parts: tuple[str, str] | None = None


@dataclass(frozen=True)
class Truth:
    """What is true of one machine.

    `bodies` holds patterns of full names, `spelled` the bodies by the letters and digits of names; one is empty.
    """

    name: str
    population: str
    freedoms: int
    pairs: tuple[Pair, ...]
    bodies: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unknown: Sequence[str] = ()
    spelled: Mapping[str, str] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict)
    file: Path | None = None

    def body(self, instance: str) -> str | None:
        """The body of an instance; None where nobody knows it."""
        if self.spelled:
            return self.spelled.get(plain(instance))
        if _fits(instance, self.unknown):
            return None
        return next((body for body, patterns in self.bodies.items() if _fits(instance, patterns)), None)

    def parts(self, pair: Pair, instances: Iterable[str]) -> tuple[list[str], list[str]]:
        """The instances that stand for the two bodies of a pair: one each, or without `parts` all of the body."""
        names = list(instances)
        if pair.parts is None:
            first, second = ([n for n in names if self.body(n) == body] for body in pair.bodies)
        else:
            first, second = (
                [n for n in names if n == part] or [n for n in names if self.spelled and plain(n) == plain(part)]
                for part in pair.parts
            )
        return first, second


@dataclass(frozen=True)
class Score:
    """What was found of a machine: pairs found, true and given, mobilities, whether all bodies are right, misses.

    Of the freedoms found, `spins` only spin a body about its own axis, which a truth may or may not count.
    """

    found: int
    true: int
    given: int
    freedoms: int | None
    true_freedoms: int
    bodies_right: bool
    misses: tuple[str, ...] = ()
    spins: int = 0


def plain(name: str) -> str:
    """The letters and digits of a name."""
    return "".join(c for c in name if c.isalnum()).lower()


def load(file: Path) -> Truth:
    """The truth in a file. Raises ValueError where it is of neither format."""
    d = json.loads(file.read_text(encoding="utf-8"))
    kind = d.get("format") if isinstance(d, dict) else None
    if kind not in FORMATS:
        raise ValueError(f"{file}: the format is {kind!r}, not {' or '.join(FORMATS)}")
    pairs = [_pair(p) for p in d["pairs"]]
    if kind == FORMATS[0]:
        return Truth(
            d["name"], d["population"], d["freedoms"], tuple(pairs), d["bodies"], d["unknown"],
            source=d["source"], file=file,
        )  # fmt: skip
    lacking = set(d.get("absent", ()))
    there = {b["name"]: [c for c in b["components"] if c not in lacking] for b in d["bodies"]}
    aliases = {c["name"]: (c["name"], *c.get("aliases", ())) for c in d["components"]}
    spelled: dict[str, str] = {}
    for body, components in there.items():
        for name in (n for c in components for n in aliases.get(c, (c,))):
            spelled.setdefault(plain(name), body)
    pairs = [p for p in pairs if all(there.get(body) for body in p.bodies)]
    population = "built" if "either" in d else "by mates"
    freedoms = d.get("dof_without_absent", d["dof"])
    return Truth(d["name"], population, freedoms, tuple(pairs), spelled=spelled, source=d, file=file)


def _pair(p: dict[str, Any]) -> Pair:
    axis, point, parts = (tuple(p[key]) if p.get(key) else None for key in ("axis", "point", "parts"))
    return Pair((p["bodies"][0], p["bodies"][1]), SAME.get(p["type"], p["type"]), axis, point, parts)


def _fits(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def judge(found: Recognition, truth: Truth) -> Score:
    """Hold what was found to the truth.

    A pair is found where its two parts lie in two bodies with a joint of its type between them, its axis within 1° and
    1 mm of the true one.
    """
    where, count, misses = found.body_of, 0, []
    for pair in truth.pairs:
        ends = [{where[n] for n in side} for side in truth.parts(pair, where)]
        joints = [j for j in found.joints if (j.a in ends[0] and j.b in ends[1]) or (j.b in ends[0] and j.a in ends[1])]
        if any(_is(j, pair) for j in joints if j.a != j.b):
            count += 1
        else:
            misses.append(f"{' - '.join(pair.parts or pair.bodies)} ({pair.type}): {_instead(ends, joints, pair)}")
    bodies = wrong_bodies(found, truth)
    told = (*misses, *bodies)
    return Score(
        count, len(truth.pairs), len(found.joints), found.freedoms, truth.freedoms, not bodies, told, found.spins
    )


def bodies_right(found: Recognition, truth: Truth) -> bool:
    """Whether the instances that somebody knows, but for fasteners, lie together as they should."""
    return not wrong_bodies(found, truth)


def wrong_bodies(found: Recognition, truth: Truth) -> list[str]:
    """Bodies that lie in one, and bodies that lie in several, each with an instance of either."""
    first: dict[str, tuple[int, str]] = {}
    told = []
    for k, body in enumerate(found.bodies):
        own: dict[str, str] = {}
        for name in (n for n in body.instances if n not in found.fasteners):
            if (known := truth.body(name)) is not None:
                own.setdefault(known, name)
        told += [f"one body: {', '.join(f'{name} ({b})' for b, name in own.items())}"] if len(own) > 1 else []
        for known, name in own.items():
            if first.setdefault(known, (k, name))[0] != k:
                told.append(f"{known} in two bodies: {first[known][1]}; {name}")
    return told


def _is(joint: FoundJoint, pair: Pair) -> bool:
    angle, distance = _off(joint, pair)
    return SAME.get(joint.type, joint.type) == pair.type and angle < ALONG and distance < NEAR


def _off(joint: FoundJoint, pair: Pair) -> tuple[float, float]:
    """By how much the axis of a joint differs: rad and m, 0 where the type or the truth has none."""
    angle = distance = 0.0
    if pair.axis is not None and joint.axis is not None:
        a, b = _unit(pair.axis), _unit(joint.axis)
        angle = math.atan2(float(np.linalg.norm(np.cross(a, b))), abs(float(a @ b)))
    if pair.point is not None and pair.type not in WITHOUT_POINT:
        off = np.array(pair.point, float) - joint.point
        if joint.axis is not None and pair.type != "spherical":
            b = _unit(joint.axis)
            off = off - b * float(b @ off)
        distance = float(np.linalg.norm(off))
    return angle, distance


def _unit(axis: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    made: NDArray[np.float64] = np.array(axis, float) / np.linalg.norm(axis)
    return made


def _instead(ends: Sequence[set[int]], joints: Sequence[FoundJoint], pair: Pair) -> str:
    if not (ends[0] and ends[1]):
        return "no such part"
    if joints:
        off = [(j.type, *_off(j, pair)) for j in joints]
        return ", ".join(f"{kind}, {math.degrees(angle):.2g} deg, {1e3 * mm:.2g} mm" for kind, angle, mm in off)
    return "welded" if ends[0] & ends[1] else "no joint"


def truths_in(folder: Path) -> list[Truth]:
    """All truths of a folder: its files, and `truth.json` in the folders in it."""
    files = [*folder.glob("*.json"), *folder.glob("*/truth.json"), *folder.glob("*/*.truth.json")]
    return [load(file) for file in sorted(files)]


def source_of(truth: Truth, folder: Path) -> Path | None:
    """The file of a machine: below `folder` as owner+name/path or NAME.step, or beside its truth.

    None where there is none. Raises ValueError where it is another one than that of the truth.
    """
    beside = [truth.file.parent, ROOT / "fixtures" / truth.name] if truth.file else []
    repository, path = str(truth.source.get("repository", "")), str(truth.source.get("path", ""))
    names = [f"{truth.name}{ending}" for ending in (".bare.step", ".step", ".stp", ".FCStd")]
    places = [folder / repository.replace("/", "+") / path, *(folder / name for name in names)]
    places += [place / name for place in beside for name in (*names[:1], "bare.step", *names[1:])]
    if truth.file is not None and truth.file.name == "truth.json":
        places += sorted(truth.file.parent.glob("*.step"))
    file = next((place for place in places if place.is_file()), None)
    wanted = truth.source.get("sha256")
    if file is not None and wanted and hashlib.sha256(file.read_bytes()).hexdigest() != wanted:
        raise ValueError(f"{file} is not the file of the truth: its sha256 is another")
    return file


def arguments_of(text: str) -> argparse.ArgumentParser:
    """The arguments that name machines, of a script with this documentation."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the sources are, as owner+name/path or NAME.step")
    parser.add_argument("names", nargs="*", help="only these machines")
    parser.add_argument("--truths", type=Path, default=MACHINES, help="the folder of truths")
    return parser


def chosen(arguments: argparse.Namespace) -> list[Truth]:
    """The truths of the machines that the arguments name. Exits where one is not there."""
    known = {truth.name: truth for truth in truths_in(arguments.truths)}
    if lacking := [name for name in arguments.names if name not in known]:
        raise SystemExit(f"{arguments.truths} has no truth of {', '.join(lacking)}")
    return [known[name] for name in arguments.names] or list(known.values())


def with_sources(arguments: argparse.Namespace) -> list[tuple[Path, Truth]]:
    """The files and truths of the machines that the arguments name. Exits where a file is not there."""
    found = [(source_of(truth, arguments.folder), truth) for truth in chosen(arguments)]
    if lacking := [truth.name for source, truth in found if source is None]:
        raise SystemExit(f"{arguments.folder} has no file of {', '.join(lacking)}")
    return [(source, truth) for source, truth in found if source is not None]
