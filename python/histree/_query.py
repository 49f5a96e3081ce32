# SPDX-License-Identifier: MIT
"""What states() and segments() return: a question that can be asked again, as rows, arrays or a table."""
import functools
import keyword
import re
import warnings
from collections import namedtuple
from itertools import chain
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from ._arrow import Batch, Stream
from ._columns import Columns, Gather
from ._command import Picture, drawing
from ._errors import ArgumentError, DamageWarning
from ._library import module
from ._times import datetime_of

#: Makes a stream with these columns (None: all), for use within Python or for a consumer outside of it.
Opener = Callable[[Optional[Sequence[str]], bool], Stream]


def _attribute_name(column: str) -> str:
    """A name by which a row has a column as an attribute: `return_` for "return", `cpu_id` for "cpu-id"."""
    name = re.sub(r"\W", "_", column)
    return name + "_" if keyword.iskeyword(name) else name


@functools.lru_cache(maxsize=256)
def _row_class(name: str, columns: Tuple[str, ...]) -> Any:
    """The class of rows with these columns; making one takes longer than asking a small question."""
    return namedtuple(name, [_attribute_name(each) for each in columns], rename=True)


class Query:
    """An answer that has not been asked for yet.

    Iterating asks and gives rows, which are named tuples; so do `batches()`, `to_numpy()`, `to_pandas()`, and anything
    that takes an Arrow stream: `pyarrow.table(query)`, `polars.DataFrame(query)`, `duckdb.sql("SELECT * FROM query")`.
    Each time the question is asked anew.  Reading lets other threads of Python run.

    >>> import histree
    >>> query = histree.open(DEMO).states("CPUs/*", at="+10ms")
    >>> [(row.path, row.value, row.label) for row in query]
    [('CPUs/0', 2, 'user mode'), ('CPUs/1', 2, 'user mode')]
    >>> query.to_numpy()["duration"].dtype.name
    'int64'
    """

    _row_name = "Row"

    def __init__(self, opener: Opener, what: str, columns: Optional[Sequence[str]], times: str) -> None:
        if times not in ("ns", "datetime"):
            raise ArgumentError(f"times={times!r}: rows have times as 'ns', which are ints, or as 'datetime'")
        self._open, self._what, self._times = opener, what, times
        self._columns = None if columns is None else list(columns)

    def __repr__(self) -> str:
        return f"<{self._what}>"

    # ---- columns ----

    def batches(self) -> Iterator[Batch]:
        """The answer as batches of at most 65,536 rows, each over its own memory: nothing is copied."""
        stream = self._open(self._columns, False)
        yield from self._all(stream)

    def _all(self, stream: Stream) -> Iterator[Batch]:
        try:
            yield from stream
            if stream.damage:
                warnings.warn(f"{self._what}: {stream.damage} damaged nodes could not be read; the states that they held "
                              "are of type 'unknown', and the segments that they held are missing", DamageWarning, 4)
        finally:
            stream.close()

    def to_numpy(self) -> Columns:
        """All rows as one numpy array a column.

        Of an answer of one batch the arrays are its memory, read-only; several batches are put together.  Times are
        int64, in nanoseconds; `array.view("datetime64[ns]")` is the same memory as datetimes.
        """
        stream = self._open(self._columns, False)
        return self._gathered(stream)

    def _gathered(self, stream: Stream) -> Columns:
        gather, first = None, None
        for batch in self._all(stream):
            if first is None and gather is None:
                first = batch
                continue
            if gather is None:
                gather = Gather(stream.columns)
                gather.add(first)
                first = None
            # A batch goes before the next one comes, so that the same memory is filled again and stays in the caches.
            gather.add(batch)
            del batch
        if gather is None:
            gather = Gather(stream.columns)
            if first is not None:
                return gather.only(first)
        return gather.finish()

    def to_pandas(self) -> Any:
        """All rows as a pandas.DataFrame, which may be changed; pyarrow is not needed.

        Times are datetime64[ns, UTC], texts Categorical, and numbers that may be null Int64, Int32 or boolean.
        """
        numpy = module("numpy")
        pandas = module("pandas")

        stream = self._open(self._columns, False)
        columns = self._gathered(stream)
        stream_columns = {column.name: column for column in stream.columns}
        table: Dict[str, Any] = {}
        for name, array in columns.items():
            column, valid = stream_columns[name], columns.valid.get(name)
            if column.dictionary is not None:
                codes = array.astype(numpy.int64 if len(columns.texts[name]) > 2**31 - 1 else numpy.int32)
                if valid is not None:
                    codes[~valid] = -1
                dtype = pandas.CategoricalDtype(pandas.Index(columns.texts[name], dtype=object))
                table[name] = pandas.Categorical.from_codes(codes, dtype=dtype)
            elif column.is_time:
                table[name] = pandas.DatetimeIndex(array.copy() if not array.flags.writeable else array, tz="UTC")
            elif array.dtype == object:
                table[name] = array
            else:
                array = array if array.flags.writeable else array.copy()
                mask = numpy.zeros(len(array), dtype=bool) if valid is None else ~valid
                if array.dtype.kind == "f":
                    array[mask] = numpy.nan
                    table[name] = array
                elif name in self._never_null:
                    table[name] = array
                elif array.dtype.kind == "b":
                    table[name] = pandas.arrays.BooleanArray(array, mask)
                else:
                    table[name] = pandas.arrays.IntegerArray(array, mask)
        return pandas.DataFrame(table, copy=False)

    _never_null: Tuple[str, ...] = ("quark", "duration")

    # ---- rows ----

    def rows(self, times: Optional[str] = None) -> Iterator[Any]:
        """The rows as named tuples; `times` is "ns" for ints, or "datetime", which loses the last three digits.

        Each batch is checked for a store that was closed meanwhile; rows already read stay readable.
        """
        times = self._times if times is None else times
        if times not in ("ns", "datetime"):
            raise ArgumentError(f"times={times!r}: rows have times as 'ns', which are ints, or as 'datetime'")
        stream = self._open(self._row_columns(), False)
        fields = self._row_fields(stream)
        row = _row_class(self._row_name, tuple(fields))

        def of_batch(batch: Batch) -> Iterator[Any]:
            cells = []
            for column in self._cells(batch, fields):
                name, values = column
                if times == "datetime" and name in ("start", "end", "time"):
                    values = [datetime_of(each) for each in values]
                cells.append(values)
            return map(row._make, zip(*cells))

        return chain.from_iterable(map(of_batch, self._all(stream)))

    def _row_columns(self) -> Optional[Sequence[str]]:
        return self._columns

    def _row_fields(self, stream: Stream) -> List[str]:
        return [column.name for column in stream.columns]

    def _cells(self, batch: Batch, fields: List[str]) -> Iterator[Tuple[str, List[Any]]]:
        for name in fields:
            yield name, batch.list(name)

    def __iter__(self) -> Iterator[Any]:
        return self.rows()

    def first(self) -> Optional[Any]:
        """The first row, or None if there is none; no more than one batch is read."""
        return next(self.rows(), None)

    # ---- the Arrow PyCapsule interface ----

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The answer as a PyCapsule of an ArrowArrayStream, which may outlive the store; a wish for types is not met."""
        return self._open(self._columns, True).capsule()

    def __arrow_c_schema__(self) -> Any:
        """The columns as a PyCapsule of an ArrowSchema."""
        return self._open(self._columns, True).schema_capsule()


_STATE_COLUMNS = ("quark", "path", "start", "end", "duration", "type", "value", "real", "text", "label")


class StateQuery(Query):
    """States: see Query.

    Rows have quark, path, start, end (inclusive), duration, type, value and label.  The value is an int, float, bool,
    str, or bytes of a type that only the analysis understands; it is None if there was none, and if nobody can know
    it, which `type` tells apart: "null", "unknown".  As columns, numbers are in `value`, doubles in `real`, texts in
    `text`.  States come in no particular order.
    """

    _row_name = "State"

    #: What plot() draws: the path of a store, how patterns are had, and options of `histree draw`.
    picture: Optional[Tuple[str, Callable[[], List[str]], Dict[str, Any]]] = None

    def plot(self, **options: Any) -> Picture:
        """The rows of the query over time, as a picture that a notebook shows; options are those of histree-draw(1).

        >>> import histree
        >>> picture = histree.open(DEMO).states("Threads/143*", from_="+5ms", to="+9ms").plot(title="Four milliseconds")
        >>> "<svg" in picture
        True
        """
        if self.picture is None:
            raise ArgumentError("what a store is asked over a time has a picture: Store.states() with 'from_' and 'to', or "
                                "of all of the time")
        path, patterns, chosen = self.picture
        return drawing(path, patterns(), {**chosen, **options})

    def _row_columns(self) -> Optional[Sequence[str]]:
        columns = list(_STATE_COLUMNS if self._columns is None else self._columns)
        if "value" in columns:
            columns += [each for each in ("type", "real", "text") if each not in columns]
        return columns

    def _row_fields(self, stream: Stream) -> List[str]:
        wanted = list(_STATE_COLUMNS if self._columns is None else self._columns)
        if "value" in wanted:
            wanted = [each for each in wanted if each not in ("real", "text")]
        return [name for name in _STATE_COLUMNS if name in wanted]

    def _cells(self, batch: Batch, fields: List[str]) -> Iterator[Tuple[str, List[Any]]]:
        for name in fields:
            yield name, self._values(batch) if name == "value" else batch.list(name)

    @staticmethod
    def _values(batch: Batch) -> List[Any]:
        """One value a row, of the three columns that have it by its type."""
        values = batch.list("value")
        for name in ("real", "text"):
            if batch.nulls(name) < len(batch):
                values = [value if other is None else other for value, other in zip(values, batch.list(name))]
        codes = batch.codes("type")
        makers = [_MAKERS.get(each) for each in batch.texts("type")]
        if any(makers[code] for code in set(codes)):
            values = [value if maker is None else maker(value)
                      for value, maker in zip(values, map(makers.__getitem__, codes))]
        return values


_MAKERS: Dict[str, Callable[[Any], Any]] = {"bool": bool, "custom": bytes.fromhex}


class SegmentQuery(Query):
    """Segments: see Query.  Rows have start, end, duration, and the fields of the analysis.

    A field called as a word of Python has a `_` behind it, as `return_`.
    """

    _row_name = "Segment"
