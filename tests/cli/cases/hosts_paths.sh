# A path of a store of several hosts begins with one of them, which a pattern that was written for one host does not know.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$(realpath "$DATA/../support")" python3 - <<'END2'
import pathlib
import two_hosts
two_hosts.write(pathlib.Path("."), two_hosts.rounds(7, 20), lambda time: time + 3_000_000)
END2
histree build -q -a kernel -o two --host a=a --host b=b
try histree query two --at +1ms 'CPUs/*'
try histree query two --at +1ms 'a/CPU/*'
try histree query two --at +1ms '*/CPU/*'
try histree query two/hosts/a --at +1ms 'a/CPUs/*'
try histree ls two 'Threads/100'
