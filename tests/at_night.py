"""Which tests of a plain run are left to the night, beside those that carry the marker `nightly` in their files.

FAMILIES: of tests with many cases, one in so many is run by day, spread over the cases in their order, and beside
those the cases in ALSO. ALONE: long tests, with what tests the same by day.
All run by `scripts/test --nightly`, and when their files are named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

GOLDEN = (5**0.5 - 1) / 2
"""Multiples of it, less their whole part, fall evenly between 0 and 1, with no period that cases could have too."""

FAMILIES = {
    "diagnosis/test_advice.py::test_the_advice_on_designs_by_others_keeps_their_mobility": 3,
    "diagnosis/test_advice.py::test_the_advice_on_textbook_mechanisms_keeps_every_motion": 3,
    "diagnosis/test_advice.py::test_the_advice_on_the_fixtures_keeps_their_mobility": 3,
    "diagnosis/test_hints.py::test_the_hints_on_textbook_mechanisms_are_true": 3,
    "diagnosis/test_large.py::test_the_tree_and_its_loops_give_the_rank_and_dependences_of_the_whole_matrix": 3,
    "diagnosis/test_properties.py::test_a_rigid_motion_of_the_whole_does_not_matter": 3,
    "diagnosis/test_properties.py::test_a_small_mechanism_may_stand_far_from_the_origin": 3,
    "diagnosis/test_properties.py::test_names_do_not_matter": 3,
    "diagnosis/test_properties.py::test_the_order_of_parts_and_mates_does_not_matter": 3,
    "diagnosis/test_properties.py::test_units_do_not_matter": 3,
    "diagnosis/test_reactions.py::test_a_component_is_determined_where_no_self_stress_has_a_part_in_it": 3,
    "diagnosis/test_reactions.py::test_a_determined_reaction_is_the_same_whatever_the_weights": 3,
    "diagnosis/test_removal.py::test_each_mate_can_go_exactly_where_it_is_told_so": 3,
    "diagnosis/test_removal.py::test_what_a_mate_repeats_holds_its_rows_and_none_of_it_could_be_left_out": 3,
    "exporters/test_collision.py::test_engines_load_what_collides_in_its_place": 3,
    "exporters/test_real_models.py::test_mujoco_loads_real_machines_with_masses_in_place": 3,
    "exporters/test_ros2.py::test_the_relay_closes_loops_over_the_whole_range": 2,
    "exporters/test_ros_package.py::test_check_urdf_takes_both_forms": 3,
    "exporters/test_usd.py::test_usds_own_validators_find_nothing": 3,
    "jobs/test_distributed.py::test_the_same_bytes_come_back": 2,
    "misfit/test_along.py::test_a_parallelogram_on_one_line_is_found_between_the_poses": 5,
    "misfit/test_contacts.py::test_play_where_some_faces_lift_off_is_that_of_a_linear_programme": 3,
    "misfit/test_play.py::test_the_bounds_enclose_what_highs_finds": 3,
    "misfit/test_releases.py::test_every_proposal_leaves_no_redundancy_and_keeps_the_mobility": 3,
    "misfit/test_springs.py::test_first_order_is_that_of_springs_in_equilibrium": 3,
    "readers/mutations/test_overrides.py::test_overrides_hold_with_every_reader": 3,
    "readers/ondsel/test_mutations.py::test_a_broken_file_ends_in_findings": 3,
    "readers/test_engines.py::test_a_urdf_accelerates_as_in_pinocchio": 3,
    "readers/test_joints.py::test_every_set_of_free_axes_is_what_its_mates_leave": 3,
    "readers/test_mjcf_compiled.py::test_robots_of_gymnasium_come_back_as_they_were": 3,
    "readers/test_mjcf_nothing_lost.py::test_what_mujoco_would_move_by_is_carried_or_reported": 2,
    "recognition/choice/test_choosing.py::test_the_order_of_parts_and_mates_of_real_files_decides_nothing": 2,
    "recognition/choice/test_choosing.py::test_the_order_of_parts_hints_and_rules_decides_nothing": 5,
    "recognition/contacts/test_balls.py::test_a_slotted_ring_about_a_ball_is_its_socket_and_a_dimple_is_none": 2,
    "recognition/rules/test_guide_rods.py"
    "::test_a_carriage_slides_on_rods_between_two_blocks_with_and_without_its_bearings": 3,
    "recognition/rules/test_rolling_carriages.py::test_a_plate_on_wheels_on_both_sides_of_a_profile_slides_along_it": 3,
    "recognition/test_corpus.py::test_pairs_types_axes_and_freedoms_are_those_of_the_mates": 2,
    "recognition/wheels/test_wheels.py::test_inner_wheels_have_material_outside": 2,
    "recognition/wheels/test_wheels.py::test_spur_wheels_of_8_to_200_teeth": 3,
    "recognition/wheels/test_wheels.py::test_the_turn_of_the_sections_is_the_helix_right_hand_positive": 3,
    "recognition/wheels/test_wheels_corpus.py::test_teeth_of_real_wheels": 3,
    "simulation/test_branches.py::test_a_flat_parallelogram_is_told_however_long_the_steps_are": 4,
    "simulation/test_branches.py::test_of_three_cranks_no_other_branch_is_told": 2,
    "simulation/test_branches.py::test_the_default_method_passes_by_the_absolute_equations": 2,
    "simulation/test_changes.py::test_lock_unlock_release_by_the_file": 2,
    "simulation/test_fitting.py::test_a_linkage_written_with_five_digits_moves_as_the_exact_one": 2,
    "simulation/test_limits.py::test_what_was_recognised_has_the_limits_that_recognise_proposes": 2,
    "simulation/test_servos.py::test_they_move_as_in_mujoco_with_controls_and_without": 3,
    "simulation/test_tendons.py::test_tendons_pull_as_in_mujoco": 2,
    "simulation/test_within_steps.py::test_every_column_of_every_sample_is_that_of_absolute_coordinates": 2,
    "solver/chart/test_chart.py::test_every_kind_of_joint_either_way_round": 2,
    "solver/test_benchmarks.py::test_fourbars_pass_their_flattened_poses": 2,
    "verification/test_fmu.py::test_it_moves_as_the_mechanism": 2,
    "verification/test_fmu.py::test_what_falls_with_the_tolerance_of_co_simulation_is_its_own_error": 2,
    "verification/test_verify.py::test_a_real_urdf_there_and_back_is_the_same_robot": 5,
    "verification/test_verify.py::test_loops_mimics_and_sums_of_a_ros_package_swing_the_same": 2,
    "verification/test_verify.py::test_trees_swing_the_same_in_every_engine": 2,
}

ALONE = {
    "exporters/test_demo_data.py::test_the_script_builds_the_file_that_is_shipped": "its file reads it",
    "jobs/test_examples.py::test_a_sweep_gives_a_row_for_each_value": "sweeps/test_sweep.py",
    "jobs/test_examples.py::test_the_nightly_gate_tells_changes_of_mobility_and_mass": "jobs/test_run.py",
    "report/live/test_asking.py::test_a_person_answers_and_splits_in_a_browser": "its file, without a mouse",
    "report/live/test_deciding.py::test_a_person_accepts_one_joint_after_the_other": "its file, without a mouse",
    "report/live/test_fitting.py::test_the_motion_of_a_joint_is_plotted_on_the_page": "report/page/test_misfit.py",
    "report/live/test_live.py::test_the_stick_figure_of_a_body_without_a_shape_is_dragged_and_picked": "its file",
    "report/page/test_browser.py::test_on_a_phone_nothing_is_wider_than_the_screen": "tables on a phone",
    "verification/test_verify.py::test_the_kr15_has_its_masses_and_poses_in_every_engine": "its accelerations",
}

ALSO = {
    "diagnosis/test_advice.py::test_the_advice_on_designs_by_others_keeps_their_mobility": (
        "ondsel/Schmidt_Coupling_Ass_1-1.asmt",
    ),
    "diagnosis/test_advice.py::test_the_advice_on_the_fixtures_keeps_their_mobility": ("stewart/stewart.sdf",),
    "diagnosis/test_removal.py::test_what_a_mate_repeats_holds_its_rows_and_none_of_it_could_be_left_out": ("stack 2",),
    "exporters/test_collision.py::test_engines_load_what_collides_in_its_place": (
        "urdf-pill",
        "mjcf-tube",
        "mjcf-pill",
        "mjcf-rod",
    ),
    "misfit/test_releases.py::test_every_proposal_leaves_no_redundancy_and_keeps_the_mobility": (
        "door on three",
        "five parallel bars",
        "locked trains",
        "planetary",
    ),
    "readers/test_mjcf_nothing_lost.py::test_what_mujoco_would_move_by_is_carried_or_reported": (
        "body",
        "joint free",
        "option",
    ),
    "recognition/wheels/test_wheels_corpus.py::test_teeth_of_real_wheels": ("chess_ratio2_z40_z20_m1",),
    "simulation/test_branches.py::test_a_flat_parallelogram_is_told_however_long_the_steps_are": ("9-1e-05-auto",),
    "simulation/test_servos.py::test_they_move_as_in_mujoco_with_controls_and_without": ("damper", "filtered"),
    "verification/test_verify.py::test_a_real_urdf_there_and_back_is_the_same_robot": (
        "solo_description/robots/solo12.urdf",
        "xarm_description/urdf/xarm7.urdf",
    ),
}
"""Cases that reach branches of the code that no other case of a day reached, measured by coverage.py."""


def to_night(items: Iterable[pytest.Item]) -> None:
    """Mark what is left to the night."""
    met: Counter[str] = Counter()
    for item in items:
        name, _, case = item.nodeid.removeprefix("tests/").partition("[")
        if name in ALONE:
            item.add_marker(pytest.mark.nightly)
        if name not in FAMILIES:
            continue
        number, met[name] = met[name], met[name] + 1
        if number * GOLDEN % 1.0 >= 1.0 / FAMILIES[name] and case.removesuffix("]") not in ALSO.get(name, ()):
            item.add_marker(pytest.mark.nightly)
