# Events as text: a table with the names that histree looks for, one with others and a map, lines of JSON.
cat >events.csv <<-END
	time,name,cpu,prev_comm,prev_tid,prev_prio,prev_state,next_comm,next_tid,next_prio
	1000,sched_switch,0,swapper/0,0,20,0,bash,100,20
	5000,sched_switch,0,bash,100,20,1,cat,101,20
	4000,sched_switch,1,swapper/1,0,20,0,ls,102,20
	9000,sched_switch,0,cat,101,20,1,swapper/0,0,20
END
try histree build -q events.csv -o plain
histree states plain --format tsv >plain.tsv
grep -c . plain.tsv
histree states plain --at 6000 'Threads/*' --format tsv
sed '1s/.*/ts,kind,core,prev_comm,prev_tid,prev_prio,prev_state,next_comm,to,next_prio/
	2,$s/^\(.\)000/0.00000\1/' events.csv | tr , '\t' >events.tsv
try histree build -q -o mapped events.tsv
try histree build -q --map time=ts,unit=s,name=kind,cpu=core,next_tid=to -a kernel -o mapped events.tsv
histree states mapped --format tsv | cmp - plain.tsv && echo the same states
histree info mapped | grep traces
try histree copy --rebuild -q mapped
histree states mapped --format tsv | cmp - plain.tsv && echo and again
tail -n +2 events.csv >bare.csv
histree build -q --map columns=time+name+cpu+prev_comm+prev_tid+prev_prio+prev_state+next_comm+next_tid+next_prio -o bare bare.csv
histree states bare --format tsv | cmp - plain.tsv && echo without names
awk -F, 'NR > 1 { printf "{\"time\":%s,\"name\":\"%s\",\"cpu\":%s,\"prev_comm\":\"%s\",\"prev_tid\":%s,\"prev_prio\":%s,\"prev_state\":%s,\"next_comm\":\"%s\",\"next_tid\":%s,\"next_prio\":%s}\n", $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 }' events.csv >events.json
histree build -q -o lines events.json
histree states lines --format tsv | cmp - plain.tsv && echo JSON
# What is wrong is said with its place; what was read before it is kept.
printf 'time,name,cpu\n1,a,0\n2,b,0\nsoon,c,0\n' >wrong.csv
try histree build -q wrong.csv -o wrong
histree info wrong | grep 'event count'
printf 'time,name,cpu\n1,a,zero\n' >wrong.csv
try histree build -q wrong.csv -o none
try histree build -q --map time=ts events.csv -o none
try histree build -q --map a:b events.csv -o none
try histree build -q --map time=time "$DATA/demo-trace" -o none
printf 'one two\n' >words
try histree build -q words -o none
[ ! -e none ]
# A row is no sample without a time with a frame below it, whatever its columns look like.
printf 'time\tname\tcpu\tx\n1000010\tgo\t0\t5\n1000010\tgo\t0\t7\n1000041\tgo on (there)\t0\t-1\n' >numbers.tsv
try histree build -q numbers.tsv -o numbers
histree info numbers | grep -E 'event count|trace start'
