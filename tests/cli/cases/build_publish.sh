# A build that is cut off leaves what it published: it can be asked, gone on with, and made a store.
histree build -q -a kernel,timers -o whole "$DATA/demo-trace"
histree states whole --format tsv >expected
# No file may be longer than this: the signal that says so ends the build at once, somewhere in the middle.
(
	bash -c "ulimit -f 100; exec histree build --threads 1 --publish 1ns -a kernel,timers -t esht --node-size 4K -o store '$DATA/demo-trace'"
	echo "[exit $?]"
) 2>said
ls store.building
try histree info store | grep -E '^(store|complete|partial)'
try histree verify store | cut -d : -f 1
# Each row of it begins as one of the whole history does.
cut -f 1,2,4,5 expected | sort >begins
histree states store --format tsv | cut -f 1,2,4,5 | sort | comm -23 - begins | wc -l
try histree build -o store "$DATA/demo-trace"
histree copy --repair store.building -o kept | wc -l
try histree info kept | grep -E '^complete'
histree states store --format tsv >before
histree states kept --format tsv | cmp - before && echo "the same"
histree build -q --resume -a kernel,timers -t esht --node-size 4K -o store "$DATA/demo-trace"
echo "[exit $?]"
histree states store --format tsv | cmp - expected && echo "the same"
ls -d store*
# Where the signal is ignored it is as if the disk was full.
(
	trap '' XFSZ
	ulimit -f 100
	histree build --threads 1 --publish 1ns -a kernel,timers -t esht --node-size 4K -o full "$DATA/demo-trace"
)
echo "[exit $?]"
try histree build --resume -o live net://localhost/host/me/session
try histree build --publish never -o other "$DATA/demo-trace"
