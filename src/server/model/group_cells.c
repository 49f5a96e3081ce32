// SPDX-License-Identifier: MIT
/*
 * group_cells.c - one row for many: what the threads of a process did, pixel by pixel.
 *
 * One query reads the states of all members, and for each style the time that it has in each pixel is added up: the
 * whole pixels of a state as a difference at its two ends, so that a state costs the same however long it is.
 */
#include "server/model/group_cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"

enum { STYLES_MAX = 16, STATES_MAX = 4000000 };

/* Of one style, by pixel. */
struct style_time {
	const struct histree_style *style;
	double *parts;  /* of pixels that a state covers in part */
	int32_t *whole; /* how many states begin to cover pixels here, less those that end to */
};

struct member {
	histree_quark quark;
	struct histree_row_life life;
};

struct group {
	const struct group_cells_request *request;
	const struct histree_label_table *table;
	struct member *members; /* ascending by quark */
	histree_quark *quarks;  /* without those that two lives share */
	size_t quark_count;
	struct style_time styles[STYLES_MAX];
	size_t style_count;
};

COMPARE(compare_members, struct member, BY(quark))

static enum histree_status gather(struct group *group, struct histree_error *error)
{
	const struct group_cells_request *request = group->request;
	group->members = malloc(((size_t)request->count + 1) * sizeof(*group->members));
	group->quarks = malloc(((size_t)request->count + 1) * sizeof(*group->quarks));
	if (group->members == NULL || group->quarks == NULL)
		return error_memory(error, "the threads of a process");
	for (uint32_t i = 0; i < request->count; i++) {
		const struct row_facts *facts = &request->members[i];
		const bool is_whole = facts->life.from == 0 && facts->life.to == 0;
		group->members[i] =
			(struct member){ facts->quark, is_whole ? (struct histree_row_life){ INT64_MIN, INT64_MAX }
								: facts->life };
	}
	qsort(group->members, request->count, sizeof(*group->members), compare_members);
	for (uint32_t i = 0; i < request->count; i++)
		if (group->quark_count == 0 || group->quarks[group->quark_count - 1] != group->members[i].quark)
			group->quarks[group->quark_count++] = group->members[i].quark;
	return HISTREE_OK;
}

/* Returns HISTREE_NOT_FOUND where there are more styles than a kernel has. */
static enum histree_status times_of(struct group *group, const struct histree_style *style, struct style_time **out,
				    struct histree_error *error)
{
	for (size_t i = 0; i < group->style_count; i++)
		if (group->styles[i].style == style) {
			*out = &group->styles[i];
			return HISTREE_OK;
		}
	if (group->style_count == STYLES_MAX)
		return HISTREE_NOT_FOUND;
	struct style_time *made = &group->styles[group->style_count++];
	made->style = style;
	made->parts = calloc((size_t)group->request->pixels + 1, sizeof(*made->parts));
	made->whole = calloc((size_t)group->request->pixels + 1, sizeof(*made->whole));
	*out = made;
	return made->parts != NULL && made->whole != NULL ? HISTREE_OK
							  : error_memory(error, "the states of a process");
}

/* Adds a time, both ends inclusive, which is cut at the range. */
static void add_time(const struct group *group, struct style_time *times, histree_time from, histree_time to)
{
	const struct group_cells_request *request = group->request;
	from = from > request->from ? from : request->from;
	to = to < request->to ? to : request->to;
	if (from > to)
		return;
	const double scale = (double)request->pixels / ((double)(request->to - request->from) + 1);
	const double left = (double)(from - request->from) * scale;
	const double right = ((double)(to - request->from) + 1) * scale;
	uint32_t first = (uint32_t)left, last = (uint32_t)right;
	first = first < request->pixels ? first : request->pixels - 1;
	last = last < request->pixels ? last : request->pixels - 1;
	if (first == last) {
		times->parts[first] += right - left;
		return;
	}
	times->parts[first] += first + 1 - left;
	times->parts[last] += right - last;
	times->whole[first + 1]++;
	times->whole[last]--;
}

/* Of a number that was used again, each member has its own time. */
static void add_state(const struct group *group, struct style_time *times, const struct histree_interval *state)
{
	const struct member wanted = { .quark = state->quark };
	const uint32_t count = group->request->count;
	const struct member *found = bsearch(&wanted, group->members, count, sizeof(wanted), compare_members);
	if (found == NULL)
		return;
	while (found > group->members && found[-1].quark == state->quark)
		found--;
	for (; found < group->members + count && found->quark == state->quark; found++)
		add_time(group, times, state->start > found->life.from ? state->start : found->life.from,
			 state->end < found->life.to ? state->end : found->life.to);
}

static enum histree_status read_states(struct group *group, struct histree_cursor *query,
				       struct histree_error *error)
{
	const struct group_cells_request *request = group->request;
	const struct histree_region region = {
		.quarks = group->quarks, .quark_count = group->quark_count, .from = request->from, .to = request->to
	};
	enum histree_status status = histree_query_start(query, &region, error);
	for (uint32_t states = 0; status == HISTREE_OK; states++) {
		status = histree_cursor_next(query, error);
		if (status != HISTREE_OK)
			break;
		if (states == STATES_MAX)
			return HISTREE_NOT_FOUND;
		if (states % 65536 == 0 && request->work.go_on != NULL &&
		    !request->work.go_on(request->work.context))
			return error_set(error, HISTREE_ERR_CANCELLED, "nobody waits for it any more");
		const struct histree_interval *state = histree_cursor_interval(query);
		const struct histree_style *style = histree_style_of(group->table, &state->value);
		if (style == NULL)
			continue;
		struct style_time *times;
		status = times_of(group, style, &times, error);
		if (status != HISTREE_OK)
			return status;
		add_state(group, times, state);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* Those of one height are always in one order. */
COMPARE(compare_worth, struct style_time, BY_MOST(style->height) BY_TEXT(style->key))

static void choose(struct group *group, struct group_cell *out)
{
	int64_t whole[STYLES_MAX] = { 0 };
	qsort(group->styles, group->style_count, sizeof(group->styles[0]), compare_worth);
	for (uint32_t pixel = 0; pixel < group->request->pixels; pixel++) {
		const struct histree_style *most = NULL, *shortly = NULL;
		double longest = 0, chosen = 0;
		out[pixel].style = NULL;
		for (size_t i = 0; i < group->style_count; i++) {
			const struct style_time *times = &group->styles[i];
			whole[i] += times->whole[pixel];
			const double time = times->parts[pixel] + (double)whole[i];
			const bool is_equal =
				out[pixel].style == NULL || out[pixel].style->height == times->style->height;
			if (time >= 0.5 && is_equal && time > chosen) {
				out[pixel].style = times->style;
				chosen = time;
			}
			if (out[pixel].style == NULL && shortly == NULL && time > 0)
				shortly = times->style;
			if (time > longest) {
				longest = time;
				most = times->style;
			}
		}
		if (out[pixel].style == NULL)
			out[pixel].style = most;
		out[pixel].other = shortly != out[pixel].style ? shortly : NULL;
	}
}

enum histree_status group_cells_make(const struct group_cells_request *request, struct group_cell *out,
				     struct histree_error *error)
{
	struct group group = { .request = request, .table = request->members[0].table };
	struct histree_cursor *query = NULL;
	enum histree_status status = gather(&group, error);
	if (status == HISTREE_OK)
		status = histree_query_create(request->members[0].history, &query, error);
	if (status == HISTREE_OK)
		status = read_states(&group, query, error);
	if (status == HISTREE_OK)
		choose(&group, out);
	histree_cursor_free(query);
	for (size_t i = 0; i < group.style_count; i++) {
		free(group.styles[i].parts);
		free(group.styles[i].whole);
	}
	free(group.members);
	free(group.quarks);
	return status;
}
