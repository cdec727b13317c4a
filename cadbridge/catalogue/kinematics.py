"""Codes: Kinematics in STEP files, read and written."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB780": Entry(
        Severity.INFO,
        "a STEP file with kinematics",
        "cadbridge read mates and couplings from the links, joints and pairs of the file (ISO 10303-105).",
        "No action is needed. A mates file can add what is missing.",
        "An AP242 file with five revolute pairs.",
    ),
    "CB781": Entry(
        Severity.ERROR,
        "a kinematic pair that cannot be read",
        "An attribute, link, joint or placement is missing or wrong. cadbridge skips the pair, so its links move "
        "more freely than intended.",
        "Correct the entity named, or write the mate in a mates file.",
        "A revolute pair without its second placement.",
    ),
    "CB782": Entry(
        Severity.WARNING,
        "a link without an occurrence",
        "The file does not state, or not uniquely, which part moves as this link. cadbridge skips its pairs.",
        "Export again with the links bound to occurrences, or write the mates in a mates file.",
        "A link whose representation belongs to two parts.",
    ),
    "CB783": Entry(
        Severity.ERROR,
        "an unsupported pair",
        "Higher pairs (points and curves on surfaces, flexible links) have no equivalent mate. cadbridge skips the "
        "pair.",
        "Write mates for these parts in a mates file.",
        "A point on a curve.",
    ),
    "CB790": Entry(
        Severity.ERROR,
        "kinematics without a STEP file",
        "The pairs refer to the occurrences of the STEP file that the assembly came from. Another source has none, "
        "and neither has a file of one part; a file with external references keeps its products elsewhere.",
        "Convert an assembly of parts that was read from a single STEP file.",
        "`--to step-ap242` of a URDF.",
        stage=Stage.EXPORT,
        leaves_out=False,
    ),
    "CB791": Entry(
        Severity.WARNING,
        "a relation without a pair in AP242",
        "ISO 10303-105 has lower pairs, gears, racks and screws. It has no pair for what is named, so the export "
        "omits it.",
        "Keep the mates file beside the STEP file.",
        "A belt between two pulleys.",
        stage=Stage.EXPORT,
    ),
    "CB792": Entry(
        Severity.INFO,
        "data that AP242 kinematics cannot hold",
        "The pairs cannot hold damping, friction, efforts, velocities, drives, masses, frames and home poses.",
        "Keep the mates file beside the STEP file.",
        "A hinge with damping.",
        stage=Stage.EXPORT,
    ),
    "CB793": Entry(
        Severity.WARNING,
        "mates written as one joint",
        "These mates connect the same two parts, and one of them has no pair of its own. The export writes the "
        "joint that they form, so the redundancy among them is lost.",
        "No action is needed. The motion is the same.",
        "A concentric and a coincident mate, written as one revolute pair.",
        stage=Stage.EXPORT,
    ),
    "CB794": Entry(
        Severity.INFO,
        "a changed schema name",
        "The header now names AP242, because the pairs belong to that edition. Everything else is unchanged.",
        "No action is needed.",
        "AUTOMOTIVE_DESIGN (AP214) becomes AP242.",
        stage=Stage.EXPORT,
    ),
    "CB795": Entry(
        Severity.WARNING,
        "data that a mates file cannot hold",
        "In a mates file limits, friction and damping belong to mates that leave a freedom. It has no form for "
        "couplings of sliding axes, couplings with an offset from the designed pose, springs that are relaxed in a "
        "pose other than the designed one, and servo laws. The export omits what is named.",
        "Add the limit to the joint by hand, under `joints`. Write the coupling as another kind.",
        "A prismatic joint that follows a revolute one with an offset of 0.1 m.",
        stage=Stage.EXPORT,
    ),
}

FAMILIES = (Family("kinematics", "kinematics in STEP files", Stage.READING, ENTRIES, errors_leave_out=True),)
