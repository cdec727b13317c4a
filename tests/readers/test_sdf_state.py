"""The <state> of a world that Gazebo saved: models that stand elsewhere in it are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.reading import read

SAVED = """<sdf version="1.6"><world name="w"><model name="arm"><pose>1 0 0 0 0 0</pose>
<link name="base"><pose>0 0 1 0 0 0</pose><inertial><mass>1</mass></inertial></link></model>
<state world_name="w"><model name="ground_plane"><pose>0 0 0 0 0 0</pose></model>
<model name="arm"><pose>{model} 0 0 0 0 0</pose><link name="base"><pose>{link}</pose></link></model></state>
</world></sdf>"""


@pytest.mark.parametrize(
    ("model", "link", "told"),
    [
        (3, "3 0 1 0 0 0", "arm (2000 mm, 0°)"),
        (1, "1 0 1 0 0.5 0", "base of arm (0 mm, 28.6°)"),
        (1, "1 0 0.9999 0 0 0", ""),
        (1, "0 0 1 0 0 0", ""),
    ],
)
def test_a_saved_state_that_has_models_elsewhere_is_told(tmp_path: Path, model: int, link: str, told: str) -> None:
    """Gazebo Classic starts from it, and only "not read: 1 <state>" was said."""
    path = tmp_path / "saved.sdf"
    path.write_text(SAVED.format(model=model, link=link), encoding="utf-8")
    assembly = read(path)
    assert assembly.components[0].X_WC.p == pytest.approx([1.0, 0.0, 1.0])
    found = {f.code: f.message for f in assembly.findings if f.code in ("CB190", "CB1414")}
    if told:
        assert found["CB1414"].endswith(f"which are read: {told}")
    else:
        assert found == {"CB190": "not read: 1 <state>"}


@pytest.mark.parametrize(
    ("model", "link", "told"),
    [
        ("nan", "1 0 1 0 0 0", "arm (whose"),
        ("1", "1 0 1 0 0", "base of arm (whose"),
        ("1", "1e999 0 1 0 0 0", "base of arm (whose"),
    ],
)
def test_a_saved_pose_that_is_none_is_no_error_as_it_is_not_read(
    tmp_path: Path, model: str, link: str, told: str
) -> None:
    path = tmp_path / "saved.sdf"
    path.write_text(SAVED.format(model=model, link=link), encoding="utf-8")
    found = {f.code: f for f in read(path).findings}
    assert "CB181" not in found
    assert told in found["CB1414"].message
    assert found["CB1414"].severity == "warning"
