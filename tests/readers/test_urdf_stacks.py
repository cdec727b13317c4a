"""A URDF's ball and universal joints, hinges in a row with massless links between them; loops that stand beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.simulation.trajectory import columns_of

ZEROS = '<inertial><mass value="0.0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>'
BOB = (
    '<link name="bob"><inertial><origin xyz="0.3 0 0"/><mass value="2"/>'
    '<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)


def hinge(name: str, parent: str, child: str, axis: str) -> str:
    return (
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="{axis}"/></joint>'
    )


def robot(folder: Path, inner: str) -> cb.Assembly:
    """A bob on a ball joint of three hinges; `inner` is what the links between them hold."""
    between = "".join(f'<link name="{n}">{inner}</link>' for n in ("one", "two"))
    joints = hinge("z", "base", "one", "0 0 1") + hinge("x", "one", "two", "1 0 0") + hinge("y", "two", "bob", "0 1 0")
    file = folder / "ball.urdf"
    file.write_text(f'<robot name="ball"><link name="base"/>{between}{BOB}{joints}</robot>')
    return cb.read(file)


@pytest.mark.parametrize("inner", ["", ZEROS])
def test_hinges_in_a_row_are_one_joint_whatever_the_links_between_write(inner: str, tmp_path: Path) -> None:
    assembly = robot(tmp_path, inner)
    (told,) = [f for f in assembly.findings if f.code == "CB1263"]
    assert told.items == ("one", "two")
    assert not {"CB191", "CB301", "CB302"} & {f.code for f in (*assembly.findings, *cb.build(assembly).findings)}
    found = cb.diagnose(cb.build(assembly))
    assert found.mobility.dof == 3


@pytest.mark.parametrize("inner", ["", ZEROS])
def test_a_bob_on_three_hinges_falls_as_a_pendulum_on_one(inner: str, tmp_path: Path) -> None:
    run = cb.simulate(cb.build(robot(tmp_path, inner)), duration=0.4)
    single = tmp_path / "single.urdf"
    single.write_text(f'<robot name="p"><link name="base"/>{BOB}{hinge("y", "base", "bob", "0 1 0")}</robot>')
    other = cb.simulate(cb.build(cb.read(single)), duration=0.4)
    swung, swung_alone = (columns_of(r)["joint.y.q"][0] for r in (run, other))
    assert float(np.ptp(swung)) > 1.0
    assert swung == pytest.approx(swung_alone, abs=1e-7)


def test_a_link_that_says_zero_and_carries_nothing_is_still_told(tmp_path: Path) -> None:
    file = tmp_path / "end.urdf"
    file.write_text(
        f'<robot name="r"><link name="base"/>{BOB}<link name="end">{ZEROS}</link>'
        f"{hinge('a', 'base', 'bob', '0 1 0')}{hinge('b', 'bob', 'end', '0 1 0')}</robot>"
    )
    assert [f.where.item for f in cb.read(file).findings if f.code == "CB191"] == ["end"]


def test_loops_that_the_generator_wrote_beside_the_urdf_are_told(tmp_path: Path) -> None:
    (tmp_path / "robot.yaml").write_text("closed_loop: [['bob', 'other_A'], ['two', 'other_B']]\ntype: ['6d', '3d']\n")
    (told,) = [f for f in robot(tmp_path, "").findings if f.code == "CB1264"]
    assert "bob, other_A, two, other_B" in told.message
    assert told.items == ("bob", "two")
    (tmp_path / "robot.yaml").write_text("name_mot: ['a']\n")
    assert "CB1264" not in {f.code for f in robot(tmp_path, "").findings}
