# Names of numbers and their digits are what the trace says: printed, asked for, exported.
PYTHONPATH=$(realpath "$DATA/../support") PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
import json, os
from struct import pack
from small_ctf import write
write("old", "phase_t phase; enum : i8 { COLD = -9 ... -1, MILD = 0 ... 20, CORE = 7 } heat; at_t at; mode_t mode; "
      "set_t set; u8 raw; phase_t[2] both;".replace("phase_t[2] both", "enum phase both[2]").replace("phase_t", "enum phase"),
      [(10, pack("<BbQBBBBB", 3, -4, 0xffff, 0o644 & 255, 5, 200, 3, 4)),
       (20, pack("<BbQBbBBB", 9, 7, 2**64 - 16, 0, -2, 3, 6, 12))],
      extra="typealias integer { size = 8; align = 8; signed = true; } := i8;\n"
      "typealias integer { size = 64; align = 8; base = x; } := at_t;\n"
      "typealias integer { size = 8; align = 8; base = oct; } := mode_t;\n"
      "typealias integer { size = 8; align = 8; base = 2; signed = true; } := set_t;\n"
      'enum phase : u8 { IDLE, "IN WORK" = 3 ... 5, LAST };\n')
def integer(name, bits, **more):
    return {"name": name, "field-class": {"type": "fixed-length-unsigned-integer", "length": bits,
            "byte-order": "little-endian", "alignment": 8, **more}}
os.makedirs("new")
fragments = [{"type": "preamble", "version": 2}, {"type": "trace-class"},
    {"type": "clock-class", "id": "beat", "name": "beat", "frequency": 10**9, "origin": "unix-epoch"},
    {"type": "data-stream-class", "default-clock-class-id": "beat", "event-record-header-field-class": {
        "type": "structure", "member-classes": [integer("time", 64, roles=["default-clock-timestamp"])]}},
    {"type": "event-record-class", "name": "pulse", "payload-field-class": {"type": "structure", "member-classes": [
        integer("phase", 8, mappings={"IDLE": [[0, 0]], "WORK": [[3, 5], [9, 9]]}),
        integer("at", 64, **{"preferred-display-base": 16})]}}]
with open("new/metadata", "w") as file:
    for fragment in fragments:
        file.write("\x1e" + json.dumps(fragment) + "\n")
with open("new/stream", "wb") as file:
    for time, phase, at in ((10, 9, 0xabc), (20, 1, 0x10)):
        file.write(pack("<QBQ", time, phase, at))
END
for name in old new; do
	histree build -q $name 2>/dev/null
	try histree events $name.histree
	try histree sql $name.histree 'SELECT fields FROM events'
done
count() { for where; do echo "$where: $(histree events --format tsv --where "$where" old.histree 2>&1 | grep -c pulse)"; done; }
count 'phase == "IN WORK"' 'phase == 3' 'phase contains WORK' 'phase matches ^IN' 'phase != "IN WORK"' 'phase > 3' \
	'heat == COLD' 'heat == -4' 'heat < 0' 'heat == CORE' 'at == 0xffff' 'at == 65535' 'at > 0xffff' 'set == 0xfe' \
	'set == -2' 'both[1] == LAST' 'both[1] == 12' 'raw == 0xC8' 'WORK' 'at == 0x' 'phase == work'
