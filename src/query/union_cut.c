// SPDX-License-Identifier: MIT
#include "query/union_cut.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/search.h"

enum histree_status union_cut_begin(struct union_cut *cut, const struct history_union *joined,
				    const struct histree_region *region, struct histree_error *error)
{
	const bool is_list = region->times != NULL;
	if (region->quarks != NULL && !array_reserve(&cut->shifted, &cut->shifted_capacity, region->quark_count))
		return error_memory(error, "a query");
	cut->joined = joined;
	cut->region = *region;
	cut->from = is_list ? region->times[0] : region->from;
	cut->to = is_list ? region->times[region->time_count - 1] : region->to;
	cut->next = 0;
	return HISTREE_OK;
}

void union_cut_release(struct union_cut *cut)
{
	free(cut->shifted);
	*cut = (struct union_cut){ 0 };
}

struct sought_quark {
	const histree_quark *quarks;
	histree_quark quark;
};

static bool quark_is_before(const void *context, size_t index)
{
	const struct sought_quark *sought = context;
	return sought->quarks[index] < sought->quark;
}

struct sought_time {
	const histree_time *times;
	histree_time time;
};

static bool time_is_before(const void *context, size_t index)
{
	const struct sought_time *sought = context;
	return sought->times[index] < sought->time;
}

bool union_cut_asks_for(const struct union_cut *cut, histree_time start, histree_time end)
{
	const struct histree_region *region = &cut->region;
	if (start > end || cut->to < start || cut->from > end)
		return false;
	if (region->times == NULL)
		return true;
	const struct sought_time sought = { region->times, start };
	size_t at = search_first(0, region->time_count, 0, time_is_before, &sought);
	return at < region->time_count && region->times[at] <= end;
}

/* The part of the list of attributes that is of one host. */
static void cut_list(struct union_cut *cut, struct host_part *part)
{
	const struct histree_region *region = &cut->region;
	const struct history_union *joined = cut->joined;
	size_t at = cut->next;
	part->number = history_union_host(joined, region->quarks[at]);
	const struct histree_history_host *host = &joined->hosts[part->number];
	part->wants_folder = region->quarks[at] == host->folder;
	part->first = at + part->wants_folder;
	part->end = region->quark_count;
	if (part->number + 1 < joined->host_count) {
		const struct sought_quark sought = { region->quarks, host->folder + 1 + host->count };
		part->end = search_first(part->first, region->quark_count, part->first, quark_is_before, &sought);
	}
	for (at = part->first; at < part->end; at++)
		cut->shifted[at] = region->quarks[at] - host->folder - 1;
	cut->next = part->end;
}

/* The times of a shard follow one another in a list of times, too. */
static void cut_times(const struct union_cut *cut, const struct histree_history_info *shard, struct host_part *part)
{
	const struct histree_region *region = &cut->region;
	part->own = (struct histree_region){
		.quarks = region->quarks != NULL ? cut->shifted + part->first : NULL,
		.quark_count = region->quarks != NULL ? part->end - part->first : 0,
		.from = cut->from > shard->start ? cut->from : shard->start,
		.to = cut->to < shard->end ? cut->to : shard->end,
	};
	if (region->times == NULL)
		return;
	struct sought_time sought = { region->times, shard->start };
	size_t first = search_first(0, region->time_count, 0, time_is_before, &sought), end = region->time_count;
	if (shard->end < cut->to) {
		sought.time = shard->end + 1;
		end = search_first(first, region->time_count, first, time_is_before, &sought);
	}
	part->own.times = region->times + first;
	part->own.time_count = end - first;
}

bool union_cut_next(struct union_cut *cut, struct host_part *part)
{
	const bool all = cut->region.quarks == NULL;
	if (cut->next == (all ? cut->joined->host_count : cut->region.quark_count))
		return false;
	if (all) {
		part->number = (uint32_t)cut->next++;
		part->wants_folder = true;
		part->first = 0;
		part->end = cut->joined->hosts[part->number].count;
	} else {
		cut_list(cut, part);
	}
	part->asks_shard = false;
	if (part->first == part->end)
		return true;
	const struct histree_history_info *shard = histree_history_info(cut->joined->hosts[part->number].history);
	part->asks_shard = union_cut_asks_for(cut, shard->start, shard->end);
	if (part->asks_shard)
		cut_times(cut, shard, part);
	return true;
}
