"""Codes CB2xx, mates and couplings."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB201": Entry(
        Severity.ERROR,
        "a mate holds something that does not exist",
        "A mate or gear names a component that the assembly does not have, so it was left out.",
        "Name one of the components that `cadbridge inspect` lists.",
        "A mate of component Lid, which the source does not have.",
    ),
    "CB202": Entry(
        Severity.WARNING,
        "a mate inside one rigid unit",
        "Both features belong to one component, whose parts do not move against each other: the mate does nothing.",
        "Remove it, or make the sub-assembly flexible.",
        "A concentric mate between bearing and housing of one rigid sub-assembly.",
    ),
    "CB203": Entry(
        Severity.WARNING,
        "a mate between two grounded parts",
        "Both sides stand still, so the mate does nothing.",
        "Remove it, or take one of the two out of `ground`.",
        "A coincident mate between the foot and the table, both grounded.",
    ),
    "CB204": Entry(
        Severity.ERROR,
        "a mate that has no meaning between its features",
        "This kind of mate cannot hold these two kinds of features, so it was left out.",
        "Choose other features (an axis instead of a plane, say), or another kind of mate.",
        '{name: "Insert:1", type: insert, a: {component: A, point: [0, 0, 0], normal: [0, 0, 1]}, …}: '
        "insert wants an axis on both sides.",
    ),
    "CB206": Entry(
        Severity.ERROR,
        "a mate whose directions stand the wrong way round",
        "`aligned` asks for one sense of the directions and the parts are placed in the other.",
        "Turn the part round in CAD, or give the other `aligned`.",
        "`aligned: true` on two faces that look at each other.",
        leaves_out=False,
    ),
    "CB207": Entry(
        Severity.ERROR,
        "a mate that the placements do not fulfil",
        "As the parts are placed, this mate is off by the distance or the angle given. Mates that contradict each "
        "other look like this too.",
        "Rebuild the assembly in CAD so that its mates are solved, or remove the mate that is wrong.",
        "A lid that was dragged 2 mm off its hinge after the last rebuild.",
        leaves_out=False,
    ),
    "CB220": Entry(
        Severity.ERROR,
        "a gear pair whose geometry has no meaning",
        "Radius, ratio or axes do not fit this kind of pair, so it was left out.",
        "Check the axes, the ratio and the pitch radii.",
        "A spur pair whose axes cross at right angles.",
        stage=Stage.GEARS,
    ),
    "CB221": Entry(
        Severity.ERROR,
        "a gear pair on one body",
        "Both wheels belong to one rigid unit, so neither can turn against the other.",
        "Name the components that carry the wheels.",
        "Both wheels of a pair named on one shaft.",
        stage=Stage.GEARS,
    ),
    "CB222": Entry(
        Severity.ERROR,
        "pitch radii that do not match the centre distance",
        "Wheels of these radii do not touch where their axes are, or not with this ratio: r_b / r_a is the ratio, and "
        "the radii add up to the distance of the axes (internal: differ by it), to within 0.5 %. The ratio was kept.",
        "Correct the radii, their unit or the placement of the axes; or leave the radii out where teeth are given.",
        "Radii of 20 and 40 mm with axes 65 mm apart.",
        stage=Stage.GEARS,
    ),
    "CB223": Entry(
        Severity.ERROR,
        "a ratio without a clear carrier",
        "A ratio holds between turns relative to the part that carries both axes; no single part is mated to both.",
        "Name it: `carrier: COMPONENT`.",
        "A harmonic drive whose two axes are held by three parts.",
        stage=Stage.GEARS,
    ),
    "CB224": Entry(
        Severity.ERROR,
        "a joint that follows no joint",
        "A coupling of joints names one that does not exist or that has no single freedom.",
        "Name two joints with one freedom each.",
        "A mimic of a ball joint.",
        stage=Stage.GEARS,
    ),
    "CB225": Entry(
        Severity.WARNING,
        "limits that cannot be placed",
        "A joint with no single freedom has limits; they are kept and shown but have no coordinate to act on.",
        "Give the limits to a joint with one freedom.",
        "A ball joint with limits of 30°.",
    ),
    "CB226": Entry(
        Severity.ERROR,
        "a drive without its joint",
        "A drive names a joint or mate that the mechanism does not have.",
        "Name a joint that `cadbridge check` lists.",
        "`drives: [{joint: A7, reduction: 50}]` of a robot with six axes.",
    ),
    "CB227": Entry(
        Severity.WARNING,
        "a drive of what does not move",
        "The drive names a joint or mate that leaves no freedom of its own to drive. It is left out, and nothing moves "
        "differently for it.",
        "Free the joint, or remove the drive.",
        "A URDF's transmission of a joint of type fixed.",
    ),
    "CB228": Entry(
        Severity.WARNING,
        "the armature of a ball joint between two moving bodies",
        "A rotor that resists every turn of one moving body against another alike is no body of its own: simulations "
        "leave it out, so that the joint speeds up faster. The export to MJCF carries it.",
        "Simulate the export in MuJoCo, or give the armature to single hinges.",
        '`<joint type="ball" armature="0.1"/>` at the wrist of an arm.',
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
