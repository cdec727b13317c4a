"""Codes CB4xx, redundancy and mobility."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB401": Entry(
        Severity.WARNING,
        "a floating part",
        "No mate holds this component: in a simulation it falls freely.",
        "Mate it, ground it, or attach it to another component in the mates file.",
        "A screw that was dropped into the assembly and never mated.",
    ),
    "CB402": Entry(
        Severity.WARNING,
        "nothing is grounded",
        "No component stands still and no mate holds the ground: the whole assembly floats.",
        "Name what stands still under `ground` in the mates file.",
        "A robot whose base has mates to its links only.",
    ),
    "CB403": Entry(
        Severity.ERROR,
        "mates that contradict each other",
        "A mate repeats what others hold, and does not agree with them by the gap given: no pose fulfils all.",
        "Remove the mate, or correct the dimension in which it disagrees.",
        "Distances of 10 and of 12 mm between the same two faces.",
    ),
    "CB404": Entry(
        Severity.INFO,
        "redundant mates",
        "Some rows of the mates repeat others. The motion is unaffected; the reactions of the joints concerned "
        "are not determined by a rigid model.",
        "See the list of what repeats what; a weaker mate, or none, would do.",
        "A plane mate beside a concentric one: it need hold one of its three rows only.",
    ),
    "CB405": Entry(
        Severity.WARNING,
        "two ways of counting the mobility differ",
        "The mates as read and the joints they were collapsed to have different mobilities: a joint was found "
        "whose freedom depends on the pose.",
        "Check the joints of type generic, and whether the designed pose is a singular one.",
        "A universal joint drawn with its two forks in one plane.",
    ),
    "CB406": Entry(
        Severity.WARNING,
        "a freedom that is not a finite motion",
        "At this pose the mates give way to first order only: a shaky or singular pose. A solver finds it hard, and "
        "reactions grow without bound near it.",
        "Move the mechanism out of the pose, or look whether its dimensions are meant to be so.",
        "Three bars in one line between two fixed hinges: the middle gives way, but the bars cannot move.",
    ),
    "CB407": Entry(
        Severity.INFO,
        "mobile by its special geometry only",
        "Its loops hold more rows than they need, and it moves all the same because axes are parallel, or meet, "
        "exactly. Real parts with their tolerances would jam or strain.",
        "Where the parts are to be made, give one joint of the loop more freedom (a ball joint, some play).",
        "A planar four-bar with four hinges: Grübler counts −2, it moves with 1.",
    ),
    "CB408": Entry(
        Severity.WARNING,
        "placements were moved onto their mates",
        "The parts do not stand where their mates want them. The diagnosis was made at the nearest pose that fulfils "
        "all mates, with the shift told.",
        "Solve the assembly in the CAD system and save it again.",
        "A lid saved 0.1 mm off its hinge.",
    ),
    "CB409": Entry(
        Severity.ERROR,
        "an assembly that cannot be closed",
        "No pose near the placements fulfils all mates; what stays open after least squares is told.",
        "Correct the dimensions of the mates named, or remove the one that contradicts the others.",
        "A rod of 700 mm between points that come no nearer than 800 mm.",
    ),
    "CB410": Entry(
        Severity.WARNING,
        "teeth that do not make the ratio",
        "Teeth and ratio belong together: the ratio is z_b / z_a. The ratio was kept; one of them is wrong.",
        "Correct the number that is wrong; the ratio is what the simulation turns by.",
        "40 and 20 teeth with a ratio of 0.4: the teeth make 0.5.",
        stage=Stage.GEARS,
    ),
    "CB411": Entry(
        Severity.ERROR,
        "gear trains that lock each other",
        "Two ways lead from one shaft to the other, with different ratios: neither can turn without teeth breaking.",
        "Correct the teeth of one pair, or let one wheel turn freely on its shaft.",
        "40 : 20 and 41 : 20 between the same two shafts: a turn of the first leaves 18° between them.",
        stage=Stage.GEARS,
    ),
    "CB412": Entry(
        Severity.WARNING,
        "a motor whose joint is not free",
        "The joint that it drives cannot move, or follows others that are driven too: the motor acts against them.",
        "Drive another joint, or free this one.",
        "Two motors on the two shafts of one gear pair.",
    ),
    "CB413": Entry(
        Severity.WARNING,
        "an unconnected group",
        "These bodies are mated to each other, and no mate ties them to the rest: they float as one, and in a "
        "simulation fall as one.",
        "Mate one of them to the rest, or name one under `ground` in the mates file.",
        "A gripper whose flange mate was suppressed.",
    ),
    "CB414": Entry(
        Severity.WARNING,
        "limits that do not hold the design",
        "The range of a joint is empty, or the pose as designed lies outside of it: a simulation that heeds limits "
        "begins beyond a stop.",
        "Correct the range, or place the parts within it; ranges are counted from the pose as designed.",
        "A slide drawn at 0 with a range from 20 to 80 mm.",
    ),
    "CB415": Entry(
        Severity.WARNING,
        "an assembly without mates",
        "The source says where its parts stand and not how they move: each component floats, with six freedoms.",
        "`cadbridge recognise SOURCE -o NAME.mates.yaml` finds bodies, joints and gears from the geometry and writes "
        "them as a mates file to check; or give `--recognise` to this command.",
        "A STEP file: most of them carry parts and places only.",
    ),
}

FAMILIES = (Family("diagnosis", "mobility, redundancy, gear trains", Stage.MOBILITY, ENTRIES),)
