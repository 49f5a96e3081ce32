# Who wakes a thread where no interrupt is recorded: the flags of ftrace say when an interrupt does, and not the thread that runs there.
flags() {
	cat <<-TEXT
		# tracer: nop
		     app-7       [000] $1   10.000000: sched_switch: prev_comm=app prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=other next_pid=8 next_prio=120
		   other-8       [000] $2   10.000100: sched_waking: comm=app pid=7 prio=120 target_cpu=000
		   other-8       [000] $1   10.000200: sched_switch: prev_comm=other prev_pid=8 prev_prio=120 prev_state=R ==> next_comm=app next_pid=7 next_prio=120
		     app-7       [000] $1   10.000300: sched_switch: prev_comm=app prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=other next_pid=8 next_prio=120
		   other-8       [000] $3   10.000450: sched_waking: comm=app pid=7 prio=120 target_cpu=000
		   other-8       [000] $1   10.000500: sched_switch: prev_comm=other prev_pid=8 prev_prio=120 prev_state=R ==> next_comm=app next_pid=7 next_prio=120
	TEXT
}
show() {
	histree build -q -o "${1%.*}.histree" "$1" && histree events "${1%.*}.histree" --columns contents --where 'type matches waking' | grep -o 'common_flags.*'
	histree segments "${1%.*}.histree" wakeups --columns start,tid,waker
	histree why "${1%.*}.histree" 7 --table steps --columns kind,name,state,duration,to_name
}
flags d..2. d.h2. d..2. >five.txt
flags d..2 d.s2 d..2 >four.txt
flags d..2. dBh3. dl.2. >lazy.txt
flags d...2.. dN.h3.. d...2.. >realtime.txt
for text in *.txt; do
	echo "$text"
	show "$text"
done
# The same of Perfetto, where a waking has a message of its own, and in columns.
PYTHONPATH=$(realpath "$DATA/../perfetto") PYTHONDONTWRITEBYTECODE=1 python3 - <<'END_OF_PYTHON'
import perfetto_trace as pt


def switch(time, before, after):
    return pt.ftrace_event(time, before, "sched:sched_switch", {
        "prev_comm": f"t{before}", "prev_pid": before, "prev_prio": 120, "prev_state": 1 if before == 7 else 0,
        "next_comm": f"t{after}", "next_pid": after, "next_prio": 120})


def waking(time, flags):
    fields = {"comm": "t7", "pid": 7, "prio": 120, "success": 1, "target_cpu": 0}
    return pt.ftrace_event(time, 8, "sched:sched_waking", fields, flags)


def write(name, *packets):
    with open(name, "wb") as file:
        file.write(pt.trace(packets))


write("messages.pftrace", pt.bundle(0, [switch(1000, 7, 8), waking(1100, 9), switch(1200, 8, 7), switch(1300, 7, 8),
                                        waking(1450, 1), switch(1500, 8, 7)], sequence=2))
write("columns.pftrace", pt.bundle(0, compact=pt.compact(
    [(1000, 1, 8, 120, "t8"), (1200, 0, 7, 120, "t7"), (1300, 1, 8, 120, "t8"), (1500, 0, 7, 120, "t7")],
    [(1100, 7, 0, 120, "t7", 9), (1450, 7, 0, 120, "t7", 1)]), sequence=2))
END_OF_PYTHON
for trace in *.pftrace; do
	echo "$trace"
	show "$trace"
done
# In columns, a waking does not say in which thread it happens, which denies nobody.
histree states columns.histree 'CPUs/*/Current_thread'
