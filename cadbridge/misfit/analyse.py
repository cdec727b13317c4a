"""What redundant mates cost: misfit, play and forces of each group, under what is assumed of its faces and mates."""

from __future__ import annotations

import difflib
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cadbridge.assembly import GROUND, Assembly
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.mechanism import Mechanism
from cadbridge.misfit.alone import alone
from cadbridge.misfit.blocks import Block
from cadbridge.misfit.contacts import normals_of, signs_of
from cadbridge.misfit.forces import Springs
from cadbridge.misfit.groups import DependentMates, constraints_of, groups_of
from cadbridge.misfit.model import Equation, Error, Fit, GroupFit, Load, PlayNeeded, Releases, Term
from cadbridge.misfit.needs import drawn_of, play_needed, reaches_of, weights_of
from cadbridge.misfit.play import Play
from cadbridge.misfit.proposing import Proposer
from cadbridge.misfit.pushing import PushedPlay, Pushing
from cadbridge.misfit.pushing import one_sided as pushed
from cadbridge.misfit.settings import Settings, preload_of, stiffness_rows, tolerances_of
from cadbridge.misfit.shared import with_shared
from cadbridge.misfit.spread import Spread
from cadbridge.misfit.weights import carried_weights
from cadbridge.misfit.zones import Zones
from cadbridge.units import TO_MM

Array = NDArray[np.float64]

RELEASES_LISTED = 5
"""Releases of a group that are listed: as many as a person compares."""
RELEASED = 50
"""Groups, the costliest ones, for which releases are looked for by default."""
OPEN_DESIGN = 1e-5
"""m of play above which a design is told not to fit by itself: files round to less. The same as
`simulation.fitting.GAP`, below which a run is fitted without a word."""
MAGNIFIED = 30.0
"""An equation that feels an error so many times over stands near a singular pose: 1 / sin 2°."""
ALONE, MOST_ALONE = 3, 24
"""Sets of mates with play alone that are listed; mates and redundant equations up to which they are compared."""
PUSHED_DRAWS = 1000
"""Draws for which contacts only push: each is a quadratic programme."""
MOST_PUSHED = 100
"""Redundant equations up to which the play of contacts that only push is computed: each of its rounds is one."""
ROWS_AT_ONCE = 256
"""Rows whose forces are computed at once: their columns stay in a processor's cache."""
NO_INFLUENCE = 1e-9
"""A coefficient (1, m, 1/m) below this is rounding: errors that it carries are micrometres."""


def fit(
    mechanism: Mechanism, settings: Settings | None = None, releases: int = RELEASES_LISTED, body: str | None = None,
    one_sided: bool = False, brief: bool = False, sizes: Mapping[str, float] | None = None,
) -> Fit:  # fmt: skip
    """Compute what the redundant mates of a mechanism cost: play, forces, and the weaker mates that would free it.

    All of it is at the designed pose and to first order in the errors of the parts; docs/fit-theory.md derives it.

    Args:
        mechanism: The mechanism.
        settings: Errors of faces, play, stiffness and preload; None takes ISO 2768-1 medium, one stiffness for all
            mates and no play (see `Settings`, `load_fit`).
        releases: How many releases are listed of each of the 50 groups that need most play, by the stiffness that they
            leave; 0 looks for none.
        body: The component at which that stiffness counts; None takes the heaviest of the group.
        one_sided: Whether faces that lie on each other only push, and never pull; `GroupFit.one_sided` says what that
            makes of the forces.
        brief: Whether releases and play in few mates are looked for in the costliest group alone.
        sizes: By component the size in m that selects its tolerances; None measures the shapes.

    Returns:
        The groups of redundant equations, the one that needs most play first.

    Raises:
        InputError: No moving component has the name `body`.
    """
    settings = settings or Settings()
    findings = Findings()
    constraints = constraints_of(mechanism)
    sizes = sizes_of(mechanism.assembly) if sizes is None else sizes
    if body is not None and mechanism.units.get(body, -1) < 0:
        raise InputError(f"No moving component has the name {body!r}{_near(body, mechanism.component_names)}")
    proposer = Proposer(constraints, settings, releases, body)
    weights = carried_weights(constraints)
    job = _Job(settings, sizes, None if weights is None else weights[0])
    judged = [(g, _group(g, job)) for g in (with_shared(g, settings) for g in groups_of(constraints))]
    if normals := normals_of(mechanism.assembly):
        judged = [(g, _with_contacts(g, done, job, signs_of(constraints, g, normals), one_sided)) for g, done in judged]
    # Rounded, so that alike groups of a pattern stay in the order of the file.
    judged.sort(key=lambda pair: -round(pair[1].play.worst, 12))
    named = 1 if brief else len(judged)
    judged[:named] = [(g, _with_alone(g, done, job)) for g, done in judged[:named]]
    released = min(named, RELEASED)
    proposed = proposer.of([group for group, _ in judged[:released]])
    first = [replace(done, releases=found) for (_, done), found in zip(judged, proposed, strict=False)]
    beyond = f"only the {RELEASED} groups that need most play were searched" if releases and not brief else ""
    groups = (*first, *(replace(g, releases=replace(g.releases, reason=beyond)) for _, g in judged[released:]))
    _report(mechanism, groups, findings)
    dof = 6 * constraints.rows.count - constraints.dependence.rank
    return Fit(
        groups, settings, None if weights is None else weights[1], dof, len(constraints.rows), findings.as_tuple(),
        _units(mechanism.assembly, groups),
    )  # fmt: skip


def _units(assembly: Assembly, groups: Sequence[GroupFit]) -> tuple[str, ...]:
    """The components of several parts whose faces are off."""
    names = dict.fromkeys(e.component for group in groups for e in group.errors if e.component not in (None, GROUND))
    return tuple(str(name) for name in names if len(assembly.component(str(name)).instances) > 1)


def _near(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=3)
    return f"; did you mean {', '.join(near)}?" if near else "."


def sizes_of(assembly: Assembly) -> dict[str, float]:
    """For each component the span (m) of the points in which mates hold it; where it is none, that of its shape."""
    points: dict[str, list[Array]] = defaultdict(list)
    for mate in assembly.mates:
        for feature in (mate.a, mate.b):
            points[feature.component].append(feature.point)
    sizes = {name: float(np.linalg.norm(np.ptp(np.array(own), axis=0))) for name, own in points.items()}
    return {name: size if size > 0.0 else _extent(assembly, name) for name, size in sizes.items()}


def _extent(assembly: Assembly, component: str) -> float:
    """The largest span (m) of the shapes of a component's parts, 0 where it has none."""
    if component == GROUND:
        return 0.0
    parts = {assembly.instance(name).part for name in assembly.component(component).instances}
    shapes = [shape for name in parts if (shape := assembly.part(name).shape) is not None]
    meshes = [mesh for shape in shapes if (mesh := shape.coarse) is not None and len(mesh.vertices)]
    return max((float(np.linalg.norm(np.ptp(mesh.vertices, axis=0))) for mesh in meshes), default=0.0)


@dataclass(eq=False)
class _Job:
    """What all groups share; `weights` (m,) are forces that balance the weights, `known` what was computed before."""

    settings: Settings
    sizes: Mapping[str, float]
    weights: Array | None
    known: dict[bytes, tuple[PlayNeeded, Array]] = field(default_factory=dict)


def _group(group: DependentMates, job: _Job) -> GroupFit:
    settings, sizes, known = job.settings, job.sizes, job.known
    zones = Zones(group.errors.zones, tolerances_of(settings, group.errors, sizes))
    gaps = group.gaps + _preloads(group, settings)
    w = weights_of(group, settings)
    key = _key(group, zones.radii, gaps, w)
    if key not in known:
        known[key] = play_needed(Play(group, w), zones, gaps, settings, drawn_of(group, settings))
    needed, shares = known[key]
    return GroupFit(
        group.mates, len(group.rows), group.redundant, _equations(group, zones, gaps), _errors(group, zones, shares),
        needed, _loads(group, zones, gaps, job), float(np.median(reaches_of(group, settings))),
        Releases((), 0, False, "", ()),
    )  # fmt: skip


def _with_alone(group: DependentMates, done: GroupFit, job: _Job) -> GroupFit:
    """The same with play in few mates, where sets of the group's mates can be compared one by one."""
    if group.redundant > MOST_ALONE or len(group.mates) > MOST_ALONE:
        return done
    zones = Zones(group.errors.zones, tolerances_of(job.settings, group.errors, job.sizes))
    gaps = group.gaps + _preloads(group, job.settings)
    return replace(done, alone=alone(group, zones, gaps, weights_of(group, job.settings), ALONE))


def _with_contacts(group: DependentMates, done: GroupFit, job: _Job, signs: Array, one_sided: bool) -> GroupFit:
    """The same with the names of contacts, and what they carry if they only push."""
    names = tuple(dict.fromkeys(b.mate for b in group.blocks if np.any(signs[b.rows])))
    if not names or not one_sided:
        return replace(done, contacts=names)
    settings = job.settings
    zones = Zones(group.errors.zones, tolerances_of(settings, group.errors, job.sizes))
    gaps = group.gaps + _preloads(group, settings)
    drawn = replace(drawn_of(group, settings), count=min(settings.draws, PUSHED_DRAWS))
    springs = Springs(group, stiffness_rows(settings, group.blocks, len(group.rows)))
    loads = np.zeros(len(group.rows)) if job.weights is None else springs.shared(job.weights[group.rows])
    play = None
    if group.redundant <= MOST_PUSHED:
        play, _ = play_needed(PushedPlay(group, weights_of(group, settings), signs), zones, gaps, settings, drawn)
    pushing = Pushing(group, springs.k, signs)
    return replace(done, contacts=names, one_sided=pushed(pushing, gaps, loads, zones.misfits(group.B, drawn), play))


def _key(group: DependentMates, *numbers: Array) -> bytes:
    """The numbers of a group: patterns repeat groups, which are computed once."""
    parts: list[NDArray[Any]] = [np.round(n, 12) for n in numbers]
    for M in (group.N, group.B):
        rounded = csr_array(M, copy=True)
        rounded.sum_duplicates()
        rounded.data = np.round(rounded.data, 9)
        rounded.eliminate_zeros()
        parts += [rounded.indptr, rounded.indices, rounded.data]
    return b"|".join(np.ascontiguousarray(x + 0).tobytes() for x in parts)


def _preloads(group: DependentMates, settings: Settings) -> Array:
    """The interference (m,) with which mates are put together."""
    found = np.zeros(len(group.rows))
    for block in group.blocks:
        # The interference is that of the block as a whole, the root of its rows' squares: each gets an equal part.
        found[block.rows] = preload_of(settings, block) / math.sqrt(len(block.rows))
    return found


def _equations(group: DependentMates, zones: Zones, gaps: Array) -> tuple[Equation, ...]:
    """Each redundant equation with the errors that it feels, those that may cost most first."""
    block_of = {int(row): block for block in group.blocks for row in block.rows}
    felt, found = group.felt.toarray(), []
    for k, (row, misfit) in enumerate(zip(group.repeated, group.N.T @ gaps, strict=True)):
        block = block_of[int(row)]
        direction = block.directions[list(block.rows).index(row)]
        sizes = zones.lengths(felt[k])
        order = np.argsort(-sizes * zones.radii, kind="stable")
        terms = tuple(_term(group, int(z), float(sizes[z])) for z in order if sizes[z] > NO_INFLUENCE)
        x, y, z = (float(v) + 0.0 for v in direction)
        worst = float(zones.worst(felt[k]))
        found.append(Equation(block.mate, block.kind, block.turns, (x, y, z), terms, abs(float(misfit)), worst))
    return tuple(found)


def _term(group: DependentMates, index: int, coefficient: float) -> Term:
    component, mates, kind, turns = _named(group, index)
    return Term(component, mates, kind, turns, coefficient)


def _named(group: DependentMates, index: int) -> tuple[str | None, tuple[str, ...], str, bool]:
    """Whose error a zone is: component, mates, kind, and whether it is a turn."""
    zone = group.errors.zones[index]
    if zone.face is None:
        return None, (zone.mate,), zone.kind, zone.turns
    face = group.errors.faces[zone.face]
    return face.component, face.mates, zone.kind, zone.turns


def _errors(group: DependentMates, zones: Zones, shares: Array) -> tuple[Error, ...]:
    """All errors that some equation feels, with their tolerances; what costs most first."""
    felt = zones.lengths(group.felt.toarray()).max(axis=0)
    order = [int(z) for z in np.argsort(-shares, kind="stable") if felt[z] > NO_INFLUENCE]
    return tuple(Error(*_named(group, z), float(zones.radii[z]), float(shares[z])) for z in order)


def _loads(group: DependentMates, zones: Zones, gaps: Array, job: _Job) -> tuple[Load, ...]:
    """The forces in each block, for errors that no play takes up."""
    k = stiffness_rows(job.settings, group.blocks, len(group.rows))
    springs = Springs(group, k)
    weights = None if job.weights is None else springs.shared(job.weights[group.rows])
    designed = springs.forces(gaps)
    worst, squares = _widths(springs, group, zones)
    found: list[Load] = []
    for block, most, sum_of_squares in zip(group.blocks, worst, squares, strict=True):
        still = float(np.linalg.norm(designed[block.rows]))
        weight = None if weights is None else float(np.linalg.norm(weights[block.rows]))
        found.append(Load(
            block.mate, block.kind, block.turns, float(k[block.rows[0]]), still, still + float(most),
            math.hypot(still, float(sum_of_squares)), weight,
        ))  # fmt: skip
    return tuple(found)


def _widths(springs: Springs, group: DependentMates, zones: Zones) -> tuple[Array, Array]:
    """The worst force and the root sum of squares (b,) in each block, of errors in their zones."""
    sums = springs.sums(group.B)
    if sums is not None:
        spread, N = Spread(zones, sums), group.N.toarray()
        parts = [N[block.rows] for block in group.blocks]
        return spread.widest(parts)[0], np.array([spread.squares(F) for F in parts])
    worst, squares = [], []
    for blocks in _chunks(group):
        rows = np.concatenate([block.rows for block in blocks])
        unit = np.zeros((len(springs.k), len(rows)))
        unit[rows, np.arange(len(rows))] = 1.0
        # How forces follow from misfits is symmetric: the columns of a few rows are these rows.
        felt = np.asarray((group.B.T @ springs.forces(unit)).T)
        for G in np.split(felt, np.cumsum([len(block.rows) for block in blocks])[:-1]):
            worst.append(zones.widest(G)[0])
            squares.append(zones.widest_squares(G))
    return np.array(worst), np.array(squares)


def _chunks(group: DependentMates) -> list[list[Block]]:
    chunks: list[list[Block]] = [[]]
    rows = 0
    for block in group.blocks:
        if rows + len(block.rows) > ROWS_AT_ONCE:
            chunks.append([])
            rows = 0
        chunks[-1].append(block)
        rows += len(block.rows)
    return chunks


def _report(mechanism: Mechanism, groups: tuple[GroupFit, ...], findings: Findings) -> None:
    """What to know before the numbers are used: nothing binds, the design does not fit, a pose near a singular one."""
    if not groups:
        findings.add("CB441", "no equation of the mates is redundant: nothing binds, whatever the errors of the parts")
    where = {m.name: m.where for m in mechanism.assembly.mates}
    for group in groups:
        if group.play.designed > OPEN_DESIGN:
            text = f"{', '.join(group.mates[:5])} contradict each other: they need {group.play.designed * TO_MM:.3g} mm"
            place = where.get(group.mates[0], Where(item=group.mates[0]))
            findings.add("CB442", f"{text} of play even with exact parts", place, items=group.mates)
        largest = max(
            ((t.coefficient, e) for e in group.equations for t in e.terms if t.turns == e.turns),
            key=lambda item: item[0], default=(0.0, None),
        )  # fmt: skip
        if largest[0] > MAGNIFIED and largest[1] is not None:
            angle = math.degrees(math.asin(1.0 / largest[0]))
            text = (
                f"{largest[1].mate} ({largest[1].kind}) multiplies an error by {largest[0]:.3g}: the pose is as near "
                f"to a singular one as two directions at {angle:.2g}° are to being parallel"
            )
            place = where.get(largest[1].mate, Where(item=largest[1].mate))
            findings.add("CB443", text, place, items=[largest[1].mate])
