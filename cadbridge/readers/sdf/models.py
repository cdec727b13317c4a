"""Models, nested and included, as scopes of names."""

from __future__ import annotations

from pathlib import Path

from cadbridge.budget import Counted
from cadbridge.errors import InputError
from cadbridge.folders import Folders
from cadbridge.frames import Pose
from cadbridge.readers.paths import package_folder, referenced
from cadbridge.readers.sdf.context import NAMES_SHARED, Context
from cadbridge.readers.sdf.frames import MODEL, Scope, ScopedFrame
from cadbridge.readers.sdf.vocabulary import report_unknown
from cadbridge.readers.xml import Element, child, children, local, parse, text_of

DEEPEST_MODELS = 50
"""Models within one another, nested or included. A choice: each costs some calls of Python's recursion."""

MOST_INCLUDED = 5_000
"""Models that may be included, by those that are included too: 3 includes in each of 20 files are 10⁹. A choice."""

_RESERVED = ("world", MODEL)
MERGED = "_merged__"
"""Begins the names of frames that stand for merged models, as sdformat calls them too; nobody refers to those."""
_FLAT = 8
"""The minor version before which an included model's links stand in the including model as "model::link"."""

OF_GAZEBO = ("sun", "ground_plane")
"""Models in which nothing moves, by their names in Gazebo's database and on Fuel; nearly every world includes both."""
_OF_MODEL = ("pose", "static", "link", "joint", "frame", "model", "include", "self_collide", "allow_auto_disable")
_OF_WORLD = ("frame", "model", "include", "joint", "gravity")


class Models:
    """Makes scopes of the models of a document and of those it includes."""

    def __init__(self, c: Context) -> None:
        self._c = c
        self._count = Counted("named", c.path.name)
        self._included = 0

    def world(self, root: Element) -> Scope:
        """The scope of the world, with all models of the document in it."""
        self._c.files[root] = self._c.path
        self._c.minor(root)  # told if there is no such version
        worlds = children(root, "world")
        scope = Scope("", root)
        for holder in worlds[:1] or [root]:
            scope.element = holder
            self._fill(scope, holder, 0)
            if worlds:
                self._c.leave(holder, *_OF_WORLD)
        models = children(root, "model")
        if not worlds and len(models) > 1:
            text = f"{len(models)} models without a world: all are read; sdformat takes the first alone, Drake none"
            self._c.say("CB1274", text, models[1], hint="Put them into a <world>, or each into a file of its own.")
        for other in worlds[1:]:
            self._c.say("CB1426", f"a second world {other.get('name')!r} is left out", other)
        return scope

    def _fill(self, scope: Scope, holder: Element, depth: int) -> None:
        # Own elements before nested models: of two equal names the model's own is kept, whatever the order of the file.
        # Links first: joints and frames of old files may have their names.
        for element in sorted(children(holder, "link", "frame", "joint"), key=lambda e: local(e) != "link"):
            self._enter(scope, element)
        for element in children(holder, "model"):
            self._model(scope, element, None, depth)
        for element in children(holder, "include"):
            self._include(scope, element, depth)

    def _allowed(self, name: str, element: Element) -> bool:
        # A name with :: is reserved from 1.8 on, where it means a nested element.
        return bool(name) and ("::" not in name or self._c.minor(element) < _FLAT) and name not in _RESERVED

    def _free(self, scope: Scope, element: Element) -> str:
        """The name of an element, of a joint or frame in an old file the next free one as sdformat makes it."""
        own, kind = (element.get("name") or "").strip(), local(element)
        held = scope.entries.get(own)
        if held is None or held.kind in (kind, "model") or self._c.minor(element) >= NAMES_SHARED:
            return own
        tries = (f"{own}_{kind}", *(f"{own}_{kind}{i}" for i in range(len(scope.entries))))
        name = next(new for new in tries if new not in scope.entries)
        text = f"a {kind} has the name {own!r} of a {held.kind}; the {kind} is called {name!r}"
        self._c.say("CB1269", text, element, name)
        return name

    def _enter(self, scope: Scope, element: Element) -> None:
        c, name, kind = self._c, self._free(scope, element), local(element)
        if child(element, "deformable_properties") is not None:
            c.say("CB1253", f"{name} is a deformable body; it is left out", element, name)
            return
        self._count.add(1, c.findings, c.where(element, name))
        if not self._allowed(name, element):
            c.say("CB181", f"<{kind}> has the name {name!r}", element)
        elif name in scope.entries:
            c.say("CB1422", f"a second {kind} or other element is named {name!r}; it is left out", element, name)
        else:
            pose, relative = c.pose(element, name)
            attached = element.get("attached_to") or MODEL
            if kind == "joint":
                # SDF's defaults: a joint's pose is in its child's frame, a frame's in that of `attached_to`.
                relative = relative or text_of(element, "child")
                attached = text_of(element, "child")
            elif kind == "frame":
                relative = relative or attached
            scope.entries[name] = ScopedFrame(pose, relative or MODEL, attached, element, kind)

    def _model(self, scope: Scope, element: Element, over: Element | None, depth: int) -> None:
        """A nested model; `over` is the <include> that brought it, whose name, pose and static override its own."""
        c = self._c
        name = (text_of(over, "name") if over is not None else "") or (element.get("name") or "").strip()
        if depth >= DEEPEST_MODELS:
            c.say("CB1423", f"models nest deeper than {DEEPEST_MODELS}", element)
            return
        if not self._allowed(name, element):
            c.say("CB181", f"<model> has the name {name!r}", element)
            return
        if name in scope.entries:
            c.say("CB1422", f"a second model or other element is named {name!r}; it is left out", element, name)
            return
        # An <include>'s pose replaces the model's own, it does not add to it.
        source = over if over is not None and child(over, "pose") is not None else element
        pose, relative = c.pose(source, name)
        placement = (text_of(over, "placement_frame") if over is not None else "") or element.get("placement_frame", "")
        scope.entries[name] = ScopedFrame(pose, relative or MODEL, MODEL, element, "model")
        inner = Scope(name, element, scope, placement=placement, canonical=element.get("canonical_link", ""))
        inner.prefix = f"{scope.named(name)}/"
        # An <include>'s <static> replaces the model's own too, in both directions.
        says = element if over is None or child(over, "static") is None else over
        inner.static = scope.static or c.flag(says, "static")
        scope.nested[name] = inner
        c.leave(element, *_OF_MODEL)
        self._fill(inner, element, depth + 1)

    def _include(self, scope: Scope, element: Element, depth: int) -> None:
        c, uri = self._c, text_of(element, "uri")
        path = self._file(element, uri)
        if path is None:
            return
        # Only files above count: the same wheel may be included four times side by side.
        if depth >= DEEPEST_MODELS or path in self._above(element):
            c.say("CB1423", f"{uri} includes itself, or models nest deeper than {DEEPEST_MODELS}", element)
            return
        self._included += 1
        if self._included > MOST_INCLUDED:
            if self._included == MOST_INCLUDED + 1:
                c.say(
                    "CB1423",
                    f"{uri}: more than {MOST_INCLUDED} models are included; this and all after it are not read",
                    element,
                )
            return
        try:
            root = parse(path, c.findings)
        except InputError:
            return
        c.files[root] = path
        models = children(root, "model")
        if local(root) != "sdf" or not models:
            c.say("CB1423", f"{path.name} holds no SDF model", element)
            return
        report_unknown(c, root)
        # On the tree itself: an element leads to its document's root, but not to the <include> that brought that.
        root.set("cadbridge-included-by", "|".join(str(p) for p in (*self._above(element), path)))
        if element.get("merge") in ("true", "1"):
            self._merge(scope, models[0], element, depth)
        else:
            self._model(scope, models[0], element, depth)

    def _merge(self, scope: Scope, model: Element, include: Element, depth: int) -> None:
        """The model's elements become the including model's own; they stand where the model would."""
        c, name = self._c, f"{MERGED}{len(scope.entries)}"
        source = include if child(include, "pose") is not None else model
        pose, relative = c.pose(source, name)
        scope.entries[name] = ScopedFrame(pose, relative or MODEL, MODEL, model, "frame")
        before = set(scope.entries)
        self._fill(scope, model, depth + 1)
        for key in set(scope.entries) - before:
            entry = scope.entries[key]
            if entry.relative_to == MODEL:
                entry.relative_to = name
            # A merged frame moves with the canonical link of the model that brought it, not with that of the model
            # around.
            if entry.attached_to == MODEL and entry.kind != "link":
                entry.attached_to = model.get("canonical_link") or next(
                    (e.get("name") for e in children(model, "link") if e.get("name")), MODEL
                )

    def _above(self, element: Element) -> list[Path]:
        """The files that lead to an element, the source first."""
        chain = element.getroottree().getroot().get("cadbridge-included-by")
        return [Path(p) for p in chain.split("|")] if chain else [self._c.path.resolve()]

    def _file(self, element: Element, uri: str) -> Path | None:
        """The file that an <include> names: itself, or by the model.config of a folder; None with a finding."""
        c, where, source = self._c, self._c.where(element), self._c.file_of(element)
        if not uri:
            c.say("CB1423", "<include> has no <uri>", element)
            return None
        if _stands_by(uri, Folders.of(source, c.options.package_dirs)):
            c.say("CB190", f"not read: {uri}, which Gazebo brings with it and which moves nothing", element)
            return None
        if uri.lower().endswith((".sdf", ".world", ".xml")):
            return referenced(uri, source, c.options.package_dirs, c.findings, where)
        config = referenced(f"{uri.rstrip('/')}/model.config", source, c.options.package_dirs, c.findings, where)
        if config is None:
            return None
        try:
            files = [(e.text or "").strip() for e in children(parse(config, c.findings), "sdf")]
        except InputError:
            return None
        if not files:
            c.say("CB1423", f"{config} names no SDF file", element)
            return None
        # model.config lists one file for each version of SDF, in rising order by custom: the last is the newest.
        return referenced(files[-1], config, c.options.package_dirs, c.findings, where)


def _stands_by(uri: str, folders: Folders) -> bool:
    """Whether an <include> names the light or the floor of Gazebo's own models, and no folder of it is at hand."""
    scheme, mark, rest = uri.partition("://")
    name = rest.rstrip("/").rpartition("/")[2].lower().replace("%20", " ").replace(" ", "_")
    if not mark or name not in OF_GAZEBO:
        return False
    return scheme in ("http", "https") or (scheme == "model" and package_folder(rest.rstrip("/"), folders) is None)


def scopes(scope: Scope) -> list[Scope]:
    """A scope and all nested in it, outer ones first."""
    found = [scope]
    for inner in found:
        found.extend(inner.nested.values())
    return found


def placed(scope: Scope, name: str) -> Pose:
    """X_WF of a name of a scope; UnresolvedError where it has none."""
    return scope.X_W() @ scope.X_M(name)
