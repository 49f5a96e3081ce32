# Viewers know processes by their numbers: one that has the number of another is shown beside it, with a number of its own.
cat >trace.txt <<'TRACE'
# tracer: nop
          <idle>-0     (-----) [000] d..2. 90.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=salter next_pid=417 next_prio=120
          salter-417   (  417) [000] d..2. 90.001000: sched_waking: comm=warden pid=52 prio=120 target_cpu=000
          salter-417   (  417) [000] d..2. 90.004000: sched_switch: prev_comm=salter prev_pid=417 prev_prio=120 prev_state=X ==> next_comm=init next_pid=9 next_prio=120
            init-9     (    9) [000] d..2. 90.006000: sched_process_fork: comm=init pid=9 child_comm=init child_pid=417
            init-9     (    9) [000] d..2. 90.007000: sched_switch: prev_comm=init prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=init next_pid=417 next_prio=120
          sawyer-417   (  417) [000] d..2. 90.009000: sched_waking: comm=init pid=9 prio=120 target_cpu=000
          sawyer-417   (  417) [000] d..2. 90.012000: sched_switch: prev_comm=sawyer prev_pid=417 prev_prio=120 prev_state=S ==> next_comm=warden next_pid=52 next_prio=120
          warden-52    (-----) [000] d..2. 90.020000: sched_switch: prev_comm=warden prev_pid=52 prev_prio=120 prev_state=S ==> next_comm=init next_pid=9 next_prio=120
            init-9     (    9) [000] d..2. 90.024000: sched_switch: prev_comm=init prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
TRACE
histree build -q -a kernel,wakeups,preemptions trace.txt -o store
# Nobody says to which process "warden" belongs: it is not shown as one.
histree export store --format chrome -o trace.json && grep -o '{"ph":"[MXsf]".*"tid":\(417\|4194721\),[^{}]*' trace.json
grep -o '"args":{"name":".*\(not known\|warden\)[^}]*' trace.json
# What a CPU ran is called as the thread was then, and events are on the tracks of those whose they are.
grep -o '"cat":"thread","name":"[^"]*"' trace.json
histree export store --events --format chrome -o events.json && grep -o '{"ph":"i".*"tid":\(417\|4194721\),[^{}]*' events.json
cp trace.txt other.txt
histree build -q -a kernel,wakeups --host-dir one=trace.txt --host-dir two=other.txt -o hosts
histree export hosts --format chrome -o hosts.json && grep -o '"name":"process_name","pid":[0-9]*,"args":{"name":"[^"]*s[a-z]*er"' hosts.json
