"""Codes: The ROS 2 package."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB550": Entry(
        Severity.INFO,
        "a package with another name",
        "ROS package names are lower case letters, digits and underscores (REP 144). The package of the robot is "
        "called NAME_description.",
        "Rename the source, or the folder and the name in package.xml, CMakeLists.txt and the launch files.",
        "`KR 15` becomes `kr_15_description`.",
    ),
    "CB551": Entry(
        Severity.INFO,
        "independent joints without a drive",
        "The source has drives, and these joints neither have one nor follow another joint. ros2_control measures "
        "them and does not command them.",
        "Add drives in the mates file if these joints are to be commanded.",
        "A swinging hook on a crane whose slewing gear alone has a motor.",
    ),
    "CB552": Entry(
        Severity.WARNING,
        "more drives than freedoms",
        "These joints have drives, but their values follow from those of the other driven joints. Position commands "
        "to all of them would contradict each other, so they have none.",
        "Choose which drives act: remove the others from the source.",
        "A four-bar linkage with a motor on the crank and one on the rocker.",
    ),
    "CB553": Entry(
        Severity.WARNING,
        "a closure that the relay does not hold",
        "The node that closes loops has no equation for this constraint, or a body of the loop floats. ROS shows the "
        "robot with this constraint open.",
        "Publish the states of the joints of this loop from a node of your own.",
        "A cam whose follower closes a loop.",
    ),
    "CB554": Entry(
        Severity.WARNING,
        "loops that are open as designed",
        "Even the best values of the passive joints leave a gap in the designed pose. The relay takes twice this gap "
        "as closed.",
        "Correct the placements or the dimensions in the source.",
        "Two bars whose holes miss each other by 0.1 mm.",
    ),
    "CB555": Entry(
        Severity.WARNING,
        "floating joints",
        "robot_state_publisher publishes no transform for a floating joint. RViz shows what hangs on it only when "
        "another node publishes the transform.",
        "Ground the base in the mates file, or publish the transform (odometry, ground truth).",
        "The trunk of a quadruped.",
    ),
    "CB556": Entry(
        Severity.WARNING,
        "a package without controllers",
        "ros2_control needs a joint of one freedom that is commanded or measured, and the model has none. The package "
        "shows the robot only.",
        "Check the mates and which parts are grounded.",
        "An assembly of fixed parts.",
    ),
    "CB557": Entry(
        Severity.WARNING,
        "a collision matrix without samples",
        "The SRDF disables pairs of adjacent links only. Planners check every other pair, which is safe and slow.",
        "Run `pip install 'cadbridge[ros2]'`, which brings what samples collisions.",
        "`--to ros2` without the package coal.",
    ),
    "CB558": Entry(
        Severity.INFO,
        "how the collision matrix was made",
        "The message gives how many poses were checked for collisions; all are within the limits and close all loops. "
        "Default: the pair touches as designed; Always: it touches in 95 % of the poses; Never: it stays apart by 1 % "
        "of the robot's size in all of them and in a search from the nearest.",
        "No action is needed. `--poses` sets the number.",
        "10000 poses of 10000 drawn: 2 Default, 0 Always, 11 Never.",
    ),
    "CB559": Entry(
        Severity.WARNING,
        "a collision matrix of few poses",
        "Few of the poses drawn were within all limits with closed loops, or the model has too many pairs of bodies "
        "for the number of checks allowed. Pairs may be disabled that collide in a pose that was not tried; of no pose "
        "at all, none is disabled as one that never touches.",
        "Give limits to joints without, and correct those that exclude each other; use `--collision hull` or "
        "`primitives` for fewer bodies to check.",
        "30 poses of 30000 drawn: a linkage near a toggle position.",
    ),
    "CB560": Entry(
        Severity.INFO,
        "joints that the relay computes",
        "The node loop_relay computes these joints from the active ones and publishes all joint states. In Gazebo "
        "the loops themselves stay open.",
        "No action is needed. The launch files of the package start the node.",
        "The coupler and the rocker of a four-bar linkage.",
    ),
    "CB561": Entry(
        Severity.INFO,
        "a ros2_control section that the package replaces",
        "The package writes ros2_control anew, with mock and simulated hardware. Two sections that command the same "
        "joints cannot be loaded, so the section of the source is in the model only with `ros2_control:=false`.",
        "Pass the source's hardware by `hardware_plugin:=`, or keep its section with `ros2_control:=false`.",
        "A URDF with <ros2_control> for a real robot.",
    ),
    "CB562": Entry(
        Severity.ERROR,
        "a ROS 2 package that its programs read differently",
        "Pinocchio does not take the SRDF as it is written, or the relay leaves a loop open or places a link "
        "elsewhere than Pinocchio does.",
        "Report this with the source: the export is wrong.",
        "A loop that stays open by 1 mm at values within the limits.",
    ),
}

FAMILIES = (Family("ros2", "the ROS 2 package", Stage.EXPORT, ENTRIES),)
