# What keeps the server from starting.
histree serve --any-port none 2>&1 | grep -q "built without libmicrohttpd" && exit 77
try histree serve
try histree serve --port 0 store
try histree serve --port 8080 --any-port store
try histree serve --any-port no-such-store
touch file
try histree serve --any-port file
histree build -o demo.histree "$DATA/demo-trace" 2>/dev/null
try histree serve --any-port --bind localhost demo.histree
try histree serve --any-port --stores no-such-folder demo.histree
