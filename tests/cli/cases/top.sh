# How long threads ran, waited and were blocked: by what is asked for, in any range; and what is refused.
histree top "$STORE" --limit 4
histree top "$STORE" --by cpu --from +10ms --to +20ms
histree top "$STORE" --by state --format tsv
histree top "$STORE" --by had-by,thread --where 'state == waiting && name == burn' --limit 3
histree top "$STORE" --by system-call --where 'state == blocked' --format csv | head -n 3
histree top "$STORE" --by process,name --limit 2 --format json
try histree top "$STORE" --where 'thread == 1 && thread == 2'
try histree top "$STORE" --by colour
try histree top "$STORE" --by thread,
try histree top "$STORE" --where 'colour == 3'
try histree top "$STORE" --from +20ms --to +10ms
histree build -q -a graph -o graph.histree "$DATA/demo-trace"
try histree top graph.histree -a graph
# Thread 14753 of one host is not that of another.
mkdir b
cp -r "$DATA/demo-trace" b/trace
chmod -R u+w b
histree build -q --clock none -a kernel,graph -o hosts.histree --host-dir a="$DATA/demo-trace" --host-dir b=b/trace 2>/dev/null
histree top hosts.histree --limit 2
histree top hosts.histree --by state --where 'host == b && state == system'
histree why --table steps --rules trace-compass hosts.histree b/14752 | head -n 3
try histree why --table steps --rules trace-compass hosts.histree 14752
try histree why --table steps --rules trace-compass hosts.histree c/14752
# More columns: exact counts of switches need their history, and threads; the longest waits do not.
try histree top "$STORE" --more longest --limit 3
try histree top "$STORE" --more switches
try histree top "$STORE" --more longest,switches --by cpu
try histree top "$STORE" --columns shortest
histree build -q -a kernel,switches -o switches.histree "$DATA/demo-trace"
try histree top switches.histree --more switches,longest --limit 3 --format tsv
try histree top switches.histree --more switches --from +10ms --to +20ms --limit 3 --format json
histree states switches.histree -a switches 'Threads/*/*voluntary' --growth --from +10ms --to +20ms --format tsv 2>/dev/null | head -n 5
histree top switches.histree --by state --more longest --format csv
# Keys are understood as expressions and columns have them.
histree top "$STORE" --by system_call,had_by --limit 2 --format tsv
try histree top "$STORE" --by system_cal
# Every verb that prints the first rows only takes -n.
histree build -q -a kernel,graph,system-calls -o more.histree "$DATA/demo-trace"
lines() { echo "$(histree "$@" 2>&1 | wc -l) $1"; }
lines top more.histree -n 2
lines compare more.histree more.histree -n 2
lines events more.histree -n 2
lines segments more.histree system-calls -n 2
lines stats more.histree system-calls -n 2
lines query more.histree --from +0 --to +1ms --changes -n 2 '**'
lines why more.histree 14753 --table waits -n 2
lines report more.histree -n 2
# Rows in another order: what waited longest first, and what is not there to sort by.
histree top "$STORE" --sort waiting -n 3 --format csv | cut -d, -f2,7
histree top "$STORE" --more longest --sort longest_block -n 2 --format csv | cut -d, -f2,14
histree top switches.histree --more switches --sort involuntary -n 2 --format csv | cut -d, -f2,13
try histree top "$STORE" --sort longest_wait
try histree top "$STORE" --sort voluntary --more longest
try histree top "$STORE" --sort running
# A call that makes a thread counts for both that return from it, once for each.
histree top "$STORE" --by system-call --where 'system_call == "clone3"' --format json | grep -o '"count":[0-9]*'
histree top "$STORE" --by thread,system-call --where 'system_call == "clone3"' --format json | grep -o '"count":[0-9]*' | sort | uniq -c
