# A store of several histories: the default is kernel; -a chooses.
histree build -q -a kernel-2016,kernel -o store "$DATA/demo-trace"
histree info store --format json | grep -o '"analysis":"[^"]*"'
histree info store -a kernel-2016 --format json | grep -o '"analysis":"[^"]*"'
histree dump store | cmp - <(histree dump "$STORE")
histree ls store 'CPUs/0/Status'
histree ls store -a kernel-2016 'CPUs/0/Status' --format tsv
histree query store --analysis kernel-2016 --at +12ms 'CPUs/*/Status' --format tsv
histree verify store | sed 's/[0-9]* nodes/N nodes/'
histree verify store -a kernel | sed 's/[0-9]* nodes/N nodes/'
try histree query store -a ust-calls --at +12ms CPUs
