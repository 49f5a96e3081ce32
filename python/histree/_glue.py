# SPDX-License-Identifier: MIT
"""libhistree_python: what must not be Python, see src/python/."""
import ctypes
from typing import Any, Callable, Optional

from ._errors import LibraryError
from ._library import find_beside

_glue: Optional[ctypes.PyDLL] = None


def glue() -> ctypes.PyDLL:
    """The library, which is loaded at the first call."""
    global _glue
    if _glue is None:
        path = find_beside("libhistree_python", "python")
        if path is None:
            raise LibraryError("'libhistree_python.so' is not beside libhistree, and hands streams to polars, pyarrow and "
                               "DuckDB, and Ctrl-C to libsqlite3: build histree with -Dpython=enabled; to_numpy() and "
                               "to_pandas() do without it")
        library = ctypes.PyDLL(path)
        for name, result, arguments in (("histree_python_stream", ctypes.py_object, [ctypes.c_void_p, ctypes.py_object]),
                                        ("histree_python_schema", ctypes.py_object, [ctypes.c_void_p]),
                                        ("histree_python_own", ctypes.py_object,
                                         [ctypes.c_void_p, ctypes.c_void_p, ctypes.py_object]),
                                        ("histree_python_raise", ctypes.c_int, [ctypes.c_void_p])):
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        _glue = library
    return _glue


def has_glue() -> bool:
    """Whether the library is there."""
    return _glue is not None or find_beside("libhistree_python", "python") is not None


class _Owner:
    """As histree_python_own() where that is not built; a Ctrl-C while it frees its object is lost."""

    __slots__ = ("_free", "_address", "_needs")

    def __init__(self, address: int, free: Callable[[int], Any], needs: Any) -> None:
        self._address, self._free, self._needs = address, free, needs

    def __del__(self) -> None:
        self._free(self._address)


def own(address: int, free: Callable[[int], Any], needs: Any = None) -> Any:
    """An object that calls `free` with the address when nobody refers to it any more, and keeps `needs` until then.

    No line of Python runs then: whatever is raised in a __del__ is dropped by Python, a Ctrl-C too.
    """
    if not has_glue():
        return _Owner(address, free, needs)
    return glue().histree_python_own(address, ctypes.cast(free, ctypes.c_void_p), needs)  # type: ignore[arg-type]


def _release(kind: Any) -> Callable[[int], None]:
    def release(address: int) -> None:
        released = kind.from_address(address)
        if released.release:
            released.release(address)
    return release


def release_of(kind: Any, name: str) -> Callable[[int], Any]:
    """What releases an Arrow structure of a kind, to be given to own()."""
    release: Callable[[int], Any] = getattr(glue(), name) if has_glue() else _release(kind)
    return release
