"""The names of a file that people write, as joints and places of a mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cadbridge.findings import Findings, Where
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.readers.mates_file.positions import TextPlace
from cadbridge.simulation.loads import si, too_far
from cadbridge.simulation.scenario import find_joint, two_names


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
        given: dict[str, float] = {}
        done: dict[str, float] = {}
        for name, value in values.items():
            where = self.where("initial", section, name)
            joint = self.joint(name, where)
            if joint is None:
                continue
            given[name] = value * si(joint)
            done[joint.name] = given[name] * self.mechanism.sense(name)
            if section == "positions" and (why := too_far(self.mechanism, joint, done[joint.name])):
                self.findings.add(code, why, where, items=(joint.name,))
        for joint_name, first, other in self.mechanism.said_twice(given):
            text = f"{section}: {two_names(joint_name, first, other)}, and give it different values"
            self.findings.add(code, text, self.where("initial", section, other), items=(joint_name,))
        return done

    def once(self, section: str, names: Sequence[str]) -> None:
        """CB605 where a list of the loads has two entries for one joint, of which only one could hold."""
        first: dict[str, str] = {}
        for i, name in enumerate(names):
            joint = self.mechanism.joint_named(name)
            if joint is not None and joint.name in first:
                other = first[joint.name]
                twice = f"{name} is named twice" if other == name else two_names(joint.name, other, name)
                text = f"{section}: {twice}, and only one entry of a joint can hold"
                self.findings.add("CB605", text, self.where("loads", section, i), items=(joint.name,))
            elif joint is not None:
                first[joint.name] = name
