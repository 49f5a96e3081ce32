# Every variant gives the model's answers; times are not compared.
for variant in sht osht esht rsht vrsht cluster; do
	histree bench --attribute-count 50 --intervals 7 --queries 200 --variant $variant --node-size 4K --fan-out 3 \
		--format json
done | python3 -c '
import json, sys
for line in sys.stdin:
    if not line.startswith("{"):
        continue
    row = json.loads(line)
    print(row["variant"], row["attribute_count"], row["interval_count"], row["single_asked"], row["full_asked"],
          row["single_intervals"], row["full_intervals"], row["times_intervals"], row["wrong"],
          row["build_ns"] > 0 and row["single_nodes_visited"] >= 1)'
echo
histree bench --attribute-count 30 --queries 5 --variant esht --output kept.sht |
	grep -vE "^(build|size|tree)" | sed "s/[0-9.]* [mu]s/TIME/g; s/  */ /g"
histree info kept.sht | grep interval
echo
histree bench --store "$STORE" --queries 5 --format csv | tr -d '\r' | cut -d , -f 5,6,13-17
histree bench --attribute-count 30 --queries 5 --query-threads 3 --format json | python3 -c '
import json, sys
row = json.loads(sys.stdin.read().strip().strip("[],"))
print(row["threads"], row["threads_rate"] > 0, row["alone_rate"] > 0, row["threads_cpu_ns"] > 0,
      row["alone_cpu_ns"] > 0)'
histree bench --attribute-count 30 --queries 5 --query-threads 2 | tail -n 2 | sed "s/[0-9.]* us/TIME/g; s/[0-9]*[.][0-9]*/N/g"
try histree bench --variant oak
try histree bench --output kept.sht
try histree bench --attribute-count 0
