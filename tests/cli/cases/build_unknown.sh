# A file that is no trace is told by what it is, or by what it is not, with the formats that are read.
: > empty
printf 'dear diary\nnothing happened\n' > diary.txt
printf '\177ELF\2\1\1' > program
printf '\211PNG\r\n\032\n' > picture.png
printf 'PK\3\4.' > traces.zip
printf '\1\2\3\0\0\0\7' > noise
mkdir folder
gzip -c diary.txt > diary.gz
gzip -c program > program.gz
gzip -c traces.zip > zip.gz
printf '\12\4\10\1\20\2\12\4\10\3\20\4' | gzip > heap.pb.gz
printf '[10:21:33.123456789] (+?.?????????) host sched_switch: { cpu_id = 0 }\n' > babeltrace.txt
printf '     0.027 ( 0.002 ms): ls/77 brk()                       = 0x5637f0ae3000\n' > perf-trace.txt
# A line with commas is no table, nor is a log that begins with a bracket JSON.
printf '     0.020 ( 0.005 ms): cat/77 read(fd: 3, buf: 0x7f, count: 10) = 10\n' > perf-trace-commas.txt
printf '[    0.000000] Linux version 6.1\n' > dmesg.txt
# Nor is one whose first line goes on in brackets.
printf '[    0.000000] [drm] Initialized\n' > drm.txt
# What pprof prints has lines of an address and a function, as samples have, and so has an archive of objects by chance.
printf 'File: app\nType: cpu\n-----------+-----\n        1s   0000000000001000 work app.c:1\n             0000000000002000 main app.c:9\n' > pprof-traces.txt
printf 'Showing nodes accounting for 1.12s, 100%% of 1.12s total\n      flat  flat%%   sum%%        cum   cum%%\n     1.10s 98.21%% 98.21%%      1.10s 98.21%%  0000000000001000 work app.c:1\n' > pprof-top.txt
printf 'digraph "unnamed" {\nN1 [label="40ms" tooltip="0000000000001000 work app.c:1 (40ms)" color="#b23900"]\n}\n' > pprof.dot
printf '!<arch>\n/               1500000000  501   20    100644  102284    `\n\0\1' > library.a
# Fields 1 and 2 as of a profile, but no sample has a text in field 5 and numbers from 7 on.
printf '\12\4\10\1\20\2\22\6\52\2t1\70\1' > index.pb
# What stands in front of JSON, so that it is no page or a script.
printf ")]}'\n[{\"name\":\"a\",\"ph\":\"X\",\"ts\":1,\"dur\":2}]\n" > guarded.json
printf 'var trace = {"traceEvents":[]};\n' > script.js
printf 'var trace = 5;\n' > other.js
for file in guarded.json script.js other.js empty diary.txt program picture.png traces.zip noise folder diary.gz program.gz zip.gz heap.pb.gz babeltrace.txt \
	perf-trace.txt perf-trace-commas.txt dmesg.txt drm.txt pprof-traces.txt pprof-top.txt pprof.dot library.a index.pb; do
	try histree build $file
done
