"""Codes CB5xx, exports."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB500": Entry(
        Severity.ERROR,
        "a moving body has no mass",
        "The target demands the mass of every moving body; none is made up, so nothing is written.",
        "Give a density: `density:` in the mates file, --density or --material.",
        "`--to mjcf` of an arm without a density.",
    ),
    "CB501": Entry(
        Severity.WARNING,
        "a link without inertia",
        "The body's mass is not known; its link is written without <inertial>, which most engines refuse to move.",
        "Give a density: `density:` in the mates file, --density or --material.",
        "`--to urdf` of an arm without a density.",
    ),
    "CB502": Entry(
        Severity.ERROR,
        "no rigid body has this inertia",
        "A moving body must have a mass above zero and principal inertias of which none exceeds the "
        "sum of the other two; engines refuse anything else.",
        "Correct the mass or the inertia that the file declares, or take them from the meshes.",
        "Ixx = 1, Iyy = 1, Izz = 3: no distribution of mass gives that.",
    ),
    "CB503": Entry(
        Severity.WARNING,
        "a closed loop does not fit the target",
        "The target describes a tree. The joint named closes a loop: it is left out of the tree and "
        "stands in closures.json with its frames in both links; the exported model moves more freely.",
        "Close the loop in the engine by closures.json, or export to MJCF.",
        "A four-bar: its last hinge stands in the file of closures.",
    ),
    "CB504": Entry(
        Severity.WARNING,
        "a joint that is no lower pair is left free",
        "No joint of the target holds these constraints: where the joint carries a body the body is "
        "free in the export, where it closes a loop the loop is open. Its rows are in closures.json.",
        "Look whether the mates of this joint say what was meant; simulate it with cadbridge.",
        "Two mates that leave a freedom along a curve.",
    ),
    "CB505": Entry(
        Severity.INFO,
        "a joint made of several",
        "The target lacks this joint type. It is written as a sequence of joints of one freedom with links "
        "without mass between them; the motion is the same (a spherical joint of three turns has a singular "
        "pose at a quarter turn of the second).",
        "Nothing to do.",
        "A cylindrical joint as a hinge on a slide.",
    ),
    "CB506": Entry(
        Severity.WARNING,
        "a coupling that is not linear in the joints",
        "The coupling is no constant ratio between the coordinates of the tree, so it is left out of the "
        "export: the wheels turn freely.",
        "Give the gear a carrier that holds both axes, or simulate it with cadbridge.",
        "A cam and its follower.",
    ),
    "CB507": Entry(
        Severity.WARNING,
        "a coordinate that follows more than one other",
        "URDF's mimic follows one joint. This coordinate is a sum over several (a differential or "
        "planetary train), so it is left free; the factors are in closures.json.",
        "Export to MJCF, which holds it by a tendon.",
        "The cage of a differential, half the sum of both wheels.",
    ),
    "CB508": Entry(
        Severity.INFO,
        "a part without a mesh",
        "The part has no geometry that can be shown; it is invisible in the export.",
        "Give the file of the part.",
        "A frame without a body, such as a tool centre point.",
    ),
    "CB509": Entry(
        Severity.INFO,
        "a mesh made coarser",
        "The target takes at most 200,000 triangles in a file; the mesh shown was simplified. Masses are not touched.",
        "Nothing to do.",
        "A cast housing of 900,000 triangles.",
    ),
    "CB510": Entry(
        Severity.INFO,
        "names changed",
        "The target takes letters, digits and underscores; losses.json has every new name with its old one.",
        "Nothing to do.",
        "`Insert:A1 (2)` becomes Insert_A1_2.",
    ),
    "CB511": Entry(
        Severity.WARNING,
        "a limit that is not carried",
        "The limit belongs to a joint of several freedoms, or to one that is not in the export's tree.",
        "Limit it in the engine.",
        "Limits of a ball joint.",
    ),
    "CB512": Entry(
        Severity.INFO,
        "a bound that the target demands and nobody gave",
        "URDF demands effort and velocity, and both ends of a range; for those that are not known "
        "stands 1e9, which is no limit.",
        "Give them with `limits:` in the mates file.",
        "A hinge without limits: lower and upper become -1e9 and 1e9.",
    ),
    "CB513": Entry(
        Severity.INFO,
        "a coupling that repeats others",
        "Other couplings already hold this relation, so it is left out: doubled rows only weaken a solver.",
        "Nothing to do.",
        "A second gear pair between the same two shafts.",
    ),
    "CB514": Entry(
        Severity.INFO,
        "a body halved to close a loop",
        "No constraint of the target holds this joint exactly. One of its bodies is written as two halves "
        "(half the mass and inertia each, same place): one hangs in the tree, the other on this joint, and a "
        "weld joins them.",
        "Nothing to do.",
        "A screw joint that closes a loop, in MJCF.",
    ),
    "CB515": Entry(
        Severity.INFO,
        "gravity is not carried",
        "URDF has no gravity; engines take 9.81 m/s² along −z, and here it is another.",
        "Set it in the engine.",
        "A scenario with the moon's gravity.",
    ),
    "CB516": Entry(
        Severity.WARNING,
        "rotor inertia is not carried",
        "The target has no place for the inertia of a rotor reflected on the joint; the joint reacts faster "
        "than the machine.",
        "Add it in the engine (armature), or export to MJCF.",
        "A motor with a reduction of 100 and a rotor of 1e-4 kg m²: 1 kg m² on its joint.",
    ),
    "CB517": Entry(
        Severity.INFO,
        "the home pose is not carried",
        "The target has no place for named joint values, or they do not fix the pose (closed loops, couplings); "
        "they stand in losses.json.",
        "Set them in the engine.",
        "`home: {A2: -90}` in a URDF.",
    ),
    "CB518": Entry(
        Severity.WARNING,
        "couplings that contradict each other",
        "The couplings cannot all hold in one pose of the tree; the export's first step will jump.",
        "Check ratios and offsets.",
        "Pairs of 40 : 20 and of 41 : 20 between the same two shafts.",
    ),
    "CB519": Entry(
        Severity.WARNING,
        "a drive that finds no joint",
        "The drive's joint is none of the joints of one freedom in the export, so no actuator is written.",
        "Name a joint, or a mate that one joint holds.",
        "A drive on a ball joint.",
    ),
    "CB520": Entry(
        Severity.INFO,
        "a drive that is not carried",
        "The target describes no motors; forces are applied by the program that simulates.",
        "Actuate the joint in the engine.",
        "The motors of a robot in its URDF.",
    ),
    "CB521": Entry(
        Severity.ERROR,
        "a run that belongs to another model",
        "The trajectory has no columns for bodies of this mechanism, so it cannot be played by it.",
        "Name a run of the same source and mates file, as `cadbridge simulate` writes it.",
        "`--run arm_v1.parquet` with arm_v2.step.",
    ),
    "CB522": Entry(
        Severity.INFO,
        "a picture without motion",
        "The format carries shapes and an animation, no joints; without a run it shows the design's pose.",
        "Name a run with --run.",
        "`--to glb` without --run.",
    ),
    "CB523": Entry(
        Severity.INFO,
        "collision geometry in place of the part's mesh",
        "The collision geometry differs from the visual mesh. The message says how far its surface is "
        "from the part's at most (both ways, by points all over both), and by how much its volume differs "
        "(overlaps count twice).",
        "Choose another --collision, or a smaller --collision-tolerance, where that is too far.",
        "A bracket collides as eight convex pieces, 0.4 mm off at most.",
    ),
    "CB524": Entry(
        Severity.INFO,
        "a part that keeps its mesh for collisions",
        "The part is no box, cylinder, sphere or capsule within the tolerance, has no triangle to spare within it, or "
        "is flat; its mesh collides as it is.",
        "Raise --collision-tolerance, or choose another --collision.",
        "A spring, whose coils no simple shape follows.",
    ),
    "CB525": Entry(
        Severity.WARNING,
        "a joint that follows another in the newer file alone",
        "SDFormat 1.9 has gearboxes only, between two hinges that share a body. This joint follows another as a mimic "
        "in model.sdf; in model-1_9.sdf it is free.",
        "Use model.sdf where the program takes SDFormat 1.11.",
        "A finger that slides as its motor turns.",
    ),
    "CB526": Entry(
        Severity.INFO,
        "collision geometry without a place",
        "Only URDF, MJCF, SDF and USD separate visual and collision geometry; the other formats have one geometry.",
        "Leave --collision out, or export to one of those.",
        "cadbridge convert arm.step --to glb --collision hull -o out",
    ),
    "CB527": Entry(
        Severity.WARNING,
        "what teeth lose is not carried",
        "The format couples joints without loss; the gear's efficiency stays behind.",
        "Put the losses into the joints' friction in the engine, or simulate here.",
        "A worm gear of 60 % efficiency.",
    ),
    "CB528": Entry(
        Severity.INFO,
        "rows of mates that are not carried",
        "An export has each joint once. The rows of mates that only repeat what others hold stay behind; the motion is "
        "the same, but none of these mates can be found in the export.",
        "No action is needed; `cadbridge check` lists which mate repeats which.",
        "A hinge made of an insert and a flush: 3 of its 8 rows.",
    ),
    "CB529": Entry(
        Severity.WARNING,
        "friction or damping that is not carried",
        "The joint closes a loop, so the target's tree has no joint that could hold them; the loop moves more easily.",
        "Apply them in the engine, or export to MJCF.",
        "The hinge that closes a four-bar, damped by 0.1 N m s, in URDF.",
    ),
    "CB530": Entry(
        Severity.ERROR,
        "an export that is not the same in its engine",
        "Masses, inertias or poses, as the target engine has them after loading, differ from the mechanism's.",
        "This is a fault of the export: please report it, with the model.",
        "A link of 2 kg that the engine took for 2.5: it merged a fixed link into it.",
    ),
    "CB531": Entry(
        Severity.ERROR,
        "an export that swings differently",
        "From the same velocities and after the same time a joint stands elsewhere in the engine, by more than the "
        "engine's own errors, and ours, explain.",
        "This is a fault of the export: please report it, with the model.",
        "A loop that hangs stiff because its closing row was left out.",
    ),
    "CB532": Entry(
        Severity.INFO,
        "what a URDF holds for other programs is not carried",
        "The source has elements for Gazebo, ros2_control and the like, or safety controllers and calibrations of "
        "joints; the target has no place for them.",
        "Export to URDF, which has them again, or write what you need by hand.",
        "Two <gazebo> elements with friction, on the way to MJCF.",
    ),
    "CB533": Entry(
        Severity.WARNING,
        "an element of the URDF that could not be put back",
        "It speaks of a link or joint that the export does not have, or cannot be read, or the export has its own.",
        "Add it to the export by hand, where it still has a meaning.",
        "<gazebo> of a fixed joint: the links that it fastened are one link in the export.",
    ),
    "CB534": Entry(
        Severity.INFO,
        "an element of the URDF that speaks of more than before",
        "The link that it is of is fixed to another and both are one link in the export.",
        "Look whether it may hold for the whole link.",
        "The friction of a finger tip, now that of the whole finger.",
    ),
    "CB535": Entry(
        Severity.WARNING,
        "springs that are not carried",
        "The target has no place for a spring in such a joint; without it the joint moves otherwise.",
        "Add the spring in the engine, or export to MJCF.",
        "The springs of a legged robot's ankles in its URDF.",
    ),
    "CB536": Entry(
        Severity.WARNING,
        "servos become plain transmissions",
        "The target names the reduction of a drive and not how its effort follows its control.",
        "Give stiffness and damping to the program that controls the robot, or export to MJCF.",
        '`<position kp="50"/>` of an MJCF, on the way to URDF.',
    ),
    "CB537": Entry(
        Severity.ERROR,
        "a swing that cannot be compared",
        "The engine differs from itself at half its step, or breaks its own couplings, by more than a thousandth of "
        "the motion, even over a 64th of the time. Whether the export moves as the mechanism does is not known; "
        "it does not pass.",
        "Give a shorter --duration, or verify another format, whose engine holds couplings better.",
        "A wrist of twenty gears in an engine whose couplings are soft.",
    ),
    "CB538": Entry(
        Severity.ERROR,
        "a motion that was not tested",
        "Masses and poses were compared, the motion was not: the format lacks what binds the joints, or our own run "
        "failed, or no joint has one freedom. What was not tested does not pass.",
        "Verify a format that carries the mechanism's loops and couplings (mjcf), or leave this out: --ignore CB538.",
        "A four-bar as URDF: its loop is open, so it must swing otherwise.",
    ),
    "CB539": Entry(
        Severity.WARNING,
        "joints that did not move",
        "The swing says nothing of joints that stood still: their axes and their ratios could be anything.",
        "Check whether something holds the joint; `cadbridge check` lists the freedoms.",
        "A hinge that a loop holds still.",
    ),
    "CB540": Entry(
        Severity.INFO,
        "a joint by its locked axes",
        "UsdPhysics has hinges, slides and balls. This joint is a PhysicsJoint whose other axes are locked: not every "
        "engine reads one in an articulation, and a screw's pitch is not carried.",
        "Look whether your engine takes it, or export to MJCF.",
        "A universal joint, or a cylindrical one.",
    ),
    "CB541": Entry(
        Severity.WARNING,
        "what one engine's dialect of USD does not hold",
        "The engine's layer has no schema for it, or the engine passes over it: there the joints move otherwise. The "
        "layers of the other engines are not touched.",
        "Use another engine's layer, or export to MJCF.",
        "A rack on a pinion in Newton, whose mimics couple joints of one type only.",
    ),
}

FAMILIES = (Family("export", "exports", Stage.EXPORT, ENTRIES),)
