"""Which tests of a plain run are left to the night, beside those that carry the marker `nightly` in their files.

FAMILIES: of tests with many cases, one in so many is run by day, spread over the cases in their order, and beside
those the cases in ALSO, but never those in DEAR. ALONE: long tests, with what tests the same by day. What reads the
KR 15 is left to it too. All run by `scripts/test --nightly`, and when their files are named. What guards trust stays by
day: every kind of the oracle of runs, spoilt exports with each quantity that is compared, files of strangers, printed
commands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

KR15 = "kr15"
"""A fixture: to read and diagnose it takes half a minute of a processor. By day geared_robot3, bendix_wrist and trains
of the tests have its gears, the quadruped and machines of others its size, the door its redundant rows."""

GOLDEN = (5**0.5 - 1) / 2
"""Multiples of it, less their whole part, fall evenly between 0 and 1, with no period that cases could have too."""

FAMILIES = {
    "cli/test_start.py::test_a_small_robot_loads_nothing_that_only_others_need": 2,
    "diagnosis/test_advice.py::test_the_advice_on_designs_by_others_keeps_their_mobility": 6,
    "diagnosis/test_advice.py::test_the_advice_on_textbook_mechanisms_keeps_every_motion": 6,
    "diagnosis/test_advice.py::test_the_advice_on_the_fixtures_keeps_their_mobility": 6,
    "diagnosis/test_hints.py::test_the_hints_on_textbook_mechanisms_are_true": 3,
    "diagnosis/test_large.py::test_large_loops_are_diagnosed_as_small_ones_are": 2,
    "diagnosis/test_large.py::test_the_tree_and_its_loops_give_the_rank_and_dependences_of_the_whole_matrix": 3,
    "diagnosis/test_properties.py::test_a_rigid_motion_of_the_whole_does_not_matter": 3,
    "diagnosis/test_properties.py::test_a_small_mechanism_may_stand_far_from_the_origin": 6,
    "diagnosis/test_properties.py::test_names_do_not_matter": 3,
    "diagnosis/test_properties.py::test_the_order_of_parts_and_mates_does_not_matter": 3,
    "diagnosis/test_properties.py::test_units_do_not_matter": 3,
    "diagnosis/test_reactions.py::test_a_component_is_determined_where_no_self_stress_has_a_part_in_it": 3,
    "diagnosis/test_reactions.py::test_a_determined_reaction_is_the_same_whatever_the_weights": 3,
    "diagnosis/test_removal.py::test_each_mate_can_go_exactly_where_it_is_told_so": 6,
    "diagnosis/test_removal.py::test_what_a_mate_repeats_holds_its_rows_and_none_of_it_could_be_left_out": 9,
    "diagnosis/test_settle.py::test_placements_off_by_little_or_much_are_moved_onto_their_mates": 3,
    "diagnosis/test_shares.py::test_a_share_is_determined_where_no_self_stress_has_a_part_in_it": 3,
    "efforts/test_bond_graph.py::test_parallel_manipulators": 4,
    "efforts/test_circuits.py::test_a_run_with_the_voltages_asked_for_follows_the_motion": 2,
    "efforts/test_losses.py::test_a_planetary_train_has_its_efficiency_in_both_directions": 4,
    "efforts/test_losses.py::test_a_worm_that_locks_itself_is_not_driven_from_its_wheel": 3,
    "efforts/test_losses.py::test_each_kind_of_gear_takes_its_share_whichever_wheel_drives": 4,
    "efforts/test_thrust.py::test_a_worm_and_its_wheel_bear_the_textbooks_forces": 4,
    "end_to_end/test_bad_input.py::test_a_full_disk_leaves_no_half_of_an_export": 2,
    "end_to_end/test_left_out.py::test_every_such_code_is_refused_and_gives_status_2": 3,
    "end_to_end/test_sizes.py::test_units_change_numbers_alone": 6,
    "exporters/fmu/test_fmu.py::test_changes_at_the_start_are_made_before_it_begins": 2,
    "exporters/fmu/test_fmu.py::test_it_is_valid_and_moves_as_our_own_run": 3,
    "exporters/fmu/test_refused.py::test_no_broken_table_is_taken": 2,
    "exporters/test_collision.py::test_a_part_that_is_a_solid_is_found": 2,
    "exporters/test_collision.py::test_engines_load_what_collides_in_its_place": 6,
    "exporters/test_collision.py::test_what_was_made_is_kept_and_damage_is_noticed": 3,
    "exporters/test_plain.py::test_an_assembly_comes_back_as_it_was": 2,
    "exporters/test_real_models.py::test_mujoco_loads_real_machines_with_masses_in_place": 3,
    "exporters/test_real_models.py::test_the_tree_of_a_real_machine_holds_its_joints": 3,
    "exporters/test_ros2.py::test_the_relay_closes_loops_over_the_whole_range": 3,
    "exporters/test_ros2.py::test_verify_reads_the_package_as_ros_does": 2,
    "exporters/test_ros_package.py::test_check_urdf_takes_both_forms": 3,
    "exporters/test_ros_package.py::test_mujoco_takes_both_forms": 2,
    "exporters/test_sdf.py::test_the_older_file_says_the_same": 2,
    "exporters/test_usd.py::test_machines_pass_the_validators": 6,
    "exporters/test_usd.py::test_usds_own_validators_find_nothing": 6,
    "fixtures/test_geared_newton_euler.py::test_all_forces_are_those_of_newton_and_euler": 4,
    "fixtures/test_parallel.py::test_efforts_and_all_constraint_forces_are_newtons_and_eulers": 2,
    "fixtures/test_parallel.py::test_what_is_known_of_it": 4,
    "fixtures/test_rebuilt.py::test_closed_by_points_and_driven_by_a_torque": 2,
    "fixtures/test_rebuilt.py::test_the_puma_under_torque_control": 2,
    "mechanism/test_couplings.py::test_cam_by_its_law_and_by_its_profile": 2,
    "mechanism/test_couplings.py::test_oscillating_follower_stays_on_its_cam": 2,
    "mechanism/test_couplings.py::test_wheels_turn_by_their_ratio": 4,
    "misfit/test_along.py::test_a_parallelogram_on_one_line_is_found_between_the_poses": 6,
    "misfit/test_contacts.py::test_play_of_hinges_beside_faces_is_that_of_a_linear_programme": 4,
    "misfit/test_contacts.py::test_play_where_some_faces_lift_off_is_that_of_a_linear_programme": 6,
    "misfit/test_forces.py::test_forces_are_those_of_springs_in_all_rows_at_once": 3,
    "misfit/test_play.py::test_the_bounds_enclose_what_highs_finds": 6,
    "misfit/test_published.py::test_rails_take_the_errors_of_mounting_that_their_catalogue_states": 2,
    "misfit/test_releases.py::test_every_proposal_leaves_no_redundancy_and_keeps_the_mobility": 3,
    "misfit/test_springs.py::test_first_order_is_that_of_springs_in_equilibrium": 6,
    "readers/freecad/test_joints.py::test_distances": 2,
    "readers/kinematics/test_pairs.py::test_lower_pairs_become_mates": 2,
    "readers/mates_file/test_part_overrides.py::test_they_hold_with_any_reader_and_exporter": 2,
    "readers/mutations/test_overrides.py::test_overrides_hold_with_every_reader": 3,
    "readers/ondsel/test_mutations.py::test_a_broken_file_ends_in_findings": 3,
    "readers/test_engines.py::test_a_urdf_accelerates_as_in_pinocchio": 3,
    "readers/test_joints.py::test_every_set_of_free_axes_is_what_its_mates_leave": 3,
    "readers/test_mjcf.py::test_an_equality_of_higher_powers_is_a_law_and_is_written_again": 3,
    "readers/test_mjcf_compiled.py::test_robots_of_gymnasium_come_back_as_they_were": 3,
    "readers/test_mjcf_files.py::test_shapes_and_models_may_lie_three_folders_above": 3,
    "readers/test_mjcf_nothing_lost.py::test_what_mujoco_would_move_by_is_carried_or_reported": 12,
    "readers/test_urdf_extensions.py::test_faults_of_a_xacro_are_told": 2,
    "readers/test_usd_layers.py::test_a_broken_stage_ends_in_a_finding": 4,
    "recognition/choice/test_apart.py::test_of_a_four_bar_the_other_three_joints_stay": 4,
    "recognition/choice/test_choosing.py::test_a_freedom_that_is_told_is_one_that_moves_something": 2,
    "recognition/choice/test_choosing.py::test_the_order_of_parts_hints_and_rules_decides_nothing": 5,
    "recognition/choice/test_counted.py::test_of_machines_of_others": 2,
    "recognition/choice/test_freedoms.py::test_a_ring_of_too_many_bodies_is_not": 2,
    "recognition/contacts/test_balls.py::test_a_slotted_ring_about_a_ball_is_its_socket_and_a_dimple_is_none": 2,
    "recognition/evidence/test_bearing_seats.py::test_a_part_turns_about_the_axle_of_the_bearing_whose_seat_it_has": 2,
    "recognition/evidence/test_lead_screws.py::test_a_turn_of_a_lead_screw_moves_its_nut_along": 2,
    "recognition/rules/test_bearings.py::test_a_ball_screw_in_the_blocks_of_its_ends_is_no_dowel": 2,
    "recognition/rules/test_beside.py"
    "::test_a_wheel_turns_with_the_hexagonal_shaft_in_its_bore_whatever_that_is_called": 2,
    "recognition/rules/test_guide_rods.py"
    "::test_a_carriage_slides_on_rods_between_two_blocks_with_and_without_its_bearings": 6,
    "recognition/rules/test_guide_rods.py::test_a_gantry_on_two_rods_with_supports_of_their_own_slides": 2,
    "recognition/rules/test_linear_bearings.py::test_a_plate_on_linear_bearings_slides_along_its_rods": 2,
    "recognition/rules/test_links.py::test_a_tongue_with_a_flat_back_turns_on_the_pin_of_its_fork": 2,
    "recognition/rules/test_rolling_carriages.py::test_a_plate_on_wheels_on_both_sides_of_a_profile_slides_along_it": 3,
    "recognition/test_corpus.py::test_pairs_types_axes_and_freedoms_are_those_of_the_mates": 2,
    "recognition/wheels/test_meshing.py::test_a_worm_and_a_wheel_of_another_module_do_not_fit_where_they_stand": 2,
    "recognition/wheels/test_meshing.py::test_two_spur_wheels_at_their_centre_distance_and_with_clearance": 2,
    "recognition/wheels/test_wheels.py::test_a_flat_bevel_short_beside_its_teeth_has_their_whole_depth": 3,
    "recognition/wheels/test_wheels.py::test_bevels_have_a_cone_and_an_apex": 2,
    "recognition/wheels/test_wheels.py::test_inner_wheels_have_material_outside": 4,
    "recognition/wheels/test_wheels.py::test_module_and_pressure_angle_are_read_from_the_flanks": 3,
    "recognition/wheels/test_wheels.py::test_spur_wheels_of_8_to_200_teeth": 6,
    "recognition/wheels/test_wheels.py::test_the_turn_of_the_sections_is_the_helix_right_hand_positive": 5,
    "recognition/wheels/test_wheels.py::test_worms_have_starts_and_a_lead": 3,
    "recognition/wheels/test_wheels_corpus.py::test_teeth_of_real_wheels": 5,
    "recognition/writing/test_source_kept.py::test_recognise_does_not_write_over_its_source": 2,
    "report/page/test_misfit.py::test_the_section_is_read_by_everyone": 2,
    "report/test_bond_graph.py::test_the_page_shows_efforts_peaks_and_graph": 2,
    "scripts/test_efficiencies.py::test_the_efficiency_is_the_closed_form": 12,
    "shapes/test_part21.py::test_looking_through_a_text_takes_a_few_times_its_size": 2,
    "simulation/test_against.py::test_free_motion_leaves_a_reference_that_loses_energy": 2,
    "simulation/test_branches.py::test_a_flat_parallelogram_is_told_however_long_the_steps_are": 6,
    "simulation/test_branches.py::test_of_three_cranks_no_other_branch_is_told": 2,
    "simulation/test_branches.py::test_the_default_method_passes_by_the_absolute_equations": 8,
    "simulation/test_by_stiffness.py::test_springs_bend_to_the_rigid_shares_as_they_become_stiffer": 2,
    "simulation/test_changes.py::test_lock_unlock_release_by_the_file": 2,
    "simulation/test_circuits.py::test_a_cylinders_pressures_are_their_closed_form": 2,
    "simulation/test_circuits.py::test_a_gearhead_takes_its_share_whichever_end_drives": 2,
    "simulation/test_fitting.py::test_a_linkage_written_with_five_digits_moves_as_the_exact_one": 2,
    "simulation/test_kept_limits.py::test_another_joint_part_or_place_is_moved": 2,
    "simulation/test_limits.py::test_a_job_gives_what_was_recognised_its_limits_too": 6,
    "simulation/test_limits.py::test_stops_let_a_crank_turn_round_past_the_dead_centres_of_its_follower": 2,
    "simulation/test_limits.py::test_what_was_recognised_has_the_limits_that_recognise_proposes": 2,
    "simulation/test_open_couplings.py::test_followers_of_followers_are_moved_and_the_leader_stays": 2,
    "simulation/test_servos.py::test_an_export_read_back_moves_alike": 8,
    "simulation/test_servos.py::test_every_method_holds_the_arm_up": 4,
    "simulation/test_servos.py::test_they_move_as_in_mujoco_with_controls_and_without": 6,
    "simulation/test_tendons.py::test_servos_of_one_joint_are_bounded_together": 2,
    "simulation/test_tendons.py::test_tendons_pull_as_in_mujoco": 6,
    "simulation/test_tree_method.py::test_real_urdfs_fall_as_in_absolute_coordinates_and_in_pinocchio": 5,
    "simulation/test_verdict.py::test_a_verdict_is_the_same_for_a_machine_that_takes_a_thousand_times_as_long": 2,
    "simulation/test_within_steps.py::test_every_column_of_every_sample_is_that_of_absolute_coordinates": 4,
    "solver/chart/test_chart.py::test_every_kind_of_joint_either_way_round": 2,
    "solver/constraints/test_constraints.py::test_jacobian_and_bias_are_the_derivatives_of_the_residual": 3,
    "solver/equations/test_meshes.py::test_what_is_lost_is_what_the_energy_lacks": 2,
    "solver/equations/test_single_loads.py::test_a_stop": 4,
    "solver/runs/test_corners.py::test_a_pulse_between_samples_is_not_jumped_over": 2,
    "solver/runs/test_integrate.py::test_samples_are_the_same_however_many_there_is_room_for": 2,
    "solver/test_benchmarks.py::test_fourbars_pass_their_flattened_poses": 2,
    "verification/test_fmu.py::test_it_moves_as_the_mechanism": 2,
    "verification/test_fmu.py::test_what_falls_with_the_tolerance_of_co_simulation_is_its_own_error": 2,
    "verification/test_judges.py::test_no_checker_finds_a_fault_in_an_example": 3,
    "verification/test_left_out.py::test_what_the_format_cannot_hold_is_in_the_verdict": 2,
    "verification/test_spoilt.py::test_a_servo_whose_range_has_equal_ends_keeps_it_in_an_mjcf": 2,
    "verification/test_spoilt.py::test_a_weight_that_is_carried_is_compared": 2,
    "verification/test_verify.py::test_a_real_urdf_there_and_back_is_the_same_robot": 5,
    "verification/test_verify.py::test_loops_mimics_and_sums_of_a_ros_package_swing_the_same": 2,
    "verification/test_verify.py::test_trees_swing_the_same_in_every_engine": 8,
}

ALONE = {
    "jobs/test_run.py::test_a_full_disk_fails_what_does_not_fit": "end_to_end/test_bad_input.py, an export",
    "notebooks/test_notebooks.py"
    "::test_the_simulation_agrees_with_the_closed_form_and_the_last_cell_shows_its_plot": "its file, other notebooks",
    "recognition/choice/test_choosing.py"
    "::test_the_order_of_parts_and_mates_of_real_files_decides_nothing": "its file, drawn machines",
    "recognition/test_recognise.py::test_a_ball_in_a_socket": "recognition/contacts/test_balls.py",
    "report/page/test_browser.py::test_a_long_table_shows_its_first_rows_and_says_so_on_paper": "its file, on paper",
    "report/page/test_browser.py"
    "::test_the_picture_changes_with_what_is_picked_and_played_and_a_mate_lights_its_faces": "its file, picks",
    "report/page/test_browser.py::test_the_whole_is_seen_in_a_window_of_any_shape": "its file, on a phone",
    "report/page/test_browser.py"
    "::test_where_drawing_is_slow_a_pick_is_drawn_over_the_kept_picture_and_a_turn_coarsely_first": "its file, fast",
    "scripts/test_build_hook.py"
    "::test_the_kernels_compile_with_nothing_but_what_the_hook_asks_for": "solver/compilation",
    "scripts/test_fuzz.py::test_broken_files_of_every_format": "readers/mutations; its file, how a case ends",
    "scripts/test_machines.py::test_the_table_counts_a_machine_that_fails": "its file, the counting",
    "diagnosis/test_large.py::test_thousands_of_mates_split_into_pairs_and_loops": "large loops, in its file",
    "diagnosis/test_textbook.py"
    "::test_the_order_of_mates_changes_neither_mobility_nor_groups": "diagnosis/test_properties.py",
    "exporters/test_demo_data.py::test_the_script_builds_the_file_that_is_shipped": "its file reads it",
    "exporters/test_markup.py::test_mujoco_reads_the_longest_chain_that_is_written": "its file, on a longer one",
    "fixtures/test_rebuilt.py::test_the_puma_built_up_under_velocity_control": "its file, under torques",
    "jobs/test_distributed.py::test_the_same_bytes_come_back": "jobs/test_run.py, by other processes",
    "jobs/test_examples.py::test_a_sweep_gives_a_row_for_each_value": "sweeps/test_sweep.py",
    "jobs/test_examples.py::test_the_nightly_gate_tells_changes_of_mobility_and_mass": "jobs/test_run.py",
    "jobs/test_run.py::test_elsewhere_the_bytes_are_the_same": "its file, by other processes",
    "report/live/test_asking.py::test_a_person_answers_and_splits_in_a_browser": "its file, without a mouse",
    "report/live/test_deciding.py::test_a_person_accepts_one_joint_after_the_other": "its file, without a mouse",
    "report/live/test_fitting.py::test_the_motion_of_a_joint_is_plotted_on_the_page": "report/page/test_misfit.py",
    "report/live/test_live.py::test_the_stick_figure_of_a_body_without_a_shape_is_dragged_and_picked": "its file",
    "report/live/test_simulating.py::test_turns_and_slides_have_charts_of_their_own": "report/page/test_browser.py",
    "simulation/test_fitting.py::test_schmidts_coupling_hands_its_turn_on": "its file: it keeps its energy",
    "simulation/test_singular_pose.py"
    "::test_a_fall_through_a_singular_pose_loses_no_energy_and_tells_how_near_it_came": "a fall in test_verdict.py",
    "test_how_to_add.py::test_the_tests_of_the_rooms_that_were_edited_pass": "its file: what is added works",
}

ALSO = {
    "diagnosis/test_advice.py::test_the_advice_on_designs_by_others_keeps_their_mobility": (
        "delta_inventor/Delta_Manipulator_2023.xml",
        "ondsel/CylSphJt.asmt",
        "ondsel/Schmidt_Coupling_Ass_1-1.asmt",
    ),
    "diagnosis/test_advice.py::test_the_advice_on_the_fixtures_keeps_their_mobility": ("stewart/stewart.sdf",),
    "diagnosis/test_removal.py::test_what_a_mate_repeats_holds_its_rows_and_none_of_it_could_be_left_out": ("stack 2",),
    "exporters/test_collision.py::test_engines_load_what_collides_in_its_place": (
        "sdf-box",
        "mjcf-ball",
        "mjcf-pill",
        "mjcf-rod",
    ),
    "exporters/test_collision.py::test_what_was_made_is_kept_and_damage_is_noticed": ("primitives",),
    "misfit/test_along.py::test_a_parallelogram_on_one_line_is_found_between_the_poses": ("-0.2-True-0",),
    "misfit/test_releases.py::test_every_proposal_leaves_no_redundancy_and_keeps_the_mobility": (
        "door on three",
        "five parallel bars",
        "locked trains",
        "planetary",
    ),
    "readers/test_mjcf_nothing_lost.py::test_what_mujoco_would_move_by_is_carried_or_reported": (
        "actuator g",
        "body",
        "joint free",
        "tendon",
    ),
    "readers/test_usd_layers.py::test_a_broken_stage_ends_in_a_finding": ("no body",),
    "recognition/wheels/test_wheels_corpus.py::test_teeth_of_real_wheels": ("chess_ratio2_z40_z20_m1",),
    "simulation/test_branches.py::test_a_flat_parallelogram_is_told_however_long_the_steps_are": ("9-1e-05-auto",),
    "simulation/test_servos.py::test_an_export_read_back_moves_alike": ("usd-velocity",),
    "simulation/test_servos.py::test_they_move_as_in_mujoco_with_controls_and_without": (
        "damper",
        "filtered",
    ),
}
"""Cases that reach branches of the code that no other case of a day reached, measured by coverage.py."""

DEAR = {
    "cli/test_start.py::test_a_small_robot_loads_nothing_that_only_others_need": ("arguments2-allowed2",),
    "doors/test_machine.py::test_a_limit_of_the_person_is_kept_or_told": ("2000000-0-",),
    "efforts/test_bond_graph.py::test_parallel_manipulators": ("delta",),
    "end_to_end/test_sizes.py::test_units_change_numbers_alone": ("0.001-1.0-trrr3",),
    "exporters/fmu/test_fmu.py::test_it_is_valid_and_moves_as_our_own_run": ("planetary-3",),
    "exporters/test_collision.py::test_what_was_made_is_kept_and_damage_is_noticed": ("hull",),
    "fixtures/test_parallel.py::test_a_platform_moved_from_outside_needs_what_its_actuators_give": ("stewart",),
    "readers/mutations/test_mutations.py::test_a_hostile_file_does_no_harm": ("xacro-itself within itself",),
    "readers/test_urdf_extensions.py::test_faults_of_a_xacro_are_told": ("itself",),
    "recognition/rules/test_turntables.py::test_a_wheel_drawn_a_little_beside_its_axle_turns_on_it": (
        "7.94-True",
        "8.2-False",
    ),
    "recognition/wheels/test_wheels_corpus.py::test_teeth_of_real_wheels": ("cq_spur_z19_m1",),
    "report/page/test_browser.py::test_it_is_dark_where_the_reader_wants_it_and_axe_finds_no_barrier": ("light",),
    "shapes/test_shapes.py::test_an_involute_gear_weighs_what_its_brep_does": ("45-1.0",),
    "verification/test_verify.py::test_a_real_urdf_there_and_back_is_the_same_robot": (
        "double_pendulum_description/urdf/double_pendulum.urdf",
    ),
}
"""Dear cases that are left to the night whatever their place in a family, beside like ones that stay."""


def to_night(items: Iterable[pytest.Item]) -> None:
    """Mark what is left to the night."""
    met: Counter[str] = Counter()
    for item in items:
        name, _, case = item.nodeid.removeprefix("tests/").partition("[")
        if name in ALONE or case.removesuffix("]") in DEAR.get(name, ()) or KR15 in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.nightly)
        if name not in FAMILIES:
            continue
        number, met[name] = met[name], met[name] + 1
        if number * GOLDEN % 1.0 >= 1.0 / FAMILIES[name] and case.removesuffix("]") not in ALSO.get(name, ()):
            item.add_marker(pytest.mark.nightly)
