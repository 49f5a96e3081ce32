# A folder of uftrace: its calls, with names, and what is wrong with one.
cp -r "$DATA/uftrace-made" made
try histree build -q -a ust-calls,function-calls made -o store
histree states store --at 1100 'Threads/100/*/*' --format tsv
histree segments store function-calls
# longjmp() leaves two functions without their exits, and setjmp() has a second one: what is called then is in main.
cp -r "$DATA/uftrace-made" jump
python3 - >jump/101.dat <<'END'
import struct
import sys
ENTRY, EXIT, MAIN, LEAF, SETJMP, VIA = 0, 1, 0x400100, 0x400200, 0x400220, 0x400240
for time, kind, depth, address in ((1050, ENTRY, 0, MAIN), (1060, ENTRY, 1, SETJMP), (1070, EXIT, 1, SETJMP),
                                   (1080, ENTRY, 1, VIA), (1090, ENTRY, 2, LEAF), (1100, EXIT, 1, SETJMP),
                                   (1110, ENTRY, 1, LEAF), (1150, EXIT, 1, LEAF), (1200, ENTRY, 1, VIA),
                                   (1210, ENTRY, 1, LEAF), (1230, EXIT, 1, LEAF), (1340, EXIT, 0, MAIN)):
    sys.stdout.buffer.write(struct.pack("<QQ", time, kind | 5 << 3 | depth << 6 | address << 16))
END
histree build -q -a ust-calls,function-calls jump -o jumped
histree segments jumped function-calls --where 'tid == 101' --columns start,duration,name,depth,self --format tsv
histree states jumped 'Threads/101/CallStack' --format tsv
# Who is killed is in calls that have no exits: these last as long as something is known of the process.
cp -r "$DATA/uftrace-made" killed && rm killed/10[02].dat
python3 - >killed/101.dat <<'END'
import struct
import sys
ENTRY, EXIT, MAIN, LEAF, VIA = 0, 1, 0x400100, 0x400200, 0x400240
for time, kind, depth, address in ((1050, ENTRY, 0, MAIN), (1060, ENTRY, 1, LEAF), (1070, EXIT, 1, LEAF), (1080, ENTRY, 1, VIA),
                                   (1090, ENTRY, 2, LEAF), (1110, EXIT, 2, LEAF), (1120, ENTRY, 2, LEAF)):
    sys.stdout.buffer.write(struct.pack("<QQ", time, kind | 5 << 3 | depth << 6 | address << 16))
END
try histree build -q -a ust-calls,function-calls killed -o killed.histree
histree segments killed.histree function-calls --where 'tid == 101' --format tsv
histree states killed.histree 'Threads/101/CallStack/*' --format tsv
# What perf adds for the scheduler are calls, too: the last one has no end, but the thread goes on.
cp -r killed switched
python3 - switched <<'END'
import struct
import sys
COMM, SWITCH, OUT, PREEMPT = 3, 14, 1 << 13, 1 << 14
def switches(file, *records):
    with open(f"{sys.argv[1]}/{file}", "wb") as out:
        out.write(struct.pack("<IHHIIQ", COMM, 0, 24, 101, 101, 0))
        for time, tid, misc in records:
            out.write(struct.pack("<IHHIIQ", SWITCH, misc, 24, 101, tid, time))
switches("perf-cpu0.dat", (1020, 101, OUT), (1030, 101, 0), (1062, 101, OUT), (1082, 101, OUT | PREEMPT), (1115, 101, OUT), (1300, 999, OUT))
switches("perf-cpu1.dat", (1066, 101, 0), (1085, 101, 0))
END
try histree build -q -a ust-calls,function-calls switched -o switched.histree
histree segments switched.histree function-calls --format tsv
histree states switched.histree 'Threads/101/CallStack/*' --at 1064 --format tsv
{
	printf '\2\0\0\0\0\0\30\0\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0' # PERF_RECORD_LOST, of three
	head -c 100 switched/perf-cpu0.dat
} >jump/perf-cpu0.dat
try histree build jump -o jumped --force 2>&1 | grep perf-cpu
printf '\07' | dd of=made/info bs=1 seek=8 conv=notrunc status=none
try histree build made -o none
rm made/info
try histree build made -o none
[ ! -e none ]
