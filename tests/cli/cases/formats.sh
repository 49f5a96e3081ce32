# The four formats say the same, but that JSON has labels too.
for what in 'states' 'states --at +12ms' 'states --from +1ms --to +2ms **' 'info --attributes'; do
	set -f
	set -- $what
	verb=$1
	shift
	for format in tsv csv json; do
		histree "$verb" "$STORE" "$@" --format $format >out.$format
	done
	python3 -m json.tool <out.json >/dev/null || echo "json: $what"
	python3 - <<-'END'
		import csv, json
		def plain(value):
		    return "" if value is None else str(value)
		with open("out.csv", newline="") as file:
		    from_csv = list(csv.reader(file))
		with open("out.tsv") as file:
		    from_tsv = [line.rstrip("\n").split("\t") for line in file]
		with open("out.json") as file:
		    rows = json.load(file)
		for row in rows:
		    row.pop("label", None)  # what only JSON has room for
		from_json = [list(rows[0])] + [[plain(value) for value in row.values()] for row in rows]
		print(len(rows), from_csv == from_tsv, from_json == from_tsv)
	END
	histree "$verb" "$STORE" "$@" | wc -l
done
