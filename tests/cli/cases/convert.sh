# Another tree has the same states; the trace is not needed, and what is damaged or there already is refused.
cp -r "$DATA/demo-trace" trace
histree build -q -a kernel,system-calls -o store trace
chmod -R u+w trace && rm -r trace
histree states store >expected
for variant in sht osht esht rsht vrsht cluster; do
	histree copy store -t $variant -o $variant
	histree info $variant -a kernel --format json | grep -o '"variant":"[^"]*"'
	histree states $variant | cmp - expected
	histree verify $variant >/dev/null || echo "$variant is not sound"
done
histree segments esht system-calls --format tsv | cmp - <(histree segments store system-calls --format tsv)
cmp esht/events.idx store/events.idx
# To the end, also if there is more than one line.
histree copy store -o again --progress json 2>&1 | sed -n 1p | sed 's/:[0-9.]*/:N/g'
rm -r again
try histree copy store -t esht
histree copy store -t esht --node-size 4K --force
histree info store -a kernel --format json | grep -o '"variant":"[^"]*"\|"node_size":[0-9]*'
histree states store | cmp - expected
histree copy esht/kernel.sht -t sht -o file.sht
histree states file.sht | cmp - expected
try histree copy esht/kernel.sht -o file.sht
printf '\377' | dd of=esht/kernel.sht bs=1 seek=70000 conv=notrunc status=none
try histree copy esht -o other
try histree copy nothing -o other
ls
