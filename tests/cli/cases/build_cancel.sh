# A signal ends a build in good order, and the command by that signal. The pipe that takes the progress is full,
# so that the build waits in the middle until the signal is there.
mkfifo pipe
exec 3<>pipe
dd if=/dev/zero of=pipe bs=1 count=1048576 oflag=nonblock status=none 2>/dev/null
histree build --progress=json -o store "$DATA/demo-trace" 2>&3 3>&- &
for _ in {1..100}; do
	[ "$(ls -A)" = pipe ] || break
	sleep 0.05
done
sleep 0.2
ls -A
kill -TERM $!
dd if=pipe of=drained bs=1048576 count=1 status=none
wait $!
echo "[exit $?]"
rm drained
ls -A
