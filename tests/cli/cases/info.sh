# The store, then the history; only what does not depend on the machine is compared.
histree info "$STORE" | grep -vE '^(store|made by|traces|build ns|variant|format version|fi|node|depth|bytes|attribute b|  )'
for format in tsv csv; do
	histree info "$STORE" --format $format | tr -d '\r' | head -n 1 | tr '\t' ','
	histree info "$STORE" --format $format | wc -l
done
histree info "$STORE" --format json | python3 -c '
import json, sys
row = json.load(sys.stdin)[0]
print(*row, sep=",")
print(row["analysis"], row["event_count"], row["attribute_count"], row["interval_count"], row["partial"])
print(sum(row["nodes_at_height"]) == row["node_count"], len(row["nodes_at_height"]) == row["depth"],
      len(row["key_range_nodes"]), sum(row["key_range_nodes"]) <= row["node_count"],
      0 < row["node_fill_percent"] <= 100)'
