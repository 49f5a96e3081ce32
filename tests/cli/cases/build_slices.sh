# A trace that is cut in time makes the intervals that one pass makes, whatever the slices; and what cannot be cut is refused.
trace=$DATA/demo-trace
histree build -q -a kernel,system-calls -o whole $trace
histree states whole >whole.tsv
for events in 16 100 1000 100000; do
	for slices in 1 2 7; do
		histree build -q -a kernel,system-calls --slices $slices --slice-events $events -f -o cut $trace
		for file in system-calls.seg events.idx; do
			cmp whole/$file cut/$file || echo "$slices slices of $events events"
		done
		histree states cut | cmp whole.tsv - || echo "$slices slices of $events events"
		histree build -q -a kernel --slices $slices --slice-events $events -f -o alone $trace
		cmp whole/events.idx alone/events.idx || echo "$slices slices of $events events, alone"
		histree states alone | cmp whole.tsv - || echo "$slices slices of $events events, alone"
	done
done
histree verify cut
histree verify alone
for store in whole cut alone; do
	histree states $store | md5sum
	histree info $store --format json | grep -o '"event_count":[0-9]*\|"gaps":[0-9]*\|"warnings":\[[^]]*\]'
done
histree build -q --slices 2 --slice-events 100 -a kernel --backend memory $trace
histree build -q --slices 2 --slice-events 100 -a kernel --gaps ignore -o ignored $trace

# Other analyses are not cut.
try histree build -q -a kernel-compact --slices 2 -o other $trace
histree build -q -a kernel,kernel-compact --slices 2 --slice-events 100 -o both $trace
histree build -q -a kernel,kernel-compact -o both-whole $trace
cmp <(histree states -a kernel both) <(histree states -a kernel both-whole)
cmp both/kernel-compact.sht both-whole/kernel-compact.sht

# What cannot be read from the middle on is not cut either, nor what would be shown before its end.
cp -r $trace trace
chmod -R u+w trace
try histree build -q --slices 2 -o other $DATA/lines-made/trace.txt
try histree build -q --backend partial --slices 2 -o other trace
try histree build -q --resume --slices 2 -o other trace
try histree build -q --publish 1ms --slices 2 -o other trace
try histree build -q --slice-events 100 -o other trace
try histree build -q --slices 0 -o other trace
ls
