"""sw2robot's graph.json: the real fingertip, and hand-made graphs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly, MateKind
from cadbridge.readers.sw2robot import read


def test_a_density_that_is_no_number_is_told(tmp_path: Path) -> None:
    file = write(tmp_path)
    file.write_text(file.read_text().replace('"fixed": false', '"fixed": false, "density": 1e999'))
    (finding,) = read(file).findings
    assert (finding.code, finding.where.item if finding.where else None) == ("CB181", "b")


def test_the_fingertip(corpus: Path) -> None:
    assembly = cb.read(corpus / "fingertip_sw2robot" / "graph.json")
    assert assembly.format == "sw2robot"
    assert len(assembly.components) == 3
    # The file lists ten mates, which are five, each listed for both of its components.
    assert (assembly.mates_in_file, len(assembly.mates)) == (5, 5)
    assert [m.kind for m in assembly.mates] == [
        MateKind.COINCIDENT, MateKind.COINCIDENT, MateKind.CONCENTRIC, MateKind.COINCIDENT, MateKind.PARALLEL,
    ]  # fmt: skip
    assert sorted(f.code for f in assembly.findings) == ["CB1310", "CB1312", "CB1312"]
    part = assembly.part("screwlock_male_hard_jointbase_v4")
    assert (part.material, part.density) == ("ABS", 1020.0)
    mechanism = cb.build(assembly)
    assert not [f for f in mechanism.findings if f.code == "CB207"]  # every mate holds as drawn
    mobility = cb.diagnose(mechanism).mobility
    # Nothing is grounded: six, and the hinge that a point on a point and a plane on a plane leave.
    assert (mobility.dof, mobility.rows, mobility.redundant) == (7, 15, 4)


def component(name: str, at: Any = (0, 0, 0), **more: Any) -> dict[str, Any]:
    X = np.eye(4)
    X[:3, 3] = at
    return {"name": name, "part_path": f"C:\\x\\{name}.SLDPRT", "world": X.ravel().tolist(), "fixed": False, **more}


def mate(kind: str, entity: int = 4, at: Any = (0, 0, 0), **more: Any) -> dict[str, Any]:
    geometry = {"etypes": [entity] * 2, "points": [[0, 0, 0], list(at)], "dirs": [[0, 0, 1]] * 2, "radii": [0.01, 0.02]}
    return {"type": kind, **geometry, "owners": ["a", "b"], **more}


def write(folder: Path, *mates: Any, **more: Any) -> Path:
    file = folder / "graph.json"
    components = [component("a", fixed=True), component("b", (0.1, 0, 0))]
    edges = [{"a": "a", "b": "b", "types": [], "mates": list(mates)}]
    file.write_text(
        json.dumps({"robot_name": "r", "components": components, "edges": edges, "deep_worlds": {}, **more})
    )
    return file


def codes(assembly: Assembly) -> list[str]:
    return [f.code for f in assembly.findings]


def test_features_are_given_in_the_world(tmp_path: Path) -> None:
    (made,) = read(write(tmp_path, mate("CONCENTRIC", at=(0, 0, 0.3)))).mates
    np.testing.assert_allclose(made.a.point, [0, 0, 0])
    np.testing.assert_allclose(made.b.point, [-0.1, 0, 0.3])
    assert (made.a.radius, made.b.radius) == (0.01, 0.02)


def test_circles_that_coincide_are_inserted(tmp_path: Path) -> None:
    (made,) = read(write(tmp_path, mate("COINCIDENT", 2))).mates
    assert made.kind is MateKind.INSERT


def test_distances_may_be_limit_mates_in_older_files(tmp_path: Path) -> None:
    distance = mate("DISTANCE", 3, (0.2, 0, 0.05))
    assembly = read(write(tmp_path, distance))
    assert codes(assembly) == ["CB1311"]
    assert not assembly.mates
    (made,) = read(write(tmp_path, distance, limit_joints=[])).mates
    assert made.value == pytest.approx(0.05)
    angle = mate("ANGLE", 3, dirs=[[0, 0, 1], [0, 1, 1]])
    (made,) = read(write(tmp_path, angle, limit_joints=[])).mates
    assert made.value == pytest.approx(np.pi / 4)
    lines = mate("DISTANCE", 1, (0.3, 0.4, 0.7))
    (made,) = read(write(tmp_path, lines, limit_joints=[])).mates
    assert made.value == pytest.approx(0.5)


def limit(**more: Any) -> dict[str, Any]:
    return {"a": "a", "b": "b", "type": "prismatic", "axis_dir": [0, 0, 1], "lower": -0.1, "upper": 0.3, **more}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, (-0.1, 0.3)),
        ({"axis_dir": [0, 0, -1]}, (-0.3, 0.1)),
        ({"a": "b", "b": "a"}, (-0.3, 0.1)),
    ],
)
def test_limit_joints_give_their_range_and_lock_nothing(
    more: dict[str, Any], expected: tuple[float, float], tmp_path: Path
) -> None:
    held = [mate("CONCENTRIC"), mate("DISTANCE", 3, (0, 0, 0.05))]
    assembly = read(write(tmp_path, *held, limit_joints=[limit(**more)]))
    (made,) = assembly.mates
    assert made.limit is not None
    assert (made.limit.lower, made.limit.upper) == pytest.approx(expected)
    assert codes(read(write(tmp_path, limit_joints=[limit()]))) == ["CB1305"]


def test_what_cannot_be_carried_over_is_told(tmp_path: Path) -> None:
    cases = {
        "CB1303": [mate("WIDTH"), mate("CONCENTRIC", 9), mate("CONCENTRIC", owners=["a", "b", "a"])],
        "CB162": [mate("CONCENTRIC", owners=["a", "z"])],
        "CB168": [mate("CONCENTRIC", owners=["a", "a"])],
        "CB181": [mate("CONCENTRIC", points=[]), mate("CONCENTRIC", dirs=[[0, 0, 0]] * 2)],
    }
    for code, wrong in cases.items():
        for said in wrong:
            assembly = read(write(tmp_path, said))
            assert set(codes(assembly)) == {code}
            assert (assembly.mates_in_file, len(assembly.mates)) == (1, 0)


def test_mates_given_by_type_only_are_told(tmp_path: Path) -> None:
    assembly = read(write(tmp_path, edges=[{"a": "a", "b": "b", "types": ["CONCENTRIC", "PARALLEL"], "mates": None}]))
    assert codes(assembly) == ["CB1303"]
    assert assembly.mates_in_file == 2


def test_what_is_no_graph_is_refused(tmp_path: Path) -> None:
    with pytest.raises(cb.InputError) as error:
        read(write(tmp_path, edges={}))
    assert error.value.findings[-1].code == "CB180"
