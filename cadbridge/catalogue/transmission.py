"""Codes CB43x, geared robots and their transmission lines."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

_INSTEAD = "`cadbridge inverse` computes torques and reactions of any mechanism in absolute coordinates."

ENTRIES: dict[str, Entry] = {
    "CB430": Entry(
        Severity.ERROR,
        "no geared robot: a joint of another kind",
        "Transmission lines are made of hinges and of spur, internal and bevel pairs; this one is another.",
        _INSTEAD,
        "A slide, a rack, a belt, a ratio about a carrier.",
    ),
    "CB431": Entry(
        Severity.ERROR,
        "no geared robot: its hinges make no tree",
        "Without its gear pairs a geared robot is a tree of hinges from the base. Here hinges close a loop, or leave a "
        "body that floats.",
        _INSTEAD,
        "A four-bar with a gear on its crank.",
    ),
    "CB432": Entry(
        Severity.ERROR,
        "no geared robot: a gear pair without a carrier",
        "One link must keep the two wheels at a distance: the one on the way between them where the axis changes. Here "
        "there is none, or a wheel does not turn about the axis of a hinge.",
        "Look whether the wheels' axes are those of their hinges. " + _INSTEAD,
        "Two wheels on axes that no common link bears.",
    ),
    "CB433": Entry(
        Severity.ERROR,
        "no output link",
        "The chain from the base to the output link makes a link primary or secondary, so this link must be named.",
        "Name a body, or a component or frame of one, with --output-link; the last of the `frames` of a mates file is "
        "taken otherwise.",
        "An arm with two open ends: which of them carries the tool?",
    ),
    "CB434": Entry(
        Severity.ERROR,
        "no geared robot: freedoms and primary joints differ",
        "Each gear pair must hold one secondary link. Here some repeat each other (as equal planets do, which share "
        "a load by their stiffness), or links turn by themselves, or the chain to the output link is not the arm.",
        "Leave out gear pairs that repeat others, or name another output link. " + _INSTEAD,
        "Three planets between one sun and one ring.",
    ),
    "CB435": Entry(
        Severity.ERROR,
        "inputs that do not fit",
        "A geared robot needs an actuated hinge for each primary joint, and together they must move them all.",
        "Name them under `drives` of the mates file, or with --input.",
        "Six primary joints and five motors.",
    ),
    "CB436": Entry(
        Severity.ERROR,
        "a load that the two-step method does not take",
        "Loads along hinges act in it; others do not.",
        _INSTEAD,
        "A spring that pulls across a hinge.",
    ),
    "CB437": Entry(
        Severity.WARNING,
        "a secondary link that is not balanced",
        "Its centre of mass lies off its axis, or its inertia is not the same all round: torques then depend on how it "
        "happens to stand, and turning fast it shakes. It is computed as it is.",
        "Look whether a part is missing or its density wrong; else balance it.",
        "A motor's rotor drawn with its cable box.",
    ),
    "CB438": Entry(
        Severity.INFO,
        "gears whose pressure angle is not known",
        "Without it the forces that part two wheels are left out of tooth and bearing loads.",
        "Give `pressure_angle` beside the gear in the mates file.",
        "`{type: spur, teeth: [17, 68]}` without `pressure_angle: 20`.",
    ),
}

FAMILIES = (Family("transmission", "geared robots", Stage.GEARS, ENTRIES),)
