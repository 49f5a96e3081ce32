# What is no store, for each verb that takes one.
mkdir folder
echo text >file
for store in missing folder file; do
	for verb in info 'info --attributes' 'states --at +1ms' states verify; do
		try histree $verb $store
	done
done
