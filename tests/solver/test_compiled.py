"""Kernels kept on disk go with their sources."""

from pathlib import Path

from solver.compiled import forget_stale


def test_kernels_are_forgotten_when_any_source_of_the_package_changes(tmp_path: Path) -> None:
    caller, callee = tmp_path / "caller.py", tmp_path / "inner" / "callee.py"
    kept = [tmp_path / "__pycache__" / "caller.f.nbi", tmp_path / "inner" / "__pycache__" / "callee.g.1.nbc"]
    for path in (caller, callee, *kept):
        path.parent.mkdir(exist_ok=True)
        path.write_text("a")
    forget_stale(tmp_path)
    assert not any(path.exists() for path in kept)  # whose they are is not known
    for path in kept:
        path.write_text("b")
    forget_stale(tmp_path)
    assert all(path.read_text() == "b" for path in kept)
    callee.write_text("changed")
    forget_stale(tmp_path)
    assert not any(path.exists() for path in kept)


def test_a_package_that_cannot_be_written_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "caller.py").write_text("a")
    (tmp_path / "__pycache__").write_text("no folder")
    forget_stale(tmp_path)
    assert (tmp_path / "__pycache__").read_text() == "no folder"
