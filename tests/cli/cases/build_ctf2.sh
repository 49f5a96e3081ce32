# A trace of CTF 2 makes the store that its twin of CTF 1.8 makes; its faults have a fragment and a path.
tests=$(dirname "$(dirname "$(readlink -f "$DATA/ctf-made")")")
python3 "$tests/differential/twin.py" $DATA/demo-trace two
histree build -q -o two.histree two
histree states two.histree >two.tsv
histree build -q -o one.histree $DATA/demo-trace
histree states one.histree >one.tsv
try cmp one.tsv two.tsv
mkdir wrong
printf '\x1e{"type": "preamble", "version": 2}\n\x1e{"type": "data-stream-class", "id": -1}' >wrong/metadata
try histree build -o x.histree wrong
printf '\x1e{"type": "preamble", "version": 2}\n\x1e{"type": "field-class-alias", "name": "a", "field-class": "b"}' >wrong/metadata
try histree build -o x.histree wrong
printf '\x1e{"type": "preamble", ' >wrong/metadata
try histree build -o x.histree wrong
# Drafts of the specification name clocks, put the origin of a location before its path, and have classes for enumerations.
mkdir draft
python3 - <<'END'
import json, struct
def whole(name, bits, **more):
    return {"name": name, "field-class": {"type": "fixed-length-unsigned-integer", "length": bits, "alignment": 8, "byte-order": "little-endian", **more}}
tag = whole("tag", 8, type="fixed-length-unsigned-enumeration", mappings={"TEXT": [[0, 0]], "NUMBER": [[1, 1]]})
choice = {"name": "value", "field-class": {"type": "variant", "selector-field-location": ["event-record-payload", "tag"], "options": [
    {"name": "text", "selector-field-ranges": [[0, 0]], "field-class": {"type": "null-terminated-string"}},
    {**whole("number", 16), "selector-field-ranges": [[1, 1]]}]}}
structure = lambda *members: {"type": "structure", "member-classes": list(members)}
parts = [{"type": "preamble", "version": 2}, {"type": "trace-class"},
         {"type": "clock-class", "name": "mono", "frequency": 1000000000, "origin": "unix-epoch", "offset-from-origin": {"seconds": 7, "cycles": 0}},
         {"type": "data-stream-class", "default-clock-class-name": "mono",
          "event-record-header-field-class": structure(whole("time", 64, roles=["default-clock-timestamp"]))},
         {"type": "event-record-class", "name": "said", "payload-field-class": structure(tag, choice)}]
open("draft/metadata", "w").write("".join("\x1e" + json.dumps(part) + "\n" for part in parts))
open("draft/stream", "wb").write(struct.pack("<QB", 1000, 0) + b"hi\0" + struct.pack("<QBH", 2000, 1, 500))
END
histree build -q -o draft.histree draft 2>&1 | grep -v 'no analysis'
histree events draft.histree --format tsv | cut -f 2,4,5
# The flags of a bit map have names, one of several bits; what has none is a number.
mkdir flags
python3 - <<'END'
import json, struct
def whole(name, bits, **more):
    return {"name": name, "field-class": {"type": "fixed-length-unsigned-integer", "length": bits, "alignment": 8, "byte-order": "little-endian", **more}}
structure = lambda *members: {"type": "structure", "member-classes": list(members)}
ways = whole("ways", 8, type="fixed-length-bit-map", flags={"WRITE": [[1, 1]], "READ": [[0, 0]], "LAZY": [[4, 5]]})
parts = [{"type": "preamble", "version": 2}, {"type": "trace-class"},
         {"type": "clock-class", "name": "mono", "frequency": 1000000000, "origin": "unix-epoch", "offset-from-origin": {"seconds": 7, "cycles": 0}},
         {"type": "data-stream-class", "default-clock-class-name": "mono",
          "event-record-header-field-class": structure(whole("time", 64, roles=["default-clock-timestamp"]))},
         {"type": "event-record-class", "name": "opened", "payload-field-class": structure(ways)}]
open("flags/metadata", "w").write("".join("\x1e" + json.dumps(part) + "\n" for part in parts))
open("flags/stream", "wb").write(b"".join(struct.pack("<QB", 1000 * i, ways) for i, ways in enumerate((1, 3, 32, 0x80, 0))))
END
histree build -q -o flags.histree flags 2>&1 | grep -v 'no analysis'
histree events flags.histree --format tsv | cut -f 2,4,5
histree events flags.histree --format tsv --where 'ways == "READ|WRITE"' | cut -f 2
