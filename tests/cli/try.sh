# SPDX-License-Identifier: MIT
# Read by bash before each case.

# try COMMAND... - the command, everything that it says, and how it ended.
try() {
	echo "\$ $*"
	"$@" 2>&1
	local status=$?
	[ $status -eq 0 ] || echo "[exit $status]"
}
