# Tracks of Perfetto: sums of counters by writer, flows with several ends, and the order of processes; threads whose
# tracks stay apart from what ftrace tells of them; calls of the kernel's functions.
cat >make.py <<'EOF'
import sys
sys.path.insert(0, sys.argv[1] + "/../perfetto")
import perfetto_trace as pt

BEGIN, END, COUNTER = 1, 2, 4
packets = [pt.packet(pt.data(60, pt.number(1, 7) + pt.number(2, 0) + pt.data(2, "bytes") + pt.data(8, pt.number(5, 1))))]
for uuid, pid, rank in ((10, 100, 5), (20, 200, -1), (30, 300, 0)):
    packets.append(pt.packet(pt.data(60, pt.number(1, uuid) + pt.number(12, rank) + pt.data(3, pt.number(1, pid)))))


def event(time, kind, track, *rest, sequence=1, flags=None):
    packets.append(pt.packet(pt.data(11, pt.number(9, kind) + pt.number(11, track) + b"".join(rest)), time=time,
                             sequence=sequence, flags=flags))


# Two writers count in turn; one begins its state anew.
event(10, COUNTER, 7, pt.number(30, 5), sequence=1, flags=1)
event(11, COUNTER, 7, pt.number(30, 100), sequence=2, flags=1)
event(12, COUNTER, 7, pt.number(30, 1), sequence=1)
event(13, COUNTER, 7, pt.number(30, 10), sequence=2)
event(14, COUNTER, 7, pt.number(30, 2), sequence=1, flags=1)
# A flow from one span to two, and the same id again.
for time, track, field in ((20, 10, 47), (22, 20, 48), (24, 30, 48), (26, 30, 47), (28, 10, 48)):
    event(time, BEGIN, track, pt.data(23, "work"), pt.fixed64(field, 77))
    event(time + 1, END, track)
# Ends without names, one of them too many, and a span that is never ended.
event(40, BEGIN, 10, pt.data(23, "outer"))
event(41, BEGIN, 10, pt.data(23, "inner"), pt.data(4, pt.data(10, "in") + pt.number(4, 1)))
event(42, END, 10, pt.data(4, pt.data(10, "out") + pt.number(4, 2)))
event(43, END, 20)
open("x.pftrace", "wb").write(pt.trace(packets))
EOF
python3 make.py "$DATA"
histree build -q x.pftrace
histree states --format csv -a tracks x.pftrace.histree | grep Counters
histree segments --format csv x.pftrace.histree track-flows | cut -d, -f 1,2,6,10
histree segments --format csv x.pftrace.histree track-spans | cut -d, -f 1,2,4,6,9,12-
histree info --attributes x.pftrace.histree 'Processes/*' | cut -c 10-
histree info x.pftrace.histree | grep '^warnings'
cat >make-apart.py <<'EOF'
import sys
sys.path.insert(0, sys.argv[1] + "/../perfetto")
import perfetto_trace as pt

BEGIN, END = 1, 2


def event(time, kind, name=""):
    return pt.packet(pt.data(11, pt.number(9, kind) + pt.number(11, 5) + (pt.data(23, name) if name else b"")), time=time)


def printed(time, text):
    return pt.ftrace_event(time, 11, "ftrace:print", {"buf": text + "\n"})


def trace(keeps_apart, prints):
    thread = pt.number(1, 5) + pt.data(4, pt.number(1, 10) + pt.number(2, 11) + pt.data(5, "main"))
    yield pt.packet(pt.data(60, thread + (pt.number(9, 1) if keeps_apart else b"")))
    yield from (event(2000, BEGIN, "task"), event(4000, END))
    if prints:  # it begins before the task of the other clock does, and ends in it
        yield pt.bundle(0, [printed(1700, "B|10|draw"), printed(3300, "E|10")])


for name, *how in ("joined", False, True), ("apart", True, True), ("alone", True, False):
    open(f"{name}.pftrace", "wb").write(pt.trace(trace(*how)))


# Calls of a thread that moves from a CPU to another: the file has CPU after CPU.
def call(time, pid, depth, function):
    return pt.ftrace_event(time, pid, 437, pt.number(1, depth) + pt.number(2, function))


def back(time, pid, depth, function):
    return pt.ftrace_event(time, pid, 438, pt.number(1, 5) + pt.number(2, depth) + pt.number(3, function) + pt.number(5, 9))


def calls():
    names = [pt.data(26, pt.number(1, i) + pt.data(2, name)) for i, name in ((1, "vfs_read"), (2, "lock"))]
    yield pt.packet(pt.data(12, b"".join(names)), flags=1)
    yield pt.bundle(0, [call(1000, 21, 0, 1), call(1100, 21, 1, 2), back(1500, 21, 1, 2), back(9000, 0, 0, 2)])
    yield pt.bundle(1, [call(2000, 21, 1, 0xffff800012), printed(2100, "B|20|request"), back(2500, 21, 1, 0xffff800012),
                        back(3000, 21, 0, 1), printed(3100, "E|20"), call(4000, 0, 0, 2), back(4400, 0, 0, 2)])
    # Of no thread: who calls is the CPU.
    yield pt.bundle(2, [pt.number(1, 5000) + pt.data(437, pt.number(2, 1)), pt.number(1, 5500) + pt.data(438, pt.number(3, 1))])
    yield pt.process_tree([(20, 1, ["/usr/bin/server", "-x"])], [(21, 20, "worker")], time=9600)


open("calls.pftrace", "wb").write(pt.trace(calls()))
EOF
python3 make-apart.py "$DATA"
for form in joined apart alone calls; do
	histree build -q $form.pftrace
	histree segments --format csv $form.pftrace.histree track-spans | cut -d, -f 1,2,4,6-7,9
done
histree states --format csv -a tracks calls.pftrace.histree | grep '^Threads/21,'
# Events of old without a track are of the thread that their writer describes; those of today that say 0 are of none.
cat >make-old.py <<'EOF'
import sys
sys.path.insert(0, sys.argv[1] + "/../perfetto")
import perfetto_trace as pt


def event(time, *fields):
    return pt.packet(pt.data(11, b"".join(fields)), time=time)


def old(phase):
    return pt.data(6, pt.number(2, ord(phase)))


open("old.pftrace", "wb").write(pt.trace([
    pt.packet(pt.data(60, pt.number(1, 1) + pt.data(4, pt.number(1, 5) + pt.number(2, 7))), flags=1),
    event(1000, pt.number(11, 0), pt.data(23, "task"), old("B")), event(3000, pt.number(11, 0), old("E")),
    event(4000, pt.data(23, "next"), pt.number(9, 1)), event(5000, pt.number(9, 2)),
    event(6000, pt.number(11, 0), pt.data(23, "global"), pt.number(9, 1)), event(7000, pt.number(11, 0), pt.number(9, 2))]))
EOF
python3 make-old.py "$DATA"
histree build -q old.pftrace
histree segments --format csv old.pftrace.histree track-spans | cut -d, -f 1,2,4,6-7,9
# What names are called in the source of a program may be said behind the events, of spans and of tracks apart.
cat >make-meant.py <<'EOF'
import sys
sys.path.insert(0, sys.argv[1] + "/../perfetto")
import perfetto_trace as pt


def event(time, *fields):
    return pt.packet(pt.data(11, b"".join((pt.number(11, 2),) + fields)), time=time)


def said(table, **names):
    return pt.packet(pt.data(82, pt.data(table, b"".join(pt.data(1, pt.data(1, raw) + pt.data(2, meant)) for raw, meant in names.items()))))


open("meant.pftrace", "wb").write(pt.trace([
    pt.packet(pt.data(60, pt.number(1, 1) + pt.data(3, pt.number(1, 5)))),
    pt.packet(pt.data(60, pt.number(1, 2) + pt.number(5, 1) + pt.data(2, "a.b"))),
    pt.packet(pt.data(12, pt.data(2, pt.number(1, 1) + pt.data(2, "x.y"))), flags=1),
    event(1000, pt.data(23, "a.b"), pt.number(9, 1)), event(2000, pt.number(10, 1), pt.number(9, 1)),
    event(3000, pt.number(9, 2)), event(4000, pt.number(9, 2)), event(5000, pt.data(23, "plain"), pt.number(9, 3)),
    said(4, **{"a.b": "draw", "x.y": "layout"}), said(4, **{"a.b": "later"}), said(5, **{"a.b": "frames"})]))
EOF
python3 make-meant.py "$DATA"
histree build -q meant.pftrace
histree events meant.pftrace.histree --format csv
