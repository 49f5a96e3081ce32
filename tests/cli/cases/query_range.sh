ask() {
	try histree query "$STORE" "$@"
}
set -f
ask --from +11ms --to +12ms CPUs/*/Current_thread
ask --from +12ms --to +12ms CPUs/0/Current_thread --format tsv
ask --from +10ms --to +12ms --step 1ms CPUs/*/Current_thread --format tsv
ask --from +10ms --to +12ms --step 1000000 CPUs/0/Current_thread --format tsv
ask --from +10ms --to +12ms --count 3 CPUs/0/Current_thread --format tsv
ask --from +10ms --to +12ms --count 2 CPUs/0/Current_thread --format tsv
ask --from +10ms --to +10ms --count 7 CPUs/0/Current_thread --format tsv
