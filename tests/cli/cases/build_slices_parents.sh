# Whether a thread is of the kernel, its parent says once, at the beginning; a slice later on sees only its name.
PYTHONPATH=$(realpath "$DATA/../support") PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
import struct
from small_ctf import write

SWITCH, DUMP, ENTRY, EXIT = 5, 6, 7, 8
CLASSES = """
event { name = "sched_switch"; id = 5; fields := struct { string prev_comm; u32 prev_tid; u32 prev_prio; u64 prev_state;
string next_comm; u32 next_tid; u32 next_prio; }; };
event { name = "lttng_statedump_process_state"; id = 6; fields := struct { u32 tid; u32 pid; u32 ppid; string name; u32 status; }; };
event { name = "syscall_entry_read"; id = 7; fields := struct { u32 fd; }; };
event { name = "syscall_exit_poll"; id = 8; fields := struct { u64 ret; }; };
"""
names = {0: "swapper/0", 5: "sh", 12: "rcu_bench", 13: "poller", 14: "irq/reader"}
events, kinds, running = [], [], 0

def say(kind, layout, *values):
    data = b"".join(v.encode() + b"\0" if isinstance(v, str) else struct.pack("<" + c, v) for c, v in zip(layout, values))
    events.append((1000 * (len(events) + 1), data))
    kinds.append(kind)

def switch(tid):
    global running
    say(SWITCH, "sIIQsII", names[running], running, 20, 1, names[tid], tid, 20)
    running = tid

for tid, pid, ppid in (12, 12, 1), (13, 13, 2), (14, 40, 1):
    say(DUMP, "IIIsI", tid, pid, ppid, names[tid], 5)
for turn in range(600):
    switch((5, 12, 13, 14)[turn % 4])
    if running == 5:
        say(ENTRY, "I", 3)
        say(EXIT, "Q", 0)
for tid in 12, 14:
    switch(tid)
    say(EXIT, "Q", 1)
write("trace", "u8 x;", events, cpu=0, per_packet=20, begin=lambda time: time, extra=CLASSES, ids=lambda i: kinds[i],
      environment='domain = "kernel"; tracer_name = "lttng-modules"; tracer_major = 2; tracer_minor = 8;')
END
histree build -q -a kernel -o whole trace
histree top whole --format tsv | cut -f 2-5
for slices in 2 3 7; do
	histree build -q -a kernel --slices $slices --slice-events 90 -f -o cut trace
	diff <(histree states whole) <(histree states cut) && echo "$slices slices: the same"
done
histree build -q -a kernel --backend partial -o partial trace
diff <(histree states whole) <(histree states partial) && echo "partial: the same"
