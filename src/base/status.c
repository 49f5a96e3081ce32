// SPDX-License-Identifier: MIT
/*
 * status.c - the public functions for statuses.  They are apart from error.c, so that a program beside the library
 * can compile error.c in without a second copy of these.
 */
#include "histree/status.h"

const char *histree_status_text(enum histree_status status)
{
	switch (status) {
#define X(name, number, text) \
	case name:            \
		return text;
		HISTREE_STATUS_LIST(X)
#undef X
	}
	return "unknown status";
}

const char *histree_version(void)
{
	return HISTREE_VERSION;
}
