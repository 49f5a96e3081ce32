# A trace of Perfetto is built as it is, plain or in gzip; what was lost, is damaged or cut is said.
if histree build -q -o gz.histree -a kernel $DATA/perfetto-made/both.pftrace.gz 2>&1 | grep -q "without zlib"; then exit 77; fi
histree build -q -o both.histree -a kernel $DATA/perfetto-made/both.pftrace
for form in gz both; do
	histree states $form.histree --format tsv | md5sum
done | uniq | wc -l
histree info both.histree | grep -E '^(trace|events|gaps|lost|warning)'
histree states both.histree --at +2us 'CPUs/*/Current_thread' --format tsv
histree states both.histree --at +7us 'Threads/12/Exec_name' --format tsv | cut -f 1,4,5
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
# Events that the trace itself describes, probes of the kernel, packets packed by zstd, and packets that are not read.
cat >make.py <<'EOP'
import sys
sys.path.insert(0, sys.argv[1] + "/../perfetto")
import perfetto_trace as pt


def description(number, name, *fields):
    inside = b"".join(pt.data(2, pt.data(1, field) + pt.number(3, i + 1) + pt.number(5, kind)) for i, (field, kind) in
                      enumerate(fields))
    return pt.data(11, pt.number(1, number) + pt.data(2, pt.data(1, name) + inside))


def event(time, number, content):
    return pt.data(2, pt.number(1, time) + pt.number(2, 7) + pt.data(number, content))


bundle = (pt.number(1, 0) + event(1000, 65536, pt.number(1, -5) + pt.data(2, "me") + pt.number(3, 9) + pt.number(4, 8) + pt.number(1000, 1)) +
          event(2000, 65537, pt.number(1, 0xaaaa) + pt.number(2, 1)) +
          event(2500, 307, pt.number(3, 2) + pt.number(5, 77)) +
          event(3000, 542, pt.data(1, "do_write") + pt.number(2, 1)) + event(7000, 542, pt.data(1, "do_write") + pt.number(2, 2)) +
          description(65536, "my_event", ("count", 3), ("who", 9), ("flags", 13)) +
          description(65537, "contention_begin", ("lock_addr", 4), ("flags", 13)))
inner = pt.trace([pt.packet(pt.data(1, bundle)), pt.packet(pt.data(63, pt.number(1, 1))), pt.packet(pt.data(63, b"")),
                  pt.packet(pt.data(86, b""))])
# A frame of zstd of one block that is not packed.
frame = bytes.fromhex("28b52ffd") + b"\xa0" + len(inner).to_bytes(4, "little") + (len(inner) << 3 | 1).to_bytes(3, "little") + inner
open("plain.pftrace", "wb").write(inner)
open("zstd.pftrace", "wb").write(pt.trace([pt.data(133, frame)]))
open("unread.pftrace", "wb").write(pt.trace([pt.packet(pt.data(63, b""))]))
EOP
python3 make.py $DATA
try histree build -q -a track-spans zstd.pftrace
histree segments --format tsv --columns start,duration,name,tid zstd.pftrace.histree track-spans
histree build -q -o plain.histree plain.pftrace
histree info plain.histree | grep '^warnings'
histree events plain.histree --format tsv | cut -f 1,2,4-
try histree build -q unread.pftrace
