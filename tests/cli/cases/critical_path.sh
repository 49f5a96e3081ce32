# What a thread waited for, step by step and added up; and what is no thread, or no graph.
histree build -q -a graph,kernel -o store "$DATA/demo-trace"
thread=14752
histree critical-path store "$thread" | head -n 9
histree critical-path store "$thread" --format tsv | tail -n 1
histree critical-path store "$thread" --totals | head -n 4
histree critical-path store "$thread" --format json | python3 -c '
import json, sys
steps = json.load(sys.stdin)
print(all(step["start"] <= step["end"] for step in steps), {step["kind"] for step in steps} <= {"state", "arrow"})'
try histree critical-path store 99999999
try histree critical-path store me
try histree critical-path store -- -1
try histree critical-path store "$thread" -a kernel
try histree critical-path store "$thread" --from +1s --to +2ms
try histree critical-path "$STORE" 1
