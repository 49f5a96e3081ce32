# Statistics of spans say that some were open at the end of the trace, and so were longer than it is known.
echo '[{"ph":"B","pid":5,"tid":6,"ts":0,"name":"lease"},{"ph":"X","pid":5,"tid":6,"ts":4,"dur":2,"name":"visit"},{"ph":"i","pid":5,"tid":6,"ts":9,"name":"bell"}]' >spans.json
histree build -q spans.json -o store
try histree segments --by name store track-spans --format tsv
try histree segments store track-spans --where 'ending == open' --by ending --format tsv
histree report store | grep -i 'open at'
