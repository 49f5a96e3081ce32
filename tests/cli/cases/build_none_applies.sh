# A trace that no analysis applies to: each says what it needs, and there is no store.
cp -r "$DATA/ctf-calls" trace
chmod -R u+w trace
sed -i -e 's/"ust"/"jul"/' -e 's/"lttng-ust"/"lttng-jul"/' trace/metadata
try histree build -o store trace
try histree build -o store -a kernel trace
sed -i '/^env {/,/^};/d' trace/metadata
try histree build -o store trace
ls -A
