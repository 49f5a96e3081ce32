# What one writer lost is in doubt on its own tracks and counters; spans that others had open meanwhile are whole.
cat >make.py <<'EOP'
import sys
sys.path.insert(0, sys.argv[1] + "/../perfetto")
from perfetto_trace import data, number, packet, trace

BEGIN, END, COUNTER = 1, 2, 4


def track(uuid, *parts):
    return packet(data(60, number(1, uuid) + b"".join(parts)), flags=1, sequence=uuid)


def thread(tid):
    return data(4, number(1, 5) + number(2, tid))


def event(time, sequence, kind, uuid, name=b"", value=None, **options):
    body = number(9, kind) + number(11, uuid) + (data(23, name) if name else b"")
    return packet(data(11, body + (number(30, value) if value is not None else b"")), time=time, sequence=sequence, **options)


def packets(kind=number):
    return [track(1, thread(6)), track(2, thread(7)), track(3, data(2, "memory"), data(8, b"")), track(4, data(2, "other"), data(8, b"")),
            event(5, 2, BEGIN, 2, "long"), event(10, 1, BEGIN, 1, "a"), event(12, 1, COUNTER, 3, value=3), event(13, 2, COUNTER, 4, value=4),
            event(30, 2, BEGIN, 2, "inner"), event(35, 2, END, 2), event(50, 1, END, 1, dropped=1), event(60, 1, BEGIN, 1, "c"),
            event(70, 1, END, 1), event(72, 1, COUNTER, 3, value=7), event(80, 2, END, 2)]


open("lost.pftrace", "wb").write(trace(packets()))
# Nothing follows the loss.
open("tail.pftrace", "wb").write(trace(packets()[:-5] + [packet(data(11, number(9, BEGIN) + number(11, 1)), sequence=1, flags=2, dropped=1, time=55),
                                                         event(80, 2, END, 2)]))
EOP
python3 make.py $DATA
for file in lost tail; do
	try histree build $file.pftrace 2>&1 | sed '/intervals/d'
	histree segments --format tsv --columns start,end,name,tid,depth,self $file.pftrace.histree track-spans
	histree states -a tracks --format tsv $file.pftrace.histree | grep -v null
done
histree events --format tsv lost.pftrace.histree | grep loss
