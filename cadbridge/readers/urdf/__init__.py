"""URDF: links with their meshes, joints, mimics and transmissions; m, kg and rad, as the format has it."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from cadbridge.assembly import GROUND, Assembly, Component, Drive, Instance, Mate, NamedFrame
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Severity, Where
from cadbridge.frames import Pose
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.sdf.acting import OF_DRAKE
from cadbridge.readers.urdf.acting import report_acting
from cadbridge.readers.urdf.context import Context
from cadbridge.readers.urdf.extensions import KEPT, LOOPS, kept_of_joints, read_extensions
from cadbridge.readers.urdf.joints import Joint, read_drives, read_joints, read_mimics
from cadbridge.readers.urdf.links import Link, read_links
from cadbridge.readers.xacro.process import expand, has_expressions, is_xacro
from cadbridge.readers.xml import Element, children, local, parse, parse_text
from cadbridge.touched import looked_for
from cadbridge.wording import count, listed

__all__ = ["drives_of", "read"]

_NAMES_A_LINK = {
    "link": ("name",), "parent": ("link",), "child": ("link",), "gazebo": ("reference",), "link1": ("link",),
    "link2": ("link",),
}  # fmt: skip
"""Elements of a URDF and their attributes that name a link."""
_MOST_YAML = 1 << 20
"""Bytes of a generator's YAML file beside the URDF that is looked into; such files have some kB."""
_WORLD = "world"
"""The link that needs no <link>."""


def read(path: Path, options: ReadOptions | None = None) -> Assembly:
    """A robot from a URDF, as it stands with all joints at zero; world is the root link's frame.

    Every link is a component; one with inertia or geometry has one instance of a part named after it.
    Raises InputError where nothing can be read; all other faults are findings.
    """
    c = Context(Path(path), options or ReadOptions())
    robot = _robot(c)
    # Names come first: links, joints, mimics and extensions all refer to the links by them.
    _rename_ground(c, robot)
    _add_world(c, robot)
    links = read_links(c, robot) if local(robot) == "robot" else {}
    if not links:
        raise _without_links(c, robot)
    c.leave(robot, "link", "joint", "material", "transmission", *KEPT, *LOOPS, *OF_DRAKE)
    joints = read_joints(c, robot, links)
    couplings = read_mimics(c, joints)
    drives = read_drives(c, robot, joints)
    # Extensions close loops between links, so they need all links placed.
    X = c.placements = _placements(links, joints)
    more = read_extensions(c, robot, links, joints, drives)
    report_acting(c, robot, {j.name for j in joints})
    grounded = _ground(c, robot, links, joints)
    links = _without_mass(c, links, joints, grounded)
    c.report_unread()
    _report_loops_beside(c)
    _report_what_engines_leave_out(c, (*drives, *more.drives), more.loops)
    real = [link for link in links.values() if link.part is not None]
    elements = children(robot, "joint")
    mimics = sum(len(children(e, "mimic")) for e in elements)
    return Assembly(
        name=robot.get("name") or c.path.stem, source=str(c.path), format="urdf",
        parts=tuple(link.part for link in real if link.part is not None),
        instances=tuple(Instance(link.name, link.name, X[link.name], link.name) for link in real),
        components=tuple(_component(c, link, X[name], name == grounded) for name, link in links.items()),
        mates=(*(j.mate for j in joints), *more.loops),
        couplings=tuple(couplings), drives=(*drives, *more.drives),
        frames=tuple(NamedFrame(link.name, link.name, Pose()) for link in links.values() if link.part is None),
        units=("URDF: m, kg, rad (SI by definition)",),
        mates_in_file=len(elements) + mimics + more.loops_in_file,
        extra={"unread": c.unread, "extensions": more.kept, "joints": kept_of_joints(joints)},
        findings=c.findings.as_tuple(),
    )  # fmt: skip


def _component(c: Context, link: Link, X: Pose, grounded: bool) -> Component:
    name = link.name
    return Component(name, (name,) if link.part else (), X, grounded, where=c.where(link.element, name))


def _without_links(c: Context, robot: Element) -> InputError:
    """The error for a file that makes no link, with its finding."""
    if macros := _macros(c):
        text = f"the file defines macros of xacro ({listed(macros)}), and what it calls makes no link"
        c.findings.add("CB180", text, Where(str(c.path)), "Give the file that includes this one and calls them.")
        return InputError(f"{c.path.name} makes no robot by itself", c.findings)
    c.say("CB180", f"the root is <{local(robot)}>, with no link that can be read", robot)
    return InputError(f"{c.path.name} is not a URDF", c.findings)


def drives_of(path: Path) -> tuple[Drive, ...]:
    """The drives of a URDF, by the joints' names in it: its transmissions, read without its shapes."""
    c = Context(path, ReadOptions())
    robot = _robot(c)
    for link in children(robot, "link"):
        # Meshes take seconds, and drives have none.
        for shape in children(link, "visual", "collision"):
            link.remove(shape)
    links = read_links(c, robot)
    joints = read_joints(c, robot, links)
    drives = read_drives(c, robot, joints)
    c.placements = _placements(links, joints)
    return (*drives, *read_extensions(c, robot, links, joints, drives).drives)


def _report_what_engines_leave_out(c: Context, drives: Sequence[Drive], loops: Sequence[Mate]) -> None:
    """Say what acts here and not in programs that read links and joints alone (CB1249)."""
    rotors = [drive.name for drive in drives if drive.rotor_inertia]
    for what, names in (
        (("rotor inertia of a transmission", "rotor inertias of transmissions"), rotors),
        (("joint that closes a loop", "joints that close loops"), [m.name for m in loops]),
    ):
        if names:
            message = f"{count(len(names), *what)}: {listed(names, 4)}"
            c.findings.add("CB1249", message, Where(str(c.path)), items=names)


def _robot(c: Context) -> Element:
    """The root element; of the expansion where the file is a xacro."""
    robot = parse(c.path, c.findings)
    if is_xacro(robot, c.path):
        told = _report_without_prefix(c, robot)
        text = _expanded(c, robot)
        if text is None:
            return robot
        robot = parse_text(text, c.path, c.findings)
        c.expanded = True
        if not told:  # an included file may have them
            _report_without_prefix(c, robot)
        c.findings.add("CB197", f"{c.path.name} was expanded by xacro", Where(str(c.path)))
    elif c.options.arguments:
        c.findings.add("CB113", f"--arg has no effect: {c.path.name} is not a xacro file", Where(str(c.path)))
    return robot


def _report_without_prefix(c: Context, robot: Element) -> bool:
    """Whether a robot has elements as xacro wrote them before it had a prefix, which it no longer expands (CB1925)."""
    keys = {"include": "filename", "macro": "name", "property": "name"}
    # By the whole tag: with the prefix it has a namespace.
    found = [e for e in robot if e.tag in keys and e.get(keys[e.tag]) is not None]
    if found:
        names = listed([f"<{e.tag} {e.get('name') or e.get('filename')}>" for e in found], 4)
        text = f"{c.path.name}: {count(len(found), 'element')} of xacro without the prefix xacro: {names}"
        c.findings.add("CB1925", text, Where(str(c.path), found[0].sourceline))
    return bool(found)


def _macros(c: Context) -> list[str]:
    """The macros that an expanded xacro file defines itself."""
    if not c.expanded:
        return []
    return [e.get("name") or "" for e in parse(c.path, Findings()).iter("{*}macro")]


def _expanded(c: Context, robot: Element) -> bytes | None:
    """What xacro makes of the file; None (reported) where a URDF without expressions has elements it cannot expand.

    Engines read such a file as it stands.
    """
    findings = Findings()
    try:
        text = expand(c.path, c.options, findings)
    except InputError as error:
        # Expanded files of some generators keep elements of xacro that no engine looks at.
        plain = c.path.suffix.lower() == ".urdf" and not has_expressions(robot)
        if not plain or {f.code for f in error.findings if f.severity == Severity.ERROR} != {"CB196"}:
            if "not well-formed" in str(error):
                c.findings.drop("CB115")  # the same fault, of a file that is not read after all
            c.findings.extend(findings)
            raise InputError(str(error), c.findings) from error
        c.say("CB1439", f"{error}; the file is read without what xacro would make of it", robot)
        return None
    c.findings.extend(findings)
    return text


def _rename_ground(c: Context, robot: Element) -> None:
    """Give a link another name that bears the world's and hangs on a joint; a root of that name is the world."""
    hangs = any(e.get("link") == GROUND for joint in children(robot, "joint") for e in children(joint, "child"))
    if not hangs:
        return
    taken = {e.get("name") for e in children(robot, "link")}
    new = next(name for i in itertools.count() if (name := f"{GROUND}_link" + "_" * i) not in taken)
    for element in robot.iter():
        keys = _NAMES_A_LINK.get(local(element), ()) if isinstance(element.tag, str) else ()
        for key in keys:
            if element.get(key) == GROUND:
                element.set(key, new)
    c.say("CB1436", f"the link {GROUND!r} is called {new!r}", robot, new)


def _add_world(c: Context, robot: Element) -> None:
    """Give the robot the link that joints mean by the parent "world", where it has none."""
    parents = (e for joint in children(robot, "joint") for e in children(joint, "parent"))
    first = next((e for e in parents if e.get("link") == _WORLD), None)
    if first is not None and all(e.get("name") != _WORLD for e in children(robot, "link")):
        c.say("CB1251", f"the parent {_WORLD!r} is not a link of the file: it is the world itself", first, _WORLD)
        robot.insert(0, robot.makeelement("link", name=_WORLD))


def _ground(c: Context, robot: Element, links: Mapping[str, Link], joints: list[Joint]) -> str | None:
    """The root link, reported; None where it is to float."""
    below = {j.child for j in joints}
    roots = [name for name in links if name not in below]  # never empty: read_joints leaves no circle
    # A joint that could not be read is an error of its own, whose cure joins its link.
    joined = {e.get("link") for joint in children(robot, "joint") for e in children(joint, "child")}
    roots = [name for name in roots if name not in joined] or roots
    root = max(roots, key=_carried(joints).__getitem__)  # of equals the first in the file
    loose = [name for name in roots if name != root]
    if loose:
        text = f"{listed(loose)} {'has' if len(loose) == 1 else 'have'} no parent, beside the root {root}"
        c.say("CB195", text, links[loose[0]].element, loose[0])
    if c.options.floating:
        return None
    c.say("CB189", f"{root} is fixed to the world", links[root].element, root)
    return root


def _carried(joints: list[Joint]) -> Counter[str]:
    """How many links hang on each root, at any depth; 0 of those on which none hangs."""
    parent = {j.child: j.parent for j in joints}
    root_of: dict[str, str] = {}
    for link in parent:
        way = []
        while link in parent and link not in root_of:
            way.append(link)
            link = parent[link]
        root_of.update(dict.fromkeys(way, root_of.get(link, link)))
    return Counter(root_of.values())


def _without_mass(c: Context, links: Mapping[str, Link], joints: list[Joint], grounded: str | None) -> dict[str, Link]:
    """The links, with those weightless that have no mass but are fixed to one that has; reported.

    That is what the format means by a link without <inertial>. Where nothing of what moves together has a mass, that
    is reported too. A density given by the person weighs such links instead.
    """
    # Links that fixed joints join move as one body: any mass among them is the body's.
    group = {name: name for name in links}
    for joint in joints:
        if not joint.free.axes:
            old, new = group[joint.child], group[joint.parent]
            group = {k: new if g == old else g for k, g in group.items()}
    still = None if grounded is None else group[grounded]
    weighed = c.options.mass_from == "mesh"
    has_mass = {n for n, link in links.items() if _declares_mass(link) or (weighed and _has_shape(link))}
    weighty = {group[n] for n in has_mass}
    given = c.options.density is not None or c.options.material is not None
    done = {name: _without_loose_inertia(link) for name, link in links.items()}
    heavy_below = _above_mass(joints, has_mass)
    stacked = []
    for name, link in links.items():
        if name in has_mass or (link.part is None and group[name] in weighty):
            continue
        if group[name] == still:
            # No motion depends on it, so nothing is said; an export has the mass of what stands still.
            if link.part is not None and group[name] in weighty and not given:
                done[name] = replace(link, part=replace(link.part, weightless=True))
            continue
        if link.part is None and name in heavy_below:
            stacked.append(name)
        elif link.part is None or group[name] not in weighty:
            c.say("CB191", f"{name} moves and has no mass", link.element, name)
        elif not given:
            c.say("CB1920", f"{name} has no mass of its own", link.element, name)
            done[name] = replace(link, part=replace(link.part, weightless=True))
    if stacked:
        text = f"{listed(stacked)} {'have' if len(stacked) > 1 else 'has'} neither mass nor shape"
        c.findings.add("CB1263", text, c.where(links[stacked[0]].element, stacked[0]), items=stacked)
    for joint in joints:
        lone = [n for n in links if group[n] == joint.child and n in has_mass] if joint.free.unbound else []
        if len(lone) == 1 and _is_point(links[lone[0]]):
            c.say("CB1254", f"{lone[0]} floats and has mass, but no inertia", joint.element, lone[0])
    return done


def _above_mass(joints: list[Joint], has_mass: set[str]) -> set[str]:
    """The links below which, through joints, one with mass hangs."""
    parent = {joint.child: joint.parent for joint in joints}
    found: set[str] = set()
    for name in has_mass:
        while (name := parent.get(name, "")) and name not in found:
            found.add(name)
    return found


def _report_loops_beside(c: Context) -> None:
    """CB1264 of a file of the generator beside the URDF that says which links close loops."""
    for beside in dict.fromkeys((c.path.with_name("robot.yaml"), c.path.with_suffix(".yaml"))):
        looked_for(beside)
        # It is opened unasked, so a link that leads out of the folder is not followed.
        if not beside.is_file() or beside.is_symlink() or beside.stat().st_size > _MOST_YAML:
            continue
        text = beside.read_text(encoding="utf-8", errors="replace")
        entry = re.search(r"^closed_loop\s*:\s*(.*?)(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
        names = [] if entry is None else re.findall(r"[\w./-]*\w", entry[1])
        if names:
            between = f"{beside.name} closes loops between {listed(names, 6)}"
            message = f"{between}; cadbridge does not read it: they are open unless the mates file closes them"
            c.findings.add("CB1264", message, Where(str(beside)), items=[n for n in names if n in c.placements])


def _is_point(link: Link) -> bool:
    declared = None if link.part is None else link.part.declared
    return declared is not None and declared.mass > 0 and not declared.inertia.any()


def _declares_mass(link: Link) -> bool:
    return link.part is not None and link.part.declared is not None and link.part.declared.mass != 0


def _has_shape(link: Link) -> bool:
    return link.part is not None and link.part.shape is not None


def _without_loose_inertia(link: Link) -> Link:
    """The link without an inertia that belongs to no mass."""
    if link.part is None or link.part.declared is None or _declares_mass(link):
        return link
    return replace(link, part=replace(link.part, declared=None))


def _placements(links: Mapping[str, Link], joints: list[Joint]) -> dict[str, Pose]:
    """X_WL of every link with all joints at zero."""
    above = {j.child: j for j in joints}
    X: dict[str, Pose] = {}
    for name in links:
        way = [name]
        while way[-1] not in X and way[-1] in above:
            way.append(above[way[-1]].parent)
        X.setdefault(way[-1], Pose())
        for link in reversed(way[:-1]):
            X[link] = X[above[link].parent] @ above[link].X_PJ
    return X
