// SPDX-License-Identifier: MIT
#include "query/union_query.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/search.h"
#include "query/query_inside.h"
#include "state/history.h"
#include "state/history_union.h"

/* What a host's part of the answer consists of, in this order. */
enum stage {
	NEXT_HOST, /* none is begun */
	FOLDER,    /* its folder */
	BEFORE,    /* nulls before its shard begins */
	SHARD,     /* what the shard says */
	AFTER,     /* nulls after its end */
};

/* A host as a single query looks at it. */
struct asked_host {
	histree_time start, end;     /* of its shard */
	struct histree_query *query; /* of its shard; NULL: not needed yet */
	const struct histree_history_host *host;
};

struct union_query {
	const struct history_union *joined;
	const struct histree_history_info *info;
	struct asked_host *hosts;
	struct histree_query *current;           /* of the shard that was asked last; `stats` is without its own */
	const struct histree_history_host *host; /* whose it is */
	struct histree_query_stats stats;
	bool is_active; /* something of an answer may be left */

	struct histree_region region;
	histree_time from, to;
	size_t next;       /* of the list of attributes, or the host: what comes after that at hand */
	enum stage stage;  /* of the host at hand */
	uint32_t number;   /* of the host */
	bool wants_folder; /* its folder is asked for */
	/* The attributes that are asked for: from `first` to `end` of the list, or all of the shard. */
	size_t first, end, at;
	histree_quark *shifted; /* the list in the words of the shards; NULL: all are asked for */
	size_t shifted_capacity;
};

enum histree_status union_query_create(struct histree_history *history, struct union_query **out,
				       struct histree_error *error)
{
	const struct history_union *joined = history_union_of(history);
	struct union_query *query = *out = calloc(1, sizeof(*query));
	if (query == NULL)
		return error_memory(error, "a query");
	query->joined = joined;
	query->info = histree_history_info(history);
	query->hosts = calloc(joined->host_count, sizeof(*query->hosts));
	if (query->hosts == NULL) {
		union_query_free(query);
		*out = NULL;
		return error_memory(error, "a query");
	}
	for (uint32_t i = 0; i < joined->host_count; i++) {
		const struct histree_history_host *host = &joined->hosts[i];
		query->hosts[i] = (struct asked_host){ .start = 0, .end = -1, .host = host };
		if (host->history != NULL) {
			query->hosts[i].start = histree_history_info(host->history)->start;
			query->hosts[i].end = histree_history_info(host->history)->end;
		}
	}
	return HISTREE_OK;
}

void union_query_free(struct union_query *query)
{
	if (query == NULL)
		return;
	for (uint32_t i = 0; query->hosts != NULL && i < query->joined->host_count; i++)
		histree_query_free(query->hosts[i].query);
	free(query->hosts);
	free(query->shifted);
	free(query);
}

/* ---- the shard at hand ------------------------------------------------------------------------------------ */

static void add_stats(struct histree_query_stats *sum, const struct histree_query *query)
{
	struct histree_query_stats stats = histree_query_stats(query);
	sum->nodes_visited += stats.nodes_visited;
	sum->nodes_loaded += stats.nodes_loaded;
	sum->nodes_damaged += stats.nodes_damaged;
}

struct histree_query_stats union_query_stats(const struct union_query *query)
{
	struct histree_query_stats stats = query->stats;
	if (query->current != NULL)
		add_stats(&stats, query->current);
	return stats;
}

/* Leave the shard that was asked last, and the node that it holds. */
static void leave_shard(struct union_query *query)
{
	if (query->current == NULL)
		return;
	add_stats(&query->stats, query->current);
	query_stop(query->current);
	query->current = NULL;
}

static inline enum histree_status enter_shard(struct union_query *query, struct asked_host *asked,
					      struct histree_error *error)
{
	if (asked->query == NULL) {
		enum histree_status status = histree_query_create(asked->host->history, &asked->query, error);
		if (status != HISTREE_OK)
			return status;
	}
	query->current = asked->query;
	query->host = asked->host;
	return HISTREE_OK;
}

enum histree_status union_query_of_host(struct union_query *query, size_t host, struct histree_query **out,
					struct histree_error *error)
{
	union_query_stop(query);
	leave_shard(query);
	query->stats = (struct histree_query_stats){ 0 };
	enum histree_status status = enter_shard(query, &query->hosts[host], error);
	*out = query->current;
	return status;
}

static enum histree_status of_host(const struct union_query *query, enum histree_status status,
				   struct histree_error *error)
{
	if (status < 0)
		history_host_prefix(query->host, error);
	return status;
}

/* ---- one attribute at one time ---------------------------------------------------------------------------- */

static struct histree_interval null_of(histree_quark quark, histree_time start, histree_time end)
{
	return (struct histree_interval){ .start = start, .end = end, .quark = quark, .value = histree_null() };
}

/* What no shard says: a folder, or a time that its host was not traced. */
static void outside(struct union_query *query, const struct asked_host *asked, histree_quark quark, histree_time t,
		    struct histree_interval *out)
{
	const struct histree_history_info *info = query->info;
	bool is_folder = quark == asked->host->folder;
	query->stats.intervals = 1;
	if (!is_folder && t < asked->start)
		*out = null_of(quark, info->start, asked->start - 1);
	else if (!is_folder)
		*out = null_of(quark, asked->end + 1, info->end);
	else
		*out = null_of(quark, info->start, info->end);
	if (is_folder && history_host_is_missing(asked->host)) {
		*out = (struct histree_interval){
			.start = t, .end = t, .quark = quark, .value = histree_unknown()
		};
		query->stats.nodes_damaged = 1;
	}
}

enum histree_status union_query_single(struct union_query *query, histree_quark quark, histree_time t,
				       struct histree_interval *out, struct histree_error *error)
{
	struct asked_host *asked = &query->hosts[history_union_host(query->joined, quark)];
	const histree_quark before = asked->host->folder + 1;
	if (query->current != NULL && query->current != asked->query)
		query_stop(query->current);
	query->stats = (struct histree_query_stats){ 0 };
	query->current = NULL;
	if (quark < before || t < asked->start || t > asked->end) {
		outside(query, asked, quark, t, out);
		return HISTREE_OK;
	}
	enum histree_status status = enter_shard(query, asked, error);
	if (status == HISTREE_OK)
		status = histree_query_single(asked->query, quark - before, t, out, error);
	if (status != HISTREE_OK)
		return of_host(query, status, error);
	out->quark += before;
	query->stats.intervals = 1;
	return HISTREE_OK;
}

/* ---- a region --------------------------------------------------------------------------------------------- */

void union_query_stop(struct union_query *query)
{
	if (query->is_active) {
		leave_shard(query);
		query->stats = (struct histree_query_stats){ 0 };
	}
	query->is_active = false;
}

enum histree_status union_query_start(struct union_query *query, const struct histree_region *region,
				      struct histree_error *error)
{
	const bool is_list = region->times != NULL;
	leave_shard(query);
	query->stats = (struct histree_query_stats){ 0 };
	query->is_active = false;
	if (region->quarks != NULL &&
	    !array_reserve(&query->shifted, &query->shifted_capacity, region->quark_count))
		return error_memory(error, "a query");
	query->region = *region;
	query->from = is_list ? region->times[0] : region->from;
	query->to = is_list ? region->times[region->time_count - 1] : region->to;
	query->next = 0;
	query->stage = NEXT_HOST;
	query->is_active = true;
	return HISTREE_OK;
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

/* The part of the list of attributes that is of one host, in its shard's words. */
static void cut_list(struct union_query *query)
{
	const struct histree_region *region = &query->region;
	const struct history_union *joined = query->joined;
	size_t at = query->next;
	query->number = history_union_host(joined, region->quarks[at]);
	const struct histree_history_host *host = &joined->hosts[query->number];
	query->wants_folder = region->quarks[at] == host->folder;
	query->first = at + query->wants_folder;
	const struct sought_quark sought = { region->quarks, host->folder + 1 + host->count };
	query->end = query->number + 1 < joined->host_count ? search_first(query->first, region->quark_count,
									   query->first, quark_is_before, &sought)
							    : region->quark_count;
	for (at = query->first; at < query->end; at++)
		query->shifted[at] = region->quarks[at] - host->folder - 1;
	query->next = query->end;
}

/* Begin with the next host of which something is asked for; HISTREE_END if there is none. */
static enum histree_status next_host(struct union_query *query)
{
	bool all = query->region.quarks == NULL;
	if (query->next == (all ? query->joined->host_count : query->region.quark_count))
		return HISTREE_END;
	if (all) {
		query->number = (uint32_t)query->next++;
		query->wants_folder = true;
		query->first = 0;
		query->end = query->joined->hosts[query->number].count;
	} else {
		cut_list(query);
	}
	query->stage = FOLDER;
	query->at = 0;
	return HISTREE_OK;
}

static void next_stage(struct union_query *query)
{
	query->stage = query->stage == AFTER ? NEXT_HOST : query->stage + 1;
	query->at = query->stage == FOLDER ? 0 : query->first;
}

/* Whether a time that is asked for lies in a range. */
static bool asks_for(const struct union_query *query, histree_time start, histree_time end)
{
	const struct histree_region *region = &query->region;
	if (start > end || query->to < start || query->from > end)
		return false;
	if (region->times == NULL)
		return true;
	const struct sought_time sought = { region->times, start };
	size_t at = search_first(0, region->time_count, 0, time_is_before, &sought);
	return at < region->time_count && region->times[at] <= end;
}

/* The state of a missing host, as of a damaged node: clipped to the range, or one for each of the times. */
static size_t read_unknown(struct union_query *query, histree_quark folder, struct histree_interval *out,
			   size_t room)
{
	const struct histree_region *region = &query->region;
	size_t count = 0;
	query->stats.nodes_damaged += query->at == 0;
	if (region->times == NULL) {
		bool is_first = query->at++ == 0;
		if (is_first)
			out[count++] =
				(struct histree_interval){ query->from, query->to, folder, histree_unknown() };
		return count;
	}
	for (; query->at < region->time_count && count < room; query->at++) {
		histree_time t = region->times[query->at];
		if (query->at == 0 || region->times[query->at - 1] != t)
			out[count++] = (struct histree_interval){ t, t, folder, histree_unknown() };
	}
	return count;
}

static size_t read_folder(struct union_query *query, struct histree_interval *out, size_t room)
{
	const struct histree_history_host *host = &query->joined->hosts[query->number];
	if (!query->wants_folder)
		return 0;
	if (history_host_is_missing(host))
		return read_unknown(query, host->folder, out, room);
	bool is_first = query->at++ == 0;
	if (is_first)
		out[0] = null_of(host->folder, query->info->start, query->info->end);
	return is_first;
}

/* The nulls of the host's attributes in a range outside of its shard. */
static size_t read_nulls(struct union_query *query, histree_time start, histree_time end,
			 struct histree_interval *out, size_t room)
{
	const histree_quark before = query->joined->hosts[query->number].folder + 1;
	size_t count = 0;
	if (query->at == query->first && !asks_for(query, start, end))
		return 0;
	for (; query->at < query->end && count < room; query->at++) {
		histree_quark quark = query->region.quarks != NULL ? query->region.quarks[query->at]
								   : before + (histree_quark)query->at;
		out[count++] = null_of(quark, start, end);
	}
	return count;
}

/* The region as the shard at hand knows it.  False: nothing of it is asked for. */
static bool cut_region(const struct union_query *query, const struct asked_host *asked, struct histree_region *own)
{
	const struct histree_region *region = &query->region;
	if (query->first == query->end || !asks_for(query, asked->start, asked->end))
		return false;
	*own = (struct histree_region){
		.quarks = region->quarks != NULL ? query->shifted + query->first : NULL,
		.quark_count = region->quarks != NULL ? query->end - query->first : 0,
		.from = query->from > asked->start ? query->from : asked->start,
		.to = query->to < asked->end ? query->to : asked->end,
	};
	if (region->times == NULL)
		return true;
	struct sought_time sought = { region->times, asked->start };
	size_t first = search_first(0, region->time_count, 0, time_is_before, &sought), end = region->time_count;
	if (asked->end < query->to) {
		sought.time = asked->end + 1;
		end = search_first(first, region->time_count, first, time_is_before, &sought);
	}
	own->times = region->times + first;
	own->time_count = end - first;
	return true;
}

/* HISTREE_END: the shard has no more. */
static enum histree_status read_shard(struct union_query *query, struct histree_interval *out, size_t room,
				      size_t *count, struct histree_error *error)
{
	struct asked_host *asked = &query->hosts[query->number];
	enum histree_status status = HISTREE_OK;
	*count = 0;
	if (query->current == NULL) {
		struct histree_region own;
		if (!cut_region(query, asked, &own))
			return HISTREE_END;
		status = enter_shard(query, asked, error);
		if (status == HISTREE_OK)
			status = histree_query_start(query->current, &own, error);
	}
	if (status == HISTREE_OK)
		status = histree_query_read(query->current, out, room, count, error);
	for (size_t i = 0; i < *count; i++)
		out[i].quark += asked->host->folder + 1;
	if (status == HISTREE_END)
		leave_shard(query);
	return of_host(query, status, error);
}

enum histree_status union_query_read(struct union_query *query, struct histree_interval *out, size_t room,
				     size_t *count, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	*count = 0;
	if (room == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "room for no interval");
	while (query->is_active && *count == 0) {
		const struct asked_host *asked = &query->hosts[query->number];
		status = HISTREE_OK;
		switch (query->stage) {
		case NEXT_HOST:
			if (next_host(query) == HISTREE_END)
				query->is_active = false;
			continue;
		case FOLDER:
			*count = read_folder(query, out, room);
			break;
		case BEFORE:
			if (asked->start > query->info->start)
				*count = read_nulls(query, query->info->start, asked->start - 1, out, room);
			break;
		case SHARD:
			status = read_shard(query, out, room, count, error);
			break;
		case AFTER:
			if (asked->end < query->info->end)
				*count = read_nulls(query, asked->end + 1, query->info->end, out, room);
			break;
		}
		if (status < 0)
			return status;
		if (*count == 0)
			next_stage(query);
	}
	query->stats.intervals += *count;
	return *count > 0 ? HISTREE_OK : HISTREE_END;
}

enum histree_status union_query_set_threads(struct union_query *query, unsigned threads,
					    struct histree_error *error)
{
	(void)query, (void)threads, (void)error;
	return HISTREE_OK;
}
