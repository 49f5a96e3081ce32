# A trace.dat of trace-cmd is built as it is: of either version and byte order, compressed; what is cut or damaged is said.
if histree build -q -o no.histree $DATA/dat-made/row.dat 2>&1 | grep -q "built without libtraceevent"; then exit 77; fi
for form in row swapped sections zlib zstd; do
	if histree build -o $form.histree $DATA/dat-made/$form.dat 2>&1 | grep -q "built without"; then exit 77; fi
	histree states $form.histree --format tsv | md5sum
done | uniq | wc -l
histree info row.histree | grep -E '^(trace|events|gaps|lost|warning)'
histree states row.histree --at +1us 'CPUs/*/Current_thread' --format tsv
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
# What programs marked, and calls of functions, are events: the text has them as spans.
cat >make-marks.py <<'EOF'
import sys
sys.path[:0] = [sys.argv[1] + "/../trace_cmd", sys.argv[1] + "/../perf"]
import perf_data
import trace_dat

POINTS = [perf_data.Tracepoint(5, "ftrace", "print", [("unsigned long", "ip", 8, 8, 0), ("char[]", "buf", 16, 0, 0)]),
          perf_data.Tracepoint(11, "ftrace", "funcgraph_entry", [("unsigned long", "func", 8, 8, 0), ("int", "depth", 16, 4, 1)])]
dat = trace_dat.TraceDat(POINTS, page_size=256, version=6)


def said(text):
    return dat.pack("HBBi", 5, 1, 2, 3) + dat.pack("Q", 0xffff) + text + b"\n\0"


call = dat.pack("HBBi", 11, 1, 2, 3) + dat.pack("Qi", 0xffff, 0)
for name, events in (("plain", [said(b"B, and that is all")]), ("marks", [said(b"one"), said(b"B|3|draw"), said(b"E|3")]), ("calls", [call])):
    stamped = [(1000 + i, event) for i, event in enumerate(events)]
    open(f"{name}.dat", "wb").write(dat.file({"": {0: dat.pages(stamped)}}, [(trace_dat.UNAME, b"Linux demo 6.1.0 x86_64\0")]))
EOF
python3 make-marks.py "$DATA"
for name in plain marks calls; do
	histree build -o $name.histree $name.dat 2>&1 | grep -o 'calls of functions, .*' || echo $name
done
