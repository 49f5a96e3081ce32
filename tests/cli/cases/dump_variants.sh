# The tree makes no difference to what is in it.
histree states "$STORE" >expected
for variant in sht osht esht rsht vrsht cluster; do
	histree build -q -a kernel -t $variant --node-size 4K --fan-out 3 -o $variant "$DATA/demo-trace"
	histree states $variant | cmp - expected
	histree verify $variant
done
