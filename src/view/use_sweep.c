// SPDX-License-Identifier: MIT
/*
 * use_sweep.c - states of threads, cut where their CPU, their system call or who has the CPU changes.
 *
 * The range is read in windows of time, so that memory has a bound whatever the range.  The states of a window come
 * in no order: they are put into lists, one for each attribute that was asked for.
 */
#include "view/use_sweep.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/compare.h"
#include "base/error.h"
#include "histree/query.h"

/* What is known of a thread, and its list.  That of a CPU, who has it, comes after all threads. */
enum { LIST_STATUS, LIST_CPU, LIST_CALL, LISTS_OF_THREAD };
#define NO_LIST UINT32_MAX

struct use_state {
	histree_time start, end;
	int32_t value;
	uint32_t list;
};

struct list {
	const struct use_state *states;
	size_t count, at;
};

struct sweeping {
	struct use_sweep *sweep;
	const struct histree_thread *threads;
	uint32_t thread_count;
	int32_t *cpus; /* the CPUs whose owners have lists, in their order */
	uint32_t cpu_count;
	uint32_t *list_of;        /* by quark */
	enum histree_part *parts; /* by list: of values that are pairs */
	uint32_t list_count;
	histree_quark *asked; /* ascending */
	size_t asked_count;
	struct histree_query *query;
	histree_time from, to; /* the window */
	struct use_state *states, *sorted;
	size_t state_count, state_capacity, sorted_capacity;
	size_t *ends; /* by list: of its states in `sorted` */
};

/* ---- what is asked ------------------------------------------------------------------------------------------ */

static void ask(struct sweeping *sweeping, histree_quark quark, uint32_t list, enum histree_part part)
{
	if (quark == HISTREE_ROOT || sweeping->list_of[quark] != NO_LIST)
		return;
	sweeping->list_of[quark] = list;
	sweeping->parts[list] = part;
	sweeping->asked[sweeping->asked_count++] = quark;
}

static void ask_thread(struct sweeping *sweeping, uint32_t index)
{
	const struct use_sweep *sweep = sweeping->sweep;
	const struct histree_thread *thread = &sweeping->threads[index];
	const uint32_t list = index * LISTS_OF_THREAD;
	struct histree_place place;
	ask(sweeping, thread->status, list + LIST_STATUS, HISTREE_WHOLE);
	if (sweep->needs_calls)
		ask(sweeping, thread->system_call, list + LIST_CALL, HISTREE_WHOLE);
	if ((sweep->needs_cpus || sweep->needs_owners) && thread->cpu < 0 &&
	    histree_thread_place(histree_history_attributes(sweep->history), thread->node, "Current_cpu_rq",
				 &place))
		ask(sweeping, place.quark, list + LIST_CPU, place.part);
}

static enum histree_status ask_cpus(struct sweeping *sweeping, struct histree_error *error)
{
	struct histree_resources *resources;
	uint32_t count;
	enum histree_status status = histree_resources_create(sweeping->sweep->history, &resources, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_resource *list = histree_resources_list(resources, &count);
	sweeping->cpus = calloc((size_t)count + 1, sizeof(*sweeping->cpus));
	uint32_t *list_of = sweeping->list_of;
	sweeping->list_count = sweeping->thread_count * LISTS_OF_THREAD + count;
	sweeping->parts = calloc((size_t)sweeping->list_count + 1, sizeof(*sweeping->parts));
	sweeping->ends = calloc((size_t)sweeping->list_count + 1, sizeof(*sweeping->ends));
	if (list_of == NULL || sweeping->cpus == NULL || sweeping->parts == NULL || sweeping->ends == NULL)
		status = error_memory(error, "the use of time");
	for (uint32_t i = 0; i < count && status == HISTREE_OK && sweeping->sweep->needs_owners; i++) {
		if (list[i].kind != HISTREE_RESOURCE_CURRENT_THREAD)
			continue;
		ask(sweeping, list[i].quark, sweeping->thread_count * LISTS_OF_THREAD + sweeping->cpu_count,
		    HISTREE_WHOLE);
		sweeping->cpus[sweeping->cpu_count++] = list[i].cpu;
	}
	histree_resources_free(resources);
	return status;
}

static enum histree_status ask_all(struct sweeping *sweeping, struct histree_error *error)
{
	struct use_sweep *sweep = sweeping->sweep;
	const uint32_t attribute_count = histree_history_info(sweep->history)->attribute_count;
	sweeping->threads = histree_control_flow_threads(sweep->flow, &sweeping->thread_count);
	sweeping->list_of = malloc(((size_t)attribute_count + 1) * sizeof(*sweeping->list_of));
	sweeping->asked = malloc(((size_t)attribute_count + 1) * sizeof(*sweeping->asked));
	if (sweeping->list_of == NULL || sweeping->asked == NULL || sweeping->thread_count > UINT32_MAX / 4)
		return error_memory(error, "the use of time");
	for (uint32_t quark = 0; quark < attribute_count; quark++)
		sweeping->list_of[quark] = NO_LIST;
	enum histree_status status = ask_cpus(sweeping, error);
	for (uint32_t i = 0; i < sweeping->thread_count && status == HISTREE_OK; i++)
		if (sweep->wants(sweep->context, &sweeping->threads[i]))
			ask_thread(sweeping, i);
	if (sweeping->asked_count > 1)
		qsort(sweeping->asked, sweeping->asked_count, sizeof(*sweeping->asked), compare_u32);
	return status;
}

/* ---- a window ----------------------------------------------------------------------------------------------- */

static bool value_of(const struct sweeping *sweeping, const struct histree_interval *interval, uint32_t list,
		     int32_t *out)
{
	const struct histree_value value = histree_value_part(&interval->value, sweeping->parts[list]);
	switch (value.type) {
	case HISTREE_NULL:
		*out = USE_NOTHING;
		return true;
	case HISTREE_INT:
		*out = value.int32;
		return true;
	case HISTREE_STRING: {
		uint32_t text = intern_add(sweeping->sweep->texts, value.bytes, value.size);
		*out = (int32_t)text;
		return text != INTERN_NONE;
	}
	default:
		*out = USE_NOT_KNOWN;
		return true;
	}
}

/* Returns HISTREE_END if there are more states than are kept, so that the window has to be shorter. */
static enum histree_status take_state(struct sweeping *sweeping, const struct histree_interval *interval,
				      struct histree_error *error)
{
	uint32_t list = sweeping->list_of[interval->quark];
	int32_t value;
	if (!value_of(sweeping, interval, list, &value))
		return error_memory(error, "the use of time");
	if (value == USE_NOTHING)
		return HISTREE_OK;
	bool is_too_long = sweeping->state_count >= sweeping->sweep->states_max + sweeping->asked_count;
	if (is_too_long && sweeping->to > sweeping->from)
		return HISTREE_END;
	if (!array_reserve(&sweeping->states, &sweeping->state_capacity, sweeping->state_count + 1))
		return error_memory(error, "the use of time");
	sweeping->states[sweeping->state_count++] =
		(struct use_state){ interval->start, interval->end, value, list };
	return HISTREE_OK;
}

/* Reads the window; *is_whole is false if it is too long. */
static enum histree_status read_window(struct sweeping *sweeping, bool *is_whole, struct histree_error *error)
{
	const struct histree_region region = {
		.quarks = sweeping->asked,
		.quark_count = sweeping->asked_count,
		.from = sweeping->from,
		.to = sweeping->to,
	};
	struct histree_interval interval;
	enum histree_status status = histree_query_start(sweeping->query, &region, error);
	*is_whole = true;
	sweeping->state_count = 0;
	for (uint64_t step = 0; status == HISTREE_OK && *is_whole; step++) {
		status = cancel_check(sweeping->sweep->cancel, step, error);
		if (status == HISTREE_OK)
			status = histree_query_next(sweeping->query, &interval, error);
		if (status != HISTREE_OK)
			break;
		status = take_state(sweeping, &interval, error);
		if (status == HISTREE_END) {
			*is_whole = false;
			status = HISTREE_OK;
		}
	}
	sweeping->sweep->is_damaged |= histree_query_stats(sweeping->query).nodes_damaged > 0;
	return status == HISTREE_END ? HISTREE_OK : status;
}

static int by_start(const void *one, const void *other)
{
	const struct use_state *a = one, *b = other;
	return (a->start > b->start) - (a->start < b->start);
}

/* Puts the states into their lists.  Most come in their order. */
static enum histree_status sort_states(struct sweeping *sweeping, struct histree_error *error)
{
	size_t *ends = sweeping->ends, sum = 0;
	if (!array_reserve(&sweeping->sorted, &sweeping->sorted_capacity, sweeping->state_count + 1))
		return error_memory(error, "the use of time");
	for (uint32_t list = 0; list <= sweeping->list_count; list++)
		ends[list] = 0;
	for (size_t i = 0; i < sweeping->state_count; i++)
		ends[sweeping->states[i].list]++;
	for (uint32_t list = 0; list <= sweeping->list_count; list++) {
		size_t count = ends[list];
		ends[list] = sum;
		sum += count;
	}
	for (size_t i = 0; i < sweeping->state_count; i++)
		sweeping->sorted[ends[sweeping->states[i].list]++] = sweeping->states[i];
	for (size_t i = 1, first = 0; i <= sweeping->state_count; i++) {
		if (i < sweeping->state_count && sweeping->sorted[i].list == sweeping->sorted[first].list)
			continue;
		bool in_order = true;
		for (size_t k = first + 1; k < i; k++)
			in_order = in_order && sweeping->sorted[k - 1].start <= sweeping->sorted[k].start;
		if (!in_order)
			qsort(sweeping->sorted + first, i - first, sizeof(*sweeping->sorted), by_start);
		first = i;
	}
	return HISTREE_OK;
}

static struct list list_of(const struct sweeping *sweeping, uint32_t list)
{
	size_t first = list > 0 ? sweeping->ends[list - 1] : 0;
	return (struct list){ sweeping->sorted + first, sweeping->ends[list] - first, 0 };
}

/* The value at a time, and until when it stays; times that are asked for never go back. */
static int32_t value_at(struct list *list, histree_time time, histree_time *until, histree_time *since)
{
	while (list->at < list->count && list->states[list->at].end < time)
		list->at++;
	const struct use_state *state = &list->states[list->at];
	if (list->at < list->count && state->start <= time) {
		*until = state->end < *until ? state->end : *until;
		*since = state->start;
		return state->value;
	}
	if (list->at < list->count && state->start - 1 < *until)
		*until = state->start - 1;
	return USE_NOTHING;
}

/* ---- pieces ------------------------------------------------------------------------------------------------- */

static enum histree_use use_of(const struct histree_thread *thread, int32_t status)
{
	static const enum histree_use uses[] = {
		HISTREE_USE_UNKNOWN,     HISTREE_USE_BLOCKED, HISTREE_USE_USER,  HISTREE_USE_SYSTEM,
		HISTREE_USE_INTERRUPTED, HISTREE_USE_WAITING, HISTREE_USE_OTHER, HISTREE_USE_OTHER,
	};
	if (status < 0 || (size_t)status >= sizeof(uses) / sizeof(*uses))
		return HISTREE_USE_UNKNOWN;
	bool runs = uses[status] == HISTREE_USE_USER || uses[status] == HISTREE_USE_SYSTEM;
	/* The idle loop waits for nobody. */
	if (thread->tid == 0 && (runs || uses[status] == HISTREE_USE_WAITING))
		return HISTREE_USE_IDLE;
	return uses[status];
}

/* A wait for a CPU, cut where that goes from thread to thread. */
static enum histree_status hand_out_wait(const struct sweeping *sweeping, struct use_piece piece,
					 struct histree_error *error)
{
	const struct use_sweep *sweep = sweeping->sweep;
	uint32_t cpu = 0;
	while (cpu < sweeping->cpu_count && sweeping->cpus[cpu] != piece.cpu)
		cpu++;
	piece.had_by = USE_NOT_KNOWN;
	if (cpu == sweeping->cpu_count)
		return sweep->take(sweep->context, &piece, error);
	struct list owners = list_of(sweeping, sweeping->thread_count * LISTS_OF_THREAD + cpu);
	size_t low = 0, high = owners.count; /* the first that ends at the start of the wait or later */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (owners.states[middle].end < piece.start)
			low = middle + 1;
		else
			high = middle;
	}
	owners.at = low;
	enum histree_status status = HISTREE_OK;
	const histree_time end = piece.end;
	while (status == HISTREE_OK && piece.start <= end) {
		histree_time since;
		piece.end = end;
		piece.had_by = value_at(&owners, piece.start, &piece.end, &since);
		if (piece.had_by == USE_NOTHING)
			piece.had_by = USE_NOT_KNOWN;
		status = sweep->take(sweep->context, &piece, error);
		piece.start = piece.end + 1;
		piece.is_first = false;
	}
	return status;
}

static enum histree_status hand_out_state(const struct sweeping *sweeping, const struct histree_thread *thread,
					  const struct use_state *state, struct list *cpus, struct list *calls,
					  struct histree_error *error)
{
	const struct use_sweep *sweep = sweeping->sweep;
	histree_time at = state->start > sweeping->from ? state->start : sweeping->from;
	histree_time end = state->end < sweeping->to ? state->end : sweeping->to;
	enum histree_status status = HISTREE_OK;
	while (at <= end && status == HISTREE_OK) {
		histree_time since = state->start, of_cpu;
		struct use_piece piece = { .thread = thread, .start = at, .end = end };
		piece.use = use_of(thread, state->value);
		piece.cpu = thread->cpu >= 0 ? thread->cpu : value_at(cpus, at, &piece.end, &of_cpu);
		piece.system_call = value_at(calls, at, &piece.end, &since);
		piece.had_by = USE_NOTHING;
		piece.is_first = at == since || at == sweep->from;
		status = sweep->needs_owners && piece.use == HISTREE_USE_WAITING
				 ? hand_out_wait(sweeping, piece, error)
				 : sweep->take(sweep->context, &piece, error);
		at = piece.end + 1;
	}
	return status;
}

static enum histree_status hand_out(const struct sweeping *sweeping, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < sweeping->thread_count && status == HISTREE_OK; i++) {
		struct list statuses = list_of(sweeping, i * LISTS_OF_THREAD + LIST_STATUS);
		struct list cpus = list_of(sweeping, i * LISTS_OF_THREAD + LIST_CPU);
		struct list calls = list_of(sweeping, i * LISTS_OF_THREAD + LIST_CALL);
		for (; statuses.at < statuses.count && status == HISTREE_OK; statuses.at++)
			status = hand_out_state(sweeping, &sweeping->threads[i], &statuses.states[statuses.at],
						&cpus, &calls, error);
	}
	return status;
}

/* ------------------------------------------------------------------------------------------------------------- */

/* So long that it has half of the states that are kept, if they are all alike. */
static uint64_t first_length(const struct use_sweep *sweep)
{
	const struct histree_history_info *info = histree_history_info(sweep->history);
	double ns = (double)info->end - (double)info->start + 1;
	double length = ns * ((double)sweep->states_max / 2) / ((double)info->interval_count + 1);
	return length < 1 ? 1 : length > 1e18 ? (uint64_t)1e18 : (uint64_t)length;
}

static enum histree_status run(struct sweeping *sweeping, struct histree_error *error)
{
	const struct use_sweep *sweep = sweeping->sweep;
	enum histree_status status = ask_all(sweeping, error);
	uint64_t length = first_length(sweep);
	if (status == HISTREE_OK)
		status = histree_query_create(sweep->history, &sweeping->query, error);
	sweeping->from = sweep->from;
	while (status == HISTREE_OK && sweeping->asked_count > 0) {
		bool is_last = (uint64_t)sweep->to - (uint64_t)sweeping->from < length, is_whole;
		sweeping->to = is_last ? sweep->to : (histree_time)((uint64_t)sweeping->from + length - 1);
		status = read_window(sweeping, &is_whole, error);
		if (status == HISTREE_OK && !is_whole) {
			length = ((uint64_t)sweeping->to - (uint64_t)sweeping->from + 1) / 2;
			continue;
		}
		if (status == HISTREE_OK)
			status = sort_states(sweeping, error);
		if (status == HISTREE_OK)
			status = hand_out(sweeping, error);
		if (is_last)
			break;
		length *= sweeping->state_count < sweep->states_max / 2 && length < UINT64_MAX / 4 ? 2 : 1;
		sweeping->from = sweeping->to + 1;
	}
	return status;
}

enum histree_status use_sweep_run(struct use_sweep *sweep, struct histree_error *error)
{
	struct sweeping sweeping = { .sweep = sweep };
	enum histree_status status = run(&sweeping, error);
	histree_query_free(sweeping.query);
	free(sweeping.cpus);
	free(sweeping.list_of);
	free(sweeping.parts);
	free(sweeping.asked);
	free(sweeping.states);
	free(sweeping.sorted);
	free(sweeping.ends);
	return status;
}
