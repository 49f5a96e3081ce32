# Processes that are named by texts have negative numbers, none of which is one that the trace has itself.
cat >trace.json <<'END'
[{"name":"a","ph":"X","ts":0,"dur":10,"pid":"Gateway","tid":"main"},
{"name":"b","ph":"X","ts":0,"dur":20,"pid":-1,"tid":-2},
{"name":"c","ph":"X","ts":0,"dur":30,"pid":-3,"tid":4},
{"name":"d","ph":"X","ts":0,"dur":40,"pid":"Worker","tid":4},
{"name":"e","ph":"X","ts":50,"dur":40,"pid":-1,"tid":-2},
{"name":"f","ph":"X","ts":0,"dur":50,"pid":-900000,"tid":"900000"},
{"name":"g","ph":"X","ts":50,"dur":60,"pid":"Gateway","tid":"main"}]
END
histree build -q trace.json -o store
histree segments store track-spans --format tsv | cut -f 3,4,6,7
