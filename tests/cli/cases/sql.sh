# A store asked in SQL; what the tables give in all ways of asking, tests/sql/check_sql.py compares.
histree sql "$STORE" 'SELECT 1' 2>&1 | grep -q 'built without' && exit 77
histree build -q -a kernel,system-calls -o store "$DATA/demo-trace"
try histree sql store "SELECT path, value FROM state_at('CPUs/*/Current_thread', histree_time('+10ms')) ORDER BY 1"
try histree sql store "SELECT name, count(*), histree_duration(max(duration)) FROM system_calls GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3"
try histree sql store "SELECT min(time) - (SELECT value FROM info WHERE name = 'start') AS first, count(*) FROM events" --format csv
try histree sql store "SELECT stream, fields ->> 'next_comm' AS next, json_extract(fields, '\$.prev_prio') + 1 AS prio FROM events WHERE name = 'sched:sched_switch' ORDER BY number LIMIT 3" --format csv
try histree sql store "SELECT stream, count(*), min(json_valid(fields)) FROM events GROUP BY 1"
try histree sql store "SELECT name, kind FROM analyses; SELECT count(*) AS gaps FROM gaps" --format json
try histree sql store "SELECT * FROM states WHERE path = 'nothing'"
try histree sql store "SELECT * FROM sates"
try histree sql store "SELEC 1"
try histree sql store "SELECT * FROM interval_union('DELETE FROM gaps')"
try histree sql store "SELECT * FROM interval_union('SELECT 1, 2, 3); SELECT (4')"
try histree sql store "SELECT * FROM state_at('CPUs/*', 5)"
try histree sql store "SELECT * FROM state_at('a//b', histree_time('+1ms'))"
try histree sql store "SELECT 1" --file two
try histree sql store --file nothing
try histree sql nothing "SELECT 1"
try histree sql store "SELECT * FROM state_at('CPUs\\', histree_time('+1ms'))"
try histree sql store "SELECT * FROM rows('CPUs/*/Current_thread', histree_time('+10ms'), histree_time('+20ms'), 0)"
try histree sql store "SELECT * FROM rows('CPUs/*', 5)"
try histree sql store "SELECT * FROM histogram('nothing')"
try histree sql store "SELECT histree_attach('store')"
try histree sql store "SELECT histree_attach('store', 'b', 'nothing')"
try histree sql store --memory 16M "WITH RECURSIVE n(t) AS (SELECT 'x' UNION ALL SELECT t || t FROM n) SELECT max(length(t)) FROM n"
# What a chart shows, numbers of counters, counts by time and duration.
try histree sql store "SELECT path, pixel, value, other_type FROM rows('CPUs/*/Current_thread', histree_time('+10ms'), histree_time('+20ms'), 2)"
try histree sql store "SELECT path, states, min, max, round(mean, 3) AS mean, unknown_ns FROM numbers('CPUs/*', histree_time('+10ms'), histree_time('+20ms'))"
try histree sql store "SELECT min, max, sum(count) AS calls FROM histogram('system_calls', histree_time('+10ms'), histree_time('+20ms'), 3) GROUP BY min"
try histree sql store "SELECT sum(count), count(*) FROM histogram('events', histree_time('+10ms'), histree_time('+20ms'), 3)"
# Where time went: the rows of top.
try histree sql store "SELECT thread, name, user, blocked, ns, count FROM time_use(histree_time('+10ms'), histree_time('+20ms')) LIMIT 3"
try histree sql store "SELECT state, ns, count FROM time_use(histree_time('+10ms'), histree_time('+20ms'), 'state', 'thread != 0')"
try histree sql store "SELECT * FROM time_use(0, 5, 'thread,colour')"
try histree sql store "SELECT * FROM time_use(histree_time('+20ms'), histree_time('+10ms'))"
# A text is no time, but a number in a text is one.
try histree sql store "SELECT * FROM time_use('+10ms', '+20ms')"
try histree sql store "SELECT * FROM states_in('CPUs/*', 'now', 5)"
try histree sql store "SELECT * FROM cpu_usage('+10ms', 5)"
try histree sql store "SELECT count(*) FROM state_at('CPUs/*/Current_thread', CAST(histree_time('+10ms') AS TEXT))"
# Each history of a store by its schema; one that is a file alone.
histree build -q -a kernel,kernel-2016 -o two "$DATA/demo-trace"
try histree sql two "SELECT (SELECT count(*) FROM kernel.states) = (SELECT count(*) FROM states) AS kernel, (SELECT count(*) FROM kernel_2016.states) = (SELECT count(*) FROM states_kernel_2016) AS other, (SELECT sum(ns) FROM kernel_2016.time_in_state('CPUs/*', 0, 9000000000000000000)) AS ns"
try histree sql two "SELECT histree_attach('two', 'b', 'kernel-2016'); SELECT count(*) = (SELECT count(*) FROM kernel_2016.states) AS same FROM b.states"
try histree sql two/kernel.sht "SELECT name FROM analyses; SELECT count(*) = (SELECT value FROM info WHERE name = 'events') FROM states"
# Statements from standard input, in temporary tables of their own, and a second store beside the first.
cp -r store other
try histree sql store - <<'END'
CREATE TEMP TABLE mine AS SELECT * FROM attributes WHERE depth = 1;
SELECT path FROM mine ORDER BY 1;
SELECT histree_attach('other', 'b');
SELECT (SELECT count(*) FROM states) = (SELECT count(*) FROM b.states) AS equal;
END
# A store that is damaged: rows of type unknown, a sentence, and exit status 3.
python3 - <<'END'
import pathlib
file = pathlib.Path("other/kernel.sht")
data = bytearray(file.read_bytes())
data[5000] ^= 0xff
file.write_bytes(data)
END
histree sql other "SELECT type, count(*) > 0 AS some FROM states WHERE type = 'unknown' GROUP BY 1" 2>&1 | cut -c1-70
echo "exit status ${PIPESTATUS[0]}"
# Tables that another build would have.
try histree sql "$STORE" "SELECT count(*) FROM system_calls"
try histree sql "$STORE" "SELECT count(*) FROM system_calls_"
# Of several hosts: the table of them, and which are missing.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$(realpath "$DATA/../support")" python3 - <<'END'
import pathlib
import two_hosts
two_hosts.write(pathlib.Path("."), two_hosts.rounds(7, 20), lambda time: time + 3_000_000)
END
histree build -q -f -a kernel -o both --host-dir a=a --host-dir b=b
try histree sql both "SELECT name, folder, start, end, events, clock, round(offset / 1e6) AS ms, error < 1e6 AS bounded, neighbour, missing FROM hosts" --format csv
try histree sql store "SELECT count(*) FROM hosts"
histree info both --format json | python3 -c '
import json, sys
for host in json.load(sys.stdin)[0]["hosts"]:
    clock = host["clock"]
    print(host["name"], host["folder"], host["traces"], host["event_count"], host["start"], host["end"], clock["quality"], clock["by"], round(clock["offset"] / 1e6), host["missing"])'
rm -r both/hosts/b
histree info both --format json 2>/dev/null | grep -o '"missing":"[^:]*'
try histree sql both "SELECT name FROM hosts WHERE missing IS NOT NULL"
try histree sql both "SELECT host, count(*) AS states FROM states GROUP BY 1"
try histree sql both "SELECT count(*) > 0 AS some FROM states WHERE host = 'a'"
# What a pixel shows, and what else, is said in words, as of every state.
histree sql "$STORE" "SELECT count(*) FROM rows('CPUs/*', histree_time('+0'), histree_time('+32ms'), 50) AS r
	WHERE r.label IS NOT (SELECT label FROM states AS s WHERE s.quark = r.quark AND s.type = 'int' AND s.value = r.value LIMIT 1)
	OR r.other_label IS NOT (SELECT label FROM states AS s WHERE s.quark = r.quark AND s.type = 'int' AND s.value = r.other LIMIT 1)" --format tsv
histree sql "$STORE" "SELECT path, label, other_label FROM rows('CPUs/*', histree_time('+10ms'), histree_time('+20ms'), 2)" --format tsv
