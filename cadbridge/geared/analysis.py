"""A mechanism as a geared robot, with its findings; in names again, where the solver has indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cadbridge.errors import ModelError
from cadbridge.findings import Finding, Findings, Where
from cadbridge.lowering import Lowered, lower
from cadbridge.mates import CouplingKind
from cadbridge.mechanism import GROUND_BODY, Mechanism
from cadbridge.shown import Shown, sentence
from cadbridge.units import TO_MM
from cadbridge.wording import count, listed
from solver.geared import NotGearedError, Transmission, graph_of
from solver.geared import transmission as take_apart

_TOOTHED = frozenset({
    CouplingKind.SPUR, CouplingKind.BEVEL, CouplingKind.INTERNAL, CouplingKind.WORM, CouplingKind.CROSSED_HELICAL,
})  # fmt: skip
"""The kinds of gears that have a key for their pressure angle in a mates file."""

_AS_TEETH = (
    "This kind of gear has no pressure angle. If it has teeth, give it as a gear with `teeth` and `pressure_angle` in "
    "the mates file; otherwise its separating forces stay unknown."
)

MOST_ENDS = 64
"""Ends of the hinges that are tried where no output link is named: each is one analysis; a choice."""

CODES = {
    "joints": "CB430",
    "tree": "CB431",
    "carrier": "CB432",
    "output": "CB433",
    "freedoms": "CB434",
    "inputs": "CB435",
    "loads": "CB436",
}
"""The code for each kind of reason why a mechanism is no geared robot."""


@dataclass(frozen=True, eq=False)
class Analysis(Shown):
    """A geared robot taken apart.

    Attributes:
        mechanism: The mechanism.
        lowered: The solver's model of it; the robot's links are indices of `lowered.units`.
        robot: Its links, lines, structure matrix.
        pressure_angles: By gear pair rad, where they are known.
        findings: What was found wrong or remarkable.
    """

    mechanism: Mechanism
    lowered: Lowered
    robot: Transmission
    pressure_angles: dict[str, float]
    findings: tuple[Finding, ...]

    def __repr__(self) -> str:
        links, gears = count(len(self.robot.graph.pairs), "link"), count(len(self.robot.graph.meshes), "gear pair")
        lines = count(len(self.robot.lines), "transmission line")
        return sentence("Analysis", self.mechanism.assembly.name, links, gears, lines)

    def name(self, link: int) -> str:
        """Name a link.

        Args:
            link: Its index, −1 for the base.

        Returns:
            The name; "ground" for the base.
        """
        return self.robot.graph.name(link)


def transmission(
    mechanism: Mechanism, output: str | None = None, inputs: Sequence[str] | None = None, lowered: Lowered | None = None
) -> Analysis:
    """Take a geared robot apart into its transmission lines and its structure matrix.

    The method is that of `solver.geared` (docs/geared.md names the papers).

    Args:
        mechanism: The mechanism.
        output: The body that is the end of the arm, or a component or frame of one; None takes the last frame that a
            body bears, else the one link at an end of the hinges that makes a geared robot.
        inputs: The joints (or their mates or drives) that actuators turn; None takes the drives, and where there are
            none what `solver.geared` takes.
        lowered: The mechanism as the solver has it, where that is there already; None makes it.

    Returns:
        The transmission, by indices of links with their names, and findings.

    Raises:
        ModelError: It is no geared robot; there is a finding for each reason (CB430 to CB436).
    """
    findings = Findings()
    # Lines and structure matrix are geometry: a mechanism without masses has them too.
    lowered = lowered or lower(mechanism, motion_only=True)
    names = _inputs(lowered, inputs, findings)
    links = _outputs(mechanism, output, findings)
    if findings.errors:
        raise ModelError("the mechanism is not a geared robot", findings)
    try:
        robot = _apart(lowered, links, names, findings)
    except NotGearedError as fault:
        raise not_geared(fault, findings) from fault
    _report_unbalanced(lowered, robot, findings)
    angles = {
        c.name: c.coupling.pressure_angle for c in mechanism.couplings if c.coupling.pressure_angle is not None
    }  # fmt: skip
    _report_angles(mechanism, [m.name for m in robot.graph.meshes if m.name not in angles], findings)
    return Analysis(mechanism, lowered, robot, angles, findings.as_tuple())


def _apart(lowered: Lowered, links: Sequence[int], names: list[str] | None, findings: Findings) -> Transmission:
    """The transmission to the link named, or to the one end of the hinges for which there is one."""
    if links:
        return take_apart(lowered.model, links[0], names)
    graph = graph_of(lowered.model)
    bearing = {p.parent for p in graph.pairs}
    found, faults = [], {}
    ends = [link for link in range(len(graph.pairs)) if link not in bearing]
    for end in ends if len(ends) <= MOST_ENDS else ():
        try:
            found.append(take_apart(lowered.model, end, names))
        except NotGearedError as fault:
            faults[end] = fault
    if len(found) == 1:
        return found[0]
    if faults and not found:
        # Report the faults of the longest chain: it is most likely the arm.
        end = max(faults, key=lambda link: len(graph.to_base(link)))
        raise NotGearedError([replace(r, message=f"to {graph.name(end)}: {r.message}") for r in faults[end].reasons])
    able = [r.primary[-1] for r in found] or ends
    findings.add("CB433", f"no output link is named; {_some([graph.name(link) for link in able])}")
    raise ModelError("the mechanism is not a geared robot", findings)


def not_geared(fault: NotGearedError, findings: Findings) -> ModelError:
    """The error of a mechanism that is no geared robot, with a finding for each reason."""
    for reason in fault.reasons:
        findings.add(CODES[reason.kind], reason.message)
    return ModelError("the mechanism is not a geared robot that transmission lines describe", findings)


def _outputs(mechanism: Mechanism, output: str | None, findings: Findings) -> list[int]:
    """The body meant, if any: the one named, or the last that bears a frame."""
    frames = {f.name: f.component for f in mechanism.assembly.frames}
    if output is None:
        borne = [mechanism.body_of.get(component, GROUND_BODY) for component in frames.values()]
        return [link for link in borne if link != GROUND_BODY][-1:]
    bodies = {b.name: i for i, b in enumerate(mechanism.bodies)}
    link = bodies.get(output, mechanism.body_of.get(frames.get(output, output), GROUND_BODY))
    if link == GROUND_BODY:
        findings.add("CB433", f"there is no moving link, component or frame {output!r}", Where(item=output))
    return [link]


def _some(names: list[str]) -> str:
    return f"there are {listed(names, 8)}"


def _inputs(lowered: Lowered, names: Sequence[str] | None, findings: Findings) -> list[str] | None:
    """The names of the driven hinges; None if neither the caller nor a drive names them."""
    if names is None:
        names = [drive.name for drive in lowered.mechanism.drives]
        if not names:
            return None
    found = []
    for name in names:
        index = lowered.coordinate_of(name)
        if index is None:
            findings.add("CB435", f"there is no joint {name!r} with one freedom", Where(item=name))
        else:
            found.append(lowered.joints[index].name)
    return found


def _report_angles(mechanism: Mechanism, unknown: list[str], findings: Findings) -> None:
    """Gear pairs whose pressure angle is not known; what is no gear pair has no key for one, and another cure."""
    kinds = {c.name: c.coupling.kind for c in mechanism.couplings}
    for toothed in (True, False):
        names = [name for name in unknown if (kinds[name] in _TOOTHED) is toothed]
        if names:
            text = f"the pressure angle of {count(len(names), 'gear pair')} is not known ({', '.join(names[:5])})"
            cure = None if toothed else _AS_TEETH
            findings.add("CB438", text, Where(item=names[0]), cure, names)


def _report_unbalanced(lowered: Lowered, robot: Transmission, findings: Findings) -> None:
    """Secondary links that are not balanced; of those whose mass is not known nothing can be said."""
    for link in robot.unbalanced:
        name = robot.graph.name(link.link)
        if name not in lowered.stand_ins:
            findings.add(
                "CB437",
                f"{name}: its centre lies {link.offset * TO_MM:.3g} mm off its axis, its inertia differs from that of "
                f"a body of revolution by {100 * link.asymmetry:.2g} %",
                Where(item=name),
            )
