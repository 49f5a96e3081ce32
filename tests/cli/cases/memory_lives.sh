# What a thread had the kernel allocate is its own also when it is freed after its end, by whoever has its number then;
# and numbers of threads are of one life each.
cat >events.json <<'END'
{"time":500,"event":"sched_switch","cpu":0,"prev_comm":"swapper/0","prev_tid":0,"prev_prio":20,"prev_state":0,"next_comm":"weaver","next_tid":331,"next_prio":20}
{"time":510,"event":"kmem_kmalloc","cpu":0,"ptr":4096,"bytes_req":90,"bytes_alloc":96}
{"time":520,"event":"kmem_mm_page_alloc","cpu":0,"pfn":40,"order":2}
{"time":530,"event":"sched_switch","cpu":0,"prev_comm":"weaver","prev_tid":331,"prev_prio":20,"prev_state":16,"next_comm":"init","next_tid":4,"next_prio":20}
{"time":540,"event":"sched_process_fork","cpu":0,"parent_comm":"init","parent_tid":4,"parent_pid":4,"child_comm":"init","child_tid":331,"child_pid":331}
{"time":550,"event":"sched_switch","cpu":0,"prev_comm":"init","prev_tid":4,"prev_prio":20,"prev_state":1,"next_comm":"dyer","next_tid":331,"next_prio":25}
{"time":560,"event":"kmem_cache_alloc","cpu":0,"ptr":8192,"bytes_req":500,"bytes_alloc":512}
{"time":565,"event":"sched_waking","cpu":0,"comm":"init","tid":4,"prio":20,"target_cpu":0}
{"time":570,"event":"kmem_kfree","cpu":0,"ptr":4096}
{"time":580,"event":"kmem_mm_page_free","cpu":0,"pfn":42,"order":0}
{"time":590,"event":"sched_switch","cpu":0,"prev_comm":"dyer","prev_tid":331,"prev_prio":25,"prev_state":1,"next_comm":"swapper/0","next_tid":0,"next_prio":20}
{"time":595,"event":"sched_switch","cpu":0,"prev_comm":"swapper/0","prev_tid":0,"prev_prio":20,"prev_state":0,"next_comm":"init","next_tid":4,"next_prio":20}
END
histree build -q -a kernel,kernel-memory,switches,cpu-usage,wakeups -o store text:name=event,tracer=lttng:events.json
histree states store -a kernel-memory --format tsv | grep '^Threads/331.*long'
histree report store | sed -n '/^Memory/,/growth/p'
histree report store --from 545 | sed -n '/^Memory/,/growth/p'
histree states store -a kernel-memory --growth 'Threads/*/*'
histree states store -a kernel-memory --growth 'Threads/*/*' --from 545 --format tsv
# Sums that only grow, and states, are cut where another thread got the number.
histree states store -a switches --growth 'Threads/*/*' --format tsv
histree states store -a switches --growth 'Threads/331/*' --from 552 --format tsv
histree states store -a cpu-usage --growth 'CPUs/*/*' --limit 2 --format json
histree states --numbers store 'Threads/331/Prio' --format tsv
histree states --numbers store 'Threads/331/Prio' 'Threads/4/Prio' --parts 2 --format tsv | cut -f1-7,11
# Where no number of the answer was used again, there is no such column.
histree states --numbers store 'Threads/4/Prio' --format tsv | head -n 1
# What had been allocated when a thread woke another: its own, not that of the thread before it.
histree segments --join store wakeups -a kernel-memory 'Threads/331*/heap' --on waker --format tsv | cut -f1-6
# Of several hosts, each has its own.
cp events.json other.json
histree build -q -a kernel,kernel-memory,switches --host-dir one=text:name=event,tracer=lttng:events.json --host-dir two=text:name=event,tracer=lttng:other.json -o hosts
histree states hosts -a switches --growth '*/Threads/331/*' --format tsv
histree states hosts -a kernel-memory --growth '*/Threads/331*/heap' --format tsv
# Without the kernel's history nobody knows whose a number was, but the rows of memory are apart.
histree build -q -a kernel-memory,switches -o alone text:name=event,tracer=lttng:events.json
histree states alone -a kernel-memory --growth 'Threads/*/*' --format tsv | cut -f1,6
histree states alone -a switches --growth 'Threads/331/*' --format tsv
histree report alone | sed -n '/^Memory/,/growth/p'
