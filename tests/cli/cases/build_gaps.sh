# A stream breaks off: what its CPU did from then on is unknown, or as Trace Compass has it.
cp -r "$DATA/demo-trace" trace
chmod -R u+w trace
truncate -s 100000 trace/perf_stream_1
histree build -q trace 2>/dev/null
echo "[exit $?]"
histree info trace.histree | grep -E '^gaps'
histree states trace.histree --at +32ms 'CPUs/*/Current_thread' --format tsv | cut -f 1,4
histree build -q -f --gaps=ignore trace 2>/dev/null
echo "[exit $?]"
histree info trace.histree | grep -E '^gaps'
histree states trace.histree --at +32ms 'CPUs/*/Current_thread' --format tsv | cut -f 1,4
try histree build --gaps=guess trace
