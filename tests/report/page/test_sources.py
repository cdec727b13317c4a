"""A bundle of other sources than those of the checkout is told; a wheel, which has no stamp, is asked for nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.report.page import page
from cadbridge.report.page.sources import fingerprint, is_stale


@pytest.fixture
def checkout(tmp_path: Path) -> tuple[Path, Path]:
    built, web = tmp_path / "cadbridge" / "data" / "page", tmp_path / "web"
    built.mkdir(parents=True)
    (web / "src").mkdir(parents=True)
    (web / "src" / "main.ts").write_text("draw();")
    (built / "stamp").write_text(fingerprint(web) + "\n")
    return built, web


def test_any_other_source_makes_it_stale_and_packages_do_not(checkout: tuple[Path, Path]) -> None:
    built, web = checkout
    (web / "node_modules").mkdir()
    (web / "node_modules" / "three.js").write_text("fetched")
    assert not is_stale(built, web)
    (web / "src" / "more.ts").write_text("")
    assert is_stale(built, web)
    (web / "src" / "more.ts").unlink()
    assert not is_stale(built, web)
    (web / "src" / "main.ts").write_text("draw(2);")
    assert is_stale(built, web)


def test_without_a_stamp_or_sources_nothing_is_stale(checkout: tuple[Path, Path], tmp_path: Path) -> None:
    built, web = checkout
    assert not is_stale(built, tmp_path / "none")
    (built / "stamp").unlink()
    assert not is_stale(built, web)


def test_it_is_told_once_with_its_cure(
    checkout: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    built, web = checkout
    monkeypatch.setattr(page, "PACKAGE", built.parents[1])
    for content, said in (("draw();", 0), ("draw(2);", 1)):
        (web / "src" / "main.ts").write_text(content)
        page.tell_stale.cache_clear()
        page.tell_stale()
        page.tell_stale()
        assert capsys.readouterr().err.count("python hatch_build.py") == said
    page.tell_stale.cache_clear()
