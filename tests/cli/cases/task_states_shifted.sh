# Some kernels between Linux 4.14 and 4.20: each state is one bit too high, which the idle thread shows.  0x100 is preemption, and kworkers idle by it.
cat >text.txt <<'END'
             job-10    [000] d...     1.000000: sched_switch: prev_comm=job prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=other next_pid=11 next_prio=120
           other-11    [000] d...     2.000000: sched_switch: prev_comm=other prev_pid=11 prev_prio=120 prev_state=D ==> next_comm=swapper/0 next_pid=0 next_prio=120
          <idle>-0     [000] d...     3.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=S ==> next_comm=kworker/0:1 next_pid=12 next_prio=120
     kworker/0:1-12    [000] d...     4.000000: sched_switch: prev_comm=kworker/0:1 prev_pid=12 prev_prio=120 prev_state=R+ ==> next_comm=gone next_pid=13 next_prio=120
            gone-13    [000] d...     5.000000: sched_switch: prev_comm=gone prev_pid=13 prev_prio=120 prev_state=Z ==> next_comm=job next_pid=10 next_prio=120
             job-10    [000] d...     6.000000: sched_switch: prev_comm=job prev_pid=10 prev_prio=120 prev_state=R+ ==> next_comm=other next_pid=11 next_prio=120
           other-11    [000] d...     7.000000: sched_switch: prev_comm=other prev_pid=11 prev_prio=120 prev_state=D ==> next_comm=job next_pid=10 next_prio=120
END
# As numbers, and as libtraceevent prints them, whose R is also what it has no letter for.
sed 's/=S ==>/=1/; s/=D ==>/=2/; s/=R+ ==>/=256/; s/=Z ==>/=32/' text.txt >numbers.txt
sed -E 's/R\+ /R /; s/prev_comm=(\S+) prev_pid=([0-9]+) prev_prio=120 prev_state=(.) ==> next_comm=(\S+) next_pid=([0-9]+) .*/\1:\2 [120] \3 ==> \4:\5 [120]/' \
	text.txt >plugin.txt
cat >make.py <<'EOP'
import re
import sys
sys.path.insert(0, sys.argv[1] + "/../perfetto")
from perfetto_trace import bundle, compact, ftrace_event, system, trace

states = {"S": 1, "D": 2, "R+": 256, "Z": 32}
pattern = r"(\d\.\d+): sched_switch: prev_comm=(\S+) prev_pid=(\d+) prev_prio=120 prev_state=(\S+) ==> next_comm=(\S+) next_pid=(\d+)"
rows = [(int(float(time) * 1e9), comm, int(pid), states[state], to, int(next_pid))
        for time, comm, pid, state, to, next_pid in re.findall(pattern, open("text.txt").read())]
events = [ftrace_event(time, pid, "sched:sched_switch", dict(prev_comm=comm, prev_pid=pid, prev_prio=120, prev_state=state, next_comm=to,
                                                            next_pid=next_pid, next_prio=120)) for time, comm, pid, state, to, next_pid in rows]
open("plain.pftrace", "wb").write(trace([system("4.19.0"), bundle(0, events)]))
open("compact.pftrace", "wb").write(trace([system("4.19.0"), bundle(0, compact=compact([(time, state, next_pid, 120, to)
                                                                    for time, comm, pid, state, to, next_pid in rows]))]))
EOP
python3 make.py $DATA
for file in text.txt numbers.txt plugin.txt plain.pftrace compact.pftrace; do
	try histree build -q $file -o store -f
	histree top store --format tsv --columns thread,user,waiting,blocked,other,unknown
done
# A thread that has left as R says that the states are what they seem.
sed 's/=D/=R/' text.txt >right.txt
histree build -q right.txt -o store -f
histree top store --format tsv --columns thread,user,waiting,blocked,other,unknown
# So does one that sleeps and leaves the CPU idle: somebody has made up an idle thread that sleeps.
cat >made-up.txt <<'END'
          <idle>-0     [000] d...     1.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=S ==> next_comm=job next_pid=10 next_prio=120
             job-10    [000] d...     2.000000: sched_switch: prev_comm=job prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
          <idle>-0     [000] d...     3.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=S ==> next_comm=job next_pid=10 next_prio=120
END
histree build -q made-up.txt -o store -f
histree top store --format tsv --columns thread,user,waiting,blocked,other,unknown
