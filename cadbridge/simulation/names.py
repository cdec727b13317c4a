"""The names of a file that people write, as joints and places of a mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cadbridge.findings import Findings, Where
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.readers.mates_file.positions import TextPlace
from cadbridge.simulation.loads import si, too_far
from cadbridge.simulation.scenario import find_joint


@dataclass
class NameResolver:
    """Names of a file to joints, degrees and mm to SI; every fault is reported at its place."""

    mechanism: Mechanism
    findings: Findings
    file: str
    places: TextPlace

    def where(self, *path: str | int) -> Where:
        """The place of a path of keys."""
        return Where(self.file, *self.places.find(path))

    def number(self, *path: str | int) -> int:
        """Which one of its list in the file an entry is, from 1; `path` counts the entries that could be read."""
        return self.places.number(path)

    def joint(self, name: str, where: Where) -> Joint | None:
        """The joint of that name, mate or drive, where it has one freedom."""
        return find_joint(self.mechanism, self.findings, name, where)

    def any_joint(self, name: str, where: Where) -> Joint | None:
        """The joint of that name, mate or drive, of any type."""
        return find_joint(self.mechanism, self.findings, name, where, single=False)

    def initial(self, values: dict[str, float], section: str, code: str) -> dict[str, float]:
        """Initial values of joints (rad, m, or a second) by joint; `code` where one is too far off or has two."""
        done: dict[str, float] = {}
        called: dict[str, str] = {}
        for name, value in values.items():
            where = self.where("initial", section, name)
            joint = self.joint(name, where)
            if joint is None:
                continue
            given = value * si(joint) * self.mechanism.sense(name)
            other = called.setdefault(joint.name, name)
            if other != name and not math.isclose(given, done[joint.name], rel_tol=1e-9, abs_tol=1e-12):
                text = (
                    f"{section}: {other} and {name} are names of one joint, {joint.name}, and give it different values"
                )
                self.findings.add(code, text, where, items=(joint.name,))
            done[joint.name] = given
            if section == "positions" and (why := too_far(self.mechanism, joint, done[joint.name])):
                self.findings.add(code, why, where, items=(joint.name,))
        return done
