# A recording of perf is built as it is: from either byte order, from a pipe, compressed; what is cut or damaged is said.
if histree build -q -o no.histree $DATA/perf-made/file.data 2>&1 | grep -q "built without libtraceevent"; then exit 77; fi
for form in file swapped pipe packed; do
	if histree build -o $form.histree $DATA/perf-made/$form.data 2>&1 | grep -q "built without zstd"; then exit 77; fi
	histree states $form.histree --format tsv | md5sum
done | uniq | wc -l
histree info file.histree | grep -E '^(trace|events|gaps|lost|warning)'
histree states file.histree --at +1us 'CPUs/*/Current_thread' --format tsv
# perf tells of a name first: states of the kernel begin with its first event.
histree events file.histree | sed -n 2p | cut -c 10-45
histree info file.histree | grep -E '^start' | sort -u | cut -c 1-50
cp $DATA/perf-made/*.data .
chmod u+w *.data
# Where no record can be, reading goes on at the next end of a round.
printf '\0\0\0\0' | dd of=file.data bs=1 seek=1700 conv=notrunc 2>/dev/null
try histree build -q file.data
histree states file.data.histree --at +3us "CPUs/*/Current_thread" --format tsv | cut -f 1,4,5
truncate -s 3000 swapped.data
try histree build -q swapped.data
truncate -s 5000 pipe.data
try histree build -q pipe.data
printf 'PERFILE2' >short.data
try histree build -q short.data
try histree build -q file.data swapped.data
