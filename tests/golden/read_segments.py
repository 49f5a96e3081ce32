#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Read a segment store by histree-format(5) alone, and compare what it says with the sums of a text.

    read_segments.py SUMS FILE
    read_segments.py --table FILE TABLE FIELD      the side table of a field: it has every segment, in order

As read_history.py, a second reader: made from the manual page and not from the code.
"""
import struct
import sys

from read_history import Bytes, File, NODE_HEADER, bits, check_text, crc32c, require, text_of

SEGMENTS = 7
TYPES = ("null", "int", "long", "double", "bool", "string")
TOP = 1 << 63


class Segments(File):
    def __init__(self, data):
        super().__init__(data)
        require(struct.unpack_from("<I", self.sections["TREE"])[0] == SEGMENTS, "no segment store")
        section = Bytes(self.sections["SEGM"], 36)
        self.extents = struct.unpack_from("<qqQQ", section.data)
        self.version = struct.unpack_from("<I", section.data, 32)[0]
        self.provider = section.take(section.varint()).decode()
        self.fields = []
        for _ in range(section.take(1)[0]):
            kind = TYPES[section.take(1)[0]]
            self.fields.append((kind, section.take(section.varint()).decode()))
        require(section.at == len(section.data), "section SEGM")

    def segments(self):
        """(start, end, values) of all leaves, in the order of the file."""
        bounds = {}
        for number, node in self.nodes():
            (crc, own, height, children, count, start, end, _, _, used, body) = struct.unpack_from(NODE_HEADER, node)
            require(own == number and crc == crc32c(node[4:used]), f"node {number}")
            require(not any(node[used:]), f"node {number}: not zero after its end")
            require(body == 48 + 52 * children, f"node {number}: children")
            if height > 0:
                parts = [struct.unpack_from("<IqqqqQQ", node, 48 + 52 * i) for i in range(children)]
                for child, *rest in parts:
                    require(tuple(rest) == bounds[child], f"node {number}: bounds of node {child}")
                bounds[number] = enclosing([part[1:] for part in parts])
            else:
                rows = list(self.leaf(node))
                require(len(rows) == count, f"node {number}: {len(rows)} segments, it says {count}")
                bounds[number] = enclosing([(a, b, a, b, b - a, b - a) for a, b, _ in rows])
                require(bounds[number][2:] == struct.unpack_from("<qqQQ", node, 48), f"node {number}: bounds")
                yield from rows
            require(bounds[number][:2] == (start, end), f"node {number}: start and end")

    def leaf(self, node):
        blocks, string_count, strings, field_count = struct.unpack_from("<IIII", node, 80)
        require(field_count == len(self.fields), "fields")
        offsets = struct.unpack_from(f"<{string_count + 1}I", node, strings)
        names = [node[a:b] for a, b in zip(offsets, offsets[1:])]
        for block in range(blocks):
            (offset, more, start_width, width, zero, first, last, shortest,
             longest) = struct.unpack_from("<IBBBBqqQQ", node, 96 + 40 * block)
            require(zero == 0, "head of a block")
            count, at = more + 1, 8 * (offset + 10 * field_count)
            starts = [first]
            for _ in range(more):
                starts.append(starts[-1] + bits(node, at, start_width))
                at += start_width
            durations = [shortest + bits(node, at + i * width, width) for i in range(count)]
            at += count * width
            require(starts[-1] == last and min(durations) == shortest and max(durations) == longest, "block")
            columns = []
            for field, (kind, _) in enumerate(self.fields):
                least, code_width, nulls = struct.unpack_from("<QBB", node, offset + 10 * field)
                null = [nulls and bits(node, at + i, 1) for i in range(count)]
                at += nulls * count
                codes = [least + bits(node, at + i * code_width, code_width) for i in range(count)]
                at += code_width * count
                columns.append([("null", "") if no else (kind, value_text(kind, code, names))
                                for no, code in zip(null, codes)])
            for i in range(count):
                yield starts[i], starts[i] + durations[i], [column[i] for column in columns]

    def placed(self):
        """((number of the node, index of the block times 128 plus that of the segment), start, end, values)."""
        for number, node in self.nodes():
            if struct.unpack_from("<H", node, 8)[0] == 0:
                places = [128 * block + i for block in range(struct.unpack_from("<I", node, 80)[0])
                          for i in range(node[96 + 40 * block + 4] + 1)]
                for place, row in zip(places, self.leaf(node)):
                    yield (number, place), *row

    def text(self):
        rows = ["\t".join([self.provider, str(self.version)] + [part for field in self.fields for part in field]),
                "%d\t%d\t%d\t%d" % self.extents]
        for start, end, values in self.segments():
            rows.append("\t".join([str(start), str(end)] + [part for value in values for part in value]))
        return "\n".join(rows) + "\n"


class Table(File):
    PLACES = 1024

    def __init__(self, data, store):
        super().__init__(data)
        rank, count = self.sections["RANK"], sum(1 for _ in store.segments())
        require(struct.unpack_from("<QII", rank) == (count, crc32c(store.sections["SEGM"]), store.block_count),
                "whose the table is")
        require(rank[16:16 + 4 * store.block_count] == b"".join(node[:4] for _, node in store.nodes()), "checksums")
        self.times = list(struct.iter_unpack("<qq", rank[16 + 4 * store.block_count:]))
        require(len(self.times) == self.block_count == -(-count // self.PLACES), "pages")

    def places(self):
        for number, page in self.nodes():
            crc, own, count, width, place_width, zero, least, more_zero = struct.unpack_from("<IIIBBHII", page)
            used = 24 + (count * (width + place_width) + 7) // 8
            require(crc == crc32c(page[4:used]) and own == number and zero == more_zero == 0, f"page {number}")
            require(count == self.PLACES or number + 1 == self.block_count, f"page {number} is not full")
            at = 8 * 24 + count * width
            yield [(least + bits(page, 8 * 24 + i * width, width), bits(page, at + i * place_width, place_width))
                   for i in range(count)]


def sort_key(kind, text):
    """Null first, numbers by their size, strings by their bytes."""
    if kind == "null":
        return (0,)
    if kind in ("int", "long"):
        return (1, int(text))
    return (1, text.encode().decode("unicode_escape").encode("latin-1"))


def check_table(store_path, table_path, field):
    with open(store_path, "rb") as file:
        store = Segments(file.read())
    with open(table_path, "rb") as file:
        table = Table(file.read(), store)
    rows = list(store.placed())
    times = {place: (start, end) for place, start, end, _ in rows}
    expected = [row[-1] for row in sorted((sort_key(*values[field]), start, end, place)
                                          for place, start, end, values in rows)]
    found = []
    for (start, end), page in zip(table.times, table.places()):
        found += page
        require(start == min(times[place][0] for place in page) and end == max(times[place][1] for place in page),
                "times of a page")
    require(found == expected, f"{table_path}: is not in order")
    print(f"{table_path}: {len(found)} places")


def enclosing(parts):
    """Start, end, greatest start, smallest end, smallest and greatest duration of all."""
    columns = list(zip(*parts))
    return (min(columns[0]), max(columns[1]), max(columns[2]), min(columns[3]), min(columns[4]), max(columns[5]))


def value_text(kind, code, names):
    if kind in ("int", "long"):
        return str(code - TOP)
    if kind == "double":
        return "0x%016x" % (code ^ TOP if code & TOP else ~code & (2 * TOP - 1))
    return ("false", "true")[code] if kind == "bool" else text_of(names[code])


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "--table":
        check_table(*sys.argv[2:4], int(sys.argv[4]))
        return
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    with open(sys.argv[2], "rb") as file:
        lines = check_text(sys.argv[2], Segments(file.read()).text(), sys.argv[1])
    print(f"{sys.argv[2]}: {lines - 2} segments")


if __name__ == "__main__":
    main()
