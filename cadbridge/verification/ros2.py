"""The ROS 2 package by what ROS programs read it with: xacro, Pinocchio (URDF, SRDF), and its own closing of loops.

xacro runs any Python that a file holds. It is held here, as for every source: the package may be a stranger's.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from cadbridge.exporters.ros2.loop_closure import TOLERANCE, LoopClosure
from cadbridge.exporters.tree import Tree
from cadbridge.findings import Findings
from cadbridge.mechanism.model import Mechanism
from cadbridge.readers import ReadOptions
from cadbridge.readers.xacro.process import expand
from cadbridge.verification.urdf import Pinocchio
from cadbridge.wording import count

POSES_TRIED = 50
"""Random settings of the motors at which the package's loops are closed and looked at: as there are branches to leave,
more than the few of a comparison; some seconds."""


class Ros2(Pinocchio):
    """The model that xacro makes of the package, in Pinocchio."""

    def __init__(self, folder: Path, gravity: Sequence[float]) -> None:
        (self._package,) = (p for p in folder.iterdir() if p.is_dir())
        self._scratch = tempfile.mkdtemp(prefix="cadbridge-")
        weakref.finalize(self, shutil.rmtree, self._scratch, ignore_errors=True)
        super().__init__(folder, gravity)
        self._folders = [self._package / "urdf", folder]

    def _model_file(self, folder: Path) -> Path:
        (model,) = (self._package / "urdf").glob("*.urdf.xacro")
        self._text = expand(model, ReadOptions(package_dirs=(folder,)), Findings()).decode()
        path = Path(self._scratch) / "expanded.urdf"
        path.write_text(self._text, encoding="utf-8")
        return path

    def _closures(self) -> str:
        path = self._package / "config" / "closures.json"
        return path.read_text("utf-8") if path.exists() else "{}"

    def lacks(self, mechanism: Mechanism, tree: Tree) -> str:
        reasons = [f"the relay leaves {name} open: {why}" for name, why in self._closure.left_open.items()]
        return "; ".join(reasons) or self._unbound(tree)

    def faults(self) -> Iterator[str]:
        """What the SRDF names that Pinocchio does not know, and loops that the relay leaves open."""
        yield from self._srdf()
        if (self._package / "config" / "closures.json").exists():
            yield from self._relay(LoopClosure(self._text, self._closures()))

    def _srdf(self) -> Iterator[str]:
        (path,) = (self._package / "config").glob("*.srdf")
        lib = self._lib
        geometry = lib.buildGeomFromUrdfString(self._model, _with_spheres(self._text), lib.GeometryType.COLLISION)
        geometry.addAllCollisionPairs()
        before = len(geometry.collisionPairs)
        lib.removeCollisionPairs(self._model, geometry, str(path))
        disabled = path.read_text("utf-8").count("<disable_collisions ")
        if before - len(geometry.collisionPairs) < disabled:
            pairs = count(disabled, "pair of links", "pairs of links")
            yield f"the SRDF disables {pairs}, Pinocchio {before - len(geometry.collisionPairs)}"
        lib.loadReferenceConfigurations(self._model, str(path))

    def _relay(self, loops: LoopClosure) -> Iterator[str]:
        """Closed by its own word, and by Pinocchio's poses of the links."""
        random = np.random.default_rng(1)
        closed = 0
        for _ in range(POSES_TRIED):
            solution = loops.follow({name: float(random.uniform(-0.5, 0.5)) for name in loops.active})
            closed += solution.closed
            if solution.closed and not solution.error <= max(TOLERANCE, 2 * loops.gap):
                yield f"the relay leaves a loop open by {solution.error:.2g} (m, rad)"
                return
            q = np.array([[solution.values[name] for name in loops.joints]])
            ours = loops.place(q)
            theirs = self.poses(list(ours), solution.values)
            apart = max(float(np.max(np.abs(X.p - ours[link][1][0]))) for link, X in theirs.items())
            if apart > self.precision:
                yield f"the relay's poses differ from Pinocchio's by {apart:.2g} m"
                return
        if not closed:
            yield "the relay closes the loops in none of the poses tried"


def _with_spheres(urdf: str) -> str:
    """A model in which one sphere stands for all that collides of a link: which pairs there are needs no meshes.

    Pinocchio goes through the pairs of all geometries for each pair of links, which takes hours for 1,000 meshes.
    """
    root = ET.fromstring(urdf)
    for link in root.findall("link"):
        for k, element in enumerate(link.findall("collision")):
            if k > 0:
                link.remove(element)
            for geometry in element.findall("geometry"):
                geometry[:] = [ET.Element("sphere", radius="1")]
    return ET.tostring(root, encoding="unicode")
