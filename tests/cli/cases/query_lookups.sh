# The top of each call stack is the deepest of its frames.
histree build -q -a ust-calls -o calls.histree $DATA/ctf-calls
histree info calls.histree --format json | grep -o '"start":[0-9]*' | head -n 1
histree info --attributes calls.histree '**/CallStack'
for at in +0.5us +1.2us +2us; do
	histree states calls.histree --at $at --stack-top '**' --format tsv >tops
	histree states calls.histree --at $at '**/CallStack/*' --format tsv |
		awk -F '\t' 'NR == 1 || $4 == "string"' | LC_ALL=C sort -t / -k 4,4n >frames
	grep -c . tops frames
	# Each top is a frame, and no frame of its stack is deeper.
	awk -F '\t' 'FNR == 1 { next }
		{ depth = $1; sub(/.*\//, "", depth); stack = $1; sub(/\/[^\/]*$/, "", stack) }
		FILENAME == "tops" { top[stack] = depth + 0; next }
		depth + 0 > top[stack] { print "deeper", $1 }' tops frames
done
try histree states calls.histree --at +1us --stack-top 'Threads/100/Name'
# The first value of what is null at first.
histree states "$STORE" --from +0 --to +30ms 'Threads/*/System_call' --first-value --format tsv >first
histree states "$STORE" --from +0 --to +30ms 'Threads/*/System_call' --format tsv |
	awk -F '\t' 'NR == 1 || ($4 != "null" && !seen[$1]++)' | cmp - first && echo first values
try histree states "$STORE" --from +0 --to +1ms 'Threads/0_0' --first-value
# Changes are what begins in the range, by time, then by the number of the attribute.
histree states "$STORE" --from +1ms --to +20ms 'CPUs/*/*' --changes --format tsv >changes
histree states "$STORE" --from +1ms --to +20ms 'CPUs/*/*' --format tsv |
	awk -F '\t' 'NR > 1 && $2 - 1795195823900000000 >= 2013128' | cut -f 2 | sort -n >times
tail -n +2 changes | cut -f 2 | sort -n -c && echo in order
tail -n +2 changes | cut -f 2 | comm -3 - times | wc -l
histree states "$STORE" --from +1ms --to +20ms 'CPUs/*/*' --changes --reverse --format tsv >backwards
tail -n +2 backwards | cut -f 2 | sort -n -r -c && echo latest first
sort changes >one; sort backwards | cmp - one && echo the same rows
histree states "$STORE" --from +1ms --to +20ms 'CPUs/*/*' --changes --limit 3
histree states "$STORE" --from +1ms --to +20ms 'CPUs/*/*' --changes -r -n 1
# Attributes by the names that a regular expression matches.
histree info --attributes "$STORE" --name '^Curr' | head -n 3
try histree info --attributes "$STORE" --name '^[0-9]{2}'
try histree info --attributes "$STORE" 'CPUs' --name 'a' --children
try histree info --attributes "$STORE" 'CPUs/0' 'CPUs/*' --name 'rr.*thr' --format tsv
try histree info --attributes "$STORE" --name 'nobody is called so'
try histree info --attributes "$STORE" --children
# What does not go together.
try histree states "$STORE" --at +1ms --changes
try histree states "$STORE" --from +0 --to +1ms '**' --stack-top
try histree states "$STORE" --from +0 --to +1ms '**' --changes --first-value
try histree states "$STORE" --from +0 --to +1ms '**' --changes --times 5
try histree states "$STORE" --from +0 --to +1ms '**' --reverse
