# --progress=json: an object a line on standard error, from the first event on.
histree build -q --progress=json "$DATA/demo-trace" 2>progress
head -n 1 progress | python3 -c '
import json, sys
shown = json.load(sys.stdin)
print(*sorted(shown), shown["events"] >= 0, 0 <= shown["share"] <= 1)'
histree build -q --progress=none -f "$DATA/demo-trace"
# Where standard error is no terminal, auto is none.
histree build -q --progress=auto -f "$DATA/demo-trace"
