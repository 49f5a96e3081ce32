#!/bin/sh
# SPDX-License-Identifier: MIT
# install-deps.sh [GROUP...] - install what is missing of the groups on Debian 12; core and features unless others
# are named.  It does nothing where nothing is missing.
#
#	core		what the library and the command cannot do without
#	features	pictures, the server, names of functions, recordings of perf and trace-cmd, SQL and lines to type it in, ranks, manual pages
#	demo		what `make demo` shows more with: pictures, and a recording of this machine
#	check		what the tests take, and those of their clients that are programs
#	ci		what builds a bare Debian (scripts/bare-root), and the daemons of LTTng that the live tests record with,
#		and trace-cmd and uftrace, which judge how their recordings are read, and what makes the site of the documents
#	recordings	what scripts/recordings takes besides: a virtual machine, perf and trace-cmd
#	bench		the benchmarks and the peers that histree is measured against
#
# Only the core must be there in the end.  Without another package something is left out, which a sentence says.
set -eu

core='make gcc libc6-dev meson ninja-build pkg-config libjansson-dev'
features='libseccomp2 libcairo2-dev libmicrohttpd-dev zlib1g-dev libtraceevent-dev libzstd-dev libexpat1-dev libdw-dev libiberty-dev libsqlite3-dev libedit-dev libopenmpi-dev scdoc'
demo='libcairo2-dev libtraceevent-dev linux-perf'
check='openmpi-bin python3 mypy python3-numpy python3-pandas python3-matplotlib python3-pip python3-venv libcmocka-dev babeltrace2 libbabeltrace2-dev clang libclang-rt-14-dev chromium-headless-shell chromium-driver nodejs npm'
ci='mmdebstrap lttng-tools liblttng-ust-dev trace-cmd uftrace mkdocs mandoc'
recordings='mmdebstrap qemu-system-x86 e2fsprogs linux-perf trace-cmd libc6-dev babeltrace2 libbabeltrace2-dev'
bench='python3 util-linux librsvg2-bin babeltrace2 libsqlite3-dev liblmdb-dev librocksdb-dev'

say() {
	echo "install-deps: $1" >&2
}

# missing PACKAGE...: those that are not installed.
missing() {
	for package; do
		# Node.js from its makers has npm in it, and conflicts with Debian's package of that name.
		[ "$package" = npm ] && command -v npm >/dev/null && continue
		state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
		[ "$state" = installed ] || printf '%s ' "$package"
	done
}

# give_up REASON: an error if the core lacks something, else a remark.
give_up() {
	say "$1; to install them, run as root: apt-get install --no-install-recommends $lacking"
	[ -z "$lacking_core" ] || exit 1
	say "histree does without them"
	exit 0
}

# apt VERB...: apt-get without questions.  What it says is shown if it fails.
apt() {
	# shellcheck disable=SC2086 # no word, or two
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 "$@" \
		</dev/null >"$log" 2>&1 || { cat "$log" >&2; return 1; }
}

# known PACKAGE...: those that apt can install.
known() {
	for package; do
		if apt-cache show "$package" >/dev/null 2>&1; then
			printf '%s ' "$package"
		else
			say "apt knows no package $package"
		fi
	done
}

[ $# -gt 0 ] || set -- core features
wanted=
for group; do
	case $group in
	core) wanted="$wanted $core" ;;
	features) wanted="$wanted $features" ;;
	demo) wanted="$wanted $demo" ;;
	check) wanted="$wanted $check" ;;
	ci) wanted="$wanted $ci" ;;
	recordings) wanted="$wanted $recordings" ;;
	bench) wanted="$wanted $bench" ;;
	*)
		echo "usage: install-deps.sh [core|features|demo|check|ci|recordings|bench]..." >&2
		exit 2
		;;
	esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	say "this is not Debian, so nothing is installed; histree needs what Debian calls$wanted"
	exit 0
fi

# shellcheck disable=SC2086 # lists of words, here and below
lacking=$(missing $wanted) lacking_core=$(missing $core)
[ -n "$lacking" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
	# Where no one can answer, sudo must not ask for a password.
	[ -t 0 ] && as_root=sudo || as_root='sudo -n'
	if ! command -v sudo >/dev/null || ! $as_root true 2>/dev/null; then
		give_up "packages are missing, and there is neither root nor sudo"
	fi
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
say "installing $lacking"
apt update || give_up "apt-get update failed"
# shellcheck disable=SC2046,SC2086
apt install --no-install-recommends $(known $lacking) || give_up "apt-get install failed"
