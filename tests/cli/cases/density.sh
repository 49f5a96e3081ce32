# How many segments last how long: bars, shades by value and over time, cells for programs.
histree build -q -a kernel,system-calls,wakeups -o store "$DATA/demo-trace"
histree density store system-calls
histree density store system-calls --by name --where 'duration >= 1us'
histree density store wakeups --time-buckets 4
histree density store wakeups --by prio --time-buckets 2
histree density store wakeups --by prio --format tsv
histree density store system-calls --where 'name == futex' --per-decade 10 --format csv
histree density store system-calls --time-buckets 2 --per-decade 1 --from +10ms --to +20ms --format json
try histree density store system-calls --where 'duration > 1s'
try histree density store system-calls --where 'duration > 1s' --by name
try histree density store system-calls --by colour
try histree density store system-calls --per-decade 4
try histree density store system-calls --time-buckets 0
