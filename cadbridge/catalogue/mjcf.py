"""Codes CB1400–CB1412, MJCF."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB1400": Entry(
        Severity.ERROR,
        "MuJoCo does not take the file",
        "MuJoCo's own parser and compiler refuse the model, for the reason given.",
        "Correct what MuJoCo names; a moving body needs mass and inertia.",
        "A body that moves without mass or inertia.",
    ),
    "CB1401": Entry(
        Severity.INFO,
        "several joints in series at one body",
        "MuJoCo lets several joints stand between two bodies. They stay single joints, with components without mass "
        "between them, which the export to MJCF puts back at one body. Joints without names, ranges and loads become "
        "the cylindrical, planar, universal or spherical pair that they make.",
        "Nothing need be done.",
        "Two slides and a hinge that carry a walking robot in its plane.",
    ),
    "CB1402": Entry(
        Severity.WARNING,
        "limits or friction that a joint has no place for",
        "A joint with several freedoms has no range and no dry friction here, and a joint one largest effort, the same "
        "both ways; the item named is left out, or read as the message describes.",
        "Nothing need be done unless the range is reached; else use single hinges and slides.",
        "A ball joint with a range.",
    ),
    "CB1403": Entry(
        Severity.ERROR,
        "an equality that is no mate and no coupling",
        "Polynomials above the first degree, flexible bodies and tendons that run through space have no counterpart; "
        "the equality is left out, so that the model moves more freely than in MuJoCo.",
        "Give the relation in a mates file.",
        '`<joint joint1="a" joint2="b" polycoef="0 0 1 0 0"/>`: a is the square of b.',
    ),
    "CB1404": Entry(
        Severity.WARNING,
        "a spring that is slack elsewhere",
        "The spring of a ball or free joint is taken to be slack in the reference pose (qpos0), the file has it slack "
        "in another one.",
        "Use hinges and slides, whose springref is read, or put the spring into the scenario of a simulation.",
        "A ball joint with a stiffness in a model whose qpos_spring was set by a program.",
    ),
    "CB1405": Entry(
        Severity.INFO,
        "elements that were not read",
        "They say nothing about how the mechanism itself moves: pictures, sensors, contact, poses kept by name, and "
        "how finely MuJoCo integrates.",
        "Nothing need be done.",
        "A camera, a sensor, a keyframe other than home.",
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
    "CB1410": Entry(
        Severity.WARNING,
        "physics of MuJoCo that is left out",
        "What is named acts in MuJoCo and has no counterpart here: without it the model moves otherwise. It is in no "
        "export either.",
        "Say it in the scenario of a simulation (springs, dampers, wrenches), or leave it out of the MJCF to compare.",
        '`<option density="1.2" viscosity="2e-5"/>`, or gravcomp="1" of a body.',
    ),
    "CB1411": Entry(
        Severity.INFO,
        "actuators that are servos",
        "Position, velocity and general actuators with a bias pull at their joints even at a control of 0. The law is "
        "kept and exported to MJCF; a simulation applies no actuator by itself.",
        "Name the joints as motors of the kind pd in the scenario, with the stiffness and damping of the servo.",
        '`<position joint="knee" kp="50"/>`.',
    ),
    "CB1412": Entry(
        Severity.WARNING,
        "an actuator whose law is not kept whole",
        "A law that is not linear in control, length and rate (a muscle, a motor of its own model) is left out: the "
        "export has a motor of the same gear instead. Activation dynamics are left out, so that the control acts "
        "at once.",
        "Write the actuator into the exported MJCF by hand.",
        'A muscle, or an actuator with `dyntype="filter"`.',
    ),
}

FAMILIES = (Family("mjcf", "MJCF", Stage.READING, ENTRIES, errors_leave_out=True),)
