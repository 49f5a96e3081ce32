# Spans of requests: OpenTelemetry in JSON, Jaeger and Zipkin; what real files have, and what they lack.
columns=name,duration,service,kind,status,span_id,parent_id,track,depth,self,critical
cat >otlp.json <<'END_OF_FILE'
{"resourceSpans":[
{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":"web-1"}},{"key":"service.name","value":{"stringValue":"shop"}}]},
"scopeSpans":[{"scope":{"name":"http.server","version":"1"},"spans":[
{"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B174","parentSpanId":"EEE19B7EC3C1B173","name":"call stock","kind":"SPAN_KIND_CLIENT","startTimeUnixNano":"1544712660002000001","endTimeUnixNano":"1544712660008000000","status":{"code":2,"message":"late"}},
{"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B173","parentSpanId":"","name":"GET /cart","kind":2,"startTimeUnixNano":1544712660000000000,"endTimeUnixNano":1544712660010000000,
"attributes":[{"key":"http.status_code","value":{"intValue":"200"}},{"key":"ratio","value":{"doubleValue":0.25}},{"key":"cold","value":{"boolValue":true}},{"key":"none","value":{}},
{"key":"list","value":{"arrayValue":{"values":[{"stringValue":"a\"b"},{"intValue":-7}]}}},{"key":"map","value":{"kvlistValue":{"values":[{"key":"k","value":{"stringValue":"ü"}}]}}}],
"events":[{"timeUnixNano":"1544712660001000000","name":"cache miss","attributes":[]}]},
{"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B175","parentSpanId":"EEE19B7EC3C1B173","name":"call ads","kind":3,"startTimeUnixNano":1544712660003000000,"endTimeUnixNano":1544712660005000000,
"links":[{"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B174"}]}]}]},
{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}},{"key":"host.name","value":{"stringValue":"web-2"}}]},
"scopeSpans":[{"spans":[{"traceId":"W47/95gDgQPSabYzgT/GDA==","spanId":"7uGbfsPBsXY=","parentSpanId":"7uGbfsPBsXQ=","name":"stock, in base64","kind":1,"startTimeUnixNano":1544712660001500000,"endTimeUnixNano":1544712660012000000,"status":{"code":"STATUS_CODE_OK"}}]}]},
{"scopeSpans":[{"spans":[{"traceId":"01","spanId":"02","parentSpanId":"03","name":"orphan without an end","startTimeUnixNano":1544712660001000000},
{"traceId":"01","spanId":"04","name":"no time"}]}]}]}
END_OF_FILE
try histree build -q -f otlp.json -o store
histree segments store track-spans --format tsv --columns $columns
histree segments store track-spans --format tsv --columns category,trace_id,args,ending
histree segments store track-flows --format tsv --columns name,from_stack,to_stack
histree segments store track-instants --format tsv --columns start,name,stack
histree states store --format tsv --at +3ms 'Processes/*'
histree segments store track-spans --format tsv --where 'trace_id == 5b8efff798038103d269b633813fc60c && status == error' --columns name
histree segments store track-spans --format tsv --where 'service == shop && kind == client' --columns name
echo 'Jaeger: a child outlives its parent, one follows, one began earlier, by its clock'
cat >jaeger.json <<'END_OF_FILE'
{"data":[{"traceID":"abc","spans":[
{"traceID":"abc","spanID":"1","operationName":"order","references":[],"startTime":1700000000000000,"duration":1000,"processID":"p1","tags":[{"key":"span.kind","type":"string","value":"server"},{"key":"n","type":"int64","value":7}],
"logs":[{"timestamp":1700000000000010,"fields":[{"key":"level","value":"info"},{"key":"event","value":"paid"}]}]},
{"traceID":"abc","spanID":"2","operationName":"outlives","references":[{"refType":"CHILD_OF","traceID":"abc","spanID":"1"}],"startTime":1700000000000800,"duration":900,"processID":"p2","tags":[{"key":"error","type":"bool","value":true}]},
{"traceID":"abc","spanID":"3","operationName":"mail","references":[{"refType":"FOLLOWS_FROM","traceID":"abc","spanID":"1"}],"startTime":1700000000002000,"duration":10,"processID":"p2","tags":[]},
{"traceID":"abc","spanID":"4","operationName":"early","references":[{"refType":"FOLLOWS_FROM","traceID":"abc","spanID":"9"},{"refType":"CHILD_OF","traceID":"abc","spanID":"1"}],"startTime":1699999999999900,"duration":300,"processID":"p1","tags":[{"key":"otel.status_code","value":"OK"}]},
{"traceID":"abc","spanID":"5","operationName":"circle","references":[{"refType":"CHILD_OF","traceID":"abc","spanID":"6"}],"startTime":1700000000000000,"duration":4,"processID":"p9"},
{"traceID":"abc","spanID":"6","operationName":"circle","references":[{"refType":"CHILD_OF","traceID":"abc","spanID":"5"}],"startTime":1700000000000000,"duration":4,"processID":"p1"}],
"processes":{"p1":{"serviceName":"shop","tags":[{"key":"hostname","value":"a"}]},"p2":{"serviceName":"bank","tags":[]}}}],"total":0,"errors":null}
END_OF_FILE
try histree build -q -f jaeger.json -o store
histree segments store track-spans --format tsv --columns $columns
histree segments store track-flows --format tsv --columns start,duration,name,from_pid,to_pid
histree segments store track-instants --format tsv --columns start,name
echo 'Zipkin: both sides of a call have one id, and a span of the server is below its side'
cat >zipkin.json <<'END_OF_FILE'
[{"traceId":"5af7183fb1d4cf5f","id":"352bff9a74ca9ad2","parentId":"6b221d5bc9e6496c","kind":"CLIENT","name":"get","timestamp":1556604172354000,"duration":4000,"localEndpoint":{"serviceName":"frontend"},"tags":{"http.method":"GET","error":""}},
{"traceId":"5af7183fb1d4cf5f","id":"352bff9a74ca9ad2","parentId":"6b221d5bc9e6496c","shared":true,"kind":"SERVER","name":"get /api","timestamp":1556604172355737,"duration":1431,"localEndpoint":{"serviceName":"backend","ipv4":"192.168.99.1"}},
{"traceId":"5af7183fb1d4cf5f","id":"6b221d5bc9e6496c","kind":"SERVER","name":"get /","timestamp":1556604172353000,"duration":6000,"localEndpoint":{"serviceName":"frontend"},"annotations":[{"timestamp":1556604172353001,"value":"wr"}]},
{"traceId":"5af7183fb1d4cf5f","id":"aaaaaaaaaaaaaaaa","parentId":"352bff9a74ca9ad2","name":"sql","timestamp":1556604172356000,"duration":1000,"localEndpoint":{"serviceName":"backend","ipv4":"192.168.99.1"}},
{"traceId":"5af7183fb1d4cf5f","id":"bbbbbbbbbbbbbbbb","parentId":"aaaaaaaaaaaaaaaa","kind":"PRODUCER","name":"no duration","timestamp":1556604172356100}]
END_OF_FILE
try histree build -q -f zipkin.json -o store
histree segments store track-spans --format tsv --columns $columns
echo 'an exporter that tried again: the spans count once'
{ tr -d '\n' <otlp.json; echo; tr -d '\n' <otlp.json; echo; tr -d '\n' <jaeger.json; } >again.jsonl
try histree build -f again.jsonl -o store 2>&1 | grep -e once -e '^\$'
histree segments store track-spans --format tsv --columns $columns
echo 'a span that is written while it goes on, and again: the end that is known counts, whichever comes first'
span='{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01","spanId":"02","name":"long","startTimeUnixNano":1544712660001000000'
{ echo "$span}]}]}]}"; echo "$span,\"endTimeUnixNano\":1544712660004000000}]}]}]}"; } >going.jsonl
for file in going.jsonl ended.jsonl; do
	tac going.jsonl >ended.jsonl
	try histree build -f $file -o store 2>&1 | grep -v ' events, '
	histree segments store track-spans --format tsv --columns name,duration
done
echo 'a file of lines that is cut, and one of rows of a log, which are no spans'
{ tr -d '\n' <otlp.json; echo; tr -d '\n' <otlp.json | head -c 900; } >cut.jsonl
try histree build -q -f cut.jsonl -o store
histree segments store track-spans --format tsv --columns name
echo '{"timestamp":"2024-01-01","trace_id":"01","span_id":"02","message":"x"}' >log.jsonl
try histree build -q -f log.jsonl -o store
echo '{"timestamp":"2024-01-01","trace_id":"01","span_id":"02","message":"x","duration":5}' >log.jsonl
try histree build -q -f log.jsonl -o store
echo 'a parent that is null is none, an event has a time, and a trace has its own processes'
cat >odd.json <<'END'
{"data": [{"traceID": "1", "processes": {"p1": {"serviceName": "shop"}}, "spans": [
	{"traceID": "1", "spanID": "1", "parentSpanId": null, "operationName": "a", "startTime": 1000, "duration": 9, "processID": "p1", "logs": [{"fields": []}]},
	{"traceID": "1", "spanID": "2", "parentSpanId": "", "operationName": "b", "startTime": 1001, "duration": 2, "processID": "p1",
	 "references": [{"refType": "CHILD_OF", "traceID": "1", "spanID": "1"}]}]},
 {"traceID": "3", "spans": [{"traceID": "3", "spanID": "1", "operationName": "c", "startTime": 1002, "duration": 1, "processID": "p1", "references": []}]}]}
END
try histree build -q -f odd.json -o store
histree segments store track-spans --format tsv --columns name,service,span_id,parent_id
echo 'instances are said from the file on that tells of a second one'
span() {
	echo "[{\"traceId\": \"$1\", \"id\": \"1\", \"name\": \"a\", \"timestamp\": $1, \"duration\": 1, \"localEndpoint\": {\"serviceName\": \"shop\", \"ipv4\": \"10.0.0.$2\"}}]"
}
span 1000 1 >i1.json
span 2000 2 >i2.json
span 3000 2 >i3.json
histree build -q -f i1.json i2.json i3.json -o store
histree states store 'Processes/*' --format tsv --columns path,value,start | grep -v null
echo 'as gateways of Jaeger and Tempo answer'
for around in result trace; do
	{ echo "{\"$around\":"; cat otlp.json; echo '}'; } >around.json
	histree build -q -f around.json -o store 2>/dev/null
	histree segments store track-spans --by service --format tsv --columns value,count
done
echo 'which service became slower, and for whom requests waited'
sed 's/1544712660008000000/1544712660009500000/' otlp.json | gzip >slower.json.gz
histree build -q -f otlp.json -o before
histree build -q -f slower.json.gz -o after
histree compare before after -a track-spans --format tsv --limit 3 --columns value,a_mean,b_mean
histree compare before after -a track-spans --by service --format tsv --columns value,a_total,b_total
histree segments after track-spans --by service --of critical --format tsv
histree segments after track-spans --where 'critical > 0' --sort duration --format tsv --columns name,service,critical
histree sql after "SELECT f.name, count(*) FROM track_flows f GROUP BY 1" --format tsv
echo 'a service has its number in all files, below 0 beside processes of the system'
echo '[{"ph":"X","name":"frame","pid":1,"tid":2,"ts":1544712660000000,"dur":7}]' >chrome.json
for files in 'jaeger.json zipkin.json otlp.json' 'chrome.json otlp.json'; do
	histree build -q -f $files -o store 2>/dev/null
	histree segments store track-spans --by pid --format tsv --columns value,count
done
echo 'a service is named as a process is, wherever a thread is'
histree build -q -f jaeger.json -o store
for word in shop 'sh*' shop: 1: Processes/1 bank,shop; do
	histree segments store track-spans --thread "$word" --format tsv --columns name | tail -n +2 | sort | paste -sd,
done
try histree segments store track-spans --thread shpo
try histree segments store track-instants --thread shop --format tsv --columns name
try histree segments store track-spans --where 'process == bank' --format tsv --columns name
try histree states store --where 'process == bank' --format tsv --columns path --at +1ms
try histree states store --format tsv --columns path --at +1ms bank
try histree top store
try histree why store shop
