# What programs write to trace_marker is spans and counters, in texts of ftrace and in the print events of Perfetto;
# and the same trace has the states of the kernel.
cat >markers.txt <<'END'
# tracer: nop
         web-61      (   60) [001] d..2 5.000000: sched_switch: prev_comm=web prev_pid=61 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
       <idle>-0      (-----) [001] d..2 5.001000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=web next_pid=61 next_prio=120
         web-61      (   60) [001] ...1 5.002000: tracing_mark_write: B|60|request
         web-61      (   60) [001] ...1 5.003000: tracing_mark_write: C|60|queue|2
         web-61      (   60) [001] ...1 5.004000: tracing_mark_write: C|60|ids|18446744073709551615
         web-61      (   60) [001] ...1 5.006000: tracing_mark_write: E|60
         web-61      (   60) [001] d..2 5.009000: sched_switch: prev_comm=web prev_pid=61 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
END
try histree build -q markers.txt -o text
cp $DATA/perfetto-made/markers.pftrace .
try histree build -q -a tracks,track-spans markers.pftrace -o perfetto
for store in text perfetto; do
	histree segments $store track-spans --format tsv | cut -f 1,3,4,6-9
	histree states $store -a tracks --format tsv | grep Counters | cut -f 1,2,5
done
histree top text --format tsv | cut -f 2-4
# Drivers have events of their own for them.
cp $DATA/perfetto-made/driver-markers.pftrace .
try histree build -q driver-markers.pftrace -o drivers
histree segments drivers track-spans --format tsv | cut -f 1,3,4,6-9
histree states drivers -a tracks --format tsv | grep Counters | cut -f 1,2,5
# What code of the kernel writes by trace_puts() or trace_printk() is called as its function; a lone E is a text then.
cat >kernel-markers.txt <<'END'
         web-61      (   60) [001] ...1 5.002000: trace_puts: B|60|request
         web-61      (   60) [001] ...1 5.003000: vendor_mark.isra.0: C|60|queue|2
         web-61      (   60) [001] ...1 5.005000: vendor_mark.isra.0: E
         web-61      (   60) [001] ...1 5.005500: vendor_mark.isra.0: E|
         web-61      (   60) [001] ...1 5.006000: trace_puts: E|60
END
try histree build -q kernel-markers.txt -o kernel-markers
histree segments kernel-markers track-spans --format tsv | cut -f 1,3,4,6-9
histree states kernel-markers -a tracks --format tsv | grep Counters | cut -f 1,2,5
# Calls of functions that ftrace drew.
cat >graph.txt <<'END'
# tracer: function_graph
   9.000100 |   1)    cat-88       |               |  vfs_read() {
   9.000102 |   1)    cat-88       |   0.500 us    |    rw_verify_area();
   9.000110 |   1)    cat-88       | + 12.250 us   |  }
END
try histree build -q graph.txt -o graph
histree segments graph track-spans --format tsv | cut -f 1,3,4,7,9
sed 's/^  *9.[0-9]* |//' graph.txt >untimed.txt
try histree build -q untimed.txt -o none
# A track of states has one up to the next, and none where it has no name.
cp $DATA/perfetto-made/states.pftrace .
try histree build -q states.pftrace -o states
histree segments states track-spans --format tsv | cut -f 1-4,6,9
# The text of ftrace in a trace in JSON is a trace of the kernel.
cat >system.json <<'END'
{"traceEvents": [{"ph": "X", "ts": 7000000, "dur": 1000, "name": "paint", "pid": 60, "tid": 61}],
"systemTraceEvents": "# tracer: nop\n  web-61 [001] d..2 7.000000: sched_switch: prev_comm=web prev_pid=61 prev_prio=120 prev_state=S ==> next_comm=swapper\/1 next_pid=0 next_prio=120\n  <idle>-0 [001] d..2 7.001000: sched_switch: prev_comm=swapper\/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=web next_pid=61 next_prio=120\n  web-61 [001] d..2 7.005000: sched_switch: prev_comm=web prev_pid=61 prev_prio=120 prev_state=S ==> next_comm=swapper\/1 next_pid=0 next_prio=120\n"}
END
try histree build -q system.json -o system
histree top system --format tsv | cut -f 2-4
histree segments system track-spans --format tsv | cut -f 1,3,4
# systrace writes a page with the traces of its agents, in JSON, beside that text, or alone.
{
	printf '<!DOCTYPE html>\n<html><body>\n<script class="trace-data" type="application/text">\n'
	grep -v system system.json | sed 's/,$/}/'
	printf '</script>\n<script class="trace-data" type="application/text">\n{"metadata": {}}\n</script>\n'
} >alone.html
{
	cat alone.html
	printf '<script class="trace-data" type="application/text">\n'
	cat markers.txt
	printf '</script>\n'
} >page.html
{
	printf '<html><script class="trace-data">'
	cat system.json
	printf '</script></html>'
} >inside.html
{
	printf '<html><script class="trace-data">\n'
	sed 's/web-61/job-62/g; s/web prev_pid=61/job prev_pid=62/; s/web next_pid=61/job next_pid=62/; s/\[001]/[000]/' markers.txt
	printf '# tracer: nop\n  job-62 [000] d..2 7.000000: sched_switch: prev_comm=job prev_pid=62 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n'
	printf '</script>\n<script class="trace-data">'
	cat system.json
	printf '</script></html>'
} >both.html
for page in alone page inside both; do
	try histree build -q $page.html -o $page
	histree segments $page track-spans --format tsv | cut -f 1,3,4
done
histree top page --format tsv | cut -f 2-4
histree top inside --format tsv | cut -f 2-4
histree top both --format tsv | cut -f 2-4
# Each element is what it is, whatever is behind the events of the one before; JSON may begin in the line of the element.
event() { printf '{"ph":"X","pid":1,"tid":1,"ts":%d,"name":"%s","dur":2}' "$1" "$2"; }
{
	printf '<html>\n<script class="trace-data">'
	event 10 lines
	printf '\n'
	event 20 lines
	printf '</script>\n<script class="trace-data">{\n"systemTraceEvents":\n"%s\\n",\n"traceEvents": [' "$(tail -n 1 markers.txt)"
	event 30 object
	printf ']} more </script>\n<script class="trace-data">['
	event 40 array
	printf ']</script>\n<script class="trace-data">\n'
	cat markers.txt
	printf '</script>'
} >kinds.html
histree build -o kinds kinds.html 2>&1 | grep kinds.html:
histree segments kinds track-spans --format tsv | cut -f 1,3,4
histree events kinds --format tsv | grep -c sched_switch
# Of another system, that member is no text of ftrace.
printf '{"traceEvents": [], "systemTraceEvents": "PowerLog v1\\n2020 C0 12.5\\n"}' >other.json
try histree build -q other.json -o other
printf '{"systemTraceEvents": {"type": "fuchsia", "events": []}, "traceEvents": [{"ph": "X", "ts": 7, "dur": 1, "name": "a"}]}' >other.json
histree build other.json -o other 2>&1 | grep warning
# Some programs begin an asynchronous span again and again, and end it once; a nested one has another cookie or name.
cat >again.txt <<'END'
# tracer: nop
         web-61      (   60) [001] ...1 5.000000: tracing_mark_write: S|60|lock|1
         web-61      (   60) [001] ...1 5.001000: tracing_mark_write: S|60|lock|1
         web-61      (   60) [001] ...1 5.002000: tracing_mark_write: S|60|lock|2
         web-61      (   60) [001] ...1 5.003000: tracing_mark_write: F|60|lock|1
         web-61      (   60) [001] ...1 5.004000: tracing_mark_write: S|60|lock|1
         web-61      (   60) [001] ...1 5.005000: tracing_mark_write: F|60|lock|2
         web-61      (   60) [001] ...1 5.006000: tracing_mark_write: F|60|lock|1
         web-61      (   60) [001] ...1 5.007000: tracing_mark_write: B|60|end
         web-61      (   60) [001] ...1 5.008000: tracing_mark_write: E|60
END
try histree build -q again.txt -o again
histree segments again track-spans --format tsv | cut -f 1-4,8,9,13
