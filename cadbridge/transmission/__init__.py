"""Geared robots: a mechanism's transmission lines, structure matrix and carriers (the algebra is `solver.geared`)."""

from cadbridge.transmission.analysis import Analysis, transmission

__all__ = ["Analysis", "transmission"]
