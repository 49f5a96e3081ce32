# A trace of the kernel without any event that its analyses follow: the store says what to record.
cp -r "$DATA/ctf-perf-small" trace
chmod -R u+w trace
sed -i -e 's/name = "[a-z_]*:/name = "other:/' trace/metadata
try histree build -o store -a kernel,system-calls,futex,irqs,softirqs,wakeups,block-io trace 2>&1 | sed 's/, [0-9.]* m\?s$/, TIME/'
