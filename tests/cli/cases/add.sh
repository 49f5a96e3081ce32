# Analyses are added to a store from its trace; it is the old store or the new one at each moment.
cp -r "$DATA/demo-trace" trace
histree build -q -a kernel -o store trace
cp store/kernel.sht before
try histree add store futex graph
cmp store/kernel.sht before && histree verify store
histree segments store futex -n 2
histree build -q -a kernel,futex,graph -o whole trace
cmp store/graph.sht whole/graph.sht && diff <(histree states -a graph store) <(histree states -a graph whole) && echo "as if built"
try histree add store futex
try histree add store nonsense
try histree add store
histree info store | grep -c '^analysis  '
try histree add store
# Killed at any moment.
histree build -q -a kernel -o victim trace
for hundredth in 0 1 2 3 4 5 6 8 10 13; do
	{ timeout -s KILL "0.0$hundredth" histree add -q victim wakeups graph system-calls; } 2>/dev/null
	histree verify victim >/dev/null || echo "damaged"
	case "$(histree info victim | grep -c '^analysis  ')" in
	1) ;;
	4) rm -r victim && histree build -q -a kernel -o victim trace ;;
	*) echo "neither the old one nor the new one" ;;
	esac
done
histree add -q victim wakeups && histree info victim | grep -c '^analysis  '
rm -r victim && ls
# A trace that moved, and one that is not the same.
mv trace elsewhere
try histree add store kernel-compact
try histree add store kernel-compact --trace "$DATA/ctf-perf-small"
try histree add store kernel-compact --trace elsewhere
histree verify store | sed 's/[0-9]* nodes.*/N/'
try histree add store kernel-tc
try histree add nothing graph
