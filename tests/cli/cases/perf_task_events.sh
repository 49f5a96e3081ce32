# perf script --show-task-events: whose threads are, also of those that were there before.
cat >tasks.txt <<'END'
         swapper     0 [000]     0.000000: PERF_RECORD_COMM: init:1/1
         swapper     0 [000]     0.000000: PERF_RECORD_FORK(1:1):(0:0)
         swapper     0 [000]     0.000000: PERF_RECORD_COMM: bakery:810/810
         swapper     0 [000]     0.000000: PERF_RECORD_FORK(810:810):(1:1)
         swapper     0 [000]     0.000000: PERF_RECORD_COMM: oven: 2/3:810/814
         swapper     0 [000]     0.000000: PERF_RECORD_FORK(810:814):(810:810)
          bakery   810 [001]    59.000000: PERF_RECORD_FORK(830:830):(810:810)
          bakery   810 [001]    60.000000: PERF_RECORD_MMAP2 810/810: [0x5400(0x1000) @ 0 fe:01 12 0]: r-xp /opt/bakery
          bakery   810 [001]    60.100000:       sched:sched_switch: prev_comm=bakery prev_pid=810 prev_prio=120 prev_state=S ==> next_comm=oven: 2/3 next_pid=814 next_prio=120
       oven: 2/3   814 [001]    60.101000: PERF_RECORD_FORK(810:820):(810:814)
       oven: 2/3   814 [001]    60.101500: PERF_RECORD_FORK(821:821):(810:814)
       oven: 2/3   814 [001]    60.102000:       sched:sched_switch: prev_comm=oven: 2/3 prev_pid=814 prev_prio=120 prev_state=S ==> next_comm=oven: 2/3 next_pid=820 next_prio=120
       oven: 2/3   820 [001]    60.103000:       sched:sched_switch: prev_comm=oven: 2/3 prev_pid=820 prev_prio=120 prev_state=S ==> next_comm=oven: 2/3 next_pid=821 next_prio=120
       oven: 2/3   821 [001]    60.103500: PERF_RECORD_COMM exec: crumb:821/821
           crumb   821 [001]    60.104000:       sched:sched_switch: prev_comm=crumb prev_pid=821 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
           crumb   821 [001]    60.104100: PERF_RECORD_EXIT(821:821):(810:810)
END
histree build -q tasks.txt -o store
histree top store --by process --columns process,user,interrupted --format tsv
histree states store --format tsv | grep -E '^Threads/(810|814|8[23].)(/(PID|PPID|Exec_name))?	' | cut -f 1,2,5
histree events store --format tsv | cut -f 2,3,4,5 | head -9
# Of samples they say nothing that these do not.
grep -v sched: tasks.txt >samples.txt
printf '%s\n' '           crumb   821 [001]    60.105000:     250000 cycles:u: ' '	          401000 knead+0x10 (/opt/crumb)' '' >>samples.txt
histree build -q samples.txt -o samples
histree flame samples
