"""Short names of joints and gears: that of the part that moves, without what exporters add to it.

A joint is called like the body that it carries, seen from the ground (`shoulder`); one that closes a loop like both of
its bodies (`rod_piston`); `joint_1` where the parts have no names of their own.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from cadbridge.recognition.hints import NO_HINTS, Hints
from cadbridge.recognition.model import FoundJoint, Recognition
from cadbridge.recognition.part_names import bare

LONGEST_NAME = 40
"""Letters of a name: it stands in tables, and in names of files of other programs."""

_LINK = re.compile(r"^link_(?=[^\W\d_])|(?<=[^\W\d_])_link$", re.IGNORECASE)
"""`link_pillar`, `pillar_link`: a name in the way of URDF."""
# NAUO is STEP's entity of an occurrence, by whose number writers call what has no name; long hexadecimal numbers are
# keys; the words are those that geometry kernels and mesh formats give to every shape.
_MEANINGLESS = re.compile(r"(nauo|[0-9a-f]{16}|compound|solid|shape|mesh|node)[0-9a-f_]*|[\d_]*", re.IGNORECASE)
_GENERIC = frozenset({
    "asm", "assembly", "baugruppe", "bauteil", "bodies", "body", "component", "compound", "corps", "cuerpo",
    "default", "group", "import", "imported", "item", "koerper", "körper", "link", "node", "noname", "object",
    "open_cascade_step_translator", "part", "peça", "pieza", "piece", "pièce", "product", "root", "shape", "solid",
    "solido", "sólido", "subassembly", "teil", "unnamed", "untitled", "urdf", "volumenkörper",
})  # fmt: skip
"""Names that any part may have."""


def named(found: Recognition, hints: Hints = NO_HINTS) -> Recognition:
    """The recognition with short names of its joints and gears, none of them twice or that of a mate of the source.

    A joint that a hint names has that name.
    """
    assembly, told = found.assembly, _told(found, hints)
    taken = {m.name for m in assembly.mates} | {c.name for c in assembly.couplings}
    bodies = _body_names(found)
    asked = [told.get(k) or _asked(bodies, pair) for k, pair in enumerate(_carried(found))]
    names = _unlike(asked, "joint", taken)
    joints = tuple(replace(j, name=name) for j, name in zip(found.joints, names, strict=True))
    wheels = [tuple(_name_of(name) for name in gear.instances) for gear in found.gears]
    gear_names = _unlike([_both(*pair) for pair in wheels], "gear", taken | set(names))
    gears = tuple(replace(g, name=name) for g, name in zip(found.gears, gear_names, strict=True))
    return replace(found, joints=joints, gears=gears)


Name = tuple[str, str]
"""A name without and with the counter of its instance; both empty where the part has no name of its own."""


def _told(found: Recognition, hints: Hints) -> dict[int, Name]:
    """The names that hints give to joints, by the joints' indices."""
    told = {frozenset(found.body_of[n] for n in h.pair): h.told.name for h in hints.said if h.told.name}
    return {
        k: (name, name) for k, j in enumerate(found.joints) if (name := told.get(frozenset((j.a, j.b)))) is not None
    }


def _asked(bodies: Sequence[Name], pair: Sequence[int]) -> Name:
    return bodies[pair[0]] if len(pair) == 1 else _both(*(bodies[k] for k in pair))


def _both(first: Name, second: Name) -> Name:
    """The name of two together; that of the one that has one."""
    one, two = ("_".join(dict.fromkeys(filter(None, pair))) for pair in zip(first, second, strict=True))
    return one[:LONGEST_NAME], two[:LONGEST_NAME]


def _carried(found: Recognition) -> list[tuple[int, ...]]:
    """For each joint the body that it carries, seen from the ground; both bodies where it closes a loop."""
    at: dict[int, list[int]] = defaultdict(list)
    for k, joint in enumerate(found.joints):
        at[joint.a].append(k)
        at[joint.b].append(k)
    carried: list[tuple[int, ...]] = [tuple(sorted((j.a, j.b))) for j in found.joints]
    seen: set[int] = set()
    for root in (found.ground, *range(len(found.bodies))):
        queue = [root] if root not in seen else []
        seen.add(root)
        for body in queue:
            for k in at[body]:
                other = _other(found.joints[k], body)
                if other not in seen:
                    seen.add(other)
                    queue.append(other)
                    carried[k] = (other,)
    return carried


def _other(joint: FoundJoint, body: int) -> int:
    return joint.b if joint.a == body else joint.a


def _body_names(found: Recognition) -> list[Name]:
    """For each body the name of the largest sub-assembly that is all its own and holds its chief, else the chief's."""
    within: dict[str, set[int]] = defaultdict(set)
    for k, body in enumerate(found.bodies):
        for instance in body.instances:
            for path in _above(instance):
                within[path].add(k)
    return [
        next(
            (name for path in _above(body.name) if within[path] == {k} and (name := _step_name(path))[0]),
            _name_of(body.name),
        )
        for k, body in enumerate(found.bodies)
    ]


def _above(name: str) -> list[str]:
    """The paths of the sub-assemblies that hold an instance, the largest first."""
    steps = name.split("/")
    return ["/".join(steps[:n]) for n in range(1, len(steps))]


def _name_of(path: str) -> Name:
    """The last step of a path that says something."""
    return next((name for step in reversed(path.split("/")) if (name := _step_name(step))[0]), ("", ""))


def _step_name(path: str) -> Name:
    """The last step of a path as a name; empty where any part could be called so."""
    step = path.rsplit("/", 1)[-1]
    short = _LINK.sub("", _plain(bare(step)))
    counter = re.findall(r"\d+", step[len(bare(step)) :])
    full = f"{short}_{counter[-1]}" if counter else short
    if _MEANINGLESS.fullmatch(short) or short.casefold() in _GENERIC:
        return "", ""
    return short[:LONGEST_NAME], full[:LONGEST_NAME]


def _plain(text: str) -> str:
    """Letters and digits, joined by underscores."""
    return "_".join(re.findall(r"[^\W_]+", text))


def _unlike(asked: Sequence[Name], fallback: str, taken: Iterable[str]) -> list[str]:
    """Names that differ: by the counters of the instances if these tell them apart, else numbered."""
    used = set(taken)
    tally = Counter(short for short, _ in asked)
    full = Counter(full for short, full in asked if tally[short] > 1)
    names = []
    for short, counted in asked:
        alone = short if tally[short] == 1 else counted if full[counted] == 1 else ""
        numbered = (f"{short or fallback}_{n}" for n in itertools.count(1))
        name = next(n for n in itertools.chain(filter(None, [alone]), numbered) if n not in used)
        used.add(name)
        names.append(name)
    return names
