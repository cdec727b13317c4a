"""What parts are called: CAD systems put counters behind names, and name solids by their last feature."""

from __future__ import annotations

import pytest

from cadbridge.recognition.part_names import own_names


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["Model/Piston_1/Fillet001 (Solid)", "Model/Block"], ["Piston_1", "Block"]),
        (["Gate/Body", "Frame/Body001"], ["Gate", "Frame"]),
        (["Hinge/Leaf/Body/Pocket002"], ["Leaf"]),
        (["Servo/Body", "Servo/Horn/SOLID"], ["Body", "Horn"]),  # the servo is two parts: neither is all of it
        (["Body", "Body001"], ["Body", "Body001"]),
        (["Arm/Body plate", "Cutter/Blade"], ["Body plate", "Blade"]),
    ],
)
def test_a_label_of_a_solid_alone_in_its_sub_assembly_says_less_than_that(paths: list[str], names: list[str]) -> None:
    assert list(own_names(paths).values()) == names
