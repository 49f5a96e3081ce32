# What a report says of disks, of files, and of what ended waits.
cat >io.tsv <<'END'
start	end	duration	name	device	sector	bytes
1000	2000	1000	read	8:0	1	4096
1500	4500	3000	write	8:0	9	1048576
5000	5500	500	read	8:16	7	512
6000	6100	100	discard	8:16	7	512
END
{
	printf 'start\tend\tduration\tname\ttid\tprocess\treturn\targuments\n'
	printf '1000\t1400\t400\topenat\t7\tcat\t3\tdfd = -100, filename = "/etc/motd", flags = 0\n'
	printf '2000\t2100\t100\tstat\t7\tcat\t-2\tfilename = "/a \\\\"b\\\\" c"\n'
	printf '3000\t3900\t900\topen\t8\tsh\t4\tfilename = "/etc/motd"\n'
	printf '4000\t4100\t100\tread\t8\tsh\t4\tfd = 4, count = 10\n'
} >calls.tsv
histree load -q -a block-io -o disks io.tsv && histree report disks | sed -n '/^Disks/,/--by/p'
histree segments disks block-io --by device --format tsv | wc -l
histree load -q -a system-calls -o files calls.tsv && histree report files | sed -n '/^Files/,/where/p'
histree segments files system-calls --where 'arguments contains filename' --format tsv | wc -l
histree report files --limit 1 --from 2500 | sed -n '/^Files/,/where/p'
histree build -q -a kernel,graph -o waits "$DATA/demo-trace"
histree report waits --limit 2 | sed -n '/^What ended/,/why/p'
histree report waits --limit 2 --from +10ms --to +12ms | sed -n '/^What ended/,/why/p'
cp -r "$DATA/demo-trace" copy
histree build -q -a kernel,graph -o two.histree --clock none --host-dir 'a=copy' --host-dir "b=$DATA/demo-trace" 2>/dev/null
histree report two.histree --limit 1 | sed -n '/^What ended/,/why/p'
