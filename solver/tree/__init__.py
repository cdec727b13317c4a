"""Trees in minimal coordinates: recursive dynamics by the decoupled natural orthogonal complement matrices."""

from solver.tree.denoc import complement, forward_by_modules, inverse_by_modules
from solver.tree.dynamics import (
    TreeEfforts,
    base_reaction,
    forward_dynamics,
    inertia_factors,
    inertia_matrix,
    inverse_dynamics,
    poses,
    twists,
)
from solver.tree.generic import (
    GenericTerms,
    attachment_vectors,
    generic_accelerations,
    generic_equations,
    topology,
)
from solver.tree.model import GROUND, Link, Tree, universal
from solver.tree.spanning import Span, TreeJoint, span

__all__ = [
    "GROUND",
    "GenericTerms",
    "Link",
    "Span",
    "Tree",
    "TreeEfforts",
    "TreeJoint",
    "attachment_vectors",
    "base_reaction",
    "complement",
    "forward_by_modules",
    "forward_dynamics",
    "generic_accelerations",
    "generic_equations",
    "inertia_factors",
    "inertia_matrix",
    "inverse_by_modules",
    "inverse_dynamics",
    "poses",
    "span",
    "topology",
    "twists",
    "universal",
]
