# SPDX-License-Identifier: MIT
"""An answer of several batches as one numpy array a column."""
from typing import Any, Dict, List

from ._arrow import Batch, Column
from ._library import module


class Columns(Dict[str, Any]):
    """Columns as numpy arrays by name, with what some of them need besides.

    `texts[name]` are the texts that the numbers of a column of texts are indices of; `valid[name]` says which rows are
    not null, for columns that have nulls.
    """

    def __init__(self) -> None:
        super().__init__()
        self.texts: Dict[str, List[str]] = {}
        self.valid: Dict[str, Any] = {}


class Gather:
    """Puts batches one behind the other into arrays that grow."""

    def __init__(self, columns: List[Column]) -> None:
        self._columns, self._out = columns, Columns()
        self._count = self._capacity = 0
        self._arrays: Dict[str, Any] = {}
        self._valid: Dict[str, Any] = {}

    @staticmethod
    def _type(column: Column) -> Any:
        fixed = column.fixed
        return fixed[2] if fixed else "bool" if column.format == "b" else object

    def only(self, batch: Batch) -> Columns:
        """The columns of an answer of one batch: its own memory."""
        for column in self._columns:
            name = column.name
            self._out[name] = batch.numpy(name)
            valid = batch.valid(name)
            if valid is not None:
                self._out.valid[name] = valid
            if column.dictionary is not None:
                self._out.texts[name] = batch.texts(name)
        return self._out

    def _room(self, arrays: Dict[str, Any], name: str, dtype: Any, before: Any) -> Any:
        """The array of a column, with room; `before` is what its rows so far are if it has none yet."""
        numpy = module("numpy")

        old = arrays.get(name)
        if old is None or len(old) < self._capacity:
            # What is never written takes no memory, so that there may be much room.
            arrays[name] = numpy.empty(self._capacity, dtype=dtype)
            arrays[name][:self._count] = before if old is None else old[:self._count]
        return arrays[name]

    def add(self, batch: Batch) -> None:
        """Take the rows of a batch; it is not needed any more then."""
        first, last = self._count, self._count + len(batch)
        if last > self._capacity:
            self._capacity = (8 if first else 64) * last
        for column in self._columns:
            name = column.name
            nulls = batch.nulls(name)
            # A column that is null throughout is never written.
            if nulls < len(batch):
                self._room(self._arrays, name, self._type(column), 0)[first:last] = batch.numpy(name)
            if nulls or name in self._valid:
                self._room(self._valid, name, bool, True)[first:last] = batch.valid(name) if nulls else True
            if column.dictionary is not None:
                self._out.texts[name] = batch.texts(name)
        self._count = last

    def finish(self) -> Columns:
        """All that was added."""
        numpy = module("numpy")

        for column in self._columns:
            name = column.name
            array = self._arrays.get(name)
            self._out[name] = numpy.zeros(self._count, self._type(column)) if array is None else array[:self._count]
            if name in self._valid:
                self._out.valid[name] = self._valid[name][:self._count]
            if column.dictionary is not None:
                self._out.texts.setdefault(name, [])
        return self._out
