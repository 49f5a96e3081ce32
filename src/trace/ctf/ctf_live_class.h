/* SPDX-License-Identifier: MIT */
/*
 * ctf_live_class.h - event classes of live traces, and how a field of an event is decoded.
 *
 * A class is made when its first event is seen, so that ids are dense over the classes that occur.  The
 * table is keyed by the address of babeltrace2's class, which lives as long as the trace's graph: one
 * probe an event, and no name is compared.
 */
#ifndef TRACE_CTF_CTF_LIVE_CLASS_H
#define TRACE_CTF_CTF_LIVE_CLASS_H

#include <babeltrace2/babeltrace.h>

#include "base/arena.h"
#include "base/id_map.h"
#include "event/event.h"

struct ctf_live_class;

/* A zeroed struct ctf_live_classes is an empty one. */
struct ctf_live_classes {
	struct arena memory;
	struct id_map by_key; /* struct ctf_live_class, by the address of babeltrace2's class */
};

/* The class of events that babeltrace2 calls `key`; made if it is new.  NULL when memory is out. */
const struct event_class *ctf_live_classes_get(struct ctf_live_classes *classes, const bt_event_class *key,
					       const struct event_trace *trace);

void ctf_live_classes_release(struct ctf_live_classes *classes);

/* The CPU that the event itself names (perf), -1 if it does not. */
int32_t ctf_live_event_own_cpu(const struct event *event);

/* The two functions of struct event_trace; event->handle is a const bt_event. */
bool ctf_live_event_int(const struct event *event, uint32_t field, int64_t *out);
bool ctf_live_event_string(const struct event *event, uint32_t field, const char **text, size_t *size);

/* The number in an integer, enumeration or boolean field; false for any other kind. */
bool ctf_live_field_int(const bt_field *field, int64_t *out);

#endif
