"""Guards that others stand behind or before: each holds by itself."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest

from cadbridge.findings import Findings
from cadbridge.processes import environment, python
from cadbridge.readers.xacro import expressions
from cadbridge.shapes.archive import Archive


def test_a_member_that_unpacks_to_far_more_than_its_size_is_refused(tmp_path: Path) -> None:
    path, findings = tmp_path / "bomb.FCStd", Findings()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("Shape.brp", bytes(8 << 20))  # packed more than 100,000 times
    opened = Archive(path, findings)
    try:
        assert opened.read("Shape.brp") is None
    finally:
        opened.close()
    assert [(f.code, f.where and f.where.item) for f in findings] == [("CB1223", "Shape.brp")]


@pytest.mark.parametrize("value", [open, os, type, b"bytes", {1}, range(3), Findings()])
def test_what_is_no_data_is_no_value(value: Any) -> None:
    """Whatever name or call should once lead to it."""
    with pytest.raises(expressions.RefusedError, match="not data"):
        expressions.evaluate("x", {"x": value})


def test_a_text_too_long_is_refused_before_it_is_made() -> None:
    between, items = "x" * 20_000, [""] * 2_000  # 40 MB
    tracemalloc.start()
    try:
        with pytest.raises(expressions.TooLargeError):
            expressions.evaluate("a.join(b)", {"a": between, "b": items})
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


def test_the_hook_holds_where_the_kernel_cannot(tmp_path: Path) -> None:
    """As on Windows: `confine` with neither seccomp nor Landlock, nor limits."""
    (tmp_path / "own").write_text("own", encoding="utf-8")
    script = f"""
import os
from cadbridge import confinement
confinement.sys.platform = "elsewhere"
confinement._limit = lambda *_: False
print(*confinement.confine([confinement.Path({str(tmp_path)!r})]))
print(open({str(tmp_path / "own")!r}).read())
for attempt in (lambda: open("/etc/passwd"), lambda: os.system("true"), lambda: open({str(tmp_path / "new")!r}, "w")):
    try:
        attempt()
        print("possible")
    except PermissionError:
        print("refused")
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], capture_output=True, text=True, env=environment(), check=False, timeout=60
    )
    assert done.stdout.split() == ["audit", "own", "refused", "refused", "refused"], done.stderr
    assert not (tmp_path / "new").exists()


def test_a_process_of_ours_takes_no_module_of_the_current_folder(tmp_path: Path) -> None:
    """By the command alone: whoever starts it may forget the environment."""
    (tmp_path / "calendar.py").write_text("print('POISON')\n", encoding="utf-8")
    (tmp_path / "datetime.py").write_text("print('POISON')\n", encoding="utf-8")
    own = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONSAFEPATH")}
    command = [*python("calendar"), "2000"]
    done = subprocess.run(command, cwd=tmp_path, env=own, capture_output=True, text=True, check=False)
    assert "February" in done.stdout, done.stderr
    assert "POISON" not in done.stdout
