"""What tests of OCCT's process share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def each_asks(asked_anew: None) -> None:
    """What another test was answered is not used here."""
