# A store of an older version says so once and is built again as it was, from the trace that it names.
cp -r "$DATA/demo-trace" trace
histree build -q -a kernel,system-calls -t esht --node-size 8K -o store trace
histree states store >expected
# Make the manifest one of version 1, which has no checksum, with other versions of the analyses.
set_versions() {
	python3 - "$@" <<-'END'
		import json, sys
		path, *pairs = sys.argv[1:]
		manifest = json.load(open(path))
		manifest.pop("checksum", None)
		manifest["version"] = manifest["oldest_reader"] = 1
		for each in manifest["histories"] + manifest["segments"]:
		    each["version"] = int(dict(pair.split("=") for pair in pairs).get(each["analysis"], each["version"]))
		json.dump(manifest, open(path, "w"))
	END
}
set_versions store/manifest.json kernel=1 system-calls=999
for verb in 'info' 'info --attributes' 'states --at +1ms' 'states' 'segments'; do
	analysis=$([ "$verb" = segments ] && echo system-calls)
	histree $verb store $analysis 2>&1 >/dev/null | sed "s/^/${verb%% *}: /; s/this is version [0-9]*/this is version N/"
done
mv trace elsewhere
try histree copy --rebuild store
histree states store 2>/dev/null | cmp - expected
try histree copy --rebuild store elsewhere
histree states store | cmp - expected
mkdir folder && mv store elsewhere folder
set_versions folder/store/manifest.json kernel=1
try histree copy --rebuild -q folder/store
try histree info folder/store -a kernel --format json | grep -o '"variant":"[^"]*"\|"node_size":[0-9]*'
try histree copy --rebuild folder/store/kernel.sht
# What no file says, the manifest does.
options() {
	python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["options"])' "$1/manifest.json"
}
for words in '--prefer space --no-overviews' '--nulls keep' '-t vrsht --r-depth 3 --r-nodes 7'; do
	histree build -q -a kernel $words -o options folder/elsewhere
	options options
	histree copy --rebuild -q options folder/elsewhere && options options
	rm -r options
done
