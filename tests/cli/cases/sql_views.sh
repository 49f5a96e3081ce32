# Views that are called as Perfetto's tables are: usual questions have the answers of our own tables.
histree sql "$STORE" 'SELECT 1' 2>&1 | grep -q 'built without' && exit 77
histree build -q -a kernel,system-calls,cpu-usage -o store "$DATA/demo-trace"
ask() {
	histree sql store "$1" --format tsv | tail -n +2
}
same() {
	ask "$1" >one
	ask "$2" | cmp - one && head -n 2 one
}
whole="histree_time('+0ns'), (SELECT value FROM info WHERE name = 'end')"
same "SELECT tid, sum(dur) FROM sched JOIN thread USING (utid) GROUP BY 1 ORDER BY 2 DESC, 1" \
	"SELECT tid, sum(ns) FROM cpu_usage($whole) WHERE tid > 0 GROUP BY 1 ORDER BY 2 DESC, 1"
same "SELECT state, count(*), sum(dur) FROM thread_state WHERE state IN ('R', 'S') GROUP BY 1" \
	"SELECT iif(label = 'blocked', 'S', 'R') AS state, count(*), sum(duration) FROM states WHERE path GLOB 'Threads/*'
	AND thread > 0 AND label IN ('blocked', 'waits for a CPU') GROUP BY 1"
same "SELECT tid, thread.name, slice.name, ts, dur FROM slice JOIN thread_track ON track_id = thread_track.id JOIN thread USING (utid) ORDER BY ts, tid" \
	"SELECT c.tid, t.name, 'sys_' || c.name, c.start, c.duration FROM system_calls c JOIN threads t ON t.tid = c.tid ORDER BY c.start, c.tid"
same "SELECT process.name, pid, count(*) FROM thread JOIN process USING (upid) WHERE is_main_thread = 0 GROUP BY 2 ORDER BY 3 DESC, 2" \
	"SELECT (SELECT name FROM threads p WHERE p.tid = t.pid), pid, count(*) FROM threads t WHERE tid <> pid GROUP BY 2 ORDER BY 3 DESC, 2"
ask "SELECT cpu, count(*) FROM thread_state WHERE state = 'Running' GROUP BY 1"
# of spans and their counters
cat >spans.json <<'END'
[{"ph":"M","name":"process_name","pid":7,"args":{"name":"baker"}},
{"ph":"M","name":"thread_name","pid":7,"tid":1,"args":{"name":"kneader"}}, {"ph":"M","name":"thread_name","pid":8,"tid":1,"args":{"name":"other"}},
{"ph":"X","name":"knead","cat":"dough","pid":7,"tid":1,"ts":1,"dur":9}, {"ph":"X","name":"rest","pid":7,"tid":1,"ts":2,"dur":5},
{"ph":"X","name":"knead","pid":8,"tid":1,"ts":3,"dur":2}, {"ph":"C","name":"loaves","pid":7,"ts":1,"args":{"all":3}},
{"ph":"C","name":"loaves","pid":7,"ts":5,"args":{"all":4}}]
END
histree build -q -o spans spans.json
histree sql spans "SELECT slice.name, category, depth, dur, thread.name, process.pid FROM slice JOIN thread_track ON track_id = thread_track.id
	JOIN thread USING (utid) JOIN process USING (upid) ORDER BY ts;
	SELECT name, count(*), max(value) FROM counter JOIN counter_track ON track_id = id GROUP BY 1" --format tsv
# Two questions of Perfetto's documentation, as they stand there: frequencies of CPUs, and time on CPUs by thread.
cat >cpus.txt <<'END'
# tracer: nop
    app-7       [000] d..1. 10.000100: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=7 next_prio=120
    app-7       [000] d..1. 10.000200: cpu_frequency: state=2400000 cpu_id=0
    app-7       [000] d..1. 10.000300: cpu_frequency: state=800000 cpu_id=1
    app-7       [000] d..1. 10.000400: sched_switch: prev_comm=app prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
END
histree build -q -a kernel -o cpus cpus.txt 2>/dev/null
histree sql cpus "select ts, t.cpu, value from counter as c left join cpu_counter_track as t on c.track_id = t.id where t.name = 'cpufreq' order by ts;
	select thread.name, sum(dur) from sched_slice join thread using (utid) group by utid" --format tsv
