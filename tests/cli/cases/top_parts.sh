# A range in parts: the parts add up to the whole, and are what an addition of the states says, with as many threads at once.
histree top "$STORE" --parts 2
histree top "$STORE" --by host --parts 3
histree top "$STORE" --by state --where 'state == waiting' --parts 4 --format tsv > parts.tsv
head -n 1 parts.tsv
histree states "$STORE" 'Threads/*' --where 'thread present && label == "waits for a CPU"' --format tsv > waits.tsv
cat > add_up.py <<'END'
import csv
read = lambda name: list(csv.DictReader(open(name), delimiter="\t"))
waits = [(int(row["start"]), int(row["end"])) for row in read("waits.tsv")]
for part in read("parts.tsv"):
    start, end = int(part["start"]), int(part["end"])
    ns = sum(max(0, min(end, last) - max(start, first) + 1) for first, last in waits)
    at_once = ns / (end - start + 1)
    print(ns == int(part["duration"]) or (ns, part), abs(at_once - float(part["at_once"])) < 1e-9)
END
python3 add_up.py
sums() { awk -F '\t' -v state="$1" -v ns="$2" 'NR > 1 { sum[$state] += $ns } END { for (name in sum) print name, sum[name] }' | sort; }
cmp <(histree top "$STORE" --parts 7 --format tsv | sums 4 5) <(histree top "$STORE" --by state --format tsv | sums 2 3) && echo same
# Rows of each part in the order asked for; --limit is of all rows; a range of fewer nanoseconds than parts has as many as these.
histree top "$STORE" --parts 2 --by name --sort waiting --columns start,name,waiting | head -n 3
histree top "$STORE" --parts 3 --by thread -n 2 --columns start,thread
histree top "$STORE" --parts 9 --from +10ms --to +10000001ns --by host --format tsv --columns start,end,count
# What each part counts of switches is what was counted in it; nothing, and what is wrong, are said once and before any row.
histree build -q -a kernel,switches -o switches.histree "$DATA/demo-trace"
count() { histree top switches.histree --by thread --more switches --format tsv "$@" | awk -F '\t' 'NR > 1 { sum += $NF } END { print sum }'; }
[ "$(count --parts 5)" = "$(count)" ] && echo as many
try histree top "$STORE" --parts 2 --where 'name == nobody' --format json
try histree top "$STORE" --parts 2 --where 'colour == 3' --format json
