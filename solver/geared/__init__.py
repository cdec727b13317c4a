"""Geared robots: transmission lines, structure matrix, and inverse dynamics with tooth and bearing loads.

After D.-Z. Chen, T.-W. Lin and Y.-L. Lin, Dynamic analysis of geared robotic mechanisms by the concept of torque
transmission, Mechanism and Machine Theory (1999).
"""

from __future__ import annotations

from solver.geared.graph import Graph, Mesh, NotGearedError, Reason, TurningPair, graph_of
from solver.geared.inverse import Loads, loads, primary_values
from solver.geared.transmission import Imbalance, Line, Transmission, transmission

__all__ = [
    "Graph", "Imbalance", "Line", "Loads", "Mesh", "NotGearedError", "Reason", "Transmission", "TurningPair",
    "graph_of", "loads", "primary_values", "transmission",
]  # fmt: skip
