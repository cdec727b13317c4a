"""Codes: Inverse dynamics along a prescribed motion, and the matrices of its tree."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB646": Entry(
        Severity.INFO,
        "a rotor that the inertia matrix omits",
        "The joint has an armature and closes a loop of the spanning tree. Its angle is not a coordinate of the "
        "tree, so the inertia matrix and its factors do not contain this rotor.",
        "No action is needed if the rotor is small. Otherwise model the rotor as a body with a gear pair.",
        "The armature of the rocker's hinge in a four-bar whose tree is cut there.",
    ),
    "CB647": Entry(
        Severity.INFO,
        "wrenches of least norm",
        "Mates repeat each other, and every row was kept, so the motion does not determine how they share the "
        "reactions. The wrenches of these mates are those of least norm; real parts may share them otherwise.",
        "Use the columns by_stiffness, which share the wrenches by the stiffness of the mates (docs/fit.md); or free "
        "the equations that `cadbridge check` names.",
        "A door on three hinges: how much each carries depends on how they were screwed on.",
    ),
    "CB660": Entry(
        Severity.ERROR,
        "an invalid motion file",
        "The motion file has an unknown key, a missing key or a wrong value at the given place.",
        "See docs/inverse.md for the keys and their units.",
        "`duration: five`.",
    ),
    "CB661": Entry(
        Severity.ERROR,
        "a motion of a grounded component",
        "The motion prescribes a component that belongs to the ground.",
        "Name a component that moves, as `cadbridge inspect` lists them.",
        "`lead: Base`, which is grounded.",
    ),
    "CB662": Entry(
        Severity.ERROR,
        "a freedom without a prescribed motion",
        "Efforts follow from a motion only if every freedom of the mechanism is prescribed. This one is not.",
        "Give the joint named a function of time, or prescribe more of the position and orientation of the body. "
        "`free: simulate` computes its motion from the loads.",
        "Six axes, of which the motion file names five.",
    ),
    "CB663": Entry(
        Severity.ERROR,
        "a freedom without an actuator",
        "There are fewer actuators than freedoms, so these actuators cannot produce the prescribed motion.",
        "Add an actuator that moves the joint named, or constrain the freedom.",
        "A double pendulum with one motor.",
    ),
    "CB664": Entry(
        Severity.ERROR,
        "a motion outside the workspace",
        "From the given time on, the constraints and the motion cannot both hold. The results before it are kept.",
        "Stay within the reach of the mechanism, or prescribe an orientation that it allows.",
        "A tool path that leaves the arm's reach.",
    ),
    "CB665": Entry(
        Severity.ERROR,
        "a motion through a singular pose",
        "The mechanism is singular at the given pose: two branches of its motion meet, or a chain is fully "
        "stretched. The prescribed motion does not determine how it continues.",
        "Plan the motion around the pose, or prescribe the joints instead of the body.",
        "An arm that is fully stretched on its way.",
    ),
    "CB666": Entry(
        Severity.WARNING,
        "a pose in which the actuators lose a freedom",
        "In this pose the actuators cannot hold one motion of the mechanism. Near it, efforts grow without bound.",
        "Plan the motion around the pose, or add an actuator.",
        "A platform whose legs all lie in one plane.",
    ),
    "CB667": Entry(
        Severity.INFO,
        "an external force instead of actuators",
        "The motion names no actuators, and the source declares no drives. The result is the force and torque at "
        "the point of the body that produce the motion.",
        "List the driving joints under `actuators:`.",
        "A prescribed motion of a door without a motor.",
    ),
    "CB668": Entry(
        Severity.WARNING,
        "more actuators than freedoms",
        "The motion does not determine the efforts. The result has the least sum of squares (N m and N weighted "
        "alike).",
        "Name as many actuators as there are freedoms, or treat the result as one of many.",
        "Four motors on one turntable.",
    ),
    "CB669": Entry(
        Severity.WARNING,
        "a joint beyond its rating",
        "The motion requires a joint speed or effort above the limit in the source or the mates file.",
        "Slow the motion down, choose a stronger drive, or correct the limit.",
        "An axis rated at 150°/s that needs 400°/s.",
    ),
    "CB670": Entry(
        Severity.INFO,
        "a simulated freedom",
        "The motion does not prescribe this freedom, and `free: simulate` is set: gravity and inertia move it, "
        "from rest. A rod between two ball joints spins about itself in this way.",
        "No action is needed if this motion does not matter. Otherwise prescribe it.",
        "A pendulum that hangs on a driven trolley.",
    ),
    "CB671": Entry(
        Severity.WARNING,
        "efforts that do not reproduce the motion",
        "With these efforts the equations of motion give other accelerations than prescribed, or the rates are not "
        "those of the motion: a pose nearby is singular, an actuator moves a simulated freedom, or bodies of masses "
        "far apart (placeholders of 1e-9 kg) hold each other.",
        "Plan the motion around the pose, prescribe the freedom, or give light bodies their real mass.",
        "A motion that begins with a jump of its speed.",
    ),
    "CB687": Entry(
        Severity.ERROR,
        "efforts that are not those of the motion",
        "As CB671, but by more than a hundredth: the table is wrong. Placeholders of 1e-9 kg leave the bond graph "
        "fewer digits than the other methods.",
        "If you gave another method, compute with `--method absolute` or `--method tree`. Otherwise plan the motion "
        "around the pose, or give light bodies their real mass.",
        "`--method bond-graph` of an arm whose gripper has 1e-9 kg.",
    ),
    "CB672": Entry(
        Severity.WARNING,
        "a path through a singular pose",
        "In this pose the prescribed motion does not determine the whole motion. Several branches meet there, "
        "such as the two directions of a crank at its dead centre. cadbridge continues straight on, and efforts "
        "may be large.",
        "Plan the motion around this pose, or prescribe a joint that determines the branch.",
        "A parallelogram that passes through its flat pose.",
    ),
    "CB673": Entry(
        Severity.ERROR,
        "a self-locking gear train",
        "A gear is driven from the side that cannot drive it: its teeth lose more than they receive, at any "
        "effort. The samples end there.",
        "Drive the train from its other end, or correct the efficiency. A worm with an efficiency of 0.5 or less "
        "is self-locking.",
        "A motor on the wheel of a worm with `efficiency: 0.4`.",
    ),
    "CB674": Entry(
        Severity.INFO,
        "declared drives used as actuators",
        "The motion prescribes joints and names no actuators, and the source declares drives on other joints. "
        "The efforts are those of the drives; gears, belts and loops transmit them to the prescribed joints.",
        "To compute the efforts of other joints, list them under `actuators:`.",
        "A geared arm with a prescribed elbow whose motor is in the base.",
    ),
    "CB675": Entry(
        Severity.WARNING,
        "too few declared drives",
        "The motion names no actuators, and the drives in the source do not move every freedom that it "
        "prescribes. The efforts are those of the prescribed joints instead.",
        "List the driving joints under `actuators:`, or declare the missing drives.",
        "Two `drives` for an arm of three axes.",
    ),
    "CB677": Entry(
        Severity.ERROR,
        "a bond graph with a body without inertia",
        "In the bond graph the mass and inertia of a body turn its momentum into its speed, so none of them may be "
        "zero. The other methods need neither where the motion is prescribed.",
        "Use --method absolute, transmission or tree, or give the body mass and moments of inertia.",
        "A flange without inertia on the last axis, with --method bond-graph.",
    ),
    "CB679": Entry(
        Severity.WARNING,
        "efforts without what acts along tendons",
        "The source has fixed tendons with springs, dampers, dry friction or armature. `simulate` applies them; "
        "`inverse` and `matrices` do not, so the actuators need other efforts than these.",
        "Add to the effort of each joint what holds the tendon there: its coefficient times (stiffness × (length − "
        "springlength) + damping × rate), with length and rate the sums of coefficient × value, and × speed, of all "
        "its joints. Dry friction and armature come on top; `simulate` has all of it.",
        "A spring between two fingers, written as a tendon over their joints.",
    ),
    "CB678": Entry(
        Severity.ERROR,
        "a motion that the method `transmission` cannot take",
        "The method follows transmission lines from one actuator to each freedom: more actuators than freedoms, or a "
        "body that is moved from outside, have no place in it.",
        "Name one actuator for each freedom under `actuators:`, or use --method absolute.",
        "A motion with `bodies:` and no actuators, with --method transmission.",
    ),
    "CB676": Entry(
        Severity.ERROR,
        "a motion too fast to be followed",
        "Between two samples the mechanism turns or moves so far that its branch and its turns cannot be followed: "
        "within 0.1 µs by more than a radian, or in more than 30,000 steps.",
        "Correct the unit or the exponent of the function, or give a higher `rate` (more samples).",
        '`joints: {A1: "1e12*t"}`.',
    ),
    "CB637": Entry(
        Severity.WARNING,
        "a motor that drives nothing here",
        "The motion file describes a DC motor or a cylinder on a joint that is not an actuator of this motion: its "
        "effort is not known. cadbridge gives neither currents and voltages nor pressures and flows.",
        "Name the joint under `actuators:`, or remove the motor.",
        "`motors` on A4 of a motion that A1 to A3 drive.",
    ),
    "CB639": Entry(
        Severity.WARNING,
        "a pressure below a vacuum",
        "The cylinder must pull harder than the pressure on its rod side allows: the pressure computed for the cap is "
        "below absolute zero, which no fluid can have. The other results do not depend on it.",
        "Give the supply of `rod_side` a pressure high enough for the largest pull.",
        "A cylinder that holds a hanging load, with its rod side open to the air.",
    ),
}

FAMILIES = (Family("inverse", "inverse dynamics", Stage.INVERSE, ENTRIES),)
