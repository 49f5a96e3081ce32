# What a damaged node of a segment store held is missing, and every verb says so; a repaired store has the rest.
histree build -q -a kernel,system-calls,softirqs -o store "$DATA/demo-trace"
printf '\377' | dd of=store/system-calls.seg bs=1 seek=9000 conv=notrunc status=none
try histree segments store system-calls --limit 3
try histree segments store system-calls --sort name --limit 1
try histree segments --by name store system-calls
try histree segments --histogram store system-calls
try histree segments store softirqs --limit 1
histree verify store >faults
echo "[verify: exit $?]"
head -n 1 faults
try histree copy --repair store
histree verify store.repaired | sed 's/[0-9]* nodes/N nodes/'
histree segments store.repaired softirqs --limit 1
try histree segments store.repaired system-calls
try histree copy --repair store/softirqs.seg -o softirqs.seg
try histree segments softirqs.seg softirqs --limit 1
