# Of several hosts, threads and resources stand below their host; one that is missing says so.
histree draw "$STORE" -o probe.svg 2>&1 | grep -q 'built without cairo' && exit 77
rm probe.svg
cp -r "$DATA/demo-trace" A
cp -r "$DATA/demo-trace" B
chmod -R u+w A B
histree build -q -o both.histree --clock none --host-dir A=A --host-dir B=B 2>/dev/null
for view in control-flow resources attributes; do
	try histree draw both.histree -o "$view.svg" --view "$view"
done
# Rows of one host only.
histree draw both.histree -o one.svg 'B/Threads/*'
cmp -s one.svg control-flow.svg && echo "the same"
for words in '' '--from +5ms --to +6ms' '--view resources'; do
	histree draw both.histree $words --host B --title one -f -o of_host.svg
	histree draw both.histree/hosts/B $words --title one -f -o alone.svg
	cmp of_host.svg alone.svg && echo "a host's picture is that of its store"
done
rm of_host.svg alone.svg
try histree draw both.histree --host C -o of_host.svg
try histree draw both.histree -o tree.svg --view tree
rm -r both.histree/hosts/B
histree draw both.histree -o missing.svg 2>/dev/null
cmp -s missing.svg control-flow.svg && echo "the same"
ls *.svg
