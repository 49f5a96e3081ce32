// SPDX-License-Identifier: MIT
/*
 * cpu_usage.c - how busy CPUs were, pixel by pixel: all threads together, and the chosen threads one by one; and
 * how many states began.
 *
 * The states of the CPUs are added up.  If only the curve of all threads is wanted, overviews are read where there
 * are any.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/states.h"
#include "query/row_group.h"
#include "state/history.h"
#include "view/view.h"

/* The time that one thread ran. */
struct thread_time {
	int32_t tid;
	uint32_t curve; /* the first of its own; HISTREE_NO_INDEX: it has none */
	uint64_t ns;
};

/* A curve of a thread: of several that had one number, each may have its own, of the time in which it had that. */
struct thread_curve {
	struct histree_row_life life;
	uint32_t next; /* of the same number; HISTREE_NO_INDEX: no more */
};

struct histree_cpu_usage {
	struct histree_history *history;
	histree_time from, to;
	struct histree_work work;
	struct pixel_scale scale;
	struct pixel_cell cell; /* of the state before */
	bool no_times;
	bool from_overviews; /* what is being read is one */
	double *curves;      /* `pixels` of each; ns, in the end percent */
	size_t all, unknown; /* the last two: all threads together, and unknown time */
	size_t curve_count;
	struct thread_curve *own; /* by curve, of those asked for */
	struct thread_time *threads;
	size_t thread_count, threads_capacity;
	struct hash_index by_tid; /* of threads */
	struct histree_cpu_time *times;
	size_t time_count;
};

/* ---- threads by tid --------------------------------------------------------------------------------------- */

static bool has_tid(const void *threads, uint32_t number, const void *tid)
{
	return ((const struct thread_time *)threads)[number].tid == *(const int32_t *)tid;
}

static uint64_t hash_of_tid(int32_t tid)
{
	return hash_mix((uint32_t)tid);
}

static uint64_t hash_of_thread(const void *threads, uint32_t number)
{
	return hash_of_tid(((const struct thread_time *)threads)[number].tid);
}

/* Returns the row of a thread, which is made if it is new; NULL if memory runs out.  Valid until the next call. */
static struct thread_time *thread_time(struct histree_cpu_usage *usage, int32_t tid)
{
	uint32_t known = hash_index_find(&usage->by_tid, hash_of_tid(tid), has_tid, usage->threads, &tid);
	if (known != HASH_INDEX_NONE)
		return &usage->threads[known];
	if (!array_reserve(&usage->threads, &usage->threads_capacity, usage->thread_count + 1) ||
	    !hash_index_reserve(&usage->by_tid, usage->thread_count + 1, hash_of_thread, usage->threads))
		return NULL;
	hash_index_add(&usage->by_tid, hash_of_tid(tid), (uint32_t)usage->thread_count);
	struct thread_time *thread = &usage->threads[usage->thread_count++];
	*thread = (struct thread_time){ .tid = tid, .curve = HISTREE_NO_INDEX };
	return thread;
}

/* ---- adding up -------------------------------------------------------------------------------------------- */

static void add_to_curve(struct histree_cpu_usage *usage, size_t curve, histree_time start, histree_time end)
{
	const struct pixel_scale *scale = &usage->scale;
	double *points = usage->curves + curve * scale->pixels;
	/* Where pixels are shorter than a ns, several have the same time. */
	if (pixel_cell_has(&usage->cell, start, end) && scale->quotient > 0) {
		points[usage->cell.pixel] += (double)((uint64_t)end - (uint64_t)start) + 1;
		return;
	}
	uint32_t last = pixel_to(scale, end);
	usage->cell = pixel_cell(scale, last);
	for (uint32_t pixel = pixel_from(scale, start); pixel <= last; pixel++) {
		histree_time from = pixel_first(scale, pixel), to = pixel_last(scale, pixel);
		from = from > start ? from : start;
		to = to < end ? to : end;
		points[pixel] += (double)((uint64_t)to - (uint64_t)from) + 1;
	}
}

static enum histree_status cpu_usage_take(struct histree_cpu_usage *usage, const struct histree_interval *interval,
					  struct histree_error *error)
{
	bool is_unknown = interval->value.type == HISTREE_UNKNOWN;
	bool is_rest =
		usage->from_overviews && pyramid_value_is_rest(&interval->value); /* idle is never put there */
	if (!is_unknown && !is_rest && (interval->value.type != HISTREE_INT || interval->value.int32 == 0))
		return HISTREE_OK; /* no thread, or idle */
	histree_time start = interval->start > usage->scale.from ? interval->start : usage->scale.from;
	histree_time end = interval->end < usage->scale.to ? interval->end : usage->scale.to;
	add_to_curve(usage, is_unknown ? usage->unknown : usage->all, start, end);
	if (usage->no_times || is_unknown)
		return HISTREE_OK;
	struct thread_time *thread = thread_time(usage, interval->value.int32);
	if (thread == NULL)
		return error_memory(error, "the usage of CPUs");
	thread->ns += (uint64_t)end - (uint64_t)start + 1;
	for (uint32_t curve = thread->curve; curve != HISTREE_NO_INDEX; curve = usage->own[curve].next) {
		const struct histree_row_life *life = &usage->own[curve].life;
		if (start <= life->to && end >= life->from)
			add_to_curve(usage, curve, start > life->from ? start : life->from,
				     end < life->to ? end : life->to);
	}
	return HISTREE_OK;
}

static enum histree_status read_threads(struct histree_cpu_usage *usage, struct histree_history *history,
					const struct histree_region *region, const struct histree_work *work,
					struct histree_error *error)
{
	struct histree_cursor *query;
	struct histree_interval interval;
	enum histree_status status = histree_query_create(history, &query, error);
	if (status == HISTREE_OK)
		status = histree_query_start(query, region, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		status = cancel_or_next(work, step, query, error);
		if (status == HISTREE_OK)
			interval = *histree_cursor_interval(query);
		if (status == HISTREE_OK)
			status = cpu_usage_take(usage, &interval, error);
	}
	if (status == HISTREE_END && usage->from_overviews && histree_cursor_loss(query).nodes > 0)
		status = HISTREE_ERR_FORMAT;
	histree_cursor_free(query);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- from overviews ----------------------------------------------------------------------------------------- */

/* The least number of cells of an overview in a pixel. */
enum { CELLS_PER_PIXEL = 4 };

/* Reads those of one overview, or of none if that is UINT32_MAX; `own` has room for all. */
static enum histree_status read_from(struct histree_cpu_usage *usage, struct histree_history *history,
				     const struct histree_region *region, uint32_t overview, histree_quark *own,
				     const struct histree_work *work, struct histree_error *error)
{
	const struct pyramid *rows = history_pyramid(history, PYRAMID_ROWS);
	struct histree_region part = { .quarks = own, .from = region->from, .to = region->to };
	for (size_t i = 0; i < region->quark_count; i++) {
		const struct pyramid_entry *entry;
		uint32_t found = pyramid_find_width(rows, region->quarks[i],
						    usage->scale.quotient / CELLS_PER_PIXEL, &entry);
		if (found == overview)
			own[part.quark_count++] = found == UINT32_MAX ? region->quarks[i] : entry->own;
	}
	if (part.quark_count == 0)
		return HISTREE_OK;
	usage->from_overviews = overview != UINT32_MAX;
	return read_threads(usage, usage->from_overviews ? rows->levels[overview].history : history, &part, work,
			    error);
}

/*
 * Where only the curve of all threads is wanted, overviews will do: they keep idle time apart from what is not.
 * What cannot be read of them is read from the history.
 */
static enum histree_status read_curve(struct histree_cpu_usage *usage, struct histree_history *history,
				      const struct histree_region *region, const struct histree_work *work,
				      struct histree_error *error)
{
	size_t bytes = usage->curve_count * usage->scale.pixels * sizeof(*usage->curves);
	histree_quark *own = malloc((region->quark_count + 1) * sizeof(*own));
	double *before = malloc(bytes); /* what other hosts have added */
	enum histree_status status =
		own != NULL && before != NULL ? HISTREE_OK : error_memory(error, "the usage of CPUs");
	usage->from_overviews = false;
	if (status == HISTREE_OK) {
		memcpy(before, usage->curves, bytes);
		status = read_from(usage, history, region, UINT32_MAX, own, work, error);
	}
	const uint32_t levels = history_pyramid(history, PYRAMID_ROWS)->level_count;
	for (uint32_t overview = 0; status == HISTREE_OK && overview < levels; overview++)
		status = read_from(usage, history, region, overview, own, work, error);
	bool is_final = status == HISTREE_OK || status == HISTREE_ERR_CANCELLED || status == HISTREE_ERR_MEMORY;
	if (usage->from_overviews && !is_final) {
		usage->from_overviews = false;
		memcpy(usage->curves, before, bytes);
		status = read_threads(usage, history, region, work, error);
	}
	free(own);
	free(before);
	return status;
}

/* ---- which CPUs ------------------------------------------------------------------------------------------- */

static bool is_wanted(const struct histree_cpu_usage_request *request, int32_t cpu)
{
	for (size_t i = 0; request->cpus != NULL && i < request->cpu_count; i++)
		if (request->cpus[i] == cpu)
			return true;
	return request->cpus == NULL;
}

/* The attributes that say who runs, ascending.  The caller frees *out. */
static enum histree_status find_current_threads(struct histree_history *history,
						const struct histree_cpu_usage_request *request,
						histree_quark **out, size_t *count, struct histree_error *error)
{
	struct histree_resources *resources;
	*out = NULL;
	*count = 0;
	enum histree_status status = histree_resources_create(history, &resources, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t resource_count;
	const struct histree_resource *list = histree_resources_list(resources, &resource_count);
	*out = malloc((resource_count + 1) * sizeof(**out));
	if (*out == NULL)
		status = error_memory(error, "the usage of CPUs");
	for (uint32_t i = 0; i < resource_count && status == HISTREE_OK; i++)
		if (list[i].kind == HISTREE_RESOURCE_CURRENT_THREAD && is_wanted(request, list[i].cpu))
			(*out)[(*count)++] = list[i].quark;
	if (*count > 1)
		qsort(*out, *count, sizeof(**out), compare_u32);
	histree_resources_free(resources);
	return status;
}

/* ---- the answer ------------------------------------------------------------------------------------------- */

COMPARE(compare_times, struct histree_cpu_time, BY_MOST(ns) BY(tid))

static enum histree_status list_times(struct histree_cpu_usage *usage, struct histree_error *error)
{
	usage->times = malloc((usage->thread_count + 1) * sizeof(*usage->times));
	if (usage->times == NULL)
		return error_memory(error, "the usage of CPUs");
	for (size_t i = 0; i < usage->thread_count; i++)
		if (usage->threads[i].ns > 0)
			usage->times[usage->time_count++] =
				(struct histree_cpu_time){ usage->threads[i].tid, (int64_t)usage->threads[i].ns };
	qsort(usage->times, usage->time_count, sizeof(*usage->times), compare_times);
	return HISTREE_OK;
}

static enum histree_status prepare(struct histree_cpu_usage *usage, const struct histree_cpu_usage_request *request,
				   struct histree_error *error)
{
	usage->scale = pixel_scale(request->from, request->to, request->pixels);
	usage->from = request->from;
	usage->to = request->to;
	usage->work = request->work;
	usage->cell = pixel_cell(&usage->scale, 0);
	usage->no_times = request->no_times && request->tid_count == 0;
	usage->all = request->tid_count;
	usage->unknown = usage->all + 1;
	usage->curve_count = usage->unknown + 1;
	usage->curves = calloc(usage->curve_count, request->pixels * sizeof(*usage->curves));
	usage->own = malloc((request->tid_count + 1) * sizeof(*usage->own));
	if (usage->curves == NULL || usage->own == NULL)
		return error_memory(error, "the usage of CPUs");
	for (size_t i = 0; i < request->tid_count; i++) {
		struct thread_time *thread = thread_time(usage, request->tids[i]);
		if (thread == NULL)
			return error_memory(error, "the usage of CPUs");
		if (thread->curve != HISTREE_NO_INDEX && request->lives == NULL)
			return error_set(error, HISTREE_ERR_ARGUMENT, "thread %d is asked for twice",
					 request->tids[i]);
		usage->own[i].life = request->lives != NULL ? request->lives[i]
							    : (struct histree_row_life){ INT64_MIN, INT64_MAX };
		usage->own[i].next = thread->curve;
		thread->curve = (uint32_t)i;
	}
	return HISTREE_OK;
}

/* What one host did, as far as it was traced in the range. */
static enum histree_status read_host(struct histree_cpu_usage *usage, struct histree_history *history,
				     const struct histree_cpu_usage_request *request, struct histree_error *error)
{
	histree_quark *quarks;
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_region region = { .from = request->from, .to = request->to };
	if (request->from < info->end && request->to > info->start) { /* else the query says what is wrong */
		region.from = request->from > info->start ? request->from : info->start;
		region.to = request->to < info->end ? request->to : info->end;
	}
	enum histree_status status = find_current_threads(history, request, &quarks, &region.quark_count, error);
	region.quarks = quarks;
	if (status == HISTREE_OK)
		status = (usage->no_times ? read_curve : read_threads)(usage, history, &region, &request->work,
								       error);
	free(quarks);
	return status;
}

static enum histree_status read_hosts(struct histree_cpu_usage *usage, struct histree_history *history,
				      const struct histree_cpu_usage_request *request, struct histree_error *error)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	enum histree_status status = HISTREE_OK;
	if (count == 0)
		return read_host(usage, history, request, error);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		if (hosts[i].history == NULL || hosts[i].count == 0)
			continue;
		const struct histree_history_info *info = histree_history_info(hosts[i].history);
		if (request->from <= info->end && request->to >= info->start)
			status = read_host(usage, hosts[i].history, request, error);
	}
	return status;
}

enum histree_status histree_cpu_usage_create(struct histree_history *history,
					     const struct histree_cpu_usage_request *request,
					     struct histree_cpu_usage **out, struct histree_error *error)
{
	*out = NULL;
	if (request->pixels < 1 || request->pixels > HISTREE_PIXELS_MAX || request->from > request->to)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a usage of CPUs from %lld to %lld in %u pixels; 1 to %d are possible",
				 (long long)request->from, (long long)request->to, request->pixels,
				 HISTREE_PIXELS_MAX);
	struct histree_cpu_usage *usage = calloc(1, sizeof(*usage));
	enum histree_status status =
		usage == NULL ? error_memory(error, "the usage of CPUs") : prepare(usage, request, error);
	if (status == HISTREE_OK)
		status = read_hosts(usage, history, request, error);
	if (status == HISTREE_OK)
		status = list_times(usage, error);
	if (status != HISTREE_OK) {
		histree_cpu_usage_free(usage);
		return status;
	}
	for (uint32_t pixel = 0; pixel < usage->scale.pixels; pixel++) {
		uint64_t width =
			(uint64_t)pixel_last(&usage->scale, pixel) - (uint64_t)pixel_first(&usage->scale, pixel);
		for (size_t curve = 0; curve < usage->curve_count; curve++)
			usage->curves[curve * usage->scale.pixels + pixel] *= 100 / ((double)width + 1);
	}
	usage->history = history;
	*out = usage;
	return HISTREE_OK;
}

const double *histree_cpu_usage_curve(const struct histree_cpu_usage *usage, uint32_t curve)
{
	return usage->curves + (curve < usage->all ? curve : usage->all) * usage->scale.pixels;
}

const double *histree_cpu_usage_unknown(const struct histree_cpu_usage *usage)
{
	return usage->curves + usage->unknown * usage->scale.pixels;
}

const struct histree_cpu_time *histree_cpu_usage_times(const struct histree_cpu_usage *usage, size_t *count)
{
	*count = usage->time_count;
	return usage->times;
}

void histree_cpu_usage_free(struct histree_cpu_usage *usage)
{
	if (usage == NULL)
		return;
	free(usage->curves);
	free(usage->own);
	free(usage->threads);
	hash_index_release(&usage->by_tid);
	free(usage->times);
	free(usage);
}

/* ---- by thread ---------------------------------------------------------------------------------------------- */

/* Of a number that several threads had, the status says when each of them ran: 2 to 4 (histree-states(7)). */
static enum histree_status add_up_life(const struct histree_cpu_usage *usage, struct histree_cursor *times,
				       const struct histree_thread *thread, int64_t *ns,
				       struct histree_error *error)
{
	enum { RUNS_FIRST = 2, RUNS_LAST = 4, PARTS = 16 };
	size_t count;
	const struct histree_history_info *info = histree_history_info(usage->history);
	const histree_time from = usage->from > info->start ? usage->from : info->start;
	const histree_time to = usage->to < info->end ? usage->to : info->end;
	const struct histree_region region = { .quarks = &thread->status,
					       .quark_count = 1,
					       .from = thread->from > from ? thread->from : from,
					       .to = thread->to < to ? thread->to : to };
	*ns = 0;
	if (region.from > region.to)
		return HISTREE_OK;
	enum histree_status status = histree_time_in_state_start(times, &region, error);
	while (status == HISTREE_OK) {
		status = histree_cursor_read(times, PARTS, &count, error);
		const struct histree_state_time *parts = histree_cursor_state_time(times);
		for (size_t i = 0; i < count && status == HISTREE_OK; i++)
			if (parts[i].value.type == HISTREE_INT && parts[i].value.int32 >= RUNS_FIRST &&
			    parts[i].value.int32 <= RUNS_LAST)
				*ns += (int64_t)parts[i].ns;
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status add_up_lives(const struct histree_cpu_usage *usage,
					const struct histree_control_flow *flow, uint32_t last, int64_t *ns,
					struct histree_error *error)
{
	uint32_t count;
	const struct histree_thread *threads = histree_control_flow_threads(flow, &count);
	struct histree_cursor *times;
	enum histree_status status = histree_time_in_state_create(usage->history, &times, error);
	for (uint32_t thread = last; status == HISTREE_OK;) {
		status = cancel_check(&usage->work, 0, error);
		if (status == HISTREE_OK)
			status = add_up_life(usage, times, &threads[thread], &ns[thread], error);
		if (threads[thread].life == 0)
			break;
		thread = histree_control_flow_find_at(flow, threads[thread].tid, -1, threads[thread].from - 1);
	}
	histree_cursor_free(times);
	return status;
}

enum histree_status histree_cpu_usage_by_thread(const struct histree_cpu_usage *usage,
						const struct histree_control_flow *flow, int64_t *ns,
						struct histree_error *error)
{
	size_t count;
	uint32_t thread_count;
	enum histree_status status = HISTREE_OK;
	const struct histree_cpu_time *times = histree_cpu_usage_times(usage, &count);
	const struct histree_thread *threads = histree_control_flow_threads(flow, &thread_count);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		const uint32_t thread = histree_control_flow_find(flow, times[i].tid, -1);
		if (thread != HISTREE_NO_INDEX && threads[thread].life > 0)
			status = add_up_lives(usage, flow, thread, ns, error);
		else if (thread != HISTREE_NO_INDEX)
			ns[thread] = times[i].ns;
	}
	return status;
}

/* ---- density: states that begin ----------------------------------------------------------------------------- */

static enum histree_status count_states(struct histree_history *history, histree_time from, histree_time to,
					const struct pixel_scale *scale, const struct histree_work *work,
					uint64_t *counts, struct histree_error *error)
{
	const struct histree_region region = { .from = from, .to = to };
	struct pixel_cell cell = pixel_cell(scale, 0);
	histree_time start = histree_history_info(history)->start;
	struct histree_cursor *query;
	struct histree_interval interval;
	enum histree_status status = histree_query_create(history, &query, error);
	if (status == HISTREE_OK)
		status = histree_query_start(query, &region, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		status = cancel_or_next(work, step, query, error);
		if (status == HISTREE_OK)
			interval = *histree_cursor_interval(query);
		if (status != HISTREE_OK || interval.start < from || interval.start == start)
			continue;
		if (!pixel_cell_has(&cell, interval.start, interval.start))
			cell = pixel_cell(scale, pixel_from(scale, interval.start));
		counts[cell.pixel]++;
	}
	histree_cursor_free(query);
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status histree_density(struct histree_history *history, histree_time from, histree_time to,
				    uint32_t pixels, struct histree_work work, uint64_t *counts,
				    struct histree_error *error)
{
	if (pixels < 1 || pixels > HISTREE_PIXELS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a density of %u pixels; 1 to %d are possible",
				 pixels, HISTREE_PIXELS_MAX);
	const struct pixel_scale scale = pixel_scale(from, to, pixels);
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	memset(counts, 0, pixels * sizeof(*counts));
	if (count <= 0)
		return count_states(history, from, to, &scale, &work, counts, error);

	/* In the union of several, all states of a host would begin when it was first traced. */
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		if (hosts[i].history == NULL || hosts[i].count == 0)
			continue;
		const struct histree_history_info *info = histree_history_info(hosts[i].history);
		histree_time first = from > info->start ? from : info->start,
			     last = to < info->end ? to : info->end;
		if (first <= last)
			status = count_states(hosts[i].history, first, last, &scale, &work, counts, error);
	}
	return status;
}
