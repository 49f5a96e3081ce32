# Events in a file for a viewer are of the threads that they belong to, with their fields: of those that name none, who ran
# on their CPU says it.
PYTHONPATH=$(realpath "$DATA/../hostile") PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
import ctf_trace as ctf
made = ctf.small()
made.streams = {"channel_0": [ctf.Packet([
    ctf.switch(100, 7, 8), ctf.text(250, b"say \"so\"\t", b"\1\2"), ctf.switch(400, 8, 0), ctf.text(600, b"idle"),
], 100, 600)]}
made.write("quiet")
END
histree build -q -a kernel quiet 2>/dev/null
try histree export --events --format chrome quiet.histree | sed 's/"program":"[^"]*",//'
histree export --events --format perfetto quiet.histree | grep -ac 'say "so"'
