// SPDX-License-Identifier: MIT
/*
 * api_compare.c - what differs between two spans, hosts or traces, for the page: the rows of `histree compare`,
 * from the same calls of the library, with the same words.
 *
 * A side is an experiment, a host of it or all, and a span.  Parameters of A have the names that all requests have,
 * those of B end in B.
 */
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "histree/segment_stats.h"
#include "histree/states.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/catalogue/catalogue.h"
#include "server/model/segment_list.h"

enum { SIDES = 2, ROWS_MAX = 10000 };

struct compared_side {
	struct dataset *dataset; /* held */
	const char *host;        /* "": all of them */
	histree_time start;      /* of the trace: what times count from */
	histree_time from, to;
};

/* ---- the request ------------------------------------------------------------------------------------- */

/* Finds the trace of a side, and reads its span, which is all of it unless the request says otherwise. */
static bool read_side(struct call *call, int number, struct compared_side *side)
{
	int64_t from, to;
	const char *uuid = page_text(call, number == 0 ? "experiment" : "experimentB");
	side->dataset = catalogue_dataset(call->service->catalogue, uuid);
	if (!page_is_ready(call, side->dataset))
		return false;
	const struct histree_store_info *info = histree_store_info(side->dataset->store);
	const int64_t last = info->end - info->start;
	side->host = page_text(call, number == 0 ? "host" : "hostB");
	side->start = info->start;
	if (!page_number(call, number == 0 ? "from" : "fromB", 0, last, 0, &from) ||
	    !page_number(call, number == 0 ? "to" : "toB", from, last, last, &to))
		return false;
	side->from = info->start + from;
	side->to = info->start + to;
	return true;
}

/* ---- states ------------------------------------------------------------------------------------------ */

/* The history of an analysis of a side, or of its host; "": the kernel's, or the first one. */
static bool find_states(const struct call *call, const struct compared_side *side, const char *analysis,
			struct histree_history **out)
{
	const struct dataset *dataset = side->dataset;
	*out = dataset_history(dataset, *analysis != '\0' ? analysis : "kernel");
	if (*out == NULL && *analysis == '\0' && dataset->history_count > 0)
		*out = dataset->histories[0];
	if (*out != NULL && *side->host != '\0') {
		size_t count;
		const struct histree_history_host *hosts = histree_history_hosts(*out, &count);
		*out = NULL;
		for (size_t i = 0; i < count && *out == NULL; i++)
			if (strcmp(hosts[i].name, side->host) == 0)
				*out = hosts[i].history;
	}
	if (*out == NULL)
		reply_error(call->reply, HTTP_NOT_FOUND, "One of the sides has no states%s%s",
			    *side->host != '\0' ? " of host " : "", side->host);
	return *out != NULL;
}

static void write_state(struct json_writer *json, const struct histree_state_difference *state)
{
	json_begin_object(json);
	json_text_member(json, "what", state->kind);
	json_key(json, "state");
	if (state->label != NULL)
		json_put_text(json, state->label);
	else if (state->value.type == HISTREE_UNKNOWN)
		json_put_text(json, "(unknown)");
	else
		api_write_value(json, &state->value);
	json_unsigned_member(json, "aNs", state->a_ns);
	json_unsigned_member(json, "bNs", state->b_ns);
	json_real_member(json, "a", state->a_share);
	json_real_member(json, "b", state->b_share);
	json_real_member(json, "noise", state->noise);
	json_text_member(json, "verdict", histree_state_difference_verdict(state, false));
	json_text_member(json, "said", histree_state_difference_verdict(state, true));
	json_end(json);
}

static void write_states(struct call *call, const struct histree_state_comparison *comparison, int64_t limit)
{
	struct json_writer *json = call->json;
	const struct histree_state_difference *state;
	json_begin_object(json);
	json_begin_array_member(json, "states");
	for (size_t i = 0; i < (size_t)limit && (state = histree_state_comparison_state(comparison, i)) != NULL;
	     i++)
		write_state(json, state);
	json_end(json);
	json_bool_member(json, "isDamaged",
			 histree_state_comparison_loss(comparison, 0).nodes > 0 ||
				 histree_state_comparison_loss(comparison, 1).nodes > 0);
	json_end(json);
}

static void compare_states(struct call *call, const struct compared_side sides[SIDES], const char *analysis,
			   int64_t limit)
{
	struct histree_history *histories[SIDES];
	struct histree_selection selections[SIDES];
	struct histree_state_comparison *comparison;
	for (int i = 0; i < SIDES; i++)
		if (!find_states(call, &sides[i], analysis, &histories[i]))
			return;
	for (int i = 0; i < SIDES; i++) {
		histree_selection_begin(&selections[i], histories[i]);
		selections[i].window.from = sides[i].from;
		selections[i].window.to = sides[i].to;
	}
	if (reply_ok(call->reply,
		     histree_state_comparison_create(&selections[0], &selections[1], reply_cancel(call->reply),
						     &comparison, &call->reply->error))) {
		write_states(call, comparison, limit);
		histree_state_comparison_free(comparison);
	}
	for (int i = 0; i < SIDES; i++)
		histree_selection_release(&selections[i]);
}

/* ---- segments ---------------------------------------------------------------------------------------- */

static bool is_host(void *name, const char *host)
{
	return strcmp(name, host) == 0;
}

static bool has_host(const struct histree_segment_store *store, const char *name)
{
	size_t count;
	const struct histree_segment_part *hosts = histree_segment_store_parts(store, &count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(hosts[i].name, name) == 0)
			return true;
	return false;
}

/* The segments of a side that go on in its span, on its host. */
static bool find_segments(struct call *call, const struct compared_side *side, const char *analysis,
			  struct histree_segment_side *out)
{
	void *lists;
	struct segment_list *list;
	struct histree_error *error = &call->reply->error;
	enum histree_status status = dataset_view(side->dataset, &segment_lists_kind, &lists, error);
	if (status == HISTREE_OK)
		status = segment_list_find(lists, analysis, &list, error);
	if (!reply_ok(call->reply, status))
		return false;
	const bool is_of_host = *side->host != '\0';
	if (is_of_host && !has_host(list->store, side->host))
		return reply_error(call->reply, HTTP_NOT_FOUND, "One of the sides has no segments of host %s",
				   side->host);
	*out = (struct histree_segment_side){ list->store, HISTREE_SEGMENTS_ALL, list->name_field };
	out->query.from = side->from;
	out->query.to = side->to;
	out->query.work = reply_cancel(call->reply);
	out->query.host_filter = is_of_host ? is_host : NULL;
	out->query.host_context = (void *)(uintptr_t)side->host;
	return true;
}

static void write_group(struct json_writer *json, const struct histree_segment_group *group, const char *name)
{
	json_begin_object_member(json, name);
	json_unsigned_member(json, "count", group->count);
	json_unsigned_member(json, "total", group->total);
	if (group->count > 0) {
		json_unsigned_member(json, "p50", group->percentiles[HISTREE_P50]);
		json_unsigned_member(json, "p99", group->percentiles[HISTREE_P99]);
		json_unsigned_member(json, "max", group->max);
	}
	json_end(json);
}

static void write_difference(struct json_writer *json, const struct histree_segment_difference *difference)
{
	json_begin_object(json);
	json_key(json, "name");
	api_write_value(json, &difference->a.value);
	write_group(json, &difference->a, "a");
	write_group(json, &difference->b, "b");
	json_real_member(json, "longer", difference->longer);
	json_real_member(json, "noise", difference->noise);
	json_real_member(json, "p", difference->p);
	json_text_member(json, "verdict", histree_segment_difference_verdict(difference, false));
	json_text_member(json, "said", histree_segment_difference_verdict(difference, true));
	json_end(json);
}

static void write_segments(struct call *call, const struct histree_segment_comparison *comparison, int64_t limit)
{
	struct json_writer *json = call->json;
	const struct histree_segment_difference *group;
	json_begin_object(json);
	json_key(json, "all");
	write_difference(json, histree_segment_comparison_all(comparison));
	json_begin_array_member(json, "groups");
	for (size_t i = 0; i < (size_t)limit && (group = histree_segment_comparison_group(comparison, i)) != NULL;
	     i++)
		write_difference(json, group);
	json_end(json);
	json_bool_member(json, "isDamaged",
			 histree_segment_comparison_loss(comparison, 0).nodes > 0 ||
				 histree_segment_comparison_loss(comparison, 1).nodes > 0);
	json_end(json);
}

static void compare_segments(struct call *call, const struct compared_side sides[SIDES], const char *analysis,
			     int64_t limit)
{
	struct histree_segment_side compared[SIDES];
	struct histree_segment_comparison *comparison;
	bool are_found = true;
	for (int i = 0; i < SIDES && are_found; i++)
		are_found = find_segments(call, &sides[i], analysis, &compared[i]);
	if (are_found &&
	    reply_ok(call->reply, histree_segment_comparison_create(&compared[0], &compared[1], &comparison,
								    &call->reply->error))) {
		write_segments(call, comparison, limit);
		histree_segment_comparison_free(comparison);
	}
}

/* ------------------------------------------------------------------------------------------------------ */

void api_compare(struct call *call)
{
	int64_t limit;
	const char *analysis = page_text(call, "analysis"), *segments = page_text(call, "segments");
	struct compared_side sides[SIDES] = { 0 };
	if (read_side(call, 0, &sides[0]) && read_side(call, 1, &sides[1]) &&
	    page_number(call, "limit", 1, ROWS_MAX, ROWS_MAX, &limit)) {
		if (*segments != '\0')
			compare_segments(call, sides, segments, limit);
		else
			compare_states(call, sides, analysis, limit);
	}
	for (int i = 0; i < SIDES; i++)
		dataset_release(sides[i].dataset);
}
