"""Graphs, orders of elimination, ranks: no mechanics."""
