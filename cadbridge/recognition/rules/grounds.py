"""Which body stands still."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

import numpy as np

from cadbridge.recognition.contacts.contacts import ROUNDING, parallel
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.standard.roles import called_to_move
from cadbridge.wording import count

GROUND_NAMES = re.compile(r"\b(base|ground|frame|chassis|stand|foot|bed|gestell|rahmen|basis)", re.IGNORECASE)

UP = np.array([0.0, 0.0, 1.0])
"""The z of W: machines stand on its floor."""

WEIGHTS = 1.0, 0.5, 0.6, 0.3, 0.2, -2.0
"""Of the share of all parts, the share of the most joints, standing on the floor, a name, having any joint, being
made to move by its name. A choice: size first, then the floor; joints and names decide among equals. What has no joint
stands still only where nothing else could, and so does a wheel: its hub does."""

FLOOR = 0.02
"""Share of the assembly's height within which a face is at the bottom. A choice, with no gap in what is seen: 54
machines have 0.019 | 0.021. It only helps to choose the ground."""


def choose_ground(
    scene: Scene, degrees: Counter[str], names: bool, among: Collection[str], stays: str = ""
) -> tuple[str, str]:
    """The root of the body that stands still, and why: the source says so, else it stands low, is large, carries many.

    `degrees`: how many joints each body has. `among`: the instances of which one stands still, all or a group that
    touches nothing else. `stays`: one of the body that is the ground whatever the rest says.
    """
    own = [name for c in scene.assembly.components if c.grounded for name in c.instances if name in among]
    if own:  # another ground beside it would lock what is between the two
        return scene.groups.root(max(own, key=lambda n: (scene.size(n), n))), "the source grounds it"
    roots = {scene.groups.root(name) for name in among}
    members = {root: sorted(scene.groups.group(root)) for root in sorted(roots)}
    sizes = scene.sizes(members)
    floor = _standing(scene, among)
    total, most = sum(sizes.values()) or 1.0, max(degrees.values(), default=0) or 1

    def score(root: str) -> float:
        named = names and any(GROUND_NAMES.search(n) for n in members[root])
        stands = any(n in floor for n in members[root])
        moves = names and all(called_to_move(scene.called(n)) for n in members[root])
        signs = (sizes[root] / total, degrees[root] / most, stands, named, degrees[root] > 0, moves)
        return sum(weight * sign for weight, sign in zip(WEIGHTS, signs, strict=True))

    best = max(sorted(members), key=score) if stays not in among else scene.groups.root(stays)
    reasons = [f"{100 * sizes[best] / total:.0f} % of the assembly's boxes"]
    reasons += [count(degrees[best], "joint")] if degrees[best] else []
    reasons += ["stands on the floor"] if any(n in floor for n in members[best]) else []
    return best, ", ".join(reasons)


def _standing(scene: Scene, among: Collection[str]) -> set[str]:
    """Of some instances those with a face at the very bottom of all of them along z, looking down."""
    low, high = np.inf, -np.inf
    found: dict[str, float] = {}
    for name in sorted(among):
        known, X = scene.faces_of(name), scene.pose(name)
        if known is None:
            continue
        heights = X.point(known.corners)[:, 2]
        low, high = min(low, float(heights.min())), max(high, float(heights.max()))
        for s in known.of("plane"):
            normal = X.vector(s.direction)
            if normal[2] < 0.0 and parallel(normal, UP):
                found[name] = min(found.get(name, np.inf), float(X.point(s.point)[2]))
    return {name for name, height in found.items() if height <= low + FLOOR * (high - low) + ROUNDING}
