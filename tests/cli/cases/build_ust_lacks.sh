# A trace of a program that lacks what calls are made of: the store says what, and how to record it.
cp -r "$DATA/ctf-calls" trace
chmod -R u+w trace
shown() {
	sed -e "s/, [0-9.]* [KM]iB, [0-9.]* m\?s$/, SIZE, TIME/"
}

echo "without the context vtid"
sed -i -e 's/ _vtid;/ _other;/' trace/metadata
try histree build -o no-thread.histree trace | shown
histree info no-thread.histree | grep -A 1 warnings
try histree build -a ust-calls,function-calls -o both.histree trace | shown

echo "without any context that helps"
sed -i -e 's/ _procname/ _name/' trace/metadata
try histree build -o no-context.histree trace | shown

echo "without entries and exits"
sed -i -e 's/lttng_ust_cyg_profile:/program:/' trace/metadata
try histree build -o no-calls.histree trace | shown
try histree build -q -o no-calls-quiet.histree trace

echo "a trace that has all says nothing of it"
histree build -o whole.histree "$DATA/ctf-calls" 2>&1 | grep -c "ust-calls"
