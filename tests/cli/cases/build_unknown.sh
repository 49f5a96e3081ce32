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
# What stands in front of JSON, so that it is no page or a script.
printf ")]}'\n[{\"name\":\"a\",\"ph\":\"X\",\"ts\":1,\"dur\":2}]\n" > guarded.json
printf 'var trace = {"traceEvents":[]};\n' > script.js
printf 'var trace = 5;\n' > other.js
for file in guarded.json script.js other.js empty diary.txt program picture.png traces.zip noise folder diary.gz program.gz zip.gz heap.pb.gz babeltrace.txt \
	perf-trace.txt perf-trace-commas.txt dmesg.txt; do
	try histree build $file
done
