"""What a mechanism is exported to: one table of formats, read by the export, the command line, jobs and `verify`.

It stands below all of these and imports nothing, so that `cadbridge convert --help` loads no exporter.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A format that `cadbridge convert --to NAME` writes.

    `exporter` is the module whose `contents(mechanism, name, findings, options)` returns the files, relative path →
    bytes; it is imported when used. `engine` names the program that `cadbridge verify` loads the export in, "" where
    there is none. `opened` is the ending of the file to open, and `opens_with` the line that says how: {0} is its path,
    or the package's folder and {1} the package's name where `is_package`.

    What the format holds beside bodies and joints: `collision`, geometry for contact of its own; `carries_collision`,
    that of the source as data; `efficiencies` of gears, and the redundant rows of mates; `extensions`, the elements
    that a URDF holds for other programs; `weight_shares`, which shares of a link's weight may be compensated: "any",
    "all" of it, or none ("").
    """

    name: str
    exporter: str
    engine: str = ""
    opened: str = ""
    opens_with: str = ""
    is_package: bool = False
    collision: bool = False
    carries_collision: bool = False
    efficiencies: bool = False
    extensions: bool = False
    weight_shares: str = ""


TARGETS: tuple[Target, ...] = (
    Target(
        "urdf",
        "cadbridge.exporters.urdf",
        engine="Pinocchio",
        opened=".urdf",
        opens_with="load {0} in ROS, Pinocchio or Drake; `cadbridge verify SOURCE --to urdf` compares.",
        collision=True,
        extensions=True,
    ),
    Target(
        "ros2",
        "cadbridge.exporters.ros2",
        engine="Pinocchio",
        opened=".urdf.xacro",
        opens_with="put {0} into a workspace, `colcon build`, `ros2 launch {1} view.launch.py`.",
        is_package=True,
        collision=True,
        extensions=True,
    ),
    Target(
        "mjcf",
        "cadbridge.exporters.mjcf",
        engine="MuJoCo",
        opened=".xml",
        opens_with="python -m mujoco.viewer --mjcf={0}",
        collision=True,
        weight_shares="any",
    ),
    Target(
        "sdf",
        "cadbridge.exporters.sdf",
        engine="Drake",
        opened=".sdf",
        opens_with="gz sim {0}",
        collision=True,
        weight_shares="all",
    ),
    Target("usd", "cadbridge.exporters.usd", engine="Newton", collision=True),
    Target(
        "fmu",
        "cadbridge.exporters.fmu",
        engine="FMPy",
        opened=".fmu",
        opens_with="fmpy simulate {0} --show-plot, or import it into any tool that reads FMI.",
        efficiencies=True,
    ),
    Target("glb", "cadbridge.exporters.glb", opened=".glb", opens_with="open {0} in any viewer of glTF."),
    Target("json", "cadbridge.exporters.plain", carries_collision=True, efficiencies=True, extensions=True),
    Target("python", "cadbridge.exporters.script", opened=".py", opens_with="python {0}"),
    Target(
        "step-ap242",
        "cadbridge.exporters.step_ap242",
        opened=".step",
        opens_with="open {0} in a CAD system that reads kinematics of AP242.",
    ),
    Target(
        "mates-file",
        "cadbridge.exporters.mates_file",
        opened=".yaml",
        opens_with="lay {0} beside the source as NAME.mates.yaml, or pass it by --mates.",
        carries_collision=True,
    ),
)
"""In the order in which `--help` names them."""


def target_named(name: str) -> Target | None:
    """The target of that name; None where there is none."""
    return next((target for target in TARGETS if target.name == name), None)


def target_names() -> tuple[str, ...]:
    """The names that `--to` takes."""
    return tuple(target.name for target in TARGETS)
