# SPDX-License-Identifier: MIT
"""A CTF 1.8 trace of one stream for tests of the command: write(FOLDER, ...), with what differs from the usual."""
import os
import struct
import uuid

TYPES = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 16; align = 8; signed = false; } := u16;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
"""


def write(folder, fields, bodies, *, bits=64, frequency=10**9, environment="", begin=None, per_packet=None,
          clock=True, other_uuid=False, ids=lambda i: 4, extra="", cpu=None):
    """Write events: pairs of a time and the bytes of their fields.

    `begin` is what packets say of when they begin, a function of
    their first time, or None: they say of no time.  `extra` has other event classes, whose ids `ids` gives.
    """
    own = uuid.UUID(int=0x77)
    kind = {32: "I", 64: "Q"}[bits]
    os.makedirs(folder)
    with open(os.path.join(folder, "metadata"), "w", encoding="utf-8") as file:
        file.write(TYPES)
        file.write(f'trace {{ major = 1; minor = 8; byte_order = le; uuid = "{own}"; packet.header := struct {{ '
                   "u32 magic; u8 uuid[16]; }; };\n")
        file.write(f"env {{ {environment} }};\n" if environment else "")
        if clock:
            file.write(f"clock {{ name = beat; freq = {frequency}; }};\n")
            file.write(f"typealias integer {{ size = {bits}; align = 8; map = clock.beat.value; }} := beat_t;\n")
        times = "beat_t timestamp_begin; beat_t timestamp_end; " if begin else ""
        head = f"{times}u32 packet_size; u32 content_size;{'' if cpu is None else ' u32 cpu_id;'}"
        file.write(extra)
        file.write(f"stream {{ packet.context := struct {{ {head} }}; event.header := struct {{ u8 id; "
                   f"{'beat_t timestamp; ' if clock else ''}}}; }};\n")
        file.write(f"event {{ name = \"pulse\"; id = 4; fields := struct {{ {fields} }}; }};\n")
    count = per_packet or len(bodies)
    with open(os.path.join(folder, "stream"), "wb") as file:
        for first in range(0, len(bodies), count):
            packet = bodies[first:first + count]
            mask = 2**bits - 1
            body = b""
            for i, (time, data) in enumerate(packet):
                body += struct.pack("<B", ids(first + i)) + (struct.pack("<" + kind, time & mask) if clock else b"") + data
            stamp = struct.pack(f"<2{kind}", begin(packet[0][0]) & mask, packet[-1][0] & mask) if begin else b""
            stamped = b"" if cpu is None else struct.pack("<I", cpu)
            size = 8 * (4 + 16 + len(stamp) + 8 + len(stamped) + len(body))
            identity = uuid.UUID(int=0x78) if other_uuid else own
            file.write(struct.pack("<I", 0xC1FC1FC1) + identity.bytes + stamp + struct.pack("<II", size, size) + stamped
                       + body)
