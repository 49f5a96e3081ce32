# A page by Catapult's trace2html has its traces packed, each in an element; a text that is packed so is none in JSON.
cat >make.py <<'EOP'
import base64
import gzip


def packed(trace, kind="application/json"):
    text = base64.b64encode(gzip.compress(trace.encode(), mtime=0)).decode()
    return f'<script id="viewer-data" type="{kind}">\n{text}\n</script>\n'


def span(name, ts, count=1):
    return ",".join(f'{{"ph":"X","name":"{name}","pid":1,"tid":2,"ts":{ts + i},"dur":0.5}}' for i in range(count))


head = '<!DOCTYPE html>\n<html><head><meta charset="utf-8"><script>var a = "' + "x" * 300000 + '";</script>\n'
plain = "".join(f'<script class="trace-data">[{span("plain", i)}]</script>' for i in range(3000))
one, two = packed('{"traceEvents":[' + span("one", 10) + "]}"), packed("[" + span("two", 20, 50000) + "]")
open("page.html", "w").write(head + one + two + "</html>")
open("text.html", "w").write(head + packed("# tracer: nop\n", "text/plain") + one + "</html>")
open("cut.html", "w").write(head + one + two[:len(two) // 2])
open("many.html", "w").write(head + plain + one * 300 + plain + "</html>")
open("none.html", "w").write(head + packed("# tracer: nop\n", "text/plain") + "</html>")
EOP
python3 make.py
for file in page text cut many none; do
	try histree build $file.html -o $file 2>&1 | grep -v " events, "
	[ -e $file ] && histree segments --by name $file track-spans --format tsv | cut -f 1-2
done
true
