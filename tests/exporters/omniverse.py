"""Omniverse's validator of USD, where it is installed: it has no release for Python 3.13 yet."""

from __future__ import annotations

from typing import Any

import pytest


def validator() -> Any:
    """Its module; the test is skipped without it."""
    return pytest.importorskip(
        "omni.asset_validator", reason="no omniverse-asset-validator, which PyPI has for Python 3.11 and 3.12"
    )


def omniverse_issues(path: str) -> list[str]:
    """What it finds wrong with a stage. Ask it last: without it, the test ends here as skipped."""
    return [str(issue) for issue in validator().ValidationEngine().validate(path).issues()]
