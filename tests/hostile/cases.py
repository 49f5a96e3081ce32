# SPDX-License-Identifier: MIT
"""Traces that somebody made to do harm, each a function of nothing that returns a Trace: what one can think of."""
import struct

import ctf_trace as ctf
from ctf_trace import Packet, event, event_class, small, switch, text
from mutate import as_ctf_2

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def add(name, make):
    CASES[name] = make


def with_fields(fields, body=b"", count=4):
    """A trace with one more event class, of these fields, and some events of it."""
    trace = small()
    trace.parts["more"] = event_class(9, "more", fields)
    trace.streams["channel_0"].append(
        Packet([event(9, 5000 + i, body) for i in range(count)], 5000, 5000 + count, 3))
    return trace


def with_packets(**fields):
    """The second packet of the first stream has these numbers."""
    trace = small()
    for name, value in fields.items():
        setattr(trace.streams["channel_0"][1], name, value)
    return trace


def with_clock(freq=10**9, offset_s=0, offset=0):
    trace = small()
    trace.parts["clock"] = (f'clock {{ name = "monotonic"; freq = {freq}; offset_s = {offset_s}; '
                            f'offset = {offset}; }};\n')
    return trace


# ---- types ---------------------------------------------------------------------------------------------------


@case
def structures_nested_100_000_deep():
    return with_fields("struct { " * 100_000 + "uint8_t x; " + "} x; " * 100_000)


@case
def structures_nested_60_deep():
    return with_fields("struct { " * 60 + "uint8_t x; " + "} x; " * 60, b"\1")


@case
def a_million_parentheses():
    return with_fields("uint8_t x[" + "(" * 1_000_000 + "1" + ")" * 1_000_000 + "];")


@case
def a_million_brackets():
    return with_fields("uint8_t x" + "[1]" * 1_000_000 + ";", b"\1")


@case
def a_million_minus_signs():
    return with_fields("enum : int32_t { a = " + "-" * 1_000_000 + "1 } x;", b"\1\0\0\0")


@case
def a_million_type_names():
    return with_fields("unsigned " * 1_000_000 + "x;")


@case
def open_brackets_without_end():
    trace = small()
    trace.parts["more"] = "event { fields := struct { " * 200_000
    return trace


@case
def variants_of_50_000_levels():
    return with_fields("enum : uint8_t { a = 0 } t; " + "variant <t> { " * 50_000 + "uint8_t a; " + "} a; " * 50_000,
                       b"\0\1")


@case
def bracket_that_closes_nothing():
    trace = small()
    trace.parts["types"] = trace.parts["types"].replace("size = 8;", "size = ] 8;", 1)
    return trace


@case
def aliases_of_aliases():
    trace = small()
    names = "".join(f"typealias t{i} := t{i + 1};\n" for i in range(20_000))
    trace.parts["types"] += "typealias uint8_t := t0;\n" + names
    return trace


@case
def structures_that_double():
    """Each structure has the one before twice: 2^40 fields from forty lines."""
    trace = with_fields("struct s40 x;")
    lines = "struct s0 { uint8_t a; };\n"
    lines += "".join(f"struct s{i + 1} {{ struct s{i} a; struct s{i} b; }};\n" for i in range(40))
    trace.parts["types"] += lines
    return trace


@case
def event_classes_300_000():
    trace = small()
    trace.parts["more"] = "".join(event_class(10 + i, f"e{i}", "uint8_t a;") for i in range(300_000))
    return trace


@case
def fields_10_000():
    return with_fields("".join(f"uint8_t f{i}; " for i in range(10_000)), b"\1" * 10_000)


@case
def enumeration_of_100_000_labels():
    labels = ", ".join(f"l{i} = {i}" for i in range(100_000))
    return with_fields(f"enum : uint32_t {{ {labels} }} x;", b"\1\0\0\0")


# ---- arrays and sequences -----------------------------------------------------------------------------------


def add_array(name, length, element="uint8_t"):
    add(f"array_of_{name}", lambda: with_fields(f"{element} x[{length}];", b"\1" * 8))


def add_sequence(name, length, element):
    add(f"sequence_of_{name}", lambda: with_fields(f"uint64_t n; {element} x[n];", struct.pack("<Q", length)))


for power in (40, 63):
    add_array(f"2_to_{power}", 2**power)
    add_array(f"2_to_{power}_empty_structures", 2**power, "struct { }")
add_array("2_to_64_less_1", 2**64 - 1)
add_array("2_to_61_less_1", 2**61 - 1)
add_array("10_to_8_empty_structures", 10**8, "struct { }")
add_array("10_to_8_strings", 10**8, "string")
add("array_of_negative_length", lambda: with_fields("uint8_t x[-1];", b"\1"))
for power in (32, 63):
    add_sequence(f"2_to_{power}_bytes", 2**power, "uint8_t")
    add_sequence(f"2_to_{power}_empty_structures", 2**power, "struct { }")
add_sequence("2_to_64_less_1", 2**64 - 1, "uint64_t")
add_sequence("2_to_61_less_1", 2**61 - 1, "uint64_t")


@case
def integers_of_all_sizes():
    sizes = "".join(f"integer {{ size = {size}; align = 1; }} f{size}; " for size in (0, 1, 63, 64, 65, 2**32, 2**63))
    return with_fields(sizes, b"\xff" * 40)


@case
def alignments_of_all_sizes():
    sizes = "".join(f"integer {{ size = 8; align = {align}; }} f{align}; " for align in (0, 3, 2**31, 2**63, 2**64))
    return with_fields(sizes, b"\xff" * 40)


@case
def alignment_of_2_to_31():
    return with_fields(f"integer {{ size = 8; align = {2**31}; }} x;", b"\1")


# ---- sizes of packets ---------------------------------------------------------------------------------------

for label, number in {"0": 0, "1": 1, "7_bits": 7, "odd_bits": 1001, "2_to_63": 2**63, "2_to_64_less_8": 2**64 - 8,
                      "2_to_64_less_1": 2**64 - 1, "a_byte_short": 800}.items():
    add(f"packet_size_{label}", lambda number=number: with_packets(size=number))
    add(f"content_size_{label}", lambda number=number: with_packets(content=number))
    add(f"both_sizes_{label}", lambda number=number: with_packets(size=number, content=number))


@case
def content_ends_in_an_event():
    trace = small()
    packet = trace.streams["channel_0"][1]
    packet.content = 8 * (len(packet.encode()) - 3)
    return trace


@case
def only_headers():
    trace = small()
    trace.streams["channel_0"] = [Packet([], 10, 20, i) for i in range(100_000)]
    return trace


@case
def other_magic():
    return with_packets(magic=0)


@case
def other_stream():
    return with_packets(stream=2**32 - 1)


@case
def cut_at_each_byte():
    whole = b"".join(packet.encode() for packet in small().streams["channel_0"])
    trace = small()
    trace.streams = {f"channel_{i}": [whole[:i]] for i in range(0, len(whole), 3)}
    return trace


# ---- times --------------------------------------------------------------------------------------------------

for label, number in {"2_to_63": 2**63, "2_to_63_less_1": 2**63 - 1, "2_to_64_less_1": 2**64 - 1,
                      "2_to_64_less_2": 2**64 - 2, "2_to_62": 2**62}.items():
    add(f"begin_{label}", lambda number=number: with_packets(begin=number))
    add(f"end_{label}", lambda number=number: with_packets(end=number))
    add(f"begin_and_end_{label}", lambda number=number: with_packets(begin=number, end=number))
    add(f"event_at_{label}", lambda number=number: with_packets(events=[switch(number, 1, 2)]))
    add(f"event_first_at_{label}", lambda number=number: with_packets(
        events=[switch(number, 1, 2), switch(1500, 2, 3), switch(1510, 3, 2)]))


@case
def end_before_begin():
    return with_packets(begin=2000, end=1000)


@case
def times_step_back_at_each_event():
    trace = small()
    trace.streams["channel_0"] = [Packet([switch(10**6 - i, 1 + i % 7, 1 + (i + 1) % 7) for i in range(20_000)],
                                         0, 10**6)]
    return trace


@case
def times_jump_to_and_fro():
    trace = small()
    trace.streams["channel_0"] = [Packet([switch(2**62 * (i % 2) + i, 1 + i % 7, 1 + (i + 1) % 7)
                                          for i in range(20_000)], 0, 10**6)]
    return trace


@case
def all_events_at_once():
    trace = small()
    trace.streams["channel_0"] = [Packet([switch(1000, 1 + i % 999, 1 + (i + 1) % 999) for i in range(50_000)],
                                         1000, 1000)]
    return trace


for label, number in {"0": 0, "1": 1, "2_to_64_less_1": 2**64 - 1, "2_to_64": 2**64, "minus_1": -1}.items():
    add(f"clock_frequency_{label}", lambda number=number: with_clock(freq=number))
for label, number in {"greatest": 2**63 - 1, "least": -2**63, "unsigned": 2**64 - 1, "too_large": 2**70}.items():
    add(f"clock_offset_{label}", lambda number=number: with_clock(offset=number))
    add(f"clock_offset_s_{label}", lambda number=number: with_clock(offset_s=number))


@case
def no_clock():
    trace = small()
    del trace.parts["clock"]
    return trace


@case
def two_clocks():
    trace = small()
    trace.parts["clock"] += 'clock { name = "other"; freq = 1; offset_s = 9223372036; };\n'
    return trace


# ---- CPUs, threads, losses ----------------------------------------------------------------------------------


@case
def cpu_numbers():
    trace = small()
    for i, cpu in enumerate((2**31 - 1, 2**31, -1, -2**31, 2**16, 10**9)):
        trace.streams[f"other_{i}"] = [Packet([switch(1000 + 10 * i + j, j, j + 1) for j in range(50)], 1000, 2000, 0,
                                              0, cpu)]
    return trace


def with_threads(threads):
    trace = small()
    threads = list(threads)
    trace.streams["channel_0"] = [
        Packet([switch(1000 + i, threads[i], threads[(i + 1) % len(threads)]) for i in range(first, last)], 1000 +
               first, 1000 + last, first // 10_000)
        for first, last in ((at, min(at + 10_000, len(threads))) for at in range(0, len(threads), 10_000))
    ]
    return trace


@case
def threads_negative():
    return with_threads(range(-20_000, 0))


@case
def threads_100_000_spread():
    return with_threads((i * 2654435761 % 2**32 - 2**31 for i in range(100_000)))


@case
def threads_million_spread():
    return with_threads((i * 2654435761 % 2**32 - 2**31 for i in range(1_000_000)))


@case
def discarded_counts_fall():
    trace = small()
    for packet, count in zip(trace.streams["channel_0"], (2**63, 5, 0)):
        packet.discarded = count
    return trace


@case
def losses_in_each_packet():
    trace = small()
    trace.streams["channel_0"] = [
        Packet([switch(1000 + 10 * i, 1 + i % 50, 1 + (i + 1) % 50)], 1000 + 10 * i, 1005 + 10 * i, 2 * i, 7 * i)
        for i in range(20_000)
    ]
    return trace


@case
def one_packet_often():
    trace = small()
    trace.streams["channel_0"] = [Packet([switch(1000, 1, 2)], 1000, 1000, 5)] * 20_000
    return trace


@case
def one_number_for_other_packets():
    trace = small()
    trace.streams["channel_0"] = [Packet([switch(1000 + i, 1, 2)], 1000, 2000, 5) for i in range(20_000)]
    return trace


@case
def streams_5_000():
    trace = small()
    for i in range(5_000):
        trace.streams[f"more_{i}"] = [Packet([switch(1000 + i, 1, 2)], 1000, 9000, 0, 0, i)]
    return trace


# ---- names --------------------------------------------------------------------------------------------------


@case
def text_of_20_megabytes():
    trace = small()
    trace.streams["channel_0"].append(Packet([text(5000, b"x" * 20_000_000)], 5000, 5000, 3))
    return trace


@case
def thread_name_of_20_megabytes():
    trace = with_fields("", count=0)
    switch_fields = ctf.EVENTS[ctf.SWITCH][1].replace("char_t _next_comm[16]", "string _next_comm")
    trace.parts["more"] = event_class(9, "sched_switch", switch_fields)
    body = b"a".ljust(16, b"\0") + struct.pack("<iiq", 1, 20, 1) + b"x" * 20_000_000 + b"\0" + struct.pack("<ii", 2, 20)
    trace.streams["channel_0"].append(Packet([event(9, 5000, body)], 5000, 5000, 3))
    return trace


@case
def thread_names_of_60_kilobytes():
    trace = with_fields("", count=0)
    switch_fields = ctf.EVENTS[ctf.SWITCH][1].replace("char_t _next_comm[16]", "string _next_comm")
    trace.parts["more"] = event_class(9, "sched_switch", switch_fields)
    trace.streams["channel_0"].append(
        Packet([event(9, 5000 + i, b"a".ljust(16, b"\0") + struct.pack("<iiq", i, 20, 1) +
                      bytes([65 + i % 26]) * (60_000 + i) + b"\0" + struct.pack("<ii", i + 1, 20))
                for i in range(300)], 5000, 5300, 3))
    return trace


def with_event_name(name):
    trace = small()
    trace.parts["more"] = event_class(9, name, "uint8_t a;")
    trace.streams["channel_0"].append(Packet([event(9, 5000 + i, b"\1") for i in range(4)], 5000, 5004, 3))
    return trace


@case
def event_name_of_a_megabyte():
    return with_event_name("n" * 1_000_000)


@case
def system_call_of_a_megabyte():
    return with_event_name("syscall_entry_" + "n" * 1_000_000)


@case
def system_call_with_slashes_and_escapes():
    return with_event_name("syscall_entry_../../\\x1b]0;title\\x07<script>alert(1)</script>/a//b")


@case
def system_call_with_bytes_that_are_no_text():
    trace = small()
    trace.parts["more"] = event_class(9, "NAME", "uint8_t a;").encode().replace(b"NAME",
                                                                               b"syscall_entry_\xff\xfe\xc0\x80\x1b[2J")
    trace.streams["channel_0"].append(Packet([event(9, 5000 + i, b"\1") for i in range(4)], 5000, 5004, 3))
    return trace


@case
def system_call_without_a_name():
    return with_event_name("syscall_entry_")


@case
def thread_names_with_escapes():
    trace = small()
    names = (b"\x1b]0;title\x07", b"\x1b[2J", b"a/b/../c", b"<b>&amp;", b"\xff\xfe\xc0", b"", b"..", b"/")
    trace.streams["channel_0"] = [Packet([switch(1000 + i, i, i + 1, names[i % len(names)]) for i in range(400)],
                                         1000, 1400)]
    return trace


@case
def environment_of_lies():
    trace = small()
    trace.parts["env"] = ('env { hostname = "' + "h" * 1_000_000 + '"; domain = 5; tracer_name = "lttng-modules"; '
                          'tracer_major = 99999999999999999999; tracer_minor = -1; hostname = ""; };\n')
    return trace


# ---- metadata as a file -------------------------------------------------------------------------------------


@case
def blanks_250_megabytes():
    trace = small()
    trace.parts["blanks"] = b" " * 250_000_000
    return trace


@case
def comment_without_end():
    trace = small()
    trace.parts["more"] = "/*" * 100_000
    return trace


@case
def string_without_end():
    trace = small()
    trace.parts["more"] = 'event { name = "' + "x\\" * 100_001
    return trace


@case
def metadata_of_zeros():
    trace = small()
    trace.parts = {"zeros": bytes(100_000)}
    return trace


@case
def metadata_packet_of_no_size():
    trace = small()
    trace.parts = {"packet": struct.pack("<I16sIIIBBBBB", 0x75D11D57, ctf.UUID, 0, 0, 0, 0, 0, 0, 1, 8)}
    return trace


@case
def no_streams():
    trace = small()
    trace.streams = {}
    return trace


# ---- CTF 2 ---------------------------------------------------------------------------------------------------


def ctf_2(fragment, count=1, before=""):
    """The small trace in CTF 2, with more fragments: `fragment` is text, or makes it of a number."""
    trace = as_ctf_2(small())
    make = fragment if callable(fragment) else lambda i: fragment
    trace.parts["more"] = before + "".join("\x1e" + make(i) + "\n" for i in range(count))
    return trace


@case
def ctf_2_as_it_should_be():
    return ctf_2('{"type": "event-record-class", "id": 77}')


@case
def ctf_2_brackets_without_end():
    return ctf_2("[" * 1_000_000)


@case
def ctf_2_objects_1_000_000():
    return ctf_2("[" + "{}," * 1_000_000 + "{}]")


@case
def ctf_2_event_classes_100_000():
    return ctf_2(lambda i: '{"type": "event-record-class", "id": %d, "name": "e%d"}' % (100 + i, i), 100_000)


@case
def ctf_2_separators_1_000_000():
    return ctf_2("\x1e" * 1_000_000)


@case
def ctf_2_aliases_that_double():
    """Each alias has the one before twice: 2^40 fields from forty fragments."""
    member = '{"name": "%s", "field-class": "s%d"}'
    return ctf_2(lambda i: '{"type": "field-class-alias", "name": "s%d", "field-class": {"type": "structure", '
                 '"member-classes": [%s, %s]}}' % (i + 1, member % ("a", i), member % ("b", i)), 40,
                 '\x1e{"type": "field-class-alias", "name": "s0", "field-class": {"type": "null-terminated-string"}}\n')


@case
def ctf_2_arrays_of_nothing():
    """2^64 - 1 structures without members, 2^40 times."""
    array = '{"type": "static-length-array", "length": %d, "element-field-class": %s}'
    inner = array % (2**64 - 1, '{"type": "structure"}')
    trace = ctf_2('{"type": "event-record-class", "id": 77, "payload-field-class": {"type": "structure", '
                  '"member-classes": [{"name": "x", "field-class": %s}]}}' % (array % (2**40, inner)))
    trace.streams["channel_0"].append(Packet([event(77, 5000 + i) for i in range(4)], 5000, 5004, 3))
    return trace
