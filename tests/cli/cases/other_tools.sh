# Each command of docs/tools.md answers something, of a trace that has the events of all of them; what segments say is compared.
cat >trace.txt <<'END'
# tracer: nop
     app-7       [000] d..2.   10.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=7 next_prio=120
      vm-8       [001] d..2.   10.000000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=vm next_pid=8 next_prio=120
     app-7       [000] .....   10.000001: sys_openat(dfd: ffffff9c, filename: 55d0, flags: 0, mode: 0)
     app-7       [000] .....   10.000003: ext4_da_write_begin: dev 8,1 ino 131 pos 0 len 10
     app-7       [000] .....   10.000004: ext4_da_write_end: dev 8,1 ino 131 pos 0 len 10 copied 10
     app-7       [000] .....   10.000005: mm_filemap_add_to_page_cache: dev 8:1 ino 83 pfn=0x1 ofs=0 order=0
     app-7       [000] .....   10.000009: sys_openat -> 0x3
     app-7       [000] .....   10.000010: mm_vmscan_direct_reclaim_begin: order=2 gfp_flags=GFP_KERNEL
     app-7       [000] .....   10.000030: mm_vmscan_direct_reclaim_end: nr_reclaimed=64
     app-7       [000] .....   10.000031: contention_begin: 0xffff888000001000 (flags=MUTEX)
     app-7       [000] .....   10.000035: contention_end: 0xffff888000001000 (ret=0)
     app-7       [000] d....   10.000050: hrtimer_start: hrtimer=00000000aaaa function=hrtimer_wakeup expires=10000070000 softexpires=10000070000 mode=ABS
     app-7       [000] d.h..   10.000052: irq_handler_entry: irq=19 name=ahci
     app-7       [000] d.h..   10.000054: irq_handler_exit: irq=19 ret=handled
     app-7       [000] d.h..   10.000055: softirq_raise: vec=3 [action=NET_RX]
     app-7       [000] ..s..   10.000057: softirq_entry: vec=3 [action=NET_RX]
     app-7       [000] ..s..   10.000059: softirq_exit: vec=3 [action=NET_RX]
     app-7       [000] d.h..   10.000075: hrtimer_expire_entry: hrtimer=00000000aaaa function=hrtimer_wakeup now=10000074500
     app-7       [000] d.h..   10.000076: hrtimer_expire_exit: hrtimer=00000000aaaa
     app-7       [000] d....   10.000080: signal_generate: sig=15 errno=0 code=0 comm=vm pid=8 grp=1 res=0
      vm-8       [001] d....   10.000092: signal_deliver: sig=15 errno=0 code=0 sa_handler=1 sa_flags=2
      vm-8       [001] d....   10.000093: kvm_entry: vcpu 3, rip 0x1234
      vm-8       [001] d....   10.000097: kvm_exit: reason HLT rip 0x1234 info 0 0
     app-7       [000] .....   10.000100: inet_sock_set_state: family=AF_INET protocol=IPPROTO_TCP sport=4000 dport=80 saddr=10.0.0.1 daddr=10.0.0.2 skaddr=00000000bbbb oldstate=TCP_CLOSE newstate=TCP_SYN_SENT
     app-7       [000] ..s..   10.000140: inet_sock_set_state: family=AF_INET protocol=IPPROTO_TCP sport=4000 dport=80 saddr=10.0.0.1 daddr=10.0.0.2 skaddr=00000000bbbb oldstate=TCP_SYN_SENT newstate=TCP_ESTABLISHED
     app-7       [000] .....   10.000150: net_dev_queue: dev=eth0 skbaddr=0xffff888000004000 len=66
     app-7       [000] .....   10.000152: net_dev_xmit: dev=eth0 skbaddr=0xffff888000004000 len=66 rc=0
     app-7       [000] .....   10.000190: inet_sock_set_state: family=AF_INET protocol=IPPROTO_TCP sport=4000 dport=80 saddr=10.0.0.1 daddr=10.0.0.2 skaddr=00000000bbbb oldstate=TCP_ESTABLISHED newstate=TCP_CLOSE
     app-7       [000] d....   10.000210: page_fault_user: address=0x10 ip=0x20 error_code=0x4
     app-7       [000] .....   10.000220: thermal_temperature: thermal_zone=x86_pkg_temp id=0 temp_prev=40000 temp=41000
     app-7       [000] .....   10.000225: cpu_frequency: state=2400000 cpu_id=0
     app-7       [000] .....   10.000230: mm_page_alloc: page=0xffffea0000001000 pfn=0x40 order=0 migratetype=0 gfp_flags=GFP_KERNEL
     app-7       [000] .....   10.000240: cgroup_attach_task: dst_root=0 dst_id=1 dst_level=2 dst_path=/docker/web pid=8 comm=vm
     app-7       [000] .....   10.000245: workqueue_queue_work: work struct=0xffff888000002000 function=flush workqueue=events req_cpu=0 cpu=0
     app-7       [000] .....   10.000250: workqueue_execute_start: work struct 0xffff888000002000: function flush
     app-7       [000] .....   10.000255: workqueue_execute_end: work struct 0xffff888000002000: function flush
     app-7       [000] .....   10.000270: rcu_grace_period: rcu_sched 100 start
     app-7       [000] .....   10.000290: rcu_grace_period: rcu_sched 100 end
     app-7       [000] .....   10.000291: csd_queue_cpu: cpu=1 callsite=smp_call func=flush_tlb csd=00000000cccc
      vm-8       [001] d.h..   10.000293: csd_function_entry: func=flush_tlb, csd=00000000cccc
      vm-8       [001] d.h..   10.000295: csd_function_exit: func=flush_tlb, csd=00000000cccc
     app-7       [000] .....   10.000300: block_rq_insert: 8,0 R 4096 () 1000 + 8 [app]
     app-7       [000] .....   10.000301: block_rq_issue: 8,0 R 4096 () 1000 + 8 [app]
     app-7       [000] d.h..   10.000350: block_rq_complete: 8,0 R () 1000 + 8 [0]
     app-7       [000] .....   10.000355: sys_futex(uaddr: 5000, op: 80, val: 1, utime: 0, uaddr2: 0, val3: 0)
     app-7       [000] d..2.   10.000360: sched_switch: prev_comm=app prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
  <idle>-0       [000] .....   10.000361: cpu_idle: state=1 cpu_id=0
      vm-8       [001] d..2.   10.000400: sched_waking: comm=app pid=7 prio=120 target_cpu=000
      vm-8       [001] d..2.   10.000401: sched_wakeup: comm=app pid=7 prio=120 target_cpu=000
      vm-8       [001] d..2.   10.000402: sched_migrate_task: comm=app pid=7 prio=120 orig_cpu=0 dest_cpu=1
  <idle>-0       [000] .....   10.000403: cpu_idle: state=4294967295 cpu_id=0
      vm-8       [001] d..2.   10.000410: sched_switch: prev_comm=vm prev_pid=8 prev_prio=120 prev_state=R+ ==> next_comm=app next_pid=7 next_prio=120
     app-7       [001] .....   10.000411: sys_futex -> 0x0
     app-7       [001] .....   10.000420: sched_process_exec: filename=/bin/ls pid=7 old_pid=7
     app-7       [001] d..2.   10.000500: sched_switch: prev_comm=ls prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=vm next_pid=8 next_prio=120
      vm-8       [001] d..2.   10.000600: sched_waking: comm=ls pid=7 prio=120 target_cpu=001
      vm-8       [001] d..2.   10.000610: sched_switch: prev_comm=vm prev_pid=8 prev_prio=120 prev_state=R ==> next_comm=ls next_pid=7 next_prio=120
      ls-7       [001] d..2.   10.000900: sched_switch: prev_comm=ls prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=vm next_pid=8 next_prio=120
END
histree build -q -o store.histree trace.txt
sed 's/`/\n/g' "$DATA/../../docs/tools.md" | grep '^histree ' | while read -r command; do
	eval "${command//STORE/store.histree}" >out 2>err </dev/null
	status=$?
	grep -q "built without" err && continue
	[ $status -eq 0 ] || { echo "$status: $command"; cat err; }
	[ -s out ] || [[ $command == *" add "* || $command == *" draw "* ]] || echo "nothing: $command"
	[[ $command != *" segments "* ]] || { echo "$ $command"; sed 's/ *$//' out; }
done
