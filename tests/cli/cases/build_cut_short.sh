# A trace of which a part is missing makes a partial store, which says so: exit status 3, warnings.
cp -r "$DATA/demo-trace" trace
chmod -R u+w trace
truncate -s 100000 trace/perf_stream_1
histree build -q trace 2>messages
echo "[exit $?]"
grep -c "warning: " messages
grep "is partial" messages
histree info trace.histree | grep -E "^(partial|warnings)" | cut -c 1-40
histree verify trace.histree | cut -d : -f 1
