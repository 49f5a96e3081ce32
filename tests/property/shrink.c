// SPDX-License-Identifier: MIT
#include "shrink.h"

#include <stdlib.h>
#include <string.h>

/* Whether it still fails with other changes and fewer attributes; if so, it is made so. */
static bool take_if_failing(struct workload *workload, const struct workload_check *check,
			    const struct workload *smaller)
{
	if (check->check(check->context, smaller) == NULL)
		return false;
	memcpy(workload->changes, smaller->changes, smaller->count * sizeof(*smaller->changes));
	workload->count = smaller->count;
	workload->key_count = smaller->key_count;
	workload->disorder = smaller->disorder;
	return true;
}

static bool try_without(struct workload *workload, const struct workload_check *check, struct change *room,
			size_t from, size_t count)
{
	struct workload smaller = *workload;
	smaller.changes = room;
	smaller.count = workload->count - count;
	memcpy(room, workload->changes, from * sizeof(*room));
	memcpy(room + from, workload->changes + from + count, (smaller.count - from) * sizeof(*room));
	return take_if_failing(workload, check, &smaller);
}

static bool try_keys(struct workload *workload, const struct workload_check *check, struct change *room,
		     uint32_t key_count)
{
	struct workload smaller = *workload;
	smaller.changes = room;
	smaller.count = 0;
	smaller.key_count = key_count;
	for (size_t i = 0; i < workload->count; i++)
		if (workload->changes[i].quark < key_count)
			room[smaller.count++] = workload->changes[i];
	return take_if_failing(workload, check, &smaller);
}

static bool try_order(struct workload *workload, const struct workload_check *check, struct change *room)
{
	struct workload smaller = *workload;
	smaller.changes = memcpy(room, workload->changes, workload->count * sizeof(*room));
	smaller.disorder = 0;
	return take_if_failing(workload, check, &smaller);
}

void workload_shrink(struct workload *workload, const struct workload_check *check, unsigned runs)
{
	struct change *room = malloc((workload->count + 1) * sizeof(*room));
	if (room == NULL)
		return;
	if (workload->disorder > 0 && runs-- > 0)
		try_order(workload, check, room);
	for (uint32_t piece = workload->key_count / 2; piece > 0 && runs > 0; piece /= 2)
		while (workload->key_count > piece && runs-- > 1 &&
		       try_keys(workload, check, room, workload->key_count - piece))
			;
	for (size_t piece = workload->count / 2; piece > 0 && runs > 0; piece /= 2)
		for (size_t from = 0; from + piece <= workload->count && runs > 0; runs--)
			if (!try_without(workload, check, room, from, piece))
				from += piece;
	free(room);
}
