# What a link leads to is not cleared for a build.
mkdir elsewhere
echo precious >elsewhere/kernel.sht
ln -s elsewhere out.histree.building
for force in '' --force --resume; do
	try histree build -q $force -o out.histree $DATA/demo-trace
done
printf 'path\ttime\tvalue\nOven\t5\t200\n' >states.tsv
try histree load -q -o out.histree states.tsv
cat elsewhere/*
ls
