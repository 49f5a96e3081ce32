# Samples of Perfetto: of linux.perf, with interned stacks, and of the profiler in browsers.
export PYTHONPATH=$(realpath "$DATA/../perfetto") PYTHONDONTWRITEBYTECODE=1
python3 - <<'END'
from perfetto_trace import *


def entry(table, number_of_it, *fields):
    return data(table, number(1, number_of_it) + b"".join(fields))


def sample(cpu, pid, tid, stack):
    return data(66, number(1, cpu) + number(2, pid) + number(3, tid) + number(4, stack))


interned = data(12, entry(5, 1, data(2, "main")) + entry(5, 2, data(2, "draw<int>"))
                + entry(17, 1, data(2, "system")) + entry(17, 2, data(2, "libui.so")) + entry(18, 1, data(2, "ui.cc"))
                + entry(19, 1, number(7, 1), number(7, 2))
                + entry(6, 1, number(2, 1), number(3, 1), number(4, 16))
                + entry(6, 2, number(2, 2), number(3, 1), number(5, 1), number(6, 12))
                + entry(6, 3, number(3, 1), number(4, 48))
                + entry(7, 1, number(2, 1), number(2, 2)) + entry(7, 2, packed(2, [1, 3])))
again = data(12, entry(5, 1, data(2, "other")) + entry(6, 1, number(2, 1)) + entry(7, 1, number(2, 1)))
names = data(2, data(1, number(1, 50) + number(2, 1) + data(3, "app"))
             + data(2, number(1, 51) + data(2, "render") + number(3, 50)))
open("perf.pftrace", "wb").write(trace([
    packet(names, time=900),
    packet(interned, sample(1, 50, 51, 1), time=1000, sequence=7, flags=3),
    packet(sample(1, 50, 51, 1), time=2000, sequence=7, flags=2),
    packet(sample(0, 50, 50, 2), time=3000, sequence=7, flags=2),
    packet(sample(0, 50, 50, 9), time=4000, sequence=7, flags=2),
    packet(data(66, number(1, 0) + number(17, 4)), time=5000, sequence=7, flags=2),
    packet(again, sample(0, 50, 50, 1), time=6000, sequence=7, flags=3)]))
open("browser.pftrace", "wb").write(trace([
    packet(data(44, number(1, 60) + number(2, 61) + number(6, 100)), interned, sequence=9, flags=1),
    packet(data(54, number(1, 1) + number(2, 10) + number(1, 2) + number(2, 5)), sequence=9, flags=2),
    packet(data(54, packed(1, [1, 1]) + packed(2, [7, 8])), sequence=9, flags=2)]))
END
for name in perf browser; do
	histree build -q $name.pftrace -o $name
	histree flame $name --folded
	histree segments $name samples --format tsv
	histree segments $name sample-stacks --format tsv | cut -f4-9
done
