# Each error names the option and what would be right.
try histree info --attributes
try histree info --attributes "$STORE" --fromat json
try histree info --attributes "$STORE" --format cvs
try histree info --attributes "$STORE" --format
try histree info --attributes "$STORE" -x
try histree verify one two
try histree build
try histree build --variant splay trace
try histree build --node-size 64X trace
try histree build --node-size 2K trace
try histree build --node-size 5000 trace
try histree build --fan-out 1 trace
try histree build --r-depth 17 trace
try histree build --r-depth 3 -t sht "$DATA/demo-trace"
try histree build --r-nodes 5 -t rsht "$DATA/demo-trace"
try histree build --prefer speed trace
try histree build --prefer space -t esht "$DATA/demo-trace"
try histree build --threads 0 trace
try histree build --memory 10 trace
try histree build --force=yes trace
try histree build --progress sometimes trace
try histree build -a kernal trace
try histree build -a kernel, trace
try histree build /
try histree build -o - trace
try histree copy --repair -o - "$STORE"
try histree completion tcsh
try histree segments "$STORE" system-calls --by name --by tid
ls
