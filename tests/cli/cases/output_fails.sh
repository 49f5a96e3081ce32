# Output that cannot be written is an error, whatever the verb.
[ -w /dev/full ] || exit 77
for command in help 'info --analyses' "info $STORE" "info --attributes $STORE" "states $STORE" "states $STORE --at +1ms" "verify $STORE" 'completion bash' "draw $STORE -o -"; do
	histree $command >/dev/full
	echo "[exit $?]"
done
# A reader that has seen enough is none.
histree states "$STORE" | head -n 1 | wc -l
