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
# A file and a page of one host are those of its store, and times are relative to all of them.
for words in '' "'Threads/*' --columns path,start,label" '-a wakeups --columns duration,start' '--events --columns time,name' "--where label==user"; do
	eval "cmp <(histree export two --host left --format csv $words) <(histree export two/hosts/left --format csv $words)" && echo "the same"
done
histree export two --host right -o right.db
histree export two/hosts/right -o alone.db
cmp right.db alone.db && echo "a database of one host is that of its store"
cmp <(histree export two --host right --format chrome) <(histree export two/hosts/right --format chrome) && echo "so is a file for a viewer"
cmp <(histree report two --host right) <(histree report two/hosts/right) && echo "and a report"
histree states two --host right --at +5ms 'Threads/*' --columns path,start,value --format csv > states
histree export two --host right --at +5ms 'Threads/*' --columns path,start,value --format csv | tr -d '\r' > exported
head -2 states exported
histree report two --host right --from +5ms --to +8ms | head -4
for verb in 'export --format csv' report; do
	try histree $verb two --host middle
	try histree $verb "$STORE" --host left
	try histree $verb two --host left --from +1h
done
try histree export two --host right --format csv --at 0
cp -r two lost && rm -r lost/hosts/left
try histree report lost --host left
try histree export lost --host left --format csv
