"""Newton: our USD as Newton reads it, moved on the CPU by MuJoCo, one of its solvers, or by Kamino."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.errors import MissingExtraError
from cadbridge.exporters.relations import relations
from cadbridge.exporters.sidecars import LOSSES
from cadbridge.exporters.tree import Tree
from cadbridge.mechanism.model import Mechanism
from cadbridge.verification.contents import Contents
from cadbridge.verification.engines import Engine, MuJoCo, load_module
from cadbridge.verification.kamino import Kamino, in_kamino
from cadbridge.verification.stage import UsdStage, bare_stage
from cadbridge.verification.start import Start
from cadbridge.wording import listed

CURE = "`pip install 'cadbridge[newton]'` brings what goes together; use an environment of its own for another MuJoCo."
CLOSES = ("revolute", "spherical", "fixed")
"""Joints by which Newton's MuJoCo solver closes loops."""


def newton_or_stage(folder: Path, gravity: Sequence[float]) -> Engine:
    """Newton with an export; USD's own library, which moves nothing, where Newton is not installed or nothing moves."""
    stage = UsdStage(folder, gravity)
    # Of a stage without a body Newton makes no model.
    return stage if find_spec("newton") is None or not stage.has_bodies else Newton(folder, gravity)


class Newton(MuJoCo):
    """USD by Newton: `ModelBuilder.add_usd`, then the model that its MuJoCo solver makes of it.

    Where that solver has no place for a loop or a joint of several freedoms, Kamino moves the model.

    USD's physics and Newton's model hold numbers of single precision. Contacts are off: parts in a joint may touch.
    """

    name = "Newton"
    precision = 1e-6
    joins_series = False
    _kamino: Kamino | None = None

    def __init__(self, folder: Path, gravity: Sequence[float]) -> None:
        (self._path,) = folder.glob("*.usda")
        self.bodies = f"_{self._path.stem}_bodies_{{}}"
        self.joints = f"_{self._path.stem}_joints_{{}}"
        self._folder, self._given = folder, gravity
        super().__init__(folder, gravity)
        # Without a body that is fixed in the world the stage has no place for the mass of what stands still (CB545).
        self.holds_ground = bool(np.any((self._model.body_parentid[1:] == 0) & (self._model.body_jntnum[1:] == 0)))
        self._model.opt.disableflags |= int(self._lib.mjtDisableBit.mjDSBL_CONTACT)

    def _compiled(self, folder: Path) -> Any:
        """The model that Newton's MuJoCo solver runs."""
        if wrong := misfits():
            raise MissingExtraError(f"Newton cannot be used: {'; '.join(wrong)}. {CURE}")
        with silent(), without_gradients():
            self._newton = load_module("newton")
            solver = self._newton.solvers.SolverMuJoCo
            return solver(self._whole(solver), use_mujoco_cpu=True).mj_model

    def _whole(self, solver: Any) -> Any:
        """The stage as Newton's model for one of its solvers. What is only seen moves nothing."""
        builder = self._newton.ModelBuilder()
        solver.register_custom_attributes(builder)
        builder.add_usd(bare_stage(self._path), load_visual_shapes=False)
        return builder.finalize(device="cpu")

    def lacks(self, mechanism: Mechanism, tree: Tree) -> str:
        because = lacking(tree)
        if because and in_kamino(tree):
            names = json.loads((self._path.parent / LOSSES).read_text("utf-8"))["names"]
            with silent():
                whole = self._whole(self._newton.solvers.SolverKamino)
                self._kamino, because = Kamino(self._newton, whole, tree, names), ""
        return because

    def _bare(self) -> None:
        """Nothing: the stage was bare."""

    def contents(self, links: Sequence[str], joints: Sequence[str]) -> Contents:
        # Newton's model keeps no names of what is seen, and merges drives with what MuJoCo needs.
        return UsdStage(self._folder, self._given).contents(links, joints)

    def swing(self, joints: Sequence[str], start: Start, duration: float, finer: int = 1) -> dict[str, float]:
        if self._kamino is None:
            return super().swing(joints, start, duration, finer)
        with silent():
            return self._kamino.swing(joints, start, duration, finer)


def misfits() -> list[str]:
    """What Newton's import of USD and its solvers need and do not find: packages, or versions that go together.

    Newton itself says which MuJoCo it goes with, in the requirements of its extra "sim".
    """
    from packaging.requirements import Requirement

    try:
        needs = [Requirement(text) for text in requires("newton") or ()]
    except PackageNotFoundError:
        return ["newton is not installed"]
    found = []
    for need in (*needs, Requirement("newton-usd-schemas")):
        if need.marker is not None and not need.marker.evaluate({"extra": "sim"}):
            continue
        try:
            have = version(need.name)
        except PackageNotFoundError:
            found.append(f"{need.name} is not installed")
            continue
        if not need.specifier.contains(have, prereleases=True):
            found.append(f"{need.name} {have} is installed, and Newton needs {need.specifier}")
    return found


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Newton and Warp write to stdout what they compile; there our result goes."""
    nowhere = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def without_gradients() -> Iterator[None]:
    """The kernels of what is imported in here are compiled without those that differentiate them: in half the time.

    Where Newton was imported before, by someone who may want its gradients, it stays as it is.
    """
    config = load_module("warp", "newton").config
    if "newton" in sys.modules:
        yield
        return
    before, config.enable_backward = config.enable_backward, False
    try:
        yield
    finally:
        config.enable_backward = before


def lacking(tree: Tree) -> str:
    """What of an exported tree Newton moves otherwise; "" where nothing."""
    others = [joint.name for joint in tree.closures if joint.type not in CLOSES]
    if others:
        return f"Newton's MuJoCo solver closes no loop by {', '.join(others)}"
    if any(len(link.freedoms) > 1 and not (link.kind.ball or link.floats) for link in tree.links):
        return "Newton divides joints of several freedoms, whose names are not those of the export"
    lost = relations(tree)[1]
    return f"Newton has no place for {listed(lost)}" if lost else ""
