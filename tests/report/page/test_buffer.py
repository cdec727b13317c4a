"""Arrays of the page as bytes: nothing is wrapped around."""

from __future__ import annotations

import numpy as np
import pytest

from cadbridge.report.page.buffer import Buffer


def test_a_number_that_the_type_does_not_hold_is_refused() -> None:
    buffer = Buffer()
    assert buffer.add(np.array([-1, 40_000]), "i4") == ["i4", 0, 2]
    for values in ([40_000], [-40_000]):
        with pytest.raises(OverflowError):
            buffer.add(np.array(values), "i2")
    assert buffer.add(np.zeros(0), "u2") == ["u2", 8, 0]
