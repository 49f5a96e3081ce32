# A number that is used again is another thread: with a name, a process and times of its own.
cat >trace.txt <<'END'
# tracer: nop
          <idle>-0     (-----) [000] d..2. 20.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=miller next_pid=812 next_prio=120
          miller-812   (  810) [000] d..2. 20.004000: sched_switch: prev_comm=miller prev_pid=812 prev_prio=120 prev_state=X ==> next_comm=shell next_pid=30 next_prio=120
           shell-30    (   30) [000] d..2. 20.006000: sched_process_fork: comm=shell pid=30 child_comm=shell child_pid=812
           shell-30    (   30) [000] d..2. 20.007000: sched_switch: prev_comm=shell prev_pid=30 prev_prio=120 prev_state=S ==> next_comm=shell next_pid=812 next_prio=120
           baker-812   (  812) [000] d..2. 20.010000: sched_switch: prev_comm=baker prev_pid=812 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
          <idle>-0     (-----) [000] d..2. 20.020000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=shell next_pid=30 next_prio=120
           shell-30    (   30) [000] d..2. 20.030000: sched_switch: prev_comm=shell prev_pid=30 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
END
histree build -q trace.txt -o store
histree top store --format tsv
histree top store --by process --where 'name == miller' --format tsv
histree top store --from +8ms --to +9ms --format tsv
for threads in 2 4; do histree build -qf --threads $threads trace.txt -o other && histree states other | cmp - <(histree states store); done
# Viewers get each of them as a thread of its process.
histree export store --format chrome -o trace.json && grep -o '{"ph":"[Xsf]"[^{]*"tid":812,[^{}]*' trace.json
histree verify --states store
