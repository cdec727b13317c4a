"""Real files of others, which do not come with a clone: where they are, and what a test does without them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

ROOT = Path(__file__).resolve().parents[1]
VARIABLE = "CADBRIDGE_CORPUS"
BESIDE = ROOT.parent / "shared" / "corpus"
LACKING = f"real files of others are not here: set {VARIABLE} to their folder (CONTRIBUTING.md, Real files)"

if TYPE_CHECKING:
    _Path = Path
else:
    _Path = type(Path())  # Path itself cannot be derived from before Python 3.12


class Folder(_Path):
    """A folder of which a test takes only what is there: the test fails in one line where a file lacks."""

    # A file is a plain path: what a reader looks for beside it need not be there.
    def __truediv__(self, name: str | os.PathLike[str]) -> Path:  # type: ignore[override]
        found = Path(self, name)
        if not found.exists():
            pytest.fail(f"{VARIABLE}: there is no {found}", pytrace=False)
        return Folder(found) if found.is_dir() else found


def named() -> Path | None:
    """The folder that the environment names, or None."""
    text = os.environ.get(VARIABLE)
    return Path(text).absolute() if text else None


def fault() -> str | None:
    """What is wrong with the folder that the environment names, in a line; None where nothing is."""
    folder = named()
    if folder is None:
        return None
    if not folder.is_dir():
        return f"{VARIABLE} names {folder}, and there is no such folder"
    return None if any(folder.iterdir()) else f"{VARIABLE} names {folder}, which is empty"


def corpus() -> Path:
    """The folder that the environment names, else the one beside the project; skips the test without either."""
    folder = named() or BESIDE
    if not folder.is_dir():
        pytest.skip(LACKING)
    return Folder(folder)
