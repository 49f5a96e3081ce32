# SPDX-License-Identifier: MIT
"""Stores as somebody sends them who means harm: each is a sound store in which one part was replaced.

What the numbers in the files mean is in histree-format(5).  A file of many gigabytes is sparse and takes no room.
"""
import json
import os
import pathlib
import shutil
import struct

SPARSE = 6 << 30
HEADER = 4096


def crc32c(data):
    """Bit by bit, for the few bytes of headers and tables."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def write_sparse(path, head, size):
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(size)


def block_file(block_size, blocks, sections, size, features=0, base=0):
    """The header of a file of blocks and where its table of sections goes, with right checksums; a section is a name,
    a checksum, an offset and a size."""
    table = b"".join(name.encode() + struct.pack("<IQQ", crc, offset, length) for name, crc, offset, length in sections)
    head = struct.pack("<8sIIQQIIQIIQ", b"\x89histre\n", 1, 1, features, 0, block_size, blocks, size - len(table),
                       len(sections), crc32c(table), size)
    head += struct.pack("<I", crc32c(head))
    if features & 2:  # a tail
        head += struct.pack("<QQ", base, 0)
        head += struct.pack("<I", crc32c(head))
    return head, table


def write_block_file(path, *arguments, **keywords):
    head, table = block_file(*arguments, **keywords)
    size = arguments[-1]
    write_sparse(path, head, size)
    with open(path, "r+b") as file:
        file.seek(size - len(table))
        file.write(table)


def hollow_section(path, name, size):
    """Make a section of a sound file one that is nothing but a hole behind its end."""
    with open(path, "r+b") as file:
        head = bytearray(file.read(68))
        offset, count = struct.unpack_from("<QI", head, 40)
        file.seek(offset)
        table = file.read(24 * count)
        entries = [struct.unpack_from("<4sIQQ", table, 24 * i) for i in range(count)]
        end = path.stat().st_size
        kept = [entry for entry in entries if entry[0] != name]
        table = b"".join(struct.pack("<4sIQQ", *entry) for entry in kept + [(name, 0, end, size)])
        file.seek(end + size)
        file.write(table)
        struct.pack_into("<QIIQ", head, 40, end + size, len(kept) + 1, crc32c(table), end + size + len(table))
        file.seek(0)
        file.write(head[:64] + struct.pack("<I", crc32c(head[:64])))


# ---- the index of events --------------------------------------------------------------------------------------------


def index(store, size=0, events=0, files=0, types=0):
    head = struct.pack("<8sIIQqII", b"HTEVENTS", 2, 0, events, 0, files, types)
    write_sparse(store / "events.idx", head, size or len(head))


def index_of_6_gb(store):
    index(store, SPARSE, 64 * SPARSE - 4096)


def index_of_zeros(store):
    index(store, 150 << 20, 64 * (150 << 20) - 64 * 4096)


def index_of_many_types(store):
    index(store, 100 << 20, 1, 0, 0xFFFFFFFF)


def index_of_empty_names(store):
    index(store, 100 << 20, 1, 0, 99 << 20)


# ---- the manifest ----------------------------------------------------------------------------------------------------


def seal_manifest(text):
    """The text with a right checksum as its last member, which covers the bytes before it.  What is too large is
    refused before anyone looks at its checksum."""
    text, _, _ = text.partition(',\n  "checksum"')
    text = text.rstrip().removesuffix("}").rstrip()
    checksum = crc32c(text.encode()) if len(text) < 1 << 18 else 0
    return f'{text},\n  "checksum": "{checksum:08x}"\n}}\n'


def change_manifest(store, change):
    path = store / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    del manifest["checksum"]
    path.write_text(seal_manifest(json.dumps(manifest)))


def warnings_of_64_mb(store):
    change_manifest(store, lambda manifest: manifest.update(warnings=["w" * 1000] * 64000))


def warnings_of_objects(store):
    change_manifest(store, lambda manifest: manifest.update(warnings=[{}] * 4000000))


def nested_manifest(store):
    (store / "manifest.json").write_text("[" * 2000000)


def many_histories_of_one_file(store):
    change_manifest(store, lambda manifest: manifest.update(
        histories=[dict(manifest["histories"][0], analysis=f"kernel{i}") for i in range(300)]))


def two_histories_of_one_file(store):
    change_manifest(store, lambda manifest: manifest["histories"].append(
        dict(manifest["histories"][0], analysis="kernel2")))


def start_after_end(store):
    change_manifest(store, lambda manifest: manifest.update(start=2**63 - 1, end=-2**63))


def texts_of_numbers(store):
    change_manifest(store, lambda manifest: manifest.update(traces=5, warnings=7))


def file_elsewhere(store):
    change_manifest(store, lambda manifest: manifest["histories"][0].update(file="../../../etc/passwd"))


def version_too_large(store):
    change_manifest(store, lambda manifest: manifest["histories"][0].update(version=2**32 + manifest["histories"][0]["version"]))


def endless_manifest(store):
    (store / "manifest.json").unlink()
    (store / "manifest.json").symlink_to("/dev/zero")


def piped_manifest(store):
    (store / "manifest.json").unlink()
    os.mkfifo(store / "manifest.json")


# ---- what is beside a history ------------------------------------------------------------------------------------------


def overview(store, number=1):
    return store / f"kernel.sht.overview{number}"


def overviews_of_6_gb(store):
    for number in range(1, 17):
        write_block_file(overview(store, number), 4096, SPARSE // 4096 - 2,
                         [("TREE", 0, SPARSE - 8192, 40), ("ATTR", 0, SPARSE - 4096, 4000)], SPARSE)


def overview_is_history(store):
    shutil.copy(store / "kernel.sht", overview(store))


def overview_is_pipe(store):
    os.mkfifo(overview(store))


def tail_of_6_gb(store):
    """The history was never completed, and its tail is a sparse file."""
    with open(store / "kernel.sht", "r+b") as file:
        file.write(bytes(HEADER))
    write_block_file(store / "kernel.sht.tail", 65536, 1, [("TREE", 0, SPARSE - 8192, 4096)], SPARSE, features=2, base=HEADER)


def tail_of_large_extents(store):
    with open(store / "kernel.sht", "r+b") as file:
        file.write(bytes(HEADER))
    write_block_file(store / "kernel.sht.tail", 65536, 50000000,
                     [("EXTS", 0, HEADER, 4 << 30), ("TREE", 0, HEADER + (4 << 30), 40)], SPARSE, features=3, base=HEADER)


def names_of_4_gb(store):
    hollow_section(store / "kernel.sht", b"ATTR", (4 << 30) - 4096)


def lifetimes_of_4_gb(store):
    hollow_section(store / "kernel.sht", b"LIFE", (4 << 30) - 4096)


def checksums_of_1_gb(store):
    hollow_section(store / "kernel.sht", b"SUMS", 1 << 30)


# ---- what is beside segments -------------------------------------------------------------------------------------------


def section_of_4_gb(store):
    """The section that says what the segments are is as long as a section may be."""
    write_block_file(store / "system-calls.seg", 65536, 1, [("SEGM", 0, 65536 + HEADER, (1 << 32) - 8192)], SPARSE)


def side_tables_of_6_gb(store):
    for field in range(4):
        write_block_file(store / f"system-calls.seg.{field}.order", 8192, 1,
                         [("RANK", 0, 8192 + HEADER, (1 << 32) - 8192)], SPARSE)


def side_table_is_folder(store):
    (store / "system-calls.seg.0.order").mkdir()


# ---- the folder --------------------------------------------------------------------------------------------------------


def history_is_endless(store):
    (store / "kernel.sht").unlink()
    (store / "kernel.sht").symlink_to("/dev/zero")


def lock_is_pipe(store):
    """And the store says that it is being built."""
    change_manifest(store, lambda manifest: manifest.update(complete=False))
    os.mkfifo(store / "lock")


def links_in_a_circle(store):
    for name in "kernel.sht", "events.idx", "system-calls.seg":
        (store / name).unlink()
        (store / name).symlink_to(name)


def markup_in_names(store):
    change_manifest(store, lambda manifest: (
        manifest["histories"][0].update(analysis="<script>alert(1)</script>\x1b]0;x\x07"),
        manifest.update(made_by="<img src=x onerror=alert(2)>\x1b[2J", warnings=["<b>\x1b[31mred\u202e"])))


def traces_elsewhere(store):
    change_manifest(store, lambda manifest: manifest.update(
        traces=["net://127.0.0.1:1/host/a/b", "/", "/usr", "/proc/self/fd", "../" * 1000]))


CASES = [index_of_6_gb, index_of_zeros, index_of_many_types, index_of_empty_names,
         warnings_of_64_mb, warnings_of_objects, nested_manifest, many_histories_of_one_file, two_histories_of_one_file,
         start_after_end, texts_of_numbers, file_elsewhere, version_too_large, endless_manifest, piped_manifest,
         overviews_of_6_gb, overview_is_history, overview_is_pipe, tail_of_6_gb, tail_of_large_extents,
         names_of_4_gb, lifetimes_of_4_gb, checksums_of_1_gb,
         section_of_4_gb, side_tables_of_6_gb, side_table_is_folder,
         history_is_endless, lock_is_pipe, links_in_a_circle, markup_in_names, traces_elsewhere]


def hostile_store(sound, folder, case):
    """A copy of a sound store with that part; its path."""
    store = pathlib.Path(folder) / f"{case.__name__}.histree"
    shutil.copytree(sound, store)
    case(store)
    return store
