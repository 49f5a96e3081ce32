# Expressions choose segments, for the list and for its sums; what means nothing is refused, and says where.
histree build -q -a kernel,system-calls,wakeups -o store "$DATA/demo-trace"
histree segments store system-calls --where 'duration > 345us && name == futex'
histree segments store system-calls --where 'name matches "^(mmap|brk)$" && return < 0 || return = -2' --limit 2
histree segments store system-calls --where '"process" == "burn" && start >= +2ms && arguments present' --format tsv
histree segments store system-calls --where 'newfstat|statx' --sort duration --limit 2
histree segments --by name store system-calls --where 'DURATION >= 100us && !(name contains read)' --format tsv
try histree segments --by name store wakeups --where '!(prio present)'
try histree segments store system-calls --where 'duratoin > 1ms'
try histree segments store system-calls --where 'colour == red'
try histree segments store system-calls --where 'tid > 1ms'
try histree segments store system-calls --where 'name == a b'
try histree segments store system-calls --where '(name matches [a'
try histree segments store system-calls --where ''
try histree segments store system-calls --from soon
try histree segments store system-calls --from +1h
