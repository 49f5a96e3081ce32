# Damage costs what it hit, and says so; repair makes a sound store of the rest and lists what is lost.
histree build -q -t esht --node-size 4K -o store "$DATA/demo-trace"
histree states store --format tsv >sound
file=store/kernel.sht
flip() {
	python3 -c 'import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(int(sys.argv[2])); byte = file.read(1)[0]
    file.seek(int(sys.argv[2])); file.write(bytes([byte ^ 4]))' "$file" "$1"
}
flip 20      # the header, which has a copy
flip 50000   # a node
histree verify store
echo "[exit $?]"
histree states store --format tsv >damaged
echo "[exit $?]"
# Nothing but unknown is new, and what is unknown was there.
diff sound damaged | grep '^>' | cut -f 4 | sort | uniq -c | sed 's/ *[0-9]* /N /'
[ "$(diff sound damaged | grep -c '^<')" -gt 10 ] && echo "some are lost"
histree copy --repair store --format tsv >lost
echo "[exit $?]"
head -n 1 lost
grep -c . lost | sed 's/[0-9][0-9]*/N rows/'
try histree verify store.repaired | sed 's/[0-9]* nodes, [0-9]*/N nodes, N/'
histree states store.repaired --format tsv | cmp - damaged && echo "the same"
try histree info store.repaired | grep -E '^(complete|partial|warnings| +repaired:)' | sed 's/[0-9][0-9]*/N/'
try histree copy --repair store
echo "[exit $?]"
# A sound one is not copied; what a build left is found under the name that it was to have; and a single file.
try histree copy --repair store.repaired -o again
[ -e again ] && echo "there is a copy"
mv store.repaired again.building
sed -i -z 's/"complete": *true/"complete": false/; s/"version": 2/"version": 1/; s/,\n *"checksum[^\n]*//' \
	again.building/manifest.json # as an older version left it: without a checksum
try histree copy --repair again -o whole
mv again.building store.repaired
try histree copy --repair whole/kernel.sht -o file.sht
histree states file.sht --format tsv | cmp - damaged && echo "the same"
rm store/manifest.json
histree copy --repair -f store >rows
histree states store.repaired --format tsv | cmp - damaged && echo "the same"
# What it is made of is not where it is made, with a manifest and without one.
for left in store.repaired store; do
	rm -rf left left.building && mv $left left.building
	for name in left left.building; do
		try histree copy --repair -f $name -o left
	done
	try histree copy left.building -o left
	ls left.building/kernel.sht
done
