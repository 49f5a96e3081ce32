# How many segments last how long: bars, shades by value and over time, cells for programs.
histree build -q -a kernel,system-calls,wakeups -o store "$DATA/demo-trace"
histree segments --histogram store system-calls
histree segments --histogram store system-calls --by name --where 'duration >= 1us'
histree segments --histogram store wakeups --parts 4
histree segments --histogram store wakeups --by prio --parts 2
histree segments --histogram store wakeups --by prio --format tsv
histree segments --histogram store system-calls --where 'name == futex' --per-decade 10 --format csv
histree segments --histogram store system-calls --parts 2 --per-decade 1 --from +10ms --to +20ms --format json
try histree segments --histogram store system-calls --where 'duration > 1s'
try histree segments --histogram store system-calls --where 'duration > 1s' --by name
try histree segments --histogram store system-calls --by colour
try histree segments --histogram store system-calls --per-decade 4
try histree segments --histogram store system-calls --parts 0
try histree segments --histogram store system-calls --where 'start > +1h' --parts 2
try histree segments --histogram store system-calls --where 'end < 5' --parts 2
