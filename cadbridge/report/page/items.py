"""What can be picked on the page, and by which reference: `part:3`, `body:0`, `joint:2`, `gear:1`, `mate:7`.

Numbers, not names, stand in the page's attributes: a name may be anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cadbridge.assembly import GROUND, Coupling, Mate
from cadbridge.findings import Finding
from cadbridge.mechanism.model import Mechanism

GROUND_REF = "body:-1"


@dataclass
class Items:
    """References by name. Mates and couplings are numbered together, mates first."""

    mechanism: Mechanism
    parts: dict[str, int] = field(default_factory=dict)
    bodies: dict[str, int] = field(default_factory=dict)
    joints: dict[str, int] = field(default_factory=dict)
    gears: dict[str, int] = field(default_factory=dict)
    mates: dict[str, int] = field(default_factory=dict)
    components: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        mechanism, assembly = self.mechanism, self.mechanism.assembly
        self.parts = {i.name: k for k, i in enumerate(assembly.instances)}
        self.bodies = {b.name: k for k, b in enumerate(mechanism.bodies)}
        self.joints = {j.name: k for k, j in enumerate(mechanism.joints)}
        self.gears = {c.name: k for k, c in enumerate(mechanism.couplings)}
        self.mates = {m.name: k for k, m in enumerate(self.all_mates)}
        self.components = {c.name: k for k, c in enumerate(assembly.components)}

    @property
    def all_mates(self) -> tuple[Mate | Coupling, ...]:
        """Mates, then couplings, in the order of their numbers."""
        return (*self.mechanism.assembly.mates, *self.mechanism.assembly.couplings)

    def ref(self, name: str, *kinds: str) -> str | None:
        """The reference of a name, looked for among the kinds in their order; None where it is none of them."""
        tables = {
            "joint": self.joints, "gear": self.gears, "mate": self.mates, "body": self.bodies, "part": self.parts,
        }  # fmt: skip
        for kind in kinds or ("mate", "joint", "gear", "body", "part"):
            if name in tables[kind]:
                return f"{kind}:{tables[kind][name]}"
        if name == GROUND and (not kinds or "body" in kinds):
            return GROUND_REF
        return None

    def body_of_instance(self, component: str) -> int:
        """The body that a component belongs to, -1 for the ground."""
        return self.mechanism.body_of.get(component, -1)

    def named_in(self, finding: Finding) -> list[str]:
        """What a finding is about, of that which can be picked here, by name."""
        return [name for name in finding.items if self.ref(name)]
