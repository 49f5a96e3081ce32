# Segments of the demo trace: listed in several orders, counted, summed up, verified.
histree build -q -a kernel,system-calls,irqs,softirqs,wakeups -o store "$DATA/demo-trace"
histree info store | grep -A 6 'segment count'
histree verify store | sed 's/[0-9]* nodes/N nodes/'
histree verify store -a system-calls | sed 's/[0-9]* nodes/N nodes/'
histree segments store system-calls --sort duration --reverse --top 4
histree segments store wakeups --top 3 --format tsv
histree segments store softirqs --sort vec --top 2 --format json
histree segments store system-calls --from +2ms --to +3ms --format csv | tail -n 2
histree stats store softirqs
histree stats store wakeups --by prio --format tsv
try histree segments store system-calls --sort colour
try histree stats store system-calls --by colour
try histree segments store futex
try histree segments "$STORE" system-calls
try histree stats store kernel
try histree stats "$STORE" kernel
try histree segments store
try histree stats store wakeups --from +1s --to +2s
histree info store -a irqs --format tsv | cut -f 17-23
histree info store --format tsv | cut -f 17,21,42-45
histree info store --format json -a irqs | tr -s '0-9' N | grep -o '"analysis":"irqs"\|"segment_count":N'
histree ls store -a system-calls
histree ls store -a wakeups --format tsv
try histree ls store -a wakeups prio
