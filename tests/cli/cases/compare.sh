# What differs between the windows of a store: states, and durations.
histree compare "$STORE" "$STORE" --to +20ms --from-b +20ms --top 5
histree compare "$STORE" "$STORE" --to +20ms --from-b +20ms 'CPUs/*' --format tsv | head -4
histree compare "$STORE" "$STORE" --top 2 --format json
histree build -q -a kernel,system-calls -o store "$DATA/demo-trace"
histree compare --segments system-calls store store --to +20ms --from-b +20ms --top 4
histree compare --segments system-calls store store --by tid --where 'name == read' --format tsv | head -3
try histree compare store
try histree compare store store 'Nothing/*'
try histree compare store store --by tid
try histree compare store store 'CPUs/*' --segments system-calls
try histree compare store store --from-b +1h
try histree compare store store --from-b +20ms --to-b +10ms
try histree compare --segments system-calls store "$STORE"
try histree compare --segments system-calls store store --by colour
try histree compare --segments system-calls store store --where 'name == nothing'
