for format in text tsv csv json; do
	try histree analyses --format $format
done
histree analyses --format json | python3 -m json.tool >/dev/null && echo well-formed
