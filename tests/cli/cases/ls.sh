list() {
	try histree info --attributes "$STORE" "$@"
}
set -f
list CPUs/*
list CPUs/0/Current_* CPUs/1 CPUs/*
list CPUs/** --format tsv
list CPUs/0/* --format csv
list **/Exec_name/../../0_* --format json
list nothing
list nothing CPUs
list nothing --format json
list CPUs/
list -a kernel CPUs
list -a ust-calls CPUs
histree info --attributes "$STORE/" --format tsv | tail -n +2 | cut -f 2 | LC_ALL=C sort -c && echo sorted
histree info --attributes "$STORE" | wc -l
histree info --attributes "$STORE" ** | wc -l
