# A state that takes no time leaves nulls on both sides of it, which are two intervals in every tree.
cat >changes.tsv <<-END
	path	time	value
	Gate/east	100	open
	Gate/east	500	shut
	Gate/west	300	open
	Gate/west	300	
	Gate/north	300	open
	Gate/north	301	
END
for variant in cluster sht osht esht rsht vrsht; do
	for nulls in leave-out keep; do
		histree load -q -f -o gates -t $variant --nulls $nulls --end 900 changes.tsv
		histree verify gates
		histree states gates --format tsv | cksum
	done
done
histree states gates --format tsv
