"""What a mates file grounds."""

from __future__ import annotations

from pathlib import Path

from cadbridge.reading import read
from tests.late import cq


def test_a_name_grounds_the_component_that_has_it_and_none_whose_part_has_it(tmp_path: Path) -> None:
    """Equal parts are called after the first: the one beside it was grounded too, and its joints were left out."""
    box = cq.Workplane().box(10, 10, 10)
    made = cq.Assembly()
    for k, name in enumerate(("block", "block beside")):
        made.add(box, name=name, loc=cq.Location((30 * k, 0, 0)))
    made.export(str(tmp_path / "two.step"))
    mates = tmp_path / "two.yaml"
    for pattern, grounded in (("block", ["block"]), ("block*", ["block", "block beside"])):
        mates.write_text(f"format: cadbridge.mates/1\nground: ['{pattern}']\n")
        found = read(tmp_path / "two.step", mates=mates)
        assert [part.part for part in found.instances] == ["block", "block"]
        assert [c.name for c in found.components if c.grounded] == grounded
