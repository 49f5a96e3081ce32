/* SPDX-License-Identifier: MIT */
#ifndef EVENT_INDEX_EVENTS_H
#define EVENT_INDEX_EVENTS_H

#include "event_index/event_index.h"
#include "histree/events.h"

struct histree_events {
	struct event_index index;
	char **traces; /* in the arena of the index */
	size_t trace_count;
	bool are_in_order; /* no clock of the trace steps back */
};

#endif
