"""What redundant mates cost: errors of faces that they feel, play that they need, forces that they cause.

Names are loaded when they are first used: `check` needs the weights by stiffness alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cadbridge.misfit.analyse import fit
    from cadbridge.misfit.loading import load_fit
    from cadbridge.misfit.model import Fit, GroupFit
    from cadbridge.misfit.settings import Rule, Settings

_HOMES = {
    "fit": "analyse", "load_fit": "loading", "Fit": "model", "GroupFit": "model", "Rule": "settings",
    "Settings": "settings",
}  # fmt: skip

__all__ = ["Fit", "GroupFit", "Rule", "Settings", "fit", "load_fit"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'cadbridge.misfit' has no attribute {name!r}")
    return getattr(import_module(f"cadbridge.misfit.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__file__", "__name__", "__path__"]
