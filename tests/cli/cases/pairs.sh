# Segments of two events in one line; SQL over the events says how many there are, and how long they last.
histree build -q -a kernel -o store "$PWD/$DATA/demo-trace"
PAIR='ran = sched:sched_switch -> sched:sched_switch by cpu as next_comm with integer tid = next_pid, cpu'
try histree segments store "$PAIR" --limit 3
try histree segments store "$PAIR" --by cpu --format csv
try histree segments store ran --limit 1
if ! histree sql store 'SELECT 1' 2>&1 | grep -q 'built without'; then
	histree sql store --format csv "SELECT count(*) - 2 AS n FROM events WHERE name = 'sched:sched_switch'"
	histree sql store --format csv "SELECT sum(last - first) AS ns FROM (SELECT max(time) AS last, min(time) AS first FROM events WHERE name = 'sched:sched_switch' GROUP BY cpu)"
	histree sql store --format csv "SELECT count(*) AS n, sum(duration) AS ns FROM ran"
	# Each switch to a thread and the next one on that CPU.
	histree sql store --format csv "WITH switches AS (SELECT time, lead(time) OVER (PARTITION BY cpu ORDER BY time) AS next, fields ->> 'next_pid' AS tid FROM events WHERE name = 'sched:sched_switch')
		SELECT count(*) AS equal FROM ran JOIN switches ON start = time AND \"end\" = next AND ran.tid = switches.tid"
fi
# Conditions, texts in quotes, keys of the thread; what comes to an end elsewhere.
try histree segments store "to-idle = sched:sched_switch where next_comm like 'swapper*' -> sched:sched_switch where prev_comm contains 'by' || prev_pid == 0 by cpu" --by name --format csv
try histree segments store --histogram "$PAIR" --parts 2 --format csv --to +10ms
histree build -q -o other --pair "$PAIR" "$DATA/demo-trace"
try histree compare store other -a "$PAIR" --limit 1
try histree export store -a "$PAIR" --format csv -o ran.csv
head -n 2 ran.csv
try histree info --attributes other -a ran
# Sequences: from the first to the last event, with how long each part took; an event is one of them at most.
try histree segments store 'three = sched:sched_switch -> sched:sched_switch -> sched:sched_switch by cpu with cpu' --limit 3
if ! histree sql store 'SELECT 1' 2>&1 | grep -q 'built without'; then
	histree sql store --format csv "WITH switches AS (SELECT cpu, time, lead(time) OVER one AS second, lead(time, 2) OVER one AS third, row_number() OVER one AS n FROM events WHERE name = 'sched:sched_switch' WINDOW one AS (PARTITION BY cpu ORDER BY time))
		SELECT (SELECT count(*) FROM three) AS found, count(*) AS computed, sum(second - time = step_1 AND third - second = step_2) AS equal FROM switches JOIN three ON start = time AND \"end\" = third AND three.cpu = switches.cpu WHERE n % 2 = 1 AND third IS NOT NULL"
	histree sql store --format csv "SELECT sum((n - 1) / 2) AS expected FROM (SELECT count(*) AS n FROM events WHERE name = 'sched:sched_switch' GROUP BY cpu)"
fi
try histree segments store 'served = sched:sched_wakeup -> sched:sched_switch where next_pid != 0 -> raw_syscalls:sys_exit by cpu' --by name --of step_2 --format csv
# A part that is longer than a number of ns can say has none.
cat >wide.json <<'END'
[{"name":"a","ph":"B","ts":-9000000000000000,"pid":1,"tid":1},{"name":"b","ph":"i","ts":9000000000000000,"pid":1,"tid":1},
{"name":"c","ph":"C","ts":9000000000000001,"pid":1,"tid":1,"args":{"v":1}}]
END
histree build -q -o wide wide.json
try histree segments wide 'y = span_begin -> instant -> counter by pid' --columns name,step_1,step_2 --format csv
# What finds nothing is not kept, and its name is free.
try histree segments store 'later = sched:sched_switch -> no_such_event by cpu'
try histree segments store 'later = sched:sched_switch -> sched:sched_wakeup by cpu' --by name --format csv
try histree segments store 'x = sched:sched_switch -> -> sched:sched_switch by cpu'
# What is wrong.
try histree segments store 'ran = sched:sched_switch -> sched:sched_switch by cpu'
try histree add store --pair "$PAIR"
try histree segments store 'x = a -> b'
try histree segments store 'a -> b by cpu'
try histree segments store 'x = a where ( -> b by cpu'
try histree segments store 'x = a -> b by cpu with cpu cpu'
try histree segments store 'x y = a -> b by cpu'
try histree segments store 'nothing = a -> sched:sched_switch by cpuu'
try histree segments store --pair 'a'
try histree build -o third --pair 'nowhere' "$DATA/demo-trace"
try histree build -o third --pair 'waits = sched_switch->sched_switch by tid' "$DATA/demo-trace"
# Of a folder of definitions, a store gets those that it has not.
mkdir some
for name in ran woken; do
	printf "analysis $name\non sched:sched_switch: begin s(cpu)\non sched:sched_wakeup: end s(cpu)\n" >some/$name.histree-analysis
done
try histree add store -x some
try histree segments store woken --by name --format csv
try histree add store -x some
# Why a guest ends on ARM, and on RISC-V, where a number says it.
cat >machines.txt <<'EVENTS'
# tracer: nop
       CPU 0/KVM-500     [000] d...   100.000100: kvm_entry: PC: 0xffff800008a1b2c0
       CPU 0/KVM-500     [000] d...   100.001100: kvm_exit: TRAP: HSR_EC: 0x0024 (DABT_LOW), PC: 0xffff800008a1b2c4
       CPU 0/KVM-500     [000] d...   100.001300: kvm_entry: PC: 0x00000000800a0000
       CPU 0/KVM-500     [000] d...   100.004300: kvm_exit: SEPC:0x800a0000, SCAUSE:0x17, STVAL:0x0, HTVAL:0x0, HTINST:0x0
EVENTS
histree build -q -a guest-runs -o machines machines.txt
histree segments machines guest-runs --format tsv | cut -f3,4,6
