# SPDX-License-Identifier: MIT
"""Ctrl-C during a call of the library: it asks now and then whether to go on, and Python handles its signals then."""
import ctypes
from typing import Any

from . import _abi
from ._glue import glue, has_glue


class Interrupt:
    """Ends a call when a signal handler of Python raised; `check` then raises that."""

    def __init__(self) -> None:
        self._kept = (ctypes.c_void_p * 3)()
        self.context = ctypes.addressof(self._kept)

    @classmethod
    def into(cls, options: Any) -> "Interrupt":
        """Make the calls with these options end with a signal.  The caller keeps the result as long as the options."""
        made = cls()
        if has_glue():
            options.work.go_on = ctypes.cast(glue().histree_python_go_on, _abi.GO_ON_CALL)
            options.work.context = made.context
        return made

    def check(self) -> None:
        """Raise what a signal handler raised, if one did."""
        if any(self._kept):
            glue().histree_python_raise(self.context)
