# Tools for assistants: what is said, line by line; check_mcp.py asks by the public client.
histree sql "$STORE" 'SELECT 1' 2>&1 | grep -q 'built without' && exit 77
mkdir traces elsewhere
cp -r "$DATA/demo-trace" traces/demo
cp -r "$DATA/demo-trace" elsewhere/demo
ln -s ../elsewhere/demo traces/link
# call NAME ARGUMENTS: what a tool says, its text as lines; a picture by its first bytes.
call() {
	echo "$1 $2"
	echo "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": {\"name\": \"$1\", \"arguments\": $2}}" |
		histree mcp ${OPTIONS:-} traces | sed -E "s|$PWD|HERE|g; s/.*\"text\":\"(.*)\"\}\],/\1 /; s/(iVBORw0KGgo)[^\"]*/\1.../; s/\\\\n/\n/g" | head -n 12
}
say() {
	echo "> $1"
	echo "$1" | histree mcp traces | cut -c 1-300
}
say '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2024-11-05"}}'
say '{"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {"protocolVersion": "1999-01-01"}}'
say '{"jsonrpc": "2.0", "method": "notifications/initialized"}'
say '{"jsonrpc": "2.0", "id": 2, "method": "ping"}'
say '{"jsonrpc": "2.0", "id": 3, "method": "prompts/list"}'
say '{"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "build"}}'
say '{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "top", "arguments": []}}'
say '{"id": 6}'
say '[]'
say 'nonsense'
call open '{"path": "demo"}' | grep -v KiB
call list '{}'
call list '{"path": "demo.histree"}' | head -n 3
call list '{"path": ".."}'
call top '{"store": "demo.histree", "limit": 2, "by": "process", "format": "csv"}'
call top '{"store": "demo.histree", "by": "colour"}'
call top '{"store": "demo.histree", "colour": 1}'
call top '{"store": "demo.histree", "limit": true}'
call top '{"store": "demo.histree", "reverse": 1}'
call info '{"store": "demo.histree", "analyses": false}' | grep "event count"
call top '{}'
call top '{"store": 5}'
call why '{"store": "demo.histree"}'
call why '{"store": "demo.histree", "thread": ["--help"]}'
call states '{"store": "demo.histree", "patterns": "CPUs/*/Current_thread", "at": "+12ms"}'
call states '{"store": "demo.histree", "patterns": [5]}'
call compare '{"store": "demo.histree", "other": "demo.histree", "limit": 1}'
call events '{"store": "demo.histree", "limit": 1, "columns": "name"}'
# Elsewhere is elsewhere, whatever leads there; so is the trace of a store.
call top '{"store": "/etc"}'
call open '{"path": "link"}'
call open '{"path": "../elsewhere/demo"}'
histree build -q -a kernel -o traces/foreign.histree elsewhere/demo
call events '{"store": "foreign.histree"}'
call top '{"store": "foreign.histree", "limit": 1, "columns": "thread"}'
call segments '{"store": "foreign.histree", "words": ["pair = sched_switch -> sched_switch by next_tid"]}'
call segments '{"store": "foreign.histree", "analysis": "pair = sched_switch -> sched_switch by next_tid"}'
call open '{"path": "."}'
ls | grep histree
# Statements look.
call sql '{"store": "demo.histree", "statement": "SELECT count(*) AS n FROM events", "format": "csv"}'
call sql '{"store": "demo.histree", "statement": "ATTACH DATABASE '"'elsewhere/x'"' AS x"}'
call sql '{"store": "demo.histree", "statement": "SELECT histree_attach('"'elsewhere'"')"}'
call sql '{"store": "demo.histree", "statement": "CREATE TABLE x (y)"}'
call sql '{"store": "demo.histree", "read-only": false, "statement": "SELECT 1"}'
ls elsewhere
# What is too much is refused, and ends.
OPTIONS='--bytes 1K' call states '{"store": "demo.histree"}'
OPTIONS='--seconds 1' call sql '{"store": "demo.histree", "statement": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"}'
awk 'BEGIN { print "["; for (i = 0; i < 400000; i++) printf "{\"ph\":\"X\",\"name\":\"n%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1},\n", i % 1000, i }' >traces/long.json
OPTIONS='--seconds 1' call open '{"path": "long.json"}' >out
grep -q -e 'no answer within 1 seconds: build the store first' -e 'long.json.histree' out && echo 'it ended'
ls traces | grep building
rm -rf traces/long*
OPTIONS='--bytes 1K' call draw '{"store": "demo.histree", "size": "3000x3000"}' | sed 's/.*\(not built\|built without\).*/image/'
call draw '{"store": "demo.histree", "size": "300x200"}' | sed 's/.*\(not built\|built without\).*/image/'
TMPDIR=nowhere call draw '{"store": "demo.histree"}' | sed 's/.*built without.*/no picture can be made/' | grep -o 'no picture can be made'
try histree mcp nowhere
try histree mcp
