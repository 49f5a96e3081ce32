# Samples with chains of calls, as "perf script" prints them, with times and without, on one line, behind ftrace's events.
flame()
{
	histree build -q "$1" -o store --force && histree flame store --folded
}
cat >timed.txt <<'END'
indexer  610/611  [002] 40.000010:    1000000 cpu-clock:pppH: 
	          501000 tokens(char const*)+0x1f (/opt/indexer (deleted))
  tokens.cc:31
	          501000 rank (inlined)
	          502000 operator() (/opt/indexer (deleted))
	          503000 main+0x30 (/opt/indexer (deleted))

Pool Worker 7  610/640  [000] 40.001010:     500000 cpu-clock:pppH: 
	          7f3010 [unknown] ([JIT cache])
	          7f3020 Lorg/Page;::draw (/tmp/perf-610.map)

END
flame timed.txt
histree segments store samples --format tsv
histree segments store sample-stacks --format tsv
histree flame store --by thread --folded
histree flame store --by process --folded
try histree flame store --by name
histree events store | sed -n 3p
cat >untimed.txt <<'END'
# ========
scan 12 77 cycles: 
	          a1000 leaf (/bin/scan)
	          a2000 main (/bin/scan)

scan 12 77/78 [001]     300 cycles:u: 
	          a2000 main+0x3 (/bin/scan)

no chain 5 cycles:
no words:
scan 12    77       4000 cycles: 
	          a2000 main (/bin/scan)
END
try histree build untimed.txt -o untimed 2>&1 | sed 's/, [0-9.]* m\?s$/, T ms/'
histree flame untimed --folded
histree flame untimed --event cycles:u --folded
histree segments untimed samples --format tsv
# Neither an event nor a period; the frame on the line; a stack behind an event of ftrace.
cat >events.txt <<'END'
web 90/91 [000] 7.000001: 
	    9000 poll (/bin/web)
	    9100 main (/bin/web)
END
flame events.txt
cat >lines.txt <<'END'
            dd   30 [000]    1.100000:     200000 cycles:  ffffffff81068c26 copy_page+0x6 ([kernel.kallsyms])
           cc1   31 [001]    1.200000:     300000 cycles:      7f1234abcd parse (/usr/lib/cc1)
END
flame lines.txt
cat >ftrace.txt <<'END'
# tracer: nop
#
            bash-42    [003] d..3.     9.500000: sched_switch: prev_comm=bash prev_pid=42 prev_prio=120 prev_state=S ==> next_comm=swapper/3 next_pid=0 next_prio=120
            bash-42    [003] d..3.     9.500000: <stack trace>
 => schedule
 => do_wait+0x12/0x200
          <idle>-0     [003] d..3.     9.700000: sched_switch: prev_comm=swapper/3 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=bash next_pid=42 next_prio=120
END
flame ftrace.txt
histree top store --format tsv | cut -f1-3
# What -F leaves out: a name alone, nothing at all, and frames alone, with -g and without.
printf 'tar \n\t%16s read\n\t%16s main\n\ntar \n\t%16s main\n\n' 51a0 52a0 52a0 >names.txt
flame names.txt
histree flame store --by process --folded
printf '\n\t%16s read (/bin/tar)\n\t%16s main (/bin/tar)\n\n\n\t%16s main (/bin/tar)\n\n' 51a0 52a0 52a0 >nobody.txt
flame nobody.txt
printf ' %16s read (/bin/tar)\n %16s read (/bin/tar)\n %16s main (/bin/tar)\n' 51a0 51a4 52a0 >alone.txt
flame alone.txt
histree segments store samples --format tsv
# However frames are indented, or not at all, and whether an empty line follows: one answer.
for text in timed untimed; do
	flame $text.txt >expected 2>/dev/null
	for indent in '' ' ' '        ' '	' '	     '; do
		sed "s/^	  *\([0-9a-f]* \)/$indent\1/" $text.txt >form.txt
		sed '/^$/d' form.txt >dense.txt
		for form in form dense; do flame $form.txt 2>/dev/null | cmp - expected; done
	done
done
# Terms of what a processor counts; no name of a thread; the address of the data in front; tabs, as simpleperf has them.
cat >terms.txt <<'END'
web 90/91 7.000001:         50 cpu/event=0xc0,umask=1/u: 
	    9000a0 poll (/bin/web)

90/91 7.000002:         50 cpu/event=0xc0,umask=1/u: 
	    9100a0 main (/bin/web)

END
printf 'cc\t31 [001] 1.200000:\t\t300 task-clock:u:\n\t9000a0\tparse(int, char*) (/lib/cc 1)\n\t9100a0\tmain (/lib/cc)\n\n' >tabs.txt
cat >addresses.txt <<'END'
90/91 7.000001:         50 branch-misses/period=50/u:           0     7fca99943ac7 poll+0x37 (/bin/web)
90/91 7.000002:         50 branch-misses/period=50/u:    7ffc0010     7fca99943c60 main+0x0 (/bin/web)
END
# perf script -F +misc: in which mode, behind the thread.
printf 'my app 90/91 U     8.000001:         50 cycles:\n\t9000a0 parse (/bin/web)\n\t9100a0 main (/bin/web)\n\n' >misc.txt
printf 'K 92 KS    8.000004:         60 cycles:\n\tffffffff810000a0 read ([kernel.kallsyms])\n\n' >>misc.txt
for text in terms tabs addresses misc; do
	flame $text.txt
	histree segments store samples --format tsv | cut -f 1,3-8,10,11
done
# A call of strace that failed is no frame below a head, though it begins with a number and ends with a parenthesis.
cat >strace.txt <<'END'
1000 1700000052.321200 close(3)                = 0
1000 1700000052.321300 openat(AT_FDCWD, "/nope", O_RDONLY) = -1 ENOENT (No such file or directory)
END
histree build -q strace.txt -o strace
histree events strace --format tsv | cut -f 2,4
# Without symbols, without a thread, without a chain: what perf prints for each choice of -F.  A function may be "add".
fields()
{
	flame fields.txt
	histree segments store samples --format tsv | cut -f 1,6-9,11
}
printf 'w 22 7.000100: cycles: \n\t           1ab70\n\t           1ac70\n\nw 22 7.000200: cycles: \n\t           1ab70\n\n' >fields.txt
fields
printf '%16s 22 7.000%s: cycles: %17s\n' w 100 7f898f54f645 w 200 ffffffff8225fd19 >fields.txt
fields
printf '7.000%s: %10s cycles: %17s %s\n' 100 50 7f898f54f645 main 200 60 ffffffff8225fd19 '[unknown]' >fields.txt
fields
printf '7.000%s: cycles: \n\t%16s main\n\n' 100 7f898f54f645 200 7f898f54f655 >fields.txt
fields
printf '%16s 7.000%s: %17s %s\n' 'my w' 100 7f898f54f645 add w 200 ffffffff8225fd19 main >fields.txt
fields
printf '%16s %16s %s\n' w 7f898f54f645 add w ffffffff8225fd19 main >fields.txt
fields
printf 'cycles: %17s %s (/bin/w)\n' 7f898f54f645 add ffffffff8225fd19 main >fields.txt
fields
# A period without an event, which is not the number of a CPU or thread; bytes of the instruction; an address like a number.
printf 'w 22 7.000%s:         %s \n\t%16s main\n\n' 100 50 7f898f54f645 200 60 7f898f54f655 >fields.txt
fields
printf '7.000%s:         %s  %16s main (/bin/w) insn: 48 01 d0\n' 100 50 7f898f54f645 200 60 7f898f54f655 >fields.txt
fields
printf '%16s 22 7.000%s: %17s\n' w 100 401000 w 200 402000 >fields.txt
fields
printf '%16s %5s %10s %17s\n' w 22 50 401000 w 22 60 402000 >fields.txt
fields
