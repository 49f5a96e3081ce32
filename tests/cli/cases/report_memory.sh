# What a report says of memory of programs, and of counters in their events.
cat >events.json <<'END'
{"time":100,"event":"lttng_ust_libc:malloc","cpu":0,"size":5000,"ptr":4096,"vtid":7,"vpid":7,"procname":"main","perf_thread_cycles":10,"perf_thread_faults":1}
{"time":200,"event":"lttng_ust_libc:malloc","cpu":0,"size":300,"ptr":8192,"vtid":8,"vpid":7,"procname":"work","perf_thread_cycles":70,"perf_thread_faults":1}
{"time":300,"event":"lttng_ust_libc:free","cpu":0,"ptr":8192,"vtid":7,"vpid":7,"procname":"main","perf_thread_cycles":500,"perf_thread_faults":1}
{"time":400,"event":"lttng_ust_libc:calloc","cpu":0,"nmemb":2,"size":50,"ptr":8192,"vtid":8,"vpid":7,"procname":"work","perf_thread_cycles":4000,"perf_thread_faults":3}
{"time":500,"event":"lttng_ust_libc:free","cpu":0,"ptr":12288,"vtid":7,"vpid":7,"procname":"main","perf_thread_cycles":600,"perf_thread_faults":4}
END
histree build -q -a ust-memory,allocations,counters -o store text:tracer=ust:events.json
histree report store | sed -n '/^Memory/,$p'
histree report store --from 400 --limit 1 | sed -n '/^What counters/,$p'
histree report store --html page.html && grep -c '<h2>Memory of programs\|<h2>What counters' page.html
histree segments store allocations --where 'freed == never' --format tsv
histree states store -a ust-memory --at 350 'Threads/*/Memory' --format tsv
histree segments store allocations --of bytes --by tid --format tsv
histree segments store allocations --of bytes --by freed
try histree segments --by name store allocations --of process
try histree segments --by name store allocations --of size
histree info store --charts --format tsv
