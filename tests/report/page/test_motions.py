"""Freedoms that are led through loops and gears, and runs that belong to the model."""

import json
import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.linalg import expm

from cadbridge.cli import main
from cadbridge.diagnosis import Diagnosis
from cadbridge.errors import InputError
from cadbridge.mechanism import Mechanism, build
from cadbridge.reading import read
from cadbridge.report.page import Extras, page_html, write_page
from cadbridge.report.page.buffer import Buffer
from cadbridge.report.page.graph import Edge, edges_of, layers, layout
from cadbridge.report.page.motions import RunData, freedom_clips
from cadbridge.report.page.plots import _reactions, ticks
from cadbridge.simulation import load_scenario, simulate, write_trajectory
from cadbridge.simulation.posing import Mover
from solver.rotation import skew
from tests.diagnosis import linkages
from tests.report.page.models import door

Made = tuple[Mechanism, Diagnosis]


@pytest.fixture(scope="module")
def four_bar() -> Mechanism:
    return build(linkages.planar([(0, 0), (0.1, 0.2), (0.4, 0.3), (0.5, 0.0)]))


@pytest.fixture(scope="module")
def run(hinged: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "door.parquet"
    write_trajectory(simulate(hinged[0], duration=0.2), path)
    return path


def test_a_freedom_goes_from_end_to_end_through_the_designed_pose(hinged: Made) -> None:
    (clip,) = freedom_clips(hinged[0], Buffer())
    assert (clip["joint"], clip["unit"]) == (hinged[0].joints[0].name, "°")
    assert (clip["values"][0], clip["values"][-1]) == (-60.0, 60.0)
    assert clip["values"].count(0.0) == 1
    assert clip["values"] == sorted(clip["values"])


CHAIN = """<robot name="arm"><link name="base"/><link name="upper"/><link name="fore"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 1" rpy="0.3 0 0"/>
<axis xyz="0 1 0"/><limit lower="-0.5" upper="1" effort="1" velocity="1"/></joint>
<joint name="slide" type="prismatic"><parent link="upper"/><child link="fore"/><origin xyz="1 0 0" rpy="0 0 0.7"/>
<axis xyz="1 0 0"/><limit lower="0" upper="0.1" effort="1" velocity="1"/></joint></robot>"""


def test_what_hangs_on_a_joint_in_no_loop_is_moved_as_one(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(CHAIN)
    mechanism = build(read(tmp_path / "arm.urdf"))
    clips = freedom_clips(mechanism, Buffer())
    assert [clip["joint"] for clip in clips] == ["shoulder", "slide"]
    assert [[round(clip["values"][k], 3) for k in (0, -1)] for clip in clips] == [[-28.648, 57.296], [0.0, 100.0]]
    for clip, unit in zip(clips, (np.radians(1), 1e-3), strict=True):
        value = clip["values"][-1]
        posed = Mover(mechanism).move({clip["joint"]: value * unit}).poses
        v, w = np.split(value * np.array(clip["twist"]), 2)
        screw = np.zeros((4, 4))
        screw[:3, :3], screw[:3, 3] = skew(w), v
        for k, body in enumerate(mechanism.bodies):
            carried = expm(screw if k in clip["bodies"] else np.zeros((4, 4))) @ body.X_WB.matrix()
            assert carried == pytest.approx(posed[k].matrix(), abs=1e-6)


def test_a_freedom_of_a_loop_has_its_poses(four_bar: Mechanism) -> None:
    (clip,) = freedom_clips(four_bar, Buffer())
    assert "twist" not in clip
    assert clip["positions"][2] == 3 * len(clip["bodies"]) * len(clip["values"])


def test_a_run_is_played_and_plotted(page_code: None, hinged: Made, run: Path) -> None:
    text = page_html(*hinged, Extras(run))
    scene = json.loads(re.findall('id="scene">(.*?)</script>', text, re.DOTALL)[0])
    assert [c["kind"] for c in scene["clips"]] == ["run", "freedom"]
    assert scene["clips"][0]["values"][-1] == pytest.approx(0.2)
    assert "<figcaption>Energy</figcaption>" in text


def test_a_run_with_half_a_reaction_is_played_without_it(hinged: Made, run: Path, tmp_path: Path) -> None:
    table, joint = pq.read_table(run), hinged[0].joints[0].name
    pq.write_table(table.drop_columns([f"joint.{joint}.fy"]), tmp_path / "run.parquet")
    reactions = _reactions(RunData(hinged[0], tmp_path / "run.parquet"))
    assert joint not in [line.name for line in reactions]


def test_runs_are_laid_over_each_other(page_code: None, hinged: Made, run: Path, tmp_path: Path) -> None:
    """Two runs of one name: each plays, and a colour is a joint, a dash a run; the shorter one ends in gaps."""
    short = tmp_path / run.name
    write_trajectory(simulate(hinged[0], duration=0.1), short)
    text = page_html(*hinged, Extras(run, others=(short,)))
    scene = json.loads(re.findall('id="scene">(.*?)</script>', text, re.DOTALL)[0])
    names = [c["name"] for c in scene["clips"] if c["kind"] == "run"]
    assert len(set(names)) == 2
    energy = next(f for f in text.split("<figure") if "<figcaption>Energy<" in f)
    lines = json.loads(re.findall(r'application/json">(.*?)</script>', energy, re.DOTALL)[0])["lines"]
    assert [line["look"] for line in lines] == ["c0 r0", "c1 r0", "c2 r0", "c0 r1", "c1 r1", "c2 r1"]
    whole, part = lines[0]["values"], lines[3]["values"]
    assert len(whole) == len(part) == 21
    assert part[:11] == pytest.approx(whole[:11], rel=1e-6)
    assert part[11:] == [None] * 10


def test_one_of_several_runs_of_another_model_is_refused(hinged: Made, run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.parquet"
    write_trajectory(simulate(build(door(" of a house")), duration=0.1), other)
    with pytest.raises(InputError) as refused:
        page_html(*hinged, Extras(run, others=(other,)))
    assert [f.code for f in refused.value.findings] == ["CB630"]


def test_a_joint_that_is_taken_off_leaves_a_gap(page_code: None, hinged: Made, tmp_path: Path) -> None:
    name = hinged[0].joints[0].name
    (tmp_path / "s.yaml").write_text(
        "format: cadbridge.scenario/1\nduration: 0.3\nevents:\n"
        f"  - {{time: 0, lock: {{name: stand, a: {hinged[0].bodies[0].components[0]}}}}}\n"
        f"  - {{time: 0.1, release: '{name}'}}\n  - {{time: 0.2, attach: '{name}'}}\n"
    )
    path = tmp_path / "door.parquet"
    write_trajectory(simulate(hinged[0], load_scenario(tmp_path / "s.yaml", hinged[0])), path)
    text = page_html(*hinged, Extras(path))
    joints = next(figure for figure in text.split('<figure class="plot">') if "<figcaption>Joints<" in figure)
    assert joints.split("</figure>")[0].count("<polyline") == 2
    assert "nan" not in joints.split("</figure>")[0].lower()


@pytest.mark.parametrize(
    ("change", "why"), [("name", "no motion of"), ("place", "would be apart")], ids=["other names", "other places"]
)
def test_a_run_of_another_model_is_refused_with_a_finding(
    page_code: None, hinged: Made, run: Path, tmp_path: Path, change: str, why: str
) -> None:
    other = build(door(" of a house") if change == "name" else door(width=0.9))
    path = tmp_path / "report.html"
    with pytest.raises(InputError) as refused:
        write_page(path, other, hinged[1], Extras(run))
    assert [f.code for f in refused.value.findings] == ["CB630"]
    assert why in refused.value.findings[0].message
    assert not path.exists()


def test_a_file_that_is_no_trajectory_is_refused(hinged: Made, tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    path.write_text("no run")
    with pytest.raises(InputError, match="cannot be read as a trajectory"):
        RunData(hinged[0], path)


def test_a_run_with_every_mate_kept_has_the_same_poses(hinged: Made, run: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.parquet"
    write_trajectory(simulate(hinged[0], duration=0.2, collapse=False), kept)
    samples = np.array([0, -1])
    assert RunData(hinged[0], kept).poses(samples) == pytest.approx(RunData(hinged[0], run).poses(samples), abs=1e-9)


def test_the_graph_marks_the_redundant_joint(hinged: Made) -> None:
    (edge,) = edges_of(*hinged)
    assert (edge.kind, edge.a, edge.b, edge.state) == ("revolute", -1, 0, "redundant")
    places, width, _ = layout([-1, 0], [edge])
    assert 0 < places[-1][0] < places[0][0] < width


def joint_edge(a: int, b: int, ref: str = "joint:0") -> Edge:
    return Edge(ref, "j", "revolute", a, b, "")


def test_the_graph_goes_from_the_base_to_the_tool() -> None:
    """A chain with a geared motor on each link: the motors stand in the layer of what their link carries."""
    edges = [joint_edge(-1, 0), joint_edge(0, 1), joint_edge(1, 2), joint_edge(-1, 3), joint_edge(0, 4)]
    edges += [joint_edge(3, 0, "gear:0"), joint_edge(4, 1, "gear:1")]
    found = layers([-1, 0, 1, 2, 3, 4], edges)
    assert [sorted(layer) for layer in found] == [[-1], [0, 3], [1, 4], [2]]
    places, _, _ = layout([-1, 0, 1, 2, 3, 4], edges)
    boxes = list(places.values())
    assert all(np.abs(p - q).max() > 20 for k, p in enumerate(boxes) for q in boxes[:k])


def test_labels_have_room_between_the_boxes() -> None:
    edge = Edge("joint:0", "upper_left_leg_joint", "revolute", -1, 0, "")
    chain = [edge, Edge("joint:1", "j", "revolute", 0, 1, ""), *(joint_edge(k, k + 1) for k in range(1, 6))]
    boxes = dict.fromkeys([-1, *range(7)], 138.0)
    places, width, _ = layout([-1, *range(7)], chain, boxes, {"joint:0"})
    assert places[0][0] - places[-1][0] - 138.0 >= 6.2 * len(edge.name)
    assert width > max(p[0] for p in places.values())


def test_lines_between_layers_do_not_cross_where_they_need_not() -> None:
    edges = [joint_edge(-1, k) for k in range(4)] + [joint_edge(k, 7 - k) for k in range(4)]
    first, second = layers([-1, *range(8)], edges)[1:]
    assert [7 - k for k in first] == second


def test_what_hangs_on_gears_alone_and_what_hangs_on_nothing_is_drawn_too() -> None:
    edges = [joint_edge(-1, 0), joint_edge(0, 1, "gear:0"), joint_edge(2, 3)]
    assert [sorted(layer) for layer in layers([-1, 0, 1, 2, 3], edges)] == [[-1, 2], [0, 3], [1]]


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [(0.0, 1.0, [0, 0.2, 0.4, 0.6, 0.8, 1]), (-185.0, 185.0, [-100, 0, 100]), (1e-7, 3e-7, [1e-7, 1.5e-7, 2e-7])],
)
def test_ticks_are_round(low: float, high: float, found: list[float]) -> None:
    assert ticks(low, high)[: len(found)] == pytest.approx(found)


def test_a_run_that_is_not_there_is_no_broken_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.parquet").touch()
    assert main(["view", str(tmp_path / "rum.parquet")]) == 2
    said = capsys.readouterr().err
    assert "CB100" in said
    assert "rum.parquet does not exist; did you mean" in said
