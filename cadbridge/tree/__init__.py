"""Mechanisms as trees: the spanning tree of a mechanism's joints, and its matrices (the algebra is `solver.denoc`).

Nothing is imported here: a run takes `joints` alone, and must not load the compiler that `links` needs.
"""
