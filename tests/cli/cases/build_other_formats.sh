# What is a trace of another kind is called what it is, with the way on.
printf '\n{"traceEvents": []}' >trace.json
printf '\x0a\x02xy\x0a\x01z' >trace.pftrace
printf '\x1f\x8b\x08' >trace.tar.gz
printf 'text' >notes.txt
mkdir ctf2
printf '\x1e{"type": "preamble", "version": 2, "extensions": {"x.org": {"y": 1}}}' >ctf2/metadata
for trace in trace.json trace.pftrace trace.tar.gz notes.txt $DATA/demo-trace/metadata ctf2; do
	try histree build -o x.histree $trace
done
# What tools print of a recording, which histree reads itself.
printf '# Samples: 16K of event cycles\n#\n# Overhead  Command  Shared Object  Symbol\n   9.00%%  a  b  [.] c\n' >report.txt
printf '           time    cpu  task name  wait time  sch delay   run time\n   1.000100 [0000]  app[77]  0.000  0.010  1.230\n' >timehist.txt
printf '# DURATION     TID     FUNCTION\n            [  77] | main() {\n' >replay.txt
printf 'FLR\0\0\2' >a.jfr
for file in report.txt timehist.txt replay.txt a.jfr; do try histree build -q $file; done
# What other tools print or write has the way on, too.
printf '\n     usecs               : count     distribution\n         0 -> 1          : 12       |****|\n' >bcc.txt
printf '@usecs:\n[2, 4)                30 |@@@@@@@@|\n' >bpftrace.txt
printf '  Task                  |   Runtime ms  | Switches |\n' >latency.txt
printf 'BeginHeader\nCSwitch,  TimeStamp\nEndHeader\n' >xperf.csv
printf '{"session": {"start_time": 1.5, "start_call_stack": []}, "root_frame": {"function": "main", "time": 0.5}}' >pyinstrument.json
printf 'Nettrace\x14\0\0\0' >a.nettrace
printf '\x0d\xf0\xad\x0b\0\0\0\0\1\0\0\0' >a.spall
printf 'tracy\0\12\3' >a.tracy
printf 'main\n\t    55d2 work+0x5 (/usr/bin/app)\n\n' >no-threads.txt
for file in bcc.txt bpftrace.txt latency.txt xperf.csv pyinstrument.json a.nettrace a.spall a.tracy no-threads.txt; do try histree build -q $file; done
