// SPDX-License-Identifier: MIT
/*
 * Arrows: gathered kind by kind, sorted, thinned.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/cancel.h"
#include "histree/query.h"
#include "query/pixel_scale.h"
#include "view/arrow_list.h"

struct histree_arrows {
	struct arrow_list list;
};

enum histree_status arrow_list_add(struct arrow_list *list, const struct histree_arrow *arrow,
				   struct histree_error *error)
{
	if (!array_reserve(&list->arrows, &list->capacity, list->count + 1))
		return error_memory(error, "arrows");
	list->arrows[list->count++] = *arrow;
	return HISTREE_OK;
}

/* ---- thinning --------------------------------------------------------------------------------------------- */

uint32_t arrow_pixels(const struct histree_arrows_request *request, size_t groups)
{
	enum { KINDS_OF_A_KERNEL = HISTREE_ARROW_FLOW };
	size_t pixels_max = HISTREE_ARROWS_MAX / KINDS_OF_A_KERNEL / (groups > 0 ? groups : 1);
	pixels_max = pixels_max > 0 ? pixels_max : 1;
	return request->pixels < pixels_max ? request->pixels : (uint32_t)pixels_max;
}

static int compare_numbers(int64_t one, int64_t other)
{
	return (one > other) - (one < other);
}

/* Where it ends, which others that end there hide. */
static int32_t group_of(const struct histree_arrow *arrow)
{
	bool is_by_row = arrow->kind == HISTREE_ARROW_FLOW || arrow->kind == HISTREE_ARROW_PACKET;
	return is_by_row ? arrow->to : arrow->cpu;
}

static int compare_arrows(const void *a, const void *b)
{
	const struct histree_arrow *first = a, *second = b;
	int order = compare_numbers(group_of(first), group_of(second));
	order = order != 0 ? order : compare_numbers(first->end, second->end);
	order = order != 0 ? order : compare_numbers(first->start, second->start);
	order = order != 0 ? order : compare_numbers(first->from, second->from);
	return order != 0 ? order : compare_numbers(first->to, second->to);
}

static size_t count_groups(const struct arrow_list *sorted)
{
	size_t count = 0;
	for (size_t i = 0; i < sorted->count; i++)
		count += i == 0 || group_of(&sorted->arrows[i]) != group_of(&sorted->arrows[i - 1]);
	return count;
}

/* Keeps those candidates, which are of one kind, that can be told apart. */
static enum histree_status take_visible(struct arrow_list *out, struct arrow_list *candidates,
					const struct histree_arrows_request *request, struct histree_error *error)
{
	out->lacks_some = out->lacks_some || candidates->lacks_some;
	if (candidates->count == 0)
		return HISTREE_OK;
	qsort(candidates->arrows, candidates->count, sizeof(*candidates->arrows), compare_arrows);
	struct pixel_scale scale =
		pixel_scale(request->from, request->to, arrow_pixels(request, count_groups(candidates)));
	const struct histree_arrow *last = NULL;
	uint32_t last_pixel = 0;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < candidates->count && status == HISTREE_OK; i++) {
		const struct histree_arrow *arrow = &candidates->arrows[i];
		if (arrow->end < request->from || arrow->start > request->to)
			continue;
		uint32_t pixel = pixel_from(&scale, arrow->end < request->to ? arrow->end : request->to);
		if ((last != NULL && group_of(last) == group_of(arrow) && last_pixel == pixel) ||
		    out->count == HISTREE_ARROWS_MAX) {
			out->lacks_some = true;
			continue;
		}
		status = arrow_list_add(out, arrow, error);
		last = arrow;
		last_pixel = pixel;
	}
	return status;
}

/* ---- forks ------------------------------------------------------------------------------------------------ */

/* In the range, and perhaps seen by the trace. */
static bool may_be_fork(const struct histree_arrows_request *request, const struct histree_thread *thread)
{
	return thread->first == thread->ppid_since && thread->first >= request->from &&
	       thread->first <= request->to && thread->parent != HISTREE_NO_INDEX && thread->tid > 0 &&
	       thread->ppid > 0;
}

static enum histree_status check_forks(const struct histree_arrows_request *request,
				       const struct histree_thread *threads, uint32_t count,
				       struct histree_query *query, struct arrow_list *forks,
				       struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < count && status == HISTREE_OK; i++) {
		const struct histree_thread *thread = &threads[i];
		bool is_fork = false;
		status = cancel_check(&request->cancel, i, error);
		if (status == HISTREE_OK && may_be_fork(request, thread))
			status = histree_thread_is_forked(query, thread, &is_fork, error);
		if (status == HISTREE_OK && is_fork)
			status = arrow_list_add(forks,
						&(struct histree_arrow){
							.kind = HISTREE_ARROW_FORK,
							.from = thread->ppid,
							.to = thread->tid,
							.cpu = -1,
							.tid = thread->tid,
							.start = thread->first,
							.end = thread->first,
						},
						error);
	}
	return status;
}

enum histree_status arrows_gather_forks(const struct histree_arrows_request *request, struct arrow_list *forks,
					struct histree_error *error)
{
	uint32_t count, candidates = 0;
	struct histree_query *query;
	if (request->flow == NULL)
		return HISTREE_OK;
	const struct histree_thread *threads = histree_control_flow_threads(request->flow, &count);
	for (uint32_t i = 0; i < count; i++)
		candidates += may_be_fork(request, &threads[i]);
	forks->lacks_some = candidates > ARROW_READS_MAX;
	if (forks->lacks_some || candidates == 0)
		return HISTREE_OK;
	enum histree_status status = histree_query_create(request->history, &query, error);
	if (status == HISTREE_OK)
		status = check_forks(request, threads, count, query, forks, error);
	histree_query_free(query);
	return status;
}

/* ---- wake-ups --------------------------------------------------------------------------------------------- */

struct wakeup_fields {
	size_t tid, cpu, waker;
};

static enum histree_status find_fields(const struct histree_segment_store *store, struct wakeup_fields *fields)
{
	enum histree_status status = histree_segment_store_field(store, "tid", &fields->tid);
	if (status == HISTREE_OK)
		status = histree_segment_store_field(store, "cpu", &fields->cpu);
	return status == HISTREE_OK ? histree_segment_store_field(store, "waker", &fields->waker) : status;
}

static int32_t number_of(const struct histree_segment *segment, size_t field)
{
	const struct histree_value *value = &segment->content[field];
	return value->type == HISTREE_INT ? value->int32 : -1;
}

/* Interrupts of an idle CPU wake up too: those have no thread at the other end. */
static enum histree_status add_wakeup(const struct wakeup_fields *fields, const struct histree_segment *segment,
				      struct arrow_list *wakeups, struct histree_error *error)
{
	struct histree_arrow arrow = {
		.kind = HISTREE_ARROW_WAKEUP,
		.from = number_of(segment, fields->waker),
		.to = number_of(segment, fields->tid),
		.cpu = number_of(segment, fields->cpu),
		.tid = number_of(segment, fields->tid),
		.start = segment->start,
		.end = segment->end,
	};
	return arrow.from > 0 && arrow.to > 0 ? arrow_list_add(wakeups, &arrow, error) : HISTREE_OK;
}

static enum histree_status read_wakeups(const struct histree_arrows_request *request,
					const struct wakeup_fields *fields, struct histree_segment_iter *iter,
					struct arrow_list *wakeups, struct histree_error *error)
{
	struct histree_segment segment;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.from = request->from;
	query.to = request->to;
	enum histree_status status = histree_segment_iter_start(iter, &query, NULL, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		if (step == ARROW_READS_MAX) {
			wakeups->count = 0;
			wakeups->lacks_some = true;
			return HISTREE_OK;
		}
		status = cancel_check(&request->cancel, step, error);
		if (status == HISTREE_OK)
			status = histree_segment_iter_next(iter, &segment, error);
		if (status == HISTREE_OK)
			status = add_wakeup(fields, &segment, wakeups, error);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status arrows_gather_wakeups(const struct histree_arrows_request *request, struct arrow_list *wakeups,
					  struct histree_error *error)
{
	struct wakeup_fields fields;
	struct histree_segment_iter *iter;
	if (request->wakeups == NULL)
		return HISTREE_OK;
	if (find_fields(request->wakeups, &fields) != HISTREE_OK)
		return error_set(error, HISTREE_ERR_ARGUMENT, "these segments are no wake-ups");
	enum histree_status status = histree_segment_iter_create(request->wakeups, &iter, error);
	if (status == HISTREE_OK)
		status = read_wakeups(request, &fields, iter, wakeups, error);
	histree_segment_iter_free(iter);
	return status;
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

static enum histree_status gather(const struct histree_arrows_request *request, struct arrow_list *kinds,
				  struct histree_error *error)
{
	enum histree_status status =
		arrows_gather_cpus(request, &kinds[HISTREE_ARROW_SWITCH], &kinds[HISTREE_ARROW_MIGRATION], error);
	if (status == HISTREE_OK)
		status = arrows_gather_forks(request, &kinds[HISTREE_ARROW_FORK], error);
	if (status == HISTREE_OK)
		status = arrows_gather_wakeups(request, &kinds[HISTREE_ARROW_WAKEUP], error);
	if (status == HISTREE_OK)
		status = arrows_gather_packets(request, &kinds[HISTREE_ARROW_PACKET], error);
	return status == HISTREE_OK ? arrows_gather_flows(request, &kinds[HISTREE_ARROW_FLOW], error) : status;
}

static enum histree_status check_request(const struct histree_arrows_request *request, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(request->history);
	if (request->pixels == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a chart has at least one pixel");
	if (request->from > request->to || request->from < info->start || request->to > info->end)
		return error_set(error, HISTREE_ERR_TIME_RANGE, "the range is not inside the history");
	return HISTREE_OK;
}

enum histree_status histree_arrows_create(const struct histree_arrows_request *request, struct histree_arrows **out,
					  struct histree_error *error)
{
	struct arrow_list kinds[HISTREE_ARROW_KIND_COUNT] = { 0 };
	*out = NULL;
	enum histree_status status = check_request(request, error);
	if (status != HISTREE_OK)
		return status;
	struct histree_arrows *arrows = calloc(1, sizeof(*arrows));
	if (arrows == NULL)
		return error_memory(error, "arrows");
	status = gather(request, kinds, error);
	for (size_t i = 0; i < HISTREE_ARROW_KIND_COUNT; i++) {
		if (status == HISTREE_OK)
			status = take_visible(&arrows->list, &kinds[i], request, error);
		free(kinds[i].arrows);
	}
	if (status == HISTREE_OK)
		status = arrows_find_rows(request, &arrows->list, error);
	if (status == HISTREE_OK)
		*out = arrows;
	else
		histree_arrows_free(arrows);
	return status;
}

void histree_arrows_free(struct histree_arrows *arrows)
{
	if (arrows == NULL)
		return;
	free(arrows->list.arrows);
	free(arrows);
}

const struct histree_arrow *histree_arrows_list(const struct histree_arrows *arrows, size_t *count)
{
	*count = arrows->list.count;
	return arrows->list.arrows;
}

bool histree_arrows_are_all(const struct histree_arrows *arrows)
{
	return !arrows->list.lacks_some;
}
