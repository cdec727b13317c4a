"""Newton: our USD as Newton reads it, moved by MuJoCo on the CPU, which is one of Newton's solvers."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cadbridge.exporters.relations import relations
from cadbridge.exporters.tree import Tree
from cadbridge.mechanism.model import Mechanism
from cadbridge.verification.engines import MuJoCo, load_module
from cadbridge.wording import listed

CLOSES = ("revolute", "spherical", "fixed")
"""Joints by which Newton's MuJoCo solver closes loops."""


class Newton(MuJoCo):
    """USD by Newton: `ModelBuilder.add_usd`, then the model that its MuJoCo solver makes of it.

    USD's physics and Newton's model hold numbers of single precision. Contacts are off: parts in a joint may touch.
    """

    name = "Newton"
    precision = 1e-6

    def __init__(self, folder: Path, gravity: Sequence[float]) -> None:
        (self._path,) = folder.glob("*.usda")
        self.bodies = f"_{self._path.stem}_bodies_{{}}"
        self.joints = f"_{self._path.stem}_joints_{{}}"
        super().__init__(folder, gravity)
        self._model.opt.disableflags |= int(self._lib.mjtDisableBit.mjDSBL_CONTACT)

    def _compiled(self, folder: Path) -> Any:
        """The model that Newton's MuJoCo solver runs."""
        # Newton and Warp write to stdout what they compile; there our result goes.
        silence = io.StringIO()
        with warnings.catch_warnings(), contextlib.redirect_stdout(silence), contextlib.redirect_stderr(silence):
            warnings.simplefilter("ignore")
            newton = load_module("newton")
            builder = newton.ModelBuilder()
            newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
            builder.add_usd(str(self._path))
            return newton.solvers.SolverMuJoCo(builder.finalize(device="cpu"), use_mujoco_cpu=True).mj_model

    def lacks(self, mechanism: Mechanism, tree: Tree) -> str:
        return lacking(tree)


def lacking(tree: Tree) -> str:
    """What of an exported tree Newton moves otherwise; "" where nothing."""
    others = [joint.name for joint in tree.closures if joint.type not in CLOSES]
    if others:
        return f"Newton's MuJoCo solver closes no loop by {', '.join(others)}"
    if any(len(link.freedoms) > 1 and not (link.kind.ball or link.floats) for link in tree.links):
        return "Newton divides joints of several freedoms, whose names are not those of the export"
    lost = relations(tree)[1]
    return f"Newton has no place for {listed(lost)}" if lost else ""
