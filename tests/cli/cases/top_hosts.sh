# One row for each host.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$(realpath "$DATA/../support")" python3 - <<'END2'
import pathlib
import two_hosts
two_hosts.write(pathlib.Path("."), two_hosts.rounds(7, 20), lambda time: time + 3_000_000)
END2
histree build -q -a kernel -o two --host-dir a=a --host-dir b=b
histree top two --by host
histree top two --by host --format tsv --from +1ms --to +2ms
histree top two/hosts/a --by host
histree top two --by host,thread --format tsv | cut -f 1-3
try histree top two --by hosts
