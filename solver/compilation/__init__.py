"""Kernels: what marks them, what compiles them, and the library that holds their machine code."""
