# Pairs of states and segments, compared with a loop over the rows of both.
histree build -q -a kernel,system-calls -o store "$DATA/demo-trace"
histree segments --join store system-calls 'Threads/*' --on tid --format tsv >pairs.tsv
histree states store --format tsv | grep -E '^(path|Threads/[^/]*)	' >states.tsv
histree segments store system-calls --format tsv >segments.tsv
python3 - <<'END'
import csv
read = lambda name: list(csv.DictReader(open(name), delimiter="\t", quoting=csv.QUOTE_NONE))
pairs, states, segments = map(read, ("pairs.tsv", "states.tsv", "segments.tsv"))
expected = sorted((state["path"], state["start"], segment["start"], segment["end"], segment["name"])
                  for segment in segments for state in states
                  if state["type"] != "null" and state["path"].split("/")[1] == segment["tid"]
                  and int(state["start"]) <= int(segment["end"]) and int(segment["start"]) <= int(state["end"]))
found = sorted((pair["path"], pair["state_start"], pair["start"], pair["end"], pair["name"]) for pair in pairs)
print("the pairs are those of the loop:", found == expected and len(found) > 100)
END
# By each field, whether a number, a text or null, over all attributes, which have as many keys as components.
histree states store --format tsv >states.tsv
for field in name tid process return arguments; do
	histree segments --join store system-calls '**' --on $field --format tsv >by-$field.tsv
done
python3 - <<'END'
import collections, csv
read = lambda name: list(csv.DictReader(open(name), delimiter="\t", quoting=csv.QUOTE_NONE))
states, segments = collections.defaultdict(list), read("segments.tsv")
for state in read("states.tsv"):
    for component in set(state["path"].split("/")) if state["type"] != "null" else ():
        states[component].append((state["path"], int(state["start"]), int(state["end"])))
for field in "name", "tid", "process", "return", "arguments":
    expected = sorted((path, start, int(segment["start"]), int(segment["end"]))
                      for segment in segments for path, start, end in states[segment[field]]
                      if start <= int(segment["end"]) and int(segment["start"]) <= end)
    found = sorted((pair["path"], int(pair["state_start"]), int(pair["start"]), int(pair["end"]))
                   for pair in read(f"by-{field}.tsv"))
    print("by", field, "the pairs are those of the loop:", found == expected, "some" if found else "none")
END
histree segments --join store system-calls 'Threads/*' --on tid --where 'name == futex' --from +1ms --to +5ms | head -n 4
try histree segments --join store system-calls 'Threads/*' --on nonsense
try histree segments --join store system-calls nothing
try histree segments --join store nothing 'Threads/*'
