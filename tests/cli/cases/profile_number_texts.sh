# Profiles of speedscope whose numbers are texts, as some writers have them: each is that number, whole or with a fraction.
cat >evented.json <<'E'
{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"Main"},{"name":"CPU_TIME"}]},
 "profiles":[{"type":"evented","name":"Thread (1)","unit":"milliseconds","startValue":"0","endValue":"10.5",
 "events":[{"type":"O","frame":0,"at":"0.5"},{"type":"O","frame":1,"at":1},{"type":"C","frame":1,"at":"5"}]}]}
E
cat >sampled.json <<'E'
{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"Main"}]},
 "profiles":[{"type":"sampled","name":"main","unit":"seconds","startValue":"2.25","endValue":"5","samples":[[0],[0]],"weights":["0.5","2.25"]}]}
E
for file in evented sampled; do
	histree build -q $file.json -o $file
	histree events $file --format tsv
done
