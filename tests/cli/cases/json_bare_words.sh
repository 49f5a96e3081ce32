# Arguments that a printf() wrote without quotes, as the profiler of NCCL does: the event is there, and so is its end.
cat >bare.json <<'E'
[
{"name": "Send", "cat": "P2P_API", "ph": "b", "id": 0, "pid": 39, "tid": 1, "ts": 1900.0, "args": {"count": 4, "type": ncclFloat32, "way": Way.OUT, "Stream": 0x41}},
{"name": "Send", "cat": "P2P_API", "ph": "e", "id": 0, "pid": 39, "tid": 1, "ts": 2000.0},
{"name": "list", "ph": "X", "pid": 39, "tid": 1, "ts": 2100, "dur": 5, "args": {"kinds": [a, null, b2, nullptr, Trueish]}},
{"name": "broken", "ph": "X", "pid": 39, "tid": 1, "ts": 2200, "dur": 5, "args": {"text": two words}},
{"name": "last", "ph": "X", "pid": 39, "tid": 1, "ts": 2300, "dur": 5}
]
E
try histree build bare.json -o store 2>&1 | grep -v "'store':"
histree events store --format tsv
