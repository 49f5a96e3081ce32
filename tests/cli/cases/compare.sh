# What differs between the windows of a store: states, and durations.
histree compare "$STORE" "$STORE" --to +20ms --from-b +20ms --limit 5
histree compare "$STORE" "$STORE" --to +20ms --from-b +20ms 'CPUs/*' --format tsv | head -4
histree compare "$STORE" "$STORE" --limit 2 --format json
histree build -q -a kernel,system-calls -o store "$DATA/demo-trace"
histree compare -a system-calls store store --to +20ms --from-b +20ms --limit 4
histree compare -a system-calls store store --by tid --where 'name == read' --format tsv | head -3
try histree compare store
try histree compare store store 'Nothing/*'
try histree compare store store --by tid
try histree compare store store 'CPUs/*' -a system-calls
try histree compare store store --from-b +1h
try histree compare store store --from-b +20ms --to-b +10ms
try histree compare -a system-calls store "$STORE"
try histree compare -a system-calls store store --by colour
try histree compare -a system-calls store store --where 'name == nothing'
# An idle loop is no thread that runs or waits: the threads wait for as long as top says, and run for as long as CPUs do.
waits=$(histree top "$STORE" --by state --format csv | tr -d '\r' | sed -n 's/^[^,]*,waiting,\([0-9]*\).*/\1/p')
histree compare "$STORE" "$STORE" --format csv | tr -d '\r' | awk -F, -v waits="$waits" '
	$3 == "waits for a CPU" { print ($4 == waits ? "as top" : $4 " and not " waits) }
	$1 " " $3 == "thread status user mode" || $1 " " $3 == "CPU status user mode" { print $1, $4 }'
histree compare "$STORE" "$STORE" 'Threads/0_*' --format csv | tr -d '\r' | cut -d, -f1,3,4
printf 'path\tstart\tend\ttype\tvalue\nx\t1\t9\tint\t5\n' >x.tsv
histree load -q -a other -o other.histree x.tsv
try histree compare "$STORE" other.histree
histree compare "$STORE" other.histree '*' --format csv | head -n 1 | tr -d '\r' | cut -d, -f1-3
