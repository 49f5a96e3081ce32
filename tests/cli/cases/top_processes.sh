# Whoever asks for processes is told that the trace does not say them, and not where it does.
cat >plain.txt <<'END'
# tracer: nop
          <idle>-0     [000] d..2. 20.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=oven next_pid=71 next_prio=120
            oven-71    [000] d..2. 20.004000: sched_switch: prev_comm=oven prev_pid=71 prev_prio=120 prev_state=S ==> next_comm=door next_pid=72 next_prio=120
            door-72    [000] d..2. 20.006000: sched_switch: prev_comm=door prev_pid=72 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
END
sed 's/ \[000\]/ (   70) [000]/' plain.txt >told.txt
for trace in plain told; do
	histree build -q $trace.txt -o $trace
	histree top $trace --by process --columns process,name,user,blocked --format tsv 2>&1
	histree top $trace --format tsv 2>&1 | grep -c warning
	histree top $trace --where 'process == 70' --format tsv 2>&1 | cut -f 2,3,4
done
