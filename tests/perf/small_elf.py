# SPDX-License-Identifier: MIT
"""
A binary of 64 bits with functions at addresses and nothing in them: a segment of code that lies in the file elsewhere than in
memory, and a table of symbols.
"""
import struct

FUNCTION, GLOBAL, EXECUTABLE, MOVABLE = 2, 1, 2, 3


def write(path, functions, offset, address, size, build_id=b""):
    """`functions` are (name, offset in the file, size); code is `size` bytes at `offset`, for `address`."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name, _, _ in functions)
    symbols, at = struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0), 1
    for name, place, length in functions:
        symbols += struct.pack("<IBBHQQ", at, GLOBAL << 4 | FUNCTION, 0, 1, place - offset + address, length)
        at += len(name.encode()) + 1
    note = struct.pack("<III", 4, len(build_id), 3) + b"GNU\0" + build_id
    sections_of = [b"", b"\x90" * size, symbols, names, b"\0.text\0.symtab\0.strtab\0.note\0.shstrtab\0", note]
    kinds = [(0, 0, 0, 0), (1, 1, 0, 0), (7, 2, 3, 24), (15, 3, 0, 0), (29, 3, 0, 0), (23, 7, 0, 0)]  # name, type, link, entry
    body, headers = b"", b""
    begin = offset + size
    for number, (content, (name, kind, link, entry)) in enumerate(zip(sections_of, kinds)):
        place = offset if number == 1 else begin + len(body)
        headers += struct.pack("<IIQQQQIIQQ", name, kind, 6 if number == 1 else 0, address if number == 1 else 0, place,
                               len(content), link, 1 if kind == 2 else 0, 4, entry)
        body += content if number != 1 else b""
        body += b"\0" * (-len(body) % 4)
    note_at = begin + body.rindex(note) if build_id else 0
    # What comes first in memory lies where it does in the file.
    segments = struct.pack("<IIQQQQQQ", 1, 4, 0, 0, 0, 64, 64, 4096)
    segments += struct.pack("<IIQQQQQQ", 1, 5, offset, address, address, size, size, 4096)
    segments += struct.pack("<IIQQQQQQ", 4, 4, note_at, 0, 0, len(note), len(note), 4) if build_id else b""
    count = 3 if build_id else 2
    head = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9) + struct.pack("<HHIQQQIHHHHHH", MOVABLE, 62, 1, 0, 64, begin + len(body), 0, 64,
                                                                  56, count, 64, len(kinds), 4)
    data = (head + segments).ljust(offset, b"\0") + b"\x90" * size + body + headers
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
