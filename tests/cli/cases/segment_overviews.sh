# Many segments have overviews, which info lists, verify checks and repair makes again.
awk 'BEGIN {
	print "start\tend\tname"
	for (i = 0; i < 140000; i++)
		print i * 1000 "\t" i * 1000 + 100 + i * 7919 % 1000 "\t" (i % 3 ? "read" : "write")
}' >calls.tsv
histree load -q -o store calls.tsv
histree info store | grep -E '^(segment count|overview)' -A 4 | grep -vE '^(with|start|end|duration|--)'
histree info store --format json | python3 -c '
import json, sys
(row,) = json.load(sys.stdin)
print(row["overview_count"] == len(row["overview_summaries"]), row["overview_bytes"] * 8 <= row["file_bytes"])'
histree segments store segments --by name --format tsv >with
try histree verify store | sed 's/[0-9]* nodes/N nodes/'
# Without them the answers are the same.
mkdir aside; mv store/segments.seg.overview* aside
histree segments store segments --by name --format tsv >without
cut -f 1-4,6,8- with >one; cut -f 1-4,6,8- without | cmp - one && echo "the same"
histree info store | grep '^overview'
mv aside/* store
# A damaged one costs time alone; repair makes all of them again.
printf X | dd of=store/segments.seg.overview1 bs=1 seek=5000 conv=notrunc status=none
histree segments store segments --by name --format tsv | cut -f 1-4,6,8- | cmp - one && echo "the same"
try histree verify store | sed 's/[0-9]* nodes/N nodes/'
try histree copy --repair store
try histree verify store.repaired | sed 's/[0-9]* nodes/N nodes/'
histree segments store.repaired segments --by name --format tsv | cut -f 1-4,6,8- | cmp - one && echo "the same"
# A store that is to have none gets none; another tree takes those that are there along.
histree load -q -f -o store --no-overviews calls.tsv
histree info store | grep '^overview'
