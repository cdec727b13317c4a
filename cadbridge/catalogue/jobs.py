"""Codes: Jobs: the jobs file, and how jobs end."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO

ENTRIES: dict[str, Entry] = {
    "CB700": Entry(
        _ERROR,
        "not a jobs file",
        "A jobs file is a mapping with `jobs:` (or `include:`) at its top. This file has neither, so it contains "
        "nothing to run.",
        "See docs/jobs.md for an example.",
        "A list of file names instead of `jobs:`.",
    ),
    "CB701": Entry(
        _ERROR,
        "an unknown key in a jobs file",
        "The key does not exist and is probably misspelt. cadbridge does not run a job with other options than "
        "intended.",
        "Use the nearest key in the message. docs/jobs.md lists all keys.",
        "timout: 30  (timeout was meant)",
    ),
    "CB702": Entry(
        _ERROR,
        "an invalid value in a jobs file",
        "The value is missing, has the wrong type or is out of range, or this kind of job does not have the option.",
        "Write the value as docs/jobs.md describes it.",
        "`timeout: soon`.",
    ),
    "CB703": Entry(
        _ERROR,
        "jobs files that include each other",
        "The files named include each other in a circle.",
        "Remove one of the includes named.",
        "a.yaml includes b.yaml, which includes a.yaml.",
    ),
    "CB704": Entry(
        Severity.WARNING,
        "a pattern that matches no file",
        "No file matches, so this pattern makes no job. The other jobs run, and the exit status is 1; if there is no "
        "other job, it is 2.",
        "Correct the pattern. It is relative to the folder of its jobs file, and ** matches any folders.",
        '`source: "robots/*.stp"` where the files end in .step.',
    ),
    "CB705": Entry(
        _ERROR,
        "two jobs with one output",
        "Both jobs have one name, or would write to the same folder or to one inside the other: the results of one "
        "would replace those of the other.",
        "Give one of them a `name:`. {stem}, {path}, {file}, {do} and {to} make the names of a pattern unique.",
        "Two jobs with `output: report`.",
    ),
    "CB706": Entry(
        _ERROR,
        "an output outside the output folder",
        "Jobs may write only inside the output folder. A jobs file must not overwrite other files.",
        "Use a path inside that folder, or set another folder with --output.",
        "`output: ../elsewhere`.",
    ),
    "CB707": Entry(
        _ERROR,
        "an output folder that is not writable",
        "The path is not a folder, or you have no permission to write there.",
        "Choose another folder with --output, or correct the permissions.",
        "`-o /` without the right to write there.",
    ),
    "CB708": Entry(
        _ERROR,
        "no job of that name",
        "--only names a job, or a pattern, that matches no job in the file.",
        "`cadbridge batch FILE --dry-run` lists the names.",
        "`--only arm` of a file whose jobs are left_arm and right_arm.",
    ),
    "CB709": Entry(
        _ERROR,
        "a jobs file without jobs",
        "Neither the file nor its includes contain a job.",
        "Add an item to `jobs:`.",
        "A jobs file of defaults only.",
    ),
    "CB710": Entry(
        _ERROR,
        "a scheduler that cannot be used",
        "The Dask scheduler does not answer, has another version, or its workers lack cadbridge.",
        "Start it with `dask scheduler`, and install the same versions of cadbridge and distributed everywhere.",
        "`--scheduler tcp://host:8786` where nothing listens.",
    ),
    "CB720": Entry(
        _ERROR,
        "the job exceeded its time limit",
        "The job used more processor time than `timeout:` allows, or waited for ten times as long. cadbridge ended it "
        "and all its processes. It kept none of the outputs.",
        "If the model is just large, raise `timeout:`. Otherwise check the end of the job's log.",
        "A simulation of an hour with `timeout: 60`.",
    ),
    "CB721": Entry(
        _ERROR,
        "the job exceeded its memory limit",
        "cadbridge ended the job and all its processes. It kept none of the outputs.",
        "If the model is just large, raise `memory:`.",
        "A STEP file of 2 GB with `memory: 1 GB`.",
    ),
    "CB722": Entry(
        _ERROR,
        "the process of the job died",
        "It crashed or was killed. None of its outputs were kept; the other jobs continued.",
        "Check the end of its log. If somebody killed it, run it again.",
        "The machine ran out of memory and ended the process.",
    ),
    "CB723": Entry(
        _ERROR,
        "the outputs of the job could not be written",
        "The disk is full, or the folder is not writable. No partial output was left.",
        "Free disk space or correct the permissions, and run again. Finished jobs are not repeated.",
        "The disk was full before the last of ten exports.",
    ),
    "CB724": Entry(
        _ERROR,
        "a bug in cadbridge",
        "The job ended with an error that the input did not cause. Its log contains the traceback.",
        "Please report it with the log.",
        "An IndexError in a reader.",
    ),
    "CB725": Entry(
        _ERROR,
        "a job that was not run",
        "An earlier job failed and --fail-fast was passed, or the run was stopped.",
        "Run again. Finished jobs are not repeated.",
        "Job 3 of 10 failed with --fail-fast: 4 to 10 were not run.",
    ),
    "CB726": Entry(
        _ERROR,
        "an output folder with other files",
        "The output folder of the job contains files but no job manifest. cadbridge did not change it.",
        "Move the folder, or give the job another name.",
        "`output: photos`, a folder with pictures in it.",
    ),
    "CB730": Entry(
        _WARNING,
        "a damaged cache entry",
        "The stored data do not match their hash. cadbridge deleted the entry and computed the job again.",
        "No action is needed. If this happens often, check the disk.",
        "A cache on a disk with a bad sector.",
    ),
    "CB731": Entry(
        _WARNING,
        "the cache cannot be used",
        "The cache folder is not readable or not writable, or an entry in it belongs to another user although the "
        "folder is not shared, or everybody may write to it. Jobs run, but cadbridge does not store their results, or "
        "does not use stored ones.",
        "Free disk space, correct the permissions, or name another folder with --cache. A folder that a group shares "
        "may be writable for the group, not for everybody.",
        "A cache folder that belongs to another user.",
    ),
}

FAMILIES = (Family("jobs", "the jobs file and its runs", Stage.JOBS, ENTRIES),)
