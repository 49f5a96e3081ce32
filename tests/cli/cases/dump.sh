# Each attribute is covered from start to end, without gap or overlap, sorted by path and start.
histree states "$STORE" --format tsv >dump
head -n 4 dump
tail -n +2 dump | wc -l
histree info "$STORE" -a kernel --format json | grep -o '"interval_count":[0-9]*'
tail -n +2 dump | cut -f 1,2 | LC_ALL=C sort -c -t "$(printf '\t')" -k 1,1 -k 2,2n && echo sorted
awk -F '\t' '
	NR == 1 { next }
	$1 != path { if (NR > 2 && end != 1795195823933800428) print "early end", path
		     if ($2 != 1795195823901013128) print "late start", $1
		     path = $1; attributes++; end = ""; }
	# Differences of neighbouring times are small; the times themselves are too large for awk.
	{ sub(/^1795195823/, "", $2); start = $2; if (end != "") { sub(/^1795195823/, "", end)
		if (start - end != 1) print "gap", path, start }; end = $3 }
	END { print attributes, "attributes" }' dump
