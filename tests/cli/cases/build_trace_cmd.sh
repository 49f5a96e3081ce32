# A trace.dat of trace-cmd is built as it is: of either version and byte order, compressed; what is cut or damaged is said.
if histree build -q -o no.histree $DATA/dat-made/row.dat 2>&1 | grep -q "built without libtraceevent"; then exit 77; fi
for form in row swapped sections zlib zstd; do
	if histree build -o $form.histree $DATA/dat-made/$form.dat 2>&1 | grep -q "built without"; then exit 77; fi
	histree dump $form.histree --format tsv | md5sum
done | uniq | wc -l
histree info row.histree | grep -E '^(trace|events|gaps|lost|warning)'
histree query row.histree --at +1us 'CPUs/*/Current_thread' --format tsv
cp $DATA/dat-made/*.dat .
chmod u+w *.dat
truncate -s 5000 swapped.dat
try histree build -q swapped.dat
truncate -s 5000 sections.dat
try histree build -q sections.dat
printf '\x17\x08\x44tracing6' >short.dat
try histree build -q short.dat
printf '\x17\x08\x44tracing5\0\0\10\0\20\0\0' >old.dat
try histree build -q old.dat
# One that says of which processes threads are.
histree build -q -o processes.histree $DATA/dat-made/processes.dat
histree top processes.histree --by process --format tsv
histree events processes.histree --where 'common_tgid == 2' --format tsv | wc -l
