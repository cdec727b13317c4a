"""Features: from faces and numbers to the component's frame, and back to the line that names a face."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cadbridge.assembly import Assembly, Feature, FeatureKind
from cadbridge.frames import unit
from cadbridge.geometry import Face
from cadbridge.readers import yaml_for_face
from tests.readers.mates_file.conftest import FACES, make_assembly


def feature_of(lay: Any, text: str, other: str = "{component: Link1, point: [0, 0, 0]}", **kw: Any) -> Feature:
    done = lay(f"mates: [{{name: M, type: coincident, a: {text}, b: {other}}}]", **kw)
    assert [f.message for f in done.findings] == []
    return done.mates[0].a  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("text", "kind", "point", "direction"),
    [
        ("{component: Base, face: top}", "plane", (0, 0, 0.05), (0, 0, 1)),
        ("{component: Base, face: top, as: point}", "point", (0, 0, 0.05), None),
        ("{component: Base, face: bore}", "axis", (0, 0, 0), (0, 0, 1)),
        ("{component: Base, face: split}", "axis", (0.02, 0, 0), (0, 0, 1)),
        ("{component: Base, face: knob}", "sphere", (0, 0, 0.02), None),
        # C of Arm lies at y = 0.2, Hub at 0.4
        ("{component: Arm, part: Hub, face: top}", "plane", (0, 0.2, 0.05), (0, 0, 1)),
        ("{component: Arm, part: Shaft, point: [1, 2, 3]}", "point", (0.001, 0.102, 0.003), None),
        ("{component: Arm, point: [1, 2, 3], axis: [0, 3, 0]}", "axis", (0.001, 0.002, 0.003), (0, 1, 0)),
        ("{component: Base, point: [0, 0, 12], normal: [0, 0, -2]}", "plane", (0, 0, 0.012), (0, 0, -1)),
        (
            "{component: Base, point: [0, 0, 12], z: [0, 0, 1], x: [1, 0, 1]}",
            "frame",
            (0, 0, 0.012),
            (0, 0, 1),
        ),
        ("{component: ground, point: [100, 0, 0]}", "point", (0.1, 0, 0), None),
    ],
)
def test_a_feature_is_in_its_components_frame(
    lay: Any, text: str, kind: str, point: tuple[float, ...], direction: tuple[float, ...] | None
) -> None:
    feature = feature_of(lay, text)
    assert feature.kind is FeatureKind(kind)
    np.testing.assert_allclose(feature.point, point, atol=1e-15)
    if direction is None:
        assert feature.direction is None
    else:
        assert feature.direction is not None
        np.testing.assert_allclose(feature.direction, direction, atol=1e-15)


def test_units_of_the_file_hold_for_points(lay: Any) -> None:
    done = lay(
        "units: {length: in, angle: rad}\n"
        "mates: [{type: angle, angle: 0.5, a: {component: Base, point: [1, 0, 0], axis: [0, 0, 1]},"
        " b: {component: Link1, face: top}}]"
    )
    assert done.mates[0].value == 0.5
    assert done.mates[0].a.point[0] == pytest.approx(0.0254)


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("{component: Bsae, face: top}", "CB146", "did you mean Base"),
        ("{component: Arm, part: Shft, face: top}", "CB146", "did you mean Shaft"),
        ("{component: Arm/Hub, face: top}", "CB146", "inside the rigid component 'Arm'"),
        ("{component: Arm, face: top}", "CB147", "Shaft, Hub"),
        ("{component: Base, face: topp}", "CB147", "did you mean top"),
        ("{component: Base, face: hole}", "CB147", "2 faces that are not one surface"),
        ("{component: Base, face: top, as: axis}", "CB148", "plane face, which has a normal; it has no axis"),
        ("{component: Base, face: bore, as: plane}", "CB148", "cylinder face, which has an axis"),
        ("{component: Base, face: flank}", "CB148", "neither axis nor normal"),
        ("{component: ground, face: top}", "CB147", "the ground has no parts"),
        ("{component: Base, select: 'faces >Z'}", "CB147", "STEP file"),
        ("{component: Base, point: [0, 0, 0], axis: [0, 0, 0]}", "CB145", "axis is zero"),
        ("{component: Base, point: [0, 0, 0], z: [0, 0, 1], x: [0, 0, 2]}", "CB145", "make no frame"),
        ("{component: Base, point: [0, 0, 0], z: [0, 0, 1]}", "CB145", "both z and x"),
        ("{component: Base}", "CB145", "one of face, select or point"),
        ("{component: Base, face: top, point: [0, 0, 0]}", "CB145", "not face and point"),
        ("{component: Base, face: top, normal: [0, 0, 1]}", "CB145", "normal goes with point"),
    ],
)
def test_a_faulty_feature_is_told_and_its_mate_left_out(lay: Any, text: str, code: str, says: str) -> None:
    done = lay(f"mates:\n  - {{name: M, type: coincident, a: {text}, b: {{component: Link1, face: top}}}}")
    (finding,) = done.findings
    assert (finding.code, finding.where.line) == (code, 3)
    assert says in finding.message
    assert done.mates == ()
    assert done.mates_in_file == 1


@pytest.mark.parametrize("index", range(len(FACES)))
def test_the_line_printed_for_a_face_reads_back_to_its_feature(lay: Any, index: int) -> None:
    face = FACES[index]
    line = yaml_for_face("Arm", "Hub", face, FACES)
    feature = feature_of(lay, line)
    np.testing.assert_allclose(feature.point, face.point + np.array([0, 0.2, 0]), atol=1e-9)
    if face.direction is not None:
        assert feature.direction is not None
        np.testing.assert_allclose(feature.direction, face.direction, atol=1e-12)
        assert feature.radius == face.radius
    assert ("face:" in line) == (face.name in {"top", "bottom", "bore", "knob"})


lengths = st.floats(-10, 10, allow_nan=False)
vectors = st.tuples(lengths, lengths, lengths).filter(lambda d: np.linalg.norm(d) > 1e-3)
words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)


@settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    point=st.tuples(lengths, lengths, lengths),
    direction=vectors,
    kind=st.sampled_from(["plane", "cylinder"]),
    radius=st.floats(1e-4, 10),
    name=st.none() | words,
)
def test_any_face_reads_back_from_its_line(
    lay: Any, point: Any, direction: Any, kind: str, radius: float, name: str | None
) -> None:
    face = Face(kind, np.array(point), unit(direction), radius if kind == "cylinder" else None, name)
    base = make_assembly()
    part = base.parts[0]
    assert part.shape is not None
    shape = type(part.shape)("k", None, None, faces=(face,))
    with_face: Assembly = make_assembly(parts=(type(part)("Block", shape), base.parts[1]))
    feature = feature_of(lay, yaml_for_face("Base", None, face, (face,)), assembly=with_face)
    np.testing.assert_allclose(feature.point, face.point, atol=1e-9)
    assert feature.direction is not None
    assert face.direction is not None
    np.testing.assert_allclose(feature.direction, face.direction, atol=1e-11)
    assert feature.kind is {"plane": FeatureKind.PLANE, "cylinder": FeatureKind.AXIS}[kind]
    if face.radius is not None:
        assert feature.radius == pytest.approx(face.radius, abs=1e-9)
