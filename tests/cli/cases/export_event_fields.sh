# Where an expression chooses one type of events, each of its fields is a column of its own type, in every format of columns.
PYTHONPATH=$(realpath "$DATA/../hostile") PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
import struct
import ctf_trace as ctf
made = ctf.small()
head, tail = made.parts["stream"].split("\tpacket.context")
made.parts["stream"] = head + "\tevent.context := struct { int32_t _level; int32_t _tid; };\n\tpacket.context" + tail
made.parts["types"] += ("typealias integer { size = 64; align = 8; signed = false; base = hexadecimal; } := address_t;\n"
    "typealias floating_point { exp_dig = 11; mant_dig = 53; byte_order = le; align = 8; } := double;\n"
    "typealias enum : uint8_t { IDLE = 1, BUSY = 2 } := mode_t;\n"
    "typealias struct { uint8_t x; uint8_t y; } := point_t;\n")
made.parts["events"] = (
    ctf.event_class(0, "probe", "int32_t _level; uint64_t _wide; address_t _at; mode_t _mode; double _share; string _word; "
        "uint8_t _list[2]; point_t _place; uint64_t _time; uint8_t _Cpu; uint8_t _type;") +
    ctf.event_class(1, "other", "uint8_t _alone;"))
def context(level): return struct.pack("<ii", level, 77)
def probe(time, level, wide, at, mode, share, word):
    return ctf.event(0, time, context(level + 1000) + struct.pack("<iQQBd", level, wide, at, mode, share) + word + b"\0" +
                     bytes([1, 2, 3, 4]) + struct.pack("<QBB", 5, 6, 7))
made.streams = {"channel_0": [ctf.Packet([
    probe(100, -5, 2**64 - 1, 0xffff0000, 1, 0.5, b"one, \"two\""), ctf.event(1, 150, context(0) + b"\x09"),
    probe(200, 7, 0, 0, 2, float("nan"), b""), probe(300, 8, 1, 1, 3, -1e300, b"\xff"),
], 100, 300)]}
made.write("probes")
END
histree build -q -a kernel -o probes.histree probes 2>/dev/null
try histree export probes.histree --events --where 'type == probe' --format csv
try histree export probes.histree --events --where 'type == probe && level > 0' --format csv --columns mode,field_time,context_level
try histree export probes.histree --events --where 'type == other' --format csv
# Two types, or none that the expression names, have their fields as one object.
try histree export probes.histree --events --where 'mode == BUSY' --format csv
try histree export probes.histree --events --where 'type matches o' --from +50ns --to +100ns --format csv
try histree export probes.histree --events --where 'type == nothing' --format csv
try histree export probes.histree --events --where 'name == probe' --format csv --columns time
try histree export probes.histree --events --where 'type == probe' --format csv --columns time,nothing
try histree export probes.histree --events --format csv --columns time,level
try histree export probes.histree --events --where 'type ==' --format csv
# A database has the types, too; files for viewers have those events alone.
histree export probes.histree --events --where 'type == probe' -o probes.db
python3 - <<'END'
import sqlite3
database = sqlite3.connect("probes.db")
for row in database.execute("SELECT typeof(level), typeof(wide), typeof(at), mode, typeof(mode), share, typeof(word), list, place, "
                            "field_time, field_Cpu, field_type, context_level FROM events ORDER BY time"):
    print(*row)
END
histree export probes.histree --events --where 'type == probe && level < 8' --format chrome | grep -o '"name":"probe".*'
# Parquet and Arrow have the same rows.
for form in arrow arrow-stream parquet; do
	histree export probes.histree --events --where 'type == probe' --format $form | grep -aoE 'context_level|field_Cpu' | LC_ALL=C sort -u | tr '\n' ' '
done
echo
histree export probes.histree --events --where 'type == probe' --partition hour -o parts && find parts -type f
# What is not there is null, and a text that is empty is not; numbers of several kinds are one column that has them all.
cat >some.json <<-END
	{"time":1,"event":"e","cpu":0,"n":5,"w":"x","m":1}
	{"time":2,"event":"e","cpu":0,"w":"","m":"one"}
	{"time":3,"event":"e","cpu":0,"n":-2}
	{"time":4,"event":"e","n":2.5}
	{"time":5,"event":"f"}
END
histree build -q -o some.histree some.json 2>/dev/null
histree export some.histree --events --where 'type == e' --format csv
histree export some.histree --events --where 'type == e' -o some.db
python3 - <<'END'
import sqlite3
for row in sqlite3.connect("some.db").execute("SELECT number, cpu, n, w, m, typeof(m) FROM events ORDER BY number"):
    print(*row)
END
