ask() {
	try histree states "$STORE" "$@"
}
set -f
ask --from +11ms --to +12ms CPUs/*/Current_thread
ask --from +12ms --to +12ms CPUs/0/Current_thread --format tsv
ask --from +10ms --to +12ms --step 1ms CPUs/*/Current_thread --format tsv
ask --from +10ms --to +12ms --step 1000000 CPUs/0/Current_thread --format tsv
ask --from +10ms --to +12ms --times 3 CPUs/0/Current_thread --format tsv
ask --from +10ms --to +12ms --times 2 CPUs/0/Current_thread --format tsv
ask --from +10ms --to +10ms --times 7 CPUs/0/Current_thread --format tsv
