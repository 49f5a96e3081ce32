/* SPDX-License-Identifier: MIT */
/*
 * event_owner.h - which thread had the CPU on which an event happened.
 *
 * A history of the kernel says it.  Events come nearly in the order of time, so each CPU has its last state at
 * hand, and asks anew only where an event is outside of it.
 */
#ifndef EVENT_INDEX_EVENT_OWNER_H
#define EVENT_INDEX_EVENT_OWNER_H

#include "histree/events.h"
#include "histree/states.h"

struct event_owner_host;

/* Zeroed, they know nobody. */
struct event_owners {
	struct event_owner_host *hosts; /* as those of the events; one if there is one */
	size_t host_count;
};

/*
 * Take the threads of events from a history of the kernel, which is borrowed; NULL: from none.  Hosts are found by
 * their names.  Call event_owners_release() also after failure.
 */
enum histree_status event_owners_begin(struct event_owners *owners, const struct histree_events *events,
				       struct histree_history *kernel, struct histree_error *error);
void event_owners_release(struct event_owners *owners);

/* The history of a host; NULL: there is none. */
struct histree_history *event_owners_history(const struct event_owners *owners, size_t host);

/*
 * Returns the thread that had a CPU of a host at a time: 0 is the idle loop, and -1 that it is not known, outside
 * of the history, in damage, or because the trace does not say.
 */
int32_t event_owners_thread(struct event_owners *owners, size_t host, int32_t cpu, histree_time time);

#endif
