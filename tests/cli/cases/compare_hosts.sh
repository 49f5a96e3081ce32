# Two hosts of one store, one with the other: thread 7 of "b" runs six tenths of the time, that of "a" two.
make_host() {
	awk -v runs="$1" 'BEGIN {
		print "# tracer: nop"
		for (i = 0; i < 100; i++) {
			start = 1000 + i * 0.01
			head = "     swapper-0     [000] d..1  %.6f: "; by_7 = "     work-7     [000] d..1  %.6f: "
			printf head "sched_wakeup: comm=work pid=7 prio=120 target_cpu=000\n", start - 0.001
			printf head "sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=work next_pid=7 next_prio=120\n", start
			printf by_7 "softirq_entry: vec=1 [action=TIMER]\n", start + runs / 2
			printf by_7 "softirq_exit: vec=1 [action=TIMER]\n", start + runs / 2 + runs / 100 + i * 0.000001
			printf by_7 "sched_switch: prev_comm=work prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n", start + runs
		}
	}'
}
make_host 0.002 >a
make_host 0.006 >b
histree build -q -a kernel,softirqs -o two --clock none --host-dir a=a --host-dir 'b "c"=b'
echo "the idle loop is no thread that runs, or waits"
histree compare two two --host a --host-b 'b "c"'
echo "paths are those of the host, times those of all"
histree compare two two --host a --host-b 'b "c"' 'Threads/7' --from +100ms --to +200ms --from-b +100ms --to-b +200ms
try histree compare two two --host a 'Threads/7'
try histree compare two two --host-b a '*/Threads/7'
histree compare two two --host a --host-b 'b "c"' -a softirqs --by cpu
histree compare two two --host a --host-b 'b "c"' -a softirqs --by cpu --where 'duration < 30us || cpu == 1' \
	--format tsv | cut -f 1-3
echo '[{"ph":"X","name":"main","pid":1,"tid":7,"ts":0,"dur":100}]' >a.json
echo '[{"ph":"X","name":"main","pid":1,"tid":7,"ts":50,"dur":60},{"ph":"X","name":"draw","pid":1,"tid":7,"ts":60,"dur":30}]' >b.json
histree build -q -o spans --clock none --host-dir a=a.json --host-dir b=b.json
histree compare --flame spans spans --host a --host-b b
histree compare --flame spans spans --host a --host-b b --to +70us --to-b +70us
echo "what cannot be"
try histree compare two two --host a --host-b c
try histree compare -a softirqs two two --host c
try histree compare --flame spans spans --host-b c
try histree compare two/hosts/a two --host a
try histree compare -a softirqs two two --host a --where 'colour == red'
histree build -q -f -a kernel,softirqs,tracks -o mixed --clock none --host-dir a=a --host-dir spans=a.json 2>/dev/null
try histree compare mixed mixed --host a --host-b spans
try histree compare -a softirqs mixed mixed --host a --host-b spans
try histree compare -a softirqs mixed mixed --host a --host-b b
echo "a host that is missing"
rm -r two/hosts/b*
try histree compare two two --limit 1
try histree compare two two --host a --host-b 'b "c"'
try histree compare two two --host a --host-b a --limit 1
