# A changed byte is found by verify, and costs what it hit; a missing end is found, and no verb answers from it.
cp -r "$STORE" store
chmod -R u+w store
file=$(ls store/*.sht)
try histree verify store | sed 's/[0-9]* nodes/N nodes/'
printf '\377' | dd of="$file" bs=1 seek=20000 conv=notrunc status=none
histree verify store >faults
echo "[exit $?]"
head -n 1 faults | grep -o 'checksum mismatch'
histree dump store >/dev/null
echo "[exit $?]"
truncate -s 10000 "$file"
for verb in ls dump 'query --at +1ms' info; do
	histree $verb store >/dev/null
	echo "$verb [exit $?]"
done
histree verify store >faults
echo "[exit $?]"
: >"$file"
histree verify store >faults
echo "[exit $?]"
