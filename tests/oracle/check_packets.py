#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Network packets, the analyses `packets` and `network`: every segment and every change of every sum equal to a model in Python,
on random traffic, as LTTng records it with headers (a CTF trace, byte by byte) and as perf does, without.

usage: check_packets.py HISTREE
HISTREE_SEED and HISTREE_ROUNDS make traces again.
Exit: 0 equal, 1 different.
"""
import collections
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

HISTREE = str(pathlib.Path(sys.argv[1]).resolve())
CPUS, THREADS, DEVICES = 2, {0: "swapper", 10: "scp", 11: "sshd", 12: "ping"}, ["lo", "eth0", "wlp1s0"]
BUFFERS = [0xffff888000000000 + 0x100 * number for number in range(9)]
PROTOCOLS = {1: "icmp", 6: "tcp", 17: "udp", 58: "icmpv6", 200: "200"}
START = 1000

# ---- traffic ------------------------------------------------------------------------------------------------------------


def traffic(pick, count):
    """Random events of the kernel: (time, cpu, name, fields); most buffers go through their life in order."""
    time, runs, events, life = START, [0] * CPUS, [], {}
    for _ in range(count):
        time += pick.choice([1, 2, 7, 300])  # of two CPUs, those of one time have no order
        cpu = pick.randrange(CPUS)
        if pick.random() < 0.2:
            before = runs[cpu]
            after = pick.choice([tid for tid in THREADS if tid == 0 or tid not in runs])
            if after != before:
                runs[cpu] = after
                events.append((time, cpu, "switch", {"before": before, "after": after}))
            continue
        buffer = pick.choice(BUFFERS)
        steps = {None: ["queue", "receive"], "queue": ["busy", "transmit", "transmit", "drop", "consume"], "busy": ["transmit", "drop"],
                 "transmit": ["consume", "receive"], "receive": ["copy", "copy", "consume", "drop"], "copy": ["copy", "consume"],
                 "consume": ["queue", "receive"], "drop": ["queue", "receive"]}
        step = pick.choice(steps[life.get(buffer)] if pick.random() < 0.9 else ["queue", "transmit", "receive", "copy", "consume", "drop"])
        life[buffer] = step
        fields = {"buffer": buffer}
        if step in ("queue", "receive", "busy", "transmit"):
            fields.update(length=pick.choice([0, 60, 1500, 65226]), device=pick.choice(DEVICES))
        if step in ("queue", "receive"):
            fields["headers"] = pick.choice([None, 4, 4, 6])
            fields["protocol"] = pick.choice(list(PROTOCOLS))
            fields["ports"] = (pick.randrange(1 << 16), pick.randrange(1 << 16)) if fields["protocol"] == 6 else None
        if step == "copy":
            fields["length"] = pick.choice([0, 1, 1448])
        events.append((time, cpu, step, fields))
    return events


# ---- the model ----------------------------------------------------------------------------------------------------------

def model(events, has_headers):
    """Segments, (alone at the end, alone at the beginning), and {path: {time: value}}."""
    opened, segments, alone = {}, [], [0, 0]
    runs, sums, changes = {}, collections.Counter(), collections.defaultdict(dict)

    def begin(direction, time, fields, tid):
        alone[1] += (direction, fields["buffer"]) in opened
        headers = fields["headers"] if has_headers else None
        ports = fields["ports"] if headers else None
        opened[direction, fields["buffer"]] = (time, [
            direction, fields["device"], fields["length"], PROTOCOLS[fields["protocol"]] if headers else None,
            ports[0] if ports else None, ports[1] if ports else None, tid, None if tid is None else THREADS[tid]])

    def end(direction, time, fields, outcome, tid=None):
        found = opened.pop((direction, fields["buffer"]), None)
        if found and tid is not None:
            found[1][6:8] = [tid, THREADS[tid]]
        if found:
            segments.append((found[0], time, *found[1], outcome))
        return found is not None

    def add(time, path, amount):
        if amount:
            sums[path] += amount
            changes[path][time] = sums[path]

    for time, cpu, step, fields in events:
        tid = runs.get(cpu)
        mine = f"Threads/{tid}/" if tid else None
        if step == "switch":
            runs[cpu] = fields["after"]
        elif step == "queue":
            begin("sent", time, fields, tid)
            if mine:
                add(time, mine + "bytes_sent", fields["length"])
                add(time, mine + "packets_sent", 1)
        elif step == "receive":
            begin("received", time, fields, None)
            add(time, f"Interfaces/{fields['device']}/bytes_received", fields["length"])
            add(time, f"Interfaces/{fields['device']}/packets_received", 1)
        elif step == "transmit":
            alone[0] += not end("sent", time, fields, "transmitted")
            add(time, f"Interfaces/{fields['device']}/bytes_sent", fields["length"])
            add(time, f"Interfaces/{fields['device']}/packets_sent", 1)
        elif step == "copy":
            end("received", time, fields, "delivered", tid)
            if mine:
                add(time, mine + "bytes_received", fields["length"])
        elif step in ("consume", "drop"):
            for direction in "sent", "received":
                end(direction, time, fields, {"consume": "consumed", "drop": "dropped"}[step])
    alone[1] += len(opened)
    return sorted(segments, key=str), tuple(alone), {path: sorted(times.items()) for path, times in changes.items()}


# ---- as LTTng writes it -------------------------------------------------------------------------------------------------

TYPES = """
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; signed = false; byte_order = be; } := be16;
typealias integer { size = 32; align = 8; signed = false; byte_order = be; } := be32;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 64; align = 8; signed = false; base = hex; } := pointer;
"""
TRANSPORT = """
    enum : uint8_t { "_unknown" = 0, "_tcp" = 1 } _transport_header_type;
    variant <_transport_header_type> {
        struct { } _unknown;
        struct { be16 _source_port; be16 _dest_port; be32 _seq; be32 _ack_seq;
                 integer { size = 4; align = 1; } _data_offset; integer { size = 3; align = 1; } _reserved;
                 integer { size = 9; align = 1; } _flags; be16 _window_size; be16 _checksum; be16 _urg_ptr; } _tcp;
    } _transport_header;
"""
HEADERS = f"""
    enum : uint8_t {{ "_unknown" = 0, "_ipv4" = 1, "_ipv6" = 2 }} _network_header_type;
    variant <_network_header_type> {{
        struct {{ }} _unknown;
        struct {{ integer {{ size = 4; align = 1; }} _version; integer {{ size = 4; align = 1; }} _ihl; uint8_t _tos; be16 _tot_len;
                 be16 _id; be16 _frag_off; uint8_t _ttl; enum : uint8_t {{ "_tcp" = 6 }} _protocol; be16 _checksum;
                 uint8_t _saddr[4]; uint8_t _daddr[4]; {TRANSPORT} }} _ipv4;
        struct {{ be32 _flow; be16 _payload_len; enum : uint8_t {{ "_tcp" = 6 }} _nexthdr; uint8_t _hop_limit;
                 uint8_t _saddr[16]; uint8_t _daddr[16]; {TRANSPORT} }} _ipv6;
    }} _network_header;
"""
EVENTS = [
    ("sched_switch", "string _prev_comm; int32_t _prev_tid; int32_t _prev_prio; int32_t _prev_state; string _next_comm; "
                     "int32_t _next_tid; int32_t _next_prio;"),
    ("net_dev_queue", "pointer _skbaddr; uint32_t _len; string _name;" + HEADERS),
    ("net_if_receive_skb", "pointer _skbaddr; uint32_t _len; string _name;" + HEADERS),
    ("net_dev_xmit", "pointer _skbaddr; int32_t _rc; uint32_t _len; string _name;"),
    ("skb_copy_datagram_iovec", "pointer _skbaddr; uint32_t _len;"),
    ("skb_consume", "pointer _skbaddr;"),
    ("skb_kfree", "pointer _skbaddr; pointer _location; uint32_t _protocol;"),
]
KINDS = {"switch": 0, "queue": 1, "receive": 2, "busy": 3, "transmit": 3, "copy": 4, "consume": 5, "drop": 6}


def header_bytes(fields):
    version = fields["headers"]
    if not version:
        return b"\0"
    ports = fields["ports"]
    transport = b"\0" if not ports else b"\1" + struct.pack(">HHIIHHHH", *ports, 1, 2, 5, 6, 7, 8)
    if version == 4:
        return b"\1" + struct.pack(">BBHHHBBH8s", 0x54, 0, 60, 1, 0, 64, fields["protocol"], 9, b"\x7f\0\0\1" * 2) + transport
    return b"\2" + struct.pack(">IHBB32s", 6 << 28, 60, fields["protocol"], 64, b"\1" * 32) + transport


def payload(step, fields):
    if step == "switch":
        before, after = fields["before"], fields["after"]
        return (THREADS[before].encode() + b"\0" + struct.pack("<iii", before, 20, 0) + THREADS[after].encode() + b"\0" +
                struct.pack("<ii", after, 20))
    address = struct.pack("<Q", fields["buffer"])
    if step in ("queue", "receive"):
        return address + struct.pack("<I", fields["length"]) + fields["device"].encode() + b"\0" + header_bytes(fields)
    if step in ("busy", "transmit"):
        return address + struct.pack("<iI", 16 if step == "busy" else 0, fields["length"]) + fields["device"].encode() + b"\0"
    if step == "copy":
        return address + struct.pack("<I", fields["length"])
    return address + (struct.pack("<QI", 1, 0x800) if step == "drop" else b"")


def write_ctf(folder, events):
    folder.mkdir()
    declared = "".join(f'event {{ name = "{name}"; id = {number}; stream_id = 0; fields := struct {{ {fields} }}; }};\n'
                       for number, (name, fields) in enumerate(EVENTS))
    (folder / "metadata").write_text(f"""/* CTF 1.8 */
{TYPES}
trace {{ major = 1; minor = 8; byte_order = le; packet.header := struct {{ uint32_t magic; uint32_t stream_id; }}; }};
env {{ hostname = "here"; domain = "kernel"; tracer_name = "lttng-modules"; tracer_major = 2; tracer_minor = 10; }};
clock {{ name = monotonic; freq = 1000000000; offset = 0; }};
typealias integer {{ size = 64; align = 8; signed = false; map = clock.monotonic.value; }} := time_t;
stream {{ id = 0; packet.context := struct {{ time_t timestamp_begin; time_t timestamp_end; uint64_t content_size;
    uint64_t packet_size; uint64_t events_discarded; uint32_t cpu_id; }};
    event.header := struct {{ uint32_t id; time_t timestamp; }}; }};
{declared}""", encoding="ascii")
    for cpu in range(CPUS):
        mine = [event for event in events if event[1] == cpu]
        body = b"".join(struct.pack("<IQ", KINDS[step], time) + payload(step, fields) for time, _, step, fields in mine)
        size = 8 * (8 + 44 + len(body))
        begin, end = (mine[0][0], mine[-1][0]) if mine else (START, START)
        (folder / f"stream_{cpu}").write_bytes(struct.pack("<IIQQQQQI", 0xc1fc1fc1, 0, begin, end, size, size, 0, cpu) + body)


# ---- as perf names it ---------------------------------------------------------------------------------------------------

def write_perf(path, events):
    lines = []
    for time, cpu, step, fields in events:
        event = {"time": time, "cpu": cpu}
        if step == "switch":
            before, after = fields["before"], fields["after"]
            event.update(kind="sched:sched_switch", prev_comm=THREADS[before], prev_pid=before, prev_prio=120, prev_state=0,
                         next_comm=THREADS[after], next_pid=after, next_prio=120)
        else:
            # As signed numbers of 64 bits: JSON has no others that all readers keep.
            event.update(kind={"queue": "net:net_dev_queue", "receive": "net:netif_receive_skb", "busy": "net:net_dev_xmit",
                               "transmit": "net:net_dev_xmit", "copy": "skb:skb_copy_datagram_iovec", "consume": "skb:consume_skb",
                               "drop": "skb:kfree_skb"}[step], skbaddr=fields["buffer"] - (1 << 64))
        if "length" in fields:
            event["len"] = fields["length"]
        if "device" in fields:
            event["name"] = fields["device"]  # that of the event is its kind: the map says so
        if step in ("busy", "transmit"):
            event["rc"] = 16 if step == "busy" else 0
        lines.append(json.dumps(event))
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


# ---- comparing ----------------------------------------------------------------------------------------------------------

def ask(*words):
    done = subprocess.run([HISTREE, *map(str, words)], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def found_segments(store):
    names = ["name", "device", "bytes", "protocol", "source_port", "dest_port", "tid", "process", "outcome"]
    return sorted(((one["start"], one["end"], *(one.get(name) for name in names))
                   for one in json.loads(ask("segments", store, "packets", "--format", "json") or "[]")), key=str)


def found_sums(store):
    sums = collections.defaultdict(list)
    for line in ask("states", store, "-a", "network", "--format", "tsv").splitlines()[1:]:
        path, start, _, _, value = line.split("\t")
        if value:
            sums[path].append((int(start), int(value)))
    return dict(sums)


def counts(store):
    [one] = [one for one in json.loads((pathlib.Path(store) / "manifest.json").read_text())["segments"] if one["analysis"] == "packets"]
    return one["without_start"], one["without_end"]


def compare(what, found, wanted):
    if found == wanted:
        return True
    print(f"{what} differ:")
    left = [one for one in found if one not in wanted] if isinstance(found, list) else found
    right = [one for one in wanted if one not in found] if isinstance(found, list) else wanted
    print(f"  found  {str(left)[:600]}\n  wanted {str(right)[:600]}")
    return False


def main():
    seed = int(os.environ.get("HISTREE_SEED", random.randrange(1 << 30)))
    rounds = int(os.environ.get("HISTREE_ROUNDS", 1)) * 3
    for number in range(rounds):
        pick = random.Random(seed + number)
        events = traffic(pick, pick.choice([30, 400, 1500]))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write_ctf(folder / "lttng", events)
            write_perf(folder / "perf.json", events)
            for kind, has_headers, trace, options in (("lttng", True, folder / "lttng", []), (
                    "perf", False, folder / "perf.json", ["--map", "tracer=perf,name=kind"])):
                store = folder / f"{kind}.histree"
                ask("build", "-q", *options, "-a", "packets,network", "-o", store, trace)
                segments, alone, sums = model(events, has_headers)
                good = compare(f"{kind}: segments", found_segments(store), segments)
                good = compare(f"{kind}: counts", counts(store), alone) and good
                good = compare(f"{kind}: sums", found_sums(store), sums) and good
                if not good:
                    print(f"HISTREE_SEED={seed + number}")
                    return 1
    print(f"{rounds} traces, HISTREE_SEED={seed}: packets and sums are those of the model")
    return 0


if __name__ == "__main__":
    sys.exit(main())
