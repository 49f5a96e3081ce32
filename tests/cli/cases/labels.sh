# What values mean is said once, by whoever made the history, and then by every verb.
printf 'time\tpath\tvalue\ttype\n10\tMachines/press\t0\tint\n20\tMachines/press\t7\tint\n' >changes.tsv
printf '20\tDoors/a\topen\tstring\n30\tDoors/a\t5\tstring\n40\tDoors/a\thidden\tstring\n' >>changes.tsv
printf 'pattern\tvalue\tto\ttype\tname\tlight\theight\n' >labels.tsv
printf 'Machines/*\t0\t\t\tswitched off\t#99a1ac\t0.5\nMachines/*\t1\t9\t\tworks\t\t\n' >>labels.tsv
printf 'Doors/**\topen\t\t\tstands open\tff0000\t\nDoors/**\t5\t\tstring\tajar\t\t\nDoors/**\t\t\t\t\t\t\n' >>labels.tsv
histree load -q changes.tsv --label-file labels.tsv --end 50 -o made
try histree states made --at 20
try histree states made --at 35
try histree states made --at 40 --format json
try histree states made --at 40 --format tsv
try histree info made --labels
histree info made | grep label
try histree verify made
# A second reader of the bytes; and what is listed makes the same again.
histree info made --labels --format tsv >listed.tsv
python3 ../data/../golden/read_history.py --labels made/states.sht >read.tsv
cmp listed.tsv read.tsv && echo "read alike"
for format in tsv csv json; do
	histree info made --labels --format $format >again.$format
	histree load -q changes.tsv --label-file again.$format --end 50 -o again-$format
	cmp made/states.sht again-$format/states.sht && echo "the same of $format"
done
histree info "$STORE" --labels --format tsv >kernel.tsv
python3 ../data/../golden/read_history.py --labels "$STORE/kernel.sht" | cmp - kernel.tsv && echo "read alike"
# They stay where a history is made anew, and where another analysis says them.
histree copy -t esht made -o converted 2>/dev/null
histree info converted --labels --format tsv | cmp - listed.tsv && echo "converted"
for analysis in kernel-compact kernel-tc kernel-2016; do
	histree build -q -a $analysis -o store-$analysis "$DATA/demo-trace" 2>/dev/null
	histree states store-$analysis --at +12ms 'Threads/0_0' 'Threads/0_0/Status' --columns path,type,value,lasts 2>/dev/null
done
# A history without, as those were that older versions made, has what is known of its analysis.
histree states "$STORE" --format tsv | histree load -q -a kernel -o loaded -
histree states loaded --at +12ms Threads/0_0 --columns path,type,value,lasts
histree info loaded | grep label
histree load -q changes.tsv -o silent
try histree info silent --labels
# Damaged twice over: the labels are gone, the states are not.
python3 - made/states.sht <<-'END'
	import sys
	with open(sys.argv[1], "r+b") as file:
	    data = bytearray(file.read())
	    at = -1
	    while (at := data.find(b"switched off", at + 1)) >= 0:
	        data[at] ^= 1
	    file.seek(0)
	    file.write(data)
END
try histree states made --at 20
try histree verify made
histree states made --format tsv | cmp - <(histree states converted --format tsv) && echo "the same states"
# What is no table of labels.
wrong() {
	printf "$1" >wrong.tsv
	try histree load changes.tsv --label-file wrong.tsv -o never
}
wrong 'path\tvalue\nA\t1\n'
wrong 'pattern\tvalue\tname\nA\t1\ta\nA\t1\tb\n'
wrong 'pattern\tvalue\tname\nA/../B\t1\ta\n'
wrong 'pattern\tvalue\tname\nA\t1.5\ta\n'
wrong 'pattern\tvalue\tname\tlight\nA\t1\ta\tred\n'
wrong 'pattern\tvalue\tto\tname\nA\t5\t1\ta\n'
wrong 'pattern\tvalue\tname\theight\nA\t5\ta\t2\n'
printf 'start\tend\n1\t2\n' >segments.tsv
try histree load segments.tsv --label-file labels.tsv -o never
try histree load changes.tsv --label-file nowhere.tsv -o never
try histree info "$STORE" --labels 'Threads/*'
try histree info made --labels -a nothing
