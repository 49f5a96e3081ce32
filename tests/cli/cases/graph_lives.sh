# A number that is used again is another thread where it is said who waited for whom: no run of the one is the other's.
cat >trace.txt <<'END'
# tracer: nop
          <idle>-0     (-----) [000] d..2. 60.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=alpha next_pid=77 next_prio=120
           alpha-77    (   77) [000] d..2. 60.002000: sched_waking: comm=main pid=5 prio=120 target_cpu=000
           alpha-77    (   77) [000] d..2. 60.004000: sched_switch: prev_comm=alpha prev_pid=77 prev_prio=120 prev_state=X ==> next_comm=main next_pid=5 next_prio=120
            main-5     (    5) [000] d..2. 60.006000: sched_process_fork: comm=main pid=5 child_comm=main child_pid=77
            main-5     (    5) [000] d..2. 60.006100: sched_wakeup_new: comm=main pid=77 prio=120 target_cpu=000
            main-5     (    5) [000] d..2. 60.007000: sched_switch: prev_comm=main prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=main next_pid=77 next_prio=120
            beta-77    (   77) [000] d..2. 60.009000: sched_waking: comm=main pid=5 prio=120 target_cpu=000
            beta-77    (   77) [000] d..2. 60.012000: sched_switch: prev_comm=beta prev_pid=77 prev_prio=120 prev_state=S ==> next_comm=main next_pid=5 next_prio=120
            main-5     (    5) [000] d..2. 60.020000: sched_switch: prev_comm=main prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
END
histree build -q -a kernel,graph trace.txt -o store
histree states store -a graph | grep 'Threads/77'
try histree why --table steps --rules trace-compass store 77
try histree why --table totals store 77 --from +6.5ms --format tsv
try histree why store 77 --table threads --format tsv
try histree why store 77 --from +6ms --table threads --format tsv
try histree why store 5 --table threads --format tsv
try histree flame store --waits --format tsv
