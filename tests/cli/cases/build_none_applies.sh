# A trace that no analysis knows has its events all the same, and says what each analysis needs.
cp -r "$DATA/ctf-calls" trace
chmod -R u+w trace
sed -i -e 's/"ust"/"jul"/' -e 's/"lttng-ust"/"lttng-jul"/' trace/metadata
try histree build -o store trace | grep -v intervals
try histree events -n 2 store
try histree info store | grep -E '^(event count|warnings)'
try histree sql store 'SELECT count(*) AS events FROM events'
try histree verify store
try histree info --attributes store
try histree top store
try histree report store
try histree build -o no-store -a kernel trace
try histree build --backend null trace
try histree build -o slices --slices 2 trace >/dev/null; histree info slices | grep count
sed -i '/^env {/,/^};/d' trace/metadata
try histree build --force -o store trace | grep 'no analysis'
ls -A
# Of one that has a switch between threads, whoever asks for the states of a kernel gets them.
PYTHONPATH=$(realpath "$DATA/../hostile") PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
import ctf_trace as ctf
made = ctf.small()
made.parts["env"] = 'env { tracer_name = "barectf"; domain = "board"; };\n'
made.streams = {"channel_0": [ctf.Packet([ctf.switch(t, 7 + i % 2, 8 - i % 2) for i, t in enumerate((100, 400, 900))], 100, 900)]}
made.write("board")
END
try histree build board | grep warning | sed 's/.*of domain "board".*no states;.*; its/... its/'
try histree build --force -a kernel board | grep -v intervals
try histree states board.histree --at +350ns 'CPUs/*/Current_thread'
