/* SPDX-License-Identifier: MIT */
#ifndef PIPELINE_EVENTS_H
#define PIPELINE_EVENTS_H

#include "histree/events.h"
#include "pipeline/event_index.h"

struct histree_events {
	struct event_index index;
	char **traces; /* in the arena of the index */
	size_t trace_count;
};

#endif
