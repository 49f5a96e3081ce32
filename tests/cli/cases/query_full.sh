# Without a pattern: one state of each attribute, which covers the time.
histree query "$STORE" --at +12ms --format tsv >full
tail -n +2 full | wc -l
histree ls "$STORE" | wc -l
awk -F '\t' 'NR > 1 && ($2 > 1795195823913013128 || $3 < 1795195823913013128)' full
histree query "$STORE" --at +12ms '**' --format tsv | cmp - full
tail -n +2 full | cut -f 1 | LC_ALL=C sort -c && echo sorted
