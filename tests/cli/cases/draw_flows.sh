# Flows of a trace of tracks are arrows from span to span, where both have rows.
histree draw "$STORE" -o probe.svg 2>&1 | grep -q 'built without cairo' && exit 77
cat >trace.json <<'JSON'
[
{"ph":"X","name":"ask","pid":1,"tid":7,"ts":1000,"dur":50},
{"ph":"s","name":"post","pid":1,"tid":7,"id":1,"ts":1015},
{"ph":"f","name":"post","pid":1,"tid":8,"id":1,"ts":1030,"bp":"e"},
{"ph":"X","name":"handle","pid":1,"tid":8,"ts":1030,"dur":15}
]
JSON
histree build -q -o with.histree trace.json
histree build -q -a tracks -o without.histree trace.json
# Whether the picture has more in it for the flow.
compare() {
	for store in with without; do
		histree draw "$store.histree" --force -o "$store.svg" --title flows "$@"
	done
	cmp -s with.svg without.svg && echo "no arrow: $*" || echo "an arrow: $*"
}
compare 'Processes/*/*/CallStack/*'
compare 'Processes/*/7/CallStack/*'
compare 'Processes/*/*/CallStack/*' --from +20us --to +25us
compare 'Processes/*/*/CallStack/*' --from +31us
compare
