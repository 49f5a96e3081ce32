# A sound store comes out whole; of a damaged one, what is lost is listed and unknown, and the rest is sound.
cp -r "$STORE" store
chmod -R u+w store
try histree repair store
try histree verify store.repaired | sed 's/[0-9]* nodes/N nodes/'
printf '\377' | dd of="$(ls store/*.sht)" bs=1 seek=20000 conv=notrunc status=none
try histree repair --output left --format tsv store >told
tail -n 1 told
grep -c '^kernel' told | grep -vx 0 >/dev/null && echo 'lost intervals are listed'
try histree verify left | sed 's/ok: .*/ok/'
histree dump left | grep -c unknown | grep -vx 0 >/dev/null && echo 'and are unknown'
