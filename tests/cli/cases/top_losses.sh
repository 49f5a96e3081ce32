# A loss ends with the next event, and a CPU without events is not recorded.
cat > lost.txt <<'END'
# tracer: nop
#
 <idle>-0    (-----) [002] d..2 50.000000: sched_switch: prev_comm=swapper/2 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=web next_pid=31 next_prio=120
 web-31      (-----) [002] d..2 50.020000: sched_switch: prev_comm=web prev_pid=31 prev_prio=120 prev_state=S ==> next_comm=swapper/2 next_pid=0 next_prio=120
CPU:2 [LOST 9 EVENTS]
 <idle>-0    (-----) [002] d..2 50.030000: sched_switch: prev_comm=swapper/2 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=web next_pid=31 next_prio=120
 web-31      (-----) [002] d..2 50.060000: sched_switch: prev_comm=web prev_pid=31 prev_prio=120 prev_state=S ==> next_comm=swapper/2 next_pid=0 next_prio=120
 <idle>-0    (-----) [002] d..2 50.070000: sched_switch: prev_comm=swapper/2 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=web next_pid=31 next_prio=120
 web-31      (-----) [002] d..2 50.080000: sched_wakeup: comm=db pid=44 prio=120 target_cpu=005
 web-31      (-----) [002] d..2 50.100000: sched_switch: prev_comm=web prev_pid=31 prev_prio=120 prev_state=S ==> next_comm=swapper/2 next_pid=0 next_prio=120
END
for analysis in kernel kernel-compact; do
	histree build -q -a $analysis -o $analysis.histree lost.txt 2>/dev/null
	histree top $analysis.histree --format tsv
done
histree report kernel.histree | grep CPU
# Its row is there, and said to be no CPU that did nothing.
try histree top kernel.histree --by cpu --format tsv
