"""A source is never replaced by the mates file that was made of it, by whatever name it is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.cli import main
from tests.recognition.solids import two_levers


@pytest.mark.parametrize("link", [False, True])
def test_recognise_does_not_write_over_its_source(
    link: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = two_levers(tmp_path)
    before, output = source.read_bytes(), source
    if link:
        output = tmp_path / "out.yaml"
        output.symlink_to(source)
    assert main(["recognise", str(source), "-o", str(output), "--overwrite"]) == 2
    assert "is a file that this command reads" in capsys.readouterr().err
    assert source.read_bytes() == before
