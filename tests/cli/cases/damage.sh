# A changed byte is found by verify, and costs what it hit; a missing end is found, and no verb answers from it.
cp -r "$STORE" store
chmod -R u+w store
file=$(ls store/*.sht)
try histree verify store | sed 's/[0-9]* nodes/N nodes/'
printf '\377' | dd of="$file" bs=1 seek=20000 conv=notrunc status=none
histree verify store >faults
echo "[exit $?]"
head -n 1 faults | grep -o 'checksum mismatch'
histree states store >/dev/null
echo "[exit $?]"
histree report store >page
echo "report [exit $?]" $(grep -A 2 '^Damage' page | cut -c 1-60)
# What is asked of a damaged history in other shapes says so too.
for lookup in --changes --first-value; do
	histree states store --from +0 --to +30ms $lookup '**' >answer
	echo "$lookup [exit $?]" $(grep -c -w unknown answer)
done
histree build -q -a ust-calls -o calls $DATA/ctf-calls
printf '\377' | dd of=calls/ust-calls.sht bs=1 seek=4196 conv=notrunc status=none
histree states calls --at +1.2us --stack-top '**' >answer
echo "--stack-top [exit $?]" $(grep -c -w unknown answer)
truncate -s 10000 "$file"
for verb in 'info --attributes' states 'states --at +1ms' info report; do
	histree $verb store >/dev/null
	echo "$verb [exit $?]"
done
histree verify store >faults
echo "[exit $?]"
: >"$file"
histree verify store >faults
echo "[exit $?]"
# Of segments and of waits, too: what is left is shown.
histree build -q -a kernel,graph,system-calls -o parts "$DATA/demo-trace"
for part in graph.sht system-calls.seg; do
	cp -r parts broken
	printf '\377' | dd of="broken/$part" bs=1 seek=4300 conv=notrunc status=none
	histree report broken >page
	echo "$part [exit $?]" $(grep -c '^Damage' page)
	rm -r broken
done
