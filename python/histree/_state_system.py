# SPDX-License-Identifier: MIT
"""Make a history from Python: changes of states become intervals."""
import ctypes
import os
import re
import threading
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _abi
from ._errors import ArgumentError, ClosedError, error_of
from ._handles import Handle, Scope, call, opened
from ._history import Attribute, History, attribute_of, matching
from ._library import cstring, encoded, lib
from ._times import Time, ns_of
from ._values import to_value, value_of

#: An attribute: its path, or its number, which is faster.
Place = Union[str, int, Attribute]


class StateSystem:
    """A history that is being built, in memory, or in a file if there is a path.

    A change at t ends the state that an attribute has one nanosecond earlier, and begins another.  A value is None, a
    bool, an int (64 bits; histree.Int has 32), a float, a str, bytes, or histree.UNKNOWN; the first one that is neither
    None nor unknown fixes the type of an attribute.

    >>> import histree
    >>> with histree.StateSystem(start=0) as system:
    ...     door = system.attribute("House/Door")
    ...     system.modify(10, door, "open")
    ...     system.modify(25, door, "closed")
    ...     history = system.close(end=99)
    >>> [(state.start, state.end, state.value) for state in sorted(history.states("House/Door"))]
    [(0, 9, None), (10, 24, 'open'), (25, 99, 'closed')]

    A `with` without `close()` forgets the history, as does an exception; a file that was not published is removed.
    Threads may share a system; each call is done before the next one begins.
    """

    def __init__(self, path: "Optional[os.PathLike[str] | str]" = None, *, start: Time = 0, provider: str = "python",
                 provider_version: int = 1, resume: bool = False, null_empty_stacks: bool = False,
                 variant: Optional[str] = None, memory_max: int = 0, bytes_max: int = 0) -> None:
        self._lock = threading.RLock()
        self._where = "a history in memory" if path is None else f"'{os.fspath(path)}'"
        self._scope = Scope(self._where)
        self._is_in_memory = path is None
        options = _abi.HistoryOptions(
            path=None if path is None else encoded(path), provider=cstring(provider, "the provider"),
            provider_version=provider_version, start=ns_of(start), resume=resume, null_empty_stacks=null_empty_stacks)
        if variant is not None:
            options.tree.variant = cstring(variant, "the variant")
        options.tree.memory_max = memory_max
        if path is None:
            self._handle: Optional[Handle] = opened(lib.histree_state_create_in_memory, lib.histree_state_free, None,
                                                    ctypes.byref(options), bytes_max)
        else:
            self._handle = opened(lib.histree_state_create, lib.histree_state_free, None, ctypes.byref(options))
        self._path = path
        self._quarks: Dict[str, int] = {}
        self._labels: List[Any] = []

    def _use(self) -> int:
        if self._handle is None or self._handle.address is None:
            raise ClosedError(f"{self._where} is closed: nothing can be added to it")
        return self._handle.address

    def __enter__(self) -> "StateSystem":
        with self._lock:
            self._use()
        return self

    def __exit__(self, *_: Any) -> None:
        self.abandon()

    def __repr__(self) -> str:
        return f"<histree.StateSystem of {self._where}{', closed' if self._handle is None else ''}>"

    # ---- its end ----

    def close(self, end: Optional[Time] = None) -> History:
        """End all states at `end`, inclusive (None: at the last change), complete the history, and open it."""
        with self._lock:
            address = self._use()
            at = self.current_end if end is None else self._time(end)
            call(lib.histree_state_close, address, at)
            history = self._open(at) if self._is_in_memory else None
            self._handle = None
        return History.of_file(os.fspath(self._path or "")) if history is None else history

    def abandon(self) -> None:
        """Forget the history, unless it was closed or published."""
        with self._lock:
            self._handle = None

    def publish(self, end: Optional[Time] = None) -> None:
        """Let others open the file from now on, as it is now, ended at `end`; it is kept through a crash, too."""
        with self._lock:
            call(lib.histree_state_publish, self._use(), self.current_end if end is None else self._time(end))

    def history(self, end: Optional[Time] = None) -> History:
        """The history as it is now, ended at `end` (None: at the last change).  It never changes; ask again for more.

        >>> import histree
        >>> system = histree.StateSystem()
        >>> system.modify(5, "Light", True)
        >>> system.history(end=7).state("Light", at=6)
        True
        """
        with self._lock:
            self._use()
            return self._open(self.current_end if end is None else self._time(end))

    def _open(self, end: int) -> History:
        handle = opened(lib.histree_state_history, lib.histree_history_close, None, self._use(), end, None)
        return History(handle, Scope(self._where))

    # ---- attributes ----

    def attribute(self, path: str, below: Optional[Place] = None) -> int:
        """The number of the attribute at a path, which is made if it is not there."""
        with self._lock:
            out = ctypes.c_uint32()
            start = _abi.ROOT if below is None else self._quark(below)
            call(lib.histree_state_attribute, self._use(), start, cstring(path, "the path"), ctypes.byref(out))
            return out.value

    def folder(self, place: Place) -> int:
        """Declare that an attribute groups others and never has a state of its own."""
        with self._lock:
            quark = self._quark(place)
            call(lib.histree_state_folder, self._use(), quark)
            return quark

    def attributes(self, pattern: str = "**") -> List[Attribute]:
        """The attributes so far that match."""
        with self._lock:
            tree = lib.histree_state_attributes(self._use())
            return [attribute_of(tree, quark) for quark in matching(tree, pattern)]

    def _quark(self, place: Place) -> int:
        if isinstance(place, Attribute):
            return place.quark
        if isinstance(place, str):
            known = self._quarks.get(place)
            if known is None:
                known = self._quarks[place] = self.attribute(place)
            return known
        if isinstance(place, bool) or not hasattr(place, "__index__") or not 0 <= place.__index__() < _abi.ROOT:
            raise ArgumentError(f"{place!r} is neither a path nor the number of an attribute")
        return place.__index__()

    # ---- changes ----

    @property
    def start(self) -> int:
        """The time at which the history starts."""
        with self._lock:
            return int(lib.histree_state_start(self._use()))

    @property
    def current_end(self) -> int:
        """The greatest time of any change so far."""
        with self._lock:
            return int(lib.histree_state_current_end(self._use()))

    def _time(self, time: Time) -> int:
        if isinstance(time, int):
            return ns_of(time)
        return ns_of(time, self.start, self.current_end)

    def modify(self, time: Time, place: Place, value: Any) -> None:
        """Give an attribute a value from a time on."""
        self._change(lib.histree_state_modify, time, place, value)

    def _change(self, function: Any, time: Time, place: Place, value: Any) -> None:
        raw, keep = to_value(value)
        with self._lock:
            call(function, self._use(), self._time(time), self._quark(place), raw)
        del keep

    def insert(self, place: Place, start: Time, end: Time, value: Any) -> None:
        """Insert a whole interval, both ends inclusive; after it the attribute is null."""
        self.insert_many([(place, start, end, value)])

    def insert_many(self, intervals: Iterable[Tuple[Place, Time, Time, Any]]) -> int:
        """Insert intervals, each a place, a start, an end and a value; those of one attribute in the order of time.

        Returns how many there were.  After an error, those before the one that was refused stay.
        """
        with self._lock:
            address = self._use()
            rows: List[Any] = []
            kept: List[Any] = []
            for place, start, end, value in intervals:
                raw, keep = to_value(value)
                kept.append(keep)
                rows.append((self._time(start), self._time(end), self._quark(place), raw))
            array = (_abi.Interval * max(len(rows), 1))(*rows)
            inserted = ctypes.c_size_t()
            call(lib.histree_state_insert, address, array, len(rows), ctypes.byref(inserted))
            return inserted.value

    def update(self, place: Place, value: Any) -> None:
        """Replace the value of the ongoing state from its start on."""
        raw, _keep = to_value(value)
        with self._lock:
            call(lib.histree_state_update, self._use(), self._quark(place), raw)

    def increment(self, time: Time, place: Place, by: Union[int, float]) -> None:
        """Add to a number; null counts as zero."""
        self._change(lib.histree_state_increment, time, place, by)

    def remove(self, time: Time, place: Place) -> None:
        """Make an attribute and all below it null."""
        with self._lock:
            call(lib.histree_state_remove, self._use(), self._time(time), self._quark(place))

    def label(self, patterns: Union[str, Sequence[str]], names: Mapping[Union[int, str], Union[str, Tuple[str, str]]], *,
              what: str = "state") -> None:
        """Say what the values of some attributes mean: value to name, or to name and colour.

        Values are ints (or bools) and texts; a colour is "#rrggbb", for a light background and a dark one.  Whoever asks
        the history, in whatever way, sees the names.  The first call whose pattern fits an attribute counts for it.

        >>> import histree
        >>> system = histree.StateSystem()
        >>> system.label("Lamps/*", {0: "dark", 1: ("bright", "#f5d020")})
        >>> system.modify(5, "Lamps/Hall", 1)
        >>> system.close(9).states("Lamps/Hall", at=7).first().label
        'bright'
        """
        if isinstance(patterns, str):
            patterns = [patterns]
        wanted = [*self._labels, (what, list(patterns), dict(names))]
        keep: List[Any] = []
        tables = (_abi.LabelTable * len(wanted))(*(_table_of(each, patterns, names, keep) for each, patterns, names in wanted))
        with self._lock:
            call(lib.histree_state_labels, self._use(), tables, len(wanted))
            self._labels = wanted

    # ---- stacks and queues ----

    def push(self, time: Time, place: Place, value: Any) -> None:
        """Push a value onto the stack that an attribute is: it holds the depth, its children "1", "2", ... the values."""
        self._change(lib.histree_state_push, time, place, value)

    def pop(self, time: Time, place: Place) -> Any:
        """Take the top of a stack off; IndexError if it is empty.

        >>> import histree
        >>> system = histree.StateSystem()
        >>> system.push(1, "Stack", "main")
        >>> system.push(2, "Stack", "f")
        >>> system.pop(3, "Stack"), system.pop(4, "Stack")
        ('f', 'main')
        """
        return self._take(lib.histree_state_pop, "stack", self._time(time), place)

    def top(self, place: Place) -> Any:
        """The top of a stack; IndexError if it is empty."""
        return self._take(lib.histree_state_top, "stack", None, place)

    def offer(self, time: Time, place: Place, value: Any) -> None:
        """Add a value at the end of the queue that an attribute is."""
        self._change(lib.histree_state_queue_offer, time, place, value)

    def poll(self, time: Time, place: Place) -> Any:
        """Take the first value of a queue; IndexError if it is empty."""
        return self._take(lib.histree_state_queue_poll, "queue", self._time(time), place)

    def peek(self, place: Place) -> Any:
        """The first value of a queue; IndexError if it is empty."""
        return self._take(lib.histree_state_queue_peek, "queue", None, place)

    def _take(self, function: Any, what: str, time: Optional[int], place: Place) -> Any:
        with self._lock:
            raw = _abi.Value()
            times = () if time is None else (time,)
            status = call(function, self._use(), *times, self._quark(place), ctypes.byref(raw))
            if status != 0:
                raise IndexError(f"the {what} {place!r} is empty")
            return value_of(raw)

    def ongoing(self, place: Place) -> Tuple[Any, int]:
        """The value that an attribute has now, and since when."""
        with self._lock:
            raw, since = _abi.Value(), ctypes.c_int64()
            status = call(lib.histree_state_ongoing, self._use(), self._quark(place), ctypes.byref(raw),
                          ctypes.byref(since))
            if status != 0:
                raise error_of(status, None, f"the attribute {place!r} has no state")
            return value_of(raw), since.value


def _table_of(what: str, patterns: List[str], names: Dict[Any, Any], keep: List[Any]) -> _abi.LabelTable:
    """A table of labels; what it points to goes into `keep`."""
    raw_patterns = (ctypes.c_char_p * (len(patterns) + 1))(*(cstring(each, "the pattern") for each in patterns), None)
    labels = (_abi.Label * max(len(names), 1))()
    for label, (value, meaning) in zip(labels, names.items()):
        name, colour = meaning if isinstance(meaning, tuple) else (meaning, None)
        if isinstance(value, str):
            label.kind, label.text = _abi.LABELS["LABEL_TEXT"], cstring(value, "the text")
        elif hasattr(value, "__index__"):
            label.kind, label.first, label.last = _abi.LABELS["LABEL_NUMBERS"], int(value), int(value)
        else:
            raise ArgumentError(f"{value!r} cannot have a label: ints and texts can")
        label.is_code, label.has_no_colour = True, colour is None
        label.style.key = label.style.name = cstring(name, "the name")
        label.style.height = 1
        if colour is not None:
            if not re.fullmatch("#[0-9a-fA-F]{6}", colour):
                raise ArgumentError(f"{colour!r} is no colour: write '#rrggbb'")
            label.style.light = label.style.dark = int(colour[1:], 16)
    keep += [raw_patterns, labels]
    return _abi.LabelTable(name=cstring(what, "the name"), patterns=raw_patterns, labels=labels, label_count=len(names))
