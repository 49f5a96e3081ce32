# Switches of perf's own are said to be not read, unless the kernel's are there.
cat >make.py <<'EOP'
import sys
sys.path.insert(0, sys.argv[1] + "/../perf")
from perf_data import Recording, Tracepoint

SWITCH = 14
for name, point in (("own", "sched_process_hang"), ("both", "sched_switch")):
    tracepoints = [Tracepoint(7, "sched", point, [("int", "pid", 8, 4, 1)])]
    perf = Recording(tracepoints)
    records = [perf.sample(0, 0, 1000, perf.pack("HBBi", 7, 0, 0, 5) + perf.pack("i", 5), tid=5), perf.side(SWITCH, b"", 0, 2000),
               perf.side(SWITCH, b"", 0, 3000)]
    open(name + ".data", "wb").write(perf.file(perf.records([records])))
EOP
python3 make.py $DATA
for file in own both; do
	try histree build $file.data 2>&1 | grep -e switch-events -e '^\$'
done
