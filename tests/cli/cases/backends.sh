# A partial history answers as a full one does, says what it needs, and is refused where it cannot be.
cp -r "$DATA/demo-trace" trace
chmod -R u+w trace
histree build -q -a kernel -o full trace
histree states full >expected
for distance in 100 1000 1000000; do
	histree build -q -a kernel --backend partial --checkpoint-events $distance -o partial$distance trace
	histree states partial$distance | cmp - expected
	histree verify partial$distance >/dev/null || echo "partial$distance is not sound"
	histree info partial$distance --format json | grep -o '"backend":"[^"]*"\|"checkpoint_count":[0-9]*\|"interval_count":[0-9]*'
done
histree info full --format json | grep -o '"backend":"[^"]*"\|"interval_count":[0-9]*'
for question in '--at +12ms' '--at +0 CPUs/*' '--from +5ms --to +9ms Threads/*' '--from +1ms --to +30ms --times 20 CPUs/*/Current_thread'; do
	histree states full $question --format tsv >answer
	histree states partial100 $question --format tsv | cmp - answer
done

# One analysis of two, which keeps segments, and the layouts of the kernel.
histree build -q -a kernel-compact,kernel-tc,kernel-2016,system-calls --backend partial --checkpoint-events 500 -o many trace
histree build -q -a kernel-compact,kernel-tc,kernel-2016,system-calls -o others trace
for analysis in kernel-compact kernel-tc kernel-2016; do
	histree states many -a $analysis | cmp - <(histree states others -a $analysis)
done
cmp many/system-calls.seg others/system-calls.seg

# What cannot be done with it.
try histree states partial100/kernel.sht
try histree copy partial100 -o other
histree copy --rebuild -q partial100
histree info partial100 --format json | grep -o '"checkpoint_count":[0-9]*'
mv trace moved
try histree states partial1000 --from +5ms --to +9ms 'Threads/*'
try histree verify partial1000
histree copy --rebuild -q partial1000 moved
histree states partial1000 | cmp - expected
file=$(ls moved/* | grep -v metadata | head -n 1)
cp "$file" kept
head -c 400 /dev/zero | tr '\0' '\377' | dd of="$file" bs=1 seek=9000 conv=notrunc status=none
histree states partial1000 >/dev/null 2>said || tail -n 1 said
cp kept "$file"
printf 'more' >>"$file"
try histree states partial1000
cp kept "$file"

# Backends without a store.
histree build -a kernel --backend memory moved 2>&1 | sed 's/, [0-9.]* m\?s$/, N ms/'
histree build -a kernel --backend null moved 2>&1 | sed 's/, [0-9.]* m\?s$/, N ms/'
try histree build --backend memory -o other moved
try histree build --backend null --force moved
try histree build --backend memory -a kernel,kernel-tc moved
try histree build --backend null -a system-calls moved
try histree build --backend partial --resume -o other moved
try histree build --backend partial --publish 1s -o other moved
try histree build --checkpoint-events 7 -o other moved
try histree build --backend partial -o other net://localhost/host/nobody/nothing
try histree build --backend tape moved
ls
