/* SPDX-License-Identifier: MIT */
/*
 * logged_change.h - what a change log keeps: change_log.c makes it, change_log_apply.c does it.
 */
#ifndef ANALYSIS_LOGGED_CHANGE_H
#define ANALYSIS_LOGGED_CHANGE_H

#include <stddef.h>

#include "histree/value.h"

enum change_kind {
	CHANGE_INTERVAL, /* of an exact attribute, where there is no pack */
	CHANGE_SET,
	CHANGE_SETTLE, /* what was exact is the state of the true system from now on */
	CHANGE_CHOOSE,
	CHANGE_COPY,
	CHANGE_END_CHILD,
	CHANGE_LEAST,
	CHANGE_GREATEST,
};

struct logged_change {
	histree_time time; /* of the change; of an interval the start */
	uint64_t bits;     /* of the value, as ongoing_states.h has it, a text as its id; or another attribute */
	histree_time end;  /* of an interval; or the values to choose from */
	histree_quark quark;
	uint8_t kind, type;
};

enum { CHANGES_PER_CHUNK = 2000 };

struct change_chunk {
	struct change_chunk *next;
	size_t count;
	struct logged_change changes[CHANGES_PER_CHUNK];
};

#endif
