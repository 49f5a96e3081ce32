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
