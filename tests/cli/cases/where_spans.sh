# The threads of a trace of spans are found by number, name, PROCESS:THREAD and path, wherever threads are asked for.
cat >trace.json <<'END'
[
{"ph":"M","name":"process_name","pid":10,"args":{"name":"Browser"}},
{"ph":"M","name":"thread_name","pid":10,"tid":11,"args":{"name":"Main"}},
{"ph":"M","name":"thread_name","pid":10,"tid":12,"args":{"name":"Worker"}},
{"ph":"M","name":"process_name","pid":20,"args":{"name":"Renderer"}},
{"ph":"M","name":"thread_name","pid":20,"tid":11,"args":{"name":"Main"}},
{"ph":"X","name":"load","pid":10,"tid":11,"ts":1000,"dur":50},
{"ph":"X","name":"parse","pid":10,"tid":12,"ts":1010,"dur":20},
{"ph":"X","name":"paint","pid":20,"tid":11,"ts":1020,"dur":30},
{"ph":"C","name":"memory","pid":20,"ts":1020,"args":{"used":12}}
]
END
histree build -q trace.json
store=trace.json.histree
paths() {
	histree states $store "$@" --format tsv | tail -n +2 | cut -f 1 | sort -u | tr '\n' ' '
	echo
}
for word in 11 12 Main 'Work*' Browser:Main 20:11 Renderer: Processes/10/11 11,Worker; do
	echo "$word: $(paths "$word")"
	histree segments $store track-spans --thread "$word" --format tsv | tail -n +2 | cut -f 4,6,7 | tr '\n\t' ' :'
	echo
done
for where in 'thread == 11' 'name == Main' 'name == Main && process == 20' 'process == 10' "name matches '^W'"; do
	echo "$where: $(paths --where "$where")"
done
try histree states $store nobody
try histree segments $store track-spans --thread Mian
histree export $store --thread Renderer:Main --columns path --format csv -o - | tr -d '\r' | tail -n +2 | sort -u
histree copy $store part --thread Browser:Main
histree info --attributes part --format tsv
histree segments part track-spans --format tsv
histree flame $store 10:11 --format tsv
