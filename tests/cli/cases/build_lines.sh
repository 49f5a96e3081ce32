# The text of a trace, as ftrace has it: what is lost and what is no event is said, and refused what is no trace.
cp "$DATA/lines-made/trace.txt" trace.txt
try histree build -q trace.txt -o store
histree info store | grep -E 'event count|lost|warning' | sed "s|$PWD/||"
histree events store | sed -n 2,5p
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
# Text of Windows that is no UTF-8 is told from a text that is none.
printf '\377\376#\000 \000' >wide.txt
try histree build -q wide.txt -o none
# The format for latencies: the CPU stands before the flags.
cat >latency.txt <<'END'
cpus=1
   spin-31      0d....    50.000000: sched_switch:         swapper/0:0 [120] R ==> spin:31 [120]
   spin-31      0d....    50.003000: sched_switch:         spin:31 [120] S ==> swapper/0:0 [120]
END
try histree build -q latency.txt -o latency
histree top latency --format tsv | cut -f2-4
# Switches without CPUs, of which no idle thread tells one.
printf 'a 7 1.1: sched:sched_switch: a:7 [120] S ==> b:8 [120]\n' >no-cpu.txt
try histree build -q no-cpu.txt -o none
printf 'a 7 1.1: raw_syscalls:sys_enter: NR 0 (3, 7f, 10, 0, 0, 0)\n' >no-cpu.txt
try histree build -q no-cpu.txt -o none
