# In which mode a thread runs after a loss is unknown until an exit tells, the only one in the text, which comes later;
# without any, it is not in doubt.  Who runs is known from the first event on.
cat >text.txt <<'END'
          <idle>-0       [001] d... 50.000000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=disk next_pid=31 next_prio=120
            disk-31      [001] d... 50.002000: sched_switch: prev_comm=disk prev_pid=31 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
CPU:1 [LOST 3 EVENTS]
          <idle>-0       [001] d... 50.006000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=disk next_pid=31 next_prio=120
            disk-31      [001] d... 50.009000: sched_switch: prev_comm=disk prev_pid=31 prev_prio=120 prev_state=R ==> next_comm=kworker/1:2 next_pid=7 next_prio=120
     kworker/1:2-7       [001] d... 50.010000: sched_switch: prev_comm=kworker/1:2 prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=disk next_pid=31 next_prio=120
            disk-31      [001] d... 50.014000: sys_exit: NR 1 = 8
            disk-31      [001] d... 50.015000: sched_switch: prev_comm=disk prev_pid=31 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
END
grep -v sys_exit text.txt >none.txt
for text in text none; do
	histree build -q -a kernel -o $text.histree --map machine=x86_64 $text.txt 2>/dev/null
	try histree states $text.histree --from +0 --to +15ms Threads/31 Threads/31/System_call Threads/7 CPUs/1 CPUs/1/Current_thread --format tsv
done
