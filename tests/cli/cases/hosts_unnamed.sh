# Traces of two kernels that do not say whose they are: one host, with a warning, unless hosts are named.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$(realpath "$DATA/../support")" python3 - <<'END2'
import pathlib
import two_hosts
two_hosts.write(pathlib.Path("."), two_hosts.rounds(7, 20), lambda time: time + 3_000_000)
END2
try histree build -a kernel -o mixed a b 2>&1 | grep -v ms$
try histree build -q -a kernel -o two --host-dir a=a --host-dir b=b
try histree info --attributes two '*'
echo "one, its copy, and a table of events beside it"
cp a copy
printf 'time\tname\tcpu\n1000000000000\tmarker\t0\n' >marks.tsv
cp marks.tsv more.tsv
try histree build -a kernel -o one a marks.tsv 2>&1 | grep -v ms$
try histree build -a kernel -f -o one a copy marks.tsv more.tsv 2>&1 | grep 'do not say'
