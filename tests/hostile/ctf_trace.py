# SPDX-License-Identifier: MIT
"""A small CTF 1.8 trace as a structure that can be changed before it is written: metadata, streams, packets, events.

Every number of a packet is what it should be unless somebody sets it: `None` in a Packet means "what is right".
"""
import dataclasses
import os
import struct

MAGIC = 0xC1FC1FC1
UUID = bytes(range(32, 48))
HEADER = struct.Struct("<I16sI")
CONTEXT = struct.Struct("<QQQQQQI")
MASK = 2**64 - 1

TYPES = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 64; align = 8; signed = true; } := int64_t;
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := clock_t;
typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char_t;
"""

TRACE = """
trace {
	major = 1;
	minor = 8;
	uuid = "20212223-2425-2627-2829-2a2b2c2d2e2f";
	byte_order = le;
	packet.header := struct {
		uint32_t magic;
		uint8_t uuid[16];
		uint32_t stream_id;
	};
};
"""

ENVIRONMENT = """
env {
	hostname = "somewhere";
	domain = "kernel";
	sysname = "Linux";
	kernel_release = "6.1.0";
	tracer_name = "lttng-modules";
	tracer_major = 2;
	tracer_minor = 13;
};
"""

CLOCK = """
clock {
	name = "monotonic";
	freq = 1000000000;
	offset_s = 1000;
	offset = 0;
};
"""

STREAM = """
stream {
	id = 0;
	event.header := struct {
		uint32_t id;
		clock_t timestamp;
	};
	packet.context := struct {
		clock_t timestamp_begin;
		clock_t timestamp_end;
		uint64_t content_size;
		uint64_t packet_size;
		uint64_t packet_seq_num;
		uint64_t events_discarded;
		uint32_t cpu_id;
	};
};
"""

SWITCH, ENTRY, EXIT, TEXT = range(4)
EVENTS = {
    SWITCH: ("sched_switch", "char_t _prev_comm[16]; int32_t _prev_tid; int32_t _prev_prio; int64_t _prev_state; "
             "char_t _next_comm[16]; int32_t _next_tid; int32_t _next_prio;"),
    ENTRY: ("syscall_entry_read", "uint32_t _fd; uint64_t _count;"),
    EXIT: ("syscall_exit_read", "int64_t _ret;"),
    TEXT: ("text", "string _text; uint8_t __length; uint8_t _bytes[ __length ];"),
}


def event_class(number, name, fields):
    return f'\nevent {{\n\tname = "{name}";\n\tid = {number};\n\tstream_id = 0;\n\tfields := struct {{ {fields} }};\n}};\n'


def event(number, time, body=b""):
    return struct.pack("<IQ", number & 0xFFFFFFFF, time & MASK) + body


def switch(time, before, after, name=b"thread"):
    name = name[:16].ljust(16, b"\0")
    return event(SWITCH, time, name + struct.pack("<iiq", before, 20, 1) + name + struct.pack("<ii", after, 20))


def text(time, words, data=b""):
    return event(TEXT, time, words + b"\0" + bytes([len(data)]) + data)


@dataclasses.dataclass
class Packet:
    """One packet; sizes in bits."""

    events: list
    begin: int = 0
    end: int = 0
    sequence: int = 0
    discarded: int = 0
    cpu: int = 0
    magic: int = MAGIC
    stream: int = 0
    content: int = None
    size: int = None
    padding: int = 0

    def encode(self):
        body = b"".join(self.events)
        real = HEADER.size + CONTEXT.size + len(body)
        content = 8 * real if self.content is None else self.content
        size = 8 * (real + self.padding) if self.size is None else self.size
        return (HEADER.pack(self.magic & 0xFFFFFFFF, UUID, self.stream & 0xFFFFFFFF) +
                CONTEXT.pack(*(number & MASK for number in (self.begin, self.end, content, size, self.sequence,
                                                            self.discarded)), self.cpu & 0xFFFFFFFF) +
                body + bytes(self.padding))


@dataclasses.dataclass
class Trace:
    """Metadata in parts, and streams: a list of packets for each file."""

    parts: dict
    streams: dict

    def metadata(self):
        return "".join(self.parts.values())

    def write(self, folder):
        os.makedirs(folder)
        with open(os.path.join(folder, "metadata"), "wb") as file:
            for part in self.parts.values():
                file.write(part if isinstance(part, bytes) else part.encode())
        for name, packets in self.streams.items():
            with open(os.path.join(folder, name), "wb") as file:
                for packet in packets:
                    file.write(packet if isinstance(packet, bytes) else packet.encode())


def small(cpus=2, packets=3, events=12):
    """Threads that take turns on each CPU, system calls and texts."""
    streams = {}
    for cpu in range(cpus):
        time, stream = 1000 + cpu, []
        for sequence in range(packets):
            begin, body = time, []
            for i in range(events):
                time += 10
                thread = 100 * (cpu + 1) + (sequence * events + i) % 5
                body.append((lambda t: switch(t, thread, thread + 1, b"worker"),
                             lambda t: event(ENTRY, t, struct.pack("<IQ", 3, 4096)),
                             lambda t: event(EXIT, t, struct.pack("<q", 512)),
                             lambda t: text(t, b"hello", b"\1\2\3"))[i % 4](time))
            stream.append(Packet(body, begin, time, sequence, 0, cpu))
        streams[f"channel_{cpu}"] = stream
    classes = "".join(event_class(number, *EVENTS[number]) for number in EVENTS)
    return Trace({"types": TYPES, "trace": TRACE, "env": ENVIRONMENT, "clock": CLOCK, "stream": STREAM,
                  "events": classes}, streams)
