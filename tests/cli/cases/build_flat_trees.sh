# R-trees that the memory has no room for have fewer levels than asked for: the build says so, and info has their number.
awk 'BEGIN {
	print "# tracer: nop"
	for (at = 0; at < 50000; at++) {
		next_one = (at * 7919) % 397 + 1
		printf "   cart-%d [000] d..3 %.6f: sched_switch: prev_comm=cart prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=cart next_pid=%d next_prio=120\n", last + 0, 20 + at / 10000, last + 0, next_one
		last = next_one
	}
}' > carts.txt
build() {
	histree build -f -a kernel --variant rsht -o store "$@" carts.txt 2>&1 | grep levels
	histree info store | grep '^r depth'
}
echo "with little memory"
build --r-depth 4 --memory 16M
echo "with enough"
build --r-depth 4 --node-size 4K
build --r-depth 2
