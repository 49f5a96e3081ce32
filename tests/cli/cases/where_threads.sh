# States are chosen by the thread that they belong to, in one way wherever states are asked for.
histree build -q -o store "$DATA/demo-trace" -a kernel,cpu-usage

# What passes is what the facts of the dump say of each row: the last name, and the process.
python3 - <<'END'
import subprocess
def rows(*words):
    text = subprocess.run(["histree", *words, "--format", "tsv"], capture_output=True, text=True).stdout
    return text.split("\n")[1:-1]
dump = rows("states", "store")
name, process = {}, {}
for row in dump:
    path, _, _, kind, value = row.split("\t")[:5]
    level = path.split("/")
    if level[0] == "Threads" and len(level) > 1 and level[1].isdigit() and kind != "null":
        if level[2:] == ["Exec_name"]:
            name[level[1]] = value
        elif level[2:] == ["PID"]:
            process[level[1]] = value
def check(expression, wanted):
    found = [row for row in dump if row.startswith("Threads/") and wanted(row.split("\t")[0].split("/")[1])]
    assert rows("states", "store", "--where", expression) == found, expression
    assert found, expression
    print(expression, len(found))
check("thread == 14764", lambda tid: tid == "14764")
check("name == burn", lambda tid: name.get(tid) == "burn")
check("name matches '^b' && !(thread == 14764)", lambda tid: name.get(tid, "")[:1] == "b" and tid != "14764")
some = process["14764"]
check(f"process == {some}", lambda tid: process.get(tid) == some)

# The use of time takes the same words; a process has the name of its first thread.
used = rows("top", "store", "--columns", "thread,user,count")
def check_use(expression, wanted):
    found = rows("top", "store", "--where", expression, "--columns", "thread,user,count")
    assert found == [row for row in used if wanted(row.split("\t")[0])] and found, expression
    print("top", expression, len(found))
check_use("thread == burn", lambda tid: name.get(tid) == "burn")
check_use("thread matches '^b' && thread != 14764", lambda tid: name.get(tid, "")[:1] == "b" and tid != "14764")
called = name[some]
check_use(f"process == {called}", lambda tid: name.get(process.get(tid)) == called)
check_use(f"process == {called} || thread == {some}", lambda tid: name.get(process.get(tid)) == called or tid == some)
some_ns = sum(int(row.split("\t")[1]) for row in used if name.get(process.get(row.split("\t")[0])) == called)
by_state = rows("top", "store", "--by", "state", "--where", f"process == {called} && state == user", "--columns", "duration")
assert by_state == [str(some_ns)], by_state
END

# whole rows are chosen by the same words
histree states --numbers store 'Threads/*/Prio' --where 'name == burn' --columns path --format tsv | tail -n +2 | sort >numbers
histree states store 'Threads/*/Prio' --where 'name == burn && type == int' --columns path --format tsv |
	tail -n +2 | sort -u | cmp - numbers && wc -l <numbers
try histree states --numbers store 'Threads/*/Prio' --where 'value > 3'
try histree states --numbers store 'Threads/*/Prio' --where 'thread == 1'
histree draw store --where 'thread == 14764' -o a.svg 2>said || grep -q 'built without cairo' said
histree draw store 14764 -o b.svg 2>said || grep -q 'built without cairo' said
{ [ ! -e a.svg ] || cmp a.svg b.svg; } && echo "the picture is that of the thread"
histree export store --where 'name == burn' --columns path,start -o - --format csv | tr -d '\r' | tail -n +2 | sort >exported
histree states store --where 'name == burn' --columns path,start --format csv | tr -d '\r' | tail -n +2 | sort | cmp - exported &&
	echo "an export has the same"

# call stacks, too
histree build -q -a ust-calls -o calls "$DATA/ctf-calls"
histree flame calls --where 'thread == 100' --format tsv | cmp - <(histree flame calls 100 --format tsv) && echo "the stacks are the thread's"
try histree flame calls --where 'thread == 1'
histree compare --flame calls calls --where 'thread == 100' --format tsv | cmp - <(histree compare --flame calls calls 'Threads/100/**' --format tsv) &&
	echo "and so are those that are compared"

# a range is answered as the whole is, however short it is
histree states store --where 'name == burn' --format csv --columns path | sort -u | wc -l
histree states store --from +15ms --to +15001us '**' --where 'name == burn' --format csv --columns path | sort -u | wc -l

# names are those of the kernel's history, also for what another analysis knows of a thread
try histree states store -a cpu-usage --at +15ms --where 'name == burn' -n 2 --columns path
histree export store -a cpu-usage --at +15ms --where 'name == burn' --columns path -o - --format csv | wc -l
histree states store -a cpu-usage --at +15ms --where 'name == burn' --columns path --format csv | wc -l
try histree states store/cpu-usage.sht --at +15ms --where 'name == burn'
try histree states store/cpu-usage.sht --at +15ms --where 'thread == 14764' --columns path

# of several hosts, too
cp -r "$DATA/demo-trace" trace
histree build -q --clock none -o both --host-dir A=trace --host-dir B="$DATA/demo-trace"
try histree states both --at +15ms '*/Threads/*' --where 'name == burn && host == B && thread == 14764' --columns path
try histree states both --host A --at +15ms 'Threads/*' --where 'name == burn && thread == 14764' --columns path

# Events and segments are of threads, too: those that --thread chooses, and what the facts say of the processes of these.
histree build -q -o whole "$DATA/demo-trace"
python3 - <<'END'
import csv, io, subprocess
def table(*words):
    done = subprocess.run(["histree", *words, "--format", "csv"], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))
threads = {}
for row in table("top", "whole", "--by", "thread,process"):
    threads[row["thread"]] = (row["process"], row["name"])
calls = table("segments", "whole", "system-calls")
assert table("events", "whole", "--where", "thread == 14764") == table("events", "whole", "--thread", "14764")
assert table("events", "whole", "--where", "name == burn") == table("events", "whole", "--thread", "burn")
for word, wanted in {
    "thread == 14764": lambda tid: tid == "14764",
    "thread == burn": lambda tid: threads[tid][1] == "burn",
    "process == 14753": lambda tid: threads[tid][0] == "14753",
    "process == 14753 && thread != 14764": lambda tid: threads[tid][0] == "14753" and tid != "14764",
}.items():
    found = table("segments", "whole", "system-calls", "--where", word)
    assert found == [call for call in calls if call["tid"] in threads and wanted(call["tid"])], word
    print(word, len(found))
events = table("events", "whole", "--where", "process == 14753")
several = set()
for tid, (process, name) in threads.items():
    if process == "14753":
        several |= {row["number"] for row in table("events", "whole", "--thread", tid)}
assert {row["number"] for row in events} == several and several
waits = {row["stack"].split(";")[0] for row in table("flame", "whole", "--waits", "--by", "thread", "--where", "process == 14753")}
assert waits and all(threads[word.split("(")[1].rstrip(")")][0] == "14753" for word in waits), waits
print("events", len(events), "waits of", len(waits))
END
if ! histree sql store 'SELECT 1' 2>&1 | grep -q 'built without'; then
	histree sql whole --format csv "SELECT count(*) AS calls FROM system_calls WHERE pid = 14753"
	histree sql whole --format csv "SELECT count(*) AS called_so FROM system_calls WHERE process = '14753'"
	histree sql whole --format csv "SELECT count(*) AS events, count(DISTINCT thread), count(DISTINCT process) FROM events WHERE pid = 14753"
fi
try histree flame whole --waits --where 'name == nobody'
histree build -q -a system-calls -o calls-only "$DATA/demo-trace"
try histree segments calls-only system-calls --where 'process == 14753'
histree segments calls-only system-calls --where 'thread == 14764' --format tsv | wc -l
try histree events calls-only --where 'name == burn'

# Spans of threads that the kernel's events are of, too, have the names that these say.
histree build -q -o spans "$DATA/perfetto-made/both.pftrace"
try histree segments spans track-spans --where 'thread == t11' --columns name,pid,tid
