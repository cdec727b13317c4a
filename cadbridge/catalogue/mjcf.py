"""Codes CB1400–CB1409, MJCF."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB1400": Entry(
        Severity.ERROR,
        "MuJoCo does not take the file",
        "MuJoCo's own parser and compiler refuse the model, for the reason given.",
        "Mend what MuJoCo names; a moving body needs mass and inertia.",
        "A body that moves without mass or inertia.",
    ),
    "CB1401": Entry(
        Severity.WARNING,
        "joints of one body that make no lower pair",
        "MuJoCo lets several joints stand between two bodies. Those that make a cylindrical, planar, universal or "
        "spherical pair become that; these become a chain with massless components between them, which can be "
        "diagnosed but not simulated.",
        "Give the components between them masses in a mates file, or part the joints over bodies in the MJCF.",
        "Three slides and one hinge about a slanted axis on one body.",
    ),
    "CB1402": Entry(
        Severity.WARNING,
        "limits or damping that a joint has no place for",
        "A joint with several freedoms has one value of damping and no range here; what is named is left out.",
        "Nothing need be done unless the range is reached.",
        "A ball joint with a range.",
    ),
    "CB1403": Entry(
        Severity.ERROR,
        "an equality that is no mate and no coupling",
        "Polynomials above the first degree, flexible bodies, tendons over other than two joints and joints held "
        "alone have no counterpart; the equality is left out, so that the model moves more freely than in MuJoCo.",
        "Give the relation in a mates file.",
        '`<joint joint1="a" joint2="b" polycoef="0 0 1 0 0"/>`: a is the square of b.',
    ),
    "CB1404": Entry(
        Severity.WARNING,
        "a joint's spring",
        "Springs are no mates; it is left out of the assembly.",
        "Put the spring into the scenario of a simulation.",
        '`<joint name="lid" stiffness="20"/>`.',
    ),
    "CB1405": Entry(
        Severity.INFO,
        "elements that were not read",
        "They say nothing that the mechanism needs.",
        "Nothing need be done.",
        "A camera, a light or a sensor.",
    ),
    "CB1406": Entry(
        Severity.INFO,
        "gravity other than 9.81 m/s² down",
        "An assembly holds no gravity; simulations take theirs from the scenario.",
        "Give the gravity in the scenario.",
        '`<option gravity="0 0 -1.62"/>`, the moon\'s.',
    ),
    "CB1407": Entry(
        Severity.WARNING,
        "geometry that gives no shape",
        "Planes, height fields and distance fields have no closed surface; the body is kept without it.",
        "Nothing need be done where masses are declared.",
        '`<geom type="plane"/>` as the floor.',
    ),
    "CB1408": Entry(
        Severity.INFO,
        "an equality that is not active",
        "The file switches it off from the start; it is left out.",
        "Set active to true in the MJCF if it is to hold.",
        '`<weld body1="tool" body2="hand" active="false"/>`.',
    ),
    "CB1409": Entry(
        Severity.WARNING,
        "an actuator that drives no joint of one freedom",
        "Actuators of tendons, sites, bodies and of joints with several freedoms have no counterpart; it is left out.",
        "Nothing need be done unless it is to move.",
        "A muscle on a tendon over three joints.",
    ),
}

FAMILIES = (Family("mjcf", "MJCF", Stage.READING, ENTRIES, errors_leave_out=True),)
