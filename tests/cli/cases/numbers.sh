# Numbers of a range, from an overview and without one, compared with fractions over the rows of a dump.
histree build -q -o store "$DATA/demo-trace"
histree states --numbers store 'CPUs/*/Current_thread' | head -n 3
python3 - <<'END'
import random
random.seed(3)
with open("states.tsv", "w") as file:
    print("path", "start", "end", "type", "value", sep="\t", file=file)
    for path, make in (("level", lambda: ("long", random.getrandbits(63) - 2**62)),
                       ("share", lambda: ("double", repr(random.uniform(-1e9, 1e9)))),
                       ("word", lambda: ("string", "no number"))):
        time = 0
        for _ in range(9000):
            end = time + random.randrange(1, 1000)
            kind, value = make() if random.random() > 0.05 else ("null", "")
            print(path, time, end, kind, value, sep="\t", file=file)
            time = end + 1
END
# So many that the history gets an overview by itself.
seq 1100000 | awk '{ print "tick\t" 4*$1 "\t" 4*$1+3 "\tint\t" $1 % 7 }' >>states.tsv
histree load -q -o with states.tsv
cp -r with plain
rm plain/*.numbers
for range in '' '--from 1000 --to 3000000' '--parts 7' '--from 5 --to 9'; do
	for path in level share; do
		histree states --numbers plain $path $range --format tsv >one
		histree states --numbers with $path $range --format tsv >other
		cmp one other && tail -n +2 other >>rows
	done
done
python3 - <<'END'
import csv
from fractions import Fraction
number = lambda text: Fraction(float(text) if "." in text or "e" in text else int(text))
states = {}
for row in csv.DictReader((line for line in open("states.tsv") if not line.startswith("tick")), delimiter="\t"):
    states.setdefault(row["path"], []).append(row)
rows = right = 0
for line in open("rows"):
    path, start, end, count, least, mean, most, *times = line.rstrip("\n").split("\t")
    start, end = int(start), int(end)
    inside = [(number(s["value"]), min(int(s["end"]), end) - max(int(s["start"]), start) + 1) for s in states[path]
              if s["type"] != "null" and int(s["start"]) <= end and int(s["end"]) >= start]
    rows += 1
    ns = sum(length for _, length in inside)
    expected = float(sum(number * length for number, length in inside) / ns)
    right += (int(count) == len(inside) and number(least) == min(inside)[0] and number(most) == max(inside)[0]
              and float(mean) == expected and int(times[0]) == ns)
print("rows that fractions agree with:", right, "of", rows)
END
histree verify with | sed 's/[0-9]* nodes/N nodes/'
try histree states --numbers with word
try histree states --numbers with nothing
try histree states --numbers with
try histree states --numbers with level --parts 0
try histree states --numbers with level --from 10 --to 5
try histree states --numbers "$STORE" "CPUs/*/Frequency"
