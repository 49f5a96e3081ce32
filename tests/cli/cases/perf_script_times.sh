# perf script --reltime begins at 0; --deltatime has differences, which are refused.
cat >reltime.txt <<'END'
         swapper     0 [000]     0.000000: PERF_RECORD_COMM: early:20/20
         swapper     0 [000]     0.000000: PERF_RECORD_FORK(20:20):(1:1)
              a1    10 [000]     0.000000: sched:sched_switch: prev_comm=a1 prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=a2 next_pid=11 next_prio=120
              a2    11 [000]     0.300000: sched:sched_switch: prev_comm=a2 prev_pid=11 prev_prio=120 prev_state=R ==> next_comm=a1 next_pid=10 next_prio=120
              a1    10 [000]     0.400000: sched:sched_switch: prev_comm=a1 prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=a2 next_pid=11 next_prio=120
              a2    11 [000]     0.700000: sched:sched_switch: prev_comm=a2 prev_pid=11 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
END
sed -e 's/ 0.400000:/ 0.100000:/' -e 's/ 0.700000:/ 0.300000:/' reltime.txt >deltatime.txt
try histree build -q reltime.txt -o store
histree states store --format tsv 'Threads/*'
try histree build -q deltatime.txt -o other
