"""Codes CB646, CB66x and CB67x, inverse dynamics along a prescribed motion, and the matrices of its tree."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB646": Entry(
        Severity.INFO,
        "a rotor that is not in the inertia matrix",
        "The joint has an armature and closes a loop of the spanning tree: its angle is none of the tree's rates, so "
        "that the inertia matrix and its factors are those without this rotor.",
        "Nothing, where the rotor is small; else give the rotor as a body with a gear pair.",
        "The armature of the rocker's hinge in a four-bar whose tree is cut there.",
    ),
    "CB660": Entry(
        Severity.ERROR,
        "a fault of form in the motion file",
        "The motion file has an unknown key, a missing key or a wrong value at the place given.",
        "See docs/inverse.md for the keys and their units.",
        "`duration: five`.",
    ),
    "CB661": Entry(
        Severity.ERROR,
        "a component that cannot be led",
        "The motion leads a component that belongs to the ground.",
        "Name a component that moves, as `cadbridge inspect` lists them.",
        "`lead: Base`, which is grounded.",
    ),
    "CB662": Entry(
        Severity.ERROR,
        "a freedom that the motion leaves open",
        "Efforts follow from a motion only where every freedom of the mechanism is prescribed; this one is not.",
        "Give the joint named a function of time, or lead more of the body's position and orientation; "
        "`free: simulate` lets it move as the loads want.",
        "Six axes, of which the motion file names five.",
    ),
    "CB663": Entry(
        Severity.ERROR,
        "a freedom that no actuator drives",
        "There are fewer actuators than freedoms, so no efforts of these actuators produce the prescribed motion.",
        "Name an actuator that moves the joint named, or take the freedom away.",
        "A double pendulum with one motor.",
    ),
    "CB664": Entry(
        Severity.ERROR,
        "a motion outside the workspace",
        "The constraints and the motion cannot both hold from the time given on; what was computed before it is kept.",
        "Stay within what the mechanism reaches, or give an orientation that it allows.",
        "A tool path that leaves the arm's reach.",
    ),
    "CB665": Entry(
        Severity.ERROR,
        "a motion through a singular pose",
        "The mechanism is singular at the pose given: two branches of its motion meet, or a link "
        "is stretched. The prescribed motion does not determine which way it continues.",
        "Lead the motion around the pose, or prescribe the joints instead of the body.",
        "An arm that is stretched out straight on its way.",
    ),
    "CB666": Entry(
        Severity.WARNING,
        "a pose in which the actuators lose a freedom",
        "In this pose the actuators cannot hold a motion of the mechanism: efforts grow without bound near it.",
        "Lead the motion around the pose, or add an actuator.",
        "A platform whose legs all lie in one plane.",
    ),
    "CB667": Entry(
        Severity.INFO,
        "a body moved from outside",
        "No actuators are named and the source knows of none: the force and torque that would move the body as asked, "
        "were they applied at its point, are given instead.",
        "Name the joints that drive under `actuators:`.",
        "A door without a motor that is led open.",
    ),
    "CB668": Entry(
        Severity.WARNING,
        "more actuators than freedoms",
        "The efforts are not determined by the motion; those with the least sum of squares are given (N m and N "
        "counted alike).",
        "Take them for one of many answers, or name as many actuators as there are freedoms.",
        "Four motors on one turntable.",
    ),
    "CB669": Entry(
        Severity.WARNING,
        "more than a joint may do",
        "The motion needs a joint speed or effort above the limit of the source or the mates file.",
        "Take the motion slower, choose a stronger drive, or correct the limit.",
        "An axis of 150°/s that the motion asks 400°/s of.",
    ),
    "CB670": Entry(
        Severity.INFO,
        "a freedom that is simulated",
        "Nothing prescribes this freedom, and the motion file lets it be simulated: it moves as gravity and inertia "
        "want, from rest. A rod between two ball joints spins about itself in this way.",
        "Nothing, where it matters to nobody; else prescribe it.",
        "A pendulum that hangs on a crane whose trolley is led.",
    ),
    "CB671": Entry(
        Severity.WARNING,
        "efforts that do not give the motion",
        "Put into the equations of motion, the efforts found give other accelerations than those asked for: a pose "
        "near by is singular, or an actuator moves a freedom that is simulated.",
        "Lead the motion around the pose, or prescribe the freedom.",
        "A motion that begins with a jump of its speed.",
    ),
    "CB672": Entry(
        Severity.WARNING,
        "a way through a singular pose",
        "In this pose what is led does not tell all of the motion: other ways to go on meet there, such as the two "
        "turns of a crank in its dead centre. The mechanism is taken to move straight on, and efforts may be large.",
        "Plan the motion around this pose, or prescribe a joint that determines the branch.",
        "A parallelogram that passes through its flat pose.",
    ),
    "CB673": Entry(
        Severity.ERROR,
        "a train that locks itself",
        "A gear is driven from the end that cannot drive it: more is lost in its teeth than arrives, whatever the "
        "effort. The samples end there.",
        "Drive the train from its other end, or correct the efficiency: a worm of 0.5 and less locks itself.",
        "A motor on the wheel of a worm with `efficiency: 0.4`.",
    ),
    "CB674": Entry(
        Severity.INFO,
        "declared drives are taken for the actuators",
        "The motion leads joints and names no actuators, and the source declares drives on other joints: the efforts "
        "are those of the drives, and what lies between (gears, belts, loops) carries them to the joints led.",
        "Name the joints whose efforts are asked for under `actuators:`, these or the others.",
        "A geared arm whose elbow is led; its motor sits in the base.",
    ),
    "CB675": Entry(
        Severity.WARNING,
        "declared drives that do not drive all",
        "The motion names no actuators, and the drives that the source declares leave a freedom that it prescribes: "
        "the efforts are those of the joints led instead.",
        "Name the joints that drive under `actuators:`, or declare the drives that are missing.",
        "Two `drives` for an arm of three axes.",
    ),
}

FAMILIES = (Family("inverse", "inverse dynamics", Stage.INVERSE, ENTRIES),)
