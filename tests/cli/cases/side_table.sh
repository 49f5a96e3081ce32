# A side table that is none is not used, and verify says so; whatever it is, it goes with its store.
histree build -q -a kernel,softirqs -o store "$DATA/demo-trace"
histree segments store softirqs --sort name --limit 2 >before
head -c 5000 /dev/zero >store/softirqs.seg.0.order
try histree verify store
cp store/softirqs.seg store/softirqs.seg.0.order
try histree verify store
histree segments store softirqs --sort name --limit 2 | cmp - before
histree build -q --force -a kernel,softirqs -o store "$DATA/demo-trace"
ls store
