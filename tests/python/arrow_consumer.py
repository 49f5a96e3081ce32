# SPDX-License-Identifier: MIT
"""A consumer of Arrow PyCapsules that shares nothing with the package: structs, reading and releases are its own.

It does what pyarrow, polars and DuckDB do with a capsule: take the pointer, move the struct out, read batch by batch,
release everything once.
"""
import ctypes
import struct

POINTER_SIZE = ctypes.sizeof(ctypes.c_void_p)
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
is_valid = ctypes.pythonapi.PyCapsule_IsValid
is_valid.restype, is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]

CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
TELL = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)
RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
# Offsets of the specification, in pointers of 64 bits.
STREAM_WORDS, SCHEMA_WORDS, ARRAY_WORDS = 5, 9, 10


def word(address, index):
    return ctypes.c_uint64.from_address(address + 8 * index).value


def text_at(address):
    return ctypes.string_at(address).decode()


def release(address, index):
    """Release a struct by its own function, which is at this word of it."""
    function = word(address, index)
    if function:
        RELEASE(function)(address)
        assert word(address, index) == 0, "release did not mark the struct as released"


class Schema:
    """What a schema says, copied."""

    def __init__(self, address):
        self.format, self.name = text_at(word(address, 0)), text_at(word(address, 1))
        self.nullable = bool(word(address, 3) & 2)
        children, table = word(address, 4), word(address, 5)
        self.children = [Schema(word(table, i)) for i in range(children)]
        self.dictionary = Schema(word(address, 6)) if word(address, 6) else None


WIDTHS = {"c": "b", "C": "B", "i": "i", "I": "I", "l": "q", "L": "Q", "g": "d"}


def bit(address, i):
    return ctypes.c_uint8.from_address(address + i // 8).value >> i % 8 & 1


def values(schema, address):
    """The values of an array, one by one."""
    length, offset, buffers = word(address, 0), word(address, 2), word(address, 5)
    validity = word(buffers, 0)
    out = []
    if schema.format in ("u", "U"):
        offsets, data, width = word(buffers, 1), word(buffers, 2), 4 if schema.format == "u" else 8
        code = "<i" if width == 4 else "<q"
        for i in range(offset, offset + length):
            first, = struct.unpack(code, ctypes.string_at(offsets + i * width, width))
            last, = struct.unpack(code, ctypes.string_at(offsets + (i + 1) * width, width))
            out.append(ctypes.string_at(data + first, last - first).decode())
    elif schema.format == "b":
        out = [bool(bit(word(buffers, 1), i)) for i in range(offset, offset + length)]
    else:
        code = "<" + WIDTHS["l" if schema.format.startswith("ts") else schema.format]
        width = struct.calcsize(code)
        raw = ctypes.string_at(word(buffers, 1) + offset * width, length * width) if length else b""
        out = [each for each, in struct.iter_unpack(code, raw)]
    if schema.dictionary is not None:
        meaning = values(schema.dictionary, word(address, 7))
        out = [meaning[each] if not validity or bit(validity, offset + i) else None for i, each in enumerate(out)]
    elif validity:
        out = [each if bit(validity, offset + i) else None for i, each in enumerate(out)]
    nulls = sum(each is None for each in out)
    count = ctypes.c_int64.from_address(address + 8).value
    assert count in (-1, nulls), f"null_count is {count}, and {nulls} are null"
    return out


class Stream:
    """A stream that was taken out of a capsule; the capsule may go."""

    def __init__(self, capsule):
        assert is_valid(capsule, b"arrow_array_stream")
        source = get_pointer(capsule, b"arrow_array_stream")
        self._memory = ctypes.create_string_buffer(ctypes.string_at(source, STREAM_WORDS * 8), STREAM_WORDS * 8)
        ctypes.c_uint64.from_address(source + 8 * 3).value = 0  # moved: the capsule has nothing to release
        self.address = ctypes.addressof(self._memory)

    def _check(self, code):
        if code != 0:
            said = TELL(word(self.address, 2))(self.address)
            raise OSError(code, said.decode() if said else "")

    def schema(self):
        memory = ctypes.create_string_buffer(SCHEMA_WORDS * 8)
        self._check(CALL(word(self.address, 0))(self.address, ctypes.addressof(memory)))
        schema = Schema(ctypes.addressof(memory))
        release(ctypes.addressof(memory), 7)
        return schema

    def next(self):
        """The memory of the next batch, which the caller releases, or None."""
        memory = ctypes.create_string_buffer(ARRAY_WORDS * 8)
        self._check(CALL(word(self.address, 1))(self.address, ctypes.addressof(memory)))
        return memory if word(ctypes.addressof(memory), 8) else None

    def close(self):
        release(self.address, 3)


def columns(schema, memory):
    """The columns of a batch by name."""
    address = ctypes.addressof(memory)
    table = word(address, 6)
    return {child.name: values(child, word(table, i)) for i, child in enumerate(schema.children)}


def read(capsule):
    """All columns of a stream by name, and its schema; everything is released."""
    stream = Stream(capsule)
    schema = stream.schema()
    out = {child.name: [] for child in schema.children}
    while True:
        memory = stream.next()
        if memory is None:
            break
        for name, part in columns(schema, memory).items():
            out[name] += part
        release(ctypes.addressof(memory), 8)
    stream.close()
    return out, schema


def schema_of(capsule):
    """What the schema in a capsule says; the capsule keeps it."""
    assert is_valid(capsule, b"arrow_schema")
    return Schema(get_pointer(capsule, b"arrow_schema"))
