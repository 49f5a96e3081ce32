# What `build TRACE` makes answers every question; `-a` chooses from it; what the trace lacks is said once.
histree build -o all "$DATA/demo-trace" 2>&1 | grep -c "warning: .*no "
histree build -o all -f "$DATA/demo-trace" 2>&1 | grep "no events for"
answers() {
	"$@" >out 2>&1 && [ -s out ] && echo "answered: $*" || { echo "no answer: $*"; cat out; }
}
answers histree why all 14753
answers histree why --table steps --rules trace-compass all 14753
answers histree segments all system-calls
answers histree segments --by name all futex
answers histree flame all --waits
answers histree compare -a wakeups all all
answers histree top all --more switches
answers histree states all -a io --growth 'Threads/*/*'
answers histree sql all 'SELECT count(*) FROM preemptions'
answers histree states all --at +12ms CPUs
for choice in kernel all,-futex all,-graph,-futex,kernel-compact; do
	histree build -q -a "$choice" -o chosen -f "$DATA/demo-trace"
	echo "$choice:" $(cd chosen && ls *.sht *.seg 2>/dev/null)
done
try histree build -a -futex -o no "$DATA/demo-trace"
try histree build -a all,-futix -o no "$DATA/demo-trace"
# What was named is kept although the trace has nothing of it, and says so itself.
try histree build -q -a all,block-io -o chosen -f "$DATA/demo-trace"
histree info chosen | grep -c "block-io: the trace has no"
try histree segments all block-io
try histree segments all samples
