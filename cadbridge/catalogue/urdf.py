"""Codes: URDF and xacro."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB182": Entry(
        Severity.ERROR,
        "two links or joints of one name",
        "URDF refers to links and joints by name. cadbridge skips the second link of a name and numbers the "
        "second joint.",
        "Rename one of them.",
        "Two links named finger.",
    ),
    "CB183": Entry(
        Severity.ERROR,
        "a joint without its links",
        "The joint names a parent or child that the file does not have, or the same link as both. cadbridge skips it.",
        "Correct <parent link=…> and <child link=…>.",
        '`<child link="hand"/>` without a link named hand.',
    ),
    "CB184": Entry(
        Severity.ERROR,
        "links that are not a tree",
        "A link has two parents, or the joints form a loop. cadbridge skips the joint named.",
        "A URDF is a tree. Close loops with a mates file beside it.",
        "A parallel gripper written as a ring of links.",
    ),
    "CB185": Entry(
        Severity.ERROR,
        "an axis of length zero",
        "The axis of the joint has no direction. cadbridge skips the joint.",
        "Give <axis xyz=…> a direction.",
        '`<axis xyz="0 0 0"/>`.',
    ),
    "CB186": Entry(
        Severity.WARNING,
        "a joint without its limits",
        "URDF requires limits for revolute and prismatic joints, with lower not above upper. Without them the "
        "joint has no stops.",
        'Add <limit lower=… upper=… effort=… velocity=…/>, or make the joint "continuous".',
        '`<joint type="revolute">` without `<limit>`.',
    ),
    "CB1268": Entry(
        Severity.WARNING,
        "a <limit> without effort or velocity",
        "URDF requires effort and velocity in every <limit>. cadbridge reads the range, and limits neither force nor "
        "speed. ROS and Pinocchio refuse the whole file.",
        'Add effort="…" (N or N m) and velocity="…" (m/s or rad/s) to the <limit>.',
        '`<limit lower="-1" upper="1"/>`.',
    ),
    "CB188": Entry(
        Severity.WARNING,
        "a mimic without its joint",
        "The joint that it follows does not exist, does not have exactly one freedom, or follows this joint in "
        "turn. cadbridge skips the mimic: the joint moves freely, as in Pinocchio and Drake.",
        "Correct <mimic joint=…>, or couple the joint in a mates file.",
        '`<mimic joint="left"/>` in the joint left itself.',
    ),
    "CB1435": Entry(
        Severity.WARNING,
        "a mimic of a fixed joint",
        "The joint that it follows is fixed, so cadbridge fixes this joint at the mimic's offset. Engines that "
        "ignore mimics, such as Pinocchio by default, let it move freely.",
        "Delete the mimic if the joint moves by itself, or make the joint fixed too.",
        "The fingers of a gripper whose motor joint was fixed in a reduced model.",
    ),
    "CB1436": Entry(
        Severity.INFO,
        "a link with the name of the world",
        'In cadbridge "ground" means the world itself. A link of that name with a parent is renamed to ground_link.',
        "No action is needed.",
        '`<link name="ground">` below `<link name="world"/>`.',
    ),
    "CB1437": Entry(
        Severity.WARNING,
        "missing entries of the inertia",
        "URDF requires all six entries of <inertia>. cadbridge sets the missing ones to 0, as Pinocchio does.",
        'Write ixy="0" ixz="0" iyz="0".',
        '`<inertia ixx="0.1" iyy="0.1" izz="0.1"/>`.',
    ),
    "CB1250": Entry(
        Severity.WARNING,
        "an <inertial> without its mass or inertia",
        "URDF requires <mass> and <inertia> within <inertial>. cadbridge sets what is missing to 0, as Pinocchio does.",
        "Add what is missing, or delete the <inertial>.",
        "`<inertial/>` of a sensor's frame.",
    ),
    "CB1251": Entry(
        Severity.INFO,
        "a joint to the world",
        "A joint has the parent world, and the file has no link of that name. cadbridge adds it as the fixed root, as "
        "Drake does. ROS and Pinocchio refuse such a file.",
        'Add `<link name="world"/>` if other programs are to read the file.',
        '`<parent link="world"/>` of the joint that welds a robot to the floor.',
    ),
    "CB1252": Entry(
        Severity.WARNING,
        "a joint of Gazebo without its links",
        "A <joint> within <gazebo> names a link that the file does not have. cadbridge leaves the joint out, as Gazebo "
        "does.",
        "Delete the joint, or correct the names of its links.",
        "A variant of a robot without arms whose <gazebo> still closes the loops of its grippers.",
    ),
    "CB1254": Entry(
        Severity.WARNING,
        "a floating link without inertia",
        "The link turns freely and nothing resists its rotation, so no simulation can compute it.",
        "Give <inertia> values above 0, or fix the link to its parent.",
        "A frame of a tool that a converter wrote as a link of 1e-9 kg on a floating joint.",
    ),
    "CB1439": Entry(
        Severity.WARNING,
        "elements of xacro that cannot be expanded in a URDF",
        "The file ends in .urdf and has no expression to expand, but it has an element of xacro without its macro. "
        "Physics engines skip such an element, and so does cadbridge.",
        "Delete the element, or expand the xacro file that the URDF was made from.",
        "`<xacro:grey/>` in a URDF without that macro.",
    ),
    "CB189": Entry(
        Severity.INFO,
        "the root link is fixed",
        "A URDF does not state whether its root is fixed to the world. cadbridge fixes it.",
        "Pass --floating if the robot moves freely.",
        "A mobile robot with the root base_link.",
    ),
    "CB191": Entry(
        Severity.WARNING,
        "a moving link without mass",
        "The link has no <inertial>, or a mass of zero. A moving body needs a mass.",
        "Add <inertial>, compute it from the meshes (--mass from-mesh --density), or give the mass in a mates file.",
        '`<link name="forearm">` with a mesh and no `<inertial>`.',
    ),
    "CB192": Entry(
        Severity.INFO,
        "the mesh used for the mass",
        "cadbridge computes the mass from the visual mesh if it is closed after merging its vertices, otherwise "
        "from the collision mesh.",
        "No action is needed.",
        "arm.stl is open and arm_hull.stl is closed: the mass comes from the hull.",
    ),
    "CB1260": Entry(
        Severity.WARNING,
        "a number that urdfdom does not read",
        "A blank follows a number. cadbridge, MuJoCo and Drake read it. urdfdom (ROS, Pinocchio) does not: it "
        "continues without the link's mass or inertia, so the robot accelerates differently there; if the number "
        "belongs to a joint, it refuses the file.",
        "Delete the blank in the file.",
        '`<mass value="1.5 "/>`.',
    ),
    "CB1261": Entry(
        Severity.INFO,
        "the plane of a planar joint",
        "A planar joint moves in the plane across its axis, which is x where the file gives none, as URDF says. "
        "Pinocchio takes z, whatever the axis is, so the robot moves differently there.",
        "Turn the joint's frame so that its axis is z, if the robot goes to Pinocchio.",
        '`<joint name="base" type="planar">` without `<axis>`.',
    ),
    "CB1259": Entry(
        Severity.INFO,
        "the axes of a glTF mesh",
        "glTF says that its y axis points up. Gazebo and Pinocchio take the coordinates as they stand in the frame of "
        "the link or geometry, and so does cadbridge; Drake turns y up to z up. Nearly all robots with such meshes are "
        "made for the frame of the link.",
        "If the part stands wrong, turn it by <origin> (URDF) or <pose> (SDF), or save the mesh as OBJ.",
        '`<mesh filename="arm.glb"/>`.',
    ),
    "CB194": Entry(
        Severity.WARNING,
        "a transmission without a joint",
        "It names no joint of the file, or one that is left out, or its numbers cannot be read. cadbridge skips it.",
        "Correct the joint or the numbers of the transmission; of a joint that is left out see the finding on that.",
        "`<transmission>` of a joint that was renamed.",
    ),
    "CB195": Entry(
        Severity.ERROR,
        "several root links",
        "More than one link has no parent. cadbridge fixes the one on which most links hang. The others float freely, "
        "each with what hangs on it.",
        "Join each link named to the robot by a fixed joint, or delete it.",
        "Two arms in one file, neither fixed to the other.",
    ),
    "CB196": Entry(
        Severity.ERROR,
        "a xacro file that cannot be expanded",
        "A macro, property, argument or included file is missing or wrong, or an expression has no value.",
        "Correct the file, name the folders of its packages with --package-dir, or give values for its arguments "
        "with --arg.",
        '<xacro:arg name="prefix" default=""/>',
    ),
    "CB197": Entry(
        Severity.INFO,
        "an expanded xacro file",
        "The other findings name links and joints without line numbers, because cadbridge reads the expanded text.",
        "No action is needed.",
        "`cadbridge check arm.xacro` reads the URDF that the file expands to.",
    ),
    "CB198": Entry(
        Severity.ERROR,
        "a loop that cannot be closed",
        "An extension closes a loop, but its type, links, frames or axis cannot be read. The loop stays open.",
        "Correct the extension, or close the loop with a mates file.",
        "A loop joint of a link that the file lacks.",
    ),
    "CB199": Entry(
        Severity.WARNING,
        "frames that mark an open loop",
        "Some converters mark both sides of a closed loop with frames, because URDF cannot describe the joint itself. "
        "cadbridge leaves the loop open, so the robot has more freedoms than the machine.",
        "Add a mate between the two frames in a mates file.",
        "Links `closing_rod_1` and `closing_rod_2` where a converter cut a loop of an Onshape assembly.",
    ),
    "CB1920": Entry(
        Severity.INFO,
        "a link without mass",
        "The link has no <inertial>, or a mass of zero, and is fixed to links with mass. By the rules of the "
        "format it adds nothing to their mass.",
        "If it has a mass, add <inertial>, pass --density, or use a mates file.",
        '`<link name="camera_frame"/>` fixed to the hand.',
    ),
    "CB1925": Entry(
        Severity.ERROR,
        "xacro elements without their prefix",
        "Before 2015 xacro expanded <include>, <macro> and <property> without its prefix; since then it leaves them as "
        "they are, and so does cadbridge. What they would bring is not in the robot.",
        "Write `xacro:` before these elements and before the calls of the macros, in all files that they include.",
        '`<include filename="arm.urdf.xacro"/>` in place of `<xacro:include filename="arm.urdf.xacro"/>`.',
    ),
    "CB1921": Entry(
        Severity.ERROR,
        "a xacro file that does more than describe a robot",
        "An expression does more than compute values (a lambda, a comprehension, an attribute, a function that "
        "is not allowed), or the file reads the environment, a file outside its folder and packages, or a YAML "
        "tag that creates objects. cadbridge refused the file and ran nothing of it. No option lets a file run "
        "code.",
        "Write the value itself, or compute it with numbers, texts, lists, YAML data and the functions that "
        "docs/security.md lists. If you trust the file, expand it with ROS' own xacro and pass the URDF that it "
        "writes.",
        "${(lambda: 0).__globals__}",
    ),
    "CB1922": Entry(
        Severity.INFO,
        "a message of a xacro file",
        "The file prints a message with xacro.warning, error or message, or xacro itself prints a warning.",
        "Read the message, and correct what it names.",
        "${xacro.warning('the limits are guessed')}",
    ),
    "CB1924": Entry(
        Severity.WARNING,
        "a link with inertia and without mass",
        "cadbridge adds the inertia to the links that this one is fixed to, as physics engines do. It ignores the "
        "inertia of a link that moves alone, since nothing moves without mass.",
        "Give the link a mass, or add its inertia to the link that it is fixed to.",
        '`<mass value="0"/><inertia ixx="0.01" …/>` of a sensor.',
    ),
    "CB1249": Entry(
        Severity.INFO,
        "what other URDF readers leave out",
        "cadbridge reads the rotor inertias of transmissions and the joints that close loops. Most other programs, "
        "Pinocchio and Drake among them, read links and joints alone, so their accelerations and freedoms differ.",
        "No action is needed. For a comparison, remove these elements from the URDF.",
        "`<transmission>` with a `<rotorInertia>`, or a `<loop_joint>` between two fingers.",
    ),
    "CB1263": Entry(
        Severity.INFO,
        "massless links between the hinges of one joint",
        "A URDF writes a ball or universal joint as hinges in a row, with links between them that have neither mass "
        "nor shape. cadbridge takes them as massless: the hinges move as one joint of several freedoms.",
        "No action is needed if the link is meant to be massless; otherwise give it an <inertial>.",
        '`<link name="ball_1"/>` between two of the three hinges of a ball joint.',
    ),
    "CB1264": Entry(
        Severity.WARNING,
        "loops that a file beside the URDF names",
        "The generator of the URDF wrote its closed loops to another file, which cadbridge does not use. Unless mates "
        "of a mates file close them, the loops are open, and the robot has more freedoms than the machine.",
        "Write a mate for each loop in the mates file, between the child links of the joints named: `type: fixed` for "
        "6d, `type: spherical` for 3d.",
        "`closed_loop: [[loop_1A, loop_1B]]` in robot.yaml.",
    ),
}

FAMILIES = (Family("urdf", "URDF and xacro", Stage.READING, ENTRIES, errors_leave_out=True),)
