"""SDF (SDFormat): worlds and models, nested and included, with the frame semantics of 1.7 and later. SI throughout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cadbridge.assembly import TOUCHING, Assembly, Component, Coupling, Instance, Mate, MateKind, NamedFrame, Part
from cadbridge.errors import InputError
from cadbridge.findings import Where
from cadbridge.frames import Pose
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.sdf.acting import report_acting
from cadbridge.readers.sdf.context import Context
from cadbridge.readers.sdf.frames import Scope, UnresolvedError
from cadbridge.readers.sdf.joints import read_joints, read_mimics
from cadbridge.readers.sdf.links import read_part, weightless
from cadbridge.readers.sdf.models import MERGED, Models, placed, scopes
from cadbridge.readers.sdf.saved_state import report_state
from cadbridge.readers.sdf.servos import read_servos
from cadbridge.readers.sdf.vocabulary import report_unknown
from cadbridge.readers.xacro.process import expand, names_xacro
from cadbridge.readers.xml import Element, child, local, numbers, parse, parse_text

__all__ = ["read"]


def read(path: Path, options: ReadOptions | None = None) -> Assembly:
    """All models of the first world (or of the file), as they stand with all joints at zero.

    Every link is a component named by its way through the models with '/' between them; a single model at the top lends
    no name to its links, and several lend none to the assembly. Links of a static model are grounded; others float
    unless a joint ties them to the world.
    """
    c = Context(Path(path), options or ReadOptions())
    root = _root(c)
    world = Models(c).world(root)
    if len(world.nested) == 1 and not any(e.kind == "joint" for e in world.entries.values()):
        _without_prefix(next(iter(world.nested.values())))
    everything = scopes(world)
    _report_canonical(c, everything)
    X, parts, components = _links(c, everything)
    if not components:
        c.say("CB180", f"{c.path.name} holds no link", root)
        raise InputError(f"{c.path.name} holds no link", c.findings)
    mates, couplings, between, count = _joints(c, everything, X)
    single = {m.name for m in mates if m.kind in (MateKind.REVOLUTE, MateKind.PRISMATIC)}
    drives = [drive for scope in everything for drive in read_servos(c, scope, single)]
    report_acting(c, everything)
    report_state(c, world)
    c.report_unread()
    return Assembly(
        name=(next(iter(world.nested)) if len(world.nested) == 1 else "") or c.path.stem,
        source=str(c.path),
        format="sdf",
        parts=tuple(parts),
        instances=tuple(Instance(part.name, part.name, X[part.name], part.name) for part in parts),
        components=(*components, *between),
        mates=tuple(mates),
        couplings=tuple(couplings),
        drives=tuple(drives),
        frames=tuple(_frames(c, everything, X)),
        units=("SDF: m, kg, rad (SI by definition)",),
        mates_in_file=count,
        gravity=_gravity(world),
        extra=_extra(c),
        findings=c.findings.as_tuple(),
    )


def _extra(c: Context) -> dict[str, Any]:
    """What other rooms read of an SDF: what was not read, the files included, what touches."""
    files = tuple(str(p) for p in c.files.values())
    return {"unread": dict(+c.unread), "files": files, **({TOUCHING: c.touching} if c.touching else {})}


def _root(c: Context) -> Element:
    """The <sdf> of the file, of the expansion where that is a xacro; what of it no version knows is reported."""
    root = parse(c.path, c.findings)
    if local(root) != "sdf":
        c.say("CB180", f"the root is <{local(root)}>, not <sdf>", root)
        raise InputError(f"{c.path.name} is not an SDF", c.findings)
    if names_xacro(root, c.path):
        root = c.expanded = parse_text(expand(c.path, c.options, c.findings), c.path, c.findings)
        c.findings.add("CB197", f"{c.path.name} was expanded by xacro", Where(str(c.path)))
    elif c.options.arguments:
        c.findings.add("CB113", f"--arg has no effect: {c.path.name} is not a xacro file", Where(str(c.path)))
    report_unknown(c, root)
    return root


def _report_canonical(c: Context, everything: list[Scope]) -> None:
    """Models whose canonical link is none: nothing may refer to it, and sdformat refuses the file all the same."""
    for scope in everything:
        try:
            if scope.canonical:
                scope.body(scope.canonical)
        except UnresolvedError as error:
            c.say("CB1425", f"model {scope.name}: canonical_link: {error}", scope.element, scope.name)


def _without_prefix(top: Scope) -> None:
    """Names of a lone model's links without the model's own."""
    for scope in scopes(top):
        scope.prefix = scope.prefix.removeprefix(f"{top.name}/")


def _links(c: Context, everything: list[Scope]) -> tuple[dict[str, Pose], list[Part], list[Component]]:
    """X_WL, part and component of every link that has a place."""
    X: dict[str, Pose] = {}
    parts: list[Part] = []
    components: list[Component] = []
    for scope in everything:
        for name, entry in scope.entries.items():
            if entry.kind != "link":
                continue
            full = scope.link(name)
            try:
                X[full] = placed(scope, name)
            except UnresolvedError as error:
                c.say("CB1425", f"link {full}: {error}; it is left out", entry.element, full)
                continue
            parts.append(read_part(c, scope, entry.element, full))
            where = c.where(entry.element, full)
            carried = 1.0 if weightless(c, entry.element) else 0.0
            components.append(
                Component(full, (full,), X[full], scope.static, gravity_compensation=carried, where=where)
            )
    return X, parts, components


def _joints(
    c: Context, everything: list[Scope], X: dict[str, Pose]
) -> tuple[list[Mate], list[Coupling], list[Component], int]:
    """Mates, couplings, massless components between joints in series, and how many joints the file has."""
    mates: list[Mate] = []
    couplings: list[Coupling] = []
    between: list[Component] = []
    count = 0
    for scope in everything:
        count += sum(entry.kind == "joint" for entry in scope.entries.values())
        for made in read_joints(c, scope, X):
            if isinstance(made, Mate):
                mates.append(made)
            elif isinstance(made, Component):
                between.append(made)
            else:
                couplings.append(made)
    # A mimic may name a joint of another model, so all joints come first.
    by_name = {mate.name: mate for mate in mates}
    for scope in everything:
        found, number = read_mimics(c, scope, by_name)
        couplings += found
        count += number
    return mates, couplings, between, count


def _frames(c: Context, everything: list[Scope], X: dict[str, Pose]) -> list[NamedFrame]:
    """Frames that people refer to, on the component they are attached to."""
    found = []
    for scope in everything:
        for name, entry in scope.entries.items():
            if entry.kind != "frame" or name.startswith(MERGED):
                continue
            try:
                body, X_WF = scope.body(name), placed(scope, name)
            except UnresolvedError as error:
                c.say("CB1425", f"frame {name}: {error}", entry.element, name)
                continue
            found.append(NamedFrame(scope.named(name), body, X.get(body, Pose()).inverse() @ X_WF))
    return found


def _gravity(world: Scope) -> tuple[float, float, float] | None:
    """The world's gravity in m/s²; None where it says none."""
    element = child(world.element, "gravity") if local(world.element) == "world" else None
    found = None if element is None else numbers(element.text, 3)
    return None if found is None else (found[0], found[1], found[2])
