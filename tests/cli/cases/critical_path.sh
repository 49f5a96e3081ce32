# What a thread waited for, step by step and added up; and what is no thread, or no graph.
histree build -q -a graph,kernel -o store "$DATA/demo-trace"
thread=14752
histree why --table steps --rules trace-compass store "$thread" | head -n 9
histree why --table steps --rules trace-compass store "$thread" --format tsv | tail -n 1
histree why --table totals --rules trace-compass store "$thread" | head -n 4
histree why store "$thread" --table steps -n 5
histree why store "$thread" --table totals -n 3
histree why --table steps --rules trace-compass store "$thread" --format json | python3 -c '
import json, sys
steps = json.load(sys.stdin)
print(all(step["start"] <= step["end"] for step in steps), {step["kind"] for step in steps} <= {"state", "arrow"})'
try histree why --table steps --rules trace-compass store 99999999
try histree why --table steps --rules trace-compass store me
try histree why --table steps --rules trace-compass store -- -1
try histree why --table steps --rules trace-compass store "$thread" -a kernel
try histree why --table steps --rules trace-compass store "$thread" --from +1s --to +2ms
try histree why --table steps --rules trace-compass "$STORE" 1
