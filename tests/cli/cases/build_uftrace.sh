# A folder of uftrace: its calls, with names, and what is wrong with one.
cp -r "$DATA/uftrace-made" made
try histree build -q -a ust-calls,function-calls made -o store
histree states store --at 1100 'Threads/100/*/*' --format tsv
histree segments store function-calls
printf '\07' | dd of=made/info bs=1 seek=8 conv=notrunc status=none
try histree build made -o none
rm made/info
try histree build made -o none
[ ! -e none ]
