# SPDX-License-Identifier: MIT
"""Times in and out: nanoseconds, aware datetimes, and the texts that the command takes."""
import ctypes
import datetime
from typing import Any, Union

from . import _abi
from ._errors import ArgumentError, TimeRangeError
from ._library import cstring, lib

#: What every function takes as a time: nanoseconds since the epoch, a text such as "+12.5ms", "17:46:23.1" or "85423.1"
#: (seconds by the clock of the trace), an aware datetime, a pandas.Timestamp with a time zone, or a numpy.datetime64,
#: which is UTC.
Time = Union[int, str, datetime.datetime, Any]

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_SECOND = 1_000_000_000


def ns_of(time: Any, start: int = 0, end: int = 0) -> int:
    """The nanoseconds since the epoch of a time; texts are relative to a history from `start` to `end`.

    >>> import datetime
    >>> ns_of(datetime.datetime(2026, 11, 23, 17, 46, 23, 100, tzinfo=datetime.timezone.utc))
    1795455983000100000
    >>> ns_of("+12.5ms", start=1_000_000_000)
    1012500000
    >>> ns_of("1.5")
    1500000000
    >>> ns_of(datetime.datetime(2026, 11, 23))
    Traceback (most recent call last):
        ...
    histree.ArgumentError: datetime.datetime(2026, 11, 23, 0, 0) has no time zone: say tzinfo=datetime.timezone.utc
    """
    if isinstance(time, str):
        out, error = ctypes.c_int64(), _abi.Error()
        if lib.histree_time_parse(cstring(time, "the time"), start, end, ctypes.byref(out), ctypes.byref(error)) != 0:
            raise ArgumentError(error.message.decode("utf-8", "replace"))
        return out.value
    if isinstance(time, datetime.datetime):
        if time.tzinfo is None:
            raise ArgumentError(f"{time!r} has no time zone: say tzinfo=datetime.timezone.utc")
        value = getattr(time, "value", None)  # a pandas.Timestamp has nanoseconds
        if isinstance(value, int):
            return value
        passed = time - _EPOCH
        return (passed.days * 86400 + passed.seconds) * _SECOND + passed.microseconds * 1000
    if type(time).__module__ == "numpy" and type(time).__name__ == "datetime64":
        if str(time) == "NaT":
            raise ArgumentError("NaT is no time")
        return _in_range(int(time.astype("datetime64[ns]").astype("int64")), time)
    if isinstance(time, bool) or not hasattr(time, "__index__"):
        raise ArgumentError(f"{time!r} is no time: give nanoseconds since the epoch as an int, a text such as "
                            "'+12.5ms' or '17:46:23.1', or a datetime with a time zone")
    return _in_range(time.__index__(), time)


def _in_range(ns: int, time: Any) -> int:
    if not _abi.TIME_MIN <= ns <= _abi.TIME_MAX:
        raise TimeRangeError(f"{time!r} is no time that a history can have: it takes 64 bits of nanoseconds")
    return ns


def datetime_of(ns: int) -> datetime.datetime:
    """The aware datetime of nanoseconds since the epoch, which loses what is finer than a microsecond.

    >>> datetime_of(1795455983000100999)
    datetime.datetime(2026, 11, 23, 17, 46, 23, 100, tzinfo=datetime.timezone.utc)
    """
    return _EPOCH + datetime.timedelta(microseconds=ns // 1000)
