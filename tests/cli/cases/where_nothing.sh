# An expression that nothing passes says what it may have meant.
try histree build -q -a kernel,system-calls -o s "$DATA/demo-trace"
for where in 'duration > 100s && blocked' 'duration > 100s' '"two words" && duration > 100s' 'tid == 5 && !(name present)'; do
	try histree segments s system-calls --where "$where"
done
try histree segments --by name s system-calls --where 'duration > 100s && futile' --format tsv | grep -v ^all
try histree states s --at +20ms --where 'duration > 100s && blocked' 'Threads/*'
for where in 'name == sched:sched_switch' 'sched_jump' 'common_pid == 99999999' 'nobody.knows > 5'; do
	try histree events s --where "$where"
done
