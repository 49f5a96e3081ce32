# A picture takes its name when it is whole; what cannot be drawn leaves nothing.
histree draw "$STORE" -o probe.svg 2>&1 | grep -q 'built without cairo' && exit 77
rm probe.svg
try histree draw "$STORE"
try histree draw "$STORE" -o picture.jpg
try histree draw "$STORE" -o a.svg --size 100
try histree draw "$STORE" -o a.svg --size 300x
try histree draw "$STORE" -o a.svg --view trees
try histree draw "$STORE" -o a.svg 'Threads/none'
try histree draw "$STORE" -o a.svg --from +1h
try histree draw "$STORE" -o a.svg --from +2ms --to +1ms
try histree draw "$STORE" -o nowhere/a.svg
try histree draw "$STORE" -o a.svg --view resources 'Threads/1*'
ls
for view in control-flow resources attributes tree; do
	histree draw "$STORE" -o "$view.svg" --view "$view"
	head -c 5 "$view.svg"
	histree draw "$STORE" -o "$view.png" --view "$view" --theme dark --size 500x333
	# Width and height of a PNG are in its first chunk.
	echo " $view: $(od -An -tu1 -j18 -N2 "$view.png"), $(od -An -tu1 -j22 -N2 "$view.png")"
done
ls
# The same picture, byte for byte.
histree draw "$STORE" -f -o again.svg
cmp again.svg control-flow.svg
# Names that are no text must not spoil a picture, and bytes of SVG in them are no markup.
histree draw "$STORE" -f -o again.svg --title $'\xff\xfe <script> \x01 \xe2\x82'
python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("again.svg")'
# A damaged node is drawn as what it is.
cp -r "$STORE" store
chmod -R u+w store
printf '\377' | dd of="$(ls store/*.sht)" bs=1 seek=20000 conv=notrunc status=none
histree draw store -o damaged.svg --view tree
echo "[exit $?] damaged, and in the legend: $(grep -o 'rgb(47.84[^)]*)' damaged.svg | wc -l)"
