"""Wheels with teeth: counted on meshes made from the involute's equations, 8 to 200 teeth, in any place and pose."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from cadbridge.geometry import Shape
from cadbridge.recognition.faces.sections import Cutter, Section
from cadbridge.recognition.wheels.finding import find_wheels
from cadbridge.recognition.wheels.forms import LEAST_TEETH, cylindrical_wheel
from cadbridge.recognition.wheels.teeth import bands
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind
from tests.recognition import gear_shapes


def only(shape: Shape) -> Wheel:
    found = [w for w in find_wheels(shape) if w.sure]
    assert len(found) == 1, [(w.teeth, w.doubt) for w in find_wheels(shape)]
    return found[0]


@pytest.mark.parametrize("teeth", [8, 9, 13, 17, 24, 57, 100, 200])
def test_spur_wheels_of_8_to_200_teeth(teeth: int) -> None:
    wheel = only(gear_shapes.wheel(teeth, 1e-3, 6e-3))
    assert (wheel.kind, wheel.teeth, wheel.internal) == (WheelKind.SPUR, teeth, False)
    assert wheel.width == pytest.approx(6e-3, rel=0.01)
    assert wheel.tip == pytest.approx((teeth + 2) * 0.5e-3, rel=2e-3)
    assert wheel.module == pytest.approx(1e-3, rel=0.02)


@pytest.mark.parametrize("angle", [14.5, 20.0, 25.0])
def test_module_and_pressure_angle_are_read_from_the_flanks(angle: float) -> None:
    wheel = only(gear_shapes.wheel(36, 2e-3, 10e-3, angle=angle))
    assert wheel.module == pytest.approx(2e-3, rel=0.005)
    assert wheel.pressure_angle is not None
    assert math.degrees(wheel.pressure_angle) == pytest.approx(angle, abs=0.1)
    assert wheel.base == pytest.approx(36e-3 * math.cos(math.radians(angle)), rel=2e-3)


@pytest.mark.parametrize("helix", [-45.0, -20.0, -8.0, 15.0, 30.0, 45.0])
def test_the_turn_of_the_sections_is_the_helix_right_hand_positive(helix: float) -> None:
    wheel = only(gear_shapes.wheel(31, 1e-3, 12e-3, helix=helix))
    assert (wheel.kind, wheel.teeth) == (WheelKind.HELICAL, 31)
    assert math.degrees(wheel.helix) * float(np.sign(wheel.axis[2]) ** 2) == pytest.approx(helix, abs=0.7)


def test_a_double_helix_is_a_herringbone() -> None:
    wheel = only(gear_shapes.wheel(33, 1e-3, 12e-3, helix=30, double=True))
    assert (wheel.kind, wheel.teeth) == (WheelKind.HERRINGBONE, 33)


@pytest.mark.parametrize(("teeth", "helix"), [(30, 0.0), (60, 0.0), (41, 15.0), (80, -25.0)])
def test_inner_wheels_have_material_outside(teeth: int, helix: float) -> None:
    wheel = only(gear_shapes.wheel(teeth, 2e-3, 12e-3, inside=True, helix=helix))
    assert (wheel.teeth, wheel.internal, wheel.label) == (teeth, True, "internal")
    assert wheel.tip < wheel.root


@pytest.mark.parametrize(("teeth", "cone"), [(12, 20.0), (20, 45.0), (24, 30.0), (31, 60.0), (40, 70.0)])
def test_bevels_have_a_cone_and_an_apex(teeth: int, cone: float) -> None:
    module = 2e-3
    wheel = only(gear_shapes.bevel(teeth, module, cone, 0.3 * module * teeth / 2 / math.sin(math.radians(cone))))
    assert (wheel.kind, wheel.teeth) == (WheelKind.BEVEL, teeth)
    assert math.degrees(wheel.cone) == pytest.approx(cone, abs=2.5)
    assert wheel.apex is not None
    assert wheel.apex[2] == pytest.approx(module * teeth / 2 / math.tan(math.radians(cone)), rel=0.1)
    assert wheel.reference == pytest.approx(module * teeth / 2, rel=0.04)


@pytest.mark.parametrize("cone", [60.0, 66.0, 70.0, 75.0])
def test_a_flat_bevel_short_beside_its_teeth_has_their_whole_depth(cone: float) -> None:
    """No plane across the axis cuts such teeth from root to tip: the wheel of a differential was taken for a spline."""
    wheel = only(gear_shapes.bevel(48, 2e-3, cone, 6e-3))
    assert (wheel.kind, wheel.teeth) == (WheelKind.BEVEL, 48)
    assert math.degrees(wheel.cone) == pytest.approx(cone, abs=0.5)
    assert wheel.module == pytest.approx(2e-3, rel=0.01)
    assert "2.24 modules deep" in wheel.evidence[1]


@pytest.mark.parametrize(("teeth", "cone"), [(16, 61.0), (49, 65.0), (30, 40.0)])
def test_an_outline_drawn_together_to_its_apex_is_one_bevel(teeth: int, cone: float) -> None:
    outer = gear_shapes.outline(teeth, 1e-3)
    apex = teeth * 0.5e-3 / math.tan(math.radians(cone))
    inner = gear_shapes.circle(0.2 * teeth * 0.5e-3, outer)
    shape = gear_shapes.drawn(outer, inner, np.array([0, 0.3 * apex]), np.zeros(2), np.array([1, 0.7]))
    wheel = only(shape)
    assert (wheel.kind, wheel.teeth) == (WheelKind.BEVEL, teeth)


def test_the_socket_of_a_servo_is_no_inner_wheel() -> None:
    (found,) = find_wheels(gear_shapes.wheel(25, 0.22e-3, 3e-3, inside=True))
    assert not found.sure
    assert "socket" in found.doubt


@pytest.mark.filterwarnings("error")
def test_an_outline_without_width_is_no_wheel() -> None:
    assert find_wheels(gear_shapes.wheel(28, 0.5e-3, 0.0)) == ()


def test_teeth_that_one_section_shows_have_no_lead_and_are_no_wheel() -> None:
    mesh = gear_shapes.wheel(24, 1e-3, 6e-3).coarse
    assert mesh is not None
    whole, thin = (kind(mesh, np.zeros(3), np.eye(3)) for kind in (Cutter, _Thin))
    seen = bands(whole.section(3e-3), 3e-3, LEAST_TEETH, 60)
    assert (found := cylindrical_wheel(whole, seen, 0.0, 6e-3)) is not None
    assert found.kind is WheelKind.SPUR
    assert cylindrical_wheel(thin, seen, 0.0, 6e-3) is None


class _Thin(Cutter):
    """What has teeth at its middle height alone."""

    def section(self, height: float) -> Section:
        return super().section(height if abs(height - 3e-3) < 1e-4 else 1.0)


def test_a_wheel_is_found_wherever_its_part_has_it() -> None:
    R = Rotation.from_rotvec([0.3, -1.1, 0.7]).as_matrix()
    p = np.array([0.4, -0.2, 0.7])
    wheel = only(gear_shapes.moved(gear_shapes.wheel(27, 1.5e-3, 9e-3), R, p))
    assert wheel.teeth == 27
    assert abs(float(wheel.axis @ R[:, 2])) == pytest.approx(1.0, abs=1e-9)
    assert wheel.point == pytest.approx(p + R @ [0, 0, 4.5e-3], abs=1e-5)


@pytest.mark.parametrize(("sides", "what"), [(6, "a hexagon"), (8, "an octagon"), (64, "a coarse circle")])
def test_polygons_have_no_teeth(sides: int, what: str) -> None:
    angles = np.linspace(0, 2 * math.pi, sides, endpoint=False)
    outer = 0.01 * np.column_stack([np.cos(angles), np.sin(angles)])
    shape = gear_shapes.drawn(outer, 0.4 * outer, np.array([0, 0.008]), np.zeros(2), np.ones(2))
    assert find_wheels(shape) == (), what


@pytest.mark.parametrize(
    ("outline", "what"),
    [
        (gear_shapes.star(60, 10e-3, 9.5e-3), "a straight knurl"),
        (gear_shapes.star(25, 2.96e-3, 2.65e-3), "a servo's serration"),
        (gear_shapes.notched(8, 23e-3, 6e-3, 20e-3), "a scalloped knob"),
    ],
)
def test_short_teeth_are_told_with_the_reason_and_are_no_gear(outline: gear_shapes.Array, what: str) -> None:
    found = find_wheels(gear_shapes.plate(outline, 6e-3))
    assert found, what
    assert not any(w.sure for w in found)
    assert all("modules" in w.doubt for w in found)


@pytest.mark.parametrize(
    ("outline", "kind", "teeth", "name"),
    [
        (gear_shapes.notched(20, 5.932e-3, 0.555e-3, 6.112e-3), WheelKind.PULLEY, 20, "GT2 2M"),
        (gear_shapes.sprocket(17, 12.7e-3, 8.51e-3), WheelKind.SPROCKET, 17, "08B"),
        (gear_shapes.sprocket(30, 6.35e-3, 3.3e-3), WheelKind.SPROCKET, 30, "25"),
    ],
)
def test_pulleys_and_sprockets_by_their_standards(
    outline: gear_shapes.Array, kind: WheelKind, teeth: int, name: str
) -> None:
    wheel = only(gear_shapes.plate(outline, 6e-3))
    assert (wheel.kind, wheel.teeth) == (kind, teeth)
    assert name in wheel.evidence[-1]


@pytest.mark.parametrize("starts", [1, 2, 3])
def test_worms_have_starts_and_a_lead(starts: int) -> None:
    pitch = math.pi * 1.5e-3
    wheel = only(gear_shapes.ridged(starts, 12e-3, 8.7e-3, pitch, 20))
    assert (wheel.kind, wheel.teeth) == (WheelKind.WORM, starts)
    axial = wheel.module / abs(math.sin(wheel.helix))
    assert axial == pytest.approx(1.5e-3, rel=0.01)
    assert wheel.helix > 0  # right-hand, whichever way the axis points


@pytest.mark.parametrize(
    ("depth", "flank", "what"), [(0.6, 30, "an ISO metric thread"), (0.52, 15, "a trapezoidal thread")]
)
def test_threads_are_no_worms(depth: float, flank: float, what: str) -> None:
    pitch = 2e-3
    found = find_wheels(gear_shapes.ridged(1, 8e-3, 8e-3 - depth * pitch, pitch, flank))
    assert [w.kind for w in found] == [WheelKind.THREAD], what
    assert not found[0].sure
