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
{"ph":"E","pid":1,"tid":9,"ts":1047},
END
try histree build -q trace.json
try histree dump --format tsv trace.json.histree
try histree segments --format tsv trace.json.histree track-spans
try histree segments --format tsv trace.json.histree track-flows
try histree stats trace.json.histree track-spans
try histree events --format tsv trace.json.histree
try histree info trace.json.histree >info
grep -E 'without|warnings' info
head -c 700 trace.json >cut.json
try histree build -q cut.json
try histree query --format tsv --at +20us cut.json.histree 'Processes/**'
# Times may count from one that the file says before its events.
printf '{"baseTimeNanoseconds": 1700000000000000007, "traceEvents": %s]}' "$(cat trace.json)" >since.json
histree build -q since.json
histree segments --format tsv since.json.histree track-spans | cut -f 1,2 | tail -n +2 >since
cat since
printf '{"traceEvents": %s], "baseTimeNanoseconds": 5}' "$(cat trace.json)" >late.json
histree build late.json 2>&1 | grep baseTime
printf '{"baseTimeNanoseconds": "x", "traceEvents": %s]}' "$(cat trace.json)" >no.json
histree build no.json 2>&1 | grep baseTime
printf '{"x": 1}' >other.json
try histree build -q other.json
