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
