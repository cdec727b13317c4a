"""Limits kept from one run to the next: what they depend on, and what is no answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cadbridge as cb
from cadbridge.cli.app import app
from cadbridge.findings import Findings
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import limits
from cadbridge.simulation.kept_limits import Swept, _unpacked
from cadbridge.storage import ANSWERS, keep, use_cache
from tests.simulation.test_limits import LEVER, POST, hinge, robot, swinging


@pytest.fixture
def sweeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked_anew: None) -> list[str]:
    """The joints that were moved since the start, with a cache of its own."""
    monkeypatch.setenv("CADBRIDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CADBRIDGE_NO_CACHE", raising=False)
    use_cache(True)
    moved: list[str] = []
    swept = limits._swept

    def counted(*args: object) -> Swept:
        found = swept(*args)  # type: ignore[arg-type]
        moved.append(found.joint.name)
        return found

    monkeypatch.setattr(limits, "_swept", counted)
    return moved


def made(folder: Path, text: str = robot(POST, LEVER, hinge("one", "base", "lever"))) -> Mechanism:
    (folder / "made.urdf").write_text(text)
    return cb.build(cb.read(folder / "made.urdf"))


def test_a_second_sweep_moves_nothing_and_says_the_same(tmp_path: Path, sweeps: list[str]) -> None:
    first, again = Findings(), Findings()
    one = limits.with_limits(made(tmp_path), first).joint("one").limit
    two = limits.with_limits(made(tmp_path), again).joint("one").limit
    assert one is not None
    assert one == two
    assert first.as_tuple() == again.as_tuple()
    assert sweeps == ["one"]


@pytest.mark.parametrize(
    "text",
    [
        robot(POST, LEVER, hinge("one", "base", "lever", "0.001 0 0")),
        robot(POST, LEVER.replace('"0.2 0.02', '"0.2 0.03'), hinge("one", "base", "lever")),
        robot(POST.replace("0.15", "0.16"), LEVER, hinge("one", "base", "lever")),
        robot(POST, LEVER, hinge("one", "base", "lever").replace("0 0 1", "0 0 -1")),
    ],
)
def test_another_joint_part_or_place_is_moved(text: str, tmp_path: Path, sweeps: list[str]) -> None:
    limits.with_limits(made(tmp_path), Findings())
    limits.with_limits(made(tmp_path, text), Findings())
    assert sweeps == ["one", "one"]


def test_more_work_and_other_pairs_are_other_sweeps(tmp_path: Path, sweeps: list[str]) -> None:
    mechanism = made(tmp_path)
    limits.sweep(mechanism, Findings())
    limits.sweep(mechanism, Findings(), triangles=0.0)
    limits.sweep(mechanism, Findings(), {frozenset(("base", "lever"))})
    assert sweeps == ["one"] * 3


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"{}",
        b"[[], []]",
        b"[" * 100_000,
        b'[[["two", null, null, "", "", null, null, ""]], []]',
        b'[[["one", NaN, null, "", "", null, null, ""]], []]',
        b'[[["one", "x", null, "", "", null, null, ""]], []]',
        b'[[["one", null, null, 1, "", null, null, ""]], []]',
        b'[[["one", null, null, "", "", null, 1e999, ""]], []]',
        b'[[["one", null, null, ""]], []]',
        b'[[["one", null, null, "", "", null, null, ""]], ["stranger"]]',
        b'[[["one", null, null, "", "", null, null, ""]], 3]',
    ],
)
def test_what_is_no_answer_is_refused(answer: bytes, tmp_path: Path) -> None:
    mechanism = made(tmp_path)
    with pytest.raises(ValueError, match="no kept limits"):
        _unpacked(answer, mechanism, mechanism.joints)


@pytest.mark.parametrize("answer", [b"", b'[[["one", NaN, null, "", "", ""]], []]'])
def test_what_is_refused_is_found_anew(answer: bytes, tmp_path: Path, sweeps: list[str]) -> None:
    mechanism = made(tmp_path)
    limits.with_limits(mechanism, Findings())
    for path in (tmp_path / "cache" / ANSWERS).glob("??/*"):
        data = path.read_bytes().partition(b"\n")[2]
        if data.startswith(b'[[["one", '):
            assert json.loads(data)[0][0][0] == "one"
            keep(path, answer)
    assert limits.with_limits(mechanism, Findings()).joint("one").limit is not None
    assert sweeps == ["one", "one"]


def test_without_cache_each_call_moves_the_joints(tmp_path: Path, sweeps: list[str]) -> None:
    swinging(file := tmp_path / "made.step")
    texts = []
    for more, moved in ([], 1), ([], 1), (["--no-cache"], 2), (["--no-cache"], 3), ([], 3):
        result = CliRunner().invoke(app, ["recognise", str(file), *more])
        assert result.exit_code == 0, result.output
        texts.append(result.stdout)
        assert len(sweeps) == moved
    assert len(set(texts)) == 1
