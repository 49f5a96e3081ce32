# The options that all questions have in common mean the same in each verb, and old spellings are still understood.
histree build -q -o store "$DATA/demo-trace" -a kernel,system-calls

# same COMMAND... -- OLD...: both print the same
same()
{
	local new=() old=()
	while [[ $1 != -- ]]; do new+=("$1"); shift; done
	shift
	old=("$@")
	if cmp -s <("${new[@]}" 2>&1) <("${old[@]}" 2>&1) && "${new[@]}" > /dev/null 2>&1; then
		echo "the same: ${new[*]}"
	else
		echo "DIFFERENT: ${new[*]} -- ${old[*]}"
	fi
}

same histree events store --limit 3 -- histree events store --top 3
same histree events store -n 3 -- histree events store --rows 3
same histree top "$STORE" --limit 3 -- histree top "$STORE" --top 3
same histree report store --limit 2 -- histree report store --rows 2
same histree segments store -a system-calls --limit 3 -- histree segments store system-calls --top 3
same histree segments --by name store -a system-calls -- histree segments --by name store system-calls
same histree segments --histogram store -a system-calls --parts 4 -- histree segments --histogram store system-calls --time-buckets 4
same histree export store -a system-calls --format csv -- histree export store --segments system-calls --format csv
same histree compare store store -a system-calls --to +9ms --from-b +9ms -- \
	histree compare store store --segments system-calls --to +9ms --from-b +9ms
same histree states "$STORE" --from +1ms --to +9ms --parts 4 'CPUs/*/*' -- \
	histree states "$STORE" --from +1ms --to +9ms --pixels 4 'CPUs/*/*'
same histree states "$STORE" --from +1ms --to +9ms --times 4 'CPUs/*/*' -- \
	histree states "$STORE" --from +1ms --to +9ms --count 4 'CPUs/*/*'
same histree segments --join store system-calls 'Threads/*' --on tid --to +2ms -- \
	histree segments --join store system-calls 'Threads/*' --on tid --to +2ms
echo "select 1" > one.sql
same histree sql store --file one.sql -- histree sql store -f one.sql
same histree top "$STORE" --more longest -n 2 -- histree top "$STORE" --columns longest -n 2

# columns are chosen by name in every format, and rows are counted
try histree top "$STORE" --columns name,waiting --limit 2
try histree states "$STORE" --at +10ms 'CPUs/*/Current_thread' --columns path,value --format csv
try histree states "$STORE" --columns start,value --format json --limit 2
try histree segments store -a system-calls --columns name,duration --format tsv -n 2
try histree info --attributes "$STORE" --columns path -n 2
try histree top "$STORE" --columns nothing
try histree top "$STORE" --by cpu --columns cpu,idle,thread

# amounts come from the greatest on, times and texts from the first on, in every verb
try histree top "$STORE" --sort system --columns name,system -n 2
try histree top "$STORE" --sort +system --columns name,system --where 'thread > 14700 && name == perf' -n 2
try histree segments store system-calls --sort duration --columns name,duration -n 2
try histree segments store system-calls --sort +duration --columns name,duration -n 2
try histree segments store system-calls --sort name --columns name -n 1
try histree segments store system-calls --sort -name --columns name -n 1
try histree segments store system-calls --reverse --columns start,name -n 1

# one time is a range of itself
try histree segments store system-calls --at +10ms --columns name,tid
try histree events store --at +10ms
try histree segments store system-calls --at +10ms --from +1ms

# what is not there is said
try histree segments store
try histree segments store system-calls -a kernel
try histree segments store -a kernel
