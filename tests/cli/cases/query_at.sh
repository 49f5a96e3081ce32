ask() {
	try histree states "$STORE" "$@"
}
set -f
ask --at +12ms CPUs/*/Current_thread
ask --at +12ms CPUs/** --format tsv
ask --at +12ms CPUs/0 CPUs/0/* CPUs/* --format csv
ask --at +12ms Threads/0_* Threads/0_0/Exec_name --format json
ask --at +0 CPUs/0
ask --at 1795195823933800428 CPUs/0
ask --at +12ms nothing --format tsv
ask --at +12ms nothing CPUs/0 --format tsv
