# What is no file is written to and stays what it is: a pipe, and a link. A device would be lost for the whole machine.
given() {
	mkfifo "$1"
	cat "$1" >got &
	shift
	try "$@"
	wait
}
given page.html histree report "$STORE" --html page.html
[ -p page.html ] && head -c 15 got
given picture.svg histree draw "$STORE" --size 400 -o picture.svg
[ -p picture.svg ] && tail -c 7 got
given trace.json histree export "$STORE" --format chrome --to +1ms -o trace.json
[ -p trace.json ] && python3 -c 'import json; print(len(json.load(open("got"))) > 0)'
given rows.csv histree export "$STORE" --to +1ms -o rows.csv
[ -p rows.csv ] && histree export "$STORE" --to +1ms --format csv | cmp - got
ln -s kept.html link.html
histree report "$STORE" --html link.html
[ -L link.html ] && tail -c 8 kept.html
ln -s other.sqlite link.sqlite
try histree export "$STORE" -f -o link.sqlite
ls -A
