# Why a thread took so long, for people and for scripts; and what is no thread, or no graph.
histree build -q -a graph,kernel -o store "$DATA/demo-trace"
thread=14752
histree why store "$thread" --limit 4
histree why store 14753 --limit 2 --from +10ms --to +20ms
histree why store 14753 --limit 2 --from +10ms --to +20ms --rules trace-compass
histree why store "$thread" --format tsv
histree why store "$thread" --format csv --table threads --limit 2
histree why store "$thread" --table waits --limit 1
histree why store "$thread" --format json --table waits --limit 3 | python3 -c '
import json, sys
waits = json.load(sys.stdin)
print(len(waits), all(wait["duration"] > 0 for wait in waits), sorted(waits[0]))'
histree why --table steps store "$thread" --from +10ms --to +20ms --format json | python3 -c '
import json, sys
steps = json.load(sys.stdin)
print(all(one["end"] == other["start"] for one, other in zip(steps, steps[1:])), steps[-1]["end"] - steps[0]["start"])'
histree why store "$thread" -o why.svg && head -c 5 why.svg && echo
try histree why --table steps store "$thread" --rules mine
try histree why store 99999999
try histree why store me
try histree why store "$thread" -a kernel
try histree why store "$thread" --from +1h
try histree why store "$thread" --table everything
try histree why "$STORE" 1
try histree why store
# Percent are numbers, for people with a digit behind the point.
histree why store "$thread" --format json | python3 -c '
import json, sys
print(all(isinstance(row["percent"], (int, float)) for row in json.load(sys.stdin)))'
histree why --table totals --rules trace-compass store "$thread" | awk 'NR > 1 && $NF !~ /\.[0-9]$/ { print "no digit:", $0 }' | head -n 3
