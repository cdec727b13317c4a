"""What acts on links in Gazebo beside joints, and is left out: the medium, and plug-ins that need no command."""

from __future__ import annotations

from collections.abc import Iterable

from cadbridge.readers.sdf.context import Context
from cadbridge.readers.sdf.frames import MODEL, Scope
from cadbridge.readers.xml import Element, child, children, local, numbers

_PLUGINS = ("buoyancy", "hydrodynamics", "liftdrag", "lighterthanair", "windeffects", "libwindplugin")
"""Plug-ins that act from the start, by what stands in their name or file, of Gazebo and Gazebo classic."""
_DETACHABLE = "detachablejoint"
_SPEAKING = str.maketrans("", "", "_- ")


def report_acting(c: Context, everything: Iterable[Scope]) -> None:
    """A finding (CB1410) for each such element; they no longer count as ones that move nothing (CB190)."""
    for scope in everything:
        for holder in (scope.element, *children(scope.element, "include")):
            for plugin in children(holder, "plugin"):
                _plugin(c, scope, plugin, counted=holder is scope.element)
        for name, entry in scope.entries.items():
            if entry.kind == "link":
                _link(c, entry.element, scope.link(name))


def _plugin(c: Context, scope: Scope, plugin: Element, *, counted: bool) -> None:
    named = plugin.get("name") or ""
    called = f"{named} {plugin.get('filename') or ''}".lower().translate(_SPEAKING)
    where = scope.name or c.path.stem
    if _DETACHABLE in called:
        parent, model, other = (c.text(plugin, key) for key in ("parent_link", "child_model", "child_link"))
        a, b = scope.link(parent), scope.link(other) if model == MODEL else f"{model}/{other}"
        cure = f"In a mates file: {{type: fixed, a: {{component: {a}}}, b: {{component: {b}}}}} under `mates`."
        c.say("CB1410", f"left out: the detachable joint between {a} and {b}", plugin, where, cure)
    elif any(word in called for word in _PLUGINS):
        c.say("CB1410", f"left out: the forces of the plug-in {named} of {where}", plugin, where)
    else:
        return
    if counted:
        c.unread.subtract(("plugin",))


def _link(c: Context, link: Element, name: str) -> None:
    """Added mass and the decay of velocity, where they are not zero."""
    for holder, tag, text in (
        (child(link, "inertial"), "fluid_added_mass", "the added mass of the fluid around"),
        (link, "velocity_decay", "the decay of the velocity of"),
    ):
        for element in () if holder is None else children(holder, tag):
            if any((numbers(e.text, 1) or (0.0,))[0] for e in element if isinstance(e.tag, str)):
                c.say("CB1410", f"left out: {text} {name}", element, name)
                c.unread.subtract((local(element),))
