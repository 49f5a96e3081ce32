# What a tracer says that it lost: counters that begin again, as where a session was started twice, have lost what they say.
PYTHONPATH=$(realpath "$DATA/../hostile") PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
import ctf_trace as ctf
made, packets = ctf.small(), []
for i, (sequence, discarded) in enumerate(((5, 10), (6, 12), (0, 1), (2, 1))):
    times = range(1000 * i + 1000, 1000 * i + 1900, 100)
    packets.append(ctf.Packet([ctf.switch(time, 1, 2) for time in times], times[0], times[-1], sequence, discarded))
made.streams = {"channel_0": packets}
made.write("trace")
END
histree build -a kernel trace 2>&1 | grep lost
histree info trace.histree | grep -E '^(discarded|event count)'
