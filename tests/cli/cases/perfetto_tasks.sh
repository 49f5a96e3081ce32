# Threads of a kernel that is not Linux, as Perfetto's tables of its own tests have them (generic_kernel/tests.py).
cat >make.py <<'EOP'
import sys
sys.path.insert(0, sys.argv[1] + "/../perfetto")
from perfetto_trace import data, number, packet, trace

CREATED, RUNNABLE, RUNNING, SLEEPS, STOPPED, DEAD, DESTROYED = 1, 2, 3, 4, 6, 7, 8


def message(field, *parts):
    return data(field, b"".join(parts))


def task(time, tid, state, cpu=None, name=None, **options):
    parts = [number(1, cpu)] if cpu is not None else []
    return packet(message(117, *parts, data(2, name or f"task{tid % 100}"), number(3, tid), number(4, state), number(5, 100)),
                  time=time, **options)


def write(name, *packets):
    open(name + ".pftrace", "wb").write(trace(list(packets)))


write("interleaved", task(1000, 101, RUNNING, 0), task(2000, 102, RUNNING, 0), task(2000, 101, DESTROYED, 0))
write("mismatched", task(1000, 101, RUNNING, 0), task(2000, 102, RUNNING, 0), task(3000, 101, DESTROYED, 0))
write("multiple", task(1000, 101, RUNNING, 0), task(2000, 102, RUNNING, 0), task(3000, 103, SLEEPS))
write("lives", task(1000, 101, CREATED), task(1500, 101, RUNNABLE), task(2000, 101, RUNNING, 1), task(2500, 101, STOPPED, 3),
      packet(message(120, number(1, 101), data(2, "other")), time=2600), task(3000, 101, DEAD), task(4000, 102, RUNNING, 1))
write("others", packet(message(122, message(1, number(1, 7), number(2, 1), data(3, "/bin/app -x")),
                               message(2, number(1, 101), number(2, 7), data(3, "named"), number(4, 1))), time=900),
      task(1000, 101, RUNNING, 0, "named"), task(1100, 2**33 + 5, RUNNING, 1),
      packet(message(118, number(1, 2), number(2, 1_500_000_000)), time=1200), task(1300, 101, SLEEPS, name="named"),
      task(2300, 101, RUNNING, 0, "named", dropped=True))
EOP
python3 make.py $DATA
for name in interleaved mismatched multiple lives others; do
	try histree build $name.pftrace -o $name 2>&1 | grep -v -e ' events, ' -e 'has no events' -e 'no event says'
	histree states $name --format tsv | grep -E '^(Threads/[0-9]+(|/Exec_name|/Prio|/PID)|CPUs/./(Current_thread|Frequency))	'
done
