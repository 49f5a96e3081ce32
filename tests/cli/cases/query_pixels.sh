# What a chart of a range shows, cell by cell: as SQL has it, in all formats, of one host and of two.
ask() {
	histree states "$STORE" --from +10ms --to +12ms --parts "$@"
}
try histree states "$STORE" --from +10ms --to +12ms --parts 3 'Threads/14801' 'CPUs/*/Current_thread'
try histree states "$STORE" --from +10ms --to +12ms --parts 2 'Threads/14801' --format tsv
try histree states "$STORE" --from +10ms --to +12ms --parts 2 'Threads/14801' --format csv
try histree states "$STORE" --from +10ms --to +12ms --parts 2 'Threads/14801' --format json
try histree states "$STORE" --from +10ms --to +10ms --parts 2 'Threads/14801' --format tsv
try histree states "$STORE" --from +10ms --to +12ms --parts 2 nothing 'Threads/14801' --format tsv
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
histree build -q --clock none -o both --host-dir A=trace --host-dir B="$DATA/demo-trace"
ask 40 '**' --format tsv >alone
for host in A B; do
	histree states both --from +10ms --to +12ms --parts 40 "$host/**" --format tsv | sed "s,^$host/,," | cmp - alone
done
# Damage is said, and is unknown.
cp -r "$STORE" damaged
printf 'xxxxxxxx' | dd of=damaged/kernel.sht bs=1 seek=8000 conv=notrunc status=none
histree states damaged --from +10ms --to +12ms --parts 2 '**' --format tsv >rows
echo "exit $?, $(cut -f 5 rows | grep -c unknown | sed 's/^[1-9].*/some/') unknown"
# What makes no sense.
try histree states "$STORE" --at +10ms --parts 3
try histree states "$STORE" --from +10ms --to +12ms --parts 3 --times 5 '**'
try histree states "$STORE" --from +10ms --to +12ms --parts 3 --where 'value == 1' '**'
try histree states "$STORE" --from +10ms --to +12ms --parts 3 --changes '**'
try histree states "$STORE" --from +10ms --to +12ms --parts 65537 '**'
