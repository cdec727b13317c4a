"""Every number of an MJCF that MuJoCo's own specification knows is changed in turn: the MJCF exported again or what is
reported of it must change with it, or MuJoCo must move alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from cadbridge.errors import CadbridgeError
from cadbridge.exporters import export
from cadbridge.mechanism import build
from cadbridge.readers import ReadOptions
from cadbridge.reading import read

MODEL = """<mujoco model="m"><option density="1" viscosity="0.1"/><worldbody>
<body name="a" pos="0 0 1"><joint name="hinge" axis="0 1 0" range="-90 90" stiffness="1" damping="0.1"
    frictionloss="0.1" armature="0.01" actuatorfrcrange="-5 5"/>
  <geom name="ga" type="capsule" size="0.05 0.3" mass="1"/><site name="s" pos="0 0 0.1"/>
  <body name="b" pos="0.3 0 0"><joint name="slide" type="slide" axis="1 0 0" range="-1 1" stiffness="2" damping="0.2"/>
    <geom name="gb" type="box" size="0.1 0.1 0.1" mass="1"/>
    <body name="c" pos="0.3 0 0"><joint name="ball" type="ball" damping="0.1"/>
      <geom name="gc" type="sphere" size="0.1" mass="1"/></body></body></body>
<body name="f" pos="0 0 3"><freejoint name="free"/><geom name="gf" type="box" size="0.1 0.2 0.3" mass="2"/></body>
</worldbody>
<tendon><fixed name="t" stiffness="1" damping="0.1" range="-1 1" springlength="0.1">
  <joint joint="hinge" coef="1"/><joint joint="slide" coef="2"/></fixed></tendon>
<equality><joint name="e" joint1="slide" joint2="hinge" polycoef="0 1 0 0 0"/>
  <connect name="k" body1="c" body2="world" anchor="0 0 0"/></equality>
<actuator><position name="p" joint="hinge" kp="10" kv="1" ctrlrange="-1 1" forcerange="-5 5"/>
  <general name="g" joint="slide" dyntype="filter" dynprm="0.1" gainprm="3" biastype="affine" biasprm="0 -1 -0.1"
    actlimited="true" actrange="-1 1"/></actuator>
<keyframe><key name="home" qpos="0.1 0 1 0 0 0 0 0 3 1 0 0 0" ctrl="0.1 0" act="0.2"/></keyframe></mujoco>"""

LOOP = '<connect name="k" body1="c" body2="world" anchor="0 0 0"/>'
OPEN = MODEL.replace(LOOP, "")
"""Without the loop, which each of some hundred models would be closed by."""

OF: dict[str, Callable[[Any], Any]] = {
    "joint hinge": lambda s: s.joint("hinge"),
    "joint slide": lambda s: s.joint("slide"),
    "joint ball": lambda s: s.joint("ball"),
    "joint free": lambda s: s.joint("free"),
    "actuator p": lambda s: s.actuator("p"),
    "actuator g": lambda s: s.actuator("g"),
    "equality e": lambda s: s.equality("e"),
    "equality k": lambda s: s.equality("k"),
    "body": lambda s: s.body("a"),
    "site": lambda s: s.site("s"),
    "tendon": lambda s: s.tendon("t"),
    "option": lambda s: s.option,
    "key": lambda s: s.keys[0],
}

LOOKS = {"group", "rgba", "size", "userdata", "info", "name", "classname"}
"""What MuJoCo draws with, and what is for people."""

OF_OTHER_ACTUATORS = {"lengthrange", "ctrlspec", "ffrange", "velrange", "interp", "nsample"}
"""Of muscles, of controllers with integral and feed-forward, and of delays, which are reported."""

WITHOUT_EFFECT = {
    "joint ball": {"ref", "springref", "actfrcrange"},
    "joint free": {"ref", "springref", "range", "actfrcrange"},
    "body": {"fuse", "simple"},
    "actuator p": {"dynprm", "actrange", "actearly", *OF_OTHER_ACTUATORS},
    "actuator g": OF_OTHER_ACTUATORS,
}
"""What MuJoCo does not use in joints and actuators of these kinds."""


def _outcome(xml: str, folder: Path) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The MJCF exported again, and what was reported of it."""
    path = folder / "x.xml"
    path.write_text(xml, encoding="utf-8")
    try:
        mechanism = build(read(path, options=ReadOptions(geometry=False)))
        exported = export(mechanism, folder / "out", "mjcf")
        findings = (*mechanism.assembly.findings, *mechanism.findings, *exported.findings)
        written = (folder / "out" / "robot.xml").read_text("utf-8")
    except CadbridgeError as error:
        written, findings = "", tuple(error.findings)
    return written, tuple((f.code, f.message) for f in findings)


def _changed(value: Any) -> Iterator[Any]:
    """Other values of an attribute that holds numbers."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield type(value)((value if np.isfinite(value) else 0) + 1)
    elif isinstance(value, np.ndarray) and value.dtype.kind in "fi":
        for i in {0, value.size - 1}:
            other = np.where(np.isfinite(value), value, 0).astype(value.dtype)
            other.flat[i] += 1
            yield other


def _variants(model: str, of: Callable[[Any], Any]) -> Iterator[tuple[str, str]]:
    """An attribute's name, and the model with another value there, where MuJoCo takes and writes it."""
    original = mujoco.MjSpec.from_string(model)  # elements live as long as it
    element = of(original)
    for name in sorted(n for n in dir(element) if not n.startswith("_") and n not in LOOKS):
        for value in _changed(getattr(element, name, None)):
            spec = mujoco.MjSpec.from_string(model)
            try:
                setattr(of(spec), name, value)
                spec.compile()
                yield name, spec.to_xml()
            except (AttributeError, ValueError):  # what only MuJoCo sets, or a value that it refuses
                continue


def test_a_free_joint_that_an_equality_replaces_is_reported(tmp_path: Path) -> None:
    held = MODEL.replace('body2="world"', 'body2="f"')
    before, tied = (_outcome(model, tmp_path)[1] for model in (MODEL, held))
    assert [message for code, message in tied if code == "CB1255"] == ["f has a free joint and is held by equalities"]
    assert "CB1255" not in {code for code, _ in before}
    loaded = _outcome(held.replace('<freejoint name="free"/>', '<joint type="free" damping="1"/>'), tmp_path)[1]
    assert [message.partition(":")[0] for code, message in loaded if code == "CB1410"] == ["f"]


@pytest.mark.parametrize("kind", OF)
def test_what_mujoco_would_move_by_is_carried_or_reported(kind: str, tmp_path: Path) -> None:
    model = MODEL if kind == "equality k" else OPEN
    as_it_is = mujoco.MjSpec.from_string(model).to_xml()
    before = _outcome(as_it_is, tmp_path)
    changed = [(name, xml) for name, xml in _variants(model, OF[kind]) if xml != as_it_is]
    assert changed
    kept: set[str] = set()
    for name, xml in changed:
        if name not in kept and _outcome(xml, tmp_path) != before:
            kept.add(name)
    lost = {name for name, _ in changed} - kept
    assert sorted(lost - WITHOUT_EFFECT.get(kind, set())) == []
