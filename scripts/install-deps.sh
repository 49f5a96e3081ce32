#!/bin/sh
# SPDX-License-Identifier: MIT
# install-deps.sh [build|check|demo|bench] - install what is missing on Debian 12: to build histree (the default),
# to build and check it, to build it and run the demo, to build and run the benchmarks.  Does nothing where
# nothing is missing.
set -eu

build='make gcc libc6-dev meson ninja-build pkg-config libbabeltrace2-dev libcairo2-dev libjansson-dev libmicrohttpd-dev
	libseccomp-dev zlib1g-dev scdoc'
check='python3 libcmocka-dev babeltrace2 clang libclang-rt-14-dev chromium chromium-driver nodejs npm'
demo='linux-perf'
bench='python3 util-linux gnuplot-nox librsvg2-bin babeltrace2 libsqlite3-dev liblmdb-dev librocksdb-dev'

case ${1:-build} in
build) wanted=$build ;;
check) wanted="$build $check" ;;
demo) wanted="$build $demo" ;;
bench) wanted="$build $bench" ;;
*)
	echo "usage: install-deps.sh [build|check|demo|bench]" >&2
	exit 2
	;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "this is not Debian: nothing installed; histree needs what Debian calls $wanted" >&2
	exit 0
fi

missing=
for package in $wanted; do
	# Node.js from its makers has npm in it, and conflicts with Debian's package of that name.
	[ "$package" = npm ] && command -v npm >/dev/null && continue
	state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
	[ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
	# Where no one can answer, sudo must not ask for a password.
	[ -t 0 ] && as_root=sudo || as_root='sudo -n'
	if ! command -v sudo >/dev/null || ! $as_root true 2>/dev/null; then
		echo "cannot install$missing: neither root nor sudo; ask an administrator to run" >&2
		echo "    apt-get install --no-install-recommends$missing" >&2
		exit 1
	fi
fi

echo "installing$missing" >&2
apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0"
$apt update >/dev/null
# shellcheck disable=SC2086 # lists of words
$apt install --no-install-recommends $missing </dev/null >/dev/null
