# Functions by address get the names of a table, which states, segments, stacks and SQL show; and what is no place.
histree build -q -a ust-calls,function-calls -o calls.histree "$DATA/ctf-calls"
histree flame calls.histree --folded
histree segments calls.histree function-calls --format tsv | cut -f 4 | tail -n +2 | sort -u | sed 's/^0x//; s/$/ T name/' |
	awk '{ print $1, $2, $3 NR }' >table
cat table
try histree build -q -a ust-calls,function-calls -o named.histree --symbols table "$DATA/ctf-calls"
histree flame named.histree --folded
histree states calls.histree --format tsv >one
histree states named.histree --format tsv >other
cmp one other && echo "the same states"
histree info --labels named.histree --format tsv | cut -f 1,2,5,6
histree segments --by name named.histree function-calls --format tsv | cut -f 1,2
histree build -q -a ust-calls -o none.histree --symbols none "$DATA/ctf-calls"
try histree info --labels none.histree
try histree build -q -o no.histree --symbols nowhere "$DATA/ctf-calls"
echo words >words
try histree build -q -o no.histree --symbols words "$DATA/ctf-calls"
# Built again, a store has the same names, here or in its folder; or others, where the command line says so.
names() {
	histree info --labels "$1" --format tsv 2>/dev/null | cut -f 1,2,6 | cksum
}
again() {
	before=$(names $1)
	histree copy --rebuild -q $1 "$DATA/ctf-calls"
	[ "$before" = "$(names $1)" ] && echo "$1: the same names"
}
mkdir folder && cp -r named.histree folder
again named.histree
again none.histree
mv table folder
again folder/named.histree
try histree copy --rebuild -q named.histree
histree copy --rebuild -q named.histree --symbols none
try histree info --labels named.histree
grep symbols named.histree/manifest.json
histree copy --rebuild -q named.histree --symbols folder/table
grep -A 2 '"symbols"' named.histree/manifest.json
# Nobody has to name the table that lies beside the trace.
mkdir traces && cp -r "$DATA/ctf-calls" traces/calls && cp folder/table traces/functions.txt
histree build -q -a ust-calls -o beside.histree traces/calls
names beside.histree | cmp - <(names folder/named.histree) && histree flame beside.histree --folded | head -2
grep -A 1 '"symbols"' beside.histree/manifest.json | sed 's|"/.*/traces/|"/.../traces/|'
histree build -q -a ust-calls -o none.histree --force --symbols none traces/calls
try histree info --labels none.histree
