# Results on standard output, figures on standard error.
histree states "$STORE" --at +12ms CPUs/0 --format tsv --stats
