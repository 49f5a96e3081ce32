# A trace of Perfetto is built as it is, plain or in gzip; what was lost, is damaged or cut is said.
if histree build -q -o gz.histree -a kernel $DATA/perfetto-made/both.pftrace.gz 2>&1 | grep -q "without zlib"; then exit 77; fi
histree build -q -o both.histree -a kernel $DATA/perfetto-made/both.pftrace
for form in gz both; do
	histree dump $form.histree --format tsv | md5sum
done | uniq | wc -l
histree info both.histree | grep -E '^(trace|events|gaps|lost|warning)'
histree query both.histree --at +2us 'CPUs/*/Current_thread' --format tsv
histree query both.histree --at +7us 'Threads/12/Exec_name' --format tsv | cut -f 1,4,5
histree events both.histree --format tsv | cut -f 1-4 | head -5
cp $DATA/perfetto-made/both.pftrace damaged.pftrace
cp $DATA/perfetto-made/both.pftrace cut.pftrace
chmod u+w *.pftrace
# Where no packet can be, reading goes on behind the next marker.
printf '\0\0' | dd of=damaged.pftrace bs=1 seek=146 conv=notrunc 2>/dev/null
try histree build -q -a kernel damaged.pftrace
truncate -s 300 cut.pftrace
try histree build -q -a kernel cut.pftrace
# Neither of a kernel nor of tracks.
head -c 30 $DATA/perfetto-made/both.pftrace >clocks.pftrace
try histree build -q clocks.pftrace
