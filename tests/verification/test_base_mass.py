"""The mass of what stands still: exports have it or say that they have not, and `verify` compares it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.readers import ReadOptions
from cadbridge.verification import verify

MODEL = """<mujoco model="m"><worldbody><body name="base"><geom type="box" size=".1 .1 .05" mass="2"/>
  <body name="mark" pos="0 0 .3"><geom type="box" size=".003 .003 .003" mass="0"/></body>
  <body name="arm" pos="0 0 .1"><joint name="j" axis="0 1 0"/><geom type="box" size=".2 .02 .02" pos=".2 0 0" mass="1"/>
    <body name="tip" pos=".7 0 0"><geom type="box" size=".003 .003 .003" mass="0"/></body></body>
</body></worldbody></mujoco>"""
"""A base and an arm, each with a mark that has no mass."""

PLACES = {
    "urdf": ("*/urdf/*.urdf", r'<mass value="2"', '<mass value="2.5"'),
    "mjcf": ("robot.xml", r'mass="2"', 'mass="2.5"'),
    "sdf": ("model.sdf", r"<mass>2<", "<mass>2.5<"),
    "usd": ("layers/physics.usda", r"physics:mass = 2", "physics:mass = 2.5"),
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (path := tmp_path / "m.xml").write_text(MODEL, encoding="utf-8")
    return path


def test_a_geom_without_mass_adds_nothing_to_what_it_is_fixed_to(source: Path) -> None:
    found = cb.build(cb.read(source))
    assert found.ground.mass is not None
    assert found.ground.mass.mass == pytest.approx(2.0)
    assert found.bodies[0].mass is not None
    assert found.bodies[0].mass.mass == pytest.approx(1.0)
    weighed = cb.build(cb.read(source, options=ReadOptions(density=1000.0)))
    assert weighed.ground.mass is not None
    assert weighed.ground.mass.mass > 2.0


@pytest.mark.parametrize("to", PLACES)
def test_the_mass_of_a_base_is_compared(to: str, source: Path, tmp_path: Path) -> None:
    found = cb.build(cb.read(source))
    right_one = verify(found, to, duration=0.1)
    assert right_one.mass == pytest.approx(0.0)
    assert "the mass of what stands still" not in right_one.not_compared
    cb.export(found, tmp_path / "out", to=to)
    pattern, right, wrong = PLACES[to]
    for path in (tmp_path / "out").glob(pattern):
        path.write_text(re.sub(right, wrong, path.read_text("utf-8")), encoding="utf-8")
    spoilt = verify(found, to, duration=0.1, folder=tmp_path / "out")
    assert not spoilt.passed
    assert spoilt.mass == pytest.approx(0.25)


def test_a_base_that_is_known_in_part_is_told_and_named_as_not_compared(tmp_path: Path) -> None:
    """SDF has no link of mass 0, so what one weighs is not known."""
    text = '<link name="{}"><inertial><mass>{}</mass></inertial><visual name="v"><geometry><sphere><radius>.1</radius>'
    text += "</sphere></geometry></visual></link>"
    joint = '<joint name="{0} joint" type="{1}"><parent>base</parent><child>{0}</child>'
    joint += "<axis><xyz>0 1 0</xyz></axis></joint>"
    links = "".join(text.format(name, mass) for name, mass in (("base", 2), ("mark", 0), ("arm", 1)))
    weld = '<joint name="w" type="fixed"><parent>world</parent><child>base</child></joint>'
    joints = joint.format("mark", "fixed") + joint.format("arm", "revolute")
    (path := tmp_path / "m.sdf").write_text(f'<sdf version="1.9"><model name="m">{links}{weld}{joints}</model></sdf>')
    found = cb.build(cb.read(path))
    for to in ("mjcf", "usd"):
        (finding,) = [f for f in cb.export(found, tmp_path / to, to=to).findings if f.code == "CB545"]
        assert finding.items == ("base",)
        assert "mark has no density" in finding.message
    assert verify(found, "mjcf", duration=0.1).not_compared["the mass of what stands still"] == "it is not known"


def test_usd_says_that_ground_on_which_nothing_hangs_has_no_mass(tmp_path: Path) -> None:
    base = '<body name="base"><geom type="box" size=".1 .1 .1" mass="2"/></body>'
    bodies = base + '<body name="b"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>'
    (path := tmp_path / "m.xml").write_text(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>", encoding="utf-8")
    found = cb.build(cb.read(path))
    (finding,) = [f for f in cb.export(found, tmp_path / "out", to="usd").findings if f.code == "CB545"]
    assert "weighs 2 kg" in finding.message
    assert verify(found, "usd", duration=0.1).not_compared["the mass of what stands still"] == "the format has none"
