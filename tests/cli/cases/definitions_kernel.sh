# What the kernel does beside its states, on events made by hand: analyses in C, and the definitions of docs/analyses.
cat >trace.txt <<'END'
# tracer: nop
#
     app-7       [000] d..2.   10.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=7 next_prio=120
     app-7       [000] .....   10.000010: mm_vmscan_direct_reclaim_begin: order=2 gfp_flags=GFP_KERNEL
 kswapd0-50      [001] .....   10.000012: mm_vmscan_kswapd_wake: nid=0 order=1
     app-7       [000] .....   10.000015: mm_compaction_begin: zone_start=0x1 migrate_pfn=0x2 free_pfn=0x3 zone_end=0x4 mode=sync
     app-7       [000] .....   10.000019: mm_compaction_end: zone_start=0x1 migrate_pfn=0x2 free_pfn=0x3 zone_end=0x4 mode=sync status=success
     app-7       [000] .....   10.000030: mm_vmscan_direct_reclaim_end: nr_reclaimed=64
 kswapd0-50      [001] .....   10.000042: mm_vmscan_kswapd_sleep: nid=0
     app-7       [000] d....   10.000050: hrtimer_start: hrtimer=00000000aaaa function=hrtimer_wakeup expires=10000070000 softexpires=10000070000 mode=ABS
  <idle>-0       [000] d.h..   10.000075: hrtimer_expire_entry: hrtimer=00000000aaaa function=hrtimer_wakeup now=10000074500
     app-7       [000] d....   10.000080: signal_generate: sig=15 errno=0 code=0 comm=db pid=9 grp=1 res=0
      db-9       [001] d....   10.000092: signal_deliver: sig=15 errno=0 code=0 sa_handler=1 sa_flags=2
     app-7       [000] .....   10.000100: inet_sock_set_state: family=AF_INET protocol=IPPROTO_TCP sport=4000 dport=80 saddr=10.0.0.1 daddr=10.0.0.2 skaddr=00000000bbbb oldstate=TCP_CLOSE newstate=TCP_SYN_SENT
  <idle>-0       [000] ..s..   10.000140: inet_sock_set_state: family=AF_INET protocol=IPPROTO_TCP sport=4000 dport=80 saddr=10.0.0.1 daddr=10.0.0.2 skaddr=00000000bbbb oldstate=TCP_SYN_SENT newstate=TCP_ESTABLISHED
     app-7       [000] .....   10.000190: inet_sock_set_state: family=AF_INET protocol=IPPROTO_TCP sport=4000 dport=80 saddr=10.0.0.1 daddr=10.0.0.2 skaddr=00000000bbbb oldstate=TCP_ESTABLISHED newstate=TCP_CLOSE
     app-7       [000] d..2.   10.000200: sched_migrate_task: comm=db pid=9 prio=120 orig_cpu=1 dest_cpu=0
     app-7       [000] d....   10.000210: page_fault_user: address=0x10 ip=0x20 error_code=0x4
     app-7       [000] d....   10.000211: page_fault_user: address=0x11 ip=0x20 error_code=0x4
     app-7       [000] d....   10.000212: page_fault_kernel: address=0x12 ip=0x20 error_code=0x0
  <idle>-0       [000] .....   10.000220: thermal_temperature: thermal_zone=x86_pkg_temp id=0 temp_prev=40000 temp=41000
  <idle>-0       [000] .....   10.000230: thermal_temperature: thermal_zone=x86_pkg_temp id=0 temp_prev=41000 temp=47000
  <idle>-0       [000] .....   10.000231: cdev_update: type=Fan target=2
     app-7       [000] .....   10.000240: cgroup_attach_task: dst_root=0 dst_id=1 dst_level=2 dst_path=/docker/web pid=9 comm=db
      db-9       [001] .....   10.000250: sched_process_fork: comm=db pid=9 child_comm=db child_pid=10
      db-10      [001] .....   10.000260: sched_process_free: comm=db pid=10 prio=120
  rcu_sched-11   [000] .....   10.000270: rcu_grace_period: rcuname=rcu_sched gp_seq=100 gpevent=start
  rcu_sched-11   [000] .....   10.000290: rcu_grace_period: rcuname=rcu_sched gp_seq=100 gpevent=end
  <idle>-0       [001] d.h..   10.000300: ipi_entry: (Function call interrupts)
  <idle>-0       [001] d.h..   10.000303: ipi_exit: (Function call interrupts)
     app-7       [000] d..2.   10.010010: sched_waking: comm=rt pid=12 prio=9 target_cpu=001
     app-7       [000] d..2.   10.010011: sched_wakeup: comm=rt pid=12 prio=9 target_cpu=001
  <idle>-0       [001] d..2.   10.010020: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=rt next_pid=12 next_prio=9
      rt-12      [001] d..2.   10.010030: sched_switch: prev_comm=rt prev_pid=12 prev_prio=9 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
     app-7       [000] d..2.   10.011010: sched_waking: comm=rt pid=12 prio=9 target_cpu=001
     app-7       [000] d..2.   10.011011: sched_wakeup: comm=rt pid=12 prio=9 target_cpu=000
     app-7       [000] d..2.   10.011012: sched_migrate_task: comm=rt pid=12 prio=9 orig_cpu=0 dest_cpu=1
     app-7       [000] d..2.   10.011015: sched_switch: prev_comm=app prev_pid=7 prev_prio=120 prev_state=R+ ==> next_comm=x next_pid=5 next_prio=9
  <idle>-0       [001] d..2.   10.011020: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=rt next_pid=12 next_prio=9
      rt-12      [001] d..2.   10.011030: sched_switch: prev_comm=rt prev_pid=12 prev_prio=9 prev_state=R ==> next_comm=y next_pid=6 next_prio=5
       y-6       [001] d..2.   10.013030: sched_switch: prev_comm=y prev_pid=6 prev_prio=5 prev_state=D ==> next_comm=rt next_pid=12 next_prio=9
      rt-12      [001] d..2.   10.013930: sched_switch: prev_comm=rt prev_pid=12 prev_prio=9 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
       x-5       [000] .....   10.014000: mm_filemap_add_to_page_cache: dev 8:1 ino 83 pfn=0x1 ofs=0 order=2
       x-5       [000] .....   10.014010: mm_filemap_add_to_page_cache: dev 8:1 ino 83 pfn=0x5 ofs=4096 order=0
       x-5       [000] .....   10.014020: mm_filemap_delete_from_page_cache: dev 8:1 ino 83 pfn=0x5 ofs=4096 order=0
       x-5       [000] .....   10.014025: mm_filemap_fault: dev=8:1 ino=83 ofs=4096
       x-5       [000] .....   10.014030: lttng_statedump_process_pid_ns: tid=12 vtid=1 ns_level=1 ns_inum=4026532001
END
for name in reclaim signals connections handshakes grace-periods ipis; do
	histree build -q --force -a $name -o store trace.txt
	echo "--- $name"
	histree segments store --format csv $name | tr -d '\r'
done
for name in timer-waits connection-states migrations page-faults thermal containers jobs run-queues page-cache namespaces; do
	histree build -q --force -a kernel -x $name -o store trace.txt
	echo "--- $name"
	[ ! -e store/$name.seg ] || histree segments store $name --format csv | tr -d '\r'
	[ ! -e store/$name.sht ] || histree states store -a $name --where 'type != null' --columns path,start,end,value --format csv | tr -d '\r' | tail -n +2
done

# A thread that is woken before it gave up its CPU runs on: it does not wait, and is not counted twice when it loses it.
cat >woken.txt <<'END'
# tracer: nop
#
     app-7       [000] d..2.   10.000000: sched_wakeup: comm=old pid=4 prio=9 target_cpu=001
     old-4       [001] d..2.   10.000001: sched_switch: prev_comm=old prev_pid=4 prev_prio=9 prev_state=R ==> next_comm=rt next_pid=12 next_prio=9
     app-7       [000] d..2.   10.000010: sched_wakeup: comm=rt pid=12 prio=9 target_cpu=001
      rt-12      [001] d..2.   10.000020: sched_switch: prev_comm=rt prev_pid=12 prev_prio=9 prev_state=R ==> next_comm=old next_pid=4 next_prio=9
     old-4       [001] d..2.   10.000030: sched_switch: prev_comm=old prev_pid=4 prev_prio=9 prev_state=S ==> next_comm=rt next_pid=12 next_prio=9
      rt-12      [001] d..2.   10.000040: sched_switch: prev_comm=rt prev_pid=12 prev_prio=9 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
  <idle>-0       [001] d..2.   10.000050: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=z next_pid=8 next_prio=9
END
histree build -q --force -a kernel -x run-queues -o store woken.txt
echo "--- run-queues, of threads that are woken while they run"
histree states store -a run-queues 'CPUs/*' --where 'type != null' --columns path,start,end,value --format csv | tr -d '\r'
