# SPDX-License-Identifier: MIT
"""Columns: the batches of an Arrow stream, as Python lists and as numpy arrays over their buffers.

A batch owns its buffers until nobody refers to it; an array of a buffer refers to its batch.  Nothing is copied but
bits into booleans.
"""
import ctypes
import errno
import threading
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from . import _abi
from ._errors import ClosedError, Error, error_of
from ._glue import glue, own, release_of
from ._handles import Scope
from ._interrupt import Interrupt
from ._library import lib, module

# By the format of the specification (Arrow C data interface): code of a memoryview, bytes, name in numpy.
_FIXED: Dict[str, Tuple[str, int, str]] = {
    "c": ("b", 1, "int8"), "C": ("B", 1, "uint8"), "s": ("h", 2, "int16"), "S": ("H", 2, "uint16"),
    "i": ("i", 4, "int32"), "I": ("I", 4, "uint32"), "l": ("q", 8, "int64"), "L": ("Q", 8, "uint64"),
    "f": ("f", 4, "float32"), "g": ("d", 8, "float64"),
}
_TEXT_OFFSETS = {"u": "i", "U": "q"}


class Column(NamedTuple):
    """A column of a stream: its name, its Arrow format, and that of the texts that its indices mean, or None."""

    name: str
    format: str
    dictionary: Optional[str]

    @property
    def is_time(self) -> bool:
        """Whether it has nanoseconds since the epoch."""
        return self.format.startswith("tsn:")

    @property
    def fixed(self) -> Optional[Tuple[str, int, str]]:
        """How its numbers are read, or None if it has texts or bits."""
        return _FIXED["l"] if self.is_time else _FIXED.get(self.format)


class _Buffer:
    """A read-only array of numbers inside a batch, by numpy's array interface; keeps the batch."""

    __slots__ = ("batch", "__array_interface__")

    def __init__(self, batch: "Batch", address: int, length: int, dtype: str) -> None:
        numpy = module("numpy")

        self.batch = batch
        self.__array_interface__ = {"version": 3, "shape": (length,), "typestr": numpy.dtype(dtype).str,
                                    "data": (address, True)}


def _bytes_at(address: Optional[int], size: int, keep: Any) -> memoryview:
    """The bytes at an address; the view keeps `keep` alive."""
    if not size or not address:
        return memoryview(b"")
    array = (ctypes.c_ubyte * size).from_address(address)
    array.keep = keep  # type: ignore[attr-defined]
    return memoryview(array).cast("B").toreadonly()


def _texts(array: _abi.ArrowArray, code: str, first: int) -> List[str]:
    """The texts of an array of utf8 from index `first` on."""
    count = array.length - first
    if count <= 0:
        return []
    width = 4 if code == "i" else 8
    offsets = _bytes_at(array.buffers[1] + (array.offset + first) * width, (count + 1) * width, None).cast(code).tolist()
    base = offsets[0]
    raw = bytes(_bytes_at((array.buffers[2] or 0) + base, offsets[-1] - base, None))
    if raw.isascii():
        text = raw.decode("ascii")
        return [text[a - base:b - base] for a, b in zip(offsets, offsets[1:])]
    return [raw[a - base:b - base].decode("utf-8", "replace") for a, b in zip(offsets, offsets[1:])]


class Batch:
    """Some rows of an answer, at most 65,536, as columns.

    >>> import histree
    >>> batch = next(histree.open(DEMO).states("CPUs/0").batches())
    >>> batch.names[:4]
    ['quark', 'path', 'start', 'end']
    >>> batch.numpy("start").dtype.name, batch.numpy("start").flags.owndata
    ('int64', False)
    """

    def __init__(self, array: _abi.ArrowArray, columns: List[Column], texts: "Dict[int, List[str]]") -> None:
        self._array, self.columns, self._known_texts = array, columns, texts
        self._owner = own(ctypes.addressof(array), release_of(_abi.ArrowArray, "histree_python_release_array"), array)
        self._places = {column.name: place for place, column in enumerate(columns)}

    def __len__(self) -> int:
        return int(self._array.length)

    @property
    def names(self) -> List[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def _column(self, name: str) -> Tuple[Column, _abi.ArrowArray]:
        if name not in self._places:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self.names)}")
        place = self._places[name]
        return self.columns[place], self._array.children[place].contents

    def texts(self, name: str) -> List[str]:
        """What the indices of a column of texts mean.  The list of a later batch begins with that of an earlier one."""
        column, array = self._column(name)
        if column.dictionary is None:
            raise KeyError(f"column {name!r} has no dictionary")
        return self._texts_of(self._places[name], column, array)

    def _texts_of(self, place: int, column: Column, array: _abi.ArrowArray) -> List[str]:
        known = self._known_texts.setdefault(place, [])
        dictionary = array.dictionary.contents
        count = dictionary.length
        if len(known) < count:
            # Another thread may extend the list of the same stream meanwhile: a new list is never changed again.
            known = known + _texts(dictionary, _TEXT_OFFSETS[column.dictionary or "u"], len(known))
            self._known_texts[place] = known
        return known

    def numpy(self, name: str) -> Any:
        """The numbers of a column as a numpy array over the memory of the batch, which is read-only.

        Times are int64; a column of texts gives the indices into `texts(name)`.  Where `valid(name)` is not None,
        the numbers where it is false mean nothing.  Booleans are copied out of their bits.
        """
        numpy = module("numpy")

        column, array = self._column(name)
        if column.format == "b":
            return self._bits(array.buffers[1], array)
        fixed = column.fixed
        if fixed is None:
            texts = numpy.empty(array.length, dtype=object)
            texts[:] = _texts(array, _TEXT_OFFSETS[column.format], 0)
            return texts
        if array.length == 0:
            return numpy.empty(0, dtype=fixed[2])
        return numpy.asarray(_Buffer(self, array.buffers[1] + array.offset * fixed[1], array.length, fixed[2]))

    def valid(self, name: str) -> Any:
        """Which rows of a column are not null, as a numpy array of bool, or None if all are."""
        _, array = self._column(name)
        if array.null_count == 0 or not array.buffers[0]:
            return None
        return self._bits(array.buffers[0], array)

    @staticmethod
    def _bits(address: int, array: _abi.ArrowArray) -> Any:
        numpy = module("numpy")

        size = (array.offset + array.length + 7) // 8
        raw = numpy.frombuffer(bytes(_bytes_at(address, size, None)), dtype=numpy.uint8)
        bits = numpy.unpackbits(raw, bitorder="little")[array.offset:array.offset + array.length]
        return bits.view(numpy.bool_)

    @staticmethod
    def _bit_list(address: int, array: _abi.ArrowArray) -> List[bool]:
        if array.length == 0:
            return []
        size = (array.offset + array.length + 7) // 8
        number = int.from_bytes(bytes(_bytes_at(address, size, None)), "little") | 1 << (8 * size)
        return [bit == "1" for bit in bin(number)[:2:-1][array.offset:array.offset + array.length]]

    def nulls(self, name: str) -> int:
        """How many rows of a column are null."""
        return int(self._column(name)[1].null_count)

    def codes(self, name: str) -> List[int]:
        """The indices of a column of texts into `texts(name)`; where a row is null its index means nothing."""
        column, array = self._column(name)
        if column.dictionary is None or column.fixed is None:
            raise KeyError(f"column {name!r} has no dictionary")
        return self._numbers(column.fixed, array)

    def _numbers(self, fixed: Tuple[str, int, str], array: _abi.ArrowArray) -> "List[Any]":
        code, width, _ = fixed
        if array.length == 0:
            return []
        return _bytes_at(array.buffers[1] + array.offset * width, array.length * width, self).cast(code).tolist()

    def list(self, name: str) -> List[Any]:
        """The values of a column as Python has them: numbers, texts, booleans, None for null."""
        column, array = self._column(name)
        if column.format == "b":
            values: List[Any] = self._bit_list(array.buffers[1], array)
        elif column.fixed is None:
            values = _texts(array, _TEXT_OFFSETS[column.format], 0)
        else:
            values = self._numbers(column.fixed, array)
        if column.dictionary is not None:
            texts = self._texts_of(self._places[name], column, array)
            if array.null_count == 0:
                return [texts[index] for index in values]
            if array.null_count == array.length:
                return [None] * array.length
            return [texts[index] if valid else None
                    for index, valid in zip(values, self._bit_list(array.buffers[0], array))]
        if array.null_count != 0 and array.buffers[0]:
            if array.null_count == array.length:
                return [None] * array.length
            return [value if valid else None for value, valid in zip(values, self._bit_list(array.buffers[0], array))]
        return values


class Stream:
    """An Arrow stream of the library, read by one thread at a time; others wait.

    `needs` is whatever the stream borrows, and is kept until it is released.
    """

    def __init__(self, start: Callable[..., int], arguments: Tuple[Any, ...], needs: Any, scope: Scope,
                 interrupt: Optional[Interrupt] = None) -> None:
        self._stream = _abi.ArrowStream()
        self._at = ctypes.addressof(self._stream)
        self._needs, self._scope, self._lock, self._interrupt = needs, scope, threading.Lock(), interrupt
        self._known_texts: Dict[int, List[str]] = {}
        self.damage = 0
        error = _abi.Error()
        status = start(*arguments, self._at, ctypes.byref(error))
        if status != 0:
            self._raise_signal()
            raise error_of(status, error)
        self._owner = own(self._at, release_of(_abi.ArrowStream, "histree_python_release_stream"),
                          (self._stream, needs, interrupt))
        try:
            self.columns = self._read_columns()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release the stream; what came of it stays."""
        with self._lock:
            self._owner = self._needs = None

    def _raise_signal(self) -> None:
        if self._interrupt is not None:
            self._interrupt.check()

    def _fail(self, code: int) -> Error:
        self._raise_signal()
        said = self._stream.get_last_error(self._at)
        text = said.decode("utf-8", "replace") if said else f"the stream failed with error number {code}"
        return error_of(_BY_ERRNO.get(code, _abi.STATUSES["ERR_INTERNAL"]), None, text)

    def _read_columns(self) -> List[Column]:
        schema = _abi.ArrowSchema()
        code = self._stream.get_schema(self._at, ctypes.addressof(schema))
        if code != 0:
            raise self._fail(code)
        try:
            columns = []
            for place in range(schema.n_children):
                child = schema.children[place].contents
                dictionary = child.dictionary.contents.format.decode() if child.dictionary else None
                columns.append(Column(child.name.decode("utf-8", "replace"), child.format.decode(), dictionary))
            return columns
        finally:
            schema.release(ctypes.addressof(schema))

    def next(self) -> Optional[Batch]:
        """The next batch, or None after the last one."""
        with self._lock:
            self._scope.check()
            if not self._stream.release:
                raise ClosedError("the query was closed; ask again")
            array = _abi.ArrowArray()
            code = self._stream.get_next(self._at, ctypes.addressof(array))
            if code != 0:
                raise self._fail(code)
            self.damage = lib.histree_arrow_loss(self._at).nodes
            return Batch(array, self.columns, self._known_texts) if array.release else None

    def __iter__(self) -> Iterator[Batch]:
        while True:
            batch = self.next()
            if batch is None:
                return
            yield batch

    def capsule(self) -> Any:
        """Hand the stream over to a PyCapsule called "arrow_array_stream", which keeps what it needs."""
        with self._lock:
            self._scope.check()
            # Moves the stream into the capsule: ours is released then.
            return glue().histree_python_stream(self._at, self._needs)

    def schema_capsule(self) -> Any:
        """A PyCapsule called "arrow_schema" with the schema of the stream."""
        schema = _abi.ArrowSchema()
        with self._lock:
            code = self._stream.get_schema(self._at, ctypes.addressof(schema))
            if code != 0:
                raise self._fail(code)
        return glue().histree_python_schema(ctypes.addressof(schema))


# get_next() says numbers of <errno.h>.
_ERRNOS = {"EIO": "ERR_IO", "ENOMEM": "ERR_MEMORY", "EINVAL": "ERR_ARGUMENT", "ECANCELED": "ERR_CANCELLED"}
_BY_ERRNO = {getattr(errno, name): _abi.STATUSES[status] for name, status in _ERRNOS.items()}
