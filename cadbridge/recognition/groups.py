"""Instances in groups that are joined one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from solver.algebra import connected


class Groups(connected.Groups[str]):
    """Instances in groups that are joined one by one, with the names of each group."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__()
        self._of = {name: [name] for name in names}
        self._names = dict.fromkeys(self._of)
        self._parted: dict[str, list[str]] = {}
        self._members: dict[str, list[str]] | None = None

    @property
    def count(self) -> int:
        """How many groups there are."""
        return len(self._of)

    @property
    def names(self) -> Iterable[str]:
        """All names, in the order in which they came."""
        return self._names

    def root(self, node: str) -> str:
        """The name that stands for a group: asked so often that the usual answers are looked up at once."""
        above = self._owner.get(node)
        return node if above is None else above if above not in self._owner else super().root(node)

    def add(self, name: str) -> None:
        """A name of its own, where it is new."""
        if name not in self._names:
            self._names[name], self._members = None, None
            self._of[name] = [name]

    def join(self, a: str, b: str) -> bool:
        """Make two groups one; False where they are already."""
        roots = self.root(a), self.root(b)
        if not super().join(a, b):
            return False
        self._members = None
        # The shorter list is moved: each name then moves few times, though thousands are joined one by one.
        short, long = sorted((self._of.pop(root) for root in sorted(roots)), key=len)
        long += short
        self._of[min(roots)] = long
        few, many = sorted((self._parted.pop(root, []) for root in roots), key=len)
        if few or many:
            many += few
            self._parted[min(roots)] = many
        return True

    def part(self, a: str, b: str) -> None:
        """Remember that the groups of two names are to stay two."""
        for one, other in ((a, b), (b, a)):
            self._parted.setdefault(self.root(one), []).append(other)

    def parted(self, a: str, b: str) -> bool:
        """Whether the groups of two names are to stay two, by names that are in them now."""
        a, b = sorted((self.root(a), self.root(b)), key=lambda root: len(self._parted.get(root, ())))
        return any(self.root(other) == b for other in self._parted.get(a, ()))

    def group(self, name: str) -> set[str]:
        """The names of one group."""
        return set(self._of[self.root(name)])

    def members(self) -> dict[str, list[str]]:
        """All groups by their root, in the order of the names."""
        if self._members is None:
            found: dict[str, list[str]] = defaultdict(list)
            for name in self._names:
                found[self.root(name)].append(name)
            self._members = dict(found)
        return self._members
