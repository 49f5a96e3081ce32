# A trace or a store in place of a verb: it is built if need be, and the report is printed.
cp -r "$DATA/demo-trace" trace
first() { "$@" >out 2>err; echo "exit $?"; head -1 out; grep -v -e "warning: " -e "no events for" err | sed "s/, [0-9.]* m\?s$//"; }
first histree trace
echo "again: nothing is built"
first histree trace
first histree ./trace
echo "the store alone"
first histree trace.histree
mkdir other
cp -r trace other/
try histree other/trace
mkdir session
cp -r trace session/kernel
first histree session
echo "again, and of two traces"
first histree session
mkdir two
cp -r trace two/a
cp -r trace two/b
histree build -q two
first histree two
mv two.histree two.histree.building
sed -i 's/"complete": *true/"complete": false/' two.histree.building/manifest.json
try histree two
printf 'a file\nwithout events\n' >notes
first histree notes
try histree buidl
try histree trace --limit 3
