"""An assembly while the mates file is laid over it: names found, components joined."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain

from cadbridge.assembly import GROUND, Assembly, Component, Coupling, Feature, Instance, Mate, NamedFrame, Part
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.readers.mates_file.document import MAX_SUGGESTED, MatesDocument, nearest
from cadbridge.units import DEGREE, LENGTH


class Draft:
    """The parts of an assembly, to be changed one after the other; `finished` makes it an Assembly again.

    `length` and `angle` turn the file's units into m and rad. `moved_into` remembers which component
    took up an attached one, so that mates may go on naming it, `pose_before` its X_WC and `taken_up` its instances;
    `rigid` are those of them that `rigid` joined.
    """

    def __init__(self, assembly: Assembly, document: MatesDocument) -> None:
        if document.spec is None:
            raise ValueError("a draft needs a document that could be read")
        self.assembly, self.document, self.spec = assembly, document, document.spec
        self.findings = Findings(document.findings)
        self.length = LENGTH[self.spec.units.length]
        self.angle = 1.0 if self.spec.units.angle == "rad" else DEGREE
        self.parts: dict[str, Part] = {p.name: p for p in assembly.parts}
        self.instances: dict[str, Instance] = {i.name: i for i in assembly.instances}
        self.components: dict[str, Component] = {c.name: c for c in assembly.components}
        self.mates: list[Mate] = list(assembly.mates)
        self.couplings: list[Coupling] = list(assembly.couplings)
        self.frames: list[NamedFrame] = list(assembly.frames)
        self.moved_into: dict[str, str] = {}
        self._led_to: dict[str, list[str]] = {}
        self.pose_before: dict[str, Pose] = {}
        self.taken_up: dict[str, tuple[str, ...]] = {}
        self.rigid: set[str] = set()
        self.suggested = 0
        self._short: dict[str, list[str]] | None = None

    def place(self, section: str, item: int | str, *path: str | int, name: str | None = None) -> Where:
        """The line of a value in the mates file."""
        return self.document.where(section, item, *path, name=name)

    def near(self, name: str, known: Iterable[str]) -> str:
        """Suggestions for a misspelt name, for the first MAX_SUGGESTED of them."""
        self.suggested += 1
        return nearest(name, known) if self.suggested <= MAX_SUGGESTED else ""

    def component(self, name: str, where: Where) -> Component | None:
        """The component of a full path or unique last name; a finding and None where there is none."""
        attached = self.attached(name)
        if attached is not None:
            return self.components[self.moved_into[attached]]
        found = self.components.get(name)
        if found is not None:
            return found
        several = self._short_names().get(name, [])
        if len(several) == 1:
            return self.components[several[0]]
        if several:
            some = ", ".join(several[:4])
            self.findings.add("CB146", f"{name!r} is the last name of several: {some}", where)
            return None
        inside = self.instances.get(name)
        if inside is not None:
            message = f"{name!r} is inside the rigid component {inside.component!r}; name that, with part:"
            self.findings.add("CB146", message, where)
            return None
        below = next((i for i in self.instances.values() if i.name.startswith(name + "/")), None)
        if below is not None and below.component != name:
            message = f"{name!r} is a sub-assembly inside the rigid component {below.component!r}"
            cure = f"Write {below.component} under `flexible`, and name the part of {name} that is meant."
            self.findings.add("CB146", message, where, cure)
            return None
        known = [*self.components, *self._short_names()]
        self.findings.add("CB146", f"there is no component {name!r}{self.near(name, known)}", where)
        return None

    def attached(self, name: str) -> str | None:
        """The full name of the component that was attached to another and is called so; None if none is."""
        if name in self.moved_into or name in self.components or not self.moved_into:
            return name if name in self.moved_into else None
        several = [old for old in self.moved_into if last(old) == name]
        return several[0] if len(several) == 1 and name not in self._short_names() else None

    def fitting(self, pattern: str) -> list[str]:
        """Components whose full path, last name, or only part's name fits a pattern."""
        fits = wildcard(pattern)
        return [c.name for c in self.components.values() if any(fits(n) for n in self._names(c))]

    def fitting_attached(self, pattern: str) -> list[str]:
        """Components that others took up by `attach`, by the names that they had."""
        fits = wildcard(pattern)
        attached = {name: own for name, own in self.taken_up.items() if name not in self.rigid}
        return [name for name, own in attached.items() if any(fits(n) for n in self._called(name, own))]

    def _names(self, component: Component) -> list[str]:
        return self._called(component.name, component.instances)

    def _called(self, name: str, instances: Sequence[str]) -> list[str]:
        names = [name, last(name)]
        if len(instances) == 1:
            names.append(self.instances[instances[0]].part)
        return names

    def merge(self, names: Sequence[str], into: str) -> None:
        """Make components part of another; what referred to them refers to the other, at the same place."""
        X: dict[str, Pose] = {}
        own = [self.components[into].instances]
        for name in names:
            gone, kept = self.components.pop(name), self.components[into]
            self._report_merged(gone, kept)
            self.components[into] = replace(kept, grounded=kept.grounded or gone.grounded)
            own.append(gone.instances)
            X[name] = kept.X_WC.inverse() @ gone.X_WC
            for instance in gone.instances:
                self.instances[instance] = replace(self.instances[instance], component=into)
            self.pose_before[name], self.taken_up[name] = gone.X_WC, gone.instances
            # What had been attached to the component that goes now belongs to the other, so that its name still leads
            # somewhere.
            led = [*self._led_to.pop(name, ()), name]
            self._led_to.setdefault(into, []).extend(led)
            self.moved_into.update(dict.fromkeys(led, into))
        self.components[into] = replace(self.components[into], instances=tuple(chain.from_iterable(own)))
        self.refer(lambda f: f.on(into, X[f.component]) if f.component in X else f)
        self.frames = [
            replace(f, component=into, X_CF=X[f.component] @ f.X_CF) if f.component in X else f for f in self.frames
        ]
        # A carrier is named, not held by a feature, and `refer` does not see it.
        self.couplings = [replace(c, carrier=into) if c.carrier in X else c for c in self.couplings]
        self._short = None

    def _report_merged(self, gone: Component, kept: Component) -> None:
        """What two components have as a whole and cannot both keep as one."""
        lost = []
        if kept.override is not None:
            lost.append(f"the mass given for {kept.name} holds for both")
        elif gone.override is not None:
            lost.append(f"the mass given for {gone.name} is dropped")
        if gone.gravity_compensation != kept.gravity_compensation:
            shares = f"{gone.gravity_compensation:g} and {kept.gravity_compensation:g}"
            lost.append(f"of their weights {shares} are carried, now {kept.gravity_compensation:g} of both")
        for text in lost:
            message = f"{gone.name} moves with {kept.name} as one: {text}"
            self.findings.add("CB1471", message, gone.where, items=[gone.name, kept.name])

    def refer(self, change: Callable[[Feature], Feature]) -> None:
        """Change the features of all mates and couplings."""
        self.mates = [_with_features(mate, change(mate.a), change(mate.b)) for mate in self.mates]
        self.couplings = [replace(c, a=c.a and change(c.a), b=c.b and change(c.b)) for c in self.couplings]

    def replace_components(self, components: Iterable[Component]) -> None:
        """Take another list of components; instances follow."""
        self.components = {c.name: c for c in components}
        for component in self.components.values():
            for instance in component.instances:
                if self.instances[instance].component != component.name:
                    self.instances[instance] = replace(self.instances[instance], component=component.name)
        self._short = None

    def pose(self, component: str) -> Pose:
        """X_WC of a component; the identity for the ground."""
        return Pose() if component == GROUND else self.components[component].X_WC

    def finished(self) -> Assembly:
        """The assembly with everything laid over it."""
        return replace(
            self.assembly,
            parts=tuple(self.parts.values()),
            instances=tuple(self.instances.values()),
            components=tuple(self.components.values()),
            mates=tuple(self.mates),
            couplings=tuple(self.couplings),
            frames=tuple(self.frames),
            mates_in_file=self.assembly.mates_in_file + self.document.given,
            findings=self.assembly.findings + self.findings.as_tuple(),
        )

    def _short_names(self) -> dict[str, list[str]]:
        if self._short is None:
            self._short = {}
            for name in self.components:
                self._short.setdefault(last(name), []).append(name)
        return self._short


def _with_features(mate: Mate, a: Feature, b: Feature) -> Mate:
    return mate if a is mate.a and b is mate.b else replace(mate, a=a, b=b)


def last(path: str) -> str:
    """The last name of a path."""
    return path.rsplit("/", 1)[-1]


@lru_cache(maxsize=1024)
def wildcard(pattern: str) -> Callable[[str], bool]:
    """Whether a name fits a pattern, in which * stands for any text and ? for one character."""
    # Translated by the library, which never goes back over what a * took: a*a*a*b would take hours on a name of a's.
    compiled = re.compile(fnmatch.translate(pattern.replace("[", "[[]")))
    return lambda name: compiled.match(name) is not None
