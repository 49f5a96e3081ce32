# A thread whose process nobody said is not the leader of one, wherever threads are listed; one that is, says so.
cat >trace.txt <<'TRACE'
# tracer: nop
          <idle>-0     (-----) [000] d..2. 10.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=loom next_pid=610 next_prio=120
            loom-610   (-----) [000] d..2. 10.002000: sched_switch: prev_comm=loom prev_pid=610 prev_prio=120 prev_state=S ==> next_comm=reel next_pid=620 next_prio=120
            reel-620   (  620) [000] d..2. 10.005000: sched_switch: prev_comm=reel prev_pid=620 prev_prio=120 prev_state=S ==> next_comm=reel next_pid=621 next_prio=120
            reel-621   (  620) [000] d..2. 10.009000: sched_switch: prev_comm=reel prev_pid=621 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
          <idle>-0     (-----) [000] d..2. 10.010000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=loom next_pid=610 next_prio=120
TRACE
for analysis in kernel kernel-compact kernel-tc; do
	histree build -qf -a $analysis trace.txt -o store 2>/dev/null
	histree top store -a $analysis --by process --columns process,user --format tsv 2>/dev/null
done
histree build -qf trace.txt -o store 2>/dev/null
histree top store --by thread,process --where 'process == 610 || process == 620' --columns thread,name,process --format tsv 2>/dev/null
histree states store | grep /PID
histree sql store 'SELECT 1' 2>&1 | grep -q 'built without' && exit 77
histree sql store 'SELECT tid, name, pid FROM threads WHERE tid > 0 ORDER BY tid' --format tsv
