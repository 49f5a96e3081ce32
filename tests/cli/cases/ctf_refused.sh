# Packets that are refused, and why; a length that is an entry of the environment is none of these reasons.
PYTHONPATH=$(realpath "$DATA/../support") PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
from small_ctf import write
values = [(time, bytes([time, 2 * time])) for time in (5, 6, 7)]
write("stranger", "u8 v[2];", values, other_uuid=True)
write("newer", "u8 v[2];", values, ids=lambda i: 40)
write("half", "u8 v[2];", values, ids=lambda i: 4 if i < 2 else 41)
write("environment", "u8 v[env.lanes];", values, environment="lanes = 2;")
write("none", "u8 v[env.ways];", values, environment="lanes = 2;")
END
for name in stranger newer half environment none; do
	try histree build "$name" | sed 's/^\(.*no analysis applies to [^,:]*\).*/\1 .../; / intervals, /d'
	[ -d "$name.histree" ] && histree events "$name.histree"
done
