# Events that have no time are at the zero of the clock: they do not stretch the trace, and are said to be left out.
PYTHONPATH=$(realpath "$DATA/../hostile") PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
import ctf_trace as ctf
def trace(name, early, real):
    made = ctf.small()
    made.parts["clock"] = 'clock { name = "monotonic"; freq = 1000000000; };\n'
    events = [ctf.switch(time, 1, 2) for time in (*early, *real)]
    made.streams = {"channel_0": [ctf.Packet(events, events and early[0] if early else real[0], real[-1])]}
    made.write(name)
now = 1795000000 * 10**9
trace("side", (0, 0, 5), range(now, now + 10**9, 10**8))
trace("none", (), range(now, now + 10**9, 10**8))
trace("boot", (0, 10, 20), range(100, 10**9, 10**7))
trace("idle", (10**12,), range(10**15, 10**15 + 10**9, 10**8))
END
for name in side none boot idle; do
	histree build $name 2>&1 | grep "warning: .*clock was 0"
	histree info $name.histree | grep -E '^(event count|trace start|trace end|warnings .*clock)'
done
