#!/bin/sh
# SPDX-License-Identifier: MIT
# Kill builds of a generated trace: kill.sh KILL_BUILD HISTREE GENERATE STORES [SEED]
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$3" --threads 4000 -o "$folder/trace" >"$folder/said"
"$1" "$2" "$folder/trace" "$4" "${5:-1}"
