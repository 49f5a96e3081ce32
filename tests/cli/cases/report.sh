# One page about a store, as text and as HTML.
histree build -q -a kernel,system-calls,softirqs -o store "$DATA/demo-trace"
histree report store --limit 3
histree report store --limit 1 --from +10ms --to +12ms | head -12
histree report "$STORE" --limit 1 | tail -4
histree report store --html page.html
echo "pictures: $(grep -c '<img alt="[a-zA-Z]*" src="data:image/svg+xml,' page.html) tables: $(grep -c '<table>' page.html)"
grep -c 'http' page.html
ls page.html*
histree report store --html - | cmp - page.html
ls ./- 2>/dev/null
cp -r "$DATA/demo-trace" copy
histree build -q -a kernel -o two.histree --clock none --host-dir 'a<b>=copy' --host-dir "c=$DATA/demo-trace" 2>&1 | grep -v warning
histree report two.histree --limit 1 | head -14
histree report two.histree --html two.html
grep -c '<td>a<b>' two.html
grep -c '<td>a&lt;b&gt;' two.html
try histree report
try histree report nothing.histree
try histree report store/kernel.sht
try histree report store --from +1h
try histree report store --html none/page.html
ls none 2>/dev/null
# Of the functions of a program, the page says at least what adds up their calls, and what it could say.
histree build -q -o calls.histree "$DATA/ctf-calls"
histree report calls.histree
histree build -q -a ust-calls,function-calls -o both.histree "$DATA/ctf-calls"
histree report both.histree | tail -n 4
# A trace without system calls is not one of threads that made none.
printf '  a-1 [000] .... %s: sched_switch: prev_comm=a prev_pid=1 prev_prio=2 prev_state=S ==> next_comm=b next_pid=2 next_prio=2\n' \
	1.000000001 1.000000005 >switches.txt
histree build -q -o switches switches.txt
histree report switches | grep CPU | head -n 1
histree report switches --from +1 | grep CPU | head -n 1
# Commands can be pasted: blanks in names, and all traces of a store.
cp -r "$DATA/demo-trace" 'a trace'
histree build -q -a kernel,graph -o "it's mine" 'a trace'
histree report "it's mine" --limit 1 | grep -m 2 '^  \$ histree'
histree why "it's mine" 14753 --limit 1 | grep '^  \$ histree' | head -n 1
histree build -q -o both.histree -f 'a trace' "$DATA/ctf-calls" 2>&1 | grep -v warning
histree report both.histree | tail -n 1
