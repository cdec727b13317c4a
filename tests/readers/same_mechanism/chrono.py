"""The mechanism as Chrono::SolidWorks exports it (a Python file), with a mates file for gear and limit."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.readers.same_mechanism.model import BODIES, GUIDE, HINGES, Body, Hinge, Z
from tests.readers.same_mechanism.plain import beside, gears, limits, write_mates

VARIABLES = {name: f"body_{i}" for i, name in enumerate(BODIES)}

HEAD = """# PyChrono model automatically generated using Chrono::SolidWorks add-in
# Assembly: C:\\Users\\me\\fourbar.SLDASM
import pychrono as chrono
import builtins
shapes_dir = 'fourbar_shapes/'
if hasattr(builtins, 'exported_system_relpath'):
    shapes_dir = builtins.exported_system_relpath + shapes_dir
exported_items = []
"""


def words(values: Iterable[float]) -> str:
    return ",".join(repr(float(v)) for v in values)


def vector(values: Iterable[float]) -> str:
    return f"chrono.ChVector3d({words(values)})"


def body(which: Body) -> str:
    b, J = VARIABLES[which.name], which.inertia
    fixed = f"{b}.SetFixed(True)\n" if which.grounded else ""
    return f"""
# Rigid body part
{b} = chrono.ChBodyAuxRef()
{b}.SetName('{which.name}')
{b}.SetPos({vector(which.X.p)})
{b}.SetRot(chrono.ChQuaterniond({words(which.X.quaternion())}))
{b}.SetMass({which.mass!r})
{b}.SetInertiaXX({vector([J[0, 0], J[1, 1], J[2, 2]])})
{b}.SetInertiaXY({vector([J[0, 1], J[0, 2], J[1, 2]])})
{b}.SetFrameCOMToRef(chrono.ChFramed({vector(which.com)},chrono.ChQuaterniond(1,0,0,0)))
{fixed}
# Visualization shape
{b}_shape = chrono.ChVisualShapeModelFile()
{b}_shape.SetFilename(shapes_dir +'{b}.obj')
{b}.AddVisualShape({b}_shape, chrono.ChFramed(chrono.ChVector3d(0,0,0), chrono.ChQuaterniond(1,0,0,0)))

exported_items.append({b})
"""


class Links:
    """Numbers the links, as the exporter does."""

    def __init__(self) -> None:
        self.count = 0

    def link(self, kind: str, name: str, hinge: Hinge, arguments: str, extra: str = "") -> str:
        """The link's frame is that of its second body: the hinge's first."""
        self.count += 1
        v = f"link_{self.count}"
        first, second = VARIABLES[hinge.b], VARIABLES[hinge.a]
        said = f"{v}.{extra}\n" if extra else ""
        return f"""
{v} = chrono.ChLinkMate{kind}()
{said}cA = {vector(hinge.point)}
dA = {vector(Z)}
cB = {vector(hinge.point)}
dB = {vector(Z)}
{v}.Initialize({first},{second},False,{arguments})
{v}.SetName("{name}")
exported_items.append({v})
"""

    def concentric(self, hinge: Hinge) -> str:
        name = hinge.name
        flags = "SetConstrainedCoords(True, True, False, False, False, False)"
        return self.link("Parallel", name, hinge, "cA,cB,dA,dB") + self.link(
            "Generic", name, hinge, "cA,cB,dA,dB", flags
        )

    def coincident(self, hinge: Hinge, end: str = "") -> str:
        name = hinge.name + end
        return self.link("DistanceZ", name, hinge, "cA,cB,dB", "SetDistance(0)") + self.link(
            "Parallel", name, hinge, "cA,cB,dA,dB"
        )


def write(folder: Path) -> Path:
    """Bodies and links, and the mates file."""
    source = folder / "fourbar.py"
    links = Links()
    text = "".join(links.concentric(h) + links.coincident(h, " plane") for h in HINGES) + links.coincident(GUIDE)
    source.write_text(HEAD + "".join(map(body, BODIES.values())) + text)
    write_mates(beside(source), gears(), limits())
    return source
