"""Codes: Simulation."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB601": Entry(
        Severity.ERROR,
        "an invalid scenario file",
        "The scenario file has an unknown key, a missing key or a wrong value at the given place.",
        "See docs/scenario.md for the keys and their units.",
        "`durration: 5`.",
    ),
    "CB544": Entry(
        Severity.WARNING,
        "a gravity far beyond Earth's",
        "Gravity is more than ten times that of Earth. The run uses it.",
        "Gravity is in m/s²: [0, 0, -9.81] on Earth where z is up. 9810 is its value in mm/s².",
        "`gravity: [0, 0, -9810]` in a scenario.",
    ),
    "CB602": Entry(
        Severity.ERROR,
        "a joint that cannot be driven",
        "The scenario names a joint, mate or drive that does not exist or does not have exactly one freedom.",
        "Name one of the revolute or prismatic joints that `cadbridge check` lists.",
        "`motors: {A7: 1.5}` of a robot with six axes.",
    ),
    "CB603": Entry(
        Severity.ERROR,
        "a function of time that cannot be read",
        "The value of a motor is a number, an expression of t, or a table of [time, value]. This value is none "
        "of them.",
        'Write a number, an expression such as "0.4*sin(2*pi*t)", or {table: [[0, 0], [1, 90]]}.',
        '`value: "sin(2*pi*t"` without its closing parenthesis.',
    ),
    "CB604": Entry(
        Severity.ERROR,
        "an unknown component",
        "A load of the scenario names a component that does not exist, or a short name that several share.",
        "Use a component name that `cadbridge inspect` lists, or `ground`.",
        "A load on component Grippr.",
    ),
    "CB605": Entry(
        Severity.ERROR,
        "a load that cannot act as written",
        "Both ends of a spring or bushing are on one rigid body, a wrench acts on the ground or is zero, axes "
        "have no direction, a stop has no range, or a joint has two entries for its stops or its friction, of which "
        "one alone can act.",
        "Name two components that move relative to each other, add what is missing, or keep one of two entries.",
        "A spring whose two ends are both on the base.",
    ),
    "CB606": Entry(
        Severity.ERROR,
        "a function of time without a value",
        "The function has no finite value at the given time: it divides by zero there, takes the root or logarithm of "
        "a negative number, or is too large for a number.",
        "Change the function so that it has a finite value throughout the run, such as `1/(t + 1)` for `1/t`, or give "
        "a table of points.",
        "A motor whose angle is `1/t`, at t = 0.",
    ),
    "CB607": Entry(
        Severity.ERROR,
        "more samples than can be kept",
        "The duration times the rate asks for more samples of the run than a machine has memory for.",
        "Lower `rate` or `duration` in the scenario: the steps of the solver do not depend on the rate.",
        "A run of a day with 1000 samples a second.",
    ),
    "CB608": Entry(
        Severity.ERROR,
        "a value that the solver does not take",
        "The solver says in the message what it does not take: an inertia that is not symmetric, an initial value that "
        "is not a number, an event without a value. Nothing was computed.",
        "Correct what the message names.",
        "A run in Python from a position of NaN.",
    ),
    "CB610": Entry(
        Severity.ERROR,
        "a body without a mass",
        "The motion cannot be computed without mass properties, and cadbridge does not invent them.",
        "Give a density (--density, --material, or `density:` in the mates file) or a mass.",
        "An arm whose source has no density or material.",
    ),
    "CB611": Entry(
        Severity.ERROR,
        "a simulation that stopped early",
        "The solver stopped at the given time, for the reason in the message. The results up to that time are kept.",
        "The message names the cause and a remedy: for example a shorter step, a smaller tolerance, or a driven "
        "pose that the mechanism cannot reach.",
        "A linkage driven beyond the reach of its bars.",
    ),
    "CB612": Entry(
        Severity.WARNING,
        "a joint beyond its limits",
        "The joint passed one of its limits. It has no stop there unless the scenario sets `limits: stop`. A motor "
        "that gives the motion goes through a stop, and a stop yields where more presses on it than gravity.",
        "Write `limits: stop` in the scenario file (`simulate --scenario FILE`), or change the motors or the initial "
        "state there. Otherwise the run is valid for a mechanism without stops.",
        "A hinge of ±90° that falls to 120°.",
    ),
    "CB613": Entry(
        Severity.WARNING,
        "friction, damping or a spring that is not simulated",
        "The scenario sets `friction: ignore`; or the joint has several freedoms, and one coefficient does not "
        "define the friction, spring or rotor inertia of each; or no body carries both wheels of a gear pair with an "
        "efficiency, so the sense of its power flow is unknown. Motors sized without these losses are too small.",
        "Define springs, bushings and friction in the scenario, or set the `carrier` of the gear. Ignore this if "
        "the losses are negligible.",
        "A cylindrical joint with one coefficient for rotation and travel.",
    ),
    "CB614": Entry(
        Severity.ERROR,
        "an initial state that the mechanism cannot take",
        "No pose satisfies the constraints and all requested joint values, or no motion of it has all requested rates. "
        "A rate alone does not hold its joint at a position, nor a position its joint at rest.",
        "Set fewer values, or values that are consistent.",
        "`initial: {positions: {A: 30, B: 40}}`, while a gear makes B −60 when A is 30.",
    ),
    "CB696": Entry(
        Severity.WARNING,
        "joints that an initial value moves too",
        "Joints of loops and gears without an initial value stay as designed where the given values, and couplings "
        "that do not hold as designed, allow it. Here not all of them can: the joints named move or turn, by the least "
        "displacement weighted by masses, the one that moves most first. Joints that the given values determine, as in "
        "a slider-crank, follow too, and are not named. cadbridge tries to hold up to 24 joints, one after the other, "
        "driven ones first; if there are more, all of them may move.",
        "Give the initial values of these joints too, or values that the mechanism reaches with the others at rest.",
        "A crank of a five-bar at −80°, which it reaches only if the driven crank on the other side moves.",
    ),
    "CB689": Entry(
        Severity.WARNING,
        "joints of large loops that do not begin as designed",
        "A motor with an `angle` or a `speed` leads a joint of these loops at the start, and the joints named move or "
        "turn too. Where loops that share bodies have more than 120, cadbridge does not look for the joints that could "
        "stay as designed and at rest: all move, by the least displacement weighted by masses.",
        "Give the initial values of these joints in the scenario (`initial`), 0 for what is to stay as designed.",
        "A track of 130 links whose sprocket begins with a speed.",
    ),
    "CB698": Entry(
        Severity.INFO,
        "couplings that do not hold as designed",
        "A coupling has an offset that the placements do not have. The run, and the motion of `inverse`, begin where "
        "all couplings hold: leading and driven joints stay as designed, the joints that follow are moved.",
        "No action is needed. To begin elsewhere, give the leading joint an initial value in the scenario.",
        "A gripper's finger that mimics another with an offset of 10 mm.",
    ),
    "CB615": Entry(
        Severity.WARNING,
        "a prescribed motion that is ignored",
        "The source prescribes a motion or velocity that the mechanism cannot follow. cadbridge omits it.",
        "Prescribe the motion of a joint with one freedom in a scenario.",
        "A file that prescribes both cranks of one four-bar.",
    ),
    "CB616": Entry(
        Severity.ERROR,
        "a run that differs from its reference",
        "Positions or velocities differ from the trajectory in the source by more than its stated tolerance.",
        "Tighten the tolerances of the run. If the difference stays, check for mates, masses or velocities that "
        "were misread.",
        "Positions differ by 3 mm after one second; the file states an error of 1e-6.",
    ),
    "CB697": Entry(
        Severity.ERROR,
        "a freedom without inertia",
        "The body can move in a way that moves no mass and no moment of inertia, so any torque or force would "
        "accelerate it without bound. cadbridge does not invent an inertia. Exporters write zeros for frames and "
        "flanges.",
        "Give the part a mass and moments of inertia in the file or the mates file, or use --mass from-mesh with a "
        "density. An `armature` of its joint, or a motor of the scenario that prescribes the motion, also suffices; "
        "for `inverse`, so does a motion file that prescribes it.",
        "A flange of 1e-6 kg with moments of 0, on the last axis of an arm.",
    ),
    "CB617": Entry(
        Severity.WARNING,
        "motion without masses",
        "Masses are unknown, but drivers prescribe the motion of these bodies, so positions do not depend on their "
        "masses. Forces and energies are not computed.",
        "Give the masses if you need forces.",
        "A crank driven at constant speed in a file without masses.",
    ),
    "CB618": Entry(
        Severity.WARNING,
        "a reference that misses its own tolerance",
        "Nothing drives or damps the motion, so its energy is constant. The energy of the reference drifts by "
        "more than its stated tolerance, so no exact solution lies within that tolerance.",
        "Compare with the real error of the reference, or compute the reference again with a smaller tolerance.",
        "A pendulum without friction whose energy grows by 1 % in the file's own run.",
    ),
    "CB619": Entry(
        Severity.ERROR,
        "a run that the tree method does not support",
        "The tree method takes each joint once (without `--keep-redundant`) and integrates explicitly.",
        "Remove `--method tree`, or the option that the message names.",
        "`--method tree` with an implicit integrator.",
    ),
    "CB620": Entry(
        Severity.ERROR,
        "a meaningless change",
        "An event attaches what is already attached, releases or locks what does not exist, welds a body to "
        "itself, or is later than the end of the run.",
        "Check what is attached and locked at that time (docs/scenario.md).",
        "`release: gripper` at 2 s, of a gripper that was never attached.",
    ),
    "CB621": Entry(
        Severity.ERROR,
        "parts that are not in contact",
        "A change attaches parts that are not where they would be held. The run ends there, with the results so far.",
        "Move the parts to where they meet, or change the time.",
        "A part 40 mm from the gripper that should grip it.",
    ),
    "CB622": Entry(
        Severity.ERROR,
        "a change that requires an impulse",
        "The velocities at that time do not match what is attached or locked. They would have to jump, by an "
        "impulse of the size in the message. The run ends there.",
        "Match the velocities of the parts, or set `impact: plastic`.",
        "A gripper that closes on a moving part.",
    ),
    "CB623": Entry(
        Severity.ERROR,
        "a change that leaves a freedom without inertia",
        "After the release a freedom has no inertia, so its motion is undetermined. The run ends there.",
        "Give the body a mass, or hold it.",
        "The last mate of a weightless link is released.",
    ),
    "CB624": Entry(
        Severity.WARNING,
        "couplings that are released",
        "Gears or other couplings act on the released joint. They stop acting with it, and do not act again when "
        "the joint is attached, because the meshing tooth is unknown.",
        "No action is needed if this is intended. Otherwise lock the joint instead of releasing it.",
        "The hinge of a gear wheel is released.",
    ),
    "CB688": Entry(
        Severity.WARNING,
        "changes that the run ended before",
        "The run ended before the times of these changes: at an event with `stop: true`, at a change that was refused, "
        "or because it could not go on. They did not take place.",
        "Remove `stop: true` from the event, or give the changes earlier times.",
        "`{joint: A1, position: 90, stop: true}`, which A1 passes at 0.4 s, and `{time: 0.5, lock: A2}`.",
    ),
    "CB625": Entry(
        Severity.INFO,
        "mates that contradict each other by rounding",
        "Redundant mates cannot all hold exactly, because a CAD file rounds its dimensions. They differ by less "
        "than the scenario's `gap`, so cadbridge moves the joints on their parts, by the amount in the message, "
        "until all mates hold along the whole motion.",
        "No action is needed. To avoid the adjustment, remove the redundant mates that `cadbridge check` lists, "
        "or set a smaller `gap`.",
        "A Bennett linkage whose twists are written with six digits.",
    ),
    "CB626": Entry(
        Severity.WARNING,
        "mates that jam",
        "Redundant mates contradict others slightly at the designed pose. Within the scenario's `gap` no "
        "mechanism was found in which all mates hold along the motion (or too many depend on each other to "
        "search). A real mechanism would jam or bend. The run uses the mates as they are and may not move.",
        "Check the mates named, or allow a larger `gap`.",
        "A Bennett linkage whose twists are written with three digits.",
    ),
    "CB631": Entry(
        Severity.ERROR,
        "two laws on one freedom",
        "A joint whose angle or speed is prescribed has another motor, or an initial value that differs from the "
        "prescribed one: the motion is given, so nothing else can act on it. Forces may share a joint (torque, pd, dc, "
        "cylinder); they add up.",
        "Keep one law for the joint: remove the prescribed motion, or the other motor or initial value.",
        "`{joint: A1, angle: 30*t}` and `{joint: A1, torque: 5}`.",
    ),
    "CB632": Entry(
        Severity.ERROR,
        "an impossible motor or cylinder",
        "A DC motor or cylinder of the scenario lacks a value that its other values require, or has values that "
        "exclude each other.",
        "Add or remove the value named (docs/scenario.md).",
        "A gearhead with an efficiency, of a motor without rotor_inertia.",
    ),
    "CB633": Entry(
        Severity.WARNING,
        "columns that the run does not have",
        "No column of this run belongs to the group, or matches the pattern, in `--columns`.",
        "Check the names in a table written without `--columns`. Patterns are case-sensitive.",
        "`--columns motors` of a run without motors.",
    ),
    "CB634": Entry(
        Severity.WARNING,
        "the wheel of a self-locking worm is prescribed",
        "The scenario prescribes the motion of a worm wheel, and the efficiency of its worm lets nothing drive it from "
        "there. Where the worm needs an effort to move, no force gives this motion, and the run ends (CB673).",
        "Prescribe the motion of the worm instead, or correct the efficiency. A worm of 0.5 or less locks itself.",
        "`angle` on the output of a worm gearbox with `efficiency: 0.4`.",
    ),
    "CB635": Entry(
        Severity.WARNING,
        "a motion that is prescribed twice",
        "The motion of the joint is prescribed, and mates, gears and the other prescribed motions determine it "
        "already. If the laws agree, the run continues, and their efforts are those with the least sum of "
        "squares. If they do not, the run cannot start or ends (CB611).",
        "Remove one of the laws that the message names, or drive by torque.",
        "`angle` on the motor's shaft and on the wheel that its gear turns.",
    ),
    "CB638": Entry(
        Severity.INFO,
        "a worm or crossed helical pair whose thrust is not known",
        "Such teeth push along the axes of their wheels, by an amount that follows from their pressure angle (and the "
        "worm's lead angle), which the source does not give. Motion, torques and losses are right; the wrenches in the "
        "joints that carry the two wheels are not those that the teeth cause.",
        "Give `pressure_angle`, of a worm with its `lead_angle`, in the mates file where bearings matter.",
        "`{type: worm, starts: 2, teeth: 40}` without angles.",
    ),
    "CB636": Entry(
        Severity.ERROR,
        "a release of a joint with a circuit",
        "A DC motor or cylinder acts along its joint for the whole run, and an event releases this joint.",
        "Release another joint, or drive this one by torque or pd, which end with the release.",
        "`release: Lift` of a joint with a `cylinder`.",
    ),
    "CB641": Entry(
        Severity.INFO,
        "servos that the scenario's motors replace",
        "The scenario moves the joint of a servo that the source has. The servo does not act beside that motor.",
        "No action is needed. To use the servo instead, remove the motor and give the servo's control under "
        "`controls`.",
        "A pd motor on the knee of a robot whose MJCF has a position servo there.",
    ),
    "CB642": Entry(
        Severity.WARNING,
        "servos that are limited one by one",
        "Several servos, or the servo of a tendon, act on one joint, whose limit of effort applies to their sum. "
        "cadbridge limits the sum if no servo has a limit of its own. Otherwise it limits each servo alone, and that "
        "of a tendon not at all, so that together they can exceed the joint's limit.",
        "Give each servo a limit of its own in the source. If they reach the joint's limit, simulate in the source's "
        "engine.",
        'Two `<position>` on a joint with `actuatorfrcrange="-10 10"`.',
    ),
    "CB643": Entry(
        Severity.WARNING,
        "contact that is not simulated",
        "The engine of the source simulates contact between geometries; cadbridge does not. A robot that stands on the "
        "ground there falls here, and bodies pass through one another.",
        "Fix the standing bodies to the ground in a mates file, or export the mechanism to an engine with contact.",
        "A quadruped on its feet.",
    ),
    "CB644": Entry(
        Severity.WARNING,
        "servos that are not simulated",
        "The scenario says `servos: ignore`. Joints that the source's servos hold move freely.",
        "Remove `servos: ignore` to simulate them.",
        "An arm that falls here and stands still in MuJoCo.",
    ),
    "CB645": Entry(
        Severity.WARNING,
        "properties of tendons that are not simulated",
        "cadbridge simulates the linear springs, dampers, dry friction, armature and servos of fixed tendons. It does "
        "not simulate what the message names: the range of a tendon, a spring with play, higher powers, a tendon over "
        "joints of several freedoms. As soon as that acts in MuJoCo, the joints of the tendon move differently there.",
        "Simulate in MuJoCo (`cadbridge convert --to mjcf` keeps it), or give the joints limits or springs of their "
        "own.",
        '`<fixed name="t" range="0 0.1">`.',
    ),
    "CB648": Entry(
        Severity.ERROR,
        "an invalid sweep file",
        "The sweep file has an unknown key, a missing key or a wrong value at the given place.",
        "See docs/sweep.md for the keys and their units.",
        "`{joint: A1, dampening: [0, 1]}`.",
    ),
    "CB649": Entry(
        Severity.ERROR,
        "a sweep of something that is not there",
        "The sweep varies a joint, body, gear or place in the scenario that does not exist, or a joint without the "
        "single freedom that a position or rate needs.",
        "Use the names that `cadbridge check` lists. An entry of a list in the scenario is named by its number from 1, "
        "its `joint` or its `name`.",
        "`{scenario: motors.3.torque, values: [0, 1]}` with two motors.",
    ),
    "CB650": Entry(
        Severity.ERROR,
        "a sweep that contradicts the model",
        "The model or the scenario cannot have the value, the quantity has no effect there, two entries vary the same "
        "quantity, or `relative` has nothing to multiply.",
        "Change or remove the entry that the message names.",
        "`{body: arm, mass: [0, 1]}`: a moving body needs a mass greater than 0.",
    ),
    "CB651": Entry(
        Severity.ERROR,
        "a sweep of no run, or of too many",
        "The number of runs is the product of the numbers of values, times `samples`. It must be at least 1, and at "
        "most a million.",
        "Give each entry of `vary` values, fewer where there are too many, or draw samples instead of a grid.",
        "Three parameters of a thousand values each.",
    ),
    "CB652": Entry(
        Severity.ERROR,
        "runs of a sweep that did not end well",
        "Some runs of the sweep were refused, stopped early, or cannot be trusted. Their rows say so in `status`, "
        "`findings` and `message`. The other runs are complete.",
        "Look at the rows whose status is not ok; `cadbridge explain` describes their codes.",
        "A starting position that a linkage cannot reach.",
    ),
    "CB653": Entry(
        Severity.ERROR,
        "a run of a sweep whose process failed",
        "The process that computed this run ended, for lack of memory or because of a bug in cadbridge. The sweep "
        "continued in a new process.",
        "Run the point alone with `cadbridge simulate`; use fewer `--workers` where memory is short.",
        "A run that keeps a million samples of a thousand bodies.",
    ),
    "CB654": Entry(
        Severity.WARNING,
        "a sweep that was stopped",
        "Ctrl-C ended the sweep. What was computed is kept; the rows of the other runs have the status not_run.",
        "Run the sweep again for the rest.",
        "Ctrl-C after 40 of 100 runs.",
    ),
    "CB1240": Entry(
        Severity.WARNING,
        "a reference that stands still",
        "All samples of the time series in the source have the same poses, while the run moves: the series was "
        "written before the motion was computed. Nothing can be compared.",
        "Compute the series again in the program that wrote the file. The run's own checks still apply.",
        "A file saved by FreeCAD after the assembly was solved, but not simulated.",
    ),
    "CB1258": Entry(
        Severity.WARNING,
        "a reference that contradicts its velocities",
        "The positions and the velocities of a part in the time series do not agree, so the series is not a solution "
        "of the equations of motion. OndselSolver writes such series where it finds positions by kinematics alone, in "
        "a mechanism that its motions do not fully drive. Nothing can be compared.",
        "Compute the series again with a dynamic analysis. The run's own checks still apply.",
        "A pendulum that stands still at 5.9 m/s.",
    ),
    "CB1241": Entry(
        Severity.INFO,
        "a reference without velocities",
        "Parts move in the time series in the source, but their velocities are missing or all 0. cadbridge "
        "compares positions and orientations only.",
        "No action is needed if positions are enough. Otherwise compute the series again with a program that "
        "writes velocities.",
        "A series of positions that were computed pose by pose.",
    ),
    "CB1242": Entry(
        Severity.WARNING,
        "a reference that breaks its own mates",
        "The time series in the source does not satisfy the mates and motions of the same file: its solver "
        "dropped equations that it considered redundant, or its tolerance was loose. No run that satisfies them "
        "can lie within the tolerance of such a series.",
        "Correct the joint named in the program that wrote the file, and compute the series again. The message "
        "lists what agrees apart from it.",
        "A shaft that leaves its cylindrical joint by 14°, since one of the joint's equations repeats others at the "
        "first pose.",
    ),
    "CB1243": Entry(
        Severity.WARNING,
        "a reference with omitted joints or forces",
        "cadbridge skipped joints, forces or motions of the source, and its time series was computed with them. "
        "The run therefore differs from it, which says nothing about the rest of the model.",
        "Define what was skipped in a mates file or a scenario, if it has an equivalent there. The finding of "
        "each names it.",
        "A cam and its follower without contact: the follower falls in the run.",
    ),
}

FAMILIES = (Family("simulation", "simulation", Stage.SIMULATION, ENTRIES),)
