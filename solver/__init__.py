"""Multibody dynamics in absolute coordinates, of systems with any redundant constraints. Knows nothing of CAD."""
