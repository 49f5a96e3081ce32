# What differs as a picture, and call stacks of both sides in one tree.
cat >a.json <<'END2'
[
{"ph":"X","name":"main","pid":1,"tid":7,"ts":0,"dur":100},
{"ph":"X","name":"draw","pid":1,"tid":7,"ts":10,"dur":30},
{"ph":"X","name":"old","pid":1,"tid":7,"ts":50,"dur":10}
]
END2
sed 's/"dur":30/"dur":60/; s/"old","pid":1,"tid":7,"ts":50/"new","pid":1,"tid":7,"ts":80/' a.json >b.json
histree build -q a.json
histree build -q b.json
try histree compare --flame a.json.histree b.json.histree
try histree compare --flame a.json.histree b.json.histree --format tsv
try histree compare --flame a.json.histree a.json.histree Processes/1 --to +20us --from-b +20us --format json
try histree compare --flame a.json.histree b.json.histree --segments track-spans
try histree compare --flame a.json.histree "$STORE"
try histree compare "$STORE" "$STORE" -o a.gif
histree draw "$STORE" -o probe.svg 2>&1 | grep -q 'built without cairo' && exit
histree compare --flame a.json.histree b.json.histree -o flame.svg
python3 - <<'END2'
import xml.etree.ElementTree as tree
for group in tree.parse("flame.svg").getroot().iter("{http://www.w3.org/2000/svg}g"):
    print(group[0].get("width"), group[0].get("fill"), group[1].text)
END2
histree build -q -a kernel,system-calls -o calls.histree "$DATA/demo-trace"
for format in svg png; do
	histree compare calls.histree calls.histree --to +15ms --from-b +15ms -o "states.$format"
	histree compare calls.histree calls.histree --to +15ms --from-b +15ms -a system-calls -o "calls.$format" \
		--size 700x300
done
python3 -c 'import xml.dom.minidom as dom; dom.parse("states.svg"); dom.parse("calls.svg")'
echo "$(od -An -tu1 -j18 -N2 calls.png), $(od -An -tu1 -j22 -N2 calls.png)"
ls
