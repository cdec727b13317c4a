"""The same mechanism, diagnosis and motion (to 1e-9), whichever format it came from."""

from __future__ import annotations

import functools
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import cadbridge as cb
from cadbridge.assembly import CouplingKind
from cadbridge.diagnosis.model import Diagnosis
from cadbridge.findings import Severity
from cadbridge.mechanism.model import Body, Joint, Mechanism
from cadbridge.readers.registry import FORMATS as READERS
from cadbridge.readers.registry import taken_by
from cadbridge.simulation.run import Run
from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.trajectory import columns_of
from tests.readers.same_mechanism.formats import FORMATS, REFERENCES
from tests.readers.same_mechanism.model import BODIES

SCENARIO = Scenario(gravity=(0.0, -9.81, 0.0), duration=0.4, rate=50.0, rtol=1e-10, atol=1e-12, sensitivity=False)


@dataclass(frozen=True)
class Outcome:
    """What became of a source."""

    mechanism: Mechanism
    diagnosis: Diagnosis
    run: Run


def outcome(source: Path, names: dict[str, str] | None = None) -> Outcome:
    """Read, build, diagnose and simulate; nothing may be wrong with it."""
    assembly = cb.read(source)
    said = names or {}
    assembly = replace(
        assembly,
        mates=tuple(replace(m, name=said.get(m.name, m.name)) for m in assembly.mates),
        couplings=tuple(replace(c, name=said.get(c.name, c.name)) for c in assembly.couplings),
        joint_names={said.get(mate, mate): joint for mate, joint in assembly.joint_names.items()},
    )
    errors = [f for f in assembly.findings if f.severity is Severity.ERROR]
    assert not errors
    assert assembly.mates_in_file == len(assembly.mates) + len(assembly.couplings)
    mechanism = cb.build(assembly)
    assert not [f for f in mechanism.findings if f.severity is not Severity.INFO]
    return Outcome(mechanism, cb.diagnose(mechanism), cb.simulate(mechanism, SCENARIO))


@functools.cache
def reference(form: str) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        return outcome(REFERENCES[form](Path(folder)))


@pytest.fixture(params=FORMATS)
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Outcome, Outcome, bool]:
    """What became of a format's file, and of the plain form; whether bodies must have the same frames."""
    sample = FORMATS[request.param]
    return outcome(sample.write(tmp_path), sample.names), reference(sample.reference), sample.own_frames


def world_axis(mechanism: Mechanism, joint: Joint) -> tuple[np.ndarray, np.ndarray]:
    """A point and the direction of a joint's axis in the world."""
    X_WA = mechanism.ground.X_WB if joint.a == -1 else mechanism.bodies[joint.a].X_WB
    X_WJ = X_WA @ joint.X_AJ
    return X_WJ.p, X_WJ.R[:, 2]


def ends(mechanism: Mechanism, joint: Joint) -> list[str]:
    return ["ground" if i == -1 else mechanism.bodies[i].name for i in (joint.a, joint.b)]


def weights(body: Body) -> list[np.ndarray]:
    """Mass, centre and inertia of a body in the world, whatever its own frame is."""
    assert body.mass is not None
    R = body.X_WB.R
    return [np.array(body.mass.mass), body.X_WB.point(body.mass.com), R @ body.mass.inertia @ R.T]


def same_mechanism(one: Mechanism, two: Mechanism, own_frames: bool) -> None:
    assert {b.name for b in one.bodies} == {b.name for b in two.bodies} == set(BODIES) - {"Base"}
    for body in one.bodies:
        other = next(b for b in two.bodies if b.name == body.name)
        for ours, theirs in zip(weights(body), weights(other), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-12)
        if own_frames:
            np.testing.assert_allclose(body.X_WB.matrix(), other.X_WB.matrix(), atol=1e-12)
    assert sorted(j.name for j in one.joints) == sorted(j.name for j in two.joints)
    for joint in one.joints:
        like = two.joint(joint.name)
        assert (joint.type, ends(one, joint), joint.mates) == (like.type, ends(two, like), like.mates)
        (p, u), (q, v) = world_axis(one, joint), world_axis(two, like)
        np.testing.assert_allclose(u, v, atol=1e-9)
        if joint.type == "revolute":
            np.testing.assert_allclose(np.cross(p - q, v), 0.0, atol=1e-9)
        assert (joint.limit is None) == (like.limit is None)
        if joint.limit is not None and like.limit is not None:
            assert joint.limit.lower == pytest.approx(like.limit.lower, abs=1e-9)
            assert joint.limit.upper == pytest.approx(like.limit.upper, abs=1e-9)
    assert [c.name for c in one.couplings] == [c.name for c in two.couplings]
    kinds = (CouplingKind.SPUR, CouplingKind.RATIO, CouplingKind.JOINTS, CouplingKind.LINEAR)
    assert all(c.coupling.kind in kinds for c in one.couplings)


def same_diagnosis(one: Diagnosis, two: Diagnosis) -> None:
    assert one.mobility == two.mobility
    assert [(g.mates, g.rows, g.rank) for g in one.groups] == [(g.mates, g.rows, g.rank) for g in two.groups]
    told = [sorted((r.mate, r.rows, r.of, r.kind, r.duplicates) for r in d.redundancies) for d in (one, two)]
    assert told[0] == told[1]
    assert sorted((r.joint, r.determined) for r in one.reactions) == sorted(
        (r.joint, r.determined) for r in two.reactions
    )


def displacements(run: Run, body: str) -> np.ndarray:
    """(n, 4, 4): how a body has moved in the world since the start, whatever its own frame is."""
    columns = columns_of(run)
    p, q = (np.column_stack([columns[f"body.{body}.{k}"][0] for k in keys]) for keys in (_PLACE, _TURN))
    X = np.tile(np.eye(4), (len(p), 1, 1))
    X[:, :3, :3], X[:, :3, 3] = Rotation.from_quat(q, scalar_first=True).as_matrix(), p
    return np.asarray(X @ np.linalg.inv(X[0]))


_PLACE, _TURN = ("x", "y", "z"), ("qw", "qx", "qy", "qz")


def same_motion(one: Run, two: Run) -> None:
    for name in set(BODIES) - {"Base"}:
        theirs = displacements(two, name)
        np.testing.assert_allclose(displacements(one, name), theirs, atol=1e-9, err_msg=name)
        assert np.ptp(theirs[:, 0, 1]) > 0.05
    ours = columns_of(one)
    for name, (values, _) in columns_of(two).items():
        if name.startswith("joint.") and name.endswith(".q"):
            np.testing.assert_allclose(ours[name][0], values, atol=1e-9, err_msg=name)


def test_the_plain_form_is_what_it_should_be() -> None:
    mobility = reference("joints").diagnosis.mobility
    assert (mobility.dof, mobility.rows, mobility.rank, mobility.redundant) == (1, 29, 23, 6)
    mobility = reference("constraints").diagnosis.mobility
    assert (mobility.dof, mobility.rows, mobility.rank, mobility.redundant) == (1, 39, 23, 16)


def test_every_reader_has_a_model_of_our_own_making(tmp_path: Path) -> None:
    """A clone without real files of others tests every reader: from the file to the motion, below."""
    taken = set()
    for name, sample in FORMATS.items():
        (folder := tmp_path / name).mkdir()
        found = taken_by(sample.write(folder))
        assert found is not None
        taken.add(found[0].name)
    assert taken == {reader.name for reader in READERS}


def test_the_same_mechanism_diagnosis_and_motion(pair: tuple[Outcome, Outcome, bool]) -> None:
    ours, plain, own_frames = pair
    same_mechanism(ours.mechanism, plain.mechanism, own_frames)
    same_diagnosis(ours.diagnosis, plain.diagnosis)
    same_motion(ours.run, plain.run)
