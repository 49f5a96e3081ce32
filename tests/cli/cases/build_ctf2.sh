# A trace of CTF 2 makes the store that its twin of CTF 1.8 makes; its faults have a fragment and a path.
tests=$(dirname "$(dirname "$(readlink -f "$DATA/ctf-made")")")
python3 "$tests/differential/twin.py" $DATA/demo-trace two
histree build -q -o two.histree two
histree dump two.histree >two.tsv
histree build -q -o one.histree $DATA/demo-trace
histree dump one.histree >one.tsv
try cmp one.tsv two.tsv
mkdir wrong
printf '\x1e{"type": "preamble", "version": 2}\n\x1e{"type": "data-stream-class", "id": -1}' >wrong/metadata
try histree build -o x.histree wrong
printf '\x1e{"type": "preamble", "version": 2}\n\x1e{"type": "field-class-alias", "name": "a", "field-class": "b"}' >wrong/metadata
try histree build -o x.histree wrong
printf '\x1e{"type": "preamble", ' >wrong/metadata
try histree build -o x.histree wrong
