# Nothing that has the name is replaced unasked, by any verb that writes a picture or a page; and never by half of one.
histree draw "$STORE" -o probe.svg 2>&1 | grep -q 'built without cairo' && exit 77
histree build -q -a kernel,graph -o waits.histree $DATA/demo-trace
thread=$(histree info --attributes waits.histree -a graph 'Threads/*' | awk -F / 'NR == 3 { print $2 }')
try_twice() {
	file=$1
	shift
	echo precious >"$file"
	try histree "$@" "$file"
	cat "$file"
	histree "$@" "$file" --force
	head -c 5 "$file" | tr '[:upper:]' '[:lower:]' && echo
	ls "$file"*
}
try_twice rows.svg draw "$STORE" -o
try_twice waits.svg flame --waits waits.histree -o
try_twice page.html report "$STORE" --html
try_twice path.svg why waits.histree "$thread" --rules trace-compass -o
try_twice both.svg compare "$STORE" "$STORE" -o
# What goes wrong leaves what was there, whatever was allowed.
echo precious >rows.svg
try histree draw "$STORE" --force 'No/such/**' -o rows.svg
cat rows.svg
# A folder is not replaced at all.
mkdir folder.svg
try histree draw "$STORE" --force -o folder.svg
# What is no file is written to, as standard output is.
histree draw "$STORE" -o - | head -c 5 && echo
histree report "$STORE" --html /dev/stdout | head -c 15 && echo
