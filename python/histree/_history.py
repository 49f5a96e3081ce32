# SPDX-License-Identifier: MIT
"""One history: its attributes, and the states that they had."""
import ctypes
import os
from typing import Any, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _abi, _sql
from ._arrow import Stream
from ._errors import ArgumentError, NotFoundError, QuarkError, error_of
from ._handles import Handle, Scope, call, opened
from ._interrupt import Interrupt
from ._library import cstring, encoded, lib
from ._query import _STATE_COLUMNS, StateQuery
from ._times import Time, datetime_of, ns_of
from ._values import UNKNOWN, value_of

#: A pattern (`*` any text in one level, `**` any number of levels), a quark, an Attribute, or several of these.
Pattern = Union[str, int, "Attribute", Iterable[Union[str, int, "Attribute"]]]


class Attribute(NamedTuple):
    """Something that has states, named by a path; `parent` is None at the top, and a folder never has a state."""

    quark: int
    path: str
    name: str
    parent: Optional[int]
    is_folder: bool


class Label(NamedTuple):
    """What some values of an attribute mean: numbers from `first` to `last`, or a `text`, or (neither) all others.

    Colours are "#rrggbb" for a light and a dark background, heights of a row from 0 to 1.
    """

    name: str
    key: str
    first: Optional[int]
    last: Optional[int]
    text: Optional[str]
    is_hidden: bool
    light: str
    dark: str
    height: float


class HistoryInfo(NamedTuple):
    """What a history is; while it is not `complete` it is exact up to `end`."""

    provider: str
    provider_version: int
    variant: str
    start: int
    end: int
    complete: bool
    partial: bool
    attribute_count: int
    folder_count: int
    interval_count: int
    null_interval_count: int
    node_count: int
    depth: int
    file_bytes: int
    format_version: int
    overview_count: int


def text_from(function: Any, *arguments: Any) -> str:
    """The text that a function writes as snprintf() does."""
    size = function(*arguments, None, 0)
    buffer = ctypes.create_string_buffer(size + 1)
    function(*arguments, buffer, size + 1)
    return buffer.raw[:size].decode("utf-8", "surrogateescape")


def attribute_of(attributes: int, quark: int) -> Attribute:
    """Describe an attribute of a tree of attributes."""
    parent = lib.histree_attributes_parent(attributes, quark)
    return Attribute(quark, text_from(lib.histree_attributes_path, attributes, quark),
                     text_from(lib.histree_attributes_name, attributes, quark),
                     None if parent == _abi.ROOT else parent, lib.histree_attributes_is_folder(attributes, quark))


def matching(attributes: int, pattern: str) -> List[int]:
    """The quarks of the attributes that match a pattern, in the order of the tree."""
    found: List[int] = []

    def take(_context: Any, quark: int) -> bool:
        found.append(quark)
        return True

    callback = _abi.FOUND_CALL(take)
    error = _abi.Error()
    status = lib.histree_attributes_match(attributes, _abi.ROOT, cstring(pattern, "the pattern"), callback, None,
                                          ctypes.byref(error))
    if status < 0:
        raise error_of(status, error)
    if not found:
        raise NotFoundError(f"no attribute matches '{pattern}'; attributes('*') lists those at the top")
    return found


def listed(pattern: Pattern) -> List[Union[str, int, Attribute]]:
    """Each of the patterns and attributes that one argument has."""
    if isinstance(pattern, (str, Attribute)) or not isinstance(pattern, Iterable):
        return [pattern]
    return list(pattern)


class History:
    """A history that is open: of a store, of a file, or of a StateSystem.  It never changes.

    Any number of threads may ask it.  Close it with `close()` or `with`; queries that run then raise ClosedError.

    >>> import histree
    >>> with histree.open(DEMO).history() as history:
    ...     [attribute.path for attribute in history.attributes("CPUs/*")]
    ['CPUs/0', 'CPUs/1']
    """

    def __init__(self, handle: Handle, scope: Scope, times: str = "ns") -> None:
        self._handle: Optional[Handle] = handle
        self._scope, self._times = scope, times
        self._path: Optional[str] = None

    @classmethod
    def of_file(cls, path: "os.PathLike[str] | str", *, salvage: bool = False, cache_bytes: int = 0,
                times: str = "ns") -> "History":
        """Open one history file."""
        options = _abi.OpenOptions(cache_bytes=cache_bytes, salvage=salvage)
        handle = opened(lib.histree_history_open, lib.histree_history_close, None, encoded(path), ctypes.byref(options))
        made = cls(handle, Scope(f"'{os.fspath(path)}'"), times)
        made._path = os.fspath(path)
        return made

    def _use(self) -> Handle:
        self._scope.check()
        handle = self._handle
        assert handle is not None
        return handle

    def close(self) -> None:
        """Close the history; once more does nothing.  Its memory is freed when the last answer that reads it is gone."""
        self._scope.closed = True
        self._handle = None

    def __enter__(self) -> "History":
        self._use()
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<histree.History of {self._scope.what}{', closed' if self._scope.closed else ''}>"

    # ---- what it is ----

    @property
    def info(self) -> HistoryInfo:
        """What the history is and how it lies on disk."""
        handle = self._use()
        raw = ctypes.cast(lib.histree_history_info(handle.address), ctypes.POINTER(_abi.HistoryInfo)).contents
        values = (getattr(raw, name) for name in HistoryInfo._fields)
        return HistoryInfo(*(each.decode("utf-8", "replace") if isinstance(each, bytes) else each for each in values))

    @property
    def start(self) -> int:
        """The time at which the history starts, in ns since the epoch."""
        return self.info.start

    @property
    def end(self) -> int:
        """The last time of the history, in ns since the epoch."""
        return self.info.end

    def time(self, time: Time) -> int:
        """A time in ns since the epoch: "+12.5ms" is after the start, "17:46:23.1" on the day of the history."""
        info = self.info
        return ns_of(time, info.start, info.end)

    # ---- attributes ----

    def attributes(self, pattern: Pattern = "**") -> List[Attribute]:
        """The attributes that match, in the order of the tree."""
        handle = self._use()
        tree = lib.histree_history_attributes(handle.address)
        return [attribute_of(tree, quark) for quark in self._quarks(handle, pattern)]

    def quark(self, path: str) -> int:
        """The number of the attribute at a path; NotFoundError if there is none."""
        handle = self._use()
        out = ctypes.c_uint32()
        status = lib.histree_attributes_find(lib.histree_history_attributes(handle.address), _abi.ROOT,
                                             cstring(path, "the path"), ctypes.byref(out))
        if status != 0:
            raise error_of(status, None, f"there is no attribute '{path}'" if status > 0 else
                           f"'{path}' is no path: it has an empty component or a stray backslash")
        return out.value

    def patterns(self, pattern: Pattern) -> List[str]:
        """The same as patterns alone, as the command takes them: an attribute that is named otherwise by its path.

        >>> import histree
        >>> histree.open(DEMO).history().patterns(["CPUs/*", 0])
        ['CPUs/*', 'CPUs']
        """
        return [each if isinstance(each, str) else self.attributes(each)[0].path for each in listed(pattern)]

    def _quarks(self, handle: Handle, pattern: Pattern) -> List[int]:
        tree = lib.histree_history_attributes(handle.address)
        out: List[int] = []
        count = lib.histree_attributes_count(tree)
        for each in listed(pattern):
            if isinstance(each, Attribute):
                each = each.quark
            if isinstance(each, str):
                out.extend(matching(tree, each))
            elif isinstance(each, bool) or not hasattr(each, "__index__"):
                raise ArgumentError(f"{each!r} is neither a pattern nor the number of an attribute")
            elif 0 <= each.__index__() < count:
                out.append(each.__index__())
            else:
                raise QuarkError(f"there is no attribute {each}: there are {count}")
        return out

    # ---- states ----

    def states(self, pattern: Optional[Pattern] = None, *, at: Optional[Union[Time, Sequence[Time]]] = None,
               from_: Optional[Time] = None, to: Optional[Time] = None, columns: Optional[Sequence[str]] = None,
               threads: int = 1, where: Optional[str] = None, times: Optional[str] = None,
               kernel: Optional["History"] = None) -> StateQuery:
        """The states of some attributes: at a time or a list of times, or over a range, both ends inclusive.

        Without a pattern all attributes are meant, without a time all of the history.  `columns` are those that are
        read, of quark path start end duration type value real text label.  `where` is an expression as of `histree states
        --where`: what it says of paths and times is not read at all.  `threads` read nodes ahead, which pays for
        answers of 10^5 states and more.  `kernel` is the history that names threads for `where`, if this one does not.

        >>> import histree
        >>> history = histree.open(DEMO).history()
        >>> [state.value for state in history.states("CPUs/*/Current_thread", at="+12ms")]
        [14322, 14321]
        >>> history.states("Threads/*", from_="+1ms", to="+2ms", columns=["start", "end"]).first()._fields
        ('start', 'end')
        >>> len(list(history.states(where="label == 'waits for a CPU' && duration > 1ms")))
        20
        """
        handle = self._use()
        info = self.info
        if columns is not None:
            bad = [each for each in columns if each not in _STATE_COLUMNS]
            if bad or not list(columns):
                raise ArgumentError(f"there is no column {bad[0]!r} of states; there are {', '.join(_STATE_COLUMNS)}" if bad
                                    else f"no column is wanted; there are {', '.join(_STATE_COLUMNS)}")
        if at is not None and (from_ is not None or to is not None):
            raise ArgumentError("'at' is a time of its own: leave out 'from_' and 'to'")
        region, keep = _region(self._region_quarks(handle, pattern), info, at, from_, to)
        scope = self._scope

        def open_stream(names: Optional[Sequence[str]], outside: bool) -> Stream:
            scope.check()
            options = _abi.ArrowOptions(threads=threads, where=None if where is None else cstring(where, "the expression"))
            options.columns = sum({_abi.ARROW_COLUMNS[each] for each in names}) if names else 0
            options.kernel = None if kernel is None else kernel._use().address
            # A consumer outside may read with or without the lock of the interpreter, on any thread: it is not asked.
            interrupt = None if outside else Interrupt.into(options)
            return Stream(lib.histree_query_arrow, (handle.address, ctypes.byref(region), ctypes.byref(options)),
                          [handle, keep], scope, interrupt)

        return StateQuery(open_stream, f"states of {scope.what}", columns, self._times if times is None else times)

    def _region_quarks(self, handle: Handle, pattern: Optional[Pattern]) -> Optional[List[int]]:
        return None if pattern is None or pattern == "**" else sorted(set(self._quarks(handle, pattern)))

    def labels(self, place: Union[str, int, Attribute]) -> List[Label]:
        """What the values of an attribute mean, with the colours in which they are drawn; nothing if nobody knows.

        >>> import histree
        >>> histree.open(DEMO).history().labels("Threads/14355")[1][:2]
        ('blocked', 'Wait blocked')
        """
        handle = self._use()
        quark = self._quarks(handle, place)[0]
        table = lib.histree_labels_of(handle.address, quark)
        if not table:
            return []
        raw = ctypes.cast(table, ctypes.POINTER(_abi.LabelTable)).contents
        return [_label_of(raw.labels[i]) for i in range(raw.label_count)]

    def sql(self, statement: str, parameters: Any = (), *, rows: type = tuple) -> _sql.Rows:
        """Ask in SQL, of a history in a file; see Store.sql().

        >>> import histree
        >>> with histree.open(DEMO + "/kernel.sht") as history:
        ...     history.sql("SELECT count(*) FROM attributes WHERE depth = 2").fetchone()
        (135,)
        """
        self._use()
        if self._path is None:
            raise ArgumentError(f"{self._scope.what}: SQL asks stores and files; open the store for it")
        return _sql.ask(self._path, self._scope, statement, parameters, rows)

    def state(self, path: Union[str, int], at: Time) -> Any:
        """The value of one attribute at a time.

        >>> import histree
        >>> histree.open(DEMO).history().state("CPUs/0/Current_thread", at="+12ms")
        14322
        """
        quark = self.quark(path) if isinstance(path, str) else self._quarks(self._use(), path)[0]
        time = at if type(at) is int else self.time(at)
        handle = self._use()
        query = opened(lib.histree_query_create, lib.histree_cursor_free, handle, handle.address)
        interval = _abi.Interval()
        call(lib.histree_query_single, query.address, quark, ns_of(time), ctypes.byref(interval))
        value = value_of(interval.value)
        return None if value is UNKNOWN else value


def _label_of(raw: Any) -> Label:
    def text(data: Optional[bytes]) -> str:
        return "" if data is None else data.decode("utf-8", "replace")

    is_number, is_text = (raw.kind == _abi.LABELS[name] for name in ("LABEL_NUMBERS", "LABEL_TEXT"))
    style = raw.style
    return Label(text(style.name), text(style.key), raw.first if is_number else None, raw.last if is_number else None,
                 text(raw.text) if is_text else None, raw.is_hidden, f"#{style.light:06x}", f"#{style.dark:06x}", style.height)


def _region(quarks: Optional[List[int]], info: HistoryInfo, at: Any, from_: Optional[Time],
            to: Optional[Time]) -> Tuple[_abi.Region, Any]:
    """A region of a history, and what it points to."""
    region = _abi.Region()
    keep: List[Any] = []
    if quarks is not None:
        numbers = (ctypes.c_uint32 * len(quarks))(*quarks)
        keep.append(numbers)
        region.quarks, region.quark_count = numbers, len(quarks)
    if at is not None and _is_list(at):
        listed = sorted({ns_of(each, info.start, info.end) for each in at})
        if not listed:
            raise ArgumentError("the list of times is empty")
        times = (ctypes.c_int64 * len(listed))(*listed)
        keep.append(times)
        region.times, region.time_count = times, len(listed)
        first, last = listed[0], listed[-1]
    elif at is not None:
        first = last = ns_of(at, info.start, info.end)
    else:
        first = info.start if from_ is None else ns_of(from_, info.start, info.end)
        last = info.end if to is None else ns_of(to, info.start, info.end)
    setattr(region, "from", first)
    region.to = last
    if first > last:
        raise ArgumentError(f"the range ends, at {last} ({datetime_of(last)}), before it begins, at {first} "
                            f"({datetime_of(first)})")
    return region, keep


def _is_list(at: Any) -> bool:
    if isinstance(at, (list, tuple, set, frozenset, range)):
        return True
    return type(at).__module__.partition(".")[0] in ("numpy", "pandas") and hasattr(at, "__len__")
