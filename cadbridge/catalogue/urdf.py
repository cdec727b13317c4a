"""Codes CB180–CB199 and CB1920–CB1929, URDF."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB180": Entry(
        Severity.ERROR,
        "not a URDF",
        "The root element is not <robot>, or it holds no link.",
        "Give a URDF or a xacro file with links.",
        "An SDF that was renamed to arm.urdf.",
    ),
    "CB181": Entry(
        Severity.ERROR,
        "a value that cannot be read",
        "A name or a number is missing, not finite, or there are too many or too few; what needs it is left out.",
        "Correct the attribute at the place given.",
        '<origin xyz="0 0"/> has two numbers where three belong.',
    ),
    "CB182": Entry(
        Severity.ERROR,
        "two of one name",
        "Links and joints are referred to by name. A second link of a name is left out; a second joint gets a number.",
        "Rename one of them.",
        "Two links named finger.",
    ),
    "CB183": Entry(
        Severity.ERROR,
        "a joint without its links",
        "The joint names a parent or child that the file does not have, or one link as both; it is left out.",
        "Correct <parent link=…> and <child link=…>.",
        '`<child link="hand"/>` without a link named hand.',
    ),
    "CB184": Entry(
        Severity.ERROR,
        "the links form no tree",
        "A link has two parents, or the joints run in a circle; the joint named is left out.",
        "URDF is a tree; close loops with a mates file over it.",
        "A parallel gripper written as a ring of links.",
    ),
    "CB185": Entry(
        Severity.ERROR,
        "an axis of length zero",
        "The joint moves along or about an axis without a direction; it is left out.",
        "Give <axis xyz=…> a direction.",
        '`<axis xyz="0 0 0"/>`.',
    ),
    "CB186": Entry(
        Severity.WARNING,
        "a joint without its limits",
        "URDF demands limits of revolute and prismatic joints, with lower no higher than upper; without them the "
        "joint moves freely.",
        'Add <limit lower=… upper=… effort=… velocity=…/>, or make the joint "continuous".',
        '`<joint type="revolute">` without `<limit>`.',
    ),
    "CB187": Entry(
        Severity.ERROR,
        "a joint type that URDF does not have",
        "The joint is left out.",
        "Use fixed, revolute, continuous, prismatic, planar or floating.",
        '`<joint type="ball">`.',
    ),
    "CB188": Entry(
        Severity.ERROR,
        "a mimic that follows nothing",
        "The joint it follows does not exist, has not one freedom, or follows it in turn; the mimic is left out.",
        "Correct <mimic joint=…>.",
        '`<mimic joint="left"/>` in the joint left itself.',
    ),
    "CB189": Entry(
        Severity.INFO,
        "the root link stands still",
        "A URDF does not say whether its root is fixed to the world; it is taken to be.",
        "Read it with the floating option where the robot moves freely.",
        "A mobile robot whose root base_link ought to float.",
    ),
    "CB190": Entry(
        Severity.INFO,
        "elements that were not read",
        "They say nothing that the mechanism needs, or are extensions of other programs.",
        "Nothing need be done.",
        '`<gazebo reference="arm">` with colours.',
    ),
    "CB191": Entry(
        Severity.WARNING,
        "a moving link without mass",
        "The link has no <inertial>, or a mass of zero, which no moving body has.",
        "Add <inertial>, weigh the meshes (--mass from-mesh --density), or give the mass in a mates file.",
        '`<link name="forearm">` with a mesh and no `<inertial>`.',
    ),
    "CB192": Entry(
        Severity.INFO,
        "which mesh is weighed",
        "The visual mesh is weighed where it is closed once its vertices are merged, else the collision mesh.",
        "Nothing need be done.",
        "arm.stl is open and arm_hull.stl is closed: the hull is weighed.",
    ),
    "CB193": Entry(
        Severity.WARNING,
        "geometry that gives no shape",
        "The mesh cannot be read, or the kind of geometry is not known; the link is kept without it.",
        "Give an STL, DAE or OBJ file, a box, a cylinder or a sphere.",
        "`<geometry><capsule …/></geometry>`, which URDF does not know.",
    ),
    "CB194": Entry(
        Severity.WARNING,
        "a transmission that drives nothing",
        "It names no joint that the file has, or its numbers cannot be read; it is left out.",
        "Correct the transmission.",
        "`<transmission>` of a joint that was renamed.",
    ),
    "CB195": Entry(
        Severity.ERROR,
        "several root links",
        "More than one link has no parent. Only the first stands still; the others float freely.",
        "Join them with a fixed joint.",
        "Two arms in one file, neither fixed to the other.",
    ),
    "CB196": Entry(
        Severity.ERROR,
        "a xacro file that cannot be expanded",
        "A macro, property, argument or included file is missing or wrong, or an expression has no value.",
        "Correct the file, name the folders of its packages with --package-dir, or give its arguments their defaults.",
        '<xacro:arg name="prefix" default=""/>',
    ),
    "CB197": Entry(
        Severity.INFO,
        "a xacro file was expanded",
        "The findings that follow name links and joints; they have no lines, because the text read is not the file's.",
        "Nothing need be done.",
        "`cadbridge check arm.xacro` reads the URDF that it makes.",
    ),
    "CB198": Entry(
        Severity.ERROR,
        "a loop that cannot be closed",
        "An extension closes a loop, but its type, links, frames or axis cannot be read; the loop stays open.",
        "Correct the extension, or close the loop with a mates file.",
        "A loop joint of a link that the file lacks.",
    ),
    "CB199": Entry(
        Severity.WARNING,
        "frames that mark a loop",
        "Some converters mark both sides of a closed loop by frames, but a URDF has no place for the joint itself.",
        "Add a mate between the two frames in a mates file.",
        "Links loop_1_a and loop_1_b where an Onshape export was cut.",
    ),
    "CB1920": Entry(
        Severity.INFO,
        "a link that weighs nothing",
        "The link has no <inertial>, or one of mass zero, and is fixed to links that have a mass: by the format's "
        "rules it adds nothing to theirs. An inertia without mass is set aside.",
        "Where it should weigh something, add <inertial>, weigh the meshes (--density), or use a mates file.",
        '`<link name="camera_frame"/>` fixed to the hand.',
    ),
    "CB1921": Entry(
        Severity.ERROR,
        "a xacro file that does more than describe a robot",
        "An expression does more than compute values (a lambda, a comprehension, an attribute, a function that is not "
        "listed), or the file reads what lies outside its folder and its packages, the environment, or a YAML tag that "
        "makes objects. It was refused; nothing of the file was run. No option lets a file run code.",
        "Write the value itself, or compute it with numbers, texts, lists, YAML data and the functions that "
        "docs/security.md lists. If you trust the file, expand it with ROS' own xacro and give the URDF that it "
        "writes.",
        "${(lambda: 0).__globals__}",
    ),
    "CB1922": Entry(
        Severity.INFO,
        "what a xacro file says",
        "The file speaks to its reader by xacro.warning, error or message, or xacro warns of it.",
        "Read it, and correct what it speaks of.",
        "${xacro.warning('the limits are guessed')}",
    ),
    "CB1923": Entry(
        Severity.WARNING,
        "numbers with quotes or commas between them",
        "The format separates numbers by blanks. They are read without the quotes and commas.",
        "Write them with blanks between.",
        """`<origin xyz="'0' '0' '1'"/>`.""",
    ),
    "CB1924": Entry(
        Severity.WARNING,
        "a link with inertia and without mass",
        "The link's inertia is left out with its mass of zero; engines take it, so that what it is fixed to turns "
        "more slowly there.",
        "Give the link a mass, or its inertia to the link that it is fixed to.",
        '`<mass value="0"/><inertia ixx="0.01" …/>` of a sensor.',
    ),
}

FAMILIES = (Family("urdf", "URDF and xacro", Stage.READING, ENTRIES, errors_leave_out=True),)
