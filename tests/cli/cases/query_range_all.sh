# A range over the whole life is the dump; each sample of a list of times is what --at says of it.
histree states "$STORE" --format tsv >dump
histree states "$STORE" --from 1795195823901013128 --to 1795195823933800428 '**' --format tsv | cmp - dump
for time in +5ms +10ms +15ms +20ms; do
	histree states "$STORE" --at $time 'Threads/*' --format tsv | tail -n +2
done | LC_ALL=C sort -u >singles
histree states "$STORE" --from +5ms --to +20ms --step 5ms 'Threads/*' --format tsv | tail -n +2 | LC_ALL=C sort >sampled
cmp singles sampled
histree states "$STORE" --from +5ms --to +20ms --times 4 'Threads/*' --format tsv | tail -n +2 | LC_ALL=C sort | cmp - sampled
awk -F '\t' 'NR > 1 && $3 >= 1795195823906013128 && $2 <= 1795195823911013128' dump >expected
histree states "$STORE" --from +5ms --to +10ms '**' --format tsv | tail -n +2 | cmp - expected
wc -l <sampled
