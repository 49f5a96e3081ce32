// SPDX-License-Identifier: MIT
/*
 * row_list_threads.c - the rows of threads: the busiest of those that were asked for, in the order of their tree.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "draw/row_list.h"

struct candidate {
	const struct picture_host *host;
	uint32_t thread;
	int64_t ns;
};

struct candidates {
	struct candidate *all;
	size_t count, capacity;
};

static int compare_position(const void *one, const void *other)
{
	const struct candidate *a = one, *b = other;
	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

static int compare_busy(const void *one, const void *other)
{
	const struct candidate *a = one, *b = other;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return compare_position(one, other);
}

/* How many of those that are shown already it descends from: they are on the path to the last row. */
static uint32_t indent_of(const struct row_list *list, const struct histree_thread *threads, uint32_t thread)
{
	for (size_t i = list->count; i-- > 0;) {
		uint32_t above = list->rows[i].thread;
		if (list->rows[i].is_host)
			return 1;
		if (thread <= above + threads[above].descendants)
			return list->rows[i].indent + 1;
	}
	return 0;
}

static enum histree_status add_thread(struct row_list *list, const struct candidate *candidate,
				      struct histree_error *error)
{
	uint32_t count;
	const struct picture_host *host = candidate->host;
	const struct histree_thread *threads = histree_control_flow_threads(host->flow, &count);
	const struct histree_thread *thread = &threads[candidate->thread];
	const struct picture_row row = {
		.quark = picture_host_quark(host, thread->status),
		.text = picture_host_quark(host, thread->system_call),
		.table = histree_labels_for(list->history, HISTREE_MEANS_THREAD_STATUS),
		.host = host,
		.indent = indent_of(list, threads, candidate->thread),
		.thread = candidate->thread,
		.life = { thread->from, thread->to },
	};
	char detail[32];
	snprintf(detail, sizeof(detail), "%d", thread->tid);
	if (thread->tid == 0 && thread->cpu >= 0)
		snprintf(detail, sizeof(detail), "CPU %d", thread->cpu);
	return row_list_add(list, row,
			    *thread->name != '\0' ? thread->name
			    : thread->tid == 0    ? "idle"
						  : "?",
			    detail, error);
}

/* The time that each thread of a host ran; the caller frees *out. */
static enum histree_status find_times(const struct picture_host *host, uint32_t thread_count, int64_t **out,
				      struct histree_error *error)
{
	size_t time_count;
	const struct histree_cpu_time *times = histree_cpu_usage_times(host->usage, &time_count);
	int64_t *ran = calloc((size_t)thread_count + 1, sizeof(*ran));
	*out = ran;
	if (ran == NULL)
		return error_memory(error, "the rows of a picture");
	uint32_t count;
	const struct histree_thread *threads = histree_control_flow_threads(host->flow, &count);
	for (size_t i = 0; i < time_count; i++) {
		uint32_t index = histree_control_flow_find(host->flow, times[i].tid, -1);
		/* All that had the number count as having run as long. */
		while (index != HISTREE_NO_INDEX) {
			ran[index] = times[i].ns;
			if (threads[index].life == 0)
				break;
			index = histree_control_flow_find_at(host->flow, times[i].tid, -1, threads[index].from - 1);
		}
	}
	return HISTREE_OK;
}

/* Adds the threads asked for of a host, each with the time that it ran. */
static enum histree_status find_candidates(const struct row_list *list, const struct histree_draw_options *options,
					   const struct picture_host *host, struct candidates *candidates,
					   struct histree_error *error)
{
	uint32_t thread_count;
	int64_t *ran;
	const struct histree_thread *threads = histree_control_flow_threads(host->flow, &thread_count);
	if (!array_reserve(&candidates->all, &candidates->capacity, candidates->count + thread_count + 1))
		return error_memory(error, "the rows of a picture");
	enum histree_status status = find_times(host, thread_count, &ran, error);
	for (uint32_t i = 0; i < thread_count && status == HISTREE_OK; i++) {
		bool lived = threads[i].first <= options->to && threads[i].last >= options->from;
		/*
		 * Idle threads run whenever no one does: they say nothing that others do not, so only if asked
		 * for.
		 */
		bool wanted =
			options->quarks == NULL
				? lived && threads[i].tid > 0
				: row_list_is_asked(list, options, picture_host_quark(host, threads[i].node)) ||
					  row_list_is_asked(list, options,
							    picture_host_quark(host, threads[i].status));
		if (wanted)
			candidates->all[candidates->count++] = (struct candidate){ host, i, ran[i] };
	}
	free(ran);
	return status;
}

/* How many of the first ones have room, with a row for each host among them. */
static size_t count_shown(const struct candidates *candidates, const struct picture_host *hosts, size_t host_count,
			  size_t room, bool *has_row)
{
	size_t shown = 0, rows = 0;
	memset(has_row, 0, host_count * sizeof(*has_row));
	for (; shown < candidates->count; shown++) {
		const struct picture_host *host = candidates->all[shown].host;
		bool is_first = host->name != NULL && !has_row[host - hosts];
		if (rows + 1 + is_first > room)
			break;
		rows += 1 + is_first;
		has_row[host - hosts] = true;
	}
	return shown;
}

/* Sorts those that have room to the front, in the order of rows; the caller has made room at `has_row`. */
static size_t choose_shown(struct candidates *candidates, const struct picture_host *hosts, size_t host_count,
			   size_t room, bool *has_row)
{
	size_t shown = count_shown(candidates, hosts, host_count, room, has_row);
	if (shown < candidates->count) {
		qsort(candidates->all, candidates->count, sizeof(*candidates->all), compare_busy);
		shown = count_shown(candidates, hosts, host_count, room, has_row);
	}
	if (shown > 1)
		qsort(candidates->all, shown, sizeof(*candidates->all), compare_position);
	return shown;
}

/* How many rows hosts that cannot be read take; where there are many, most of the room is for others. */
static size_t count_missing(const struct row_list *list, const struct histree_draw_options *options,
			    const struct picture_host *hosts, size_t host_count, size_t rows_max)
{
	size_t missing = 0, most = rows_max / 4 + 1;
	for (size_t i = 0; i < host_count; i++)
		missing += row_list_is_missing(list, options, &hosts[i]);
	return missing < most ? missing : most;
}

/* Each host with its own rows, or without any if it cannot be read. */
static enum histree_status add_threads(struct row_list *list, const struct histree_draw_options *options,
				       const struct picture_host *hosts, size_t host_count,
				       const struct candidates *candidates, size_t shown, size_t missing,
				       const bool *has_row, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	size_t next = 0;
	for (size_t i = 0; i < host_count && status == HISTREE_OK; i++) {
		bool is_shown = has_row[i] || (missing > 0 && row_list_is_missing(list, options, &hosts[i]));
		missing -= is_shown && !has_row[i];
		if (is_shown)
			status = row_list_add_host(list, &hosts[i], error);
		for (; next < shown && candidates->all[next].host == &hosts[i] && status == HISTREE_OK; next++)
			status = add_thread(list, &candidates->all[next], error);
	}
	return status;
}

enum histree_status row_list_threads(struct row_list *list, const struct histree_draw_options *options,
				     const struct picture_host *hosts, size_t host_count, size_t rows_max,
				     struct histree_error *error)
{
	struct candidates candidates = { 0 };
	size_t shown = 0;
	bool *has_row = calloc(host_count + 1, sizeof(*has_row));
	enum histree_status status = has_row != NULL ? row_list_sort_asked(list, options, error)
						     : error_memory(error, "the rows of a picture");
	for (size_t i = 0; i < host_count && status == HISTREE_OK; i++)
		if (hosts[i].flow != NULL)
			status = find_candidates(list, options, &hosts[i], &candidates, error);
	if (status == HISTREE_OK) {
		size_t missing = count_missing(list, options, hosts, host_count, rows_max);
		shown = choose_shown(&candidates, hosts, host_count, rows_max - missing, has_row);
		status = add_threads(list, options, hosts, host_count, &candidates, shown, missing, has_row, error);
	}
	row_list_say_which(list, shown, candidates.count, host_count, "threads", "the busiest");
	free(candidates.all);
	free(has_row);
	return status;
}
