# A report of more segments than it tells names apart: each row is the sum that stats has.
python3 - >segments.tsv <<'END'
import random
random.seed(77)
print("start\tend\ttid\tprocess\tbytes\tfreed")
for i in range(150000):
    tid = random.choice((21, 22, 22, 23, 23, 23, 24))
    print(f"{i * 10}\t{i * 10 + random.randrange(1000)}\t{tid}\tforge\t{random.randrange(1, 4096)}\t{random.choice(('never', 'by free'))}")
END
histree load -q -o store -a allocations segments.tsv
histree report store | sed -n '/^Memory/,/^$/p' | head -7
histree segments store allocations --by tid --format tsv | cut -f 1,2
histree segments store allocations --of bytes --by tid --format tsv | cut -f 1,2,6
# And of more names than that.
python3 - >many.tsv <<'END'
print("start\tend\ttid\tprocess\tbytes\tfreed")
for i in range(70000):
    print(f"{i}\t{i + 5}\t{i}\t\t{2 if i < 65536 else 64}\tnever")
END
histree load -q -o many -a allocations many.tsv
histree report many -n 1 | sed -n '/^Memory/,/others/p'
