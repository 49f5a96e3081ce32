# Clocks of hosts by the packets between them: the clock of "b" is 2 ms ahead and gains 100 us a second.
make_host() {
	awk -v host="$1" -v other="$2" 'BEGIN {
		print "# tracer: nop"
		for (i = 0; i < 200; i++) {
			sent = i * 0.01; took = 0.0001 + (i * 7 % 13) * 0.00001
			from = i % 2 ? "b" : "a"
			if (from != host && i % 40 == 5) continue # not seen
			at = host == from ? sent : sent + took
			if (host == "b") at = at * 1.0001 + 0.002
			if (host == "c") at = at
			what = host == from ? "inet_sock_local_out" : "inet_sock_local_in"
			printf "     swapper-0     [000] d..1  %.6f: %s: seq=%d ack_seq=%d flags=%d\n", 1000 + at, what, i * 10, i, 24
		}
	}'
}
make_host a b >a
make_host b a >b
make_host c c | sed 's/seq=/seq=9/' >c
histree sync a b
histree sync a b --format tsv | cut -f 1,4-8
histree sync b a --reference a --format tsv | cut -f 1,4-8
histree sync a b --format json | tr -s '0-9.' N
# It ends as accurate as packets are fast: within half of the round trip.
histree sync a b --format tsv | awk -F '\t' 'NR == 3 {
	slope = ($2 - 1 / 1.0001) * 1e6
	print (slope < 50 && slope > -50) ? "slope within 50 ppm" : slope
	print ($7 < 200000) ? "error below 200 us" : $7
}'
try histree sync a b c
try histree sync a
try histree sync a a
ln -s a link
try histree sync link b a
try histree sync a b --reference d
try histree sync a nothing
try histree sync
# Packets that contradict each other: the clock of b is set.
awk '{ time = $4 + 0; if (time > 1001) $4 = sprintf("%.6f:", time + 5) } 1' b >set
try histree sync a set
