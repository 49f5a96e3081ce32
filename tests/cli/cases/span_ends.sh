# Which span an end closes, what becomes of beginnings without one, and what the end says of a span.
spans()
{
	histree build -q --force -o s.histree "$1"
	histree segments --format tsv s.histree track-spans | cut -f 1,2,4,7-10,12,13
}

echo '# ends of one time, in any order'
cat >crossed.json <<'EOF'
[{"ph":"B","pid":4,"tid":9,"ts":1,"name":"boot"},
{"ph":"B","pid":4,"tid":9,"ts":2,"name":"fetch"},
{"ph":"B","pid":4,"tid":9,"ts":3,"name":"decode"},
{"ph":"E","pid":4,"tid":9,"ts":30,"name":"fetch"},
{"ph":"E","pid":4,"tid":9,"ts":30,"name":"boot"},
{"ph":"E","pid":4,"tid":9,"ts":30,"name":"decode"},
{"ph":"B","pid":4,"tid":9,"ts":30,"name":"after"},
{"ph":"E","pid":4,"tid":9,"ts":31},
{"ph":"E","pid":4,"tid":9,"ts":32,"name":"nothing"}]
EOF
spans crossed.json

echo '# ends of other times, in any order, before something else begins'
cat >late.json <<'EOF'
[{"ph":"B","pid":4,"tid":9,"ts":1,"name":"all"},
{"ph":"B","pid":4,"tid":9,"ts":2,"name":"boot"},
{"ph":"B","pid":4,"tid":9,"ts":3,"name":"fetch"},
{"ph":"B","pid":4,"tid":9,"ts":4,"name":"decode"},
{"ph":"E","pid":4,"tid":9,"ts":30,"name":"boot"},
{"ph":"E","pid":4,"tid":9,"ts":31,"name":"fetch"},
{"ph":"E","pid":4,"tid":9,"ts":32,"name":"decode"},
{"ph":"X","pid":4,"tid":9,"ts":40,"dur":10,"name":"frame"},
{"ph":"B","pid":4,"tid":9,"ts":45,"name":"draw"},
{"ph":"E","pid":4,"tid":9,"ts":50.001,"name":"draw"},
{"ph":"E","pid":4,"tid":9,"ts":60}]
EOF
spans late.json

echo '# a beginning without an end, below a span that is written whole, and below one of two events'
cat >cut.json <<'EOF'
[{"ph":"X","pid":4,"tid":9,"ts":0,"dur":40,"name":"frame"},
{"ph":"B","pid":4,"tid":9,"ts":10,"name":"lost"},
{"ph":"B","pid":4,"tid":9,"ts":15,"name":"kept"},
{"ph":"E","pid":4,"tid":9,"ts":40,"name":"kept"},
{"ph":"B","pid":4,"tid":9,"ts":50,"name":"outer"},
{"ph":"B","pid":4,"tid":9,"ts":55,"name":"thrown"},
{"ph":"E","pid":4,"tid":9,"ts":70,"name":"outer"},
{"ph":"X","pid":4,"tid":9,"ts":80,"dur":5,"name":"next"},
{"ph":"E","pid":4,"tid":9,"ts":90,"name":"thrown"}]
EOF
spans cut.json
histree flame --folded s.histree
histree info s.histree | grep -E '^warnings|^without'

echo '# open at the end'
cat >open.json <<'EOF'
[{"ph":"B","pid":4,"tid":9,"ts":0,"name":"main"},
{"ph":"B","pid":4,"tid":9,"ts":10,"name":"loop"},
{"ph":"b","cat":"io","id":7,"pid":4,"ts":20,"name":"read"},
{"ph":"X","pid":4,"tid":8,"ts":30,"dur":30,"name":"other"}]
EOF
spans open.json
histree segments --by name --format csv s.histree track-spans | cut -d, -f 1-3
histree report s.histree | grep -E '^(main|loop|read|other|Warning)'
histree states --format csv --at 60000 s.histree '**/CallStack/*'

echo '# arguments of both'
cat >args.json <<'EOF'
[{"ph":"B","pid":4,"tid":9,"ts":0,"name":"f","args":{"a":"x,}","b":[1,{"c":2}],"d":3}},
{"ph":"E","pid":4,"tid":9,"ts":1,"name":"f","args":{"b":"y","e":null}},
{"ph":"B","pid":4,"tid":9,"ts":2,"name":"g"},
{"ph":"E","pid":4,"tid":9,"ts":3,"args":{"z":1}},
{"ph":"B","pid":4,"tid":9,"ts":4,"name":"h","args":{"z":1}},
{"ph":"E","pid":4,"tid":9,"ts":5,"args":{}},
{"ph":"b","cat":"n","id":1,"pid":4,"ts":6,"name":"q","args":{"url":"u","try":1}},
{"ph":"e","cat":"n","id":1,"pid":4,"ts":7,"name":"q","args":{"try":2}},
{"ph":"b","cat":"n","id":2,"pid":4,"ts":8,"name":"net","args":{"params":{"url":"u","load":{"x":1}},"id":4}},
{"ph":"e","cat":"n","id":2,"pid":4,"ts":9,"name":"net","args":{"params":{"error":-3,"load":{"y":2}},"id":{}}}]
EOF
spans args.json

echo '# spans of no length are inside of what begins then'
cat >empty.json <<'EOF'
[{"ph":"X","pid":4,"tid":9,"ts":5,"dur":0,"name":"first"},
{"ph":"X","pid":4,"tid":9,"ts":5,"dur":0,"name":"second"},
{"ph":"X","pid":4,"tid":9,"ts":5,"dur":3,"name":"parent"},
{"ph":"X","pid":4,"tid":9,"ts":8,"dur":0,"name":"alone"},
{"ph":"X","pid":4,"tid":9,"ts":9,"dur":0,"name":"third"},
{"ph":"B","pid":4,"tid":9,"ts":9,"name":"begun"},
{"ph":"E","pid":4,"tid":9,"ts":9,"name":"begun"}]
EOF
spans empty.json

echo '# a flow with several ends'
cat >flows.json <<'EOF'
[{"ph":"s","cat":"c","name":"wake","id":3,"pid":4,"tid":1,"ts":1},
{"ph":"f","cat":"c","name":"wake","id":3,"pid":4,"tid":2,"ts":2,"bp":"e"},
{"ph":"f","cat":"c","name":"wake","id":3,"pid":4,"tid":3,"ts":3,"bp":"e"},
{"ph":"s","cat":"c","name":"wake","id":3,"pid":4,"tid":5,"ts":4},
{"ph":"f","cat":"c","name":"wake","id":3,"pid":4,"tid":6,"ts":5,"bp":"e"},
{"ph":"f","cat":"c","name":"wake","id":9,"pid":4,"tid":6,"ts":6,"bp":"e"}]
EOF
histree build -q --force -a track-flows -o s.histree flows.json
histree segments --format tsv s.histree track-flows | cut -f 1,2,7,11
