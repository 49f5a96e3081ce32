#!/bin/bash
# SPDX-License-Identifier: MIT
# check-manual.sh SCDOC ROOT - scdoc takes every page of the manual, and would say if it did not take one.
set -eu

scdoc=$1
folder=$2/docs/man
if printf 'page(1)\n\n# NAME\n\n*bold\n\n# OTHER\n' | "$scdoc" >/dev/null 2>&1; then
	echo "'$scdoc' takes a page whose bold text does not end"
	exit 1
fi
refused=0
for page in "$folder"/*.scd; do
	if ! said=$("$scdoc" 2>&1 >/dev/null <"$page"); then
		echo "${page#"$2"/}: ${said:-scdoc refuses it}"
		refused=1
	fi
done
exit "$refused"
