"""Recursive dynamics of trees by the decoupled natural orthogonal complement, after the text-books.

A leaf: no run depends on it. It serves those who look for the methods, and the tests as an oracle.
"""

from solver.constraints.primitives import GROUND
from solver.denoc.dynamics import (
    TreeEfforts,
    base_reaction,
    forward_dynamics,
    inertia_factors,
    inertia_matrix,
    inverse_dynamics,
    poses,
    twists,
)
from solver.denoc.generic import GenericTerms, attachment_vectors, generic_accelerations, generic_equations, topology
from solver.denoc.model import Link, Tree, universal
from solver.denoc.modules import complement, forward_by_modules, inverse_by_modules

__all__ = [
    "GROUND", "GenericTerms", "Link", "Tree", "TreeEfforts", "attachment_vectors", "base_reaction", "complement",
    "forward_by_modules", "forward_dynamics", "generic_accelerations", "generic_equations", "inertia_factors",
    "inertia_matrix", "inverse_by_modules", "inverse_dynamics", "poses", "topology", "twists", "universal",
]  # fmt: skip
