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
mkfifo pipe.sqlite
try histree export "$STORE" -f -o pipe.sqlite

# The file at the end of a link is replaced by a whole one, or is as it was; the link stays.
mkdir -p data
ln -s data/rows.csv link.csv
ln -s link.csv again.csv
histree export "$STORE" --to +1ms -o again.csv
histree export "$STORE" --to +1ms --format csv | cmp - data/rows.csv
echo kept >data/rows.csv
try histree export "$STORE" --to +1ms -o again.csv
cat data/rows.csv
try histree export "$STORE" --to +1ms --analysis nothing --force -o again.csv
cat data/rows.csv
histree export "$STORE" --to +1ms --force -o again.csv
histree export "$STORE" --to +1ms --format csv | cmp - data/rows.csv
ln -s data/states.sqlite link.sqlite
histree export "$STORE" --to +1ms -o link.sqlite && head -c 13 data/states.sqlite && echo
ln -s data/picture.svg link.svg
echo kept >data/picture.svg
try histree draw "$STORE" -f --from +2ms --to +1ms -o link.svg
cat data/picture.svg
histree draw "$STORE" -f --size 400 -o link.svg && tail -c 7 data/picture.svg
histree export "$STORE" --to +1ms --format csv -o /dev/stdout >out.csv && cmp out.csv data/rows.csv
ln -s data folder.csv
try histree export "$STORE" -o folder.csv
ls -l data link.* again.csv | grep -c -- '->'
rm -r data
ls -A
