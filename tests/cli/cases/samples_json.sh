# Samples in JSON: of the Trace Event Format, of V8 in a trace of a browser, and of perf data convert --to-json.
flame()
{
	histree build -q "$1" -o store --force && histree flame store --folded
}
cat >frames.json <<'END'
{"traceEvents":[{"name":"thread_name","ph":"M","pid":3,"tid":4,"args":{"name":"worker"}}],
"samples":[{"cpu":1,"tid":4,"pid":3,"ts":20,"name":"ticks","sf":"b","weight":2},
{"cpu":1,"tid":4,"pid":3,"ts":21.5,"name":"ticks","sf":"a","weight":1},
{"cpu":1,"tid":4,"pid":3,"ts":22,"name":"ticks","sf":"nobody","weight":4},
{"tid":4,"pid":3,"name":"ticks","sf":"a"}],
"stackFrames":{"b":{"category":"lib","name":"inner","parent":"a"},"a":{"name":"outer"}}}
END
try histree build frames.json -o frames 2>&1 | sed 's/, [0-9.]* m\?s$/, T ms/'
histree flame frames --folded
histree segments frames samples --format tsv
cat >v8.json <<'END'
{"traceEvents":[
{"ph":"P","name":"Profile","cat":"v8","pid":9,"tid":2,"id":"0x1","ts":100,"args":{"data":{"startTime":100}}},
{"ph":"P","name":"ProfileChunk","cat":"v8","pid":9,"tid":5,"id":"0x1","ts":150,"args":{"data":{"cpuProfile":{"nodes":[
{"id":1,"callFrame":{"functionName":"(root)","scriptId":0,"codeType":"other"}},
{"id":2,"parent":1,"callFrame":{"functionName":"load","url":"app.js","lineNumber":9,"scriptId":3}},
{"id":3,"parent":2,"callFrame":{"functionName":"","url":"app.js","lineNumber":20}}],"samples":[2,3]},"timeDeltas":[10,20]}}},
{"ph":"P","name":"ProfileChunk","cat":"v8","pid":9,"tid":5,"id":"0x1","ts":190,"args":{"data":{"cpuProfile":{"nodes":[
{"id":4,"parent":3,"callFrame":{"functionName":"parse"}}],"samples":[4,2]},"timeDeltas":[30,40]}}}]}
END
flame v8.json
histree segments store samples --format tsv
histree segments store sample-stacks --format tsv | cut -f3-6
cat >perf.json <<'END'
{"linux-perf-json-version":1,"headers":{"hostname":"h"},"samples":[
{"timestamp":5000,"pid":40,"tid":41,"cpu":2,"comm":"make","callchain":[{"ip":"0x1","symbol":"expand","dso":"/bin/make"},{"ip":"0x2"},{"ip":"0x3","symbol":"main","dso":"/bin/make"}]},
{"timestamp":6000,"pid":40,"tid":40,"comm":"make","callchain":[]}]}
END
flame perf.json
histree segments store samples --format tsv
# A profile in one event, whose nodes say what they call.
cat >whole.json <<'END'
[{"ph":"I","name":"CpuProfile","pid":1,"tid":2,"ts":70,"args":{"data":{"cpuProfile":{"nodes":[
{"id":3,"callFrame":{"functionName":"leaf"}},{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]},
{"id":2,"callFrame":{"functionName":"top"},"children":[3]}],"startTime":50,"endTime":90,"samples":[3,2,3],"timeDeltas":[5,10,20]}}}}]
END
flame whole.json
# Two of one process, whose nodes have the same numbers: that of a worker is another one.
cat >both.json <<'END'
[{"ph":"I","name":"CpuProfile","pid":1,"tid":2,"ts":70,"args":{"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"idle"}},
{"id":2,"parent":1,"callFrame":{"functionName":"draw"}}],"startTime":50,"samples":[2,1],"timeDeltas":[5,10]}}}},
{"ph":"I","name":"CpuProfile","pid":1,"tid":3,"ts":70,"args":{"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"wait"}},
{"id":2,"parent":1,"callFrame":{"functionName":"work"}}],"startTime":50,"samples":[2,1],"timeDeltas":[7,10]}}}}]
END
flame both.json
histree segments store samples --format tsv | cut -f 1,3,8,9
# Samples are left out that their deltas move out of the times that can be, as the file counts them.
chunk='{"ph":"P","name":"ProfileChunk","pid":9,"id":"1","ts":0,"args":{"data":{"cpuProfile":{"nodes":[
{"id":1,"callFrame":{"functionName":"f"}}],"samples":[1,1]},"timeDeltas":[1000,1000000000000000]}}}'
for ends in '"baseTimeNanoseconds":9000000000000000000,"traceEvents":['"$chunk"']' \
	'"traceEvents":['"$chunk"'],"baseTimeNanoseconds":9000000000000000000'; do
	echo "{$ends}" >far.json
	try histree build far.json -o far --force 2>&1 | sed 's/, [0-9.]* m\?s$/, T ms/'
	histree segments far samples --format tsv | cut -f 1,3,8
done
# A frame that is its own caller in the end, and a sample without a frame.
cat >circle.json <<'END'
{"traceEvents":[],"samples":[{"ts":1,"sf":1},{"ts":2,"sf":2},{"ts":3,"sf":3},{"ts":4}],
"stackFrames":{"1":{"name":"a","parent":"2"},"2":{"name":"b","parent":"1"},"3":{"name":"c","parent":"3"}}}
END
flame circle.json
# Events that say where they happened, and spans with the time of their thread.
cat >events.json <<'END'
{"traceEvents":[{"ph":"B","pid":5,"tid":6,"ts":10,"tts":100,"name":"paint","sf":"7"},
{"ph":"B","pid":5,"tid":6,"ts":12,"tts":101,"name":"layer"},
{"ph":"E","pid":5,"tid":6,"ts":20,"tts":103.5},
{"ph":"i","pid":5,"tid":6,"ts":25,"name":"tick","s":"t","sf":7},
{"ph":"i","pid":5,"tid":6,"ts":27,"name":"tick","s":"t","sf":"gone"},
{"ph":"E","pid":5,"tid":6,"ts":30},
{"ph":"X","pid":5,"tid":6,"ts":40,"dur":9,"tts":200,"tdur":4,"name":"load"}],
"stackFrames":{"7":{"category":"v8","name":"draw","parent":"8"},"8":{"name":"loop"}}}
END
flame events.json
histree segments store samples --format tsv | cut -f 1,4,8,9,11
histree segments store track-spans --format tsv | cut -f 1,2,4,11
histree events store --format tsv | cut -f 2,4,5
