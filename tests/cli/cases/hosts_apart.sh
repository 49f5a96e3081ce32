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
