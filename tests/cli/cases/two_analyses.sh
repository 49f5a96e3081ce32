# A store of several histories: the default is kernel; -a chooses.
histree build -q -a kernel-2016,kernel -o store "$DATA/demo-trace"
histree info store --format json | grep -o '"analysis":"[^"]*"'
histree info store -a kernel-2016 --format json | grep -o '"analysis":"[^"]*"'
histree states store | cmp - <(histree states "$STORE")
histree info --attributes store 'CPUs/0/Status'
histree info --attributes store -a kernel-2016 'CPUs/0/Status' --format tsv
histree states store --analysis kernel-2016 --at +12ms 'CPUs/*/Status' --format tsv
histree verify store | sed 's/[0-9]* nodes/N nodes/'
histree verify store -a kernel | sed 's/[0-9]* nodes/N nodes/'
try histree states store -a ust-calls --at +12ms CPUs
