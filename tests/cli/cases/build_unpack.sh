# What is packed a thousandfold is unpacked to a limit that is said, and no further.
histree build -q -o probe.histree $DATA/perfetto-made/both.pftrace.gz 2>&1 | grep -q zlib && exit 77
python3 - $DATA/perfetto-made/both.pftrace <<'END'
import gzip, pathlib, sys, zlib

def varint(number):
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)

def field(number, body):
    return varint(number << 3 | 2) + varint(len(body)) + body

sound = pathlib.Path(sys.argv[1]).read_bytes()
hollow = field(1, field(900, bytes(40000))) * 1800
packet = field(1, field(50, zlib.compress(hollow, 9)))
pathlib.Path("packets.pftrace").write_bytes(sound + packet * 40)
text = b'[{"name":"a","ph":"X","ts":1,"dur":5,"pid":1,"tid":1},\n'
pathlib.Path("blanks.json.gz").write_bytes(gzip.compress(text + b" " * (120 << 20) + text[1:-2] + b"]", 9))
END
try histree build -q -f -o packets.histree packets.pftrace 2>&1 | grep -v tracer
histree verify packets.histree
try histree build -q -f -o blanks.histree blanks.json.gz
