# What passes an expression is what is left of all rows.
histree states "$STORE" --format tsv >all
compare() {
	histree states "$STORE" --where "$1" --format tsv >found
	awk -F '\t' "NR == 1 || ($2)" all | cmp - found && tail -n +2 found | wc -l
}
compare 'path == CPUs/0 && value == 2' '$1 == "CPUs/0" && $5 == 2'
compare 'path matches "^Threads/[^/]*$" && value == 5 && duration > 1ms' \
	'$1 ~ /^Threads\/[^\/]*$/ && $4 == "int" && $5 == 5 && $3 - $2 + 1 > 1000000'
compare "(path == CPUs/0 || path == CPUs/1) && !(value == 0) && type != null" \
	'($1 == "CPUs/0" || $1 == "CPUs/1") && $4 != "null" && $5 != 0'
compare 'type == string && value contains r' '$4 == "string" && $5 ~ /r/'
# What values mean is known too.
histree states "$STORE" --where 'label == "waits for a CPU"' --format tsv >found
histree states "$STORE" --where 'path matches "^Threads/[^/0][^/]*$" && value == 5' --format tsv | cmp - found && tail -n +2 found | wc -l
# Idle loops are no threads, whoever is asked: a status of threads is not one of theirs.
for label in 'waits for a CPU' 'user mode' interrupted; do
	histree sql "$STORE" "SELECT count(*) FROM states WHERE path GLOB 'Threads/0_*' AND label = '$label'" --format tsv | tail -n 1
	histree export "$STORE" 'Threads/0_*' --where "label == '$label'" --format csv | wc -l
	histree states "$STORE" 'Threads/0_*' --where "label == '$label'" --format tsv | wc -l
done
histree sql "$STORE" "SELECT DISTINCT label FROM states WHERE path GLOB 'Threads/0_[0-9]' ORDER BY 1" --format tsv
# With a range, a time, a list of times, patterns, and changes.
histree states "$STORE" --from +1ms --to +2ms --where 'type == int && value > 2 && duration >= 10us' 'CPUs/*' --format tsv
histree states "$STORE" --at +12ms --where 'value == 5' --format tsv
histree states "$STORE" --from +1ms --to +2ms --times 5 --where 'value == 1' 'CPUs/*/Current_thread' --format tsv
histree states "$STORE" --changes --where 'value == 5' --limit 3
# Only what can pass is read.
histree states "$STORE" --where 'path == CPUs/0 && start <= +12ms && end >= +12ms' --stats --format tsv 2>&1 |
	sed 's/[0-9.]* us, //; s/, [0-9]* read.*file,/,/'
try histree states "$STORE" --where 'path == nobody'
try histree states "$STORE" --where 'start > +1h'
try histree states "$STORE" --where 'valeu == 5'
try histree states "$STORE" --where 'value =='
try histree states "$STORE" --at +1ms --stack-top --where 'value == 5'
try histree states "$STORE" nothing --where 'value == 5'
