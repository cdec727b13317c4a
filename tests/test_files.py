"""Files are whole or not there."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from cadbridge.errors import InputError
from cadbridge.files import output, renewing, replacing, write_text


def test_a_file_appears_whole_in_a_folder_that_is_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "x.json"
    with replacing(path) as temporary:
        temporary.write_text("whole")
        assert not path.exists()
    assert path.read_text() == "whole"
    assert os.listdir(path.parent) == ["x.json"]


def test_a_failure_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("old")

    def interrupted() -> None:
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["x.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_others_may_read_what_the_umask_lets_them(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with replacing(tmp_path / "x"):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o644


def test_what_the_system_refuses_names_the_file(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    for write in (output, renewing):
        with pytest.raises(InputError, match=r"table\.csv cannot be written"), write(blocked / "table.csv"):
            pass
    write_text(tmp_path / "new" / "é.txt", "é\n")
    assert (tmp_path / "new" / "é.txt").read_bytes() == "é\n".encode()
