# Without a pattern: one state of each attribute, which covers the time.
histree states "$STORE" --at +12ms --format tsv >full
tail -n +2 full | wc -l
histree info --attributes "$STORE" | wc -l
awk -F '\t' 'NR > 1 && ($2 > 1795195823913013128 || $3 < 1795195823913013128)' full
histree states "$STORE" --at +12ms '**' --format tsv | cmp - full
tail -n +2 full | cut -f 1 | LC_ALL=C sort -c && echo sorted
