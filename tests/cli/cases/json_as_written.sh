# JSON as programs write it: what is none by the RFC, and can be read all the same; what cannot costs its event alone.
build()
{
	histree build -q --force -o s.histree "$1"
	histree segments --format tsv s.histree track-spans | cut -f 1,2,4,7,8,12
}

echo '# numbers that are none, and numbers in texts'
cat >numbers.json <<'EOF'
[{"ph":"X","name":"copy","pid":1,"tid":7,"ts":100,"dur":10,"args":{"a":inf,"b":-inf,"c":nan,"d":-nan(ind),"e":1.#INF,"f":NaN}},
{"ph":"C","name":"load","pid":1,"ts":150,"args":{"x":2.5,"y":"7"}},
{"ph":"C","name":"load","pid":1,"ts":160,"args":{"x":nan,"y":" 8.25 "}},
{"ph":"C","name":"load","pid":1,"ts":"170","args":{"x":-Infinity,"y":"nan","z":"no number"}},
{"ph":"X","name":"forms","pid":0x10,"tid":+7,"ts":.5e3,"dur":2.,"args":{"on":True,"off":None}}]
EOF
build numbers.json
histree states --format csv -a tracks s.histree | grep Counters

echo '# commas: none, leading, doubled, trailing'
cat >commas.json <<'EOF'
[ ,{"ph":"X","name":"one","pid":1 "tid":7,,"ts":10,"dur":3}
{"ph":"X","name":"two","pid":1,"tid":7,"ts":20,"dur":3,},,
{"ph":"X","name":"three","pid":1,"tid":7,"ts":30,"dur":3},
]
EOF
build commas.json

echo '# arrays, objects and lines behind one another'
cat >arrays.json <<'EOF'
[{"ph":"X","name":"first","pid":1,"tid":7,"ts":10,"dur":3}]
[{"ph":"X","name":"second","pid":1,"tid":7,"ts":20,"dur":3}]
{"displayTimeUnit":"ms","traceEvents":[{"ph":"X","name":"third","pid":1,"tid":7,"ts":30,"dur":3}]}
{"ph":"X","name":"fourth","pid":1,"tid":7,"ts":40,"dur":3}
the rest is a log
EOF
build arrays.json
printf '{"name":"l%d","ph":"X","pid":1,"tid":7,"ts":%d0,"dur":3}\n' 1 1 2 2 3 3 >lines.json
build lines.json

echo '# backslashes'
cat >paths.json <<'EOF'
[{"ph":"X","name":"C:\drivers\update\x64","pid":1,"tid":7,"ts":10,"dur":3,"args":{"path":"D:\\ok\\\users"}},
{"ph":"X","name":"tab\there \u00e9 \ud83d\ude00 \ud83d","pid":1,"tid":7,"ts":20,"dur":3}]
EOF
build paths.json

echo '# what is no event costs itself'
cat >bad.json <<'EOF'
{"traceEvents":[
{"ph":"B","name":"around","pid":1,"tid":7,"ts":1},
{"ph":"X","name":"open,"pid":1,"tid":7,"ts":10,"dur":3},
{"ph":"X","name":"kept","pid":1,"tid":7,"ts":20,"dur":3,"args":{"path":"{[","more":{"name":"x"}}},
{"ph":"X",name:"bare","pid":1,"tid":7,"ts":30,"dur":3},
{"ph":"X","name":"braces","pid":1,"tid":7,"ts":40,"dur":3}},
{"ph":"X","name":"last","pid":1,"tid":7,"ts":50,"dur":3,"args":{"s":"}}},
{"ph":"E","name":"around","pid":1,"tid":7,"ts":60}]}
EOF
build bad.json
echo "exit $?"

echo '# marks, and the order of processes and threads'
cat >order.json <<'EOF'
[{"ph":"M","name":"process_sort_index","pid":10,"args":{"sort_index":7}},
{"ph":"R","cat":"timing","name":"firstPaint","pid":30,"tid":3,"ts":2},
{"ph":"X","pid":30,"tid":3,"ts":1,"dur":4,"name":"late"},
{"ph":"X","pid":20,"tid":2,"ts":2,"dur":4,"name":"plain"},
{"ph":"X","pid":10,"tid":5,"ts":3,"dur":4,"name":"early"},
{"ph":"X","pid":10,"tid":4,"ts":3,"dur":4,"name":"worker"},
{"ph":"M","name":"process_sort_index","pid":30,"args":{"sort_index":"-2"}},
{"ph":"M","name":"thread_sort_index","pid":10,"tid":5,"args":{"sort_index":-1}},
{"ph":"M","name":"process_name","pid":30,"args":{"name":"Thirty"}}]
EOF
build order.json
histree events --format csv s.histree | grep instant
histree info --attributes s.histree 'Processes/*' | cut -c 10-
histree info --attributes s.histree 'Processes/10/*' | cut -c 10-
histree export --format chrome -a tracks s.histree | grep process_sort_index

echo '# an end at the time at which the span around it ends, and something without a length, too'
cat >ties.json <<'EOF'
[{"ph":"X","name":"task","pid":1,"tid":7,"ts":10,"dur":20},
{"ph":"B","name":"raster","pid":1,"tid":7,"ts":12},
{"ph":"X","name":"point","pid":1,"tid":7,"ts":30,"dur":0},
{"ph":"E","name":"raster","pid":1,"tid":7,"ts":30,"args":{"done":1}},
{"ph":"X","name":"next","pid":1,"tid":7,"ts":30,"dur":5}]
EOF
build ties.json
# Of a program that was killed: its list of events is whole, and only the last brace is missing, or what is behind the list.
printf '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":3,"name":"a"}]' >brace.json
printf '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":3,"name":"a"}],"otherData":{"x":' >behind.json
for file in brace behind; do
	try histree build -q $file.json
	histree segments $file.json.histree track-spans --format tsv --columns start,end,depth,name
done
