"""One description of teeth, whatever was measured to know them: kind, number, reference circle, axis, helix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from cadbridge.frames import Pose, Vector

SURE, DEEP = 1.62, 3.2
"""Modules of depth between which teeth are those of a gear. Below are splines, serrations and knurls (1.0 to 1.4); a
stub gear has 1.8, a gear 2.25. Above are fins and blades: 54 machines have 2.7 | 3.7."""


class WheelKind(StrEnum):
    """What teeth belong to."""

    SPUR = "spur"
    HELICAL = "helical"
    HERRINGBONE = "herringbone"
    BEVEL = "bevel"
    RACK = "rack"
    WORM = "worm"
    THREAD = "thread"
    WORM_WHEEL = "worm_wheel"
    SPROCKET = "sprocket"
    PULLEY = "pulley"
    SPLINE = "spline"
    UNKNOWN = "unknown"


@dataclass(frozen=True, eq=False)
class Wheel:
    """Teeth about one axis (a rack: along one direction), in the frame of their part, m and rad.

    Where they are those of an `instance`, in the world's frame.

    `teeth`: of the full circle (a worm's: its starts); `present`: how many there are (fewer on a sector). `point` lies
    on the axis at the middle of the face width, of a rack between its tips and roots; `axis` is a unit vector, of a
    bevel to the apex, of a rack along its travel. `tip`, `root`: radii, of a rack heights along its `normal`, out of
    its teeth, from `point`. `module`: normal; `reference`: radius of the reference circle; both of a bevel at its large
    end. `base`: radius of the base circle. `helix`: right-hand positive, of a rack off square to its travel.
    `cone`: half angle of a bevel's pitch cone. `apex`: where that has its tip.
    `doubt`: why it is not sure to be a wheel, or not what its teeth are; empty where it is.
    """

    kind: WheelKind
    teeth: int
    internal: bool
    point: Vector
    axis: Vector
    width: float
    tip: float
    root: float
    reference: float
    module: float
    present: int = 0
    pressure_angle: float | None = None
    base: float | None = None
    helix: float = 0.0
    cone: float = 0.0
    apex: Vector | None = None
    normal: Vector | None = None
    doubt: str = ""
    evidence: tuple[str, ...] = ()
    instance: str = ""

    @property
    def sure(self) -> bool:
        """Whether it may be used as a wheel."""
        return not self.doubt

    @property
    def label(self) -> str:
        """The kind as reports name it: an inner wheel is `internal`, whatever its teeth."""
        return "internal" if self.internal else str(self.kind)

    def moved(self, X: Pose, instance: str = "") -> Wheel:
        """The wheel in another frame, in which its own has the pose X; with `instance`, that of it."""
        return replace(
            self,
            point=X.point(self.point),
            axis=X.vector(self.axis),
            apex=None if self.apex is None else X.point(self.apex),
            normal=None if self.normal is None else X.vector(self.normal),
            instance=instance,
        )
