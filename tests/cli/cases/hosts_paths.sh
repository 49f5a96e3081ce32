# A path of a store of several hosts begins with one of them, which a pattern that was written for one host does not know.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$(realpath "$DATA/../support")" python3 - <<'END2'
import pathlib
import two_hosts
two_hosts.write(pathlib.Path("."), two_hosts.rounds(7, 20), lambda time: time + 3_000_000)
END2
histree build -q -a kernel -o two --host-dir a=a --host-dir b=b
try histree states two --at +1ms 'CPUs/*'
try histree states two --at +1ms 'a/CPU/*'
try histree states two --at +1ms '*/CPU/*'
try histree states two/hosts/a --at +1ms 'a/CPUs/*'
try histree info --attributes two 'Threads/100'
