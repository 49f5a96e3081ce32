#!/bin/sh
# SPDX-License-Identifier: MIT
# check-symbols.sh LIBRARY HEADER INSTALLED... -- PROGRAMS... - the library exports what the header, those that it
# includes, and those of the programs of this project declare with HISTREE_API, no more and no less; and all headers
# of the header's folder are installed.
set -eu

library=$1
header=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
shift 2

while [ "$1" != -- ]; do
	basename "$1"
	shift
done >"$folder/unsorted"
shift
LC_ALL=C sort "$folder/unsorted" >"$folder/installed"
for path in "${header%/*}"/*.h; do basename "$path"; done | LC_ALL=C sort >"$folder/there"
if ! cmp -s "$folder/there" "$folder/installed"; then
	LC_ALL=C comm -23 "$folder/there" "$folder/installed" |
		sed 's/$/: a public header that is not installed (meson.build)/'
	exit 1
fi

# After the preprocessor there are no comments, and HISTREE_API is an attribute.  One declaration a line, then
# the name is the word before the first parenthesis.
include=${header%/*}
for path in "$header" "$@"; do echo "#include \"$path\""; done |
	${CC:-cc} -E -P -I "${include%/*}" -I "${include%/*/*}/src" - | tr -s '\n{}' ' ' | tr ';' '\n' |
	sed -n 's/.*visibility("default")))//p' |
	sed -e 's/__attribute__((warn_unused_result))//' -e 's/(.*//' -e 's/.*[ *]//' |
	LC_ALL=C sort -u >"$folder/declared"
nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	LC_ALL=C sort -u >"$folder/exported"

if ! cmp -s "$folder/declared" "$folder/exported"; then
	LC_ALL=C comm -23 "$folder/declared" "$folder/exported" | sed 's/$/: declared, but not exported/'
	LC_ALL=C comm -13 "$folder/declared" "$folder/exported" | sed 's/$/: exported, but not declared/'
	exit 1
fi
echo "$(wc -l <"$folder/declared") functions, as declared"
