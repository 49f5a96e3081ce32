# A thread is named in one way wherever one is asked for: its number, its name, a pattern, its process, the path of its
# states, or several of these with commas.
histree build -q -o store "$DATA/demo-trace" -a kernel,graph,system-calls,cpu-usage

# where one is asked for, the one of several that ran longest is meant, and that is said
try histree why store burn --table causes --format tsv
try histree why store 'bur*' --table causes --columns cause --limit 1
try histree why store 14753:14764 --table causes --columns cause --limit 1
try histree why store brun
try histree why --table totals --rules trace-compass store Threads/14753 -n 2
cmp <(histree why store 14753 2>&1) <(histree why store Threads/14753 2>&1) && echo "the number is the path"

# elsewhere all of them are
try histree states store --at +15ms burn --columns path,value -n 2
try histree states store --at +15ms 14764,14753
try histree states store --at +15ms 'burn:14764' Threads/14753 --columns path
try histree states store --at +15ms nobody
try histree states store --at +15ms 14753,nobody
histree info --attributes store burn | wc -l
histree info --attributes store 'burn:' | wc -l
try histree states --numbers store -a cpu-usage burn --columns path,max -n 2
try histree export store -o - --format csv 14753,14764 --columns path,value --at +15ms
histree draw store 14764,Threads/14753 -o a.svg
histree draw store Threads/14753 Threads/14764 -o b.svg
cmp a.svg b.svg && echo "the pictures are the same"
try histree flame store --waits burn -n 3

# an option says it where words are no patterns
try histree top store --thread burn -n 2
try histree top store --thread 14764,14753 --columns thread,name
try histree top store --thread 'burn:' --columns thread,name -n 2
try histree top store --thread burn --where 'cpu == 1' --columns thread,name -n 2
try histree segments store system-calls --thread burn --columns name,tid -n 2
try histree segments store system-calls --thread burn --where 'name == futex' --columns name,tid -n 1
try histree segments --by name store system-calls --thread 14753 --columns value,count
try histree events store --thread burn --columns cpu,type -n 3
try histree events store --thread nobody
try histree export store --thread 14753 -o - --format csv --columns path --at +15ms
try histree export store --thread burn --events -o - --format csv
try histree export store --thread burn 14753 -o - --format csv

# each event of a thread is on its CPU while it ran, and there are no others
histree events store --thread 14753 --format tsv | sed 1d | cut -f 1 > said
histree states store --from +0ns --to +32.7873ms 'CPUs/*/Current_thread' --format tsv | sed 1d |
	awk -F '\t' '$5 == 14753 { split($1, at, "/"); print at[2], $2, $3 }' > runs
histree events store --format tsv | sed 1d | python3 -c "
import sys
runs = [tuple(map(int, line.split())) for line in open('runs')]
for line in sys.stdin:
    number, time, host, cpu, name, _ = (line.split('\t') + [''])[:6] if line.count('\t') > 4 else (lambda c: (c[0], c[1], '', c[2], c[3], ''))(line.split('\t'))
    last = 1 if name.endswith('sched_switch') else 0
    if any(int(cpu) == at and start <= int(time) <= end + last for at, start, end in runs):
        print(number)" > expected
cmp said expected && test -s said && echo "the events are those of its runs"

# the number of a process is compared whole: this one has the lower half of 7
cat >spans.json <<'END'
[{"ph":"M","name":"process_name","pid":7,"args":{"name":"small"}},
{"ph":"M","name":"thread_name","pid":7,"tid":1,"args":{"name":"worker"}},
{"ph":"X","name":"inside","pid":7,"tid":1,"ts":1,"dur":5},
{"ph":"X","name":"elsewhere","pid":4294967303,"tid":1,"ts":2,"dur":5}]
END
histree build -q -o spans spans.json
histree segments spans track-spans --thread 7:1 --columns name,pid,tid --format csv

# whoever looks for a field that says the thread learns of the option
try histree events store --where 'thread == 14753' -n 1 --columns number,type
try histree segments store system-calls --where 'thread == 14753' -n 1 --columns name,tid
