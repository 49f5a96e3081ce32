# A status is said in words, before its number; programs read the number alone.
set -f
ask() {
	try histree states "$@"
}
histree build -q -a kernel-2016 -o old.histree "$DATA/demo-trace"
ask "$STORE" --at +12ms Threads/0_* CPUs/* CPUs/*/Current_thread
ask "$STORE" --from +0 --to +32ms CPUs/0/Soft_IRQs/1
ask old.histree --at +12ms Threads/0_*/Status CPUs/*/Status
for format in tsv csv json; do
	ask old.histree --at +12ms Threads/0_0/Status --format $format
done
# The numbers of other analyses are no statuses.
histree build -q -o calls.histree "$DATA/ctf-calls"
ask calls.histree --at +200ns 'Threads/*/CallStack'
