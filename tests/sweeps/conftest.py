"""A pendulum as a robot file, whose motion is known."""

from __future__ import annotations

from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.mechanism import Mechanism

PENDULUM = """<robot name="pendulum"><link name="base"/>
<link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="{mass}"/>
<inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
<dynamics damping="{damping}"/></joint></robot>
"""


def written(folder: Path, name: str = "pendulum.urdf", mass: float = 2.0, damping: float = 0.5) -> Path:
    """The pendulum of 1 m with a density of its own: its inertia is a tenth of its mass."""
    path = folder / name
    path.write_text(PENDULUM.format(mass=mass, i=0.1 * mass, damping=damping))
    return path


@pytest.fixture(scope="session")
def pendulum(tmp_path_factory: pytest.TempPathFactory) -> Mechanism:
    return cb.build(cb.read(written(tmp_path_factory.mktemp("pendulum"))))
