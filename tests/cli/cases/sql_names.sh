# An analysis may have any name, and a table may not: what is reserved or taken has a prefix.
histree sql "$STORE" 'SELECT 1' 2>&1 | grep -q 'built without' && exit 77
printf 'start\tend\tcolour\n10\t15\tred\n12\t40\tblue\n' >segments.tsv
printf 'path\ttime\tvalue\nOven\t5\t200\n' >states.tsv
for name in sqlite_master info gaps; do
	histree load -q -f -o named -a $name segments.tsv
	histree sql named "SELECT '$name', sum(duration), min(colour) FROM analysis_$name"
done
for name in state-at analysis; do
	histree load -q -f -o named -a $name segments.tsv
	histree sql named "SELECT '$name', sum(duration), min(colour) FROM ${name//-/_}"
done
histree load -q -f -o named -a in states.tsv
histree sql named 'SELECT path, value FROM analysis_states_in'
histree sql named "SELECT path, value FROM states_in('Oven', 5, 5)"
histree sql named 'SELECT name, kind FROM analyses'

# A field may have any name, too: that of a column, of the hidden one, or of a word of plans.
printf 'start\tend\tlimit\ttwin\tend2\n10\t15\t3\t7\t1\n10\t40\t3\t8\t2\n12\t41\t4\t8\t3\n' >fields.tsv
histree load -q -f -o fields -a parts fields.tsv
histree sql fields 'SELECT start, "limit", field_twin FROM parts WHERE "limit" = 3'
histree sql fields 'SELECT count(*) FROM parts WHERE "limit" = 1'
histree sql fields 'SELECT "end", field_twin FROM parts ORDER BY start LIMIT 2'
