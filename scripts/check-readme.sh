#!/bin/bash
# SPDX-License-Identifier: MIT
# check-readme.sh HISTREE LIBRARY ROOT - every command of the README's tour succeeds and says something, and its
# example in C compiles without a warning, runs and prints.
set -eu

histree=$(realpath "$1")
library=$(realpath "$2")
root=$(realpath "$3")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
ln -s "$root/demo" demo

histree() {
	"$histree" "$@"
}

count=0
while read -r command; do
	if ! (eval "$command") >out 2>err </dev/null || { [[ $command != *' build '* && $command != *' add '* ]] && [ ! -s out ]; }; then
		echo "README.md: \$ $command"
		head -n 5 out err
		exit 1
	fi
	count=$((count + 1))
done < <(sed -n 's/^    \$ \(histree .*\)/\1/p' "$root/README.md")
[ "$count" -gt 0 ] || { echo "README.md: no command found"; exit 1; }

sed -n '/^```c$/,/^```$/{/^```/d;p}' "$root/README.md" >example.c
# shellcheck disable=SC2086 # flags are words
${CC:-cc} ${CFLAGS:-} -std=c17 -Wall -Wextra -Werror -I "$root/include" -o example example.c "$library"
LD_LIBRARY_PATH=$(dirname "$library") ./example demo.histree >out
[ -s out ] || { echo "README.md: the example printed nothing"; exit 1; }
echo "$count commands and the example, $(wc -l <out) lines"
