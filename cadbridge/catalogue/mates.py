"""Codes: Mates and couplings."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB201": Entry(
        Severity.ERROR,
        "a mate of a component that does not exist",
        "A mate or gear names a component that the assembly does not have. cadbridge skips it.",
        "Use one of the components that `cadbridge inspect` lists.",
        "A mate of component Lid in a source without a Lid.",
    ),
    "CB202": Entry(
        Severity.WARNING,
        "a mate inside one rigid unit",
        "Both features belong to one rigid component, so the mate has no effect.",
        "Delete the mate, or make the sub-assembly flexible.",
        "A concentric mate between bearing and housing of one rigid sub-assembly.",
    ),
    "CB203": Entry(
        Severity.WARNING,
        "a mate between two grounded parts",
        "Both parts are fixed, so the mate has no effect.",
        "Delete the mate, or remove one of the parts from `ground`.",
        "A coincident mate between the foot and the table, both grounded.",
    ),
    "CB204": Entry(
        Severity.ERROR,
        "a mate that its features do not allow",
        "This kind of mate cannot connect these two kinds of features. cadbridge skips it.",
        "Choose other features (an axis instead of a plane, say), or another kind of mate.",
        '{name: "Insert:1", type: insert, a: {component: A, point: [0, 0, 0], normal: [0, 0, 1]}, …}: insert '
        "needs an axis on both sides.",
    ),
    "CB206": Entry(
        Severity.ERROR,
        "a mate with opposite directions",
        "`aligned` requires one sense of the two directions, and the parts are placed with the opposite sense.",
        "Flip the part in CAD, or change `aligned`.",
        "`aligned: true` on two faces that face each other.",
        leaves_out=False,
    ),
    "CB207": Entry(
        Severity.ERROR,
        "a mate that the placements do not satisfy",
        "At the saved placements this mate is off by the given distance or angle. Contradictory mates also cause this.",
        "Rebuild the assembly in CAD so that its mates are solved, or correct the mate.",
        "A lid that was dragged 2 mm off its hinge after the last rebuild.",
        leaves_out=False,
    ),
    "CB220": Entry(
        Severity.ERROR,
        "an impossible gear pair",
        "Radius, ratio or axes do not fit this kind of pair. cadbridge skips it.",
        "Check the axes, the ratio and the pitch radii.",
        "A spur pair whose axes cross at right angles.",
        stage=Stage.GEARS,
    ),
    "CB221": Entry(
        Severity.ERROR,
        "a gear pair on one body",
        "Both wheels belong to one rigid component, so they cannot rotate relative to each other.",
        "Name the components that carry the wheels.",
        "Both wheels of a pair named on one shaft.",
        stage=Stage.GEARS,
    ),
    "CB222": Entry(
        Severity.ERROR,
        "pitch radii that do not match the centre distance",
        "Wheels with these radii do not touch at this centre distance, or not with this ratio. r_b / r_a is the "
        "ratio. The sum of the radii (internal pairs: their difference) is the centre distance, within 0.5 %. "
        "cadbridge keeps the ratio.",
        "Correct the radii, their unit, or the positions of the axes. If teeth are given, you can omit the radii.",
        "Radii of 20 and 40 mm with axes 65 mm apart.",
        stage=Stage.GEARS,
    ),
    "CB223": Entry(
        Severity.ERROR,
        "a ratio without a known carrier",
        "A ratio relates rotations about the part that carries both axes. No single part is mated to both.",
        "Name the part: `carrier: COMPONENT`.",
        "A harmonic drive whose two axes are held by three parts.",
        stage=Stage.GEARS,
    ),
    "CB224": Entry(
        Severity.ERROR,
        "a coupling without its joint",
        "A coupling names a joint that does not exist or that does not have exactly one freedom, or a mate that an "
        "error leaves out. cadbridge leaves the coupling out too.",
        "Correct the mate, or name two joints with one freedom each.",
        "A mimic of a ball joint.",
        stage=Stage.GEARS,
    ),
    "CB225": Entry(
        Severity.WARNING,
        "limits or losses that no coordinate has",
        "A joint with several freedoms has limits, and none of its coordinates can take them; or a mate of a joint "
        "that turns has the limit, spring, damping or friction of a slide (or the reverse), which has no effect.",
        "Give each to a mate whose joint has that one freedom.",
        "A ball joint with limits of 30°.",
    ),
    "CB226": Entry(
        Severity.ERROR,
        "a drive without its joint",
        "A drive names a joint or mate that the mechanism does not have.",
        "Use a joint that `cadbridge check` lists.",
        "`drives: [{joint: A7, reduction: 50}]` of a robot with six axes.",
    ),
    "CB227": Entry(
        Severity.WARNING,
        "a drive of a fixed joint",
        "The drive names a joint or mate without a freedom. cadbridge skips the drive; the motion is unaffected.",
        "Free the joint, or remove the drive.",
        "A URDF transmission for a joint of type fixed.",
    ),
    "CB229": Entry(
        Severity.ERROR,
        "ranges of one joint that exclude each other",
        "Several mates make the joint, and each has a range. The joint can only move where all ranges overlap, and "
        "they do not.",
        "Correct the ranges of the two mates named, or remove one; ranges are counted from the designed pose.",
        "A door whose lower hinge turns from −30° to 10°, and whose upper hinge turns from 20° to 90°.",
        leaves_out=False,
    ),
    "CB230": Entry(
        Severity.INFO,
        "two names for one joint",
        "Several mates make the joint and give it different names. cadbridge takes the first; scenarios and drives may "
        "use the others too.",
        "Give the mates of one joint the same name.",
        "A door whose hinges are called swing and door.",
    ),
    "CB231": Entry(
        Severity.INFO,
        "a limit, spring or loss of a mate that is locked",
        "Other mates lock the two parts that this mate would let move, so its limit, spring, damping or friction has "
        "no effect.",
        "If the parts should move, delete or weaken the other mates between them; otherwise remove the limit or "
        "spring.",
        "A hinge with a spring between two parts that a fixed mate joins too.",
    ),
    "CB232": Entry(
        Severity.ERROR,
        "a coupling of a motion that its joint does not have",
        "A coupling counts a mate by its turn, and other mates between the same parts leave the joint a slide alone "
        "(or the reverse). The value that it counts never changes, so that it holds the other joints.",
        "Name a mate that moves as the joint does: `prismatic`, or `concentric` with `lock_rotation: true`, for a "
        "slide; `revolute` or `insert` for a turn.",
        "`factors: {Bore: 1, Screw: 5}` of a bore that a face keeps from turning.",
        stage=Stage.GEARS,
        leaves_out=False,
    ),
    "CB233": Entry(
        Severity.WARNING,
        "two values of one joint in the home pose",
        "A joint may be called by its own name and by those of its mates. `home` gives it different values by two of "
        "these names. cadbridge takes the last.",
        "Delete one of the two lines under `home`.",
        "`home: {A2: -90, Insert:7: 30}` where A2 is the joint that Insert:7 makes.",
    ),
}

FAMILIES = (
    Family(
        "building",
        "mates, couplings, limits and drives made into bodies and joints",
        Stage.MATES,
        ENTRIES,
        errors_leave_out=True,
    ),
)
