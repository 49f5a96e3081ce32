# --host asks one host of several, in every verb that has it, and one that there is not is a slip that is said.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$(realpath "$DATA/../support")" python3 - <<'END2'
import pathlib
import two_hosts
two_hosts.write(pathlib.Path("."), two_hosts.rounds(5, 20), lambda time: time + 2_000_000)
END2
histree build -q -a kernel,system-calls,wakeups -o two --host-dir left=a --host-dir right=b
histree top two --host right --columns host,thread,user
histree top two --host left --where 'thread != 12345' --columns thread,count --format tsv
histree states two --host right --at +1ms 'CPUs/*/Current_thread' --columns path,value
diff <(histree states two --host left --format tsv) <(histree states two/hosts/left --format tsv) && echo "a dump of one host is that of its store"
histree events two --host left -n 2 --columns host,type
histree events two --host right --where 'type == sched:sched_switch' -n 1 --columns host,type
histree segments two -a wakeups --host right -n 2 --columns duration,host --format tsv
histree segments two -a wakeups --host left --by host --columns value,count --format csv
for verb in 'top two' 'states two --at +1ms' 'states two' 'events two' 'segments two -a wakeups' 'segments --by name two -a wakeups'; do
	try histree $verb --host middle
done
try histree events "$STORE" --host middle
histree build -q -a graph -o paths --host-dir left=a --host-dir right=b
diff <(histree why paths 100 --host left) <(histree why paths left/100) && echo "a thread of a host"
try histree why paths 100 --host middle
try histree top "$STORE" --host middle
