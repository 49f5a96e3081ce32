# A file for a viewer has each host with the spans, counters and flows of its own store; numbers and names tell them apart.
cp -r $DATA/demo-trace copy
histree build -q -a kernel,system-calls,wakeups -o two --clock none --host-dir a/1=$DATA/demo-trace --host-dir b=copy 2>/dev/null
cat >compare.py <<'END'
import collections, json, subprocess, sys

def read(store, words):
    made = json.loads(subprocess.run(["histree", "export", store, "--format", "chrome", *words],
                                     check=True, capture_output=True).stdout)
    base, names = made["baseTimeNanoseconds"], {}
    for event in made["traceEvents"]:
        if event["ph"] == "M" and event["name"] in ("process_name", "thread_name"):
            names[event.get("pid"), event.get("tid")] = event["args"]["name"]
    found = collections.Counter()
    for event in made["traceEvents"]:
        if event["ph"] == "M":
            continue
        pid, tid = event.get("pid"), event.get("tid")
        group = pid is not None and pid >= 1 << 30
        place = (names.get((pid, None)), names.get((pid, tid)) if group else tid, None if group else pid)
        args = {name: value for name, value in event.get("args", {}).items() if name != "host"}
        found[event["ph"], event["name"], place, base + round(event["ts"] * 1000), round(event.get("dur", 0) * 1000),
              json.dumps(args, sort_keys=True)] += 1
    return found

def raise_numbers(found, name, by):
    made = collections.Counter()
    for (ph, what, (process, thread, pid), *rest), count in found.items():
        if pid is not None:
            process = name if process is None else f"{name}: {process}"
            pid += by
            thread = thread if thread is None else thread + by
        elif process is not None:
            process = f"{name}: {process}"
        made[(ph, what, (process, thread, pid), *rest)] += count
    return made

for words in ([], ["--segments", "system-calls"], ["--events"], ["--segments", "system-calls", "--where", "duration > 1us"]):
    both = read("two", words)
    alone = [raise_numbers(read(f"two/hosts/{folder}", words), name, number << 22)
             for number, (folder, name) in enumerate((("a%2F1", "a/1"), ("b", "b")))]
    print(*words, "equal" if both == alone[0] + alone[1] else "DIFFERENT", min(sum(found.values()) for found in alone) > 50)
    flows = [sum(count for key, count in found.items() if key[0] in "sf") for found in (both, *alone)]
    print("flows", flows[0] == flows[1] + flows[2], not words and flows[0] > 0)
END
python3 compare.py
histree export two --format chrome 'b/CPUs/0' -o part.json
grep -o '"name":"[ab/1]*: [^"]*"' part.json | sort -u
histree export two --format perfetto -o two.pftrace
histree build -q -o back two.pftrace 2>/dev/null
histree segments back track-spans --format tsv 2>/dev/null | wc -l | sed 's/^0$/none/; s/[1-9][0-9]*/some/'
mv two/hosts/b gone
try histree export two --force --format chrome -o part.json
grep -c '"name":"b: ' part.json
try histree export two --force --format chrome 'a\/1/CPUs/*' -o part.json
