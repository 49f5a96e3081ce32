# Verbs that became forms of others answer by their old names, and say so only to people.
same() {
	histree $1 >old 2>&1
	histree $2 2>&1 | cmp - old && echo "$1"
}
histree build -q -a kernel,system-calls,graph,switches -o store "$DATA/demo-trace"
same 'query store --at +1ms CPUs/*' 'states store --at +1ms CPUs/*'
same 'dump store -n 50' 'states store -n 50'
same 'numbers store Threads/*' 'states --numbers store Threads/*'
same 'numbers store -a switches --change Threads/*/*' 'states store -a switches --growth Threads/*/*'
same 'stats store system-calls' 'segments store system-calls --by name'
same 'stats store system-calls --by tid' 'segments store system-calls --by tid'
same 'stats store system-calls --of return' 'segments store system-calls --by name --of return'
same 'density store system-calls --by name' 'segments store system-calls --histogram --by name'
same 'join store system-calls Threads/* --by tid -n 9' 'segments --join store system-calls Threads/* --on tid -n 9'
same 'ls store' 'info --attributes store'
same 'ls store --charts' 'info --charts store'
same 'analyses' 'info --analyses'
same 'critical-path store 14753' 'why store 14753 --table steps --rules trace-compass'
same 'critical-path store 14753 --totals --rules own' 'why store 14753 --table totals'
same 'repair -f store' 'copy --repair -f store'
same 'rebuild -q store' 'copy --rebuild -q store'
same 'convert store' 'copy store'
# What does not go together.
try histree segments store system-calls --of return
try histree segments store system-calls --by name --sort duration
try histree segments store system-calls --join --histogram Threads/1
try histree states store --changes --at +1ms
try histree info store --define file
try histree info --analyses store
try histree copy store --symbols none
on_terminal() {
	python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$@" | tr -d '\r'
}
PAGER=cat on_terminal histree stats store system-calls -n 1 --columns value,count
PAGER=cat on_terminal histree segments store system-calls --by name --top 1 --columns value,count
PAGER=cat on_terminal histree why store 14753 --totals --columns tid,percent --limit 1
PAGER=cat on_terminal histree segments store system-calls --by name -n 1 --columns value,count
