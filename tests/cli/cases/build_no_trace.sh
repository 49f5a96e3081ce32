# What is no trace makes no store.
mkdir empty
echo text >file
for trace in missing empty file; do
	histree build $trace 2>&1 | sed 's/:.*//'
	echo "[exit ${PIPESTATUS[0]}]"
done
ls -A
