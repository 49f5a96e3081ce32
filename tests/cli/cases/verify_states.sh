# Threads run only where a CPU runs them, but for the answer of Trace Compass, of a trace that lacks switches.
histree build -a kernel,kernel-tc -o store "$DATA/demo-trace" 2>&1 | grep -o 'warning.*'
histree info store | grep -o 'kernel: events are missing'
histree verify --states store -a kernel
try histree verify --states store -a kernel-tc
try histree verify store -a kernel-tc
# Few switches are missing, and none is denied.
histree build -o whole "$DATA/ctf-perf-small" 2>&1 | grep -c 'warning.*missing'
histree verify --states whole | grep -o 'threads and CPUs agree'
# There is nothing to check.
histree build -q -a system-calls -o calls "$DATA/demo-trace"
try histree verify --states calls
# Programs are told in rows, of which a sound store has none.
try histree verify --format json store -a kernel
try histree verify --format csv --states store -a kernel-tc
truncate -s 20000 store/kernel.sht
try histree verify --format json store -a kernel
try histree verify --format tsv missing
