"""SciPy's sparse matrices without what only NumPy's tests and its Fortran wrappers use."""

from __future__ import annotations

UNUSED = frozenset({"ctypeslib", "f2py", "test", "testing"})
"""Public names of NumPy that are modules of their own, loaded when somebody asks for them."""


def load_sparse() -> None:
    """Import `scipy.sparse.linalg` in less time.

    SciPy's wrapper of NumPy copies all of its public names, and so loads `numpy.f2py` and `numpy.testing`: a fifth of
    the time that the import takes. While SciPy loads NumPy does not list them; later they are there as ever.
    """
    import numpy

    names, listed = numpy.__all__, numpy.__dir__
    setattr(numpy, "__all__", [name for name in names if name not in UNUSED])  # noqa: B010 - typed as constant
    setattr(numpy, "__dir__", lambda: [name for name in listed() if name not in UNUSED])  # noqa: B010 - as above
    try:
        import scipy.sparse.linalg  # noqa: F401 - only to be loaded
    finally:
        setattr(numpy, "__all__", names)  # noqa: B010 - as above
        setattr(numpy, "__dir__", listed)  # noqa: B010 - as above
