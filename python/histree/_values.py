# SPDX-License-Identifier: MIT
"""Values of states and fields: from Python to C, and back."""
import ctypes
import struct
from typing import Any, Tuple

from . import _abi
from ._errors import ArgumentError, ValueTypeError

_T = _abi.TYPES
_UNSIGNED = 1  # the size of a long that is an uint64


class Unknown:
    """The value of a state that nobody can know; there is one, `histree.UNKNOWN`."""

    def __repr__(self) -> str:
        return "histree.UNKNOWN"

    def __bool__(self) -> bool:
        return False


UNKNOWN = Unknown()


class Int(int):
    """An int of 32 bits.  An attribute has one type: a plain int of Python is a long, of 64 bits."""


def value_of(value: _abi.Value) -> Any:
    """What a value is in Python; its bytes are copied."""
    kind = value.type
    if kind == _T["INT"]:
        return ctypes.c_int32(value.int64 & 0xFFFFFFFF).value
    if kind == _T["LONG"]:
        return value.int64 & 0xFFFFFFFFFFFFFFFF if value.size == _UNSIGNED else value.int64
    if kind == _T["DOUBLE"]:
        return struct.unpack("<d", struct.pack("<q", value.int64))[0]
    if kind == _T["BOOL"]:
        return value.int64 & 0xFF != 0
    if kind in (_T["STRING"], _T["CUSTOM"]):
        raw = ctypes.string_at(value.int64 & 0xFFFFFFFFFFFFFFFF, value.size) if value.size else b""
        return raw.decode("utf-8", "replace") if kind == _T["STRING"] else raw
    return UNKNOWN if kind == _T["UNKNOWN"] else None


def to_value(given: Any) -> Tuple[_abi.Value, Any]:
    """A value for C, and what must be kept while it is used.

    None is null, histree.UNKNOWN unknown, a bool a bool, an int a long (histree.Int an int), a float a double, a str a
    string and bytes custom.
    """
    if given is None:
        return _abi.Value(_T["NULL"], 0, 0), None
    if given is UNKNOWN:
        return _abi.Value(_T["UNKNOWN"], 0, 0), None
    if isinstance(given, bool):
        return _abi.Value(_T["BOOL"], 0, int(given)), None
    if isinstance(given, str):
        try:
            raw = given.encode()
        except UnicodeEncodeError as error:
            raise ArgumentError(f"the text {given!r} is not UTF-8: {error.reason}") from None
        return _bytes_value(_T["STRING"], raw)
    if isinstance(given, (bytes, bytearray, memoryview)):
        return _bytes_value(_T["CUSTOM"], bytes(given))
    if isinstance(given, float):
        return _abi.Value(_T["DOUBLE"], 0, struct.unpack("<q", struct.pack("<d", given))[0]), None
    if hasattr(given, "dtype") and hasattr(given, "item"):  # a number of numpy
        plain = given.item()
        return to_value(Int(plain) if str(given.dtype) == "int32" else plain)
    if hasattr(given, "__index__"):
        number = given.__index__()
        bits, kind = (32, "INT") if isinstance(given, Int) else (64, "LONG")
        if not -1 << bits - 1 <= number < 1 << bits - 1:
            raise ArgumentError(f"{number} does not fit into the {bits} bits of a state")
        return _abi.Value(_T[kind], 0, number & 0xFFFFFFFF if kind == "INT" else number), None
    raise ValueTypeError(f"{given!r} is a {type(given).__name__}, which no state is: a state is None, histree.UNKNOWN, a "
                         "bool, an int, a float, a str or bytes")


def _bytes_value(kind: int, raw: bytes) -> Tuple[_abi.Value, Any]:
    buffer = ctypes.create_string_buffer(raw, max(len(raw), 1))
    return _abi.Value(kind, len(raw), ctypes.addressof(buffer)), buffer
