# A copy of a part: within its time, all questions have the answers of the whole store.
histree build -q -a kernel,graph,cpu-usage,io,system-calls,wakeups -o store "$DATA/demo-trace"
cat >compare.py <<'END'
import random, subprocess, sys
def ask(*words):
    done = subprocess.run(["histree", *map(str, words)], capture_output=True, text=True)
    return done.returncode, done.stdout
def states(store, analysis, first, last):
    code, text = ask("states", store, "-a", analysis, "--from", first, "--to", last, "**", "--format", "tsv")
    rows = [row.split("\t") for row in text.split("\n")[1:-1]]
    return code, [(path, max(int(start), first), min(int(end), last), kind, value) for path, start, end, kind, value, *_ in rows]
random.seed(int(sys.argv[1]))
start, end = 1795195823901013128, 1795195823933800428
for trial in range(int(sys.argv[2])):
    first, last = sorted(random.randint(start, end) for _ in range(2))
    assert ask("copy", "store", "part", "--force", "--from", first, "--to", last) == (0, "")
    assert ask("verify", "part")[0] == 0
    for _ in range(3):
        a, b = sorted(random.choice((first, last, random.randint(first, last))) for _ in range(2))
        for analysis in "kernel", "graph", "cpu-usage", "io":
            assert states("store", analysis, a, b) == states("part", analysis, a, b), (analysis, first, last, a, b)
        times = "--from", a, "--to", b, "--format", "tsv"
        for question in (["top"], ["top", "--by", "cpu,state"], ["segments", "system-calls"], ["segments", "wakeups"], ["events"],
                         ["segments", "system-calls", "--by", "name"], ["states", "--numbers", "-a", "cpu-usage", "CPUs/**"],
                         ["states", "--numbers", "Threads/*/Prio"],
                         ["segments", "system-calls", "--histogram", "--parts", "7"], ["info", "--charts"]):
            last_words = times if question[0] != "info" else ()
            words = [question[0], "STORE", *question[1:], *last_words]
            one, other = (ask(*[store if word == "STORE" else word for word in words]) for store in ("store", "part"))
            assert one == other, (words, first, last)
print("the answers are the same")
END
python3 compare.py 5 4
python3 compare.py $RANDOM 2

# of rows: those of threads, with their segments
histree copy store threads --thread burn
histree states threads --at +15ms '**' --format tsv | cmp - <(histree states store --at +15ms --where 'name == burn' --format tsv) &&
	echo "the states are those of the threads"
histree segments threads system-calls --format tsv | cmp - <(histree segments store system-calls --thread burn --format tsv) &&
	echo "the segments are those of the threads"
# where no kernel's history tells of the threads, and where their numbers are longs
histree build -q -o calls "$DATA/ctf-calls" && histree copy calls one-caller --thread 100
histree segments one-caller function-calls --format tsv | cmp - <(histree segments calls function-calls --thread 100 --format tsv) &&
	echo "the calls are those of the thread"
histree build -q -o spans "$DATA/perfetto-made/both.pftrace" && histree copy spans one-track --thread 11
histree segments spans track-spans --thread 11 --columns name,tid --format csv
histree segments one-track track-spans --columns name,tid --format csv
histree copy store some --where 'path matches "^CPUs/0"' --from +5ms --to +6ms
histree info --attributes some
histree info some --format json | grep -o '"analysis":"[^"]*"'
histree verify some >/dev/null && echo sound
histree copy store/kernel.sht file.sht --to +2ms --thread 14753
histree states file.sht -n 2 --columns path,start

# of several hosts
cp -r "$DATA/demo-trace" trace
histree build -q --clock none -o both -a kernel,system-calls --host-dir A=trace --host-dir B="$DATA/demo-trace"
histree copy both part-of-both --from +5ms --to +10ms --thread A/14753
histree verify part-of-both
histree states part-of-both -n 3 --columns path,start

# the old name of the verb, which is said
histree copy store -t sht -o old 2>&1 && histree states old | cmp - <(histree states store) && rm -r old

# what cannot be
try histree copy store other --from +1h
try histree copy store other --where 'name == nobody'
try histree copy store other --where 'value == 3'
try histree copy store other -o another
try histree copy store --from +1ms
try histree copy store store --force --from +1ms
try histree copy both other --where 'name == burn && host == C'
ls
