for format in text tsv csv json; do
	try histree info --analyses --format $format
done
histree info --analyses --format json | python3 -m json.tool >/dev/null && echo well-formed
cat >own.histree-analysis <<'TEXT'
analysis own "which thread each CPU runs" for kernel
on sched_switch: CPUs/{cpu}/Current_thread = next_tid
TEXT
try histree info --analyses -x own.histree-analysis --format tsv
sed -i 's/ = / /' own.histree-analysis
try histree info --analyses -x own.histree-analysis
try histree info --analyses -x .
try histree info --analyses -x nothing
