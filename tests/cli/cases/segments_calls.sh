# Function calls, as states and as segments: of a made trace, of which some events are lost.
histree build -q -a ust-calls,function-calls -o store "$DATA/ctf-calls"
histree info store -a function-calls | grep -A 2 'segment count'
histree verify store | sed 's/[0-9]* nodes/N nodes/'
histree segments store function-calls --format tsv
histree segments store function-calls --sort self --reverse --limit 2
histree segments store function-calls --by name --format tsv | cut -f 1-6
histree states store --at +1450 'Threads/100/CallStack/**' --format tsv
try histree build -q -a function-calls -o other "$DATA/demo-trace"
