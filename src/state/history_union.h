/* SPDX-License-Identifier: MIT */
/*
 * history_union.h - the hosts of a history of several hosts, and the host of an attribute
 * (docs/design/13-hosts.md).
 *
 * The attributes of a host follow its folder, in the order that they have in the host's own history, its *shard*:
 * converting a quark takes a search in an ascending list and an addition.
 */
#ifndef STATE_HISTORY_UNION_H
#define STATE_HISTORY_UNION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "histree/history.h"
#include "state/attributes.h"

struct history_union {
	struct histree_attributes attributes; /* of all hosts */
	struct histree_history_host *hosts;
	uint32_t host_count;
	histree_quark *folders; /* by host, ascending */
	uint32_t *by_name;      /* hosts in the order of their names */
	uint64_t *nodes_at_height;
	struct arena texts; /* of the hosts */
};

/*
 * Check each host's history by `check`; each fault that is reported begins with the host.  Returns
 * HISTREE_ERR_FORMAT, with what the first said of itself, if there are faults or hosts are missing.
 */
typedef enum histree_status history_check(struct histree_history *history,
					  void (*report)(void *context, const char *fault), void *context,
					  struct histree_error *error);

enum histree_status history_union_check(const struct history_union *joined, history_check *check,
					void (*report)(void *context, const char *fault), void *context,
					struct histree_error *error);

/* Returns the index of the host that has an attribute. */
static inline uint32_t history_union_host(const struct history_union *joined, histree_quark quark)
{
	uint32_t low = 0, count = joined->host_count;
	while (count > 1) {
		uint32_t half = count / 2;
		low += joined->folders[low + half] <= quark ? half : 0;
		count -= half;
	}
	return low;
}

/* Returns whether a host is missing, so that its folder is unknown. */
static inline bool history_host_is_missing(const struct histree_history_host *host)
{
	return host->history == NULL && host->why != NULL;
}

/* Put "host 'NAME': " before the message of an error. */
void history_host_prefix(const struct histree_history_host *host, struct histree_error *error);

#endif
