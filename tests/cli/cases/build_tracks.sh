# A trace in the Trace Event Format: spans as stacks and segments, counters, names, flows; cut, it says so.
cat >trace.json <<'END'
[
{"ph":"M","name":"process_name","pid":1,"args":{"name":"Browser"}},
{"ph":"M","name":"thread_name","pid":1,"tid":7,"args":{"name":"Main"}},
{"ph":"X","name":"inner","cat":"cc","pid":1,"tid":7,"ts":1000,"dur":20.5},
{"ph":"X","name":"outer","cat":"cc","pid":1,"tid":7,"ts":1000,"dur":50,"args":{"url":"http://x","line":[1,2.5]}},
{"ph":"b","name":"load","cat":"net","pid":1,"id":"0x1","ts":1010},
{"ph":"e","name":"load","cat":"net","pid":1,"id":"0x1","ts":"1040.25"},
{"ph":"C","name":"memory","pid":1,"ts":1020,"args":{"used":12,"free":3}},
{"ph":"s","name":"post","cat":"ipc","pid":1,"tid":7,"id":1,"ts":1015},
{"ph":"f","name":"post","cat":"ipc","pid":1,"tid":8,"id":1,"ts":1030,"bp":"e"},
{"ph":"B","name":"handle","pid":1,"tid":8,"ts":1030},
{"ph":"E","pid":1,"tid":8,"ts":1045},
{"ph":"O","name":"snapshot","pid":1,"ts":1046},
{"ph":"i","name":"tick","cat":"cc","pid":1,"tid":7,"ts":1046.5,"s":"t"},
{"ph":"E","pid":1,"tid":9,"ts":1047},
END
try histree build -q trace.json
try histree states --format tsv trace.json.histree
try histree segments --format tsv trace.json.histree track-spans
try histree segments --format tsv trace.json.histree track-flows
try histree segments --format tsv trace.json.histree track-instants
try histree segments --by name trace.json.histree track-spans
try histree events --format tsv trace.json.histree
try histree info trace.json.histree >info
grep -E 'without|warnings' info
head -c 700 trace.json >cut.json
try histree build -q cut.json
try histree states --format tsv --at +20us cut.json.histree 'Processes/**'
# Times may count from one that the file says before its events.
printf '{"baseTimeNanoseconds": 1700000000000000007, "traceEvents": %s]}' "$(cat trace.json)" >since.json
histree build -q since.json
histree segments --format tsv since.json.histree track-spans | cut -f 1,2 | tail -n +2 >since
cat since
# ... or behind them, as PyTorch does.
printf '{"traceEvents": %s], "baseTimeNanoseconds": 1700000000000000007}' "$(cat trace.json)" >late.json
histree build -q late.json
histree segments --format tsv late.json.histree track-spans | cut -f 1,2 | tail -n +2 | cmp - since
printf '{"traceEvents": %s], "baseTimeNanoseconds": 9223372036854775807, "baseTimeNanoseconds": 5, "baseTimeNanoseconds": 6}' "$(cat trace.json)" >far.json
histree build far.json 2>&1 | grep baseTime
# What had not ended when recording did has no duration; processes may use one id, or end what another one began.
cat >ids.json <<'END'
[{"ph":"X","pid":1,"tid":5,"ts":0,"name":"loop"},{"ph":"X","pid":1,"tid":6,"ts":7,"tdur":4,"name":"ran"},{"ph":"X","pid":1,"tid":5,"ts":4,"dur":2,"name":"task"},
{"ph":"b","pid":1,"tid":1,"ts":1,"id":7,"cat":"c","name":"req"},{"ph":"b","pid":2,"tid":1,"ts":2,"id":7,"cat":"c","name":"req"},
{"ph":"e","pid":1,"tid":1,"ts":4,"id":7,"cat":"c","name":"req"},{"ph":"b","pid":1,"tid":1,"ts":5,"id":7,"cat":"c","name":"req"},
{"ph":"e","pid":2,"tid":1,"ts":9,"id":7,"cat":"c","name":"req"},{"ph":"e","pid":1,"tid":1,"ts":10,"id":7,"cat":"c","name":"req"},
{"ph":"b","pid":1,"tid":1,"ts":11,"id":8,"cat":"c","name":"hand"},{"ph":"e","pid":2,"tid":1,"ts":12,"id":8,"cat":"c","name":"hand"}]
END
histree build ids.json 2>&1 | grep warning
histree segments --format tsv ids.json.histree track-spans | cut -f 1-4,6-9,13
# An end is that of its category, where several of its name are open; else that of its name.
cat >categories.json <<'END'
[{"ph":"B","pid":1,"tid":1,"ts":1,"name":"a","cat":"x"},{"ph":"B","pid":1,"tid":1,"ts":2,"name":"a","cat":"y"},
{"ph":"E","pid":1,"tid":1,"ts":3,"name":"a","cat":"x"},{"ph":"E","pid":1,"tid":1,"ts":4,"name":"a","cat":"z"}]
END
histree build -q categories.json
histree segments --format tsv categories.json.histree track-spans | cut -f 1-5,9
# A name that is cut, as those of templates are, is said: others may begin alike.
printf '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"%5000d"}]' 7 >long.json
histree build long.json 2>&1 | grep warning
# Names that begin alike stay apart however long they are; an id is the same number in all its spellings; null says nothing.
python3 - <<'EOF' >alike.json
import json
long = "n" * 6000
for time, rest in enumerate((dict(ph="B", name=long + "1"), dict(ph="B", name=long + "2"), dict(ph="E", name=long + "1"), dict(ph="E", name=long + "2"),
        dict(ph="b", cat="c", name="hex", id="0x10"), dict(ph="e", cat="c", name="hex", id=16), dict(ph="b", cat="c", name="big", id="0x00FFFFFFFFFF"),
        dict(ph="e", cat="c", name="big", id2={"global": "0xffffffffff"}), dict(ph="b", cat="c", name="open", id=long + "1"),
        dict(ph="e", cat="c", name="open", id=long + "2"), dict(ph="X", name="on", dur=None))):
    print(json.dumps({"ts": time, "pid": 1, "tid": 1, **rest}))
EOF
histree build -q alike.json
histree segments --format tsv --columns start,duration,track,ending,name alike.json.histree track-spans | sed -E 's/n{4000,}#/NNN#/'
printf '{"baseTimeNanoseconds": "x", "traceEvents": %s]}' "$(cat trace.json)" >no.json
histree build no.json 2>&1 | grep baseTime
printf '{"x": 1}' >other.json
try histree build -q other.json
# An end with a category and without a name is not that of a marker, which has none, though that is the innermost.
cat >categories.json <<'JSON'
[{"ph":"B","name":"task","cat":"c","pid":1,"tid":7,"ts":1000},{"ph":"B","name":"marker","pid":1,"tid":7,"ts":1002},
{"ph":"E","cat":"c","pid":1,"tid":7,"ts":1008},{"ph":"E","pid":1,"tid":7,"ts":1009},
{"ph":"B","name":"plain","pid":1,"tid":7,"ts":1010},{"ph":"B","name":"other","cat":"d","pid":1,"tid":7,"ts":1011},
{"ph":"E","cat":"c","pid":1,"tid":7,"ts":1012}]
JSON
histree build -q categories.json -o categories
histree segments categories track-spans --columns start,duration,name --format tsv
# What comes before the events may be larger than the first bytes of the file, and be called almost as they are.
{
	printf '\n {"a\\"b": {"traceEvents": [1]}, "traceEventsOf": [%s], "traceEvents"\n:' "$(seq -s, 30000)"
	cat categories.json
	printf '}'
} >behind.json
try histree build -q behind.json -o behind
histree segments behind track-spans --columns name --format tsv
printf '[null, {"ph":"X","name":"task","ts":1,"dur":2}]' >null.json
histree build null.json 2>&1 | grep warning
