# What a chart of a range shows, cell by cell: as SQL has it, in all formats, of one host and of two.
ask() {
	histree query "$STORE" --from +10ms --to +12ms --pixels "$@"
}
try histree query "$STORE" --from +10ms --to +12ms --pixels 3 'Threads/14801' 'CPUs/*/Current_thread'
try histree query "$STORE" --from +10ms --to +12ms --pixels 2 'Threads/14801' --format tsv
try histree query "$STORE" --from +10ms --to +12ms --pixels 2 'Threads/14801' --format csv
try histree query "$STORE" --from +10ms --to +12ms --pixels 2 'Threads/14801' --format json
try histree query "$STORE" --from +10ms --to +10ms --pixels 2 'Threads/14801' --format tsv
try histree query "$STORE" --from +10ms --to +12ms --pixels 2 nothing 'Threads/14801' --format tsv
# A cell for each pixel of each attribute, and no other states than there are.
ask 100 'CPUs/**' --format tsv | tail -n +2 | awk -F '\t' '{ n[$1]++ } END { for (path in n) print n[path] }' | sort -u
if ! histree sql "$STORE" 'SELECT 1' 2>&1 | grep -q 'built without'; then
	histree sql "$STORE" --format tsv "SELECT path, pixel, start, \"end\", type, value, other_type, other FROM
		rows('**', histree_time('+10ms'), histree_time('+12ms'), 40)" | LC_ALL=C sort >by-sql
	ask 40 '**' --format tsv | LC_ALL=C sort >by-query
	cmp by-sql by-query
fi
# The rows of a host are the same beside another one.
cp -r "$DATA/demo-trace" trace
histree build -q --clock none -o both --host A=trace --host B="$DATA/demo-trace"
ask 40 '**' --format tsv >alone
for host in A B; do
	histree query both --from +10ms --to +12ms --pixels 40 "$host/**" --format tsv | sed "s,^$host/,," | cmp - alone
done
# Damage is said, and is unknown.
cp -r "$STORE" damaged
printf 'xxxxxxxx' | dd of=damaged/kernel.sht bs=1 seek=8000 conv=notrunc status=none
histree query damaged --from +10ms --to +12ms --pixels 2 '**' --format tsv >rows
echo "exit $?, $(cut -f 5 rows | grep -c unknown | sed 's/^[1-9].*/some/') unknown"
# What makes no sense.
try histree query "$STORE" --at +10ms --pixels 3
try histree query "$STORE" --from +10ms --to +12ms --pixels 3
try histree query "$STORE" --from +10ms --to +12ms --pixels 3 --count 5 '**'
try histree query "$STORE" --from +10ms --to +12ms --pixels 3 --where 'value == 1' '**'
try histree query "$STORE" --from +10ms --to +12ms --pixels 3 --changes '**'
try histree query "$STORE" --from +10ms --to +12ms --pixels 65537 '**'
