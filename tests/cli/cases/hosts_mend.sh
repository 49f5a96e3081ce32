# Stores of several hosts are converted and repaired host by host; what was there stays as it is.
host() {
	awk -v first="$1" 'BEGIN {
		print "# tracer: nop"
		for (i = 0; i < 4000; i++) {
			one = first + i % 9; two = first + (i + 1) % 9
			printf "     swapper-0     [000] d..1  %.6f: sched_switch: prev_comm=t%d prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=t%d next_pid=%d next_prio=120\n", 1000 + i / 1000, one, one, two, two
		}
	}'
}
host 10 >x
host 30 >y
flip() {
	python3 -c 'import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(int(sys.argv[2])); byte = file.read(1)[0]
    file.seek(int(sys.argv[2])); file.write(bytes([byte ^ 4]))' "$1" "$2"
}
try histree build -q -o two -a kernel,irqs -t esht --node-size 4K --clock none --host-dir a/1=x --host-dir b=y
histree states two --format tsv >sound
find two -type f | sort | xargs md5sum >sums
echo "converted, beside it and in its place"
try histree copy two -t sht -o other
histree states other --format tsv | cmp - sound && echo "the same"
histree info other | grep -E '^(variant|hosts)' 
histree verify other | sed 's/[0-9]* nodes/N nodes/'
cp -r two mine
try histree copy mine -t vrsht --force
histree states mine --format tsv | cmp - sound && echo "the same"
histree verify mine | sed 's/[0-9]* nodes/N nodes/'
find mine* -type f | sort
try histree copy mine
try histree copy --force mine/hosts/b
try histree copy mine/hosts/b -o b.alone
histree info b.alone | grep '^host '
echo "sound"
try histree copy --repair two
ls
md5sum --quiet -c sums && echo "as it was"
echo "a damaged host"
cp -r two hurt
flip hurt/hosts/b/kernel.sht 30000
try histree copy --repair hurt --format tsv >lost
sed -n '1p; /lost intervals/s/[0-9][0-9]*/N/p' lost
cut -f 1,2 lost | grep -c '^kernel	b/' | sed 's/[0-9][0-9]*/some/'
grep -c '^kernel	a' lost
try histree verify hurt.repaired | sed 's/[0-9]* nodes, [0-9]*/N nodes, N/'
histree info hurt.repaired | grep -E '^(partial|warnings)' | sed 's/[0-9][0-9]*/N/'
histree states hurt.repaired 'a\/1/**' --format tsv >a.repaired
histree states two 'a\/1/**' --format tsv | cmp - a.repaired && echo "the other host is the same"
try histree copy hurt -o no 2>&1 | sed 's/node [0-9]*/node N/'
try histree copy --repair --force hurt.repaired/hosts/b -o hurt.repaired/hosts/b
echo "a missing host"
cp -r two less
rm -r less/hosts/b
try histree states less --at +1s b
try histree states less --at +1s '*/CPUs/0'
try histree states less --at +1s 'a\/1/CPUs/0'
try histree top less --limit 2 --format tsv
try histree copy less -o no
try histree copy --repair less
try histree verify less.repaired | sed 's/[0-9]* nodes, [0-9]*/N nodes, N/'
histree info less.repaired | grep -E '^(traces|hosts|partial|warnings)'
echo "one that was converted by itself"
cp -r two odd
histree copy odd/hosts/b -t sht -o b.sht
rm -r odd/hosts/b
cp -r b.sht odd/hosts/b
try histree verify odd 2>&1 | sed 's/[0-9]* nodes/N nodes/'
try histree copy --repair odd
histree states odd.repaired --format tsv | cmp - sound && echo "the same"
echo "the manifest of all is lost, and that of a host"
cp -r two lost.store
rm lost.store/manifest.json
try histree copy --repair lost.store
histree states lost.store.repaired --format tsv | cmp - sound && echo "the same"
histree info lost.store.repaired | grep -E '^(hosts| +b:)'
cp -r two dumb
echo nonsense >dumb/hosts/b/manifest.json
try histree copy --repair dumb
histree states dumb.repaired --format tsv | cmp - sound && echo "the same"
rm -r two/hosts
try histree copy --repair two -o no
ls -d no* 2>/dev/null
echo "a trace that is named twice"
try histree build -q -o no --host-dir a=x --clock none x
try histree build -q -o no --host-dir a=x --host-dir b=x
