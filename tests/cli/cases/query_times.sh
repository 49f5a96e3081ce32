# The forms of a time are the same time.
for time in 1795195823913013128 +12000000 +12000000ns +12000us +12ms +12.000ms +0.012s +0.0002m 17:30:23.913013128 \
	'2026-11-20 17:30:23.913013128' 2026-11-20T17:30:23.913013128; do
	histree states "$STORE" --at "$time" 'CPUs/**' --format tsv | md5sum
done | uniq -c | wc -l
