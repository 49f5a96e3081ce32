# What dump prints, load reads: the dump of the new store is the same, whatever its tree.
for format in tsv csv json; do
	histree states "$STORE" --format $format --columns path,start,end,type,value >dump
	for variant in cluster sht osht esht rsht vrsht; do
		histree load -q -f -o again -t $variant dump
		histree states again --format $format --columns path,start,end,type,value | cmp - dump && echo "$format $variant"
	done
done
histree states "$STORE" --format tsv >dump.tsv
try histree verify again
# From standard input, in any order, in two files, as another analysis.
tail -n +2 dump.tsv | LC_ALL=C sort -k 5 | histree load -q -f -o again --names path,start,end,type,value --format tsv -
histree states again --format tsv | cmp - dump.tsv && echo sorted
head -n 3000 dump.tsv >one; { head -n 1 dump.tsv; tail -n +3001 dump.tsv; } >other
histree load -q -f -o again -a kernel --memory 4M other one
histree states again --format tsv | cmp - dump.tsv && echo two files
try histree states again --at +12ms 'CPUs/0/Current_thread'
cat one other | histree load -q -f -o again -
histree states again --format tsv | cmp - dump.tsv && echo one stream
# Changes: what is not said is null, a value is what it looks like, the last one of a time counts.
cat >changes.tsv <<-END
	time	path	value
	30	Doors/front	closed
	10	Doors/front	open
	20	Doors/front	ajar
	20	Doors/front	closed
	25	Doors/front	
	12	Kiln/heat	20
	15	Kiln/heat	1200.5
	18	Kiln/fan	true
	18	Kiln/turns	4000000000
END
try histree load -q -o changes changes.tsv --end 40
histree states changes --format tsv
histree info --attributes changes
printf '%s\n' '{"time":5,"path":"A","value":1}' '{"time":7,"path":"A","value":null}' '{"path":"B\\/C","time":6,"value":"x"}' |
	histree load -q -f -o changes -
histree states changes --format csv
# A folder stays one, in whatever is made of the history.
printf 'time\tpath\tvalue\n0\tA/1\t5\n5\tA/B/2\t6\n7\tA/1\t9\n' | histree load -q -o folders -
histree states folders --format csv >folders.csv
for variant in cluster sht vrsht; do
	rm -rf again && histree copy -t $variant -o again folders && histree verify again
	histree states again --format csv | cmp - folders.csv && echo the same
done
# A history can begin with the states of another one at a time.
histree states "$STORE" --at +12ms --format tsv >states
at=$(awk 'NR == 2 { print $2 }' dump.tsv)
at=$((at + 12000000))
awk -F '\t' -v OFS='\t' 'NR == 1 { print "time", $1, $4, $5; next } { print $2, $1, $4, $5 }' dump.tsv |
	awk -F '\t' -v at=$at 'NR == 1 || length($1) == length(at) && $1 "" > at ""' >later
histree load -q -f -o cut --initial states --start $at --end "$(tail -n 1 dump.tsv | cut -f 3)" later
for time in $at $((at + 5000000)) $((at + 17000000)); do
	for each in "$STORE" cut; do
		histree states $each --at $time --format tsv | cut -f 1,3,4,5
	done | sort | uniq -c | awk '$1 != 2' | wc -l
done
# Segments: each column beside start and end is a field.
histree build -q -a system-calls -o calls.histree $DATA/demo-trace
for format in tsv csv json; do
	histree segments calls.histree system-calls --format $format >calls
	histree load -q -f -o calls.again -a system-calls calls
	histree segments calls.again system-calls --format $format | cmp - calls && echo segments $format
done
histree info --attributes calls.again -a system-calls --format tsv
histree verify calls.again
# What is written with more bytes than any number needs is text, and is not cut.
zeros=$(printf '%0600d' 0)
printf 'start,end,size\n1,2,1.5\n3,4,1%s.5e-600\n' $zeros >long.csv
histree load -q -f -o long long.csv && histree info --attributes long -a segments --format tsv
histree segments long segments --format csv | tail -n 1 | wc -c
# Progress: of a pipe the share is not known before its end.
histree load -q -f -o changes changes.tsv --progress json 2>&1 | sed -n 1p | sed 's/:[0-9.]*/:N/g'
histree load -q -f -o changes - --progress json <changes.tsv 2>&1 | sed -n 1p | sed 's/:[0-9.]*/:N/g'
histree load -q -f -o changes changes.tsv 2>&1
