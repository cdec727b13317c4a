"""What a mechanism is exported to: one table of formats, read by the export, the command line, jobs and `verify`.

It stands below all of these and imports none of ours, so that `cadbridge convert --help` loads no exporter.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class EngineCheck:
    """How `cadbridge verify` holds an export against its mechanism.

    Attributes:
        engine: The program's name.
        by: MODULE:NAME of what makes an engine of (folder, gravity); it is imported when used.
        model: The pattern of the file to load.
        aside: The ending of files that fit the pattern and are not meant.
        is_program: Whether the export runs by itself; `by` then compares it whole.
        closes_loops: Whether the engine holds loops.
        loads: What of a joint's loads it holds, whatever moves.
        judges: (the checker's name, MODULE:NAME of what gives its faults) of checkers that only look at files.
    """

    engine: str
    by: str
    model: str
    aside: str = "/"
    is_program: bool = False
    closes_loops: bool = False
    loads: tuple[str, ...] = ()
    judges: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Target:
    """A format that `cadbridge convert --to NAME` writes.

    Attributes:
        name: Its name.
        exporter: The module whose `contents(mechanism, name, findings, options)` returns the files, relative path →
            bytes; it is imported when used.
        compared: How an export is compared with its mechanism; None where no engine is known.
        opened: The ending of the file to open.
        opens_with: The line that says how: {0} is its path, or the package's folder and {1} the package's name where
            `is_package`.
        is_package: Whether the folder is a package of ROS.
        collision: Whether it holds geometry for contact of its own.
        carries_collision: Whether it holds the source's geometry for contact, as data.
        efficiencies: Whether it holds the efficiencies of gears, and the redundant rows of mates.
        tendons: Whether it holds what an MJCF says of tendons, their actuators, and activations.
        extensions: Whether it holds the elements that a URDF has for other programs.
        weight_shares: Which shares of a link's weight may be compensated: "any", "all" of it, or none ("").
    """

    name: str
    exporter: str
    compared: EngineCheck | None = None
    opened: str = ""
    opens_with: str = ""
    is_package: bool = False
    collision: bool = False
    carries_collision: bool = False
    efficiencies: bool = False
    tendons: bool = False
    extensions: bool = False
    weight_shares: str = ""


TARGETS: tuple[Target, ...] = (
    Target(
        "urdf",
        "cadbridge.exporters.urdf",
        compared=EngineCheck("Pinocchio", "cadbridge.verification.urdf:Pinocchio", "*/urdf/*.urdf", aside=".ros.urdf"),
        opened=".urdf",
        opens_with="load {0} in ROS, Pinocchio or Drake; `cadbridge verify SOURCE --to urdf` compares.",
        collision=True,
        extensions=True,
    ),
    Target(
        "ros2",
        "cadbridge.exporters.ros2",
        compared=EngineCheck("Pinocchio", "cadbridge.verification.ros2:Ros2", "*/urdf/*.urdf.xacro"),
        opened=".urdf.xacro",
        opens_with="put {0} into a workspace, `colcon build`, `ros2 launch {1} view.launch.py`.",
        is_package=True,
        collision=True,
        extensions=True,
    ),
    Target(
        "mjcf",
        "cadbridge.exporters.mjcf",
        compared=EngineCheck(
            "MuJoCo", "cadbridge.verification.engines:MuJoCo", "scene.xml", closes_loops=True, loads=("armature",)
        ),
        opened=".xml",
        opens_with="python -m mujoco.viewer --mjcf={0}",
        collision=True,
        tendons=True,
        weight_shares="any",
    ),
    Target(
        "sdf",
        "cadbridge.exporters.sdf",
        compared=EngineCheck("Drake", "cadbridge.verification.engines:Drake", "model.sdf", loads=("stiffness",)),
        opened=".sdf",
        opens_with="gz sim {0}",
        collision=True,
        weight_shares="all",
    ),
    Target(
        "usd",
        "cadbridge.exporters.usd",
        compared=EngineCheck(
            "Newton",
            "cadbridge.verification.newton:newton_or_stage",
            "*.usda",
            judges=(
                ("the validators of USD (usdchecker)", "cadbridge.verification.judges:usd"),
                ("omniverse-asset-validator", "cadbridge.verification.judges:omniverse"),
            ),
        ),
        collision=True,
    ),
    Target(
        "fmu",
        "cadbridge.exporters.fmu",
        compared=EngineCheck(
            "FMPy",
            "cadbridge.verification.fmu:compare_fmu",
            "*.fmu",
            is_program=True,
            judges=(("the validation of FMPy", "cadbridge.verification.judges:fmpy"),),
        ),
        opened=".fmu",
        opens_with="fmpy simulate {0} --show-plot, or import it into any tool that reads FMI.",
        efficiencies=True,
        tendons=True,
        weight_shares="any",
    ),
    Target("glb", "cadbridge.exporters.glb", opened=".glb", opens_with="open {0} in any viewer of glTF."),
    Target(
        "json",
        "cadbridge.exporters.plain",
        carries_collision=True,
        efficiencies=True,
        tendons=True,
        extensions=True,
        weight_shares="any",
    ),
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
        opens_with="pass {0} by --mates to a source of the same parts that has no mates of its own, such as STEP.",
        carries_collision=True,
        efficiencies=True,
    ),
)
"""In the order in which `--help` names them."""

_ALSO = {"gltf": "glb"}
"""Other names of formats, which are taken too: a `.glb` is glTF in one file."""


def target_named(name: str) -> Target | None:
    """Look up the format of an export.

    Args:
        name: Its name, or another that is taken for it.

    Returns:
        The format; None where there is none.
    """
    return next((target for target in TARGETS if target.name == _ALSO.get(name, name)), None)


def compared(name: str) -> EngineCheck | None:
    """How an export to the format of that name is compared; None where it is not."""
    target = target_named(name)
    return None if target is None else target.compared


def loaded(place: str) -> Any:
    """What MODULE:NAME names."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def target_names() -> tuple[str, ...]:
    """List the names that `export` and `--to` take.

    Returns:
        Names, in the order in which `--help` has them.
    """
    return tuple(target.name for target in TARGETS)
