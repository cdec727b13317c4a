"""Codes: Redundancy and mobility."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB401": Entry(
        Severity.WARNING,
        "a floating part",
        "No mate holds this component, so it falls freely in a simulation.",
        "Mate it, ground it, or attach it to another component in the mates file.",
        "A screw that was dropped into the assembly and never mated.",
    ),
    "CB402": Entry(
        Severity.WARNING,
        "nothing is grounded",
        "No component is grounded and no mate connects the ground, so the whole assembly floats.",
        "List the fixed components under `ground` in the mates file. No action is needed for what should float, such "
        "as a vehicle.",
        "A robot whose base has mates to its links only.",
    ),
    "CB403": Entry(
        Severity.ERROR,
        "conflicting mates",
        "The mechanism is over-constrained: a mate constrains what others already constrain, and disagrees with them "
        "by the gap given. No pose fulfils all of them.",
        "Correct the dimension in which it disagrees, or one of a mate that it contradicts.",
        "Distances of 10 and of 12 mm between the same two faces.",
    ),
    "CB404": Entry(
        Severity.INFO,
        "redundant mates",
        "The mechanism is over-constrained: some equations (rows) of its mates repeat others. The motion is "
        "unaffected, but a rigid model cannot determine the reactions of the joints concerned.",
        "`cadbridge check` lists which mates repeat which, and which of them you can delete or weaken together.",
        "A plane mate beside a concentric mate: two of its three equations are redundant.",
    ),
    "CB405": Entry(
        Severity.WARNING,
        "two mobility counts differ",
        "The mates as read and the joints derived from them have different mobilities, because the freedom of "
        "some joint depends on the pose.",
        "Check the joints of type generic, and whether the designed pose is singular.",
        "A universal joint drawn with its two forks in one plane.",
    ),
    "CB406": Entry(
        Severity.WARNING,
        "a freedom without finite motion",
        "At this pose the mates allow an infinitesimal motion only: the pose is singular (shaky). Solvers "
        "converge badly there, and reactions grow without bound near it.",
        "Move the mechanism out of the pose, or check whether its dimensions are intended.",
        "Three bars in line between two fixed hinges: the middle one has an infinitesimal motion and no finite one.",
    ),
    "CB407": Entry(
        Severity.INFO,
        "mobile by its special geometry only",
        "The loops are over-constrained. The mechanism moves only because axes are exactly parallel or intersect "
        "exactly. Real parts with tolerances would jam or be strained.",
        "If the parts will be manufactured, give one joint of the loop more freedom (a ball joint, some clearance).",
        "A planar four-bar with four hinges: Grübler counts −2, it moves with 1.",
    ),
    "CB408": Entry(
        Severity.WARNING,
        "placements were moved onto their mates",
        "The placements do not fulfil the mates. The diagnosis uses the nearest pose that fulfils "
        "all mates; the message gives the shift.",
        "Solve the assembly in the CAD system and save it again.",
        "A lid saved 0.1 mm off its hinge.",
    ),
    "CB409": Entry(
        Severity.ERROR,
        "an assembly that cannot be closed",
        "No pose near the placements fulfils all mates; the message gives the residual of the least-squares solution.",
        "Correct the dimensions of the mates named: they contradict each other.",
        "A rod of 700 mm between points that come no nearer than 800 mm.",
    ),
    "CB410": Entry(
        Severity.WARNING,
        "teeth that contradict the ratio",
        "The ratio must be z_b / z_a, and it is not: one of them is wrong. cadbridge keeps the ratio.",
        "Correct the wrong number. The simulation uses the ratio.",
        "40 and 20 teeth with a ratio of 0.4: the teeth give 0.5.",
        stage=Stage.GEARS,
    ),
    "CB411": Entry(
        Severity.ERROR,
        "gear trains that lock each other",
        "Two gear trains connect the same two shafts with different ratios, so neither shaft can turn.",
        "Correct the ratio (the teeth) of one pair, leave one coupling out, or let one wheel turn freely on its shaft.",
        "40 : 20 and 41 : 20 between the same two shafts: a turn of the first leaves 18° between them.",
        stage=Stage.GEARS,
    ),
    "CB412": Entry(
        Severity.WARNING,
        "a motor on a joint that cannot move freely",
        "The joint of the motor is locked, or depends on joints that other motors drive: the motors oppose each other.",
        "Drive another joint, or free this one.",
        "Two motors on the two shafts of one gear pair.",
    ),
    "CB413": Entry(
        Severity.WARNING,
        "an unconnected group",
        "Mates connect these bodies to each other, and none connects them to the rest. They float, and fall "
        "together in a simulation.",
        "Mate one of them to the rest, or name one under `ground` in the mates file.",
        "A gripper whose flange mate was suppressed.",
    ),
    "CB414": Entry(
        Severity.WARNING,
        "limits that exclude the designed pose",
        "The range of a joint is empty, or the designed pose lies outside it. A simulation with limits would start "
        "beyond a stop.",
        "Correct the range, or place the parts within it; ranges are counted from the pose as designed.",
        "A slide drawn at 0 with a range from 20 to 80 mm.",
    ),
    "CB415": Entry(
        Severity.WARNING,
        "an assembly without mates",
        "The source gives the placements of its parts but no mates: each component floats with six freedoms.",
        "`cadbridge recognise SOURCE -o NAME.mates.yaml` finds bodies, joints and gears from the geometry and writes "
        "them as a mates file to check; or pass `--recognise` to this command.",
        "A STEP file: most contain parts and placements only.",
    ),
    "CB416": Entry(
        Severity.WARNING,
        "ranges of coupled joints that exclude each other",
        "A gear, a mimic or another coupling lets its joints move together only, and no pose lies within the ranges of "
        "all of them. A simulation with limits would always stand beyond a stop.",
        "Correct one of the ranges, or the ratio or offset of the coupling; ranges are counted from the pose as "
        "designed.",
        "A finger that goes from −11° to 17°, and a mimic of it, 1 : 1, whose range is 34° to 52°.",
    ),
    "CB417": Entry(
        Severity.WARNING,
        "a body that can move without inertia",
        "The body can move in a way that moves no mass and no moment of inertia. `simulate` refuses the model (CB697) "
        "unless a motor prescribes that motion, and engines refuse it or move it without bound.",
        "Give the part a mass and moments of inertia in the file or the mates file, or an `armature` to its joint; or "
        "use --mass from-mesh with a density. If the body should not move, make its joint a fixed one.",
        "A flange of 0 kg on the last axis of an arm, for a tool that the file does not have.",
        stage=Stage.MASS,
    ),
}

FAMILIES = (Family("diagnosis", "mobility, redundancy, gear trains", Stage.MOBILITY, ENTRIES),)
