# SPDX-License-Identifier: MIT
"""SQL on a store: by Python's sqlite3 where it loads extensions, else by libsqlite3 itself.

Pythons that were built without --enable-loadable-sqlite-extensions cannot load ours; then the statements go to the
libsqlite3 of the system through ctypes.  Rows and errors are the same.
"""
import ctypes
import ctypes.util
import os
import sqlite3
import threading
import warnings
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from ._errors import ArgumentError, ClosedError, DamageWarning, Error
from ._handles import Scope
from ._glue import glue
from ._interrupt import Interrupt
from ._library import find_beside, module

Parameters = Union[Sequence[Any], Mapping[str, Any]]
_STEPS_BETWEEN_LOOKS = 20000  # of SQLite's machine, between two looks at the signals


class SqlError(Error):
    """A statement that is wrong, or failed; the text is SQLite's."""


def extension() -> str:
    """The path of libhistree_sqlite, the extension of SQLite."""
    path = find_beside("libhistree_sqlite", "sql")
    if path is None:
        raise SqlError("'libhistree_sqlite.so' is not beside libhistree: build histree with -Dsql=enabled, which needs "
                       "SQLite (Debian: libsqlite3-dev)")
    return path


def can_load_extensions() -> bool:
    """Whether Python's own sqlite3 can be used."""
    return hasattr(sqlite3.Connection, "enable_load_extension") and not os.environ.get("HISTREE_SQL_BY_CTYPES")


def connect(path: Optional[str]) -> sqlite3.Connection:
    """A connection of sqlite3 with the extension loaded, and a store attached if there is a path."""
    if not can_load_extensions():
        raise SqlError("the sqlite3 of this Python loads no extensions, so that there is no connection with a store; "
                       "sql() does without, and Debian's python3 loads them")
    connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    try:
        connection.enable_load_extension(True)
        connection.load_extension(extension())
        connection.enable_load_extension(False)
        if path is not None:
            connection.execute("SELECT histree_attach(?)", (path,)).fetchall()
    except sqlite3.Error as error:
        connection.close()
        raise SqlError(str(error)) from None
    return connection


class Rows:
    """The rows of a statement, as they are found: an iterator that also has `columns`, `fetchone()`, `fetchall()`."""

    def __init__(self, engine: "Union[_PythonEngine, _LibraryEngine]", scope: Scope, rows: type) -> None:
        self._engine, self._scope, self._kind = engine, scope, rows
        self._lock, self._done = threading.Lock(), False
        self.columns: List[str] = engine.columns

    def __iter__(self) -> "Rows":
        return self

    def __next__(self) -> Any:
        with self._lock:
            if self._done:
                raise StopIteration
            self._scope.check()
            row = self._engine.step()
            if row is not None:
                return row if self._kind is tuple else dict(zip(self.columns, row))
            self._done = True
            self._warn()
            self._engine.close()
        raise StopIteration

    def _warn(self) -> None:
        for line in self._engine.warnings():
            warnings.warn(line, DamageWarning, 4)

    def fetchone(self) -> Any:
        """The next row, or None after the last one."""
        return next(self, None)

    def fetchall(self) -> List[Any]:
        """All rows that are left."""
        return list(self)

    def close(self) -> None:
        """End the statement."""
        with self._lock:
            self._done = True
            self._engine.close()

    def to_pandas(self) -> Any:
        """The rows that are left as a pandas.DataFrame."""
        pandas = module("pandas")

        return pandas.DataFrame.from_records(list(map(tuple, self._tuples())), columns=self.columns)

    def _tuples(self) -> Iterator[Tuple[Any, ...]]:
        for row in self:
            yield row if self._kind is tuple else tuple(row.values())


def ask(path: str, scope: Scope, statement: str, parameters: Parameters, rows: type) -> Rows:
    """Run a statement on a store."""
    if rows not in (tuple, dict):
        raise ArgumentError(f"rows={rows!r}: rows are tuple or dict")
    if can_load_extensions():
        return Rows(_PythonEngine(path, statement, parameters), scope, rows)
    return Rows(_LibraryEngine(path, statement, parameters), scope, rows)


class _PythonEngine:
    """A statement by Python's sqlite3."""

    def __init__(self, path: str, statement: str, parameters: Parameters) -> None:
        self._raised: Optional[BaseException] = None
        self._connection: Optional[sqlite3.Connection] = connect(path)
        self._connection.set_progress_handler(self._look, _STEPS_BETWEEN_LOOKS)
        self._cursor = self._checked(lambda: self._use().execute(statement, parameters))
        self.columns = [each[0] for each in self._cursor.description or ()]

    def _look(self) -> int:
        try:
            return 0
        except BaseException as raised:  # a signal handler raised
            self._raised = raised
            return 1

    def _use(self) -> sqlite3.Connection:
        if self._connection is None:
            raise ClosedError("the statement was closed")
        return self._connection

    def _checked(self, action: Any) -> Any:
        try:
            return action()
        except (sqlite3.Error, sqlite3.Warning) as error:
            self.close()
            if self._raised is not None or str(error) == "interrupted":
                raise (self._raised or KeyboardInterrupt()) from None
            raise SqlError(str(error)) from None

    def step(self) -> Optional[Tuple[Any, ...]]:
        """The next row, or None."""
        self._use()
        row: Optional[Tuple[Any, ...]] = self._checked(self._cursor.fetchone)
        return row

    def warnings(self) -> List[str]:
        """What was said of damage."""
        text = self._use().execute("SELECT histree_warnings()").fetchone()[0]
        return str(text).splitlines() if text else []

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


_ROW, _DONE, _INTEGER, _FLOAT, _TEXT, _BLOB = 100, 101, 1, 2, 3, 4
_sqlite_library: Optional[ctypes.CDLL] = None


def _sqlite() -> ctypes.CDLL:
    """libsqlite3, with the prototypes of what is called here."""
    global _sqlite_library
    if _sqlite_library is None:
        name = ctypes.util.find_library("sqlite3") or "libsqlite3.so.0"
        try:
            library = ctypes.CDLL(name)
        except OSError as error:
            raise SqlError(f"SQL needs '{name}', which is not here ({error}); install SQLite (Debian: libsqlite3-0)") from None
        pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
        for name, result, arguments in (
                ("open", number, [text, pointer]), ("close_v2", number, [pointer]), ("errmsg", text, [pointer]),
                ("enable_load_extension", number, [pointer, number]), ("load_extension", number, [pointer, text, text, pointer]),
                ("prepare_v2", number, [pointer, text, number, pointer, pointer]), ("step", number, [pointer]),
                ("finalize", number, [pointer]), ("column_count", number, [pointer]), ("column_name", text, [pointer, number]),
                ("column_type", number, [pointer, number]), ("column_int64", ctypes.c_int64, [pointer, number]),
                ("column_double", ctypes.c_double, [pointer, number]), ("column_blob", pointer, [pointer, number]),
                ("column_bytes", number, [pointer, number]), ("bind_int64", number, [pointer, number, ctypes.c_int64]),
                ("bind_double", number, [pointer, number, ctypes.c_double]), ("bind_null", number, [pointer, number]),
                ("bind_text", number, [pointer, number, text, number, pointer]),
                ("bind_blob", number, [pointer, number, text, number, pointer]),
                ("bind_parameter_count", number, [pointer]), ("bind_parameter_name", text, [pointer, number]),
                ("progress_handler", None, [pointer, number, pointer, pointer]), ("free", None, [pointer])):
            function = getattr(library, "sqlite3_" + name)
            function.restype, function.argtypes = result, arguments
        _sqlite_library = library
    return _sqlite_library


_TRANSIENT = ctypes.c_void_p(-1)  # SQLite copies what is bound


class _LibraryEngine:
    """A statement by libsqlite3 through ctypes."""

    def __init__(self, path: str, statement: str, parameters: Parameters) -> None:
        self._sqlite, self._interrupt = _sqlite(), Interrupt()
        self._db, self._statement = ctypes.c_void_p(), ctypes.c_void_p()
        try:
            if self._sqlite.sqlite3_open(b":memory:", ctypes.byref(self._db)) != 0:
                raise self._error()
            self._load()
            for text, values in (("SELECT histree_attach(?)", (path,)), (statement, parameters)):
                self._prepare(text, values)
                if text is not statement:
                    self.step()
            self._sqlite.sqlite3_progress_handler(self._db, _STEPS_BETWEEN_LOOKS,
                                                  ctypes.cast(glue().histree_python_stop, ctypes.c_void_p),
                                                  self._interrupt.context)
        except BaseException:
            self.close()
            raise
        count = self._sqlite.sqlite3_column_count(self._statement)
        self.columns = [(self._sqlite.sqlite3_column_name(self._statement, i) or b"").decode("utf-8", "replace")
                        for i in range(count)]

    def __del__(self) -> None:
        if hasattr(self, "_db"):
            self.close()

    def _error(self) -> BaseException:
        text = (self._sqlite.sqlite3_errmsg(self._db) or b"").decode("utf-8", "replace")
        self._interrupt.check()
        return SqlError(text)

    def _load(self) -> None:
        message = ctypes.c_void_p()
        self._sqlite.sqlite3_enable_load_extension(self._db, 1)
        if self._sqlite.sqlite3_load_extension(self._db, os.fsencode(extension()), None, ctypes.byref(message)) != 0:
            text = ctypes.string_at(message.value).decode("utf-8", "replace") if message.value else "it cannot be loaded"
            self._sqlite.sqlite3_free(message)
            raise SqlError(f"'{extension()}': {text}")
        self._sqlite.sqlite3_enable_load_extension(self._db, 0)

    def _prepare(self, text: str, parameters: Parameters) -> None:
        self._finalize()
        raw = text.encode("utf-8", "surrogatepass")
        rest = ctypes.c_void_p()
        buffer = ctypes.create_string_buffer(raw)
        code = self._sqlite.sqlite3_prepare_v2(self._db, ctypes.cast(buffer, ctypes.c_char_p), -1,
                                               ctypes.byref(self._statement), ctypes.byref(rest))
        if code != 0:
            raise self._error()
        left = raw[(rest.value or 0) - ctypes.addressof(buffer):].strip(b" \t\r\n;") if rest.value else b""
        if left and not left.startswith(b"--"):
            raise SqlError("You can only execute one statement at a time.")
        count = self._sqlite.sqlite3_bind_parameter_count(self._statement)
        if isinstance(parameters, Mapping):
            values = []
            for i in range(1, count + 1):
                name = (self._sqlite.sqlite3_bind_parameter_name(self._statement, i) or b"?").decode()[1:]
                if name not in parameters:
                    raise SqlError(f"You did not supply a value for binding parameter :{name}.")
                values.append(parameters[name])
        else:
            values = list(parameters)
            if len(values) != count:
                raise SqlError(f"Incorrect number of bindings supplied. The current statement uses {count}, and there are "
                               f"{len(values)} supplied.")
        for i, value in enumerate(values, 1):
            self._bind(i, value)

    def _bind(self, i: int, value: Any) -> None:
        if value is None:
            code = self._sqlite.sqlite3_bind_null(self._statement, i)
        elif isinstance(value, float):
            code = self._sqlite.sqlite3_bind_double(self._statement, i, value)
        elif isinstance(value, str):
            raw = value.encode()
            code = self._sqlite.sqlite3_bind_text(self._statement, i, raw, len(raw), _TRANSIENT)
        elif isinstance(value, (bytes, bytearray, memoryview)):
            raw = bytes(value)
            code = self._sqlite.sqlite3_bind_blob(self._statement, i, raw, len(raw), _TRANSIENT)
        elif hasattr(value, "__index__") and -1 << 63 <= value.__index__() < 1 << 63:
            code = self._sqlite.sqlite3_bind_int64(self._statement, i, value.__index__())
        else:
            raise SqlError(f"Error binding parameter {i}: {value!r} is nothing that SQLite has")
        if code != 0:
            raise self._error()

    def _cell(self, i: int) -> Any:
        kind = self._sqlite.sqlite3_column_type(self._statement, i)
        if kind == _INTEGER:
            return self._sqlite.sqlite3_column_int64(self._statement, i)
        if kind == _FLOAT:
            return self._sqlite.sqlite3_column_double(self._statement, i)
        if kind in (_TEXT, _BLOB):
            at = self._sqlite.sqlite3_column_blob(self._statement, i)
            raw = ctypes.string_at(at, self._sqlite.sqlite3_column_bytes(self._statement, i)) if at else b""
            return raw.decode("utf-8", "replace") if kind == _TEXT else raw
        return None

    def step(self) -> Optional[Tuple[Any, ...]]:
        """The next row, or None."""
        if not self._statement.value:
            if not self._db.value:
                raise ClosedError("the statement was closed")
            return None  # a statement of nothing but a comment
        code = self._sqlite.sqlite3_step(self._statement)
        if code == _ROW:
            return tuple(self._cell(i) for i in range(self._sqlite.sqlite3_column_count(self._statement)))
        if code == _DONE:
            return None
        try:
            raise self._error()
        finally:
            self.close()

    def warnings(self) -> List[str]:
        """What was said of damage."""
        self._prepare("SELECT histree_warnings()", ())
        row = self.step()
        return str(row[0]).splitlines() if row and row[0] else []

    def _finalize(self) -> None:
        if self._statement.value:
            self._sqlite.sqlite3_finalize(self._statement)
            self._statement = ctypes.c_void_p()

    def close(self) -> None:
        """Close the statement and the connection."""
        self._finalize()
        if self._db.value:
            self._sqlite.sqlite3_close_v2(self._db)
            self._db = ctypes.c_void_p()
