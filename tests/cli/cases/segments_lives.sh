# A number that is used again is another thread in statistics of segments, too.
cat >trace.txt <<'TRACE'
# tracer: nop
          <idle>-0     (-----) [000] d..2. 30.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=tiler next_pid=731 next_prio=120
           tiler-731   (  730) [000] d..2. 30.001000: sched_waking: comm=guard pid=44 prio=120 target_cpu=000
           tiler-731   (  730) [000] d..2. 30.003000: sched_switch: prev_comm=tiler prev_pid=731 prev_prio=120 prev_state=R ==> next_comm=guard next_pid=44 next_prio=120
           guard-44    (   44) [000] d..2. 30.004000: sched_switch: prev_comm=guard prev_pid=44 prev_prio=120 prev_state=S ==> next_comm=tiler next_pid=731 next_prio=120
           tiler-731   (  730) [000] d..2. 30.005000: sched_switch: prev_comm=tiler prev_pid=731 prev_prio=120 prev_state=X ==> next_comm=sh next_pid=30 next_prio=120
              sh-30    (   30) [000] d..2. 30.006000: sched_process_fork: comm=sh pid=30 child_comm=sh child_pid=731
              sh-30    (   30) [000] d..2. 30.007000: sched_switch: prev_comm=sh prev_pid=30 prev_prio=120 prev_state=S ==> next_comm=sh next_pid=731 next_prio=120
          glazer-731   (  731) [000] d..2. 30.008000: sched_waking: comm=guard pid=44 prio=120 target_cpu=000
          glazer-731   (  731) [000] d..2. 30.012000: sched_switch: prev_comm=glazer prev_pid=731 prev_prio=120 prev_state=R ==> next_comm=guard next_pid=44 next_prio=120
           guard-44    (   44) [000] d..2. 30.020000: sched_switch: prev_comm=guard prev_pid=44 prev_prio=120 prev_state=S ==> next_comm=glazer next_pid=731 next_prio=120
          glazer-731   (  731) [000] d..2. 30.024000: sched_switch: prev_comm=glazer prev_pid=731 prev_prio=120 prev_state=S ==> next_comm=sh next_pid=30 next_prio=120
TRACE
histree build -q -a kernel,wakeups,preemptions trace.txt -o store
histree segments store preemptions --by tid --format tsv | cut -f1,2,8
histree segments store wakeups --by waker --format tsv | cut -f1,2,8
histree segments store wakeups --by had_by --where 'had_by == 731' --format tsv | cut -f1,2,8
histree segments --histogram store preemptions --by tid --format tsv
# What one thread and the other did are two groups, on both sides.
histree compare store store --to +5ms -a preemptions --by tid --format tsv | cut -f1-3
# Where nobody knows the states of threads, or several hosts have the number, it is the number.
histree build -q -a preemptions trace.txt -o alone
histree segments alone preemptions --by tid --format tsv | cut -f1,2,8
cp trace.txt other.txt
histree build -q -a kernel,preemptions --host-dir one=trace.txt --host-dir two=other.txt -o hosts
histree segments hosts preemptions --by tid --format tsv | cut -f1,2,8
histree compare hosts hosts --host one --host-b two -a preemptions --by tid --format tsv | cut -f1-3
