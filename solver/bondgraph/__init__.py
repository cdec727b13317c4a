"""Vector bond graphs of models: built by themselves, with junction matrices, and the kineto-statics that follow."""

from solver.bondgraph.build import Built, Drive, Place, build
from solver.bondgraph.circuits import Actuator, Circuit, FluidLine, with_circuits
from solver.bondgraph.graph import Bond, BondGraph, Node, causality
from solver.bondgraph.inverse import KinetoStatics
from solver.bondgraph.junction import Junction, Structure
from solver.bondgraph.unified import Fields, Known, solve, split

__all__ = [
    "Actuator", "Bond", "BondGraph", "Built", "Circuit", "Drive", "Fields", "FluidLine", "Junction", "KinetoStatics",
    "Known", "Node", "Place", "Structure", "build", "causality", "solve", "split", "with_circuits",
]  # fmt: skip
