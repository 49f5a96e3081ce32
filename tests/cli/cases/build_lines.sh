# The text of a trace, as ftrace has it: what is lost and what is no event is said, and refused what is no trace.
cp "$DATA/lines-made/trace.txt" trace.txt
try histree build -q trace.txt -o store
histree info store | grep -E 'event count|lost|warning' | sed "s|$PWD/||"
histree events store | sed -n 1,4p
histree query store --at +1us 'Threads/41/*' --format tsv
histree rebuild -q store
histree info store | grep 'event count'
gzip trace.txt
try histree build -q trace.txt.gz -o packed
histree info packed | grep 'event count'
sed -n '/^#/p' "$DATA/lines-made/trace.txt" >trace.txt
try histree build -q trace.txt -o none
sed 's/nop/function_graph/' trace.txt >graph.txt
try histree build -q graph.txt -o none
printf '  a-1 [000] .... 123456789: sched_waking: comm=a pid=1 prio=2 target_cpu=000\n' >counts.txt
try histree build -q counts.txt -o none
[ ! -e none ]
