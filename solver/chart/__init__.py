"""Joint coordinates of a spanning tree over `solver.equations.dynamics`: a second chart of the same motion."""

from solver.chart.spanning import Chart, TreeJoint, spanning_chart

__all__ = ["Chart", "TreeJoint", "spanning_chart"]
