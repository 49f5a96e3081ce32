#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Read history files by histree-format(5) alone, and compare what they say with the sums of a text.

    read_history.py SUMS FILE...    each file must hold what the text said, and nothing else
    read_history.py --page PAGE FILE   the bytes and numbers that the page shows must be those of the file
    read_history.py --labels FILE   print what values mean, as `histree info --labels --format tsv` does

This is a second reader, made from the manual page and not from the code: while it agrees, the page is right.
"""
import re
import struct
import sys

HEADER = "<8sIIQQIIQIIQI"
NODE_HEADER = "<IIHHIqqIIII"
CHILD_END, CHILD_KEYS = 1, 2
BOUNDS = {1: 0, 2: CHILD_END, 3: 3, 4: 3, 5: 3, 6: 3}  # by variant
CLUSTER = 6


def crc32c(data, table=[]):
    if not table:
        for byte in range(256):
            for _ in range(8):
                byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
            table.append(byte)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def require(condition, what):
    if not condition:
        raise SystemExit(what)


class Bytes:
    """Numbers, one after the other."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def varint(self):
        number = shift = 0
        while True:
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    def value(self):
        """(type, text), as in the golden text."""
        kind = self.take(1)[0]
        if kind == 0:
            return "null", ""
        if kind in (1, 2):
            return ("int", "long")[kind - 1], str(unzigzag(self.varint()))
        if kind == 3:
            return "double", "0x%016x" % struct.unpack("<Q", self.take(8))
        if kind == 4:
            return "bool", ("false", "true")[self.take(1)[0]]
        if kind == 7:
            return "unknown", ""
        data = self.take(self.varint())
        if kind == 6:
            return "custom", data.hex()
        return "string", text_of(data)


def text_of(data):
    return "".join(chr(b) if 32 <= b < 127 and b != 92 else "\\x%02x" % b for b in data)


def unzigzag(number):
    return number >> 1 if number & 1 == 0 else -(number >> 1) - 1


def bits(data, at, width):
    """`width` bits from bit `at` on, least significant first."""
    end = (at + width + 7) // 8
    return int.from_bytes(data[at // 8:end], "little") >> at % 8 & ((1 << width) - 1)


class File:
    """Header, sections and blocks, of histories and of segment stores."""

    def __init__(self, data):
        self.data = data
        fields = struct.unpack_from(HEADER, data)
        (magic, version, oldest, features, _, self.block_size, self.block_count, table, count, table_crc, size,
         crc) = fields
        require(magic == b"\x89histre\n" and version in (1, 2) and oldest == 1, "no history of format 1 or 2")
        require(crc == crc32c(data[:64]) and size == len(data), "header")
        require(table_crc == crc32c(data[table:table + 24 * count]), "table of sections")
        self.sections = {}
        for i in range(count):
            name, crc, offset, size = struct.unpack_from("<4sIQQ", data, table + 24 * i)
            require(crc == crc32c(data[offset:offset + size]), f"section {name}")
            self.sections[name.decode()] = data[offset:offset + size]
        self.sizes = [self.block_size] * self.block_count
        if features & 1:
            extents = Bytes(self.sections["EXTS"])
            self.sizes = [extents.varint() for _ in range(self.block_count)]
        require(version == 1 or self.sections["SUMS"] == b"".join(node[:4] for _, node in self.nodes()),
                "a block of another file")

    def nodes(self):
        """(number, bytes) of each block."""
        at = 4096
        for number, size in enumerate(self.sizes):
            yield number, self.data[at:at + size]
            at += size


class History(File):
    def __init__(self, data):
        super().__init__(data)
        (self.variant, self.r_depth, self.fan_out, self.root, self.key_count, self.start,
         self.end) = struct.unpack("<IIIIIqq", self.sections["TREE"])
        self.child_size = 12 + (8 if BOUNDS[self.variant] & CHILD_END else 0) + (
            8 if BOUNDS[self.variant] & CHILD_KEYS else 0)

    # ---- names

    def paths(self):
        section = self.sections["ATTR"]
        count, text_count, shape_count, run_count, text_bytes, shape_bytes, run_bytes = struct.unpack(
            "<4I3Q", section[-40:])
        texts, at = self.texts(section, 0, text_bytes, text_count)
        runs, at = self.runs(section, at, run_bytes, run_count)
        shapes, at = self.texts(section, at, shape_bytes, shape_count)
        width = max(run_count - 1, 0).bit_length()
        order = [bits(section, at * 8 + i * width, width) for i in range(run_count)]
        require(at + (run_count * width + 7) // 8 == len(section) - 40, "parts of section ATTR")

        names, parents = [], []
        for first, groups, parent, shape, name, _, _ in runs:
            require(first == len(names), "runs do not follow one another")
            for group in range(groups + 1):
                head = len(names)
                names.append(name + 2 * group)
                parents.append(parent - 1)
                members, before = Bytes(shapes[shape]), 0
                for _ in range(members.varint()):
                    parents.append(head + members.varint())
                    before += 2 + unzigzag(members.varint())
                    names.append(before)
        require(len(names) == count, "number of attributes")
        texts = [texts[name // 2].decode() if name & 1 else str(name // 2) for name in names]
        self.check_order(runs, order, texts, parents)
        paths = []
        for text, parent in zip(texts, parents):
            text = text.replace("\\", "\\\\").replace("/", "\\/")
            paths.append(text if parent < 0 else paths[parent] + "/" + text)
        return paths

    @staticmethod
    def check_order(runs, order, names, parents):
        """By parent; of each the oldest first, the others by name; and the links from run to run."""
        def sort_key(number):
            head = runs[number][0]
            oldest = all(parents[run[0]] != parents[head] for run in runs[:number])
            name = names[head]
            known = name.isdecimal() and str(int(name)) == name and int(name) < 2**31 - 1
            return parents[head], not oldest, not known, int(name) if known else 0, name.encode()
        require(order == sorted(range(len(runs)), key=sort_key), "order of the runs")
        for number, (first, groups, _, _, _, link, late) in enumerate(runs):
            later = [run[0] for run in runs[number + 1:] if parents[run[0]] == parents[first]]
            end = runs[number + 1][0] if number + 1 < len(runs) else len(names)
            last_head = end - (end - first) // (groups + 1)
            require(link == (later[0] - last_head if later else 0), "link to the next child")
            require(late == any(first <= parents[run[0]] < end for run in runs[number + 1:]), "late children")

    @staticmethod
    def directory(section, at, size, count):
        """Where the blocks begin that take `size` bytes from `at` on, and what is after their directory."""
        width = size.bit_length()
        offsets = [at + bits(section, (at + size) * 8 + i * width, width) for i in range(count)]
        return offsets, at + size + (count * width + 7) // 8

    def texts(self, section, at, size, count):
        offsets, behind = self.directory(section, at, size, (count + 31) // 32)
        texts = []
        for offset in offsets:
            reader, rows = Bytes(section, offset), min(32, count - len(texts))
            least, width = reader.varint(), reader.take(1)[0]
            packed = reader.take((rows * width + 7) // 8)
            texts += [reader.take(least + bits(packed, i * width, width)) for i in range(rows)]
        return texts, behind

    def runs(self, section, at, size, count):
        offsets, behind = self.directory(section, at, size, (count + 63) // 64)
        runs = []
        for offset in offsets:
            reader, rows = Bytes(section, offset), min(64, count - len(runs))
            lines = [(reader.varint(), reader.varint()) for _ in range(7)]
            columns, bit = [], 0
            for (base, step), width in zip(lines, reader.take(7)):
                columns.append([base + i * step + bits(section, reader.at * 8 + bit + i * width, width)
                                for i in range(rows)])
                bit += rows * width
            runs += zip(*columns)
        return runs, behind

    # ---- nodes

    def intervals(self):
        """(key, start, end, value) of all nodes, and the nulls that section LIFE stands for."""
        for number, node in self.nodes():
            (crc, own, height, children, count, start, end, key_min, key_max, used,
             body) = struct.unpack_from(NODE_HEADER, node)
            require(own == number and crc == crc32c(node[4:used]), f"node {number}")
            require(not any(node[used:]), f"node {number}: not zero after its end")
            require(body == 48 + children * self.child_size, f"node {number}: children")
            columns = self.variant == CLUSTER and height == 0
            rows = list(self.columns(node, start, end) if columns else self.rows(node, body, used, count, start))
            require(len(rows) == count, f"node {number}: {len(rows)} intervals, it says {count}")
            for key, first, last, _ in rows:
                require(key_min <= key <= key_max and start <= first <= last <= end, f"node {number}: bounds")
            require([row[:2] for row in rows] == sorted(row[:2] for row in rows), f"node {number}: order")
            yield from rows
        if "LIFE" in self.sections:
            yield from self.nulls()

    def rows(self, node, body, used, count, start):
        index = used - (count + 15) // 16 * 4
        reader = Bytes(node, body)
        for row in range(count):
            if row % 16 == 0:
                require(struct.unpack_from("<I", node, index + row // 16 * 4)[0] == reader.at, "index")
            first = start + reader.varint()
            last = first + reader.varint()
            yield reader.varint(), first, last, reader.value()
        require(reader.at == index, "rows do not end at the index")

    def columns(self, node, start, end):
        direct, times, blocks, values, time_heads, block_heads, dictionary, segments = struct.unpack_from(
            "<8I", node, 48)
        last_moment = end - start + 1 if direct else times - 1

        def time_of(moment):
            if direct:
                return moment
            require(moment < times, "moment")
            first, offset, width = struct.unpack_from("<QII", node, time_heads + moment // 64 * 16)
            return first + bits(node, offset * 8 + moment % 64 * width, width)

        entries = [Bytes(node, struct.unpack_from("<I", node, dictionary + 4 * i)[0]).value() for i in range(values)]
        seen = 0
        for block in range(blocks):
            key, offset = struct.unpack_from("<II", node, block_heads + 8 * block)
            reader = Bytes(node, offset)
            says = reader.take(1)[0]
            count, first_apart, last_apart = says % 64 + 1, says >> 6 & 1, says >> 7
            seen += count
            widths = list(reader.take(10))
            least = [reader.varint() for _ in range(10)]
            at = reader.at * 8
            fields = []
            for width, minimum in zip(widths, least):
                fields.append([minimum + bits(node, at + i * width, width) for i in range(count)])
                at += count * width
            require(fields[0][0] == key, "head of a block")
            for (key, moment, more, step_min, step_width, kind, base, value_width,
                 first_step, before_last) in zip(*fields):
                steps, codes = at, at + max(0, more + 1 - first_apart - last_apart) * step_width
                at = codes + (more + 1) * value_width
                for i in range(more + 1):
                    if last_apart and i == more:
                        behind = last_moment - before_last
                    elif first_apart and i == 0:
                        behind = moment + first_step
                    else:
                        place = steps + (i - first_apart) * step_width
                        behind = moment + step_min + bits(node, place, step_width)
                    code = bits(node, codes + i * value_width, value_width)
                    yield (key, start + time_of(moment), start + time_of(behind) - 1,
                           self.column_value(kind, base, code, entries))
                    moment = behind
        require(seen == segments, "number of segments")

    @staticmethod
    def column_value(kind, base, code, entries):
        if kind == 0:
            return "int", str(unzigzag(base) + code)
        if kind == 1:
            return ("null", "") if code == 0 else ("int", str(unzigzag(base) + code - 1))
        return entries[base + code] if kind == 2 else ("null", "")

    def nulls(self):
        section = self.sections["LIFE"]
        size, = struct.unpack("<Q", section[-8:])
        width = size.bit_length()
        for key in range(self.key_count):
            if key % 64 == 0:
                block = Bytes(section, bits(section, size * 8 + key // 64 * width, width))
                firsts = self.lifetime_column(block)
                lasts = self.lifetime_column(block)
            first, last = self.start + firsts[key % 64], self.end - lasts[key % 64]
            if last < first:
                yield key, self.start, self.end, ("null", "")
                continue
            if first > self.start:
                yield key, self.start, first - 1, ("null", "")
            if last < self.end:
                yield key, last + 1, self.end, ("null", "")

    @staticmethod
    def lifetime_column(block):
        least, (count, width) = block.varint(), block.take(2)
        changes = int.from_bytes(block.take(8), "little") if count > 0 else 1
        fresh = changes if width & 128 else int.from_bytes(block.take(8), "little")
        width &= 127
        packed = block.take(((count + 1) * width + 7) // 8)
        stored = iter([least + bits(packed, i * width, width) for i in range(count + 1)])
        numbers, now, before = [], None, None
        for i in range(64):
            if changes >> i & 1:
                now, before = next(stored) if fresh >> i & 1 else before, now
            numbers.append(now)
        return numbers

    def text(self):
        paths = self.paths()
        rows = sorted(self.intervals(), key=lambda row: row[:2])
        return "".join("%s\t%d\t%d\t%s\t%s\n" % (paths[key], first, last, *value) for key, first, last, value in rows)


def check_text(path, text, sums_path):
    """Of each 32 lines of the text, SUMS has the CRC-32C and the first (golden_history.h)."""
    with open(sums_path, encoding="utf-8", newline="") as file:
        expected = file.read().split("\n")[:-1]
    lines = text.split("\n")[:-1]
    groups = [lines[i:i + 32] for i in range(0, len(lines), 32)]
    require(len(groups) == len(expected), f"{path}: too short or too long")
    for number, (group, sums) in enumerate(zip(groups, expected)):
        crc = crc32c("".join(line + "\n" for line in group).encode())
        require(f"{crc:08x}\t{group[0]}" == sums, f"{path}: not as {sums_path} says ({sums}), from line "
                f"{32 * number + 1} on:\n" + "\n".join(group))
    return len(lines)


def check_page(page_path, file_path):
    """Lines of the page such as `00001000  1b 15 17 85` show bytes of the file."""
    with open(page_path, encoding="utf-8") as file:
        page = file.read()
    with open(file_path, "rb") as file:
        data = file.read()
    shown = 0
    for offset, text in re.findall(r"^\t([0-9a-f]{8})  ((?:[0-9a-f]{2} ?)+)", page, re.M):
        at, expected = int(offset, 16), bytes.fromhex(text)
        require(data[at:at + len(expected)] == expected,
                f"{page_path}: at {offset} the file has {data[at:at + len(expected)].hex(' ')}")
        shown += len(expected)
    require(shown > 0, f"{page_path}: shows no bytes")
    print(f"{page_path}: {shown} bytes as in {file_path}")


# ---- labels

def print_labels(path):
    """Section LABL."""
    with open(path, "rb") as file:
        section = File(file.read()).sections.get("LABL", b"")
    print("pattern", "value", "to", "type", "name", "key", "light", "dark", "height", "meaning", sep="\t")
    if not section:
        return
    reader = Bytes(section)

    def text():
        return reader.take(reader.varint()).decode()

    def label():
        flags = reader.take(1)[0]
        value = to = kind = ""
        if flags & 3 == 0:
            first = last = unzigzag(reader.varint())
            if flags & 4:
                last = first + reader.varint()
                to = last
            value, kind = first, "int" if -2**31 <= first and last < 2**31 else "long"
        elif flags & 3 == 1:
            value, kind = text(), "string"
        if flags & 16:
            return [value, to, kind, *[""] * 5], flags & 3
        key, name, height = text(), text(), reader.take(1)[0] / 100
        colours = ["", ""] if flags & 32 else ["#" + reader.take(3).hex() for _ in range(2)]
        return [value, to, kind, name, key, *colours, f"{height:g}"], flags & 3

    require(reader.varint() == 1, "version of LABL")
    for _ in range(reader.varint()):
        text()
        meanings = ["", "thread-status", "cpu-status", "tid", "irq", "softirq-status", "frequency"]
        meaning = meanings[reader.varint()]
        has_colours = reader.varint()
        patterns = [text() for _ in range(reader.varint())]
        labels = [label() for _ in range(reader.varint())]
        others_are_hidden = not has_colours and not any(kind == 2 for _, kind in labels)
        for pattern in patterns:
            for row in [row for row, _ in labels] + [[""] * 8] * others_are_hidden:
                print(pattern, *row, meaning, sep="\t")
    require(reader.at == len(section), "bytes after the labels")


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    if sys.argv[1] == "--labels":
        print_labels(sys.argv[2])
    elif sys.argv[1] == "--page":
        check_page(sys.argv[2], sys.argv[3])
    else:
        for path in sys.argv[2:]:
            with open(path, "rb") as file:
                print(f"{path}: {check_text(path, History(file.read()).text(), sys.argv[1])} intervals")


if __name__ == "__main__":
    main()
