# A damaged node of the segments costs a join the pairs of those that it held, and no other; it is said, and exits with 3.
python3 - >calls.txt <<'END'
import random
random.seed(4)
time, called = 100_000_000, {}
print("# tracer: nop\n#")
for i in range(60000):
    time += random.randrange(1, 40)
    cpu = i % 4
    tid = 1000 + cpu * 10 + i // 4000 % 10
    begin = f"          worker-{tid}    [{cpu:03d}] ..... {time // 1000000:6d}.{time % 1000000:06d}: "
    if tid in called:
        print(f"{begin}sys_exit_read: {called.pop(tid):#x}")
    else:
        called[tid] = random.randrange(100)
        print(f"{begin}sys_enter_read: fd: 3, buf: 7f0000000000, count: {called[tid]:x}")
END
histree build -q -a kernel,system-calls -o store calls.txt
cp -r store damaged
python3 - <<'END'
import os, pathlib, re, subprocess

def rows(store, *words):
    done = subprocess.run(["histree", "segments", store, "system-calls", *words, "--format", "tsv"], capture_output=True,
                          text=True, check=False)
    head, *lines = (line.split("\t") for line in done.stdout.splitlines())
    return [dict(zip(head, line)) for line in lines], done

def segment_of(row):
    return row["start"], row["end"], row["tid"], row["arguments"]

sound = pathlib.Path("store/system-calls.seg").read_bytes()
segments = [segment_of(row) for row in rows("store")[0]]
assert len(set(segments)) == len(segments)
by_tid, by_time = ("Threads/*", "--on", "tid"), ("CPUs/*/*", "--to", "+200ms")
plain = {words: rows("store", "--join", *words)[0] for words in (by_tid, by_time)}
assert all(len(pairs) > 1000 for pairs in plain.values())
nodes, partly, wrong = set(), 0, []
for offset in range(5000, len(sound) - 600, 90000 if os.environ.get("HISTREE_TESTS") == "quick" else 30000):
    damaged = bytearray(sound)
    damaged[offset] ^= 0xff
    pathlib.Path("damaged/system-calls.seg").write_bytes(damaged)
    for words, all_pairs in plain.items():
        left, asked = rows("damaged", *words[1:] if words == by_time else ())
        losses = [tuple(map(int, loss)) for loss in re.findall(
            r"incomplete: (\d+) segments at most, from (\d+) to (\d+), were in node (\d+)", asked.stderr)]
        nodes |= {loss[3] for loss in losses}
        left = {segment_of(row) for row in left}
        pairs, joined = rows("damaged", "--join", *words)
        missing = {segment_of(pair) for pair in all_pairs} - left
        partly += 0 < len(missing) and len(pairs) > 0
        if pairs != [pair for pair in all_pairs if segment_of(pair) in left]:
            wrong.append(f"{offset} {words}: other pairs than those of the segments that are left")
        if joined.stderr != asked.stderr or joined.returncode != (3 if losses else 0 if pairs else 1):
            wrong.append(f"{offset} {words}: exit {joined.returncode}: {joined.stderr}")
        if len(missing) > sum(loss[0] for loss in losses) or not all(
                any(loss[1] <= int(start) and int(end) <= loss[2] for loss in losses) for start, end, *_ in missing):
            wrong.append(f"{offset} {words}: more is missing than was said")
print("several nodes were damaged:", len(nodes) > 2, "and left some of the pairs:", partly > 2)
print("wrong:", wrong[:3])
END
