"""What acts in Gazebo or Drake by the extensions of a URDF, and is left out: URDF itself has none of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from cadbridge.readers.sdf.acting import OF_DRAKE, of_plugin
from cadbridge.readers.urdf.context import Context
from cadbridge.readers.urdf.extensions import LOOPS
from cadbridge.readers.xml import Element, children, local, numbers

_OF_JOINTS = {"springStiffness": "the springs of"}
"""Elements of <gazebo> that refer to a joint and act where they are not zero, as sdformat reads them."""
_OF_LINKS = {
    "turnGravityOff": ("true", "the lack of gravity on"),
    "gravity": ("false", "the lack of gravity on"),
    "kinematic": ("true", "the lack of forces (<kinematic>) on"),
    "dampingFactor": ("", "the decay of the velocity of"),
}
"""Elements of <gazebo> that refer to a link: the word of theirs that acts ("" for a number above zero), and what."""
_FLAGS = {"1": "true", "0": "false"}


def report_acting(c: Context, robot: Element, joints: Collection[str]) -> None:
    """CB1410 for each kind of extension that acts on links or joints; CB190 for what waits for commands."""
    found: dict[str, list[tuple[str, Element]]] = defaultdict(list)
    where = robot.get("name") or c.path.stem
    for gazebo in children(robot, "gazebo"):
        of = gazebo.get("reference", "")
        for element in children(gazebo):
            what = _acts(element, of, of in joints)
            if what:
                found[what].append((of or where, element))
            said = of_plugin(element, where) if local(element) == "plugin" else None
            if said is not None:
                c.say(*said, element, where)
    for element in children(robot, *(set(OF_DRAKE) - set(LOOPS))):
        found[f"{OF_DRAKE[local(element)]} of"].append((element.get("name") or where, element))
    for what, at in found.items():
        names = tuple(dict.fromkeys(name for name, _ in at))
        text = f"left out: {what} {', '.join(names[:5])}{' …' if len(names) > 5 else ''}"
        c.say("CB1410", text, at[0][1], names[0])


def _acts(element: Element, of: str, on_joint: bool) -> str:
    """What an element of <gazebo> does, in words; "" for nothing."""
    tag, text = local(element), (element.text or "").strip().lower()
    if not of:
        return "<static>, which holds" if tag == "static" and _FLAGS.get(text, text) == "true" else ""
    if on_joint:
        return _OF_JOINTS[tag] if tag in _OF_JOINTS and (numbers(text, 1) or (0.0,))[0] else ""
    word, what = _OF_LINKS.get(tag, ("", ""))
    acts = _FLAGS.get(text, text) == word if word else bool((numbers(text, 1) or (0.0,))[0])
    return what if acts else ""
