# Pairs of events are read alike from a recording of perf, a trace.dat, a trace of Perfetto and ftrace's text.
if histree build -q -o no.histree $DATA/perf-made/file.data 2>&1 | grep -q "built without libtraceevent"; then exit 77; fi
cat >make.py <<'EOF'
import sys
data = sys.argv[1]
sys.path[:0] = [f"{data}/../{folder}" for folder in ("perf", "trace_cmd", "perfetto")]
import perf_data
import perfetto_trace as pt
import trace_dat

INT, UNSIGNED, LONG = ("int", 4, 1, "i"), ("unsigned int", 4, 0, "I"), ("u64", 8, 0, "Q")
TEXT, SHORT = ("char[16]", 16, 0, "16s"), ("__u16", 2, 0, "H")
ADDRESS, ADDRESS_6 = ("u8[4]", 4, 0, "4s"), ("u8[16]", 16, 0, "16s")
POINTS = {
    "sched:sched_switch": [("prev_comm", TEXT), ("prev_pid", INT), ("prev_prio", INT), ("prev_state", LONG),
                           ("next_comm", TEXT), ("next_pid", INT), ("next_prio", INT)],
    "power:cpu_idle": [("state", UNSIGNED), ("cpu_id", UNSIGNED)],
    "workqueue:workqueue_queue_work": [("work", LONG), ("function", LONG), ("workqueue", TEXT), ("req_cpu", INT), ("cpu", INT)],
    "workqueue:workqueue_execute_start": [("work", LONG), ("function", LONG)],
    "workqueue:workqueue_execute_end": [("work", LONG), ("function", LONG)],
    "timer:timer_expire_entry": [("timer", LONG), ("now", LONG), ("function", LONG), ("baseclk", LONG)],
    "timer:timer_expire_exit": [("timer", LONG)],
    "timer:hrtimer_expire_entry": [("hrtimer", LONG), ("now", LONG), ("function", LONG)],
    "timer:hrtimer_expire_exit": [("hrtimer", LONG)],
    "irq:softirq_raise": [("vec", UNSIGNED)],
    "irq:softirq_entry": [("vec", UNSIGNED)],
    "lock:contention_begin": [("lock_addr", LONG), ("flags", UNSIGNED)],
    "lock:contention_end": [("lock_addr", LONG), ("ret", INT)],
    "signal:signal_generate": [("sig", INT), ("errno", INT), ("code", INT), ("comm", TEXT), ("pid", INT), ("group", INT), ("result", INT)],
    "signal:signal_deliver": [("sig", INT), ("errno", INT), ("code", INT), ("sa_handler", LONG), ("sa_flags", LONG)],
    "sock:inet_sock_set_state": [("skaddr", LONG), ("oldstate", INT), ("newstate", INT), ("sport", SHORT), ("dport", SHORT),
                                 ("saddr", ADDRESS), ("daddr", ADDRESS), ("saddr_v6", ADDRESS_6), ("daddr_v6", ADDRESS_6)],
    "kvm:kvm_entry": [("vcpu_id", UNSIGNED), ("rip", LONG)],
    "kvm:kvm_exit": [("exit_reason", UNSIGNED), ("guest_rip", LONG), ("isa", UNSIGNED)],
}
NAMES = list(POINTS)
LOCK, WORK, FUNCTION, TIMER = 0xffff888000001000, 0xffff888000002000, 0xffffffff81234560, 0xffff888000003000
HOST = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]), bytes(10) + b"\xff\xff" + bytes([10, 0, 0, 1])
PEER = bytes.fromhex("fe80") + bytes(13) + b"\x07"
EVENTS = [  # time, CPU, thread, name, values
    (1000, 0, 0, "sched_switch", ["swapper/0", 0, 120, 0, "kworker", 61, 120]),
    (1010, 1, 0, "cpu_idle", [2, 1]),
    (1020, 0, 61, "workqueue_queue_work", [WORK, FUNCTION, "events", 0, 0]),
    (1050, 0, 61, "workqueue_execute_start", [WORK, FUNCTION]),
    (1060, 0, 61, "contention_begin", [LOCK, 2]),
    (1095, 0, 61, "contention_end", [LOCK, -4]),
    (1100, 0, 61, "workqueue_execute_end", [WORK, FUNCTION]),
    (1110, 0, 61, "timer_expire_entry", [TIMER, 5, FUNCTION, 5]),
    (1117, 0, 61, "timer_expire_exit", [TIMER]),
    (1120, 0, 61, "hrtimer_expire_entry", [TIMER, 1120, FUNCTION]),
    (1131, 0, 61, "hrtimer_expire_exit", [TIMER]),
    (1140, 0, 61, "softirq_raise", [7]),
    (1152, 0, 61, "softirq_entry", [7]),
    (1200, 1, 0, "cpu_idle", [0xffffffff, 1]),
    (1300, 0, 61, "kvm_entry", [3, 0x1234]),
    (1400, 0, 61, "kvm_exit", [12, 0x1234, 1]),
    (1410, 0, 61, "signal_generate", [10, 0, 0, "kworker", 61, 1, 0]),
    (1430, 0, 61, "signal_deliver", [10, 0, 0, 0x1234, 0]),
    (1440, 0, 61, "inet_sock_set_state", [TIMER, 7, 2, 0, 80, HOST[0], HOST[1], HOST[2], PEER]),
    (1450, 0, 61, "inet_sock_set_state", [TIMER, 2, 1, 4711, 80, HOST[0], HOST[1], HOST[2], PEER]),
    (1490, 0, 61, "inet_sock_set_state", [TIMER, 9, 7, 4711, 80, HOST[0], HOST[1], HOST[2], PEER]),
]


def whole(name):
    return next(at for at in NAMES if at.endswith(":" + name))


def tracepoints():
    for number, (name, fields) in enumerate(POINTS.items()):
        at, out = 8, []
        for field, (kind, size, signed, _) in fields:
            at = (at + min(size, 8) - 1) // min(size, 8) * min(size, 8) if "[" not in kind else at
            out.append((kind, field, at, size, signed))
            at += size
        yield perf_data.Tracepoint(100 + number, *name.split(":"), out)


TRACEPOINTS = list(tracepoints())


def raw(writer, tid, name, values):
    number = NAMES.index(whole(name))
    out = writer.pack("HBBi", 100 + number, 0, 0, tid)
    for value, (_, field, at, size, _), (_, kind) in zip(values, TRACEPOINTS[number].fields, POINTS[whole(name)]):
        value = value.encode() if isinstance(value, str) else value
        out = out.ljust(at, b"\0") + writer.pack(kind[3], value)
    return out


def perf():
    r = perf_data.Recording(TRACEPOINTS)
    records = [r.sample(NAMES.index(whole(name)), cpu, time, raw(r, tid, name, values), tid)
               for time, cpu, tid, name, values in EVENTS]
    return r.file(r.records([records]))


def dat():
    d = trace_dat.TraceDat(TRACEPOINTS)
    cpus = {}
    for time, cpu, tid, name, values in EVENTS:
        cpus.setdefault(cpu, []).append((time, raw(d, tid, name, values)))
    return d.file({"": {cpu: d.pages(events) for cpu, events in cpus.items()}}, [(trace_dat.UNAME, b"Linux box 6.1.0 x86_64\0")])


def perfetto():
    numbers = {"workqueue_queue_work": (59, [1, 2, 6, 4, 5]), "workqueue_execute_start": (58, [1, 2]),
               "workqueue_execute_end": (57, [1, 2]), "timer_expire_entry": (557, [1, 2, 3, 4]), "timer_expire_exit": (558, [1]),
               "hrtimer_expire_entry": (553, [1, 2, 3]), "hrtimer_expire_exit": (554, [1]), "inet_sock_set_state": (362, [8, 5, 4, 9, 2, 7, 1, 10, 11]), "kvm_entry": (376, []),
               "kvm_exit": (377, [])}
    yield pt.clocks((pt.BOOTTIME, 0), (pt.REALTIME, 1_700_000_000_000_000_000))
    for time, cpu, tid, name, values in EVENTS:
        if name.startswith(("contention", "signal")):  # they have no message of their own
            fields = b""
            for (field, (kind, *_)), value in zip(POINTS[whole(name)], values):
                if isinstance(value, str):
                    fields += pt.data(2, pt.data(1, field) + pt.data(3, value))
                    continue
                fields += pt.data(2, pt.data(1, field) + pt.value_of(4 if kind == "int" else 5, value))
            event = pt.ftrace_event(time, tid, 327, pt.data(1, name) + fields)
        elif name in numbers:
            number, places = numbers[name]
            values = [int.from_bytes(value, "little") if isinstance(value, bytes) and len(value) == 4 else value for value in values]
            event = pt.ftrace_event(time, tid, number, b"".join(map(pt.value_of, places, values)))
            if name == "kvm_exit":  # of arm64: why is a number of its own
                event = pt.ftrace_event(time, tid, number, pt.number(1, 0x16) + pt.number(2, 2) + pt.number(3, 0x1234))
        else:
            event = pt.ftrace_event(time, tid, whole(name), dict(zip((field for field, _ in POINTS[whole(name)]), values)))
        yield pt.bundle(cpu, [event], sequence=2)


def text():
    yield "# tracer: nop"
    comms = {0: "swapper", 61: "kworker"}
    for time, cpu, tid, name, values in EVENTS:
        said = " ".join(f"{field}={value}" for (field, _), value in zip(POINTS[whole(name)], values))
        if name == "sched_switch":
            said = ("prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=kworker next_pid=61 "
                    "next_prio=120")
        elif name.startswith("softirq"):
            said = "vec=7 [action=SCHED]"
        elif name == "kvm_exit":
            said = "reason HLT rip 0x1234 info 0 0"
        elif name == "kvm_entry":
            said = "vcpu 3, rip 0x1234"
        elif name == "contention_begin":
            said = f"{LOCK:#x} (flags=READ)"
        elif name == "contention_end":
            said = f"{LOCK:#x} (ret=-4)"
        elif name.startswith("inet"):
            states = [{2: "TCP_SYN_SENT", 7: "TCP_CLOSE", 9: "TCP_LAST_ACK"}.get(state, "TCP_ESTABLISHED") for state in values[1:3]]
            said = (f"skaddr={values[0]:#x} family=AF_INET6 protocol=IPPROTO_TCP sport={values[3]} dport={values[4]} "
                    f"saddr=10.0.0.1 daddr=10.0.0.2 saddrv6=::ffff:10.0.0.1 daddrv6=fe80::7 "
                    f"oldstate={states[0]} newstate={states[1]}")
        elif name == "signal_generate":
            said = "sig=10 errno=0 code=0 comm=kworker pid=61 grp=1 res=0"
        elif name.startswith("workqueue"):
            said = f"work struct {WORK:#x}: function {FUNCTION:#x}"
            if name == "workqueue_queue_work":
                said = f"work struct={WORK:#x} function={FUNCTION:#x} workqueue=events req_cpu=0 cpu=0"
        elif "timer_expire" in name:
            which = name.split("_")[0]
            said = f"{which}={TIMER:x}" + (f" function={FUNCTION:#x} now=5" if "entry" in name else "")
        yield f"{comms[tid]:>16}-{tid:<5} [{cpu:03}] d..1. 0.{time:09}: {name}: {said}"


open("recording.data", "wb").write(perf())
open("trace.dat", "wb").write(dat())
open("trace.pftrace", "wb").write(pt.trace(perfetto()))
open("text.txt", "w").write("\n".join(text()) + "\n")
EOF
python3 -B make.py "$DATA"
for trace in recording.data trace.dat trace.pftrace text.txt; do
	echo "== $trace"
	histree build -q -o $trace.histree $trace
	for analysis in idle-states work-queued work locks timers softirq-raises guest-runs signals connections handshakes; do
		histree segments $trace.histree $analysis --format tsv | sed 1d | sed "s/^/$analysis	/"
	done
done
