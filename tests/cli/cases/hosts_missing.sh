# A store of two hosts, a client and a server, and what each verb says once one of them has no states any more.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$(realpath "$DATA/../support")" python3 - <<'END2'
import pathlib
import two_hosts
two_hosts.write(pathlib.Path("."), two_hosts.rounds(7, 20), lambda time: time + 3_000_000)
END2
histree build -q -a kernel,graph -o two --host-dir a=a --host-dir b=b
histree why two a/100 --format tsv
try histree why two c/100
answers() {
	try histree top two --format tsv
	try histree top two --format tsv --where 'host == a'
	try histree states --numbers two '*/CPUs/0/Current_thread' --format tsv
	try histree why two a/100 --format tsv
	try histree why two b/200
	try histree why two 300
	try histree why --table totals --rules trace-compass two a/100 --format tsv
	try histree why --table steps --rules trace-compass two b/200
	try histree flame two --waits --format tsv
	try histree flame two --waits b/200
	try histree report two | grep -E '^(Host|histree:|.exit)'
}
echo "states of the server that are cut short"
for history in kernel graph; do
	head -c 4096 "two/hosts/b/$history.sht" >part
	mv part "two/hosts/b/$history.sht"
done
answers | sed -E 's/[0-9]+ of [0-9]+ bytes/N of N bytes/'
echo "no server at all"
rm -r two/hosts/b
answers
echo "no manifest"
histree build -q -f -a kernel,graph -o two --host-dir a=a --host-dir b=b
rm two/manifest.json
try histree top two
try histree copy --repair two -o saved
histree info saved | grep -E '^hosts|^ +b:'
echo "no host is built yet"
try histree build -q --threads 1 -a kernel,irqs -o three --host-dir a=a --host-dir "c=$DATA/ctf-calls" | cut -d , -f 1
try histree states three --at +1ms '*/CPUs/0'
rm -r three.building/hosts/*
try histree states three --at +1ms '*/CPUs/0'
