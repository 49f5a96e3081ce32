# A command line that cannot be obeyed makes nothing.
histree build --fan-out 1 "$DATA/demo-trace" 2>/dev/null
histree build -a kernal "$DATA/demo-trace" 2>/dev/null
ls -A
