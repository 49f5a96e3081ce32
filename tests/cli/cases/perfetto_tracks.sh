# Tracks of Perfetto: sums of counters by writer, flows with several ends, and the order of processes.
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
histree dump --format csv -a tracks x.pftrace.histree | grep Counters
histree segments --format csv x.pftrace.histree track-flows | cut -d, -f 1,2,6,10
histree segments --format csv x.pftrace.histree track-spans | cut -d, -f 1,2,4,6,9,12-
histree ls x.pftrace.histree 'Processes/*' | cut -c 10-
histree info x.pftrace.histree | grep '^warnings'
