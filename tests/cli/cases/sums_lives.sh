# A number that is used again is another thread where sums are reported, and where states and segments are joined.
cat >trace.txt <<'TRACE'
# tracer: nop
          <idle>-0     (-----) [000] d..2. 50.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=turner next_pid=614 next_prio=120
          turner-614   (  610) [000] d..2. 50.001000: sched_waking: comm=porter pid=41 prio=120 target_cpu=000
          turner-614   (  610) [000] d..2. 50.003000: sched_switch: prev_comm=turner prev_pid=614 prev_prio=120 prev_state=R ==> next_comm=init next_pid=9 next_prio=120
            init-9     (    9) [000] d..2. 50.004000: sched_switch: prev_comm=init prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=turner next_pid=614 next_prio=120
          turner-614   (  610) [000] d..2. 50.005000: sched_switch: prev_comm=turner prev_pid=614 prev_prio=120 prev_state=X ==> next_comm=init next_pid=9 next_prio=120
            init-9     (    9) [000] d..2. 50.006000: sched_process_fork: comm=init pid=9 child_comm=init child_pid=614
            init-9     (    9) [000] d..2. 50.007000: sched_switch: prev_comm=init prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
          <idle>-0     (-----) [001] d..2. 50.007500: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=init next_pid=614 next_prio=120
          fuller-614   (  614) [001] d..2. 50.012000: sched_switch: prev_comm=fuller prev_pid=614 prev_prio=120 prev_state=S ==> next_comm=porter next_pid=41 next_prio=120
          porter-41    (   41) [001] d..2. 50.020000: sched_switch: prev_comm=porter prev_pid=41 prev_prio=120 prev_state=S ==> next_comm=fuller next_pid=614 next_prio=120
          fuller-614   (  614) [001] d..2. 50.024000: sched_switch: prev_comm=fuller prev_pid=614 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
TRACE
histree build -q -a kernel,switches,wakeups trace.txt -o store
# No move: the later one ran on one CPU only.
histree report store | sed -n '/^How often/,/growth/p'
histree report store --from +3.5ms --to +13ms | sed -n '/^How often/,/growth/p'
histree top store --more switches --format tsv | cut -f2,3,12,13
# The wake-up that the earlier one began ends in the time of the later one, and is of no state of that.
histree segments --join store wakeups 'Threads/614' --on waker --format tsv | cut -f1-8
histree segments --join store wakeups 'Threads/614/Exec_name' --on waker --from +6ms --format tsv
# What is a number's, whoever has it, is cut to the time of the thread.
histree segments --join store wakeups -a switches 'Threads/614/voluntary' --on waker --format tsv | cut -f1-7
# Of several hosts, each has its own.
cp trace.txt other.txt
histree build -q -a kernel,wakeups --host-dir one=trace.txt --host-dir two=other.txt -o hosts
histree segments --join hosts wakeups '*/Threads/614' --on waker --format tsv | cut -f1-8
