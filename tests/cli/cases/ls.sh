list() {
	try histree ls "$STORE" "$@"
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
histree ls "$STORE/" --format tsv | tail -n +2 | cut -f 2 | LC_ALL=C sort -c && echo sorted
histree ls "$STORE" | wc -l
histree ls "$STORE" ** | wc -l
