"""Jobs: many sources checked, converted and simulated, each in a process of its own.

load("jobs.yaml")        a jobs file as a plan: every job known, all faults reported, nothing run
plan([{...}, ...])       the same from Python
run(jobs)                results as they come; `jobs` a plan, a jobs file or a list
write_summary(plan, …)   summary.json and index.html

for result in cb.jobs.run("jobs.yaml"):
    print(result.job.name, result.state, result.reason)
"""

from __future__ import annotations

from cadbridge.jobs.batch import Progress, run
from cadbridge.jobs.cache import Cache
from cadbridge.jobs.model import Job, Result, State
from cadbridge.jobs.planning import Plan, load, plan
from cadbridge.jobs.summary import write_summary

__all__ = ["Cache", "Job", "Plan", "Progress", "Result", "State", "load", "plan", "run", "write_summary"]
