# A file takes its name when it is whole; what cannot be written leaves nothing, and what was there stays.
try histree export "$STORE"
try histree export "$STORE" -o trace.txt
try histree export "$STORE" --format xml
try histree export "$STORE" -o nowhere/trace.json
try histree export "$STORE" -o trace.json 'Threads/none'
try histree export "$STORE" -o trace.json --from +1h
try histree export "$STORE" -o trace.json --where 'duration > 1ms'
try histree export "$STORE" -o trace.json -a none
try histree export "$STORE" -o trace.json -a none --events
try histree export "$STORE" -o trace.json --events Threads
try histree export "$STORE"/kernel.sht --events --format chrome
ls
echo old >trace.json
try histree export "$STORE" -o trace.json
cat trace.json
try histree export "$STORE" -o trace.json --force
mkdir folder.json
try histree export "$STORE" -o folder.json --force
ls
# The same to standard output, and again.
histree export "$STORE" --format chrome | cmp - trace.json
histree export "$STORE" --format chrome -o - | cmp - trace.json
histree export "$STORE" --format perfetto >one.pftrace
histree export "$STORE" -o two.pftrace
cmp one.pftrace two.pftrace
# What one pattern chooses, cut at the ends of a range.
try histree export "$STORE" --format chrome CPUs/0 CPUs/0/Current_thread --from +10.315ms --to +10.33ms
try histree export "$STORE" --format chrome 'CPUs/0' none --from +10ms --to +10ms
# Events, with their fields.
histree build -q -a kernel -o here.histree "$DATA/demo-trace"
try histree export here.histree --format chrome --events --from +10.32ms --to +10.321ms
# A disk that is full, and a reader that has seen enough.
if [ -w /dev/full ]; then
	histree export "$STORE" --format chrome >/dev/full
	echo "[exit $?]"
fi 2>&1
histree export "$STORE" --format chrome | head -n 1 | wc -l
# Expressions leave what query says.
histree export "$STORE" --where 'label == "waits for a CPU" && duration > 100us' --columns path,start,end --format csv |
	tail -n +2 | tr -d '\r' | LC_ALL=C sort >rows.csv
histree states "$STORE" --where 'label == "waits for a CPU" && duration > 100us' --format csv | tail -n +2 | tr -d '\r' |
	cut -d, -f1-3 | LC_ALL=C sort | cmp - rows.csv && wc -l <rows.csv
try histree export "$STORE" --where 'start > +1h' --columns path --format csv
try histree export "$STORE" --where 'colour == 5' --format csv
# Columns: the same rows as a dump has, whatever their order.
histree export "$STORE" --columns path,start,end,type --format csv | tail -n +2 | tr -d '\r' | LC_ALL=C sort >rows.csv
histree states "$STORE" --format csv | tail -n +2 | tr -d '\r' | cut -d, -f1-4 | LC_ALL=C sort | cmp - rows.csv && wc -l <rows.csv
try histree export "$STORE" --format csv CPUs/0 CPUs/0/Current_thread --from +10.32ms --to +10.322ms --columns path,value
try histree export "$STORE" --format csv --columns path,values
try histree export "$STORE" --format chrome --columns path
try histree export "$STORE" --format csv --compression zstd
try histree export here.histree --events --format csv --from +10.32ms --to +10.321ms
try histree export "$STORE" --format sqlite
# A folder by analysis and slice of time.
try histree export "$STORE" --partition second
try histree export "$STORE" --partition week -o columns
try histree export "$STORE" --partition second -o one.pftrace
try histree export "$STORE" --format csv --partition second -o columns
try histree export "$STORE" --partition second -o columns
try histree export "$STORE" --partition second -o columns
try histree export "$STORE" --partition second -o columns --force
find columns | LC_ALL=C sort
# What is damaged is shown as unknown, and said.
cp -r "$STORE" store
chmod -R u+w store
printf '\377' | dd of="$(ls store/*.sht)" bs=1 seek=20000 conv=notrunc status=none
histree export store -o damaged.json
echo "[exit $?]"
grep -c '"name":"unknown"' damaged.json
histree build -q -a kernel,system-calls -o calls "$DATA/demo-trace"
count=$(histree segments calls system-calls --format csv | wc -l)
printf '\377' | dd of=calls/system-calls.seg bs=1 seek=9000 conv=notrunc status=none
for file in calls.pftrace calls.csv; do
	histree export calls -a system-calls -o "$file"
	echo "[exit $?]"
done
[ "$(wc -l <calls.csv)" -lt "$count" ] && echo some are missing
# a file of any form has how long each state lasts
for file in all.parquet all.arrow all.csv; do
	histree export calls 'CPUs/*' -o $file && grep -ac duration $file >said && echo "$file: duration"
done
# An analysis that the store lacks is what is wrong, not the expression.
try histree export "$STORE" -a nothing --where 'duration > 1ms' -o nothing.json
