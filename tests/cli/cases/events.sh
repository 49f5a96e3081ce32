# Events of the trace, by time and by what is inside of their fields.
histree build -q -o small.histree $DATA/ctf-perf-small
try histree events small.histree --limit 3
try histree events small.histree --where 'type matches sys_enter && args[3] == 895' --format tsv
try histree events small.histree --where '"args[1]" > 140735532000000 && args[0] present' --limit 2 --format csv
try histree events small.histree --where 'args[6] present'
try histree events small.histree --where 'prev_comm present' --limit 1 --format json
try histree events small.histree --from +15us --to +25us --format tsv
try histree events small.histree --where 'args[2] >'
try histree events small.histree --limit 0
try histree events nothing.histree
# Addresses are above the greatest int64.
printf 'time,name,cpu,at\n1,alloc,0,0xffffffff81000000\n2,alloc,0,16\n3,alloc,0,18446744071578845184\n4,alloc,0,-5\n' >at.csv
histree build -q -a kernel -o at.histree at.csv
histree events at.histree --where 'at > 9223372036854775807 && at == 18446744071578845184' --format tsv
histree events at.histree --where 'at < 0 || at contains 16' --format tsv
