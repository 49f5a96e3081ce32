# Two hosts with one clock, found from their packets: the clock of "b" is 2 ms ahead and gains 100 us a second.
make_host() {
	awk -v host="$1" -v other="$2" 'BEGIN {
		print "# tracer: nop"
		for (i = 0; i < 200; i++) {
			sent = i * 0.01; took = 0.0001 + (i * 7 % 13) * 0.00001
			from = i % 2 ? "b" : "a"
			at = host == from ? sent : sent + took
			if (host == "b") at = at * 1.0001 + 0.002
			what = host == from ? "inet_sock_local_out" : "inet_sock_local_in"
			printf "     swapper-0     [000] d..1  %.6f: %s: seq=%d ack_seq=%d flags=%d\n", 1000 + at, what, i * 10, i, 24
			one = 7 + i % 2; two = 15 - one
			printf "     swapper-0     [000] d..1  %.6f: sched_switch: prev_comm=t%d prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=t%d next_pid=%d next_prio=120\n", 1000 + at, one, one, two, two
		}
	}'
}
make_host a b >a
make_host b a >b
clocks() {
	histree info "$1" | grep -E '^hosts|^ +[ab]: |^warnings|^  +host'
}
histree build -q -o two --host-dir a=a --host-dir b=b
clocks two
histree info --attributes two '*'
histree verify two | sed 's/[0-9]* nodes/N nodes/'
histree info two/hosts/b | grep -E '^(host|clock)' | sed 's/slope.*/slope/'
echo "each clock as it is wanted"
histree build -q -f -o two --host-dir a=a --host-dir b=b --clock none
clocks two
histree build -q -f -o two --host-dir a=a --host-dir b=b --clock b=-1900000,0.9999 --reference a
clocks two
histree build -q -f -o two --host-dir a=a --host-dir b=b --reference b
clocks two | sed 's/slope.*/slope/'
echo "one host that is named"
histree build -q -f -o one --host-dir a=a --clock a=1000
ls one
histree info one | grep -E '^(host|clock)'
echo "no packets, no clock"
grep -v inet_sock b >silent
histree build -q -f -o two --host-dir a=a --host-dir b=silent
clocks two
echo "what cannot be"
try histree build -o no --host-dir a=a --host-dir b=b --clock c=5
try histree build -o no --host-dir a=a --host-dir b=b --clock b=5 --clock b=6
try histree build -o no --host-dir a=a --host-dir b=b --clock b=5,-1
try histree build -o no --host-dir a=a --host-dir b=b --clock b=5,2
try histree build -o no --host-dir a=a --host-dir b=b --clock b=nan
try histree build -o no --host-dir a=a --host-dir b=b --clock b
try histree build -o no --host-dir a=a --host-dir b=b --clock none --clock packets
try histree build -o no --host-dir a=a --host-dir b=b --reference c
try histree build -o no --host-dir a=a --host-dir b=a
try histree build -o no --host-dir a=a --host-dir =b
try histree build -o no --host-dir a=a --host-dir "$(printf 'x%.0s' $(seq 100))=b"
try histree build -o no --host-dir a=a --host-dir b=net://localhost/host/x/y
try histree build -o no --host-dir a=a --host-dir b=nothing
try histree build --backend memory -a kernel --host-dir a=a --host-dir b=b
try histree build
echo "a host that fails, and the build without it"
mkdir -p bad
echo nonsense >bad/metadata
try histree build -q -o three --host-dir a=a --host-dir b=b --host-dir c=bad
ls
try histree build -q -o three --threads 1 -a kernel,irqs --host-dir a=a --host-dir b=b --host-dir "c=$DATA/ctf-calls"
find three.building -name manifest.json | sort
try histree build -q -o three --threads 1 -a kernel,irqs --host-dir a=a --host-dir b=b
try histree build -q -o three --resume -a kernel --host-dir a=a --host-dir b=b
try histree build -q -o three --resume -a kernel,irqs --host-dir a=a --host-dir b=b
find three | sort
histree verify three | sed 's/[0-9]* nodes/N nodes/'
echo "again, with its clocks and its hosts"
histree build -q -f -o two --host-dir a=a --host-dir b=b
md5sum two/hosts/*/*.sht >sums
try histree copy --rebuild -q two
md5sum -c sums
clocks two | sed 's/slope.*/slope/'
try histree copy two
try histree copy --repair two
echo "a name that no folder can have"
histree build -q -f -o odd --host-dir ../a=a --host-dir .building=b
ls odd/hosts
histree info --attributes odd '*'
echo "moved, one host lost, one of another store"
mv two moved
histree verify moved | sed 's/[0-9]* nodes/N nodes/'
mv moved/hosts/b b.lost
try histree verify moved
try histree states moved --at +1s 'a/CPUs/0/Current_thread' 'b'
ln -s ../../b.lost moved/hosts/b
try histree verify moved
rm moved/hosts/b
cp -r moved/hosts/a moved/hosts/b
try histree verify moved
rm -r moved/hosts
try histree states moved --at +1s
