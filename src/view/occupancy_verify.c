// SPDX-License-Identifier: MIT
/*
 * The states of threads and CPUs are gone through in the order of time, a window at once.  A window is as long as
 * there are changes to fit: so memory grows with threads and CPUs, not with states.
 */
#include <stdlib.h>

#include "base/compare.h"
#include "base/error.h"
#include "histree/query.h"
#include "view/occupancy.h"

/* Of a window, besides a few for each attribute. */
enum { WINDOW_CHANGES = 1 << 16 };

/* An attribute that is asked for, and whose it is: a thread's, or of a CPU the current thread. */
struct source {
	histree_quark quark;
	bool is_cpu;
	size_t index; /* in struct occupancy */
};

struct change {
	histree_time time;
	uint32_t source;
	enum histree_type type;
	int32_t number;
};

struct reading {
	struct occupancy *occupancy;
	const struct histree_history_info *info;
	struct histree_query *query;
	struct source *sources; /* by quark, ascending */
	histree_quark *quarks;  /* theirs */
	size_t source_count;
	struct change *changes;
	size_t change_count, change_room;
};

static int compare_sources(const void *one, const void *other)
{
	const struct source *a = one, *b = other;
	return (a->quark > b->quark) - (a->quark < b->quark);
}

static int compare_changes(const void *one, const void *other)
{
	const struct change *a = one, *b = other;
	return (a->time > b->time) - (a->time < b->time);
}

static enum histree_status find_sources(struct reading *reading, const struct thread_list *threads,
					const struct histree_resources *resources, struct histree_error *error)
{
	uint32_t resource_count;
	const struct histree_resource *list = histree_resources_list(resources, &resource_count);
	size_t count = threads->count + resource_count, cpu = 0;
	reading->sources = calloc(count + 1, sizeof(*reading->sources));
	reading->quarks = calloc(count + 1, sizeof(*reading->quarks));
	reading->change_room = WINDOW_CHANGES + 4 * count;
	reading->changes = calloc(reading->change_room, sizeof(*reading->changes));
	if (reading->sources == NULL || reading->quarks == NULL || reading->changes == NULL)
		return error_memory(error, "the states of threads and CPUs");
	for (size_t i = 0; i < threads->count; i++)
		reading->sources[reading->source_count++] = (struct source){ threads->threads[i].status, false, i };
	for (uint32_t i = 0; i < resource_count; i++)
		if (list[i].kind == HISTREE_RESOURCE_CURRENT_THREAD)
			reading->sources[reading->source_count++] = (struct source){ list[i].quark, true, cpu++ };
	qsort(reading->sources, reading->source_count, sizeof(*reading->sources), compare_sources);
	for (size_t i = 0; i < reading->source_count; i++)
		reading->quarks[i] = reading->sources[i].quark;
	return HISTREE_OK;
}

static uint32_t source_of(const struct reading *reading, histree_quark quark)
{
	const struct source wanted = { .quark = quark };
	const struct source *found = bsearch(&wanted, reading->sources, reading->source_count,
					     sizeof(*reading->sources), compare_sources);
	return (uint32_t)(found - reading->sources);
}

/* Gets the changes of a window.  Returns HISTREE_PARTIAL if there are too many for it. */
static enum histree_status read_window(struct reading *reading, histree_time from, histree_time to,
				       struct histree_error *error)
{
	const struct histree_region region = {
		.quarks = reading->quarks, .quark_count = reading->source_count, .from = from, .to = to
	};
	struct histree_interval state;
	enum histree_status status = histree_query_start(reading->query, &region, error);
	reading->change_count = 0;
	while (status == HISTREE_OK && (status = histree_query_next(reading->query, &state, error)) == HISTREE_OK) {
		if (state.start < from) /* it was met in the window before */
			continue;
		if (reading->change_count == reading->change_room)
			return HISTREE_PARTIAL;
		reading->changes[reading->change_count++] = (struct change){
			.time = state.start,
			.source = source_of(reading, state.quark),
			.type = state.value.type,
			.number = state.value.type == HISTREE_INT ? state.value.int32 : 0,
		};
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

static void follow_window(struct reading *reading)
{
	qsort(reading->changes, reading->change_count, sizeof(*reading->changes), compare_changes);
	for (size_t i = 0; i < reading->change_count; i++) {
		const struct change *change = &reading->changes[i];
		const struct source *source = &reading->sources[change->source];
		const struct histree_value value = { .type = change->type, .int32 = change->number };
		if (source->is_cpu)
			occupancy_set_current(reading->occupancy, source->index, value);
		else
			occupancy_set_status(reading->occupancy, source->index, value);
		if (i + 1 == reading->change_count || change[1].time > change->time)
			occupancy_settle(reading->occupancy, change->time);
	}
}

/* A window of one time has no more changes than attributes, so that windows are never cut for ever. */
static enum histree_status follow(struct reading *reading, struct histree_error *error)
{
	const struct histree_history_info *info = reading->info;
	uint64_t length = (uint64_t)info->end - (uint64_t)info->start + 1;
	uint64_t left = length;
	for (histree_time from = info->start; left > 0;) {
		length = length < left ? length : left;
		enum histree_status status =
			read_window(reading, from, (histree_time)((uint64_t)from + length - 1), error);
		if (status == HISTREE_PARTIAL) {
			length = (length + 1) / 2;
			continue;
		}
		if (status != HISTREE_OK)
			return status;
		follow_window(reading);
		left -= length;
		from = (histree_time)((uint64_t)from + length);
		if (reading->change_count < reading->change_room / 4 && length <= UINT64_MAX / 2)
			length *= 2;
	}
	return HISTREE_OK;
}

static enum histree_status verify(struct occupancy *occupancy, struct histree_history *history,
				  const struct thread_list *threads, const struct histree_resources *resources,
				  struct histree_error *error)
{
	struct reading reading = { .occupancy = occupancy, .info = histree_history_info(history) };
	enum histree_status status = find_sources(&reading, threads, resources, error);
	if (status == HISTREE_OK)
		status = histree_query_create(history, &reading.query, error);
	if (status == HISTREE_OK)
		status = follow(&reading, error);
	if (status == HISTREE_OK)
		status = occupancy_finish(occupancy, reading.info->end, error);
	histree_query_free(reading.query);
	free(reading.changes);
	free(reading.quarks);
	free(reading.sources);
	return status;
}

static enum histree_status verify_host(struct histree_history *history,
				       void (*report)(void *context, const char *fault), void *context,
				       struct histree_error *error)
{
	struct thread_list threads = { 0 };
	struct histree_resources *resources = NULL;
	struct occupancy occupancy = { 0 };
	enum histree_status status =
		thread_list_read(&threads, history, INT64_MIN, INT64_MAX, (struct histree_cancel){ 0 }, error);
	threads.count = threads.number_count; /* who runs where is said of numbers */
	if (status == HISTREE_OK)
		status = histree_resources_create(history, &resources, error);
	if (status == HISTREE_OK)
		status = occupancy_init(&occupancy, &threads, resources, report, context, error);
	if (status == HISTREE_OK && occupancy.cpu_count == 0)
		status = error_set(error, HISTREE_NOT_FOUND, "there are no states of CPUs");
	if (status == HISTREE_OK)
		status = verify(&occupancy, history, &threads, resources, error);
	occupancy_release(&occupancy);
	histree_resources_free(resources);
	thread_list_release(&threads);
	return status;
}

/* No thread of one host runs on a CPU of another. */
enum histree_status histree_occupancy_verify(struct histree_history *history,
					     void (*report)(void *context, const char *fault), void *context,
					     struct histree_error *error)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	enum histree_status status = HISTREE_NOT_FOUND, worst = HISTREE_OK;
	if (count == 0)
		return verify_host(history, report, context, error);
	for (size_t i = 0; i < count; i++) {
		if (hosts[i].history == NULL)
			continue;
		enum histree_status own = verify_host(hosts[i].history, report, context, error);
		if (own < 0 && own != HISTREE_ERR_FORMAT)
			return own;
		worst = own < 0 ? own : worst;
		status = own == HISTREE_OK ? own : status;
	}
	if (worst == HISTREE_OK && status == HISTREE_NOT_FOUND)
		return error_set(error, HISTREE_NOT_FOUND, "there are no states of CPUs");
	return worst < 0 ? worst : status;
}
