# States of threads in perf.data, trace.dat and CTF: of a kernel that wrote each one bit too high, of one that wrote the
# number of the bit, and of one before Linux 4.14, which only the description of the event tells.
cat >make.py <<'EOP'
import os
import struct
import sys
sys.path[:0] = [sys.argv[1] + "/../trace_cmd", sys.argv[1] + "/../perf"]
from perf_data import Recording, Tracepoint
from trace_dat import UNAME, TraceDat

FIELDS = [("char[16]", "prev_comm", 8, 16, 1), ("pid_t", "prev_pid", 24, 4, 1), ("int", "prev_prio", 28, 4, 1), ("long", "prev_state", 32, 8, 1),
          ("char[16]", "next_comm", 40, 16, 1), ("pid_t", "next_pid", 56, 4, 1), ("int", "next_prio", 60, 4, 1)]
NEW = '"%s", __print_flags(REC->prev_state & 0xff, "|", { 0x0001, "S" }, { 0x0010, "X" }, { 0x0020, "Z" }, { 0x0040, "P" }, { 0x0080, "I" })'
OLD = '"%s", __print_flags(REC->prev_state & (1024-1), "|", { 1, "S"} , { 16, "Z" }, { 32, "X" }, { 64, "x" }, { 512, "P" })'
# Who leaves, and as what; the next one comes.
TURNS = [("job", 10, "S"), ("other", 11, "D"), ("swapper/0", 0, "R"), ("kworker/0:1", 12, "I"), ("gone", 13, "Z"), ("job", 10, "+"),
         ("other", 11, "D"), ("swapper/0", 0, "R"), ("stopped", 14, "P"), ("job", 10, "S"), ("swapper/0", 0, "R")]
MEANT = {"R": 0, "S": 1, "D": 2, "Z": 32, "P": 64, "I": 128, "+": 256}
SHIFTED = {"R": 1, "S": 2, "D": 4, "Z": 64, "P": 128, "I": 256, "+": 256}
NUMBERED = {"R": 0, "S": 1, "D": 2, "Z": 6, "P": 7, "I": 8, "+": 4096}
BEFORE = {"R": 0, "S": 1, "D": 2, "Z": 64, "P": 512, "I": 1026, "+": 2048}
KERNELS = {"meant": (MEANT, NEW, b"4.19.0"), "shifted": (SHIFTED, NEW, b"4.19.0"), "numbered": (NUMBERED, NEW, b"4.14.0"),
           "described": (BEFORE, OLD, b"4.19.0-odd")}


def turns(states):
    for i, (comm, tid, left_as) in enumerate(TURNS[:-1]):
        yield (i + 1) * 1000000, comm.encode(), tid, states[left_as], TURNS[i + 1][0].encode(), TURNS[i + 1][1]


def body(comm, tid, state, to, next_tid):
    return struct.pack("<16siiq16sii", comm, tid, 120, state, to, next_tid, 120)


def perf(states, shown, release):
    recording = Recording([Tracepoint(7, "sched", "sched_switch", FIELDS, shown)], cpus=1, release=release)
    records = [recording.sample(0, 0, time, struct.pack("<HBBi", 7, 0, 0, tid) + body(comm, tid, *rest), tid=tid)
               for time, comm, tid, *rest in turns(states)]
    return recording.file(recording.records([records]))


def dat(states, shown, release):
    trace = TraceDat([Tracepoint(7, "sched", "sched_switch", FIELDS, shown)], version=6)
    events = [(time, struct.pack("<HBBi", 7, 0, 0, tid) + body(comm, tid, *rest)) for time, comm, tid, *rest in turns(states)]
    return trace.file({"": {0: trace.pages(events)}}, [(UNAME, b"Linux demo " + release + b" x86_64\0")])


METADATA = """/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = true; } := i32;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = true; } := i64;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; }; };
env { domain = "kernel"; tracer_name = "lttng-modules"; tracer_major = 2; tracer_minor = 10; hostname = "demo"; kernel_release = "%s"; };
clock { name = monotonic; };
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := stamp;
stream { packet.context := struct { u32 cpu_id; }; event.header := struct { stamp timestamp; }; };
typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := letter;
event { name = "sched_switch"; fields := struct { letter _prev_comm[16]; i32 _prev_tid; i32 _prev_prio; i64 _prev_state;
	letter _next_comm[16]; i32 _next_tid; i32 _next_prio; }; };
"""
for name, kernel in KERNELS.items():
    open(f"{name}.data", "wb").write(perf(*kernel))
    open(f"{name}.dat", "wb").write(dat(*kernel))
    os.mkdir(name)
    open(f"{name}/metadata", "w").write(METADATA % kernel[2].decode())
    with open(f"{name}/channel0_0", "wb") as stream:
        stream.write(struct.pack("<II", 0xC1FC1FC1, 0) + b"".join(struct.pack("<Q", time) + body(*rest) for time, *rest in turns(kernel[0])))
EOP
python3 make.py $DATA
if histree build -q -o no.histree meant.dat 2>&1 | grep -q "built without libtraceevent"; then exit 77; fi
histree build -q meant.data -o store -f
histree top store --format tsv --columns thread,user,waiting,blocked,other,unknown
histree states store --format tsv 'Threads/*' >meant.tsv
histree build -q meant.data -o store -f -a kernel -x run-queues
histree states store -a run-queues --format tsv >queues.tsv
grep CPUs queues.tsv
for kernel in meant shifted numbered described; do
	for trace in $kernel.data $kernel.dat $kernel; do
		if [ $trace = described ]; then continue; fi # nothing describes it in CTF
		histree build -q $trace -o store -f
		histree states store --format tsv 'Threads/*' | diff meant.tsv - && echo "$trace: as meant"
		if [ $kernel = described ]; then continue; fi # 512 is parked
		histree build -q $trace -o store -f -a kernel -x run-queues
		histree states store -a run-queues --format tsv | diff queues.tsv - && echo "$trace: queues as meant"
	done
done
# An event is shown as it was written.
histree build -q shifted.dat -o store -f
histree events store --format tsv --where 'prev_pid == 0' -n 1 | grep -o 'prev_state=[0-9]*'
