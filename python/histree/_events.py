# SPDX-License-Identifier: MIT
"""The events of the trace behind a store."""
import ctypes
import threading
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from . import _abi
from ._errors import NotFoundError, error_of
from ._handles import Handle, Scope, call, opened
from ._library import cstring, lib
from ._values import value_of


class Event(NamedTuple):
    """
    An event: `contents` is its fields as text, `fields` the values that were asked for (None where it has none), `host`
    the name of its host where there are several.  `tid` and `pid` are the numbers of the thread that had its CPU and of
    that thread's process, `thread` and `process` what these are called, by the states of the kernel; tid 0 is the idle loop.
    """

    number: int
    time: int
    cpu: Optional[int]
    name: str
    contents: str
    fields: Dict[str, Any]
    host: Optional[str] = None
    tid: Optional[int] = None
    pid: Optional[int] = None
    thread: Optional[str] = None
    process: Optional[str] = None


class Gap(NamedTuple):
    """A time in which events are missing, of a CPU if that is known; `events` is 0 if the tracer did not count."""

    start: int
    end: int
    cpu: Optional[int]
    events: int
    host: Optional[str] = None


def open_events(store: Handle) -> Handle:
    """The events of a store, for as long as the handle is kept."""
    return opened(lib.histree_events_open, lib.histree_events_close, store, store.address)


def types(events: Handle) -> List[str]:
    """The names of the types of events."""
    count = ctypes.c_size_t()
    names = ctypes.cast(lib.histree_events_types(events.address, ctypes.byref(count)), ctypes.POINTER(ctypes.c_char_p))
    return [(names[i] or b"").decode("utf-8", "replace") for i in range(count.value)]


class EventHost(NamedTuple):
    """One of several hosts: how many events it has, or `why` they are missing."""

    name: str
    events: int
    why: Optional[str]


def hosts(events: Handle) -> List[EventHost]:
    """The hosts whose events these are; none if they are of one host."""
    count = ctypes.c_size_t()
    raw = ctypes.cast(lib.histree_events_hosts(events.address, ctypes.byref(count)), ctypes.POINTER(_abi.EventHost))
    return [EventHost((raw[i].name or b"").decode("utf-8", "replace"), raw[i].count,
                      None if raw[i].why is None else raw[i].why.decode("utf-8", "replace"))
            for i in range(count.value)]


def gaps(events: Handle) -> List[Gap]:
    """The gaps of the trace by their starts."""
    count = ctypes.c_size_t()
    raw = ctypes.cast(lib.histree_events_gaps(events.address, ctypes.byref(count)), ctypes.POINTER(_abi.Gap))
    names: List[Optional[str]] = [*(host.name for host in hosts(events))] or [None]
    return [Gap(getattr(raw[i], "from"), raw[i].to, None if raw[i].cpu < 0 else raw[i].cpu, raw[i].events,
                names[raw[i].host])
            for i in range(count.value)]


def read(events: Handle, scope: Scope, from_: int, to: int, names: Optional[Sequence[str]], fields: Sequence[str],
         limit: Optional[int], where: Optional[str], trace: Tuple[int, int], kernel: Any) -> Iterator[Event]:
    """Walk the events from one time to another that pass an expression."""
    all_types = types(events)
    host_names: List[Optional[str]] = [*(host.name for host in hosts(events))] or [None]
    if names is not None:
        unknown = [name for name in names if name not in all_types]
        if unknown:
            raise NotFoundError(f"the trace has no events '{unknown[0]}'; event_types lists those that it has")
    wanted = None if names is None else {all_types.index(name) for name in names}
    paths = [(name, cstring(name, "the field")) for name in fields]
    reader = opened(lib.histree_event_reader_create, lib.histree_cursor_free, events, events.address)
    threads = None if kernel is None else kernel._use()
    query = opened(lib.histree_event_query_create, lib.histree_cursor_free, (reader, threads), events.address, reader.address,
                   None if where is None else cstring(where, "the expression"), *trace)
    if threads is not None:
        call(lib.histree_event_query_take_threads, query.address, threads.address)
    everything = _abi.Window(_abi.TIME_MIN, _abi.TIME_MAX)
    call(lib.histree_event_query_start, query.address, ctypes.byref(_abi.EventRange(everything, _abi.Window(from_, to))))
    lock = threading.Lock()

    def walk() -> Iterator[Event]:
        given = 0
        value = _abi.Value()
        owner = _abi.EventOwner()
        error = _abi.Error()
        while limit is None or given < limit:
            with lock:
                scope.check()
                status = lib.histree_cursor_next(query.address, ctypes.byref(error))
                if status == _abi.STATUSES["END"]:
                    return
                if status != 0:
                    raise error_of(status, error)
                raw = _abi.Event.from_buffer_copy(_abi.Event.from_address(lib.histree_cursor_event(query.address)))
                if wanted is not None and raw.type not in wanted:
                    continue
                values: Dict[str, Any] = {}
                for name, path in paths:
                    has = lib.histree_event_reader_value(reader.address, path, ctypes.byref(value)) == 0
                    values[name] = value_of(value) if has else None
                contents = lib.histree_event_reader_contents(reader.address)
                whose: Tuple[Any, ...] = ()
                if threads is not None:
                    call(lib.histree_event_query_owner, query.address, ctypes.byref(owner))
                    whose = (None if owner.tid < 0 else owner.tid, None if owner.pid < 0 else owner.pid,
                             value_of(owner.name), value_of(owner.process))
            given += 1
            yield Event(raw.number, raw.time, None if raw.cpu < 0 else raw.cpu, all_types[raw.type],
                        (contents or b"").decode("utf-8", "replace"), values, host_names[raw.host], *whose)

    return walk()
