# Files of a trace that somebody has compressed: which they are, and what unpacks them.
cp -r "$DATA/ctf-made" trace
gzip -n trace/channel_1
try histree build -q -o store trace
histree info store | grep channel_1
gunzip trace/channel_1.gz
gzip -n trace/metadata
try histree build -o other trace
