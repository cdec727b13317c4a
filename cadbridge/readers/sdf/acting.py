"""What acts on links and joints in Gazebo or Drake beside SDF's own elements, and is left out."""

from __future__ import annotations

from collections.abc import Iterable

from cadbridge.readers.sdf.context import Context
from cadbridge.readers.sdf.frames import MODEL, Scope
from cadbridge.readers.xml import Element, child, children, local, numbers, text_of

_PLUGINS = ("buoyancy", "hydrodynamics", "liftdrag", "lighterthanair", "windeffects", "libwindplugin")
"""Plug-ins that act from the start, by what stands in their name or file, of Gazebo and Gazebo classic."""
_DRIVING = (
    "jointcontroller", "jointtrajectory", "diffdrive", "skidsteer", "mecanumdrive", "ackermann", "elevator",
    "trajectoryfollower",
)  # fmt: skip
"""Plug-ins that set rates or efforts of joints at every step, before any command too: rates of 0 then."""
_WAITING = (
    "applyjointforce", "applylinkwrench", "thruster", "motormodel", "multicopter", "velocitycontrol", "trackcontroller",
    "trackedvehicle", "buoyancyengine", "roscontrol", "ros2control", "ardupilot",
)  # fmt: skip
"""Plug-ins that act once a command has come."""
OF_DRAKE = {
    "linear_spring_damper": "the spring and damper",
    "linear_bushing_rpy": "the bushing",
    "ball_constraint": "the constraint",
    "tendon_constraint": "the constraint",
    "distance_constraint": "the constraint",
}
"""Elements of Drake's own (`drake:`) in a model or robot that act on its links."""
_CHANGED = "params"
"""`experimental:params` in an <include> changes elements of what is included (sdformat's ParamPassing)."""
_DETACHABLE = "detachablejoint"
_SPEAKING = str.maketrans("", "", "_- ")


def report_acting(c: Context, everything: Iterable[Scope]) -> None:
    """A finding (CB1410) for each such element; they no longer count as ones that move nothing (CB190)."""
    for scope in everything:
        for holder in (scope.element, *children(scope.element, "include")):
            for plugin in children(holder, "plugin"):
                _plugin(c, scope, plugin, counted=holder is scope.element)
        _extensions(c, scope)
        for name, entry in scope.entries.items():
            if entry.kind == "link":
                _link(c, entry.element, scope.link(name))


def _plugin(c: Context, scope: Scope, plugin: Element, *, counted: bool) -> None:
    where = scope.name or c.path.stem
    cure = None
    if _DETACHABLE in _called(plugin):
        parent, model, other = (text_of(plugin, key) for key in ("parent_link", "child_model", "child_link"))
        a, b = scope.link(parent), scope.link(other) if model == MODEL else f"{model}/{other}"
        cure = f"In a mates file: {{type: fixed, a: {{component: {a}}}, b: {{component: {b}}}}} under `mates`."
        said = ("CB1410", f"left out: the detachable joint between {a} and {b}")
    else:
        said = of_plugin(plugin, where) or ("", "")
    if not said[0]:
        return
    c.say(*said, plugin, where, cure)
    if counted:
        c.unread.subtract(("plugin",))


def of_plugin(plugin: Element, where: str) -> tuple[str, str] | None:
    """Code and message for a plug-in of Gazebo that acts on the model `where`; None for one that moves nothing."""
    called, of = _called(plugin), f"{plugin.get('name') or plugin.get('filename')} of {where}{_joints(plugin)}"
    if any(word in called for word in _PLUGINS):
        return "CB1410", f"left out: the forces of the plug-in {of}"
    if any(word in called for word in _DRIVING) or child(plugin, "persistent") is not None:
        return "CB1410", f"left out: the plug-in {of}, which acts before any command too"
    if any(word in called for word in _WAITING):
        return "CB190", f"not read: the plug-in {of}, which waits for commands"
    return None


def _called(plugin: Element) -> str:
    """The name and the file of a plug-in as one word: Gazebo and Gazebo classic write them with other signs."""
    return f"{plugin.get('name') or ''} {plugin.get('filename') or ''}".lower().translate(_SPEAKING)


def _joints(plugin: Element) -> str:
    """The joints that a plug-in names, in words."""
    names = [(e.text or "").strip() for e in children(plugin) if "joint" in local(e)]
    return f" (joints: {', '.join(filter(None, names))})" if any(names) else ""


def _extensions(c: Context, scope: Scope) -> None:
    """Constraints and forces of Drake's own; what an <include> changes of the model that it includes."""
    for element in children(scope.element, *OF_DRAKE):
        name = element.get("name") or scope.name
        c.say("CB1410", f"left out: {OF_DRAKE[local(element)]} {name} (<{local(element)}>)", element, name)
        c.unread.subtract((local(element),))
    for include in children(scope.element, "include"):
        for _ in children(include, _CHANGED):
            name = text_of(include, "name") or text_of(include, "uri")
            c.say("CB1410", f"left out: what <experimental:params> changes of {name}", include, name)


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
