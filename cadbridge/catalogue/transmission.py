"""Codes: Geared robots and their transmission lines."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

_INSTEAD = "`cadbridge inverse` computes torques and reactions of any mechanism in absolute coordinates."

ENTRIES: dict[str, Entry] = {
    "CB430": Entry(
        Severity.ERROR,
        "not a geared robot: an unsupported joint",
        "Transmission lines consist of hinges and of spur, internal and bevel pairs. This joint is of another kind.",
        _INSTEAD,
        "A slide, a rack, a belt, or a ratio about a carrier.",
    ),
    "CB431": Entry(
        Severity.ERROR,
        "not a geared robot: its hinges are not a tree",
        "Without its gear pairs a geared robot is a tree of hinges from the base. Here hinges close a loop, or a "
        "body floats.",
        _INSTEAD,
        "A four-bar with a gear on its crank.",
    ),
    "CB432": Entry(
        Severity.ERROR,
        "not a geared robot: a gear pair without a carrier",
        "One link must carry both wheels: the one between them in the tree where the axis changes. Here there is "
        "none, or a wheel does not rotate about the axis of a hinge.",
        "Check that the axes of the wheels are those of their hinges. `cadbridge inverse` computes torques and "
        "reactions of any mechanism in absolute coordinates.",
        "Two wheels on axes that no common link carries.",
    ),
    "CB433": Entry(
        Severity.ERROR,
        "an unknown output link",
        "Links on the chain from the base to the output link are primary, the others secondary. The output link "
        "must therefore be known.",
        "Name a body, or a component or frame of one, as the last of the `frames` of the mates file; `cadbridge "
        "transmission` takes its name with --output-link too.",
        "An arm with two open ends: which of them carries the tool?",
    ),
    "CB434": Entry(
        Severity.ERROR,
        "not a geared robot: freedoms and primary joints differ",
        "Each gear pair must constrain one secondary link. Here some repeat each other (such as equal planets, "
        "which share a load according to their stiffness), links rotate by themselves, or the chain to the "
        "output link is not the arm.",
        "Remove gear pairs that repeat others, or name another output link. `cadbridge inverse` computes torques "
        "and reactions of any mechanism in absolute coordinates.",
        "Three planets between one sun and one ring.",
    ),
    "CB435": Entry(
        Severity.ERROR,
        "inputs that do not match",
        "A geared robot needs one actuated hinge for each primary joint, and together they must move all of them.",
        "List them under `drives` of the mates file, or pass --input.",
        "Six primary joints and five motors.",
    ),
    "CB436": Entry(
        Severity.ERROR,
        "a load that the two-step method does not support",
        "The method supports loads along hinges only.",
        _INSTEAD,
        "A spring that pulls across a hinge.",
    ),
    "CB437": Entry(
        Severity.WARNING,
        "an unbalanced secondary link",
        "The link's centre of mass is off its axis, or its inertia is not rotationally symmetric. Torques then depend "
        "on its angle, and at high speed it vibrates. cadbridge computes it as it is.",
        "Check for a missing part or a wrong density. Otherwise balance the link.",
        "A motor rotor drawn with its cable box.",
    ),
    "CB438": Entry(
        Severity.INFO,
        "gears without a pressure angle",
        "Without the pressure angle, tooth and bearing loads do not contain the separating forces of the wheels.",
        "Add `pressure_angle` to the gear in the mates file.",
        "`{type: spur, teeth: [17, 68]}` without `pressure_angle: 20`.",
    ),
}

FAMILIES = (Family("transmission", "geared robots", Stage.GEARS, ENTRIES),)
