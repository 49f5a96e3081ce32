# What an input has more than once is taken once: the same trace again, packets of snapshots that overlap.
trace=$DATA/ctf-calls
cut=$DATA/../tools/cut_trace.py
# The facts of a store that matter here.
says() {
	histree info "$1" | grep -E '^(event count|discarded events|repeated packets|warnings)'
}
histree build -q -a ust-calls,function-calls -o whole.histree "$trace" 2>whole.says
histree states whole.histree >whole.dump
histree segments whole.histree function-calls >whole.calls

# build NAME TRACE...
build() {
	name=$1
	shift
	echo "-- $*"
	histree build -a ust-calls,function-calls -o "$name.histree" "$@" 2>&1 | grep warning | grep -v 'the tracer lost'
	says "$name.histree" | grep -v 'the tracer lost'
	histree states "$name.histree" | cmp - whole.dump
	histree segments "$name.histree" function-calls | cmp - whole.calls
}

cp -r "$trace" copy
ln -s "$trace" link
mkdir below
cp -r "$trace" below/one
cp -r "$trace" below/two
build twice "$trace" "$trace"
build slash "$trace" "$trace/"
build copy "$trace" copy
build link link "$trace"
build below below

"$cut" "$trace" first 0 0
"$cut" "$trace" second 0 1
"$cut" "$trace" third 1 1
build snapshots first second third
build reversed third second first

echo "a packet that the earlier snapshot has less of"
"$cut" "$trace" short 0 0 2
build longer short "$trace"

echo "a packet that is in a file twice"
cp -r "$trace" again
chmod -R u+w again
head -c 1024 again/channel_1 >packet
cat packet again/channel_1 >both
mv both again/channel_1
build file again

echo "a copy of which a byte is wrong"
cp -r copy wrong
chmod -R u+w wrong
printf '\x99' | dd of=wrong/channel_0 bs=1 seek=110 conv=notrunc status=none
build undecided "$trace" wrong

echo "events are read from the store as they were built"
histree verify snapshots.histree
