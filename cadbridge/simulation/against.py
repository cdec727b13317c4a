"""A run beside a trajectory computed elsewhere: motion only, never forces."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.mechanism import GROUND_BODY
from cadbridge.simulation.reference import Broken, broken_mate, contradicted, corrected, has_velocities, left_out, moves
from cadbridge.simulation.run import Run
from cadbridge.simulation.study import unit_of
from cadbridge.study import Reference
from cadbridge.wording import count
from solver.rotation import matrix

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Comparison:
    """How far a run is from its reference over `samples` common times.

    `distances` (m), `angles` (rad), `speeds` (m/s) and `spins` (rad/s) are the largest gaps per component; speeds are
    of the component's origin, and there are none where the reference has no velocities. `energy_error` is what the
    reference itself gains or loses of the energy that it exchanges, as a fraction: None where something may do work.
    `judged` False: beyond the tolerance, for reasons that lie in the reference or in what the run goes without.
    """

    samples: int
    tolerance: float
    distances: dict[str, float]
    angles: dict[str, float]
    speeds: dict[str, float]
    spins: dict[str, float]
    energy_error: float | None
    judged: bool = True

    @property
    def largest(self) -> float:
        """The largest distance of all, m."""
        return max(self.distances.values(), default=0.0)

    @property
    def largest_angle(self) -> float:
        """The largest angle of all, rad."""
        return max(self.angles.values(), default=0.0)

    @property
    def largest_rate(self) -> float:
        """The largest gap of all velocities, m/s or rad/s."""
        return max((*self.speeds.values(), *self.spins.values()), default=0.0)

    @property
    def within(self) -> bool:
        """Whether every position, orientation and velocity is within the reference's own tolerance."""
        return self.samples > 1 and max(self.largest, self.largest_angle, self.largest_rate) <= self.tolerance


def compare(run: Run, findings: Findings) -> Comparison:
    """The run against its source's own trajectory; CB616 where it leaves the tolerance.

    Not an error, but CB1240 to CB1243, CB1258 or CB618, where the reference itself stands still, breaks its own mates,
    contradicts its own velocities, was computed with what the run goes without, or strays in its energy; velocities
    that it lacks are not judged (CB1241).
    InputError where the source has none, or where no sample of a whole run falls on one of its times.
    """
    study = run.mechanism.assembly.study
    reference = None if study is None else study.reference
    if reference is None:
        raise InputError(f"{run.mechanism.assembly.source} holds no time series to compare with.")
    ours, theirs = _common(run.result.trajectory.t, reference)
    if len(ours) < 2 and run.result.status.ok:
        raise InputError("The run and the time series have no times in common: leave the rate to the source.")
    if not has_velocities(reference):
        findings.add(
            "CB1241", f"the time series moves {_moving(reference)}, and all of its velocities are missing or 0"
        )
        reference = replace(reference, velocities={})
    found = _gaps(run, reference, ours, theirs)
    explained = found.within or _excused(run, reference, found, (ours, theirs), findings)
    if not explained:
        findings.add("CB616", _beyond(found), Where(item=_worst(found)))
    return replace(found, judged=found.within or not explained)


def _moving(reference: Reference) -> str:
    turned = reference.rotations
    return ", ".join(
        name
        for name, p in reference.positions.items()
        if max(np.max(np.ptp(p, axis=0)), np.max(np.ptp(turned[name], axis=0))) > reference.tolerance
    )


def _gaps(run: Run, reference: Reference, ours: Indices, theirs: Indices) -> Comparison:
    """The largest gaps at common times, `ours` of the run and `theirs` of the reference."""
    distances, angles, speeds, spins = {}, {}, {}, {}
    for name in reference.positions:
        p, R = component_poses(run, name)
        if name in reference.velocities:
            rates = np.abs(component_rates(run, name, p)[ours] - reference.velocities[name][theirs])
            speeds[name] = float(np.max(np.linalg.norm(rates[:, :3], axis=1), initial=0.0))
            spins[name] = float(np.max(np.linalg.norm(rates[:, 3:], axis=1), initial=0.0))
        gaps = p[ours] - reference.positions[name][theirs]
        turned = np.linalg.norm(R[ours] - reference.rotations[name][theirs], axis=(1, 2))
        distances[name] = float(np.max(np.linalg.norm(gaps, axis=1), initial=0.0))
        # ‖R − S‖ = 2√2 sin(angle / 2)
        angles[name] = float(2 * np.arcsin(min(1.0, np.max(turned, initial=0.0) / np.sqrt(8))))
    whole = run.result.status.ok
    energy = _energy_error(run, reference) if whole else None
    return Comparison(len(ours), reference.tolerance, distances, angles, speeds, spins, energy, whole)


def _excused(
    run: Run, reference: Reference, found: Comparison, common: tuple[Indices, Indices], findings: Findings
) -> bool:
    """Whether the gaps are the reference's, or of what the run goes without; findings that say which."""
    if not moves(reference) and _ours_move(run, reference):
        findings.add("CB1240", f"all {count(len(reference.t), 'sample')} have the same poses, and the run moves")
        return True
    if contradiction := contradicted(reference):
        findings.add("CB1258", contradiction[1], Where(item=contradiction[0]))
        return True
    broken = broken_mate(run.mechanism, reference)
    if _strays(found):
        return _report_stray(found, broken, findings)
    if broken is not None:
        off = f"{broken.mm:.3g} mm, {broken.degrees:.3g}° at t = {broken.t:.3g} s"
        findings.add("CB1242", f"the time series breaks {broken.mate} by {off}", Where(item=broken.mate))
        return True
    without = left_out(run.mechanism.assembly)
    if without:
        worst = _worst(found)
        text = f"{worst} is {_gap(found, worst)} from the time series, which was computed with what is left out here: "
        findings.add("CB1243", text + "; ".join(without), Where(item=worst))
        return True
    if not run.result.status.ok:
        return True
    return _off_its_own(run, reference, found, common, findings)


def _ours_move(run: Run, reference: Reference) -> bool:
    return any(
        np.max(np.abs(p - p[0]), initial=0.0) > reference.tolerance
        or np.max(np.abs(R - R[0]), initial=0.0) > reference.tolerance
        for p, R in (component_poses(run, name) for name in reference.positions)
    )


def _off_its_own(
    run: Run, reference: Reference, found: Comparison, common: tuple[Indices, Indices], findings: Findings
) -> bool:
    """Whether the run agrees with the reference once that is put on its own mates and motions; CB1242 then."""
    exact = corrected(run, reference, *common)
    if exact is None:
        return False
    left = _gaps(run, exact, common[0], np.arange(len(exact.t)))
    if not left.within:
        return False
    name = _worst(found)
    agreed = max(left.largest, left.largest_angle, left.largest_rate)
    text = (
        f"{name} is {_gap(found, name)} from the time series, which is off its own mates and motions by as much: "
        f"put on them by the least change, it agrees with the run to {agreed:.2g}"
    )
    findings.add("CB1242", text, Where(item=name))
    return True


def _worst(found: Comparison) -> str:
    gaps = (found.distances, found.angles, found.speeds, found.spins)
    return max(found.distances, key=lambda name: max(gap.get(name, 0.0) for gap in gaps))


def _gap(found: Comparison, name: str) -> str:
    places = f"up to {found.distances[name]:.3g} m and {found.angles[name]:.3g} rad"
    if name not in found.speeds:
        return places
    return f"{places}, {found.speeds[name]:.3g} m/s and {found.spins[name]:.3g} rad/s"


def _strays(found: Comparison) -> bool:
    return found.energy_error is not None and found.energy_error > found.tolerance


def _report_stray(found: Comparison, broken: Broken | None, findings: Findings) -> bool:
    message = f"it strays by {found.energy_error:.2g} of the energy that it exchanges"
    if broken is not None:
        message += f", and breaks {broken.mate} by {broken.mm:.3g} mm, {broken.degrees:.3g}°"
    findings.add("CB618", f"{_beyond(found)}, but {message}", Where(item=_worst(found)))
    return True


def _beyond(found: Comparison) -> str:
    worst = _worst(found)
    return f"{worst} is {_gap(found, worst)} from the time series; its own tolerance is {found.tolerance:.3g}"


def _energy_error(run: Run, reference: Reference) -> float | None:
    """Of a motion that nothing drives or damps: how far the reference's energy strays from its first value."""
    mechanism = run.mechanism
    free = [name for name in mechanism.component_names if mechanism.body_of[name] != GROUND_BODY]
    moving = [name for name in free if name in reference.positions]
    study = mechanism.assembly.study
    driven = run.scenario.motors or (study is not None and (study.motions or study.frame_motions))
    passive = (
        not driven and not left_out(mechanism.assembly) and not any(j.damping or j.stiffness for j in mechanism.joints)
    )
    if not passive or len(moving) < len(free) or not reference.velocities:
        return None
    kinetic, potential = np.zeros(len(reference.t)), np.zeros(len(reference.t))
    for name in moving:
        mass = mechanism.component_masses[name].mass
        if mass is None:
            return None
        R, twist = reference.rotations[name], reference.velocities[name]
        lever = R @ mass.com
        v = twist[:, :3] + np.cross(twist[:, 3:], lever)
        spin = np.einsum("kji,kj->ki", R, twist[:, 3:])
        kinetic += 0.5 * mass.mass * np.sum(v**2, axis=1) + 0.5 * np.einsum("ki,ij,kj->k", spin, mass.inertia, spin)
        potential -= mass.mass * (reference.positions[name] + lever) @ np.array(run.lowered.model.gravity)
    exchanged = float(np.ptp(kinetic))
    total = kinetic + potential
    return float(np.max(np.abs(total - total[0]))) / exchanged if exchanged > 0 else None


def _common(t: Array, reference: Reference) -> tuple[Indices, Indices]:
    """Indices of the samples at common times, the reference's counted from its first."""
    wanted = reference.t - reference.t[0]
    after = np.clip(np.searchsorted(t, wanted), 0, max(len(t) - 1, 0))
    before = np.maximum(after - 1, 0)
    nearest = np.where(np.abs(t[before] - wanted) < np.abs(t[after] - wanted), before, after)
    # Files have times of nine digits and better.
    same = np.abs(t[nearest] - wanted) < 1e-9 * max(1.0, float(wanted[-1]))
    return nearest[same], np.flatnonzero(same)


def component_poses(run: Run, component: str) -> tuple[Array, Array]:
    """Positions (k, 3) m and rotations (k, 3, 3) of a component's frame C in the world."""
    T = run.result.trajectory
    X_WC = run.mechanism.assembly.component(component).X_WC
    unit = unit_of(run.lowered, component)
    if unit == GROUND_BODY:
        return np.tile(X_WC.p, (len(T.t), 1)), np.tile(X_WC.R, (len(T.t), 1, 1))
    bearer = run.lowered.units[unit]
    X_BC = bearer.X_WB.inverse() @ X_WC
    R = np.array([matrix(q) for q in T.quaternions[:, unit]])
    return np.asarray(T.positions[:, unit] + R @ (X_BC.p - bearer.mass.com)), np.asarray(R @ X_BC.R)


def component_rates(run: Run, component: str, origins: Array) -> Array:
    """Velocities [v; ω] (k, 6; m/s, rad/s) of a component's frame C in the world, with its `origins` (k, 3) m."""
    T = run.result.trajectory
    unit = unit_of(run.lowered, component)
    if unit == GROUND_BODY:
        return np.zeros((len(T.t), 6))
    v, omega = T.velocities[:, unit, :3], T.velocities[:, unit, 3:]
    return np.hstack([v + np.cross(omega, origins - T.positions[:, unit]), omega])
