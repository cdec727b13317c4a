"""Mates that share a joint: which shares are determined, against one dense null space, and what to free."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray
from scipy.linalg import null_space

import cadbridge as cb
from cadbridge.assembly import GROUND, Assembly, MateKind
from cadbridge.cli import main
from cadbridge.diagnosis import diagnose
from cadbridge.diagnosis.diagnose import mate_rows
from cadbridge.mechanism import Mechanism, build
from cadbridge.mechanism.rows import Rows
from tests.diagnosis.dense import matrix
from tests.diagnosis.test_reactions import KINDS, on_bodies
from tests.mechanism.building import assembly, mate

Array = NDArray[np.float64]
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def doubled(seed: int) -> Assembly:
    """Three parts and the ground in a ring, each two joined by one to three mates at different places."""
    random = np.random.default_rng(seed)
    places = {f"part {i}": tuple(random.uniform(-0.3, 0.3, 3)) for i in range(3)}
    names, mates = [GROUND, *places], []
    for i in range(4):
        axis, point = np.eye(3)[random.integers(3)], random.uniform(-0.3, 0.3, 3)
        for k in range(int(random.integers(1, 4))):
            kind = KINDS[random.integers(len(KINDS))]
            at = point + 0.2 * k * axis
            mates.append(mate(places, f"m{i}{k}", kind, names[i], names[(i + 1) % 4], at, axis))
    return assembly(places, mates)


def hinges(heights: tuple[float, ...], kind: MateKind = MateKind.INSERT) -> Assembly:
    places = {"leaf": (0.4, 0.0, 1.0)}
    z = (0.0, 0.0, 1.0)
    return assembly(places, [mate(places, f"h{k}", kind, GROUND, "leaf", (0, 0, h), z) for k, h in enumerate(heights)])


def shares_by_the_null_space(mechanism: Mechanism, rows: Rows, keep: list[int]) -> dict[str, bool]:
    """Whether the share of each mate of a joint of several is determined, by the rows kept."""
    A = matrix(rows)[keep]
    N = null_space(A.T, rcond=1e-9)
    fine = {}
    for joint in mechanism.joints:
        body = joint.b if joint.b >= 0 else joint.a
        for name in joint.mates if len(joint.mates) > 1 else ():
            own = [i for i, row in enumerate(keep) if rows.owners[row] == name]
            wrench = A[own][:, 6 * body : 6 * body + 6].T @ N[own]
            fine[name] = bool(np.max(np.abs(wrench), initial=0.0) < 1e-7)
    return fine


CASES = {
    "door": partial(hinges, (0.25, 1.0, 1.75)),
    "door on balls": partial(hinges, (0.25, 1.75), MateKind.SPHERICAL),
    "one hinge": partial(hinges, (0.5,)),
    **{f"ring {seed}": partial(doubled, seed) for seed in range(12)},
}


@pytest.mark.parametrize("name", CASES)
def test_a_share_is_determined_where_no_self_stress_has_a_part_in_it(name: str) -> None:
    mechanism = build(CASES[name]())
    rows = on_bodies(mechanism)
    found = diagnose(mechanism)
    told = {s.mate: s.determined for r in found.reactions for s in r.shares}
    assert told == shares_by_the_null_space(mechanism, rows, list(range(len(rows))))


def test_the_equations_named_are_those_to_free() -> None:
    """Without them the motion stays, and every share is determined."""
    mechanism = build(hinges((0.25, 1.0, 1.75)))
    (reaction,) = diagnose(mechanism).reactions
    assert reaction.determined
    assert not any(s.determined for s in reaction.shares)
    assert reaction.shares[0].torque == (False, False, True)
    assert sum(len(f.equations) for f in reaction.free) == 10
    assert {f.mate: f.all for f in reaction.free} == {"h0": False, "h1": False, "h2": True}
    # Tilts of both hinges and the height of one are freed: a ball joint and a ball on a line.
    said = {f.mate: sorted(f.equations) for f in reaction.free}
    assert said["h0"] == ["turn about x", "turn about y"]
    assert said["h1"] == ["travel along z", "turn about x", "turn about y"]
    rows = mate_rows(mechanism)
    keep = [i for i, owner in enumerate(rows.owners) if owner != "h2" and not freed(rows, i, owner, said)]
    assert len(keep) == np.linalg.matrix_rank(matrix(rows)[keep]) == 5
    assert shares_by_the_null_space(mechanism, rows, keep) == {"h0": True, "h1": True, "h2": True}


def freed(rows: Rows, i: int, owner: str, said: dict[str, list[str]]) -> bool:
    (wrench,) = rows.wrenches[i]
    turns = np.linalg.norm(wrench[:3]) < 1e-9
    axis = "xyz"[int(np.argmax(np.abs(wrench[3:] if turns else wrench[:3])))]
    return f"turn about {axis}" in said[owner] if turns else f"travel along {axis}" in said[owner]


def test_every_hinge_of_a_door_has_its_wrench_in_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, table = FIXTURES / "door" / "door.sdf", tmp_path / "door.parquet"
    call = ["simulate", str(source), "--duration", "0.02", "-o", str(table)]
    assert main([*call, "--keep-redundant"]) == 0
    said = capsys.readouterr().err
    assert "CB647: the wrenches of bottom, middle, top are one of many shares, that of least norm" in said
    found = pq.read_table(table)
    wrench = {n: np.array([found[f"mate.{n}.{c}"][0].as_py() for c in ("fx", "fy", "fz", "tx", "ty", "tz")])
              for n in ("bottom", "middle", "top")}  # fmt: skip
    weight, arm = 30 * 9.81, 0.4
    assert sum(w[2] for w in wrench.values()) == pytest.approx(weight)
    assert sum(w[4] for w in wrench.values()) == pytest.approx(-weight * arm)
    # The outer hinges pull and push alike, and the middle one does neither.
    assert wrench["top"][0] == pytest.approx(-wrench["bottom"][0])
    assert wrench["top"][0] < -10
    assert abs(wrench["middle"][0]) < 1e-6
    assert found["joint.swing.fz"][0].as_py() == pytest.approx(weight)


def test_the_joint_has_the_whole_reaction_also_where_it_is_called_as_its_first_mate(tmp_path: Path) -> None:
    text = (FIXTURES / "door" / "door.mates.yaml").read_text("utf-8")
    shutil.copy(FIXTURES / "door" / "door.sdf", tmp_path)
    (tmp_path / "door.mates.yaml").write_text(text.partition("joints:")[0], "utf-8")
    given = cb.read(tmp_path / "door.sdf")
    assert {f.code for f in given.findings} == set()
    mechanism = build(given)
    assert mechanism.joints[0].name in mechanism.joints[0].mates
    motion = tmp_path / "motion.yaml"
    name = mechanism.joints[0].name
    motion.write_text(f"format: cadbridge.motion/1\nduration: 0.2\nrate: 10\njoints: {{{name}: '9*t^2'}}\n", "utf-8")
    kept, plain = (
        cb.inverse(mechanism, cb.load_motion(motion, mechanism), collapse=collapse) for collapse in (False, True)
    )
    from cadbridge.efforts import inverse_columns, inverse_document

    one, other = inverse_columns(kept), inverse_columns(plain)
    for column in (f"joint.{name}.fz", f"joint.{name}.ty", f"actuator.{name}.effort"):
        np.testing.assert_allclose(one[column][0], other[column][0], rtol=1e-5, atol=1e-9)
    document = inverse_document(kept)
    assert document["joints"][0]["determined"] == {"force": True, "torque": True}
    assert [m["determined"]["force"] for m in document["mates"]] == [False] * 3
    assert {f.code for f in kept.findings} == {"CB647"}
    assert {f.code for f in plain.findings} == set()
