// SPDX-License-Identifier: MIT
#include "tree/tree_nulls.h"

void tree_nulls_begin(struct tree_nulls *nulls, const struct tree_reader *reader, size_t keys)
{
	nulls->at = 0;
	nulls->end = reader->lifetimes.count > 0 ? keys : 0; /* else every null is in a node */
	nulls->block = SIZE_MAX;
}

static inline struct lifetime lifetime_of(struct tree_nulls *nulls, const struct lifetimes_view *lifetimes,
					  const struct node_region *region, size_t at)
{
	if (region->quarks != NULL)
		return lifetimes_view_get(lifetimes, region->quarks[at]);
	if (at / LIFETIMES_IN_BLOCK != nulls->block) {
		nulls->block = at / LIFETIMES_IN_BLOCK;
		lifetimes_view_get_block(lifetimes, (histree_quark)(nulls->block * LIFETIMES_IN_BLOCK),
					 nulls->lifetimes);
	}
	return nulls->lifetimes[at % LIFETIMES_IN_BLOCK];
}

size_t tree_nulls_read(struct tree_nulls *nulls, const struct tree_reader *reader, const struct node_region *region,
		       struct histree_interval *out, size_t room)
{
	size_t count = 0;
	for (; nulls->at < nulls->end && count + 2 <= room; nulls->at++) {
		size_t at = nulls->at;
		struct lifetime lifetime = lifetime_of(nulls, &reader->lifetimes, region, at);
		if (lifetime.first <= region->from && lifetime.last >= region->to)
			continue;
		histree_quark key = region->quarks != NULL ? region->quarks[at] : (histree_quark)at;
		struct histree_interval of_key[2];
		unsigned found = lifetime_nulls(lifetime, key, reader->shape.start, reader->shape.end, of_key);
		for (unsigned i = 0; i < found; i++)
			if (region_has_time_of(region, of_key[i].start, of_key[i].end))
				out[count++] = of_key[i];
	}
	return count;
}
