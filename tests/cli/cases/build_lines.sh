# The text of a trace, as ftrace has it: what is lost and what is no event is said, and refused what is no trace.
cp "$DATA/lines-made/trace.txt" trace.txt
try histree build -q trace.txt -o store
histree info store | grep -E 'event count|lost|warning' | sed "s|$PWD/||"
histree events store | sed -n 2,5p
histree states store --at +1us 'Threads/41/*' --format tsv
histree copy --rebuild -q store
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
# ftrace leaves the groups out, and prints pointers without 0x, and an interface as "dev".
cat >groups.txt <<'EVENTS'
    bash-100 [000] d..2. 10.0000: sched_switch: prev_comm=bash prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=cat next_pid=101 next_prio=120
     cat-101 [000] ..... 10.0001: kmalloc: call_site=seq_open+0x2b/0x60 ptr=00000000a1b2c3d4 bytes_req=120 bytes_alloc=128 gfp_flags=GFP_KERNEL|__GFP_ZERO node=-1 accounted=false
     cat-101 [000] ..... 10.0002: kmem_cache_alloc: call_site=getname+0x2/0x3 ptr=0xffff888102030405 bytes_req=90 bytes_alloc=96 gfp_flags=GFP_KERNEL
     cat-101 [000] ..... 10.0003: mm_page_alloc: page=00000000deadbeef pfn=0x1234 order=1 migratetype=0 gfp_flags=GFP_KERNEL
     cat-101 [000] ..... 10.0004: net_dev_queue: dev=eth0 skbaddr=00000000c0ffee00 len=98
     cat-101 [000] ..... 10.0005: net_dev_xmit: dev=eth0 skbaddr=00000000c0ffee00 len=98 rc=0
     cat-101 [000] ..... 10.0006: kfree_skb: skbaddr=00000000c0ffee00 protocol=2048 location=tcp_v4_rcv+0x1/0x2 reason: NO_SOCKET
     cat-101 [000] ..... 10.0007: kfree: call_site=seq_release+0x10/0x20 ptr=00000000a1b2c3d4
     cat-101 [000] ..... 10.0008: block_bio_remap: 8,0 W 2000 + 8 <- (8,1) 1000
     cat-101 [000] ..... 10.0009: block_rq_issue: 8,0 WS 4096 () 1000 + 8 be,0,4 [cat]
  <idle>-0   [000] ..... 10.0010: block_rq_complete: 8,0 WS () 1000 + 8 [0]
EVENTS
try histree build -q -a kernel,network,kernel-memory,io -o groups groups.txt
histree events groups --format tsv | cut -f4,5
histree states groups -a kernel-memory --at +900us 'Threads/*/*' --format tsv
histree states groups -a network --at +900us 'Interfaces/*/*' --format tsv
# Kernels before 2.6.35 wrote tasks otherwise, and since 6.14 a thread that is renamed is not told; interrupts of vectors.
cat >kernels.txt <<'EVENTS'
          <idle>-0     [000]   100.000000: sched_switch: task swapper:0 [140] (R) ==> my app:101 [120]
          my app-101   [000]   100.002000: irq_handler_entry: irq=30 handler=eth0
          my app-101   [000]   100.002500: irq_handler_exit: irq=30 return=handled
          my app-101   [000]   100.003000: softirq_entry: softirq=1 action=TIMER
          my app-101   [000]   100.003100: softirq_exit: softirq=1 action=TIMER
          my app-101   [000]   100.004000: sched_wakeup: task w:102 [120] success=1 [000]
          my app-101   [000]   100.005000: task_rename: oldcomm=my app newcomm=GC worker oom_score_adj=0
       GC worker-101   [000]   100.006000: local_timer_entry: vector=236
       GC worker-101   [000]   100.006200: local_timer_exit: vector=236
       GC worker-101   [000]   100.010000: sched_switch: task GC worker:101 [120] (S) ==> w:102 [120]
               w-102   [000]   100.011000: sched_switch: task w:102 [120] (x) ==> swapper:0 [140]
EVENTS
histree build -q -a kernel,irqs,softirqs,wakeups -o kernels kernels.txt
histree top kernels --format tsv | cut -f2-6
histree states kernels 'Threads/101/Exec_name' --format tsv
histree segments kernels irqs --format tsv --columns start,duration,name
# A wakeup that found the thread awake is none; perf may have been told to leave the fields out.
cat >awake.txt <<'EVENTS'
          <idle>-0     [000]   100.000000: sched_switch: task swapper:0 [140] (R) ==> my app:101 [120]
          my app-101   [000]   100.010000: sched_switch: task my app:101 [120] (D) ==> w:102 [120]
               w-102   [000]   100.011000: sched_wakeup: task my app:101 [120] success=0 [000]
               w-102   [000]   100.015000: sched_wakeup: task my app:101 [120] success=1 [000]
               w-102   [000]   100.016000: sched_switch: task w:102 [120] (S) ==> my app:101 [120]
          my app-101   [000]   100.020000: sched_switch: task my app:101 [120] (S) ==> swapper:0 [140]
EVENTS
histree build -q -a kernel -o awake awake.txt
histree top awake --thread 101 --format tsv --columns user,waiting,blocked
printf 'app 77 [003] 921.%d: sched:sched_switch: \n' 700000 800000 >bare.txt
histree build -a kernel -o bare bare.txt 2>&1 | grep 'warning: bare'
# Each line of a report of several files says of which: those of the first are read.
cat >both.txt <<'EVENTS'
 trace.dat:          bash-101   [000]   100.000000: sched_switch:         swapper/0:0 [120] R ==> bash:101 [120]
 guest.dat:          bash-101   [000]   100.001000: sched_switch:         swapper/0:0 [120] R ==> bash:101 [120]
 trace.dat:          bash-101   [000]   100.005000: sched_switch:         bash:101 [120] S ==> swapper/0:0 [120]
 guest.dat:          bash-101   [000]   100.006000: sched_switch:         bash:101 [120] S ==> swapper/0:0 [120]
EVENTS
histree build -a kernel -o both both.txt 2>&1 | grep 'warning: both'
histree top both --format tsv | cut -f2-4
# A page of systrace may have what ps printed before the trace: whose threads are, and what they are called.
{
	printf '<html>\n<script>\n'
	seq -f 'var v%g;' 40
	printf '</script>\n<script class="trace-data" type="application/text">\nPROCESS DUMP\n'
	printf 'USER PID PPID VSZ RSS WCHAN ADDR S NAME COMM\nu0_a7 1234 500 1000000 50000 SyS_epoll_wait 0 S com.app com.app\n'
	seq -f 'root %g 2 0 0 worker_thread 0 S kworker/%g kworker/%g' 100 120
	printf 'USER PID TID CMD\nu0_a7 1234 1234 com.app\nu0_a7  1234  101 Binder:1234_1\n</script>\n'
	printf '<script class="trace-data" type="application/text">\n# tracer: nop\n'
	printf '  <idle>-0 [000] d..2 10.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> '
	printf 'next_comm=Binder:1234_1 next_pid=101 next_prio=120\n'
	printf '  Binder:1234_1-101 [000] d..2 10.005000: sched_switch: prev_comm=Binder:1234_1 prev_pid=101 prev_prio=120 prev_state=S ==> '
	printf 'next_comm=swapper/0 next_pid=0 next_prio=120\n</script>\n</html>\n'
} >systrace.html
histree build -a kernel -o systrace systrace.html 2>&1 | grep warning
histree top systrace --by process --format tsv | cut -f2-4
histree info systrace --attributes 'Threads/*' --format tsv
# Of states there may be several letters, with bars or without; what is no state is said.
cat >states.txt <<'EVENTS'
# tracer: nop
          <idle>-0     [000] d..2 100.000000: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=101 next_prio=120
             app-101   [000] d..2 100.010000: sched_switch: prev_comm=app prev_pid=101 prev_prio=120 prev_state=DK ==> next_comm=w next_pid=102 next_prio=120
               w-102   [000] d..2 100.011000: sched_switch: prev_comm=w prev_pid=102 prev_prio=120 prev_state=asleep ==> next_comm=app next_pid=101 next_prio=120
             app-101   [000] d..2 100.014000: sched_switch: prev_comm=app prev_pid=101 prev_prio=120 prev_state=R+ ==> next_comm=w next_pid=102 next_prio=120
EVENTS
histree build -a kernel -o letters states.txt 2>&1 | grep understood
histree top letters --format tsv | cut -f2-9
# The process stood behind the CPU in Linux 4.13.
sed 's/-101   \[000\]/&  (   99)/; s/=asleep/=S/' states.txt >behind.txt
try histree build -q -a kernel -o behind behind.txt
histree top behind --by process --format tsv | cut -f2-5
# Raw fields are understood (trace-cmd report -R), and chains of calls begin where the line does.
cat >raw.txt <<'EVENTS'
cpus=1
          <idle>-0     [000]   100.000000: sched_switch:          prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=0x0 next_comm=main next_pid=101 next_prio=120
            main-101   [000]   100.010000: sched_switch:          prev_comm=main prev_pid=101 prev_prio=120 prev_state=0x1 next_comm=swapper/0 next_pid=0 next_prio=120
            main-101   [000]   100.010001: kernel_stack:         <stack trace >
=> schedule (ffffffff81000000)
EVENTS
histree build -a kernel -o raw raw.txt 2>&1 | grep raw.txt:
histree top raw --format tsv | cut -f2-4
