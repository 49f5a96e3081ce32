# A store that exists is replaced only with --force, and only by a whole one.
histree build -q -a kernel -o store -t sht "$DATA/demo-trace"
try histree build -o store "$DATA/demo-trace"
histree info --format json store | grep -o '"variant":"[a-z]*"'
try histree build --force -o store no-trace
histree info --format json store | grep -o '"variant":"[a-z]*"'
try histree build --force -q -a kernel -o store -t rsht "$DATA/demo-trace"
histree info --format json store | grep -o '"variant":"[a-z]*"'
ls -A
