# A history file may stand where a store may.
file=$(ls "$STORE"/*.sht)
histree states "$file" | cmp - <(histree states "$STORE")
histree info --attributes "$file" 'CPUs/*'
histree states "$file" --at +12ms CPUs/0 --format tsv
histree info "$file" --format json | grep -o '"interval_count":[0-9]*'
histree verify "$file" | sed 's/[0-9]* nodes/N nodes/'
histree info --attributes -a kernel "$file" CPUs
cp "$file" copy.sht
try histree info --attributes -a ust-calls copy.sht CPUs
