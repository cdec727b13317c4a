"""The tests. What is set here is set before any of them imports NumPy, as the command line sets it before it does."""

import os

# Matrices are small: further threads cost more than they give, and beside other workers a hundred times more.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
