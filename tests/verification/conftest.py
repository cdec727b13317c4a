"""What the tests of `verify` share."""

from __future__ import annotations

from tests.exporters.fmu.names import names_parsed_once

__all__ = ["names_parsed_once"]
