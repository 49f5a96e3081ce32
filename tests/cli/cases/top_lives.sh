# Who had the CPU, and how often a thread was switched from, are said of each thread that had a number.
cat >trace.txt <<'TRACE'
# tracer: nop
          <idle>-0     (-----) [000] d..2. 70.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=tanner next_pid=512 next_prio=120
          tanner-512   (  510) [000] d..2. 70.001000: sched_waking: comm=guard pid=44 prio=120 target_cpu=000
          tanner-512   (  510) [000] d..2. 70.003000: sched_switch: prev_comm=tanner prev_pid=512 prev_prio=120 prev_state=R ==> next_comm=shell next_pid=30 next_prio=120
           shell-30    (   30) [000] d..2. 70.003500: sched_switch: prev_comm=shell prev_pid=30 prev_prio=120 prev_state=S ==> next_comm=tanner next_pid=512 next_prio=120
          tanner-512   (  510) [000] d..2. 70.004000: sched_switch: prev_comm=tanner prev_pid=512 prev_prio=120 prev_state=X ==> next_comm=shell next_pid=30 next_prio=120
           shell-30    (   30) [000] d..2. 70.006000: sched_process_fork: comm=shell pid=30 child_comm=shell child_pid=512
           shell-30    (   30) [000] d..2. 70.007000: sched_switch: prev_comm=shell prev_pid=30 prev_prio=120 prev_state=S ==> next_comm=shell next_pid=512 next_prio=120
          glover-512   (  512) [000] d..2. 70.012000: sched_switch: prev_comm=glover prev_pid=512 prev_prio=120 prev_state=S ==> next_comm=guard next_pid=44 next_prio=120
           guard-44    (   44) [000] d..2. 70.020000: sched_switch: prev_comm=guard prev_pid=44 prev_prio=120 prev_state=S ==> next_comm=glover next_pid=512 next_prio=120
          glover-512   (  512) [000] d..2. 70.024000: sched_switch: prev_comm=glover prev_pid=512 prev_prio=120 prev_state=S ==> next_comm=shell next_pid=30 next_prio=120
           shell-30    (   30) [000] d..2. 70.030000: sched_switch: prev_comm=shell prev_pid=30 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
TRACE
histree build -q -a kernel,switches trace.txt -o store
histree top store --by thread,had-by --where 'state == waiting && thread == 44' --format tsv
histree top store --more switches --where 'thread == 512' --format tsv
histree top store --more switches --where 'thread == 512' --from +3.2ms --to +13ms --format tsv
histree top store --more switches --sort involuntary --limit 1 --format tsv
