# What perf packed ten-thousandfold is unpacked to a limit that is said: what comes before it is there.
if histree build -q -o no.histree $DATA/perf-made/packed.data 2>&1 | grep -q "built without"; then exit 77; fi
PYTHONDONTWRITEBYTECODE=1 python3 - $DATA/../perf <<'END' || exit 77
import pathlib, sys
sys.path.insert(0, sys.argv[1])
import demo_events, perf_data

if not perf_data.can_pack():
    sys.exit(1)
recording, entries = demo_events.demo()
sound = recording.records(demo_events.rounds(entries, 3 * 10**6))
packer = perf_data.Packer(recording, piece=60000)
hollow = recording.record(200, bytes(60000)) * 100  # of a type that nobody knows
packed = b"".join(packer(hollow) for _ in range(20))
pathlib.Path("hollow.data").write_bytes(recording.file(sound + packed, clock=(10**18, 10**9), compressed=True))
assert len(packed) < 1 << 20
END
try histree build -q -o hollow.histree hollow.data
histree verify hollow.histree
