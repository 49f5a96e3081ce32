# Flows between what is asynchronous say the lanes where it is shown; where nothing is open, there is none.
PYTHONPATH=$(readlink -f "$DATA")/../perfetto python3 - >flows.pftrace <<'PYTHON'
import sys
from perfetto_trace import data, fixed64, number, packet, trace

BEGIN, END = 1, 2
def event(time, kind, track, name=None, flow=None):
    parts = [number(9, kind), number(11, track)] + ([data(23, name)] if name else []) + ([fixed64(47, flow)] if flow else [])
    return packet(data(11, b"".join(parts)), time=time)
def track(uuid, *parts):
    return packet(data(60, number(1, uuid) + b"".join(parts)), time=1)

sys.stdout.buffer.write(trace([
    track(10, data(3, number(1, 1))),
    track(11, number(5, 10), data(2, b"read/write")),
    track(12, number(5, 10), data(2, b"read/write")),
    event(1000, BEGIN, 11, b"first"),
    event(2000, BEGIN, 12, b"second"),
    event(2000, BEGIN, 12, b"inner", flow=7),
    event(3000, END, 11),
    event(4000, BEGIN, 11, b"third", flow=7),
    event(5000, END, 11, flow=7),
    event(6000, END, 12),
    event(7000, END, 12),
]))
PYTHON
try histree build -q flows.pftrace
try histree segments --format tsv flows.pftrace.histree track-flows
try histree states --format tsv --at +1us flows.pftrace.histree 'Processes/1/Async/read\/write/2/CallStack/*'
