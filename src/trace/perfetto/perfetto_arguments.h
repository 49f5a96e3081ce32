/* SPDX-License-Identifier: MIT */
/*
 * perfetto_arguments.h - what else an event of a track says: its debug annotations, which nest
 * (protos/perfetto/trace/track_event/debug_annotation.proto), where in the source it is, what was logged.
 */
#ifndef TRACE_PERFETTO_PERFETTO_ARGUMENTS_H
#define TRACE_PERFETTO_PERFETTO_ARGUMENTS_H

#include "trace/packed/packed_parts.h"
#include "trace/perfetto/perfetto_interned.h"

struct perfetto_arguments {
	struct packed_parts parts; /* a structure, once something was added */
	const struct perfetto_interned *interned;
	bool has_some;
	uint64_t undefined; /* references to what is not interned */
};

/* Begin those of another event. */
void perfetto_arguments_begin(struct perfetto_arguments *arguments, const struct perfetto_interned *interned);

/* Add a field of TrackEvent, if it is one of these. */
void perfetto_arguments_add(struct perfetto_arguments *arguments, const struct wire_field *field);

/* Returns whether there are some: then `parts` is whole. */
bool perfetto_arguments_end(struct perfetto_arguments *arguments);

void perfetto_arguments_release(struct perfetto_arguments *arguments);

#endif
