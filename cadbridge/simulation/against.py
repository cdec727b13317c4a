"""A run beside a trajectory computed elsewhere: motion only, never forces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.mechanism import GROUND_BODY
from cadbridge.simulation.run import Run
from cadbridge.simulation.study import unit_of
from cadbridge.study import Reference
from solver.rotation import matrix

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Comparison:
    """How far a run is from its reference over `samples` common times.

    `distances` (m), `angles` (rad), `speeds` (m/s) and `spins` (rad/s) are the largest gaps per component; speeds are
    of the component's origin. `energy_error` is what the reference itself
    gains or loses of the energy that it exchanges, as a fraction: None where something may do work.
    """

    samples: int
    tolerance: float
    distances: dict[str, float]
    angles: dict[str, float]
    speeds: dict[str, float]
    spins: dict[str, float]
    energy_error: float | None

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
        return max(self.largest, self.largest_angle, self.largest_rate) <= self.tolerance


def compare(run: Run, findings: Findings) -> Comparison:
    """The run against its source's own trajectory; CB616 where it leaves the tolerance.

    CB618 instead where the reference itself does not hold its tolerance: its energy strays by more.
    InputError where the source has none, or where no sample of the run falls on one of its times.
    """
    study = run.mechanism.assembly.study
    reference = None if study is None else study.reference
    if reference is None:
        raise InputError(f"{run.mechanism.assembly.source} holds no time series to compare with.")
    ours, theirs = _common(run.result.trajectory.t, reference)
    if len(ours) < 2:
        raise InputError("The run and the time series have no times in common: leave the rate to the source.")
    distances, angles, speeds, spins = {}, {}, {}, {}
    for name in reference.positions:
        p, R = component_poses(run, name)
        rates = np.abs(component_rates(run, name, p)[ours] - reference.velocities[name][theirs])
        speeds[name] = float(np.max(np.linalg.norm(rates[:, :3], axis=1)))
        spins[name] = float(np.max(np.linalg.norm(rates[:, 3:], axis=1)))
        gaps = p[ours] - reference.positions[name][theirs]
        turned = np.linalg.norm(R[ours] - reference.rotations[name][theirs], axis=(1, 2))
        distances[name] = float(np.max(np.linalg.norm(gaps, axis=1)))
        # ‖R − S‖ = 2√2 sin(angle / 2)
        angles[name] = float(2 * np.arcsin(min(1.0, np.max(turned) / np.sqrt(8))))
    found = Comparison(len(ours), reference.tolerance, distances, angles, speeds, spins, _energy_error(run, reference))
    _tell(found, findings)
    return found


def _tell(found: Comparison, findings: Findings) -> None:
    if found.within:
        return
    gaps = (found.distances, found.angles, found.speeds, found.spins)
    worst = max(found.distances, key=lambda name: max(gap[name] for gap in gaps))
    said = (
        f"{worst} is up to {found.distances[worst]:.3g} m, {found.angles[worst]:.3g} rad, "
        f"{found.speeds[worst]:.3g} m/s and {found.spins[worst]:.3g} rad/s from the time series; "
        f"its own tolerance is {found.tolerance:.3g}"
    )
    if found.energy_error is not None and found.energy_error > found.tolerance:
        said += f", but it strays by {found.energy_error:.2g} of the energy that it exchanges"
        findings.add("CB618", said, Where(item=worst))
    else:
        findings.add("CB616", said, Where(item=worst))


def _energy_error(run: Run, reference: Reference) -> float | None:
    """Of a motion that nothing drives or damps: how far the reference's energy strays from its first value."""
    mechanism = run.mechanism
    moving = [name for name in mechanism.component_names if name in reference.positions]
    study = mechanism.assembly.study
    driven = run.scenario.motors or (study is not None and study.motions)
    passive = not driven and not any(j.damping or j.stiffness for j in mechanism.joints)
    if not passive or len(moving) < len(mechanism.component_names):
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
