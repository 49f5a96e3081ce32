# Call stacks added up: as a tree, as rows, as lines, by thread, in a window and as a picture; and what is refused.
cat >trace.json <<'END2'
[
{"ph":"M","name":"thread_name","pid":1,"tid":7,"args":{"name":"Main"}},
{"ph":"X","name":"main","pid":1,"tid":7,"ts":0,"dur":100},
{"ph":"X","name":"draw","pid":1,"tid":7,"ts":10,"dur":30},
{"ph":"X","name":"a;b","pid":1,"tid":7,"ts":20,"dur":10.5},
{"ph":"X","name":"draw","pid":1,"tid":7,"ts":60,"dur":0.2},
{"ph":"X","name":"main","pid":1,"tid":8,"ts":50,"dur":100}
]
END2
histree build -q trace.json
try histree flame trace.json.histree
try histree flame trace.json.histree --min 0 --from +55us --to +65us
try histree flame trace.json.histree --by thread --format tsv
try histree flame trace.json.histree --format json Processes/1/7 --to +24us
try histree flame trace.json.histree --folded --by thread Processes/*/8 Processes/1/7
try histree flame trace.json.histree Processes/1/9
try histree flame trace.json.histree --folded --format tsv
try histree flame trace.json.histree --from +1s
try histree flame "$STORE"
try histree flame "$STORE" -a kernel
# What threads waited for, and who ended that.
try histree flame "$STORE" --waits
histree build -q -a kernel,graph -o why.histree "$DATA/demo-trace"
try histree flame why.histree --waits 14753 --depth 2
histree flame why.histree --waits 14753 --by thread | head -n 5
histree flame why.histree --waits --folded | awk '{ sum += $NF } END { print (sum > 0) }'
try histree flame why.histree --waits --from +1ms --to +2ms --format tsv 14753
try histree flame why.histree --waits 1
try histree flame why.histree --waits burn
try histree flame why.histree --waits --depth 17
histree draw "$STORE" -o probe.svg 2>&1 | grep -q 'built without cairo' && exit
try histree flame trace.json.histree -o flame.jpg
histree flame trace.json.histree -o flame.svg --title 'a < b'
python3 - <<'END2'
import xml.etree.ElementTree as tree
root = tree.parse("flame.svg").getroot()
for group in root.iter("{http://www.w3.org/2000/svg}g"):
    rect, title = group[0], group[1]
    print(rect.get("x"), rect.get("y"), rect.get("width"), title.text)
END2
histree draw trace.json.histree --view flame -o again.svg --title 'a < b'
cmp flame.svg again.svg
histree flame trace.json.histree -o - --title 'a < b' | cmp flame.svg -
histree flame trace.json.histree -o flame.png --size 400x250 --theme dark
echo "$(od -An -tu1 -j18 -N2 flame.png), $(od -An -tu1 -j22 -N2 flame.png)"
