# SPDX-License-Identifier: MIT
"""Ctrl-C during a call of the library: it asks now and then whether to go on, and Python handles its signals then."""
import ctypes
from typing import Any, Optional

from . import _abi
from ._errors import LibraryError
from ._library import find_beside

_glue: Optional[ctypes.PyDLL] = None


def glue() -> ctypes.PyDLL:
    """libhistree_python: what must not be Python, see src/python/."""
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
                                        ("histree_python_raise", ctypes.c_int, [ctypes.c_void_p])):
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        _glue = library
    return _glue


class Interrupt:
    """Ends a call when a signal handler of Python raised; `check` then raises that."""

    def __init__(self) -> None:
        self._kept = (ctypes.c_void_p * 3)()
        self.context = ctypes.addressof(self._kept)

    @classmethod
    def into(cls, options: Any) -> "Interrupt":
        """Make the calls with these options end with a signal.  The caller keeps the result as long as the options."""
        made = cls()
        if _glue is not None or find_beside("libhistree_python", "python") is not None:
            options.cancel.go_on = ctypes.cast(glue().histree_python_go_on, _abi.CANCEL_CALL)
            options.cancel.context = made.context
        return made

    def check(self) -> None:
        """Raise what a signal handler raised, if one did."""
        if any(self._kept):
            glue().histree_python_raise(self.context)
