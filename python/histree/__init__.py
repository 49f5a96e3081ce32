# SPDX-License-Identifier: MIT
"""histree: every state that every thread, CPU and system call of a trace ever had, for Python.

>>> import histree
>>> store = histree.open(DEMO)
>>> for state in store.states("Threads/14355", at="+12ms"):
...     print(state.path, state.value, state.label)
Threads/14355 5 waits for a CPU
>>> frame = store.states("CPUs/*/Current_thread", from_="+10ms", to="+20ms").to_pandas()
>>> list(frame.columns[:4])
['quark', 'path', 'start', 'end']

A query is rows when it is iterated, numpy arrays, a pandas.DataFrame, or an Arrow stream for polars, pyarrow and
DuckDB, which take it as it is.  docs/python.md says more; the shared library libhistree does the work.
"""
import os as _os
import pathlib as _pathlib
from typing import Any as _Any
from typing import Optional as _Optional
from typing import Union as _Union

from ._arrow import Batch, Column
from ._command import Flame, Page, Picture, Table
from ._build import AvailableAnalysis, Progress, analyses, build, wait
from ._errors import (ArgumentError, CancelledError, ClosedError, DamageWarning, Error, ExistsError, FormatError,
                      IncompleteError, InputOutputError, InternalError, LibraryError, NotFoundError, OutOfMemoryError,
                      QuarkError, TimeBackwardsError, TimeRangeError, TooLargeError, TraceError, ValueTypeError,
                      VersionError)
from ._events import Event, EventHost, Gap
from ._history import Attribute, History, HistoryInfo, Label
from ._library import version as library_version
from ._columns import Columns
from ._query import Query, SegmentQuery, StateQuery
from ._sql import Rows, SqlError
from ._state_system import StateSystem
from ._store import Analysis, Store, StoreInfo
from ._times import datetime_of, ns_of
from ._values import UNKNOWN, Int

__version__ = "0.1.0"


def open(path: "_os.PathLike[str] | str", *, analysis: _Optional[str] = None, any_version: bool = True,
         salvage: bool = False, cache_bytes: int = 0, times: str = "ns") -> _Any:
    """Open a store, or one history file, which is a History.

    `analysis` is the one that states() asks unless it says another.  `salvage` opens what is damaged.  `cache_bytes` is
    the memory for the nodes of each history, 128 MiB if it is 0.  `times="datetime"` gives rows aware datetimes.
    A store that is being built is opened as far as it has been published; it stays as it was then.

    >>> import histree
    >>> histree.open("/nothing/is/here")
    Traceback (most recent call last):
        ...
    histree.InputOutputError: there is no store '/nothing/is/here'; make one with 'histree build'
    """
    if _pathlib.Path(path).is_file():
        if analysis is not None:
            history = History.of_file(path, salvage=salvage, cache_bytes=cache_bytes, times=times)
            provider = history.info.provider
            if provider != analysis:
                history.close()
                raise NotFoundError(f"'{_os.fspath(path)}' is a history of analysis '{provider}', not of '{analysis}'")
            return history
        return History.of_file(path, salvage=salvage, cache_bytes=cache_bytes, times=times)
    return Store(path, analysis=analysis, any_version=any_version, salvage=salvage, cache_bytes=cache_bytes, times=times)


__all__ = [
    "Analysis", "ArgumentError", "Attribute", "AvailableAnalysis", "Batch", "CancelledError", "ClosedError", "Column",
    "Columns", "DamageWarning", "Error", "Event", "EventHost", "ExistsError", "Flame", "FormatError", "Gap", "History", "HistoryInfo",
    "IncompleteError", "InputOutputError", "Int", "InternalError", "Label", "LibraryError", "NotFoundError", "OutOfMemoryError",
    "Page", "Picture", "Progress", "QuarkError", "Query", "Rows", "SegmentQuery", "SqlError", "StateQuery", "StateSystem", "Store",
    "StoreInfo", "Table", "TimeBackwardsError", "TimeRangeError", "TooLargeError", "TraceError", "UNKNOWN", "ValueTypeError",
    "VersionError", "analyses", "build", "datetime_of", "library_version", "ns_of", "open", "wait",
]

# Exceptions and results are seen by people as 'histree.Error', not by the name of the file that they stand in.
for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = "histree"
