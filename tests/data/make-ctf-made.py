#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write ctf-made/: a small CTF 1.8 trace that has one of everything tests/unit/trace/test_trace.c asks for.

    make-ctf-made.py FOLDER

channel_0   CPU 0: three packets; 7 events are lost before the second, one packet before the third
channel_1   CPU 1: two packets; the clock steps back between them; one event at the time of one in channel_0
channel_2   no CPU in the packet: the event names it (perf_cpu), or nobody does
"""
import os
import struct
import sys

UUID = bytes(range(16))
MAGIC = 0xC1FC1FC1
PACKET_SIZE = 512

METADATA = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := unsigned long;
typealias integer { size = 64; align = 8; signed = false; map = clock.made.value; } := clock_t;
typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char_t;

trace {
	major = 1;
	minor = 8;
	uuid = "00010203-0405-0607-0809-0a0b0c0d0e0f";
	byte_order = le;
	packet.header := struct {
		uint32_t magic;
		uint8_t uuid[16];
		uint32_t stream_id;
	};
};

env {
	hostname = "somewhere";
	domain = "kernel";
	tracer_name = "lttng-modules";
	tracer_major = 2;
	tracer_minor = 8;
	machine = "x86_64";
};

clock {
	name = "made";
	freq = 1000000000;
	offset_s = 1000;
};

struct event_header {
	uint32_t id;
	clock_t timestamp;
};

struct packet_context {
	clock_t timestamp_begin;
	clock_t timestamp_end;
	unsigned long content_size;
	unsigned long packet_size;
	unsigned long packet_seq_num;
	unsigned long events_discarded;
	uint32_t cpu_id;
};

stream {
	id = 0;
	event.header := struct event_header;
	event.context := struct {
		integer { size = 32; align = 8; signed = true; } _vtid;
		integer { size = 32; align = 8; signed = true; } _twice;
	};
	packet.context := struct packet_context;
};

stream {
	id = 7;
	event.header := struct event_header;
	packet.context := struct {
		unsigned long packet_size;
		unsigned long content_size;
	};
};

event {
	name = "numbers";
	id = 0;
	stream_id = 0;
	fields := struct {
		uint8_t _small;
		integer { size = 32; align = 8; signed = true; } _negative;
		integer { size = 64; align = 8; signed = false; } _large;
		enum : uint8_t { one = 1, two = 2 } _choice;
	};
};

event {
	name = "texts";
	id = 1;
	stream_id = 0;
	fields := struct {
		string _filename;
		char_t _comm[16];
		uint8_t __raw_length;
		uint8_t _raw[ __raw_length ];
	};
};

event {
	name = "contexts";
	id = 2;
	stream_id = 0;
	context := struct {
		integer { size = 32; align = 8; signed = true; } _depth;
	};
	fields := struct {
		integer { size = 32; align = 8; signed = true; } _twice;
	};
};

event {
	name = "empty";
	id = 3;
	stream_id = 0;
	fields := struct { };
};

event {
	name = "cpu_inside";
	id = 0;
	stream_id = 7;
	fields := struct {
		uint32_t perf_cpu;
	};
};

event {
	name = "cpu_nowhere";
	id = 1;
	stream_id = 7;
	fields := struct {
		uint32_t other;
	};
};
"""


def event(number, time, *parts, context=True):
    """Header, the common context (thread 42, twice = 1000 + number) and what follows."""
    head = struct.pack("<IQ", number, time)
    return head + (struct.pack("<ii", 42, 1000 + number) if context else b"") + b"".join(parts)


def numbers(time, small):
    return event(0, time, struct.pack("<BiQB", small, -small, 2**40 + small, 1 + small % 2))


def texts(time, filename, comm, raw):
    return event(1, time, filename.encode() + b"\0", comm.encode().ljust(16, b"\0"), bytes([len(raw)]), raw)


def contexts(time, depth):
    return event(2, time, struct.pack("<ii", depth, -1))


def empty(time):
    return event(3, time)


def packet(cpu, sequence, discarded, begin, end, events):
    body = b"".join(events)
    head = struct.pack("<I16sI", MAGIC, UUID, 0)
    size = len(head) + 6 * 8 + 4 + len(body)
    head += struct.pack("<QQQQQQI", begin, end, 8 * size, 8 * PACKET_SIZE, sequence, discarded, cpu)
    return (head + body).ljust(PACKET_SIZE, b"\0")


def packet_without_cpu(events):
    body = b"".join(events)
    head = struct.pack("<I16sI", MAGIC, UUID, 7)
    size = len(head) + 2 * 8 + len(body)
    return (head + struct.pack("<QQ", 8 * PACKET_SIZE, 8 * size) + body).ljust(PACKET_SIZE, b"\0")


STREAMS = {
    "channel_0": [
        packet(0, 0, 0, 100, 140, [numbers(100, 1), texts(110, "/etc/made", "made", b"\1\2"), empty(140)]),
        packet(0, 1, 7, 150, 190, [contexts(150, 5), numbers(160, 2), numbers(170, 3), empty(190)]),
        packet(0, 3, 7, 200, 230, [texts(200, "", "exactly16letters", b""), empty(210), numbers(230, 4)]),
    ],
    "channel_1": [
        packet(1, 0, 0, 105, 180, [empty(105), numbers(160, 5), empty(180)]),
        packet(1, 1, 0, 175, 220, [empty(175), empty(177), numbers(220, 6)]),
    ],
    "channel_2": [
        packet_without_cpu([
            event(0, 120, struct.pack("<I", 3), context=False),
            event(1, 130, struct.pack("<I", 9), context=False),
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
