# SPDX-License-Identifier: MIT
"""Errors of the library as exceptions: one class a status, and the library's own sentence as text."""
import re
from typing import Dict, Optional, Type

from . import _abi


class Error(Exception):
    """Something that libhistree refused or could not do.  The text is its sentence; `status` is its number."""

    status = 0


class LibraryError(ImportError):
    """The shared library is missing, or is not one for this package."""


class NotFoundError(Error, LookupError):
    """There is no attribute, analysis or file of that name."""


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory, or an answer would take more than it may."""


class ArgumentError(Error, ValueError):
    """What was asked for is no question: a stray backslash, an expression that is none, a time without a zone."""


class InputOutputError(Error):
    """Reading or writing failed."""


class FormatError(Error):
    """A file is damaged, or not one of histree's."""


class VersionError(Error):
    """A file, or an analysis, is of a version that this library does not know."""


class IncompleteError(Error):
    """The history was never completed."""


class ExistsError(Error):
    """There is a file or folder of that name already."""


class TraceError(Error):
    """The trace cannot be read."""


class QuarkError(Error, LookupError):
    """There is no attribute with this number."""


class TimeRangeError(Error, ValueError):
    """A time is outside the history."""


class TimeBackwardsError(Error, ValueError):
    """A change comes before the ongoing state began."""


class ValueTypeError(Error, TypeError):
    """A value has another type than the attribute holds."""


class TooLargeError(Error, ValueError):
    """A value is too large."""


class ClosedError(Error):
    """The store, history or query was closed."""


class CancelledError(Error):
    """A long call was ended from outside."""


class InternalError(Error):
    """A fault of histree."""


class DamageWarning(UserWarning):
    """An answer lacks what damaged nodes held, or a build what it could not read of its trace."""


_CLASSES: Dict[str, Type[Error]] = {
    "NOT_FOUND": NotFoundError, "ERR_MEMORY": OutOfMemoryError, "ERR_ARGUMENT": ArgumentError,
    "ERR_IO": InputOutputError, "ERR_FORMAT": FormatError, "ERR_VERSION": VersionError,
    "ERR_INCOMPLETE": IncompleteError, "ERR_EXISTS": ExistsError, "ERR_TRACE": TraceError, "ERR_QUARK": QuarkError,
    "ERR_TIME_RANGE": TimeRangeError, "ERR_TIME_BACKWARDS": TimeBackwardsError, "ERR_TYPE": ValueTypeError,
    "ERR_TOO_LARGE": TooLargeError, "ERR_CLOSED": ClosedError, "ERR_CANCELLED": CancelledError,
    "ERR_INTERNAL": InternalError,
}
_BY_STATUS: Dict[int, Type[Error]] = {}
for _name, _class in _CLASSES.items():
    _class.status = _abi.STATUSES[_name]
    _BY_STATUS[_class.status] = _class


def in_python(text: str) -> str:
    """A sentence of the library or the command, with options as Python has them: force=True for --force."""
    text = re.sub(r"(?:use )?--force\b", "say force=True", text)
    text = text.replace("'--from'", "'from_'")
    return re.sub(r"'--([a-z][a-z-]*)'", lambda found: f"'{str(found[1]).replace('-', '_')}'", text)


def error_of(status: int, error: Optional[_abi.Error], otherwise: str = "") -> Error:
    """The exception for a status, with the sentence of `error`, or `otherwise` if that is empty."""
    text = error.message.decode("utf-8", "replace") if error is not None and error.status != 0 else ""
    return _BY_STATUS.get(status, Error)(in_python(text) or otherwise or f"the library returned status {status}")
