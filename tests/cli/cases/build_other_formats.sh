# What is a trace of another kind is called what it is, with the way on.
printf '\n{"traceEvents": []}' >trace.json
printf '\x0a\x02xy\x0a\x01z' >trace.pftrace
printf '\x1f\x8b\x08' >trace.tar.gz
printf 'text' >notes.txt
mkdir ctf2
printf '\x1e{"type": "preamble", "version": 2, "extensions": {"x.org": {"y": 1}}}' >ctf2/metadata
for trace in trace.json trace.pftrace trace.tar.gz notes.txt $DATA/demo-trace/metadata ctf2; do
	try histree build -o x.histree $trace
done
