# A history file may stand where a store may.
file=$(ls "$STORE"/*.sht)
histree dump "$file" | cmp - <(histree dump "$STORE")
histree ls "$file" 'CPUs/*'
histree query "$file" --at +12ms CPUs/0 --format tsv
histree info "$file" --format json | grep -o '"interval_count":[0-9]*'
histree verify "$file" | sed 's/[0-9]* nodes/N nodes/'
histree ls -a kernel "$file" CPUs
cp "$file" copy.sht
try histree ls -a ust-calls copy.sht CPUs
