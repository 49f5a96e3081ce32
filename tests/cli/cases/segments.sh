# Segments of the demo trace: listed in several orders, counted, summed up, verified.
histree build -q -a kernel,system-calls,irqs,softirqs,wakeups -o store "$DATA/demo-trace"
histree info store | grep -A 6 'segment count'
histree verify store | sed 's/[0-9]* nodes/N nodes/'
histree verify store -a system-calls | sed 's/[0-9]* nodes/N nodes/'
histree segments store system-calls --sort duration --reverse --limit 4
histree segments store wakeups --limit 3 --format tsv
histree segments store softirqs --sort vec --limit 2 --format json
histree segments store system-calls --from +2ms --to +3ms --format csv | tail -n 2
histree segments --by name store softirqs
histree segments store wakeups --by prio --format tsv
try histree segments store system-calls --sort colour
try histree segments store system-calls --by colour
try histree segments store futex
try histree segments "$STORE" system-calls
try histree segments --by name store kernel
try histree segments --by name "$STORE" kernel
try histree segments store
try histree segments --by name store wakeups --from +1s --to +2s
histree info store -a irqs --format tsv | cut -f 17-23
histree info store --format tsv | cut -f 17,21,42-45
histree info store --format json -a irqs | tr -s '0-9' N | grep -o '"analysis":"irqs"\|"segment_count":N'
histree info --attributes store -a system-calls
histree info --attributes store -a wakeups --format tsv
try histree info --attributes store -a wakeups prio
