"""Faults of an input that callers tell apart; each is a ValueError and says what is wrong."""

from __future__ import annotations


class NoValueError(ValueError):
    """A function of time has no finite value at a time of the run."""


class TooManySamplesError(ValueError):
    """A run would keep more samples than a machine has memory for."""


class NoStorageError(ValueError):
    """A body has no mass or inertia, by which the storage of a bond graph turns momentum into speed."""
