"""Stages of a run, each of a model with other rows, as one trajectory of the model with all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from solver.equations.system import System
from solver.result import NOTHING_SKIPPED, Skipped, Statistics, Trajectory

Array = NDArray[np.float64]


def total(parts: Sequence[Statistics], seconds: float) -> Statistics:
    """The steps of all stages, and the seconds of the whole."""
    nearest = min(parts, key=lambda s: s.pivot, default=Statistics())
    return Statistics(
        steps=sum(s.steps for s in parts),
        rejected=sum(s.rejected for s in parts),
        evaluations=sum(s.evaluations for s in parts),
        shortest=min((s.shortest for s in parts if s.steps), default=0.0),
        longest=max((s.longest for s in parts), default=0.0),
        seconds=seconds,
        unsolved=sum(s.unsolved for s in parts),
        within=max((s.within for s in parts), default=0.0),
        pivot=nearest.pivot,
        pivot_at=nearest.pivot_at,
        dips=tuple(dip for s in parts for dip in s.dips),
        skipped=_skipped([s.skipped for s in parts]),
    )


def _skipped(parts: list[Skipped]) -> Skipped:
    """The largest vibration that a stage began without, as if it died out as slowly as any, from the last one on."""
    felt = [one for one in parts if one.part > 0.0]
    if not felt:
        return NOTHING_SKIPPED
    return max(felt)._replace(decay=min(one.decay for one in felt), since=max(one.since for one in felt))


def joined(parts: Sequence[Trajectory], lost: Sequence[float], samples: Array) -> Trajectory:
    """The stages' samples at the times requested and at the end; at a change, the state after it.

    `lost` is the energy (J) that changes had taken by the beginning of each stage: it counts as dissipated.
    """
    done = _chained(parts, lost)
    kept = _kept(parts, samples, float(done.t[-1]))
    return Trajectory(*(getattr(done, f.name)[kept] for f in fields(Trajectory)))


def widened(part: System, whole: System, T: Trajectory) -> Trajectory:
    """A stage's samples with the rows and angles of the whole model; those that do not hold are zero."""
    multipliers = np.zeros((len(T.t), whole.constraint_rows))
    # Stages share the primitives and motors themselves, so that identity tells which is which; equal ones may be
    # several.
    at = {id(p): int(whole.program.primitive_row[i]) for i, p in enumerate(whole.model.primitives)}
    for i, p in enumerate(part.model.primitives):
        own = slice(int(part.program.primitive_row[i]), int(part.program.primitive_row[i + 1]))
        multipliers[:, at[id(p)] : at[id(p)] + own.stop - own.start] = T.multipliers[:, own]
    drivers = {id(m): k for k, m in enumerate(m for m in whole.model.motors if m.kind in ("speed", "angle"))}
    held, own_held = int(whole.program.primitive_row[-1]), int(part.program.primitive_row[-1])
    for k, motor in enumerate(m for m in part.model.motors if m.kind in ("speed", "angle")):
        multipliers[:, held + drivers[id(motor)]] = T.multipliers[:, own_held + k]
    angles = np.zeros((len(T.t), len(whole.angle_owner)))
    places = {owner: k for k, owner in enumerate(part.angle_owner)}
    for k, owner in enumerate(whole.angle_owner):
        if owner in places:
            angles[:, k] = T.angles[:, places[owner]]
    return replace(T, multipliers=multipliers, angles=angles)


def _chained(parts: Sequence[Trajectory], lost: Sequence[float]) -> Trajectory:
    """The stages one after the other, work and what is lost counted on."""
    work, gone, counted = 0.0, 0.0, []
    for T, before in zip(parts, lost, strict=True):
        counted.append(replace(T, motor_work=T.motor_work + work, dissipated=T.dissipated + gone + before))
        work += float(T.motor_work[-1])
        gone += float(T.dissipated[-1])
    return Trajectory(*(np.concatenate([getattr(T, f.name) for T in counted]) for f in fields(Trajectory)))


def _kept(parts: Sequence[Trajectory], samples: Array, end: float) -> NDArray[np.bool_]:
    """Which states are samples: those at the times requested and at the end; at a change the state after it."""
    kept = []
    for k, T in enumerate(parts):
        after = np.clip(np.searchsorted(samples, T.t), 1, max(1, len(samples) - 1))
        near = samples[np.stack([after - 1, np.minimum(after, len(samples) - 1)])]
        # Samples are asked for by rates, and a stage's own are sums of steps.
        wanted = np.min(np.abs(T.t - near), axis=0) <= 1e-9 * max(1.0, end)
        wanted[-1] |= k == len(parts) - 1
        # s: a stage begins where the one before ended, and that sample is kept once.
        if k < len(parts) - 1 and abs(parts[k + 1].t[0] - T.t[-1]) <= 1e-12:
            wanted[-1] = False
        kept.append(wanted)
    return np.concatenate(kept)
