"""What a person wrote into a mates file is kept."""

from pathlib import Path

import pytest

from cadbridge.errors import InputError
from cadbridge.recognition.edited import write_mates


def test_a_file_that_nobody_edited_is_renewed(tmp_path: Path) -> None:
    path = tmp_path / "a.mates.yaml"
    write_mates(path, "mates: []\n")
    write_mates(path, "mates: [1]\n")
    assert path.read_text().splitlines()[1:] == ["mates: [1]"]


@pytest.mark.parametrize("edit", ["mates: []\n# mine\n", ""])
def test_an_edited_file_is_refused_and_stays(tmp_path: Path, edit: str) -> None:
    path = tmp_path / "a.mates.yaml"
    write_mates(path, "mates: []\n")
    edited = path.read_text().splitlines()[0] + "\n" + edit
    path.write_text(edited)
    with pytest.raises(InputError, match=r"was edited.*--overwrite"):
        write_mates(path, "mates: [1]\n")
    assert path.read_text() == edited
    write_mates(path, "mates: [1]\n", overwrite=True)
    assert "[1]" in path.read_text()


def test_a_file_from_elsewhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.mates.yaml"
    path.write_text("mates: []\n")
    with pytest.raises(InputError, match="comes from elsewhere"):
        write_mates(path, "mates: [1]\n")
