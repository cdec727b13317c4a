"""Geared robots: a mechanism's transmission lines, structure matrix and carriers (the algebra is `solver.geared`)."""

from cadbridge.geared.analysis import Analysis, transmission

__all__ = ["Analysis", "transmission"]
