# What stands for the time of an event where the clock is short, at zero, or not there.
PYTHONPATH=$(realpath "$DATA/../support") PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
from struct import pack
from small_ctf import write
def numbered(times):
    return [(time, pack("<I", i)) for i, time in enumerate(times)]
second = 10**9
# A clock of 32 bits goes round five times; packets do not say when they begin, or with as few bits.
write("round", "u32 n;", numbered(range(0, 20000 * 10**6, 10**6)), bits=32, frequency=10**6, per_packet=50)
write("short", "u32 n;", numbered(range(0, 20000 * 10**6, 10**6)), bits=32, frequency=10**6, per_packet=50,
      begin=lambda time: time)
# The zero of the clock: a board that was just started, a packet that begins later, a nanosecond that comes twice.
write("started", "u32 n;", numbered((0, 70 * second, 71 * second)), begin=lambda time: time)
write("coarse", "u32 n;", numbered((0, 0, 90, 95)), frequency=10, begin=lambda time: time)
write("later", "u32 n;", numbered((0, 70 * second, 71 * second)), begin=lambda time: 70 * second)
write("twice", "u32 n;", numbered((0, 0, 70 * second, 71 * second)), begin=lambda time: time)
write("ordered", "string words;", [(None, b"one\0"), (None, b"another\0"), (None, b"last\0")], clock=False)
END
tell() { sed 's/^\(.*no analysis applies to [^,:]*\).*/\1 .../; / intervals, /d'; }
for name in round short; do
	histree build -q $name 2>/dev/null
	try histree events $name.histree --format tsv | awk 'NR > 2 { split($NF, n, "="); wrong += $2 != n[2] * 1000000000 }
		END { print NR - 2, "events,", wrong + 0, "at another time" }'
	try histree events -n 2 --from 17000000000000 $name.histree
done
for name in started coarse later twice ordered; do
	try histree build $name | tell
	histree events $name.histree
done
try histree build -o both started ordered | tell
