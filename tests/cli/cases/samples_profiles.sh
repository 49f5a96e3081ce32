# Profiles that are a file: folded stacks, of speedscope, of V8, and of Firefox; cut and packed ones.
flame()
{
	histree build -q "$1" -o store --force && histree flame store --folded
}
cat >stacks.folded <<'END'
sh;main;eval (expr) 3
sh;main 4
sh;main;eval (expr);malloc 2
sh;main 1
END
flame stacks.folded
histree segments store samples --format tsv | cut -f1,3,7,8,11-13
printf 'a;b 1.5\na 0.25\n' >fractions.txt
gzip -k fractions.txt
flame fractions.txt.gz
# Numbers of other forms; those that are no count are said by their line.
printf 'a;b 1e3\na;c 12E-1\na +2\na;b -3\na;b 18446744073709551615\na;d 9223372036854775807\n' >forms.folded
flame forms.folded
printf 'a;b 1e3\na +2\na;b -3\na;b 18446744073709551615\na;b 9223372036854774000\n' >forms.folded
flame forms.folded
printf 'a;b -3\na -1\n' >negative.folded
try histree build negative.folded -o negative
# As difffolded.pl writes them: what was lost has no second count.
printf 'a;b 10 12\na 5 0\n' >pairs.folded
flame pairs.folded
cat >spans.speedscope.json <<'END'
{"exporter":"speedscope@1","$schema":"https://www.speedscope.app/file-format-schema.json","name":"both","activeProfileIndex":0,
"shared":{"frames":[{"name":"read","file":"io.c","line":4},{"name":"parse \"x\""}]},
"profiles":[{"type":"evented","name":"first","unit":"milliseconds","startValue":0,"endValue":5,"events":[
{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":1.5},{"type":"C","frame":1,"at":3},{"type":"C","frame":0,"at":5}]},
{"type":"sampled","name":"second","unit":"microseconds","startValue":10,"endValue":20,"samples":[[0],[0,1],[],[0,1]],"weights":[2,3.5,1,4]},
{"type":"sampled","name":"third","unit":"bytes","startValue":0,"endValue":64,"samples":[[1],[1,0]],"weights":[48,16]}]}
END
flame spans.speedscope.json
histree segments store samples --format tsv
histree segments store track-spans --format tsv | cut -f1-6
sed 's/,{"type":"C","frame":0,"at":5}//; s/"endValue":5/"endValue":7/' spans.speedscope.json >open.speedscope.json
flame open.speedscope.json
histree segments store track-spans --format tsv | cut -f1-6
cat >load.cpuprofile <<'END'
{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":0,"children":[2,3]},
{"id":2,"callFrame":{"functionName":"require","scriptId":"5","url":"node:internal/modules","lineNumber":11,"columnNumber":2},"hitCount":2,"children":[4]},
{"id":3,"callFrame":{"functionName":"(idle)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":1},
{"id":4,"callFrame":{"functionName":"","scriptId":"6","url":"file:///app.js","lineNumber":0,"columnNumber":0},"hitCount":1}]
,"startTime":1000,"endTime":1900,"samples":[2,4,3,2],"timeDeltas":[100,200,300,150]}
END
flame load.cpuprofile
histree segments store samples --format tsv
histree segments store sample-stacks --format tsv | cut -f4-6
sed '$s/.*/}/' load.cpuprofile >hits.cpuprofile
histree build -q hits.cpuprofile -o hits
histree flame hits --folded
cat >firefox.json <<'END'
{"meta":{"interval":1,"startTime":1600000000000,"preprocessedProfileVersion":48},"libs":[],
"threads":[{"processType":"default","processName":"Parent","name":"GeckoMain","pid":"700","tid":701,
"samples":{"length":4,"stack":[1,0,null,2],"time":[0.5,1.5,2.5,3.5],"weight":null,"weightType":"samples"},
"stackTable":{"frame":[0,1,2],"prefix":[null,0,1],"length":3},
"frameTable":{"func":[0,1,2],"line":[null,17,null],"length":3},
"funcTable":{"name":[0,1,2],"fileName":[null,3,null],"resource":[0,-1,-1],"length":3},
"resourceTable":{"name":[4],"length":1},
"stringArray":["main","draw","paint <T>","ui.cpp","libxul.so"]}]}
END
flame firefox.json
histree segments store samples --format tsv
histree segments store sample-stacks --format tsv | cut -f4-6
cat >gecko.json <<'END'
{"meta":{"version":24,"interval":1,"stackwalk":1,"categories":[{"name":"Other"},{"name":"DOM"}]},"libs":[],"threads":[{"name":"GeckoMain","tid":9,"pid":8,
"samples":{"schema":{"stack":0,"time":1},"data":[[1,1],[1,2],[0,3]]},"markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5},
"data":[[2,1.25,2.5,1,1,{"type":"Text","name":"x"}],[2,2,null,0,0],[2,null,9,7]]},
"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1]]},
"frameTable":{"schema":{"location":0,"line":1},"data":[[0],[1,12]]},"stringTable":["main","js (app.js:1)","tick"]}],"processes":[]}
END
histree build gecko.json -o gecko 2>&1 | grep warning
histree flame gecko -a samples --folded
# Without a word of samples it is the markers, which is said.
histree flame gecko --count --folded
try histree flame gecko --folded
histree events gecko --format tsv | cut -f 2,4,5
# The developer tools had it in a recording of their own, behind what their panel drew.
{
	printf '{"label":"","duration":3.5,"markers":[{"end":2,"name":"Styles","start":1}],"frames":[],"profile":'
	cat gecko.json
	printf ',"fileType":"Recorded Performance Data","version":2}'
} >recording.json
histree build -q recording.json -o recording 2>&1 | cmp - /dev/null
histree flame recording -a samples --folded
# Markers: intervals that overlap, one in two parts, an instant, and one without a time.
cat >markers.json <<'END'
{"meta":{"interval":1,"preprocessedProfileVersion":48,"categories":[{"name":"Idle"},{"name":"Layout","color":"purple"}]},"libs":[],
"threads":[{"processName":"Web","name":"Renderer","pid":"70","tid":71,
"samples":{"length":0,"stack":[],"time":[]},
"markers":{"length":7,"name":[0,1,0,2,3,3,0],"startTime":[1,2,2.5,4,5,null,null],"endTime":[3,2.25,6,null,null,8,9],
"phase":[1,1,1,0,2,3,1],"category":[1,1,0,0,1,1,9],"data":[{"type":"Styles","elements":12},null,null,{"type":"tick"},null,{"status":"ok"},null]},
"stringArray":["Reflow","Styles","Vsync","Load"]},
{"name":"Old","pid":"70","tid":72,"samples":{"stack":[],"time":[]},"stringArray":["Paint","Tick"],
"markers":{"length":2,"name":[0,1],"time":[1,2],"data":[{"type":"tracing","startTime":1,"endTime":1.5},null]}}]}
END
try histree build markers.json -o markers 2>&1 | sed 's/, [0-9.]* m\?s$/, T ms/'
histree segments markers track-spans --format tsv | cut -f 1,2,4-8,12-
histree events markers --format tsv | grep instant | cut -f 2,5
histree states markers --format tsv 2>/dev/null | grep CallStack/1 | cut -f 1,2,5
# A profile that is cut has what comes before.
head -c 700 spans.speedscope.json >cut.json
try histree build cut.json -o cut 2>&1 | sed 's/, [0-9.]* m\?s$/, T ms/'
histree flame cut --folded
# V8 of old: nodes hold their children, lines count from 1, and samples have times of their own.
cat >old.cpuprofile <<'END'
{"head":{"functionName":"(root)","url":"","lineNumber":0,"callUID":1,"bailoutReason":"","id":1,"hitCount":0,"children":[
{"functionName":"","url":"app.js","lineNumber":1,"callUID":2,"id":2,"hitCount":1,"children":[
{"functionName":"draw","url":"app.js","lineNumber":12,"callUID":3,"id":3,"hitCount":2,"children":[]},
{"functionName":"load","url":"app.js","lineNumber":20,"callUID":4,"id":4,"hitCount":1,"children":[
{"functionName":"draw","url":"app.js","lineNumber":12,"callUID":5,"id":5,"hitCount":0,"children":[]}]}]}]},
"startTime":5,"endTime":6,"samples":[2,3,5,4],"timestamps":[5000100,5000300,5000350,5000950]}
END
histree build -q old.cpuprofile -o old
histree segments old samples --format tsv | cut -f 1,3,11-13
histree flame old --folded --count
# Folded stacks with comments and lines that are none; a call of strace is none.
printf '# of two machines\n// joined\na;b 2\n\nno stack\na;c 3\na 4\n' >invalid.txt
try histree build invalid.txt -o invalid 2>&1 | sed 's/, [0-9.]* m\?s$/, T ms/'
histree flame invalid --folded
# What difffolded.pl writes: the numbers of two profiles.
printf 'a;b 2 3\na;c 4 0\na;b;d 0 7\n' >two.txt
histree build two.txt -o two 2>&1 | grep two.numbers
histree flame two --folded
printf 'read(3, "a;b", 3) = 3\nread(3, "", 3) = 0\n' >calls.txt
histree build calls.txt -o calls 2>&1 | grep -c folded
# What DTrace and bpftrace count: the innermost frame first, the number behind.
cat >dtrace.txt <<'END'
CPU     ID                    FUNCTION:NAME
  0  64091                        :tick-60s 


              genunix`kmem_free+0xce
              genunix`syscall+0x12

              libc.so.1`__close
              0xff012
                3

              libc.so.1`read(int, char)+0x7
                5
              unix`idle
END
try histree build dtrace.txt -o dtrace 2>&1 | sed 's/, [0-9.]* m\?s$/, T ms/'
histree flame dtrace --folded
cat >bpftrace.txt <<'END'
Attaching 1 probe...

@count[bash]: 17
@stacks[
    schedule+1
    futex_wait+7
,
    worker(int)+12 (/usr/bin/app)
, app, 42]: 3
@[bash, 
    read+7
    main+1
]: 2
@[
    main+1
]: x
END
try histree build bpftrace.txt -o bpftrace 2>&1 | sed 's/, [0-9.]* m\?s$/, T ms/'
histree flame bpftrace --folded
histree segments bpftrace sample-stacks --format tsv | cut -f4-6
# Of a deep stack the innermost frames are kept; a line that is too long says nothing, not even with its end.
awk 'BEGIN { print "@["; for (i = 0; i < 5000; i++) print "    f" i "+1"; print "]: 1" }' >deep.txt
histree build -q deep.txt -o deep 2>/dev/null
histree flame deep --folded | tr ';' '\n' | sed -n '1p;$p'
awk 'BEGIN { print "a;b 1\nc;d 1"; for (i = 0; i < 150000; i++) printf "frame%d;", i; print "x 7\na;b 2" }' >long.txt
histree build long.txt -o long 2>&1 | grep left
histree flame long --folded
# A report with a word of hexadecimal digits below another one has no samples.
printf 'MAIN        MAIN          110   0\n CAF        Main          219   0\n' >report.prof
try histree build report.prof -o report 2>&1 | cut -c 1-60
# pprof: an inlined function, a location of no function, two values a sample; what is referred to stands behind.
{
	printf 'H\200\342\317\252\006\012\004\010\001\020\002\012\004\010\003\020\004\022\010\012\002\001\002\022'
	printf '\002\002\024\022\010\010\003\010\002\020\001\020\012\032\007\010\001\020\200 (\011"\023\010\001\020'
	printf '\001\030\220 "\004\010\003\020\007"\004\010\002\020\014"\007\010\003\020\001\030\300 "\012\010\002'
	printf '\020\001"\004\010\001\020\036*\006\010\001\020\005 \010*\006\010\002\020\006 \010*\006\010\003\020'
	printf '\007 \0102\0002\007samples2\005count2\003cpu2\013nanoseconds2\004main2\004work2\007inlined2\006app.g'
	printf 'o2\010/bin/appZ\004\010\003\020\004`\012'
} >cpu.pb
gzip -k cpu.pb
try histree build cpu.pb.gz -o pprof 2>&1 | sed 's/, [0-9.]* m\?s$/, T ms/'
histree flame pprof --folded
histree flame pprof --folded --event samples
histree segments pprof sample-stacks --format tsv | cut -f4-6
head -c 90 cpu.pb >cut.pb
try histree build cut.pb -o cutpb 2>&1 | sed 's/, [0-9.]* m\?s$/, T ms/'
# As many functions as are inlined at one address.
{
	printf '\012\002\010\001\022\006\012\001\001\022\001\001"\246\003\010\001'
	for line in $(seq 70); do
		printf '"\004\010\001\020'
		printf "\\$(printf %03o "$line")"
	done
	printf '*\004\010\001\020\0022\0002\003cpu2\001f'
} >inlined.pb
histree build -q inlined.pb -o inlined 2>/dev/null
histree flame inlined --folded | tr ';' '\n' | wc -l
# Rows of numbers, and sizes in bytes, are no frames.
printf 'discarded samples = 0\n  19490304       27 @ 0xbccc97 0xc61202\n' >contention.txt
try histree build contention.txt -o report 2>&1 | cut -c 1-60
printf ' bytes: Total 1B of 1B (  100%%)\n        65536000B (63.37%%): 1638400B\n' >tags.txt
try histree build tags.txt -o report 2>&1 | cut -c 1-60
# Folded with a tab before the number; and as the tools of bcc print stacks: profile, and offcputime with -d.
printf 'main;a b\t3\nmain\t12\n' >tabs.folded
flame tabs.folded
cat >offcpu.txt <<'END'
Tracing off-CPU time (us) of all threads by user + kernel stack... Hit Ctrl-C to end.

    finish_task_switch
    schedule
    --
    read+0x10
    main
    -                DB Worker 3 (4802)
        1005

    std::foo(int, char)
    -                sh (7)
        12

END
flame offcpu.txt
# Memory that was allocated, as node --heap-prof samples it.
cat >memory.heapprofile <<'END'
{"head":{"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"selfSize":0,"id":1,"children":[
{"callFrame":{"functionName":"load","scriptId":"5","url":"file:///app.js","lineNumber":3,"columnNumber":1},"selfSize":4096,"id":2,"children":[
{"callFrame":{"functionName":"","scriptId":"5","url":"file:///app.js","lineNumber":9,"columnNumber":1},"selfSize":512,"id":3,"children":[]}]}]},
"samples":[{"size":4096,"nodeId":2,"ordinal":1},{"size":512,"nodeId":3,"ordinal":2}]}
END
flame memory.heapprofile
