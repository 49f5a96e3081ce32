# Results on standard output, figures on standard error.
histree query "$STORE" --at +12ms CPUs/0 --format tsv --stats
