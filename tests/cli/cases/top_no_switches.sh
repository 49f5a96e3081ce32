# A trace without switches says which events to record, wherever the time of threads is asked for; one of markers alone is
# no trace of the kernel.
put() {
	printf '%16s [%03d] d..3 %11s: %s\n' "$@"
}
{
	echo '# tracer: nop'
	put lamp-31 1 50.000000 'sched_waking: comm=oven pid=52 prio=120 target_cpu=001'
	put lamp-31 1 50.020000 'sched_waking: comm=sink pid=53 prio=120 target_cpu=001'
	put lamp-31 1 50.050000 'sched_waking: comm=oven pid=52 prio=120 target_cpu=001'
} > wakings.txt
histree build -a kernel,graph wakings.txt 2>/dev/null
try histree top wakings.txt.histree
try histree why wakings.txt.histree 52
try histree flame --waits wakings.txt.histree
{
	echo '# tracer: nop'
	put lamp-31 1 50.000000 'tracing_mark_write: B|30|boil'
	put lamp-31 1 50.004000 'tracing_mark_write: E|30'
} > markers.txt
histree build markers.txt 2>&1 | grep -c warning
try histree top markers.txt.histree
histree build -a kernel markers.txt -o named.histree 2>&1 | grep warning
try histree top named.histree
