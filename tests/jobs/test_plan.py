"""The jobs file: what it means, and what is said of a bad one before anything runs."""

import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from cadbridge.cli import main
from cadbridge.errors import InputError
from cadbridge.files import ignores_case
from cadbridge.findings import Finding
from cadbridge.jobs import load, plan
from cadbridge.jobs.schema import FORMAT, JobsFile, memory_bytes

ISSUE = """\
defaults: {output: out, timeout: 300}
jobs:
  - {sources: "models/**/*.step", do: check}
  - {name: arm, sources: arm.step, do: convert, to: mjcf}
"""


def write(folder: Path, text: str, name: str = "jobs.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def faults(path: Path, **how: Any) -> tuple[Finding, ...]:
    with pytest.raises(InputError) as caught:
        load(path, **how)
    return caught.value.findings


def test_the_example_of_the_issue(tmp_path: Path) -> None:
    touch(tmp_path, "models/b.step", "models/deep/er/a.step", "models/c.txt", "arm.step")
    found = load(write(tmp_path, ISSUE))
    assert [(j.name, j.do, j.source, j.timeout) for j in found.jobs] == [
        ("models/b/check", "check", "models/b.step", 300.0),
        ("models/deep/er/a/check", "check", "models/deep/er/a.step", 300.0),
        ("arm", "convert", "arm.step", 300.0),
    ]
    assert [j.folder for j in found.jobs][2] == tmp_path / "out" / "arm"
    assert found.jobs[2].options == {"to": "mjcf"}


def test_overrides_defaults_and_included_files(tmp_path: Path) -> None:
    touch(tmp_path, "sub/x.step", "x.step")
    write(
        tmp_path / "sub",
        "defaults: {density: 2700}\njobs: [{sources: x.step, name: in, mates: '{stem}.yaml'}]",
        "more.yaml",
    )
    text = "include: sub/more.yaml\ndefaults: {timeout: 9, density: 1000, to: urdf, memory: 2 GB}\n"
    text += "jobs: [{sources: x.step, timeout: 5}, {sources: x.step, do: convert}]"
    jobs = load(write(tmp_path, text)).jobs
    assert [(j.name, j.timeout, j.options) for j in jobs] == [
        ("x/check", 5.0, {"density": 1000.0}),
        ("x/urdf", 9.0, {"density": 1000.0, "to": "urdf"}),
        # The included file's own defaults go before, and its paths count from its own folder.
        ("in", 9.0, {"density": 2700.0, "mates": "x.yaml"}),
    ]
    # The included file's own defaults go before, and its paths count from its own folder.
    assert jobs[2].base == tmp_path / "sub"
    assert {j.memory for j in jobs} == {2_000_000_000}


def test_an_included_files_jobs_keep_apart(tmp_path: Path) -> None:
    touch(tmp_path, "sub/x.step")
    write(tmp_path / "sub", "jobs: [{sources: x.step, name: inner}]", "more.yaml")
    both = "include: [sub/more.yaml, sub/more.yaml]\njobs: [{sources: sub/x.step}]"
    jobs = load(write(tmp_path, both)).jobs
    assert [(j.name, j.source) for j in jobs] == [("sub/x/check", "sub/x.step"), ("inner", "x.step")]
    assert jobs[1].base == tmp_path / "sub"


def test_a_jobs_file_named_from_elsewhere_finds_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touch(tmp_path, "sub/a.urdf", "sub/a.mates.yaml", "b.urdf", "other/c.urdf")
    write(tmp_path / "other", "jobs: [{sources: c.urdf}]")
    given = "include: ../other/jobs.yaml\njobs: [{sources: [a.urdf, ../b.urdf], mates: '{stem}.mates.yaml'}]"
    write(tmp_path / "sub", given)
    monkeypatch.chdir(tmp_path)
    found = load("sub/jobs.yaml")
    assert [os.path.normpath(j.base / j.source) for j in found.jobs] == [
        str(tmp_path / name) for name in ("sub/a.urdf", "b.urdf", "other/c.urdf")
    ]
    assert os.path.normpath(found.jobs[0].base / found.jobs[0].options["mates"]) == str(tmp_path / "sub/a.mates.yaml")
    assert found.jobs[0].folder == tmp_path / "sub" / "out" / "a" / "check"
    write(tmp_path / "sub", "jobs: [{sources: '*.urdf'}]")
    assert [j.source for j in load("sub/jobs.yaml").jobs] == ["a.urdf"]
    (job,) = plan([{"sources": "*.urdf"}], base="sub").jobs
    assert (job.base, job.source) == (tmp_path / "sub", "a.urdf")


def test_a_circle_of_includes_is_told_with_its_files(tmp_path: Path) -> None:
    write(tmp_path, "include: b.yaml\n", "a.yaml")
    write(tmp_path, "include: c.yaml\n", "b.yaml")
    write(tmp_path, "include:\n  - a.yaml\n", "c.yaml")
    (fault,) = (f for f in faults(tmp_path / "a.yaml") if f.code == "CB703")
    assert "a.yaml → b.yaml → c.yaml → a.yaml" in fault.message
    assert (fault.where.line, fault.where.column) == (2, 5)


@pytest.mark.parametrize(
    ("text", "code", "said", "line"),
    [
        ("jobs: [{sources: a.step, timout: 3}]", "CB701", "did you mean timeout?", 1),
        ("defalts: {}\njobs: []", "CB701", "did you mean defaults?", 1),
        ("jobs:\n  - sources: a.step\n    do: chek", "CB702", "did you mean check?", 3),
        ("jobs:\n  - do: check", "CB702", "sources is missing", 2),
        ("jobs:\n  - {sources: 3}", "CB702", "text or a list of texts", 2),
        ("jobs:\n  - {sources: [a, 3]}", "CB702", "value 2 of sources must be text", 2),
        ("jobs:\n  - {sources: a.step, timeout: 0}", "CB702", "greater than 0", 2),
        ("jobs:\n  - {sources: a.step, timeout: .inf}", "CB702", "timeout", 2),
        ("jobs:\n  - {sources: a.step, memory: lots}", "CB702", "is not a size", 2),
        ("jobs:\n  - {sources: a.step, do: convert, to: urfd}", "CB702", "did you mean urdf", 2),
        ("jobs:\n  - {sources: a.step, do: convert}", "CB702", "convert needs to:", 2),
        ("jobs:\n  - {sources: a.step, duration: 2}", "CB702", "duration goes with do: simulate", 2),
        ("jobs:\n  - {sources: a.step, method: tree}", "CB702", "method goes with do: simulate", 2),
        ("jobs:\n  - {sources: a.step, name: '{stm}'}", "CB702", "{stem}", 2),
        ("jobs:\n  - {sources: 'none/**/*.step'}", "CB704", "matches no file", 2),
        ("jobs:\n  - {sources: 'x/**y/*.step'}", "CB702", "cannot be used", 2),
        ("jobs:\n  - {sources: a.step, exclude: 'x/**y'}", "CB702", "cannot be used", 2),
        ("jobs:\n  - {sources: a.step, exclude: /}", "CB702", "cannot be used", 2),
        ("jobs:\n  - {sources: '" + "a/*/" * 600 + "'}", "CB702", "cannot be used", 2),
        *((f"jobs:\n  - {{sources: {name}}}", "CB702", "holds the jobs file", 2) for name in ("/", ".", "..", "x/..")),
        ("jobs:\n  - {sources: a.step, name: ../a}", "CB706", "is not below", 2),
        ("jobs:\n  - {sources: a.step, output: /etc/a}", "CB706", "is not below", 2),
        ("jobs:\n  - {sources: a.step, name: .}", "CB706", "is not below", 2),
        ("jobs:\n  - {sources: a.step, name: .cadbridge/x}", "CB706", "own", 2),
        ("jobs:\n  - {sources: a.step, name: link/x}", "CB706", "leads by a link", 2),
        ("include: gone.yaml\njobs: []", "CB100", "No such file", 1),
        ("jobs: []", "CB709", "holds no job", None),
        ("- a\n- b", "CB700", "mapping", 1),
        ("jobs: [}", "CB140", "not YAML", 1),
        ("", "CB700", "mapping", 1),
        ("format: cadbridge.jobs/2\njobs: []", "CB702", "cadbridge.jobs/1", 1),
    ],
)
def test_faults_of_the_file(tmp_path: Path, text: str, code: str, said: str, line: int | None) -> None:
    touch(tmp_path, "a.step")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "link").symlink_to(tmp_path)
    found = [f for f in faults(write(tmp_path, text)) if f.code == code]
    assert any(said in f.message and f.where.line == line for f in found), found


def test_a_pattern_without_files_stops_no_other_job(tmp_path: Path) -> None:
    touch(tmp_path, "a.step")
    plan = load(write(tmp_path, "jobs:\n  - {sources: ['none*.step', a.step]}\n  - {sources: 'gone/*'}"))
    assert len(plan.jobs) == 1
    assert [(f.code, f.severity.value) for f in plan.findings] == [("CB704", "warning")] * 2


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    touch(tmp_path, "a.step")
    text = "jobs:\n  - {sources: a.step, to: urdf}\n  - {sources: 'b*', name: ../b}\n  - {sources: a.step, name: ../c}"
    assert [f.code for f in faults(write(tmp_path, text))] == ["CB702", "CB704", "CB706"]


@pytest.mark.parametrize(
    "jobs",
    [
        "[{sources: a.step}, {sources: a.step}]",
        "[{sources: [a.step, a.stp]}]",
        "[{sources: a.step, name: x}, {sources: a.stp, name: x/y}]",
        "[{sources: a.step, name: x}, {sources: a.stp, name: y, output: x}]",
        "[{sources: a.step, name: x}, {sources: a.stp, name: x, output: y}]",
        "[{sources: a.step, name: x}, {sources: a.stp, name: z/../x/.}]",
    ],
)
def test_duplicate_outputs_are_refused(tmp_path: Path, jobs: str) -> None:
    touch(tmp_path, "a.step", "a.stp")
    assert {f.code for f in faults(write(tmp_path, f"jobs: {jobs}"))} == {"CB705"}


def test_names_of_a_pattern_can_be_made_unique(tmp_path: Path) -> None:
    touch(tmp_path, "a.step", "a.stp")
    jobs = load(write(tmp_path, "jobs: [{sources: 'a.*', name: '{file}-{do}'}]")).jobs
    assert [j.name for j in jobs] == ["a.step-check", "a.stp-check"]


ODD = [
    "with space.step",
    'it\'s "quoted".step',
    "größe-日本.step",
    "new\nline.step",
    "[a]*?.step",
    "{b}.step",
    "-o.step",
]


def test_odd_paths(tmp_path: Path) -> None:
    touch(tmp_path, *ODD)
    found = load(write(tmp_path, "jobs: [{sources: '*.step'}]")).jobs
    assert sorted(j.source for j in found) == sorted(ODD)
    one_by_one = "jobs: " + json.dumps([{"sources": name} for name in ODD])
    assert {j.folder for j in load(write(tmp_path, one_by_one)).jobs} == {j.folder for j in found}


def test_outputs_do_not_become_inputs_and_exclude_leaves_out(tmp_path: Path) -> None:
    touch(tmp_path, "a.urdf", "b.urdf", "out/a/urdf/a.urdf")
    text = "jobs: [{sources: '**/*.urdf', exclude: 'b*'}]"
    assert [j.source for j in load(write(tmp_path, text)).jobs] == ["a.urdf"]


def test_a_circle_of_links_ends(tmp_path: Path) -> None:
    touch(tmp_path, "d/a.step")
    (tmp_path / "d" / "loop").symlink_to(tmp_path)
    assert [j.source for j in load(write(tmp_path, "jobs: [{sources: '**/*.step'}]")).jobs] == ["d/a.step"]


def test_a_link_to_a_folder_is_followed_where_its_name_is_written_alone(tmp_path: Path) -> None:
    touch(tmp_path, "d/a.step")
    (tmp_path / "link").symlink_to(tmp_path / "d")
    assert [j.source for j in load(write(tmp_path, "jobs: [{sources: '*/*.step'}]")).jobs] == ["d/a.step"]
    assert [j.source for j in load(write(tmp_path, "jobs: [{sources: 'link/*.step'}]")).jobs] == ["link/a.step"]


def test_folders_that_differ_in_capitals_are_one_where_the_file_system_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    touch(tmp_path, "a.step")
    text = "jobs:\n  - {name: X, sources: a.step}\n  - {name: x, sources: a.step}\n"
    assert len(load(write(tmp_path, text)).jobs) == 2
    assert not ignores_case(tmp_path)
    monkeypatch.setattr("cadbridge.jobs.planning.ignores_case", lambda _: True)
    with pytest.raises(InputError) as caught:
        load(write(tmp_path, text))
    assert [f.code for f in caught.value.findings] == ["CB705"]


def test_from_python_the_same_rules_hold(tmp_path: Path) -> None:
    touch(tmp_path, "a.step")
    found = plan([{"sources": tmp_path / "a.step", "name": "x"}], base=tmp_path, defaults={"timeout": 3.0})
    assert [(j.name, j.source, j.timeout, j.folder) for j in found.jobs] == [
        ("x", "a.step", 3.0, tmp_path / "out" / "x")
    ]
    with pytest.raises(InputError) as caught:
        plan([{"sources": "a.step", "timeot": 3}], base=tmp_path)
    assert "did you mean timeout?" in caught.value.findings[0].message


def test_only_takes_names_and_patterns_and_tells_the_nearest(tmp_path: Path) -> None:
    touch(tmp_path, "a.step", "ab.step", "[c].step")
    found = load(write(tmp_path, "jobs: [{sources: '*.step', name: '{stem}'}]"))
    assert [j.name for j in found.only(["a*"]).jobs] == ["a", "ab"]
    assert [j.name for j in found.only(["[c]", "ab"]).jobs] == ["[c]", "ab"]
    with pytest.raises(InputError) as caught:
        found.only(["abb"])
    assert "did you mean ab?" in caught.value.findings[0].message


def test_dry_run_lists_and_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    touch(tmp_path, *ODD)
    path = write(tmp_path, "jobs: [{sources: '*.step'}]")
    assert main(["batch", str(path), "--dry-run", "--json", "--memory", "2GB", "--timeout", "7"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [(j["timeout"], j["memory"]) for j in document["jobs"]] == [(7.0, 2_000_000_000)] * len(ODD)
    assert main(["batch", str(path), "--dry-run"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(ODD)  # a line break in a name is no new line
    assert sorted(os.listdir(tmp_path)) == sorted([*ODD, "jobs.yaml"])


def test_a_bad_file_is_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", str(tmp_path / "none.yaml")]) == 2
    assert main(["batch", str(write(tmp_path, "jobs: 3"))]) == 2
    assert main(["batch", str(write(tmp_path, "jobs: [{sources: x.step}]")), "--memory", "lots"]) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "size"), [("2GB", 2_000_000_000), ("1.5 GiB", 1_610_612_736), ("512 MiB", 536_870_912), ("3kB", None)]
)
def test_sizes(text: str, size: int | None) -> None:
    if size is None:
        with pytest.raises(ValueError, match="not a size"):
            memory_bytes(text)
    else:
        assert memory_bytes(text) == size


def test_the_published_schema_is_current_and_takes_the_example() -> None:
    text = files("cadbridge").joinpath("data/schemas/jobs-1.json").read_text(encoding="utf-8")
    assert text == JobsFile.schema_text(FORMAT)
    check = jsonschema.Draft202012Validator(json.loads(text))
    check.validate(yaml.safe_load(ISSUE))
    assert not check.is_valid({"jobs": [{"sources": "a", "timout": 3}]})


def test_collision_geometry_goes_with_conversions_and_is_one_of_those_there_are(tmp_path: Path) -> None:
    touch(tmp_path, "a.urdf")
    wrong = "jobs: [{sources: a.urdf, do: convert, to: urdf, collision: hul}, {sources: a.urdf, collision: hull}]"
    said = [f.message for f in faults(write(tmp_path, wrong))]
    assert any("no collision geometry 'hul'" in m and "hull" in m for m in said)
    assert any("collision goes with do: convert" in m for m in said)
