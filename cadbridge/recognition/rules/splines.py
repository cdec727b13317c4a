"""Splined shafts: outer teeth in as many inner teeth on one axis turn with these, as a flat with that of its bore."""

from __future__ import annotations

from collections.abc import Sequence

from cadbridge.recognition.contacts.walls import Verdict
from cadbridge.recognition.evidence.drives import is_drive
from cadbridge.recognition.evidence.scene import Driven, Scene
from cadbridge.recognition.evidence.spinning import SPINS_ON_AXIS
from cadbridge.recognition.wheels.pairing import splined
from cadbridge.recognition.wheels.wheel import Wheel


def bind_splined(scene: Scene, wheels: Sequence[Wheel], names: bool) -> None:
    """Bind a part that is centred on its outer teeth to what has as many inner ones about them.

    On a drive by its name (where `names` are a witness), which is one part with its splined output, that turns. Any
    other part that is not centred may be a servo, too: it is left.
    """
    inner = [w for w in wheels if w.internal]
    for hub, shaft in ((hub, shaft) for hub in inner for shaft in wheels if splined(shaft, hub)):
        text = f"{shaft.teeth} teeth in as many of the other, on one axis"
        if names and is_drive(scene, shaft.instance):
            if scene.connects(shaft.instance, hub.instance) and hub.instance not in scene.on_shafts:
                verdict = Verdict("revolute", hub.point, hub.axis, (text, "a motor by its name"), (), 0.75)
                scene.hold_apart(shaft.instance, hub.instance)
                scene.driven.append(Driven(shaft.instance, hub.instance, verdict, ()))
                scene.on_shafts[hub.instance] = shaft.instance
        elif _centred(scene, shaft):
            scene.bind(shaft.instance, hub.instance, text, 0.8)


def _centred(scene: Scene, shaft: Wheel) -> bool:
    """Whether the box of a part is square across its teeth's axis and centred on it, as of all that turns there."""
    known, X_IW = scene.faces_of(shaft.instance), scene.pose(shaft.instance).inverse()
    return known is not None and bool(
        known.square_about(X_IW.point(shaft.point), X_IW.vector(shaft.axis), SPINS_ON_AXIS)
    )
