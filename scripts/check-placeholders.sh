#!/bin/bash
# SPDX-License-Identifier: MIT
# check-placeholders.sh ROOT - no page still has a @WORD@ where a number or a text was to come, and such a word
# would be found.
set -eu

placeholder='@[A-Z][A-Z0-9_]*@'
grep -qE "$placeholder" <<<'It takes @SECONDS@ s.' || { echo "'$placeholder' finds nothing"; exit 1; }
cd "$1"
if grep -rnE "$placeholder" --include='*.md' --include='*.scd' --include='*.txt' ./*.md docs demo bench; then
	echo "these are to be filled in"
	exit 1
fi
