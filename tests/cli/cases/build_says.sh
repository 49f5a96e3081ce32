# One line at the end, on standard error; nothing with --quiet.
histree build "$DATA/demo-trace"
histree build --quiet -o quiet.histree "$DATA/demo-trace"
