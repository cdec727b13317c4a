"""Jobs: many sources checked, converted and simulated, each in a process of its own.

load("jobs.yaml")        a jobs file as a plan: every job known, all faults told, nothing run
plan([{...}, ...])       the same from Python
"""

from __future__ import annotations

from cadbridge.jobs.model import Job, Result, State
from cadbridge.jobs.plan import Plan, load, plan

__all__ = ["Job", "Plan", "Result", "State", "load", "plan"]
