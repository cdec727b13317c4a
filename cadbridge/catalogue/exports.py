"""Codes: Exports."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB500": Entry(
        Severity.ERROR,
        "a moving body has no mass",
        "The target requires the mass of every moving body. cadbridge does not invent masses, so it wrote nothing.",
        "Give a density: `density:` in the mates file, --density or --material.",
        "`--to mjcf` of an arm without a density.",
    ),
    "CB501": Entry(
        Severity.WARNING,
        "a link without inertia",
        "The mass of the body is unknown. Its link has no <inertial>, which in a URDF means 0 kg: most engines refuse "
        "to move such a link, and what reads the file back, cadbridge too (CB191), takes the mass for known and zero.",
        "Give a density: `density:` in the mates file, --density or --material.",
        "`--to urdf` of an arm without a density.",
    ),
    "CB502": Entry(
        Severity.ERROR,
        "an inertia that no body can move with",
        "A moving body needs a mass and principal moments of inertia above zero. Engines refuse anything else; MuJoCo "
        "wants more than 1e-15 kg and kg m² (mjMINVAL), which a steel ball of 0.3 mm does not have.",
        "Correct the mass or inertia in the source, or pass --mass from-mesh.",
        "Ixx = 1, Iyy = 1, Izz = -3.",
    ),
    "CB545": Entry(
        Severity.WARNING,
        "what stands still is exported without its mass",
        "A part of what stands still has no mass that is known, so that the whole has none: its link is written "
        "without <inertial>, and the known masses of the other parts are lost. USD gives a mass to rigid bodies alone, "
        "which what stands still is where something hangs on it. No motion depends on it while the base stands; a base "
        "that is set free in the engine needs it.",
        "Give a density: `density:` in the mates file, --density or --material.",
        "A base of two parts, one with a material and one without.",
    ),
    "CB563": Entry(
        Severity.INFO,
        "limits of a joint that are those of what follows it",
        "In ROS a mimic goes wherever its leader goes, whatever its own limits say. The leader gets the range and the "
        "speed within which all joints that follow it keep their limits. A follower whose range would leave the "
        "leader no room, less than a hundredth of either range, does not narrow its range.",
        "No action is needed. Check that the limits of the joints that follow are meant.",
        "A motor without limits that moves an arm of ±185° by 80:1.",
    ),
    "CB564": Entry(
        Severity.WARNING,
        "a joint and one that follows it with ranges that exclude each other",
        "The two ranges have nothing, or hardly more than one value, in common, once the ratio of the two joints is "
        "taken into account: where both hold, as in MuJoCo, neither joint can move far. The export gives "
        "each joint its own range. In ROS the joint that follows leaves its range.",
        "Correct the range of one of the two joints, or the sign of the ratio between them.",
        "Two fingers of 0° to 49° of which one turns by −1 times the other.",
    ),
    "CB1434": Entry(
        Severity.WARNING,
        "an exported inertia that no rigid body has",
        "A principal moment exceeds the sum of the other two. URDF and SDF get the values unchanged: Pinocchio "
        "computes with them, Gazebo may refuse them, Drake warns and takes the inertia of a ball of water of the same "
        "mass. MuJoCo refuses them, so MJCF sets balanceinertia, with which MuJoCo replaces the three moments by their "
        "mean. In the last two the model moves differently. A body that stands still needs no moments: MJCF gets its "
        "mass alone, also where a moment is 0.",
        "Correct the inertia in the source, or pass --mass from-mesh.",
        "Ixx = 1, Iyy = 1, Izz = 3: no distribution of mass gives that.",
    ),
    "CB503": Entry(
        Severity.WARNING,
        "a closed loop that the target cannot hold",
        "The target describes a tree, and this joint closes a loop. The export omits it from the tree and writes "
        "it to closures.json with its frames in both links. The exported model moves more freely.",
        "Close the loop in the engine from closures.json, or export to MJCF.",
        "The last hinge of a four-bar is in closures.json.",
    ),
    "CB504": Entry(
        Severity.WARNING,
        "a joint that the target cannot hold",
        "No joint type of the target has these constraints. A body that the joint carries is free in the export; "
        "a loop that it closes is open. Its rows are in closures.json.",
        "Check that the mates of this joint are as intended, or simulate with cadbridge.",
        "Two mates that leave a freedom along a curve.",
    ),
    "CB505": Entry(
        Severity.INFO,
        "a joint written as several",
        "The target lacks this joint type. The export writes a sequence of single-freedom joints with massless "
        "links between them. The motion is the same. (A spherical joint of three hinges is singular when the "
        "second is at 90°.)",
        "No action is needed.",
        "A cylindrical joint written as a hinge on a slide.",
    ),
    "CB506": Entry(
        Severity.WARNING,
        "a nonlinear coupling",
        "The coupling is not a constant ratio between the coordinates of the tree. The export omits it, so the "
        "wheels rotate freely.",
        "Give the gear a carrier that holds both axes, or simulate it with cadbridge.",
        "A cam and its follower.",
    ),
    "CB507": Entry(
        Severity.WARNING,
        "a coordinate that follows several others",
        "In the target a coordinate can follow one other joint only. This one is a sum over several (a differential or "
        "planetary gear), it stands still (in URDF its range is one value, which only limits hold) or, in USD, it is "
        "the travel of a screw or of another joint of several freedoms, so it is free in the export. The "
        "factors are in closures.json.",
        "Export to MJCF, which holds it with an equality or a tendon.",
        "The cage of a differential, half the sum of both wheels.",
    ),
    "CB508": Entry(
        Severity.INFO,
        "a part without a mesh",
        "The part has no visible geometry and is invisible in the export.",
        "Add the geometry file of the part.",
        "A frame without a body, such as a tool centre point.",
    ),
    "CB509": Entry(
        Severity.INFO,
        "a simplified mesh",
        "The target allows at most 200,000 triangles per file, so the visual mesh is simplified. Masses are "
        "unaffected.",
        "No action is needed.",
        "A cast housing of 900,000 triangles.",
    ),
    "CB510": Entry(
        Severity.INFO,
        "changed names",
        "The target allows letters, digits and underscores. losses.json lists each new name with the original.",
        "No action is needed.",
        "`Insert:A1 (2)` becomes Insert_A1_2.",
    ),
    "CB511": Entry(
        Severity.WARNING,
        "a limit that is not exported",
        "The limit belongs to a joint with several freedoms, or to a joint outside the tree of the export.",
        "Set the limit in the engine.",
        "Limits of a ball joint.",
    ),
    "CB512": Entry(
        Severity.INFO,
        "a default for a required value",
        "URDF requires effort, velocity and both ends of a range. Unknown values are written as 1e9, which is no "
        "limit.",
        "Set them under `limits:` in the mates file.",
        "A hinge without limits: lower and upper become -1e9 and 1e9.",
    ),
    "CB513": Entry(
        Severity.INFO,
        "a redundant coupling",
        "Other couplings already hold this relation. The export omits it, because redundant rows weaken a solver.",
        "No action is needed.",
        "A second gear pair between the same two shafts.",
    ),
    "CB514": Entry(
        Severity.INFO,
        "a body split to close a loop",
        "No constraint of the target holds this joint exactly. The export splits one of its bodies into two "
        "halves (half the mass and inertia each, in the same place): one is in the tree, the other on this "
        "joint, and a weld connects them.",
        "No action is needed.",
        "A screw joint that closes a loop, in MJCF.",
    ),
    "CB515": Entry(
        Severity.INFO,
        "gravity that is not exported",
        "URDF has no gravity. Engines use 9.81 m/s² along −z, and the model has another.",
        "Set gravity in the engine.",
        "A scenario with the moon's gravity.",
    ),
    "CB516": Entry(
        Severity.WARNING,
        "rotor inertia that is not exported",
        "The target cannot hold rotor inertia that is reflected to the joint. The joint accelerates faster than "
        "in the real machine.",
        "Add the armature in the engine, or export to MJCF.",
        "A motor with a reduction of 100 and a rotor of 1e-4 kg m²: 1 kg m² on its joint.",
    ),
    "CB517": Entry(
        Severity.INFO,
        "a home pose that is not exported",
        "The target has no named joint values, or they do not fix the pose (closed loops, couplings). They are "
        "in losses.json.",
        "Set the pose in the engine.",
        "`home: {A2: -90}` in a URDF.",
    ),
    "CB518": Entry(
        Severity.WARNING,
        "couplings that contradict each other",
        "The couplings cannot all hold in one pose of the tree. The export jumps in its first step.",
        "Check the ratios and offsets.",
        "Pairs of 40 : 20 and of 41 : 20 between the same two shafts.",
    ),
    "CB519": Entry(
        Severity.WARNING,
        "a drive without a joint in the export",
        "The joint of the drive is not one of the single-freedom joints of the export, so the export has no "
        "actuator for it.",
        "Name a joint with one freedom, or a mate that belongs to one.",
        "A drive on a ball joint.",
    ),
    "CB520": Entry(
        Severity.INFO,
        "a drive that is not exported",
        "The target does not describe motors. The simulation program applies the forces.",
        "Actuate the joint in the engine.",
        "The motors of a robot in its URDF.",
    ),
    "CB522": Entry(
        Severity.INFO,
        "an export without motion",
        "The format holds shapes and an animation, not joints. Without a run it shows the designed pose.",
        "Pass a run with --run.",
        "`--to glb` without --run.",
    ),
    "CB523": Entry(
        Severity.INFO,
        "simplified collision geometry",
        "The collision geometry differs from the visual mesh. The message gives the largest distance between the "
        "two surfaces and the difference in volume (overlaps count twice).",
        "If the distance is too large, choose another --collision or a smaller --collision-tolerance.",
        "A bracket collides as eight convex pieces, at most 0.4 mm off.",
    ),
    "CB524": Entry(
        Severity.INFO,
        "a part that collides as its mesh",
        "The part is not a box, cylinder, sphere or capsule within the tolerance, cannot be simplified within "
        "it, or is flat. Its mesh is the collision geometry.",
        "Raise --collision-tolerance, or choose another --collision.",
        "A coil spring.",
    ),
    "CB525": Entry(
        Severity.WARNING,
        "a mimic that only the newer file has",
        "SDFormat 1.9 has gearboxes only, between two hinges that share a body. This joint follows another as a "
        "mimic in model.sdf; in model-1_9.sdf it is free.",
        "Use model.sdf if the program supports SDFormat 1.11.",
        "A finger that slides as its motor turns.",
    ),
    "CB526": Entry(
        Severity.INFO,
        "collision geometry that is not exported",
        "Only URDF, MJCF, SDF and USD separate visual and collision geometry. The other formats have one geometry.",
        "Remove --collision, or export to one of those formats.",
        "cadbridge convert arm.step --to glb --collision hull -o out",
    ),
    "CB527": Entry(
        Severity.WARNING,
        "gear losses that are not exported",
        "The format couples joints without losses, so the export omits the efficiency of the gear.",
        "Add the losses as joint friction in the engine, or simulate with cadbridge.",
        "A worm gear of 60 % efficiency.",
    ),
    "CB528": Entry(
        Severity.INFO,
        "redundant mates that are not exported",
        "An export has each joint once. It omits the rows of mates that only repeat others. The motion is the "
        "same, but these rows are not in the export. The message names the mates that repeat what stands before them "
        "in the file.",
        "No action is needed. `cadbridge check` lists the mates that repeat each other, and may name another of a set "
        "as the one too many.",
        "A hinge made of an insert and a flush: 3 of its 8 rows.",
    ),
    "CB529": Entry(
        Severity.WARNING,
        "friction or damping that is not exported",
        "The joint closes a loop, so the tree of the target has no joint that could hold them, or it leaves its body "
        "free. The loop or the body moves more easily.",
        "Apply them in the engine, or export to MJCF.",
        "The hinge that closes a four-bar, damped by 0.1 N m s, in URDF.",
    ),
    "CB530": Entry(
        Severity.ERROR,
        "an export that differs in its engine",
        "After loading, the target engine has another value than the mechanism: of a mass, an inertia, a pose, "
        "gravity, gravity compensation, a limit or load of a joint, a shape, a servo, a sensor or a unit; or something "
        "is switched off there. The message names it.",
        "If the export was edited, convert the source again. Otherwise this is a bug: please report it with the model.",
        "A link of 2 kg that the engine took for 2.5: it merged a fixed link into it.",
    ),
    "CB531": Entry(
        Severity.ERROR,
        "an export that moves differently",
        "From the same initial velocities a joint reaches another position in the engine. The difference exceeds "
        "the numerical errors of both. Where the message names a code, the export itself reported what it left out.",
        "If the export was edited, convert the source again. Otherwise this is a bug: please report it with the model.",
        "A loop that hangs stiff because its closing row was left out.",
    ),
    "CB532": Entry(
        Severity.INFO,
        "URDF extensions that are not exported",
        "The source has elements for Gazebo, ros2_control and the like, or safety controllers and calibrations "
        "of joints. The target cannot hold them.",
        "Export to URDF, which keeps them, or add them to the export by hand.",
        "Two <gazebo> elements with friction, on the way to MJCF.",
    ),
    "CB533": Entry(
        Severity.WARNING,
        "a URDF extension that could not be restored",
        "The extension names a link or joint that the export does not have, it cannot be read, or the export has one "
        "of its own in its place.",
        "Add it to the export by hand if it is still valid.",
        "<gazebo> of a fixed joint: the links that it connected are one link in the export.",
    ),
    "CB534": Entry(
        Severity.INFO,
        "a URDF extension that applies to more than before",
        "The link of the extension is fixed to another, and both are one link in the export.",
        "Check whether it may apply to the whole link.",
        "The friction of a finger tip now applies to the whole finger.",
    ),
    "CB535": Entry(
        Severity.WARNING,
        "springs that are not exported",
        "The target cannot hold a spring in such a joint. The joint moves differently without it.",
        "Add the spring in the engine, or export to MJCF.",
        "The springs of a legged robot's ankles in its URDF.",
    ),
    "CB536": Entry(
        Severity.WARNING,
        "servos written as plain transmissions",
        "The target holds the reduction of a drive but not how its effort follows its control.",
        "Set stiffness and damping in the program that controls the robot, or export to MJCF.",
        '`<position kp="50"/>` of an MJCF, on the way to URDF.',
    ),
    "CB537": Entry(
        Severity.ERROR,
        "a motion test without a result",
        "At half its step the engine gives another motion, or it breaks its own couplings, by more than a thousandth "
        "of the motion, even over a 64th of the time. Whether the export moves like the mechanism is unknown, so "
        "it does not pass.",
        "Pass a shorter --duration, or verify another format whose engine holds couplings better.",
        "A wrist with twenty gears in an engine with soft couplings.",
    ),
    "CB538": Entry(
        Severity.ERROR,
        "a motion that was not tested",
        "Masses and poses were compared, the motion was not: the format lacks loops or couplings of the "
        "mechanism, the engine that moves it is not installed, cadbridge's own run failed, or no joint has one "
        "freedom. What was not tested does not pass.",
        "Install the engine if the message names one. Otherwise verify a format that holds the mechanism's loops and "
        "couplings, such as mjcf.",
        "A four-bar as URDF: its loop is open, so it moves differently.",
    ),
    "CB539": Entry(
        Severity.WARNING,
        "joints that did not move",
        "The test says nothing about joints that did not move: their axes and ratios could be wrong.",
        "Check whether something holds the joint; `cadbridge check` lists the freedoms.",
        "A hinge that a loop holds still.",
    ),
    "CB540": Entry(
        Severity.INFO,
        "a joint written as locked axes",
        "UsdPhysics has hinges, slides and balls. This joint is a PhysicsJoint whose other axes are locked. Not "
        "every engine supports one in an articulation, and the pitch of a screw is not exported.",
        "Check that your engine supports it, or export to MJCF.",
        "A universal joint, or a cylindrical one.",
    ),
    "CB541": Entry(
        Severity.WARNING,
        "data that one engine's USD schema cannot hold",
        "A USD export has one layer (file) for each engine. The USD schema of this engine has no place for what the "
        "message names, or the engine ignores it, so its layer leaves it out. These joints move differently in this "
        "engine. The layers of the other engines are not affected.",
        "Use the layer of another engine, or export to MJCF.",
        "A rack on a pinion in Newton, whose mimics couple joints of one type only.",
    ),
    "CB543": Entry(
        Severity.INFO,
        "reductions of drives that are not exported",
        "A drive of UsdPhysics acts on the joint itself. Its stiffness and damping are those of the motor times the "
        "square of the reduction, so it moves alike; a motor's own torque and angle need the reduction.",
        "Multiply torques by the reduction in the engine, or export to MJCF or URDF, which hold it.",
        "A motor behind a gearhead of 50 : 1, in an `<actuator>` of a URDF.",
    ),
    "CB1490": Entry(
        Severity.ERROR,
        "an export that moves differently without what it leaves out",
        "The export moves as the mechanism does without these rotor inertias, springs, damping, friction, losses of "
        "gears or tendons, which the format cannot hold. With them a joint of the mechanism stands elsewhere after the "
        "same swing. The message has the figure and the code by which the export reported the loss.",
        "Add what is left out in the engine, or export to a format that holds it, such as MJCF. If this is known, pass "
        "--accept with the code.",
        "A robot arm as URDF: without the rotors of its gearmotors its wrist accelerates eight times as fast.",
    ),
    "CB1245": Entry(
        Severity.WARNING,
        "gravity compensation that is not exported",
        "Something outside carries the weight of these bodies: gravcomp of an MJCF, <gravity>false</gravity> of an "
        "SDF. The target has no place for it, or only for compensating a whole body. The bodies fall there.",
        "Export to MJCF, or add the force in the engine.",
        "A robot hand with gravcomp, exported to URDF.",
    ),
    "CB1266": Entry(
        Severity.WARNING,
        "tendons and activations that are not exported",
        "The format has no place for the fixed tendons of an MJCF, for what acts along them, or for activation "
        "dynamics. The joints that a tendon pulls move freely there; actuators with activation dynamics act at once.",
        "Export to MJCF, or add a controller of the joints in the engine.",
        "A hand whose fingers hang on tendons, exported to URDF.",
    ),
    "CB1248": Entry(
        Severity.WARNING,
        "data of an MJCF that does not fit its export",
        "The source held this for MuJoCo alone. The joints of the export are not those of the source: bodies were "
        "merged, a loop was closed in another place, or a mates file changed them. It is left out.",
        "Add it to the exported MJCF by hand.",
        "A keyframe of a model in which a mates file locks a joint.",
    ),
    "CB681": Entry(
        Severity.ERROR,
        "more bodies in a row than MuJoCo reads",
        "MJCF nests each body in the one that carries it, and MuJoCo's parser refuses elements that are nested 500 "
        "deep: it reads 496 bodies in a row. Nothing is written.",
        "Split the chain into several models, or export to URDF or SDFormat, which do not nest links.",
        "A chain of a thousand links in one file.",
    ),
    "CB690": Entry(
        Severity.ERROR,
        "Python functions in an FMU",
        "An FMU runs without Python, so loads that are Python functions cannot be in it. Nothing is written.",
        "Remove the callbacks from the scenario and apply their forces by the inputs of the FMU.",
        "A scenario made in Python whose callback is a tyre model.",
    ),
    "CB691": Entry(
        Severity.ERROR,
        "a mechanism that changes within an FMU",
        "The scenario locks, releases or joins something after its start. An FMU holds one mechanism, that after the "
        "changes at time 0, so it would move differently from then on. Nothing is written.",
        "Remove the events with a `time` above 0 from the scenario, or export one FMU for each phase.",
        "A gripper that is locked to its load after two seconds.",
    ),
    "CB692": Entry(
        Severity.WARNING,
        "events that an FMU does not report",
        "The scenario reports when a joint passes a position, or ends the run there. The FMU does neither: it goes on "
        "until its importer stops.",
        "Watch the joint's value in the importer.",
        "An event that ends the run when an arm is upright.",
    ),
    "CB693": Entry(
        Severity.INFO,
        "the integrator of an FMU",
        "Co-simulation uses the solver's method dopri5 with steps of controlled error, whatever the scenario asks for.",
        "Import the FMU for model exchange to integrate it by a method of your own.",
        "A scenario with `integrator: generalized_alpha`.",
    ),
    "CB694": Entry(
        Severity.ERROR,
        "a function of time that an FMU cannot hold",
        "Functions of time are stored as pieces of polynomials that follow them to 1e-11. This one takes more pieces "
        "than an FMU stores. Nothing is written.",
        "Shorten `duration` in the scenario, or remove the function and use the input of the FMU.",
        "A sine of a megahertz over an hour.",
    ),
    "CB695": Entry(
        Severity.ERROR,
        "no library for an FMU",
        "An FMU holds a shared library that is linked by a C compiler. None is here, it fails, or this system is not "
        "Linux on x86-64. Nothing is written.",
        "Run `pip install 'cadbridge[fmu]'`, which brings the compiler ziglang, or install gcc.",
        "A container without a compiler.",
    ),
    "CB1480": Entry(
        Severity.INFO,
        "limits found by moving a joint",
        "The source gives this joint no limits. It was moved with all that its loops and gears move, in steps of 5° or "
        "a fortieth of the assembly's size, until two parts met: the last pose without a collision is the limit, to "
        "0.16°. Where its loops can no longer be closed it has no limit: there a rocker turns back while its crank "
        "turns on, and the loops hold it.",
        "If the real limits differ, give them in the mates file or in NAME.cadbridge.yaml.",
        "A lever that stops at a post.",
    ),
    "CB1481": Entry(
        Severity.WARNING,
        "joints whose limits were not found",
        "The joint was not moved until something stops it: it cannot move, or the number of tests was reached.",
        "Give its limits in the mates file or in NAME.cadbridge.yaml.",
        "A hinge whose pin presses into its plate from the start.",
    ),
    "CB1482": Entry(
        Severity.WARNING,
        "parts that were not tested for limits",
        "The search for limits tests closed meshes for collisions. These parts have none, so a joint may stop before "
        "the limit that was found.",
        "Close their meshes, or give the limits of their joints.",
        "A cover as an open shell.",
    ),
    "CB1483": Entry(
        Severity.ERROR,
        "a file that a checker of its format does not accept",
        "USD's own validators (usdchecker), the Omniverse asset validator or FMPy's validation find a fault in what "
        "was written.",
        "Report this with the source: the export is wrong.",
        "A rigid body below another one without a reset of its transform.",
    ),
    "CB1484": Entry(
        Severity.INFO,
        "a checker that is not installed",
        "`verify` asks every checker of the format that is installed. This one is not, so what it checks was not "
        "tested.",
        "Install it beside cadbridge: `pip install omniverse-asset-validator`.",
        "`verify --to usd` without omniverse-asset-validator.",
    ),
    "CB1485": Entry(
        Severity.WARNING,
        "a warning of a checker",
        "A checker of the format warns of something that the source has too: most often edges of a mesh that "
        "more than two triangles share. Engines load the file.",
        "Mend the mesh in the source, or give its part another collision shape (`--collision hull`).",
        "A part whose STL touches itself along an edge.",
    ),
    "CB1489": Entry(
        Severity.ERROR,
        "an export that its engine does not load",
        "The engine refuses the files, or they lack a link or joint that losses.json names.",
        "Export the source again with `cadbridge convert`, or correct the fault that the engine names.",
        "A robot.xml that somebody cut in half.",
    ),
}

FAMILIES = (Family("export", "exports", Stage.EXPORT, ENTRIES),)
