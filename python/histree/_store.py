# SPDX-License-Identifier: MIT
"""Stores: the folders that a build makes, with histories, segments and events."""
import ctypes
import os
import threading
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _abi, _events, _sql
from ._arrow import Stream
from ._command import Asked
from ._errors import ArgumentError, NotFoundError
from ._handles import Handle, Scope, call, opened
from ._history import Attribute, History, HistoryInfo, Label, Pattern, listed
from ._interrupt import Interrupt
from ._library import cstring, encoded, lib
from ._query import Query, SegmentQuery, StateQuery
from ._times import Time, ns_of


class Analysis(NamedTuple):
    """An analysis that a store has the result of: `kind` is "states" or "segments"."""

    name: str
    version: int
    kind: str
    file: str


class StoreInfo(NamedTuple):
    """What a store says about its trace and its build."""

    path: str
    made_by: str
    traces: Tuple[str, ...]
    complete: bool
    building: bool
    partial: bool
    warnings: Tuple[str, ...]
    event_count: int
    gap_count: int
    discarded_events: int
    discarded_packets: int
    start: int
    end: int
    build_ns: int


def _text(raw: Optional[bytes]) -> str:
    return "" if raw is None else raw.decode("utf-8", "surrogateescape")


class Store(Asked):
    """A store that is open, or one that is being built, as it was then.

    Any number of threads may ask it.  Close it with `close()` or `with`; what was read stays, and queries that run
    then raise ClosedError.

    >>> import histree
    >>> with histree.open(DEMO) as store:
    ...     [analysis.name for analysis in store.analyses]
    ['kernel', 'system-calls']
    """

    def __init__(self, path: "os.PathLike[str] | str", *, analysis: Optional[str] = None, any_version: bool = True,
                 salvage: bool = False, cache_bytes: int = 0, times: str = "ns") -> None:
        if times not in ("ns", "datetime"):
            raise ArgumentError(f"times={times!r}: rows have times as 'ns', which are ints, or as 'datetime'")
        self._handle: Optional[Handle] = opened(lib.histree_store_open, lib.histree_store_close, None, encoded(path))
        self.path = os.fspath(path)
        self._scope = Scope(f"'{self.path}'")
        self._analysis, self._any_version, self._times = analysis, any_version, times
        self._salvage, self._cache_bytes = salvage, cache_bytes
        self._lock = threading.Lock()
        self._histories: Dict[Optional[str], History] = {}
        self._segments: Dict[str, Handle] = {}

    def _use(self) -> Handle:
        self._scope.check()
        handle = self._handle
        assert handle is not None
        return handle

    def close(self) -> None:
        """Close the store; once more does nothing.  Its memory is freed when the last answer that reads it is gone."""
        with self._lock:
            self._scope.closed = True
            self._handle = None
            self._histories.clear()
            self._segments.clear()

    def __enter__(self) -> "Store":
        self._use()
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<histree.Store '{self.path}'{', closed' if self._scope.closed else ''}>"

    # ---- what it is ----

    def _raw(self, handle: Handle) -> Any:
        return ctypes.cast(lib.histree_store_info(handle.address), ctypes.POINTER(_abi.StoreInfo)).contents

    @property
    def info(self) -> StoreInfo:
        """What the store says about its trace and its build."""
        handle = self._use()
        raw = self._raw(handle)
        return StoreInfo(
            _text(raw.path), _text(raw.made_by), tuple(_text(raw.traces[i]) for i in range(raw.trace_count)), raw.complete,
            raw.building, raw.partial, tuple(_text(raw.warnings[i]) for i in range(raw.warning_count)), raw.event_count,
            raw.gap_count, raw.discarded_events, raw.discarded_packets, raw.start, raw.end, raw.build_ns)

    @property
    def analyses(self) -> List[Analysis]:
        """The analyses whose histories and segments the store has."""
        handle = self._use()
        raw = self._raw(handle)
        states = [(raw.histories[i], "states") for i in range(raw.history_count)]
        segments = [(raw.segments[i], "segments") for i in range(raw.segments_count)]
        return [Analysis(_text(each.analysis), each.analysis_version, kind, _text(each.file))
                for each, kind in states + segments]

    @property
    def start(self) -> int:
        """The time at which the trace starts, in ns since the epoch."""
        return self.info.start

    @property
    def end(self) -> int:
        """The last time of the trace, in ns since the epoch."""
        return self.info.end

    def time(self, time: Time) -> int:
        """A time in ns since the epoch: "+12.5ms" is after the start, "17:46:23.1" on the day of the trace."""
        info = self.info
        return ns_of(time, info.start, info.end)

    # ---- states ----

    def history(self, analysis: Optional[str] = None) -> History:
        """The history of an analysis; None is the one that the store was opened for, "kernel", or the first."""
        handle = self._use()
        name = self._analysis if analysis is None else analysis
        with self._lock:
            self._scope.check()
            if name not in self._histories or self._histories[name]._scope.closed:
                options = _abi.OpenOptions(cache_bytes=self._cache_bytes, salvage=self._salvage)
                opened_history = opened(lib.histree_store_history, lib.histree_history_close, handle, handle.address,
                                        None if name is None else cstring(name, "the analysis"), self._any_version,
                                        ctypes.byref(options))
                self._histories[name] = History(opened_history, Scope(f"'{self.path}'", self._scope), self._times)
            return self._histories[name]

    def _kernel(self) -> Optional[History]:
        """The history that knows threads, if the store has it."""
        has_it = any(each.name == "kernel" and each.kind == "states" for each in self.analyses)
        return self.history("kernel") if has_it else None

    def states(self, pattern: Optional[Pattern] = None, *, at: Optional[Union[Time, Sequence[Time]]] = None,
               from_: Optional[Time] = None, to: Optional[Time] = None, analysis: Optional[str] = None,
               columns: Optional[Sequence[str]] = None, threads: int = 1, where: Optional[str] = None,
               times: Optional[str] = None) -> StateQuery:
        """The states of some attributes: at a time, or over a range; see History.states().

        >>> import histree
        >>> store = histree.open(DEMO)
        >>> [state.value for state in store.states("Threads/14355", at="+12ms")]
        [5]
        """
        asked = self.history(analysis)
        if pattern is not None and not isinstance(pattern, str):
            pattern = listed(pattern)  # the picture needs it again
        kernel = None if where is None else self._kernel()
        query = asked.states(pattern, at=at, from_=from_, to=to, columns=columns, threads=threads, where=where, times=times,
                             kernel=None if kernel is asked else kernel)
        if at is None:
            options = {"from_": from_, "to": to, "where": where, "analysis": self._analysis if analysis is None else analysis}
            query.picture = (self.path, lambda: [] if pattern is None else asked.patterns(pattern), options)
        return query

    def state(self, path: Union[str, int], at: Time, analysis: Optional[str] = None) -> Any:
        """The value of one attribute at a time."""
        return self.history(analysis).state(path, at)

    def labels(self, place: Union[str, int, Attribute], analysis: Optional[str] = None) -> List[Label]:
        """What the values of an attribute mean, with their colours; see History.labels()."""
        return self.history(analysis).labels(place)

    def attributes(self, pattern: Pattern = "**", analysis: Optional[str] = None) -> List[Attribute]:
        """The attributes that match, in the order of the tree."""
        return self.history(analysis).attributes(pattern)

    def history_info(self, analysis: Optional[str] = None) -> HistoryInfo:
        """What the history of an analysis is and how it lies on disk."""
        return self.history(analysis).info

    # ---- segments ----

    def _segment_store(self, analysis: str) -> Handle:
        handle = self._use()
        with self._lock:
            self._scope.check()
            if analysis not in self._segments:
                options = _abi.SegmentOpenOptions(salvage=self._salvage)
                self._segments[analysis] = opened(
                    lib.histree_store_segments, lib.histree_segment_store_close, handle, handle.address,
                    cstring(analysis, "the analysis"), self._any_version, ctypes.byref(options))
            return self._segments[analysis]

    def segments(self, analysis: str, *, where: Optional[str] = None, sort: Optional[str] = None, reverse: bool = False,
                 limit: Optional[int] = None, from_: Optional[Time] = None, to: Optional[Time] = None,
                 columns: Optional[Sequence[str]] = None, times: Optional[str] = None) -> SegmentQuery:
        """The segments of an analysis, such as "system-calls".

        `where` is an expression as of `histree segments --where`, such as "process == 2673"; `sort` is "start", "end", "duration" or a field, and
        `reverse` begins at the greatest.  A range chooses those that overlap it.

        >>> import histree
        >>> store = histree.open(DEMO)
        >>> longest = store.segments("system-calls", where="duration > 1ms", sort="duration", reverse=True, limit=2)
        >>> [call.name for call in longest]
        ['futex', 'futex']
        """
        handle = self._segment_store(analysis)
        raw = ctypes.cast(lib.histree_segment_store_info(handle.address), ctypes.POINTER(_abi.SegmentStoreInfo)).contents
        fields = [_text(raw.schema.fields[i].name) for i in range(raw.schema.field_count)]
        info, scope = self.info, self._scope
        query = _abi.SegmentQuery()
        setattr(query, "from", _abi.TIME_MIN if from_ is None else ns_of(from_, info.start, info.end))
        query.to = _abi.TIME_MAX if to is None else ns_of(to, info.start, info.end)
        if getattr(query, "from") > query.to:
            raise ArgumentError(f"the range ends, at {query.to}, before it begins, at {getattr(query, 'from')}")
        if sort is not None:
            query.order, query.field = _order_of(sort, fields, analysis)
        query.descending = reverse
        if limit is not None:
            if limit < 0:
                raise ArgumentError(f"limit={limit}: a number of segments is wanted")
            query.limit = limit
        needs: List[Any] = [handle]
        if where is not None:
            expression = opened(lib.histree_segment_filter_create, lib.histree_segment_filter_free, handle,
                                ctypes.byref(raw.schema), cstring(where, "the expression"), info.start, info.end)
            if lib.histree_segment_filter_lacks_threads(expression.address):
                kernel = self._kernel()
                call(lib.histree_segment_filter_take_threads, expression.address,
                     None if kernel is None else kernel._use().address, _abi.Work())
            lib.histree_segment_filter_apply(expression.address, ctypes.byref(query))
            needs.append(expression)
        bits = _segment_columns(columns, fields, analysis)

        def open_stream(_names: Optional[Sequence[str]], outside: bool) -> Stream:
            scope.check()
            options = _abi.ArrowOptions(columns=bits)
            interrupt = None if outside else Interrupt.into(options)
            return Stream(lib.histree_segments_arrow, (handle.address, ctypes.byref(query), ctypes.byref(options)),
                          [*needs, query], scope, interrupt)

        return SegmentQuery(open_stream, f"segments of {analysis} in {scope.what}", columns,
                            self._times if times is None else times)

    # ---- events, SQL ----

    def events(self, *, from_: Optional[Time] = None, to: Optional[Time] = None, names: Optional[Sequence[str]] = None,
               fields: Sequence[str] = (), limit: Optional[int] = None,
               where: Optional[str] = None) -> Iterator[_events.Event]:
        """The events of the trace, which must still be where it was; see Event.

        `names` chooses by type, and `where` is an expression as of `histree events --where`, such as "process == burn";
        `fields` are paths such as "tid" or "args[2]" whose values come with each event.

        >>> import histree
        >>> store = histree.open(DEMO)
        >>> event = next(store.events(names=["sched:sched_switch"], fields=["next_comm"]))
        >>> event.name, event.fields["next_comm"]
        ('sched:sched_switch', 'migration/0')
        """
        info = self.info
        return _events.read(_events.open_events(self._use()), self._scope, *self._event_times(from_, to), names, fields, limit,
                            where, (info.start, info.end), self._kernel())

    def _event_times(self, from_: Optional[Time], to: Optional[Time]) -> Tuple[int, int]:
        info = self.info
        return (_abi.TIME_MIN if from_ is None else ns_of(from_, info.start, info.end),
                _abi.TIME_MAX if to is None else ns_of(to, info.start, info.end))

    def event_table(self, where: Optional[str] = None, *, from_: Optional[Time] = None, to: Optional[Time] = None,
                    columns: Optional[Sequence[str]] = None, times: Optional[str] = None) -> Query:
        """The events that pass an expression as columns: number, time, cpu, name, of several hosts host, and fields as JSON.

        Where the expression chooses one type, each of its fields is a column of its own instead.

        >>> import histree
        >>> switches = histree.open(DEMO).event_table("type == 'sched:sched_switch'", columns=["next_pid", "next_comm"])
        >>> switches.first()
        Row(next_comm='migration/0', next_pid=18)
        """
        handle, scope, info = _events.open_events(self._use()), self._scope, self.info
        first, last = self._event_times(from_, to)
        expression = None if where is None else cstring(where, "the expression")
        kernel = None if where is None else self._kernel()
        threads = None if kernel is None else kernel._use()

        def open_stream(names: Optional[Sequence[str]], outside: bool) -> Stream:
            scope.check()
            options = _abi.ArrowOptions(where=expression, start=info.start, end=info.end,
                                        kernel=None if threads is None else threads.address,
                                        names=None if names is None else cstring(",".join(names), "the columns"))
            interrupt = None if outside else Interrupt.into(options)
            return Stream(lib.histree_events_arrow, (handle.address, first, last, ctypes.byref(options)), [handle, threads],
                          scope, interrupt)

        return Query(open_stream, f"events of {scope.what}", columns, self._times if times is None else times)

    @property
    def event_types(self) -> List[str]:
        """The names of the types of events, in the order in which they first occurred."""
        return _events.types(_events.open_events(self._use()))

    @property
    def event_hosts(self) -> List[_events.EventHost]:
        """The hosts whose events the store has, where there are several; else none."""
        return _events.hosts(_events.open_events(self._use()))

    @property
    def gaps(self) -> List[_events.Gap]:
        """The times in which events of a stream are missing."""
        return _events.gaps(_events.open_events(self._use()))

    def sql(self, statement: str, parameters: Any = (), *, rows: type = tuple) -> _sql.Rows:
        """Ask in SQL; docs/cookbook.md has thirty questions.  `rows` is tuple or dict.

        >>> import histree
        >>> store = histree.open(DEMO)
        >>> store.sql("SELECT count(*) FROM attributes WHERE depth = ?", [2]).fetchone()
        (135,)
        >>> next(store.sql("SELECT name, count(*) AS calls FROM system_calls GROUP BY 1 ORDER BY 2 DESC", rows=dict))
        {'name': 'rt_sigprocmask', 'calls': 481}
        """
        self._use()
        return _sql.ask(self.path, self._scope, statement, parameters, rows)

    def connection(self) -> Any:
        """A sqlite3.Connection with the store attached, for pandas.read_sql() and others; the caller closes it."""
        self._use()
        return _sql.connect(self.path)


def _order_of(sort: str, fields: List[str], analysis: str) -> Tuple[int, int]:
    of_time = {"start": "SEGMENTS_BY_START", "end": "SEGMENTS_BY_END", "duration": "SEGMENTS_BY_DURATION"}
    if sort in of_time:
        return _abi.ORDERS[of_time[sort]], 0
    if sort in fields:
        return _abi.ORDERS["SEGMENTS_BY_FIELD"], fields.index(sort)
    raise NotFoundError(f"segments of '{analysis}' have no field '{sort}' to be sorted by; they have "
                        f"{', '.join(['start', 'end', 'duration', *fields])}")


def _segment_columns(columns: Optional[Sequence[str]], fields: List[str], analysis: str) -> int:
    bits = 0
    for name in columns or ():
        if name in ("start", "end", "duration"):
            bits |= _abi.ARROW_COLUMNS[name]
        elif name.replace("field_", "", 1) in fields or name in fields:
            at = fields.index(name) if name in fields else fields.index(name.replace("field_", "", 1))
            bits |= 1 << (_abi.ARROW_FIELD_BIT + at)
        else:
            raise NotFoundError(f"segments of '{analysis}' have no column '{name}'; they have "
                                f"{', '.join(['start', 'end', 'duration', *fields])}")
    if columns is not None and not bits:
        raise ArgumentError("no column is wanted")
    return bits
