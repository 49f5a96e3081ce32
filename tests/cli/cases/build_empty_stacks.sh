# What a stack holds whose last value is gone: 0, or null as with Trace Compass.
for how in zero null; do
	histree build -q -a ust-calls --empty-stacks $how -o $how.histree "$DATA/ctf-calls"
	histree states -a ust-calls --format tsv $how.histree | awk -F '\t' '$1 ~ /CallStack$/' >$how.tsv
done
diff zero.tsv null.tsv
grep -o '"null_empty_stacks": true' zero.histree/manifest.json null.histree/manifest.json
