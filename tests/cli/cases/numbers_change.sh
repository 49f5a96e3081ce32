# By how much numbers grew in a window: what was counted in it.
histree build -q -a cpu-usage,kernel -o store "$DATA/demo-trace"
histree states store -a cpu-usage --growth --limit 3 'CPUs/*/*'
histree states store -a cpu-usage --from +10ms --to +20ms --growth --limit 3 'CPUs/*/*' --format tsv
cat >numbers.tsv <<'END'
path	start	end	type	value
a	0	9	null	
a	10	19	int	2147483647
a	20	100	int	-2147483646
b	0	49	double	1.5
b	50	100	double	-2.25
c	0	49	unknown	
c	50	100	long	7
d	0	100	string	7
e	0	49	long	9
e	50	100	null	
END
histree load -q -o numbers numbers.tsv
try histree states numbers --growth '**' --format csv
try histree states numbers --growth --from 15 --to 60 '**' --format csv
try histree states numbers --growth --from 60 --to 60 a b --format csv
try histree states numbers --growth d
try histree states numbers --growth --parts 2 a
try histree states --numbers numbers --limit 2 a
