"""Compiled kernels are kept by the content of the sources they were compiled from."""

from pathlib import Path

import pytest

from solver import compiled


def test_the_hash_changes_with_any_source_of_the_package_and_with_nothing_else(tmp_path: Path) -> None:
    caller, callee = tmp_path / "caller.py", tmp_path / "inner" / "callee.py"
    for path in (caller, callee):
        path.parent.mkdir(exist_ok=True)
        path.write_text("a")
    before = compiled.sources_hash.__wrapped__(tmp_path)
    (tmp_path / "notes.txt").write_text("no source")
    callee.touch()
    assert compiled.sources_hash.__wrapped__(tmp_path) == before
    callee.write_text("changed")
    assert compiled.sources_hash.__wrapped__(tmp_path) != before


def test_kernels_are_kept_in_the_folder_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CADBRIDGE_CACHE", str(tmp_path))
    locator = compiled._BySources.from_function(compiled.kernel_folder, compiled.__file__)
    assert locator is not None
    assert Path(locator.get_cache_path()) == tmp_path / "kernels" / compiled.sources_hash() / "compiled"


def test_functions_of_other_packages_and_folders_that_cannot_be_written_are_left_to_numba(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compiled._BySources.from_function(pytest.main, str(tmp_path / "other.py")) is None
    (tmp_path / "kernels").write_text("a file where the folder should be")
    monkeypatch.setenv("CADBRIDGE_CACHE", str(tmp_path))
    assert compiled._BySources.from_function(compiled.kernel_folder, compiled.__file__) is None
