# A thread that left its CPU in a call that began before the trace was in that call, also in the turn that ended.
cat >late.txt <<'END'
# tracer: nop
#
 <idle>-0    (-----) [000] d..2 70.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=web next_pid=31 next_prio=120
 web-31      (-----) [000] d..2 70.001000: sched_switch: prev_comm=web prev_pid=31 prev_prio=120 prev_state=S ==> next_comm=db next_pid=32 next_prio=120
 db-32       (-----) [000] .... 70.002000: sys_exit: NR 7 = 1
 db-32       (-----) [000] d..2 70.003000: sched_switch: prev_comm=db prev_pid=32 prev_prio=120 prev_state=S ==> next_comm=web next_pid=31 next_prio=120
 web-31      (-----) [000] .... 70.005000: sys_exit: NR 7 = 1
 web-31      (-----) [000] d..2 70.006000: sched_switch: prev_comm=web prev_pid=31 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
END
for analysis in kernel kernel-compact kernel-tc; do
	histree build -q -a $analysis -o $analysis.histree late.txt
	histree info $analysis.histree | grep "user mode"
done
histree top kernel.histree --format tsv | cut -f 2-5

# It leaves its CPU more often than can be kept back: that is said.
awk 'BEGIN {
	print "# tracer: nop\n#"
	for (turn = 0; turn < 6000; turn++) {
		printf " <idle>-0 (-----) [000] d..2 70.%06d: sched_switch: prev_comm=swapper/0 prev_pid=0 ", 10 * turn
		print "prev_prio=120 prev_state=R ==> next_comm=web next_pid=31 next_prio=120"
		printf " web-31 (-----) [000] d..2 70.%06d: sched_switch: prev_comm=web prev_pid=31 ", 10 * turn + 5
		print "prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120"
	}
	print " <idle>-0 (-----) [000] d..2 71.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120" \
		" prev_state=R ==> next_comm=web next_pid=31 next_prio=120"
	print " web-31 (-----) [000] .... 71.000005: sys_exit: NR 7 = 1"
}' >many.txt
histree build -q -a kernel -o many.histree many.txt
histree info many.histree | grep -o "kernel: .* user mode"
histree top many.histree --format tsv | cut -f 2-5
