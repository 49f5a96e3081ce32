# The command and each verb say what they do, on standard output.
histree help
[ "$(histree --help)" = "$(histree help)" ] || echo "--help and help differ"
[ "$(histree -h)" = "$(histree help)" ] || echo "-h and help differ"
for verb in build info ls query dump draw serve verify analyses bench completion help; do
	try histree "$verb" --help
	[ "$(histree help "$verb")" = "$(histree "$verb" -h)" ] || echo "help $verb and $verb -h differ"
done
