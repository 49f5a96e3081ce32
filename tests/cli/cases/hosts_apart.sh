# Hosts whose clocks are not known, and that were not recorded at the same time.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$(realpath "$DATA/../support")" python3 - <<'END2'
import pathlib
import two_hosts
two_hosts.write(pathlib.Path("."), two_hosts.rounds(7, 20), lambda time: time + 3_000_000)
END2
grep -v inet_sock a >c
sed -E 's/ 1000\.([0-9]+): / 4600.\1: /' c >later
build() {
	try histree build -f -a kernel "$@" 2>&1 | grep -v ms$
}
build -o two --host-dir a=a --host-dir later=later
histree report two | sed -n '/^Hosts/,/^$/p'
build -o two --host-dir a=a --host-dir later=later --clock later=-3600000000000
build -o three --host-dir later=later --host-dir a=a --host-dir b=b --reference a
# One counts from when it began, the other from 1970: times that have a day say so, where the names of columns have none.
sed -E 's/ 1000\.([0-9]+): / 1457110000.\1: /' c >dated
build -o mixed --host-dir a=a --host-dir dated=dated | cut -d , -f 1
histree states mixed 'dated/CPUs/0/Current_thread' --limit 3 | sed 's/ *$//'
