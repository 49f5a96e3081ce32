# A page about two hosts, one of whose names has a blank: how busy each was, whose is what was slow, and commands that can
# be run as they stand there.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$(realpath "$DATA/../support")" python3 - <<'END2'
import pathlib
import two_hosts
two_hosts.write(pathlib.Path("."), two_hosts.rounds(7, 20), lambda time: time + 3_000_000)
END2
mkdir traces
mv a b traces
histree build -q -a kernel,graph,wakeups -o 'two hosts' --host-dir 'the client=traces/a' --host-dir b=traces/b --clock b=-3000000
histree report 'two hosts' | sed -n '/^Hosts/,/^Where/p; /^Wake-ups/,$p'
page() {
	histree report "two hosts"
	histree why "two hosts" "the client/100"
}
echo "each command of both pages"
page | sed -n 's/^  \$ //p' | sort -u | while read -r command; do
	echo "$command"
	case $command in *why.svg) continue ;; esac # cairo may be missing
	bash -c "$command" >out 2>&1 </dev/null || cat out
	case $command in *'thread == 100 '*) head -3 out ;; esac
done
histree info 'two hosts' | grep -E '^hosts|^ +b:'
ls
