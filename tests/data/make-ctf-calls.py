#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write ctf-calls/: a small CTF 1.8 trace of functions, as lttng-ust-cyg-profile records them.

    make-ctf-calls.py FOLDER

Two threads of one process on two CPUs: recursion, a call that never ends, an exit that never began, a longjmp() out
of two calls; and on CPU 1 events are lost, in which one call may have ended.
"""
import os
import struct
import sys

UUID = bytes(range(16, 32))
MAGIC = 0xC1FC1FC1
PACKET_SIZE = 1024

METADATA = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; base = 16; } := uint64_t;
typealias integer { size = 64; align = 8; signed = false; } := unsigned long;
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := clock_t;
typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char_t;

trace {
	major = 1;
	minor = 8;
	uuid = "10111213-1415-1617-1819-1a1b1c1d1e1f";
	byte_order = le;
	packet.header := struct {
		uint32_t magic;
		uint8_t uuid[16];
		uint32_t stream_id;
	};
};

env {
	hostname = "somewhere";
	domain = "ust";
	tracer_name = "lttng-ust";
	tracer_major = 2;
	tracer_minor = 13;
};

clock {
	name = "monotonic";
	freq = 1000000000;
	offset_s = 1000;
};

stream {
	id = 0;
	event.header := struct {
		uint32_t id;
		clock_t timestamp;
	};
	event.context := struct {
		integer { size = 32; align = 8; signed = true; } _vpid;
		integer { size = 32; align = 8; signed = true; } _vtid;
		char_t _procname[8];
	};
	packet.context := struct {
		clock_t timestamp_begin;
		clock_t timestamp_end;
		unsigned long content_size;
		unsigned long packet_size;
		unsigned long packet_seq_num;
		unsigned long events_discarded;
		uint32_t cpu_id;
	};
};

event {
	name = "lttng_ust_cyg_profile:func_entry";
	id = 0;
	stream_id = 0;
	fields := struct {
		uint64_t _addr;
		uint64_t _call_site;
	};
};

event {
	name = "lttng_ust_cyg_profile:func_exit";
	id = 1;
	stream_id = 0;
	fields := struct {
		uint64_t _addr;
		uint64_t _call_site;
	};
};
"""

ENTRY, EXIT = 0, 1
MAIN, FACTORIAL, WORK, JUMP = 0x401000, 0x401100, 0x401200, 0x401300


def event(kind, time, tid, function):
    context = struct.pack("<ii8s", 100, tid, b"made")
    return time, struct.pack("<IQ", kind, time) + context + struct.pack("<QQ", function, function + 5)


def packet(cpu, sequence, discarded, events):
    body = b"".join(data for _, data in events)
    head = struct.pack("<I16sI", MAGIC, UUID, 0)
    size = len(head) + 6 * 8 + 4 + len(body)
    head += struct.pack("<QQQQQQI", events[0][0], events[-1][0], 8 * size, 8 * PACKET_SIZE, sequence, discarded,
                        cpu)
    return (head + body).ljust(PACKET_SIZE, b"\0")


STREAMS = {
    "channel_0": [
        packet(0, 0, 0, [
            event(EXIT, 1000, 100, JUMP),
            event(ENTRY, 1100, 100, MAIN),
            event(ENTRY, 1200, 100, FACTORIAL),
            event(ENTRY, 1300, 100, FACTORIAL),
            event(ENTRY, 1400, 100, FACTORIAL),
            event(EXIT, 1410, 100, FACTORIAL),
            event(EXIT, 1500, 100, FACTORIAL),
            event(EXIT, 1800, 100, FACTORIAL),
            event(ENTRY, 2000, 100, JUMP),
            event(ENTRY, 2100, 100, WORK),
            event(ENTRY, 2200, 100, WORK),
            event(EXIT, 2600, 100, JUMP),
        ]),
    ],
    "channel_1": [
        packet(1, 0, 0, [
            event(ENTRY, 1250, 101, WORK),
            event(EXIT, 1750, 101, WORK),
            event(ENTRY, 2900, 101, WORK),
        ]),
        packet(1, 1, 4, [
            event(EXIT, 3500, 101, WORK),
            event(ENTRY, 3600, 101, WORK),
            event(EXIT, 3700, 101, WORK),
        ]),
    ],
}


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "metadata"), "w", encoding="ascii") as file:
        file.write(METADATA)
    for name, packets in STREAMS.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b"".join(packets))


if __name__ == "__main__":
    main()
