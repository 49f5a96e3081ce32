# States are chosen by the thread that they belong to, in one way wherever states are asked for.
histree build -q -o store "$DATA/demo-trace" -a kernel,cpu-usage

# What passes is what the facts of the dump say of each row: the last name, and the process.
python3 - <<'END'
import subprocess
def rows(*words):
    text = subprocess.run(["histree", *words, "--format", "tsv"], capture_output=True, text=True).stdout
    return text.split("\n")[1:-1]
dump = rows("dump", "store")
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
    for verb in (["query"], ["dump"]):
        assert rows(*verb, "store", "--where", expression) == found, expression
    assert found, expression
    print(expression, len(found))
check("thread == 14764", lambda tid: tid == "14764")
check("name == burn", lambda tid: name.get(tid) == "burn")
check("name matches '^b' && !(thread == 14764)", lambda tid: name.get(tid, "")[:1] == "b" and tid != "14764")
some = process["14764"]
check(f"process == {some}", lambda tid: process.get(tid) == some)
END

# whole rows are chosen by the same words
histree numbers store 'Threads/*/Prio' --where 'name == burn' --columns path --format tsv | tail -n +2 | sort >numbers
histree query store 'Threads/*/Prio' --where 'name == burn && type == int' --columns path --format tsv |
	tail -n +2 | sort -u | cmp - numbers && wc -l <numbers
try histree numbers store 'Threads/*/Prio' --where 'value > 3'
try histree numbers store 'Threads/*/Prio' --where 'thread == 1'
histree draw store --where 'thread == 14764' -o a.svg 2>said || grep -q 'built without cairo' said
histree draw store 14764 -o b.svg 2>said || grep -q 'built without cairo' said
{ [ ! -e a.svg ] || cmp a.svg b.svg; } && echo "the picture is that of the thread"
histree export store --where 'name == burn' --columns path,start -o - --format csv | tr -d '\r' | tail -n +2 | sort >exported
histree dump store --where 'name == burn' --columns path,start --format csv | tr -d '\r' | tail -n +2 | sort | cmp - exported &&
	echo "an export has the same"

# call stacks, too
histree build -q -a ust-calls -o calls "$DATA/ctf-calls"
histree flame calls --where 'thread == 100' --format tsv | cmp - <(histree flame calls 100 --format tsv) && echo "the stacks are the thread's"
try histree flame calls --where 'thread == 1'
histree compare --flame calls calls --where 'thread == 100' --format tsv | cmp - <(histree compare --flame calls calls 'Threads/100/**' --format tsv) &&
	echo "and so are those that are compared"

# a range is answered as the whole is, however short it is
histree dump store --where 'name == burn' --format csv --columns path | sort -u | wc -l
histree query store --from +15ms --to +15001us '**' --where 'name == burn' --format csv --columns path | sort -u | wc -l

# names are those of the kernel's history, also for what another analysis knows of a thread
try histree query store -a cpu-usage --at +15ms --where 'name == burn' -n 2 --columns path
histree export store -a cpu-usage --at +15ms --where 'name == burn' --columns path -o - --format csv | wc -l
histree query store -a cpu-usage --at +15ms --where 'name == burn' --columns path --format csv | wc -l
try histree query store/cpu-usage.sht --at +15ms --where 'name == burn'
try histree query store/cpu-usage.sht --at +15ms --where 'thread == 14764' --columns path

# of several hosts, too
cp -r "$DATA/demo-trace" trace
histree build -q --clock none -o both --host A=trace --host B="$DATA/demo-trace"
try histree query both --at +15ms '*/Threads/*' --where 'name == burn && host == B && thread == 14764' --columns path
try histree query both --host A --at +15ms 'Threads/*' --where 'name == burn && thread == 14764' --columns path
