# SPDX-License-Identifier: MIT
"""Random changes of a small trace that know what they change: a token of the metadata, a number of a packet, a byte
of an event.  The same seed makes the same trace."""
import json
import os
import re
import sys

import ctf_trace as ctf

sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir, "differential"))
import twin  # noqa: E402 (a folder beside this one)

EXTREMES = (0, 1, 2, 7, 8, 31, 32, 63, 64, 65, 127, 255, 256, 4095, 2**15, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32,
            2**61, 2**63 - 1, 2**63, 2**64 - 8, 2**64 - 1, 2**64, 10**30)
TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|:=|[A-Za-z0-9_.]+|\s+|.', re.DOTALL)
WORDS = (b"{", b"}", b"[", b"]", b"<", b">", b"(", b")", b";", b"=", b":=", b",", b"...", b"-", b"struct", b"variant",
         b"enum", b"integer", b"string", b"floating_point", b"typealias", b"event", b"stream", b"trace", b"env",
         b"clock", b"size", b"align", b"signed", b"id", b"name", b"fields", b"uint8_t", b"packet.context", b'""',
         b"stream.packet.context.cpu_id", b"trace.packet.header.magic", b"/*", b"//", b"\\")
NUMBERS = ("begin", "end", "sequence", "discarded", "cpu", "magic", "stream", "content", "size")


def change_token(random, tokens):
    places = [i for i, token in enumerate(tokens) if not token.isspace()]
    at, other = random.choice(places), random.choice(places)
    kind = random.randrange(7)
    numbers = [i for i in places if tokens[i].isdigit()]
    if kind <= 1 and numbers:
        tokens[random.choice(numbers)] = str(random.choice(EXTREMES)).encode()
    elif kind == 2:
        tokens[at] = b""
    elif kind == 3:
        tokens[at], tokens[other] = tokens[other], tokens[at]
    elif kind == 4:
        tokens[at] = tokens[other]
    elif kind == 5:
        tokens.insert(at, random.choice(WORDS) + b" ")
    else:
        first, last = min(at, other), max(at, other)
        tokens[at:at] = tokens[first:min(last, first + 60)]


def change_metadata(random, trace):
    tokens = TOKENS.findall(trace.metadata().encode())
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        change_token(random, tokens)
    trace.parts = {"all": b"".join(tokens)}


def change_packet(random, trace):
    stream = random.choice(list(trace.streams.values()))
    if not stream:
        return
    packet = random.choice(stream)
    kind = random.randrange(5)
    if kind < 3:
        setattr(packet, random.choice(NUMBERS), random.choice(EXTREMES))
    elif kind == 3:
        stream.insert(random.randrange(len(stream) + 1), packet)
    else:
        stream.remove(packet)


def change_event(random, trace):
    stream = random.choice(list(trace.streams.values()))
    packet = random.choice(stream) if stream else None
    if packet is None or not packet.events:
        return
    at = random.randrange(len(packet.events))
    data = bytearray(packet.events[at])
    kind = random.randrange(4)
    if kind == 0:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    elif kind == 1:
        first = random.randrange(0, len(data), 4)
        data[first:first + 4] = random.choice((b"\xff" * 4, b"\0" * 4, b"\0\0\0\x80", b"\xff\xff\xff\x7f"))
    elif kind == 2:
        data = data[:random.randrange(len(data))]
    else:
        packet.events[random.randrange(len(packet.events))] = bytes(data)
    packet.events[at] = bytes(data)


def change_bytes(random, trace):
    name = random.choice(list(trace.streams))
    data = bytearray(b"".join(packet.encode() for packet in trace.streams[name]))
    for _ in range(random.choice((1, 1, 4, 30))):
        if data:
            data[random.randrange(len(data))] = random.randrange(256)
    if random.randrange(3) == 0:
        data = data[:random.randrange(len(data) + 1)]
    trace.streams[name] = [bytes(data)]


def as_ctf_2(trace):
    """The same trace with metadata of CTF 2."""
    fragments = twin.fragments_of(trace.metadata())
    trace.parts = {"all": "".join("\x1e" + json.dumps(fragment) + "\n" for fragment in fragments)}
    return trace


def mutated(random):
    trace = ctf.small()
    if random.randrange(3) == 0:
        as_ctf_2(trace)
    if random.randrange(5) < 2:
        change_metadata(random, trace)
        if random.randrange(2) == 0:
            return trace
    for _ in range(random.choice((1, 1, 2, 4))):
        random.choice((change_packet, change_event))(random, trace)
    if random.randrange(8) == 0:
        change_bytes(random, trace)
    return trace
