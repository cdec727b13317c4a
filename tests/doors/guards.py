"""The guards: what keeps a stranger's file from reading or filling what it may not, each with a test that it carries.

`GUARDS` names, for each, a line of the code, what it becomes where the guard is taken away, and the test that fails
then. `test_guards.py` holds the list against the code; `python -m tests.doors.guards` takes each away in turn and runs
its test (in the working copy: every file is put back). A test that does not end without its guard has failed.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300
"""Of the clock, that a test may take without its guard: some guards are against what has no end."""


@dataclass(frozen=True)
class Guard:
    """A guard: the `line` of a `file` that is it, what stands there `without` it, and the `test` that fails then."""

    name: str
    file: str
    line: str
    without: str
    test: str


XACRO, STEP = "tests/doors/test_xacro_reads.py::", "tests/doors/test_step_reads.py::"
MJCF, MACHINE = "tests/doors/test_mjcf_reads.py::", "tests/doors/test_machine.py::"
NUMBERS, BUDGET = "tests/doors/test_numbers.py::", "tests/doors/test_budget.py::"
PATHS, FOLDERS = "cadbridge/readers/paths.py", "cadbridge/folders.py"
FILES, EXTERNAL = "cadbridge/readers/mjcf/files.py", "cadbridge/shapes/external.py"
OCCT = "tests/doors/test_occt.py::"
VERIFY, EXISTING = "tests/doors/test_verify_reads.py::", "cadbridge/verification/existing.py"
LIBRARY = "solver/compilation/library.py"
LAYERS, EXPRESSIONS = "tests/doors/test_layers.py::", "cadbridge/readers/xacro/expressions.py"

GUARDS = (
    Guard("a package's name holds no separator", PATHS, 'set("/\\\\:\\0")', "set()",
          XACRO + "test_a_name_with_a_separator_is_no_package"),
    Guard("a home is no package", PATHS,
          "if found is not None and holds(at, real := found.resolve()) and not is_home_or_above(real):",
          "if (found := found or (at if at.name == package else None)) is not None and (real := found.resolve()):",
          XACRO + "test_a_file_of_others_does_not_come_out"),
    Guard("nothing hidden in a home", FOLDERS, 'if any(name.startswith(".") for name in inner):', "if False:",
          XACRO + "test_a_source_in_a_home_reads_nothing_hidden_there"),
    Guard("the process of xacro asks for each file", "cadbridge/readers/xacro/child.py",
          "if not self.folders.hold(real):", "if False:", XACRO + "test_a_source_in_a_home_reads_nothing_hidden_there"),
    Guard("a configuration names its own folder", "cadbridge/cli/config.py",
          "own = holds(path.parent.resolve(), Path(name).resolve())", "own = True",
          XACRO + "test_the_configuration_of_a_stranger_opens_no_folder_elsewhere"),
    Guard("a configuration is no link", "cadbridge/cli/config.py",
          "if not holds(path.parent.resolve(), path.resolve()):", "if False:",
          XACRO + "test_no_file_beside_a_source_is_a_link_out_of_its_folder"),
    Guard("a file beside a source is no link", PATHS, "    if lies_beside(path, source):", "    if True:",
          XACRO + "test_no_file_beside_a_source_is_a_link_out_of_its_folder"),
    Guard("a fit file is no link", "cadbridge/misfit/loading.py",
          'beside(path, source, "put the file itself there; cadbridge fit takes it by --fit")', "pass",
          XACRO + "test_no_file_beside_a_source_is_a_link_out_of_its_folder"),
    Guard("the source of a run is no link", "cadbridge/cli/view.py",
          " and lies_beside(folder / name, folder / run.name):", ":",
          "tests/report/live/test_live.py::test_a_run_finds_its_source_beside_it"),
    Guard("short names of Part 21", EXTERNAL, "|DCMFL|", "|",
          STEP + "test_no_string_that_occt_could_take_for_a_file_reaches_it"),
    Guard("strings as OCCT ends them", EXTERNAL, '(?![\\" \\n\\r]*[),])', "(?!$)",
          STEP + "test_no_string_that_occt_could_take_for_a_file_reaches_it"),
    Guard("a part lies in the folder", EXTERNAL, "outside = outside or not folders.hold(found)", "outside = False",
          STEP + "test_a_part_above_is_not_read_and_told"),
    Guard("encodings of an MJCF", FILES, "if encoding not in _ENCODINGS:", "if False:",
          MJCF + "test_a_text_that_two_parsers_read_differently_is_refused"),
    Guard("includes in capitals", FILES, "if (local(element).lower() in _INCLUDING) is not included:",
          "if (local(element) in _INCLUDING) is not included:",
          MJCF + "test_what_an_include_in_capitals_names_is_looked_at_too"),
    Guard("dots before links", FILES, "return path.resolve(), Path(os.path.normpath(path)).resolve()",
          "return path.resolve(), path.resolve()", MJCF + "test_no_way_out_is_missed"),
    Guard("the kernel holds MuJoCo", "cadbridge/readers/mjcf/worker.py",
          "confine(map(Path, files), None, None)", "pass",
          MJCF + "test_the_process_of_mujoco_opens_nothing_that_was_not_named"),
    Guard("the kernel holds OCCT", "cadbridge/shapes/worker.py", "    hold(Path(folder))", "",
          OCCT + "test_a_reference_that_was_overlooked_opens_nothing"),
    Guard("OCCT starts threads and no process", "cadbridge/confinement.py",
          "code += _where(machine.clone, 0, _CLONE_THREAD, _CLONE_THREAD)", "code += _where(machine.clone, 0, 0, 0)",
          OCCT + "test_it_starts_threads_and_loads_libraries_and_does_nothing_else"),
    Guard("OCCT's time goes by the size", "cadbridge/shapes/limits.py",
          "_TIME, _TIME_PER_MEGABYTE = 10.0, 25.0", "_TIME, _TIME_PER_MEGABYTE = 120.0, 25.0",
          OCCT + "test_a_small_file_ends_soon_and_a_large_one_within_what_machines_have"),
    Guard("OCCT's memory goes by the size", "cadbridge/shapes/worker.py", "            self._memory.hold(memory)",
          "            pass", OCCT + "test_a_file_that_fills_the_memory_is_refused_at_its_limit"),
    Guard("the xacro of an export is held", "cadbridge/verification/ros2.py",
          "self._text = expand(model, ReadOptions(package_dirs=(folder,)), Findings()).decode()",
          "import xacro; self._text = xacro.process_file(str(model)).toxml()",
          VERIFY + "test_a_branch_that_only_the_environment_opens_runs_nothing"),
    Guard("no link in an export", EXISTING, "if link is not None:", "if False:",
          VERIFY + "test_a_link_in_a_package_is_not_written_through"),
    Guard("an engine opens what the reader opened", EXISTING, "if finding.code in _OPENED:", "if False:",
          VERIFY + "test_what_the_engine_would_open_or_read_otherwise_is_refused"),
    Guard("an engine reads the text that was read", EXISTING, 'if encoding not in ("utf-8", "us-ascii", "ascii"):',
          "if False:", VERIFY + "test_what_the_engine_would_open_or_read_otherwise_is_refused"),
    Guard("an FMU's programs by all ways", EXISTING, "    if changed or set(ours)", "    if set(ours)",
          VERIFY + "test_an_fmu_with_another_program_is_refused"),
    Guard("an FMU loads what ours does", EXISTING, " or _loads(ours, own) != _loads(theirs, other):", ":",
          VERIFY + "test_an_fmu_with_another_program_is_refused"),
    Guard("an FMU's table leads where ours does", EXISTING, "        check_table(mechanism, models[0])",
          "        pass", VERIFY + "test_an_fmu_whose_table_leads_elsewhere_is_refused"),
    Guard("an FMU takes its own table alone", "cadbridge/exporters/fmu/runtime/model.c",
          " || !is_whole(data, words)) return 0;", ") return 0;",
          "tests/exporters/fmu/test_refused.py::test_no_broken_table_is_taken"),
    Guard("geometry of Simscape is no link", "cadbridge/readers/simscape/parts.py",
          " and real.is_file() and holds(folder, real):", " and real.is_file():",
          "tests/readers/test_simscape_forms.py::test_a_part_file_in_other_capitals_is_no_link_out_of_the_folder"),
    Guard("no xacro beside is a link", "cadbridge/readers/xacro/process.py",
          "*(other for other in beside if lies_beside(other, path))", "*beside",
          XACRO + "test_nothing_beside_a_source_is_looked_through_by_a_link"),
    Guard("no manifest is a link", PATHS, " or not holds(folder.resolve(), manifest.resolve()):", ":",
          XACRO + "test_nothing_beside_a_source_is_looked_through_by_a_link"),
    Guard("copies of the killed go", "cadbridge/shapes/workspace.py", "            _clear_left()", "            pass",
          OCCT + "test_a_killed_process_leaves_no_copies"),
    Guard("no folder where the user stands", "solver/compilation/caches.py",
          "if value and not os.path.isabs(value):", "if False:",
          MACHINE + "test_an_empty_or_relative_name_means_no_folder_where_the_user_stands"),
    Guard("kernels of the user's own", LIBRARY, "if is_own(path) and is_own(path.parent):", "if True:",
          MACHINE + "test_kernels_that_others_can_write_are_not_loaded"),
    Guard("answers of the user's own", "cadbridge/storage.py", "    if not is_own(path):", "    if False:",
          MACHINE + "test_an_answer_that_others_can_write_is_not_believed"),
    Guard("results of jobs of the user's own", "cadbridge/jobs/cache.py",
          "if self.own_only and not is_own(entry.path):", "if False:",
          "tests/jobs/test_cache.py::"
          "test_in_the_users_own_folder_an_entry_that_others_can_write_is_not_believed"),
    Guard("hashes of the user's own", "cadbridge/jobs/hashing.py", "                if is_own(file):",
          "                if True:", "tests/jobs/test_cache.py::test_hashes_that_others_can_write_are_not_believed"),
    Guard("numbers are bounded", "cadbridge/numbers.py", "LARGEST = 1e12", "LARGEST = 1e400",
          NUMBERS + "test_each_kind_is_bounded"),
    Guard("a start within a hundred turns", "cadbridge/simulation/loads.py",
          "    if abs(value) <= most:", "    if True:",
          NUMBERS + "test_a_sweep_with_such_a_start_is_refused"),
    Guard("lists without end", "cadbridge/shapes/part21.py", "    if at >= 0:", "    if False:",
          "tests/shapes/test_part21.py::test_lists_without_end_are_refused_before_occt_sees_them"),
    Guard("a file is measured before it is opened", "cadbridge/budget.py",
          "    refuse(kind, path.stat().st_size, path.name, findings, Where(file=str(path)))", "    return",
          BUDGET + "test_a_file_is_measured_before_it_is_opened"),
    Guard("recognition unpacks within bounds", "cadbridge/shapes/__init__.py",
          "blobs = [archive.read(member) for member in members]",
          "blobs = [archive._zip.read(member) for member in members]",
          BUDGET + "test_recognition_unpacks_shapes_within_the_same_bounds"),
    Guard("pictures are measured", FILES,
          'if candidate.suffix.lower() == ".png" and candidate.is_file():', "if False:",
          BUDGET + "test_a_picture_is_measured_before_it_is_unpacked"),
    Guard("vertices are counted", "cadbridge/budget.py", "    if count <= allowed(kind):", "    if True:",
          BUDGET + "test_balls_without_end_are_refused_with_the_option_that_allows_them"),
    Guard("tables are looked at before they are unpacked", "cadbridge/simulation/trajectory.py",
          "        _refuse_large(path)", "        pass",
          BUDGET + "test_a_packed_table_is_refused_before_it_is_unpacked"),
    Guard("no configuration raises a limit", "cadbridge/cli/config.py", "if o.key not in COMMAND_LINE_ONLY", "if True",
          BUDGET + "test_a_configuration_that_came_with_the_source_raises_no_limit"),
    Guard("a member of FreeCAD is no bomb", "cadbridge/shapes/archive.py", "MAX_RATIO = 1000",
          "MAX_RATIO = 10**9", LAYERS + "test_a_member_that_unpacks_to_far_more_than_its_size_is_refused"),
    Guard("a value is data", EXPRESSIONS,
          "if type(value) not in (bool, int, float, str, type(None), list, tuple, dict):",
          "if False:", LAYERS + "test_what_is_no_data_is_no_value"),
    Guard("joined texts are bounded before they are made", EXPRESSIONS,
          "if len(text) * len(items) + sum(len(i) for i in items) > LONGEST_TEXT:", "if False:",
          LAYERS + "test_a_text_too_long_is_refused_before_it_is_made"),
    Guard("Python's hook holds too", "cadbridge/confinement.py", "sys.addaudithook(_hook(given))", "_hook(given)",
          LAYERS + "test_the_hook_holds_where_the_kernel_cannot"),
    Guard("no module of the folder where one stands", "cadbridge/processes.py",
          'return [sys.executable, "-P", "-m", module, *arguments]',
          'return [sys.executable, "-m", module, *arguments]',
          LAYERS + "test_a_process_of_ours_takes_no_module_of_the_current_folder"),
)  # fmt: skip
"""All guards of this folder's tests; those of expressions of xacro stand in tests/readers/test_xacro_escapes.py."""


def fails_without(guard: Guard) -> bool:
    """Whether the test of a guard fails where the guard is taken away."""
    path = ROOT / guard.file
    text = path.read_text(encoding="utf-8")
    try:
        path.write_text(text.replace(guard.line, guard.without), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", guard.test]
        return subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=SECONDS).returncode == 1
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for each in GUARDS:
        sys.stdout.write(f"{'fails' if fails_without(each) else 'PASSES'} without: {each.name}\n")
        sys.stdout.flush()
