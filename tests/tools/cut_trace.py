#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write some packets of each stream of a CTF trace as a trace of its own, as a snapshot of a session has them.

    cut_trace.py TRACE FOLDER FIRST LAST [EVENTS]

Packets FIRST to LAST of each stream, from 0; with EVENTS, only so many events of the last of them, as of a snapshot
that was taken while the packet was being filled.  TRACE has the heads and the events of those in tests/data: a header
of 24 bytes, a context of six numbers and a CPU.
"""
import os
import pathlib
import shutil
import struct
import sys

HEAD = 24 + 6 * 8 + 4
CONTENT, SIZE = 24 + 2 * 8, 24 + 3 * 8
EVENT = {"ctf-calls": 12 + 16 + 16}


def packets_of(data):
    while data:
        size = struct.unpack_from("<Q", data, SIZE)[0] // 8
        yield data[:size]
        data = data[size:]


def shortened(packet, events, event_size):
    content = HEAD + events * event_size
    packet = bytearray(packet[:content].ljust(len(packet), b"\0"))
    struct.pack_into("<Q", packet, CONTENT, 8 * content)
    return bytes(packet)


def main():
    trace, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    first, last = int(sys.argv[3]), int(sys.argv[4])
    os.makedirs(folder)
    shutil.copyfile(trace / "metadata", folder / "metadata")
    for stream in sorted(trace.glob("channel_*")):
        packets = list(packets_of(stream.read_bytes()))[first:last + 1]
        if len(sys.argv) > 5 and len(packets) == last - first + 1:
            packets[-1] = shortened(packets[-1], int(sys.argv[5]), EVENT[trace.name])
        if packets:
            (folder / stream.name).write_bytes(b"".join(packets))


if __name__ == "__main__":
    main()
