"""Which instances move as one: flexible and rigid sub-assemblies, the ground, attachments by name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from cadbridge.assembly import GROUND, Component
from cadbridge.frames import Pose
from cadbridge.readers.mates_file.draft import Draft, last, wildcard


def restructure(draft: Draft) -> None:
    """Split flexible sub-assemblies, join rigid ones, then ground what `ground` names."""
    _make_flexible(draft)
    _make_rigid(draft)
    _ground(draft)


def _make_flexible(draft: Draft) -> None:
    nodes = dict(_nodes(draft.assembly.extra.get("tree") or ()))
    flexible: dict[str, None] = {}
    for index, pattern in enumerate(draft.spec.flexible):
        fits = wildcard(pattern)
        inner = [path for path, node in nodes.items() if node["children"]]
        # A full path before a last name: a pattern that says a path exactly must not catch namesakes elsewhere.
        found = [p for p in inner if fits(p)] or [p for p in inner if fits(last(p))]
        if not found:
            where = draft.place("flexible", index)
            known = draft.near(pattern, [*inner, *map(last, inner)])
            draft.findings.add("CB158", f"there is no sub-assembly {pattern!r}{known}", where)
        flexible.update(dict.fromkeys(found))
    if not flexible:
        return
    split = _Splitting(draft, nodes, flexible)
    components: list[Component] = []
    for component in draft.components.values():
        components.extend(split.parts(component.name) if split.concerns(component.name) else [component])
    draft.replace_components(components)


def _nodes(tree: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(path, node) of every occurrence, whether children are nested or named by their paths."""
    for node in tree:
        yield node["path"], node
        nested = [child for child in node["children"] if not isinstance(child, str)]
        yield from _nodes(nested)


class _Splitting:
    """Occurrences taken apart where they are flexible; what lies in each is found once for all."""

    def __init__(self, draft: Draft, nodes: Mapping[str, Mapping[str, Any]], flexible: Collection[str]) -> None:
        self._draft, self._nodes, self._flexible = draft, nodes, flexible
        self._flexible_in: dict[str, list[str]] = {}
        self._instances_in: dict[str, list[str]] = {}
        for names, within in ((flexible, self._flexible_in), (draft.instances, self._instances_in)):
            for name in names:
                for path in _upwards(name):
                    within.setdefault(path, []).append(name)

    def concerns(self, path: str) -> bool:
        """Whether an occurrence is flexible, or one in it."""
        return path in self._nodes and path in self._flexible_in

    def parts(self, path: str) -> Iterator[Component]:
        """The components of an occurrence: itself without what is flexible below it, and that in its parts.

        A flexible sub-assembly may lie in a rigid one; the rigid rest then stays one component.
        """
        node = self._nodes[path]
        if path in self._flexible:
            for child in node["children"]:
                yield from self.parts(child if isinstance(child, str) else child["path"])
            return
        below = set(self._flexible_in.get(path, ()))
        own = tuple(n for n in self._instances_in.get(path, ()) if below.isdisjoint(_upwards(n)))
        if own:
            before = self._draft.components.get(path)
            yield replace(before, instances=own) if before else Component(path, own, _pose(node))
        # Only the outermost flexible ones: what lies deeper is split with them.
        for p in self._flexible_in.get(path, ()):
            if below.isdisjoint(above for above in _upwards(p) if above != p):
                yield from self.parts(p)


def _pose(node: Mapping[str, Any]) -> Pose:
    X: Pose = node["X_WI"]
    return X


def _upwards(path: str) -> Iterator[str]:
    """A path, and those of all that it lies in."""
    yield path
    while "/" in path:
        path = path.rsplit("/", 1)[0]
        yield path


def _make_rigid(draft: Draft) -> None:
    for index, path in enumerate(draft.spec.rigid):
        members = [name for name in draft.components if name.startswith(path + "/")]
        if path in draft.components and not members:
            continue  # already one component
        where = draft.place("rigid", index)
        if not members:
            draft.findings.add("CB158", f"there is no sub-assembly {path!r}{draft.near(path, draft.components)}", where)
            continue
        first = draft.components[members[0]]
        if path not in draft.components:
            # The group gets the sub-assembly's name and, for its frame, that of its first member.
            group = Component(path, (), first.X_WC)
            draft.replace_components([*draft.components.values(), group])
        draft.merge(members, path)
        draft.rigid.update(members)
        inner = [m.name for m in draft.mates if m.a.component == m.b.component == path]
        for name in inner:
            draft.findings.add("CB157", f"{name!r} holds nothing once {path!r} is rigid; it is left out", where)
        draft.mates = [m for m in draft.mates if not m.a.component == m.b.component == path]


def _ground(draft: Draft) -> None:
    for index, pattern in enumerate(draft.spec.ground):
        if pattern in draft.components:  # a component, although others may be of a part that is called so
            names = [pattern]
        else:
            fits = wildcard(pattern)
            names = draft.fitting(pattern)
            names += [i.component for i in draft.instances.values() if fits(i.name) or fits(last(i.name))]
        names = [draft.moved_into.get(name, name) for name in names]
        if not names:
            where = draft.place("ground", index)
            known = draft.near(pattern, [*draft.components, *map(last, draft.components)])
            code = "CB151" if any(c in pattern for c in "*?") else "CB146"
            draft.findings.add(code, f"there is no component {pattern!r} to ground{known}", where)
        for name in dict.fromkeys(names):
            draft.components[name] = replace(draft.components[name], grounded=True)


def attach_by_name(draft: Draft) -> None:
    """Make the parts that `attach` names by pattern one with the component they belong to."""
    on_ground: set[str] = set()
    for index, spec in enumerate(draft.spec.attach):
        if spec.to is None:
            continue
        where = draft.place("attach", index)
        target = None if spec.to == GROUND else draft.component(spec.to, draft.place("attach", index, "to"))
        if spec.to != GROUND and target is None:
            continue
        into = GROUND if target is None else target.name
        names = _to_attach(draft, index, into, on_ground)
        if target is not None:
            draft.merge(names, into)
        for name in names:
            if target is None:
                draft.components[name] = replace(draft.components[name], grounded=True)
                on_ground.add(name)
            what = "the ground" if target is None else into
            draft.findings.add("CB153", f"{name} is attached to {what}", where, "")


def _to_attach(draft: Draft, index: int, into: str, on_ground: Collection[str]) -> list[str]:
    """The components that an item of `attach` adds to another; what it names in vain is reported."""
    spec = draft.spec.attach[index]
    names = _named(draft, index)
    idle = {name: _idle(draft, name, spec.to or "", into, on_ground) for name in names}
    new = [name for name in idle if not idle[name]]
    # A pattern goes for what is left: `*` as the last line takes all that no line before it named.
    if spec.parts is None or not new:
        report_idle(draft, index, {name: why for name, why in idle.items() if why})
    if spec.components is not None:
        twice = {name: "is listed twice in one line" for name in names if names.count(name) > 1}
        report_idle(draft, index, {name: why for name, why in twice.items() if not idle[name]})
    return new


def _named(draft: Draft, index: int) -> list[str]:
    """Those that an item of `attach` names, attached ones by their own names."""
    spec = draft.spec.attach[index]
    if spec.components is None:
        names = draft.fitting(spec.parts or "") or draft.fitting_attached(spec.parts or "")
        if not names:
            draft.findings.add("CB151", f"no component fits {spec.parts!r}", draft.place("attach", index))
        return names
    found = []
    for k, name in enumerate(spec.components):
        before = draft.attached(name)
        before = None if before in draft.rigid else before
        component = None if before else draft.component(name, draft.place("attach", index, "components", k))
        found += [before] if before else [component.name] if component is not None else []
    return found


def _idle(draft: Draft, name: str, to: str, into: str, on_ground: Collection[str]) -> str:
    """Why attaching a component would change nothing, or join two that others name; "" if it is loose."""
    if name in draft.moved_into:
        return f"is attached to {draft.moved_into[name]} already"
    if name in on_ground:
        return "is attached to the ground already"
    if name == into:
        return "is attached to itself" if draft.attached(to) is None else f"is attached to {to}, which is a part of it"
    return ""


def report_idle(draft: Draft, index: int, idle: Mapping[str, str]) -> None:
    """Tell which components an item of `attach` names in vain, and why of each."""
    for name, why in idle.items():
        draft.findings.add("CB1473", f"{name} {why}; nothing changes", draft.place("attach", index), items=[name])
