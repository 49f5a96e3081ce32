# A critical path as a picture, whole or not at all.
histree draw "$STORE" -o probe.svg 2>&1 | grep -q 'built without cairo' && exit 77
histree build -q -a graph -o store "$DATA/demo-trace"
thread=14752
histree why --rules trace-compass store "$thread" -o path.svg
head -c 5 path.svg; grep -c '<g\|<path' path.svg | sed 's/[1-9][0-9]*/ has shapes/'
try histree why --rules trace-compass store "$thread" -o path.gif
try histree why --rules trace-compass store 99999999 -o none.svg
try histree why --rules trace-compass store "$thread" --size 10 -o small.svg
ls
