# Queries that make no sense, and times that are none.
ask() {
	try histree states "$STORE" "$@"
}
histree states "$STORE" --format tsv | cut -f 1-4 | tail -n 2
ask --from +32ms -n 1 CPUs/0
ask --to +1ms -n 1 CPUs/0
ask --at +1ms --to +2ms CPUs/0
ask --at +1ms --step 5 CPUs/0
ask --at +1ms --times 5 CPUs/0
ask --from +1ms --to +2ms --step 5 --times 5 CPUs/0
ask --from +1ms --to +2ms --step 0 CPUs/0
ask --from +1ms --to +2ms --times 1 CPUs/0
ask --from +1ms --to +20ms --step 1 CPUs/0
ask --from +2ms --to +1ms CPUs/0
ask --at soon CPUs/0
ask --at 5ms CPUs/0
ask --at 25:00:00 CPUs/0
ask --at +1h CPUs/0
ask --at 0 CPUs/0
ask --at 17:30:23 CPUs/0
ask --at +1ms CPUs//0
