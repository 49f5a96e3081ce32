# What a report says of running sums: packets, memory of the kernel, switches; by the names of threads where there are some.
cat >events.json <<'END'
{"time":5,"event":"sched_switch","cpu":0,"prev_comm":"swapper/0","prev_tid":0,"prev_prio":20,"prev_state":0,"next_comm":"scp","next_tid":7,"next_prio":20}
{"time":10,"event":"net_dev_queue","cpu":0,"skbaddr":4096,"len":1500,"name":"eth0"}
{"time":12,"event":"net_dev_xmit","cpu":0,"skbaddr":4096,"rc":0,"len":1500,"name":"eth0"}
{"time":13,"event":"netif_receive_skb","cpu":1,"skbaddr":8192,"len":40,"name":"lo"}
{"time":14,"event":"netif_receive_skb","cpu":1,"skbaddr":12288,"len":2000,"name":"lo"}
{"time":15,"event":"skb_copy_datagram_iovec","cpu":0,"skbaddr":8192,"len":30}
{"time":16,"event":"kmem_mm_page_alloc","cpu":0,"pfn":1,"order":1}
{"time":20,"event":"sched_switch","cpu":0,"prev_comm":"scp","prev_tid":7,"prev_prio":20,"prev_state":1,"next_comm":"sh","next_tid":8,"next_prio":20}
{"time":25,"event":"kmem_mm_page_free","cpu":0,"pfn":1,"order":1}
{"time":30,"event":"sched_switch","cpu":0,"prev_comm":"sh","prev_tid":8,"prev_prio":20,"prev_state":0,"next_comm":"scp","next_tid":7,"next_prio":20}
END
histree build -q -a kernel,network,kernel-memory,switches -o store text:name=event,tracer=lttng:events.json
histree report store | sed -n '/^Network/,/^More/p'
histree report store --to 18 | sed -n '/^Memory/,/growth/p'
histree report store --from 13 --limit 1 | sed -n '/^Network/,/growth/p'
histree report store --html page.html && grep -c '<h2>Network interfaces\|<h2>What threads received' page.html
histree build -q -a network -o alone text:name=event,tracer=lttng:events.json
histree report alone | sed -n '/^What threads/,/growth/p'
