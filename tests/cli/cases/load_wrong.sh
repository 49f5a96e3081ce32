# What is wrong is said with its file, line and column, and nothing is made.
load() {
	printf "$1" >text
	shift
	try histree load "$@" -o made text
	[ ! -e made ] && [ ! -e made.building ] || echo "something was made"
}
header='path\tstart\tend\ttype\tvalue\n'
load ''
load "$header"
load 'one two\nthree four\n'
load 'a\tb\tc\n1\t2\t3\n'
load 'path\tpath\tvalue\n'
load "${header}A\t1\t2\tint\n"
load "${header}A\t1\t2\tint\t5\t6\n"
load "${header}A\t1\t2\tint\t5\nA\t3\t2\tint\t6\n"
load "${header}A\t1\t2\tint\t5\nA\t2\t3\tint\t6\n"
load "${header}A\t1\t2\tint\t5\nA\t3\t3\tlong\t6\n"
load "${header}A\t1\t2\tint\t3000000000\n"
load "${header}A\t1\t2\tdouble\t1e400\n"
load "${header}A\t1\t2\tbool\tyes\n"
load "${header}A\t1\t2\tnull\tyes\n"
load "${header}A\t1\t2\tcustom\t0x12\n"
load "${header}A\t1\t2\tstring\tC:\\\\\\\\dir\\\\x\n"
load "${header}A\t1\t2\tnumber\t5\n"
load "${header}A\t1.5\t2\tint\t5\n"
load "${header}A\t1\t9223372036854775807\tint\t5\n"
load "${header}A\t1\t99999999999999999999\tint\t5\n"
load "${header}A//B\t1\t2\tint\t5\n"
load "${header}A\\\\B\t1\t2\tint\t5\n"
load "${header}\t1\t2\tint\t5\n"
load 'time,path,value\n1,A,"x\n2,A,5\n'
load 'time,path,value\n1,A,"x"y\n'
load 'time,path,value\n1,A,x"y\n'
load 'time,path,value\n1,A,5\n2,A,five\n'
load 'time,path,value\n1,A,5\n' --start 2
load 'time,path,value\n1,A,5\n' --end 0
load 'time,path,value\n1,A,5\n' --end soon
load '{"time":1,"path":"A","value":5}\n{"time":2,"path":"A","value":1e400}\n'
load '{"time":1,"path":"A","value":5}\n{"time":2,\n"path":"A","value":1}\n'
load '{"time":1,"path":"A","value":5}\n{"time":2,"path":"A","value":[1]}\n'
load '{"time":1,"path":"A","value":5}\n{"time":2,"value":6}\n'
load '[{"time":1,"path":"A","value":5},{"time":2,"path":"A","value":1}]\n'
load '\x1f\x8b\x08\x00'
load '\xff\xfep\0'
load 'p\0q\n'
load "${header}A\t1\t2\tint\t5\n" --initial text
load 'start,end,x\n2,1,a\n'
load 'start,end,x\n1,2,a\n' --start 0
try histree load text
try histree load -o made none
try histree load -o made .
try histree load -o made text -a ../x
printf 'time,path,value\n1,A,5\n' >text; printf 'start,end\n1,5\n' >other
try histree load -o made text other
histree states "$STORE" >people
try histree load -o made people
mkdir taken
try histree load -o taken text
# A byte-order mark, lines that end in CR LF, empty lines, a second line of names and none at the end are all right.
printf '\xef\xbb\xbftime,path,value\r\n\r\n1,"A, B",5\r\ntime,path,value\r\n3,"A, B",6' >text
try histree load -q -o made text
histree states made --format tsv
