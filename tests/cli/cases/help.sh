# The command and each verb say what they do, on standard output.
histree help
[ "$(histree --help)" = "$(histree help)" ] || echo "--help and help differ"
[ "$(histree -h)" = "$(histree help)" ] || echo "-h and help differ"
for verb in build info states segments why copy draw serve verify bench completion help; do
	try histree "$verb" --help
	[ "$(histree help "$verb")" = "$(histree "$verb" -h)" ] || echo "help $verb and $verb -h differ"
done
