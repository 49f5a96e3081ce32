# perf script --show-switch-events: the states that the recording has (perf_switch_records.sh), also of one process.
cat >cpus.txt <<'END'
         swapper     0 [000]     0.000000000: PERF_RECORD_COMM: old:12/12
              a1    10 [000]     1.000000000: PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid:    11/11   
              a2    11 [000]     1.000010000: PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:    10/10   
              a2    11 [000]     2.000000000: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid:    12/12   
             old    12 [000]     2.000010000: PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:    11/11   
             old    12 [000]     2.500000000: PERF_RECORD_EXIT(12:12):(1:1)
             old    12 [000]     2.600000000: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid:    11/11   
              a2    11 [000]     3.000000000: PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid:    12/12   
             old    12 [000]     4.000000000: PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid:    13/13   
              a4    13 [000]     4.100000000: PERF_RECORD_COMM exec: new:13/13
             new    13 [000]     4.500000000: PERF_RECORD_EXIT(13:13):(1:1)
             :-1    -1 [000]     5.000000000: PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid:     0/0    
END
cat >process.txt <<'END'
           sleep    20 [-01]     1.000000000: PERF_RECORD_SWITCH OUT preempt
           sleep    20 [-01]     2.000000000: PERF_RECORD_SWITCH IN         
           sleep    20 [-01]     3.000000000: PERF_RECORD_SWITCH OUT        
           sleep    20 [-01]     4.000000000: PERF_RECORD_SWITCH IN         
           sleep    20 [-01]     4.500000000: PERF_RECORD_EXIT(20:20):(1:1)
END
# The kernel's own say more, and count where both are there.
cat >both.txt <<'END'
              a2    11 [000]     1.000000000: sched:sched_switch: prev_comm=a2 prev_pid=11 prev_prio=120 prev_state=R ==> next_comm=a3 next_pid=12 next_prio=120
              a2    11 [000]     1.000000500: PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid:    12/12   
              a3    12 [000]     2.000000000: sched:sched_switch: prev_comm=a3 prev_pid=12 prev_prio=120 prev_state=T ==> next_comm=a2 next_pid=11 next_prio=120
              a3    12 [000]     2.000000500: PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid:    11/11   
END
# What is there before perf began may be many lines, with names of any look.
for i in $(seq 40); do echo "             cat  10$i [000]     0.000000000: PERF_RECORD_COMM: 4f2a foo+0x1 (bar):10$i/10$i"; done >many.txt
cat cpus.txt >>many.txt
for file in cpus process both many; do
	try histree build $file.txt -o $file 2>&1 | sed -n '/^\$/p; /show-switch/p'
	histree states $file --format tsv | grep -E '^(Threads/[12][0-9](/Exec_name)?|CPUs/0.Current_thread)	'
done
