"""MuJoCo opens no file but those that its reader saw the model name, and reads the text that its reader read."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.readers import ReadOptions, mjcf
from cadbridge.readers.mjcf.files import Named, check_files

BODY = '<worldbody><body><geom size="1"/></body></worldbody>'
MESH = '<asset><mesh name="m" file="{}"/></asset>'


def refused(path: Path, text: str | bytes, encoding: str = "utf-8") -> list[str]:
    """The codes with which a model is refused; [] where it is not."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    findings = Findings()
    try:
        check_files(path, ReadOptions(), findings)
    except InputError:
        return [f.code for f in findings if f.code != "CB115"]
    return []


@pytest.mark.parametrize(
    "encoding",
    ["ISO-2022-KR", "ISO-2022-JP", "UTF-7", "UTF-16", "UTF-32", "EBCDIC-US", "IBM037", "SHIFT_JIS"],
)
def test_a_text_that_two_parsers_read_differently_is_refused(encoding: str, tmp_path: Path) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n<mujoco>{BODY}</mujoco>'
    assert refused(tmp_path / "m.xml", text) == ["CB104"]


def test_a_text_that_hides_a_file_from_one_parser_is_refused(tmp_path: Path) -> None:
    hidden = b'<?xml version="1.0" encoding="ISO-2022-KR"?><mujoco>\x1b$)C' + BODY.encode()
    hidden += b"<!-- \x0e --\x0f" + MESH.format("/any/where.stl").encode() + b"<!-- --></mujoco>"
    assert refused(tmp_path / "m.xml", hidden) == ["CB104"]


@pytest.mark.parametrize("encoding", ["utf-8", "us-ascii", "iso-8859-1"])
def test_a_text_that_both_read_alike_is_read(encoding: str, tmp_path: Path) -> None:
    assert refused(tmp_path / "m.xml", f'<?xml version="1.0" encoding="{encoding}"?><mujoco>{BODY}</mujoco>') == []
    named = f'<?xml version="1.0" encoding="{encoding}"?><mujoco>{BODY}{MESH.format("é.stl")}</mujoco>'
    (tmp_path / "é.stl").touch()
    if encoding != "us-ascii":
        assert refused(tmp_path / "m.xml", named, encoding) == ([] if encoding == "utf-8" else ["CB104"])


@pytest.mark.parametrize(
    "inner",
    [
        '<Include file="../other.xml"/>',
        '<INCLUDE file="../other.xml"/>',
        '<compiler strippath="true"/>' + MESH.format("x/link.stl"),
        MESH.format("d/../../../other.xml"),
        MESH.format("d/../../other.xml"),  # by its links within the folder, by its dots above
        MESH.format("x&#9;y/../../../other.xml"),
        MESH.format("&#47;etc/passwd"),
        '<compiler meshdir="d/../../.."/>' + MESH.format("other.xml"),
        '<x:include xmlns:x="y" file="../other.xml"/>',
    ],
)
def test_no_way_out_is_missed(inner: str, tmp_path: Path) -> None:
    model = tmp_path / "in" / "m.xml"
    (model.parent / "a" / "b").mkdir(parents=True)
    (model.parent / "d").symlink_to(model.parent / "a" / "b", target_is_directory=True)
    (tmp_path / "other.xml").write_text("<secret/>", encoding="utf-8")
    (model.parent / "link.stl").symlink_to(tmp_path / "other.xml")
    assert refused(model, f"<mujoco>{BODY}{inner}</mujoco>") in (["CB102"], ["CB104"])


def test_what_an_include_in_capitals_names_is_looked_at_too(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "inner.xml").write_text(f"<mujoco>{MESH.format('/etc/passwd')}</mujoco>", encoding="utf-8")
    assert refused(tmp_path / "in" / "m.xml", f'<mujoco>{BODY}<INCLUDE file="inner.xml"/></mujoco>') == ["CB102"]


def test_the_process_of_mujoco_opens_nothing_that_was_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were the first look blind, the kernel still would not be."""
    monkeypatch.setattr(mjcf, "check_files", lambda path, *_: Named(frozenset({path.resolve()}), frozenset()))
    (tmp_path / "other.xml").write_text(f"<mujocoinclude>{BODY}</mujocoinclude>", encoding="utf-8")
    model = tmp_path / "in" / "m.xml"
    model.parent.mkdir()
    model.write_text('<mujoco><include file="../other.xml"/></mujoco>', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        mjcf.read(model)
    assert "CB1400" in [f.code for f in caught.value.findings]
    monkeypatch.setattr(
        mjcf, "check_files", lambda path, *_: Named(frozenset({path.resolve()}), frozenset({tmp_path / "other.xml"}))
    )
    assert [c.name for c in mjcf.read(model).components]
