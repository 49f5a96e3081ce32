# Switches of perf's own (perf record --switch-events) tell states, unless the kernel's are there, which say more.
cat >make.py <<'EOP'
import sys
sys.path.insert(0, sys.argv[1] + "/../perf")
from perf_data import COMM, EXIT, Recording, Tracepoint

SWITCH, SWITCH_CPU_WIDE, OUT, PREEMPT = 14, 15, 1 << 13, 1 << 14


def write(name, point, records, **options):
    points = [Tracepoint(7 + i, "sched", each, [("int", "pid", 8, 4, 1)]) for i, each in enumerate(point.split())]
    perf = Recording(points, switches=True, **options)
    sample = perf.sample(0, 0, 900, perf.pack("HBBi", 7, 0, 0, 5) + perf.pack("i", 5), tid=5)
    open(name + ".data", "wb").write(perf.file(perf.records([[sample] + records(perf)])))


def of_cpus(perf):
    def out(time, tid, to, misc=0):
        return perf.side(SWITCH_CPU_WIDE, perf.pack("ii", to, to), 0, time, tid, OUT | misc)

    def come(time, tid, of):
        return perf.side(SWITCH_CPU_WIDE, perf.pack("ii", of, of), 0, time, tid)

    def end(time, tid):
        return perf.side(EXIT, perf.pack("IIIIQ", tid, 1, tid, 1, time), 0, time, tid)

    return [perf.side(COMM, perf.pack("ii", 12, 12) + b"older\0\0\0", 0, 0),  # of the time before; the last one is its name
            perf.side(COMM, perf.pack("ii", 12, 12) + b"old\0\0\0\0\0", 0, 0),
            out(1000, 10, 11), come(1010, 11, 10),
            out(2000, 11, 12, PREEMPT), come(2010, 12, 11),
            end(2500, 12), out(2600, 12, 11, PREEMPT), come(2610, 11, 12),  # it ends, but is preempted before it left
            out(3000, 11, 12), come(3010, 12, 11),
            out(4000, 12, 13), come(4010, 13, 12), perf.comm(0, 4100, 13, b"new"),
            end(4500, 13), out(5000, 0xffffffff, 0)]  # a dead one has no number


def of_threads(perf):
    return [perf.side(SWITCH, b"", 0, 1000, 20, OUT | PREEMPT), perf.side(SWITCH, b"", 1, 2000, 20),
            perf.side(SWITCH, b"", 1, 3000, 20, OUT), perf.side(SWITCH, b"", 0, 4000, 20),
            perf.side(EXIT, perf.pack("IIIIQ", 20, 1, 20, 1, 4500), 0, 4500, 20)]


def names(perf):
    """The kernel's own switch comes last: a thread of the time before that has no event gets no row."""
    point = perf.pack("HBBi", 8, 0, 0, 5) + perf.pack("i", 5)
    return [perf.side(COMM, perf.pack("ii", 14, 14) + b"idle\0\0\0\0", 0, 0), perf.comm(0, 1000, 13, b"new"),
            perf.sample(0, 1, 2000, point, tid=5)]


write("cpus", "sched_process_hang", of_cpus)
write("big", "sched_process_hang", of_cpus, big=True)
write("threads", "sched_process_hang", of_threads)
write("both", "sched_switch", of_cpus)
write("names", "sched_process_hang sched_switch", names)
EOP
python3 make.py $DATA
for file in cpus threads; do
	try histree build $file.data -o $file 2>&1 | grep -e switch-events -e '^\$'
	histree states $file --format tsv | grep -E '^(Threads/[0-9]+(/Exec_name)?|CPUs/0.*)	'
done
histree segments cpus preemptions --format tsv
histree build -q big.data -o big
histree states cpus --format tsv >cpus.tsv
histree states big --format tsv | cmp - cpus.tsv
histree build both.data -o both 2>&1 | grep switch-events
histree events both --format tsv | cut -f 4 | sort | uniq -c
histree build -q names.data -o names
histree states names --format tsv | grep -E '^Threads/[0-9]+(/Exec_name)?	'
