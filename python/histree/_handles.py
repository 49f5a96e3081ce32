# SPDX-License-Identifier: MIT
"""Objects of the library, each freed once, after all that needs it.

A handle frees its object when nobody refers to it any more.  Whatever uses an object refers to its handle: a stream to
its history, a history to its store.  So closing a store takes nothing away from those that still read it; that they
refuse to go on is what Scope is for.
"""
import ctypes
from typing import Any, Callable, Optional

from . import _abi
from ._errors import ClosedError, error_of
from ._glue import own
from ._library import call


class Handle:
    """The address of an object and how to free it.  `needs` is kept as long: an object goes before what it needs."""

    __slots__ = ("address", "needs", "_owner", "__weakref__")

    def __init__(self, address: Optional[int], free: Callable[[int], None], needs: Any = None) -> None:
        self.needs = needs
        self.address = address
        self._owner = own(address, free, needs) if address else None


class Scope:
    """What was opened and may be closed: `check` raises once it is, or once the scope that it is part of is."""

    __slots__ = ("what", "closed", "outer")

    def __init__(self, what: str, outer: "Optional[Scope]" = None) -> None:
        self.what, self.closed, self.outer = what, False, outer

    def check(self) -> None:
        """Raise ClosedError if this, or something around it, is closed."""
        scope: Optional[Scope] = self
        while scope is not None:
            if scope.closed:
                raise ClosedError(f"{scope.what} is closed; open it again to go on")
            scope = scope.outer


def opened(function: Callable[..., int], free: Callable[[int], None], needs: Any, *arguments: Any) -> Handle:
    """Call a function that makes an object, whose address it writes into its last argument but the error."""
    out = ctypes.c_void_p()
    error = _abi.Error()
    status = function(*arguments, ctypes.byref(out), ctypes.byref(error))
    if status != 0 or not out.value:
        raise error_of(status, error, f"'{function.__name__}' returned status {status}")
    return Handle(out.value, free, needs)


__all__ = ["Handle", "Scope", "call", "opened"]
