#!/bin/sh
# SPDX-License-Identifier: MIT
# Kill builds of a trace and damage what comes of it:
#	trial.sh KILL_BUILD DAMAGE_FILE HISTREE GENERATE [KILLS FLIPS TRUNCATIONS SEED TRACE]
# Without TRACE, of one that is generated.  A quick run (HISTREE_TESTS) tries a quarter.
set -eu
kills=40 flips=120 cuts=30
[ "${HISTREE_TESTS:-full}" != quick ] || kills=8 flips=30 cuts=8
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trace=${9:-$folder/trace}
[ -n "${9:-}" ] || "$4" --threads 3000 -o "$trace" >"$folder/said"
"$1" "$3" "$trace" "${5:-$kills}" "${8:-1}"
"$3" build --quiet -a kernel,system-calls -o "$folder/store" "$trace"
for file in kernel.sht system-calls.seg events.idx; do
	"$2" "$folder/store/$file" "${6:-$flips}" "${7:-$cuts}" "${8:-1}"
done
