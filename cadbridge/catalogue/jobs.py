"""Codes CB700–CB739, jobs: the jobs file (CB70x, CB71x) and how jobs end (CB72x, CB73x)."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO

ENTRIES: dict[str, Entry] = {
    "CB700": Entry(
        _ERROR,
        "not a jobs file",
        "A jobs file is a mapping with `jobs:` (or `include:`) at its top; nothing of this one can be used.",
        "See docs/jobs.md for an example.",
        "A list of file names instead of `jobs:`.",
    ),
    "CB701": Entry(
        _ERROR,
        "a key of a jobs file that has no meaning here",
        "Keys that nobody reads are most often misspelt, and a job with other options than meant is worse than none.",
        "Use the nearest key named; docs/jobs.md lists all.",
        "timout: 30  (timeout was meant)",
    ),
    "CB702": Entry(
        _ERROR,
        "a value in a jobs file of the wrong kind",
        "A value is missing, of another type, out of its range, or an option stands where its job has no use for it.",
        "Give the value as docs/jobs.md describes it.",
        "`timeout: soon`.",
    ),
    "CB703": Entry(
        _ERROR,
        "jobs files that include each other",
        "The files named include one another in a circle, so that no order to read them in exists.",
        "Remove one of the includes named.",
        "a.yaml includes b.yaml, which includes a.yaml.",
    ),
    "CB704": Entry(
        _ERROR,
        "a pattern that matches no file",
        "No file fits, so the jobs meant would silently not be run.",
        "Correct the pattern; it counts from the folder of its jobs file, and ** stands for any folders.",
        '`source: "robots/*.stp"` where the files end in .step.',
    ),
    "CB705": Entry(
        _ERROR,
        "two jobs with one output",
        "Both would write the same folder (or one inside the other's), and which of them wins would be chance.",
        "Give one of them a `name:`; {stem}, {path}, {file}, {do} and {to} in it make names of a pattern unique.",
        "Two jobs with `output: report`.",
    ),
    "CB706": Entry(
        _ERROR,
        "an output outside the folder of outputs",
        "Jobs may write below the folder of outputs only: a jobs file must not overwrite what lies elsewhere.",
        "Give a name below that folder, or another folder with --output.",
        "`output: ../elsewhere`.",
    ),
    "CB707": Entry(
        _ERROR,
        "the folder of outputs cannot be written",
        "It is not a folder, or may not be written, so that no job could deliver anything.",
        "Name another folder with --output, or correct its permissions.",
        "`-o /` without the right to write there.",
    ),
    "CB708": Entry(
        _ERROR,
        "no job of that name",
        "--only names a job, or a pattern of names, that the jobs file does not have.",
        "`cadbridge batch FILE --dry-run` lists the names.",
        "`--only arm` of a file whose jobs are left_arm and right_arm.",
    ),
    "CB709": Entry(
        _ERROR,
        "a jobs file without jobs",
        "Neither the file nor what it includes holds a job.",
        "Add an item to `jobs:`.",
        "A jobs file of defaults only.",
    ),
    "CB710": Entry(
        _ERROR,
        "a scheduler that cannot be used",
        "The Dask scheduler does not answer, is of another version, or its workers lack cadbridge.",
        "Start it with `dask scheduler`, and install the same versions of cadbridge and distributed everywhere.",
        "`--scheduler tcp://host:8786` where nothing listens.",
    ),
    "CB720": Entry(
        _ERROR,
        "the job ran past its time limit",
        "It and all processes it had started were ended; nothing of its outputs was kept.",
        "Raise `timeout:` where the model is merely large; else look at the last words in its log.",
        "A simulation of an hour with `timeout: 60`.",
    ),
    "CB721": Entry(
        _ERROR,
        "the job exceeded its memory limit",
        "It and all processes it had started were ended; nothing of its outputs was kept.",
        "Raise `memory:` where the model is merely large.",
        "A STEP file of 2 GB with `memory: 1 GB`.",
    ),
    "CB722": Entry(
        _ERROR,
        "the process of the job ended without an answer",
        "It crashed or was killed from outside; nothing of its outputs was kept, and the other jobs went on.",
        "Look at the last words in its log; run it again where somebody killed it.",
        "The machine ran out of memory and ended the process.",
    ),
    "CB723": Entry(
        _ERROR,
        "the outputs of the job could not be written",
        "The disk is full, or the folder may not be written; nothing half-written was left.",
        "Free disk space or correct the permissions, and run again: finished jobs are not repeated.",
        "A disk that was full before the last of ten exports.",
    ),
    "CB724": Entry(
        _ERROR,
        "a fault of cadbridge in the job",
        "The job ended by an error that is not the file's; its log holds the traceback.",
        "Please report it, with the log.",
        "An IndexError in a reader.",
    ),
    "CB725": Entry(
        _ERROR,
        "the job was not run",
        "An earlier job failed and --fail-fast was passed, or the run was stopped.",
        "Run again: finished jobs are not repeated.",
        "Job 3 of 10 failed with --fail-fast: 4 to 10 were not run.",
    ),
    "CB726": Entry(
        _ERROR,
        "an output folder that is not a job's",
        "The folder where the job would write holds files but no manifest of a job; it is left as it is.",
        "Move it away, or give the job another name.",
        "`output: photos`, a folder with pictures in it.",
    ),
    "CB730": Entry(
        _WARNING,
        "a damaged entry of the cache",
        "What is stored does not have the hash it is stored under; it was dropped and the job computed again.",
        "Nothing need be done; if it happens often, check the disk.",
        "A cache on a disk with a bad sector.",
    ),
    "CB731": Entry(
        _WARNING,
        "the cache cannot be used",
        "The folder of the cache cannot be read or written; jobs run, but nothing is kept for next time.",
        "Free disk space, correct the permissions, or name another folder with --cache.",
        "A cache folder that belongs to another user.",
    ),
}

FAMILIES = (Family("jobs", "the jobs file and its runs", Stage.JOBS, ENTRIES),)
