# A number that is used again is another thread in SQL, too: a row of threads, and one of those that ran.
histree sql "$STORE" 'SELECT 1' 2>&1 | grep -q 'built without' && exit 77
cat >trace.txt <<'TRACE'
# tracer: nop
          <idle>-0     (-----) [000] d..2. 40.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=weaver next_pid=655 next_prio=120
          weaver-655   (  650) [000] d..2. 40.003000: sched_switch: prev_comm=weaver prev_pid=655 prev_prio=120 prev_state=X ==> next_comm=init next_pid=9 next_prio=120
            init-9     (    9) [000] d..2. 40.005000: sched_process_fork: comm=init pid=9 child_comm=init child_pid=655
            init-9     (    9) [000] d..2. 40.006000: sched_switch: prev_comm=init prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=init next_pid=655 next_prio=120
          cooper-655   (  655) [000] d..2. 40.011000: sched_switch: prev_comm=cooper prev_pid=655 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
          <idle>-0     (-----) [000] d..2. 40.020000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=init next_pid=9 next_prio=120
            init-9     (    9) [000] d..2. 40.022000: sched_switch: prev_comm=init prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
TRACE
histree build -q trace.txt -o store
all="histree_time('+0s'), histree_time('+22ms')"
histree sql store 'SELECT tid, life, name, pid, ppid, start - 40000000000 AS start, "end" - 40000000000 AS end, path FROM threads WHERE tid > 0 ORDER BY 1, 2' --format tsv
histree sql store "SELECT * FROM cpu_usage($all)" --format tsv
histree sql store "SELECT * FROM cpu_usage(histree_time('+2ms'), histree_time('+8ms') - 1)" --format tsv
# What a thread did is what its attributes were between its start and its end.
histree sql store "SELECT t.name, sum(s.duration) AS ran FROM threads AS t JOIN states AS s ON s.path = t.path AND s.start >= t.start AND s.\"end\" <= t.\"end\" WHERE t.tid = 655 AND s.label = 'user mode' GROUP BY t.life" --format tsv
# Of several hosts, each has its own.
cp trace.txt other.txt
histree build -q --host-dir one=trace.txt --host-dir two=other.txt -o hosts
histree sql hosts 'SELECT host, tid, life, name, path FROM threads WHERE tid = 655 ORDER BY 1, 3' --format tsv
histree sql hosts "SELECT host, tid, ns, name, life FROM cpu_usage($all) WHERE tid = 655 ORDER BY host, life" --format tsv
