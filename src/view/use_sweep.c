// SPDX-License-Identifier: MIT
/*
 * use_sweep.c - states of threads, cut where their CPU, their system call or who has the CPU changes.
 *
 * The range is read in windows of time, with a list for each attribute that was asked for.
 */
#include "view/use_sweep.h"

#include <stdlib.h>

#include "base/cancel.h"
#include "base/compare.h"
#include "base/error.h"
#include "query/range_sums.h"
#include "view/window_states.h"

/* What is known of a thread, and its list.  That of a CPU, who has it, comes after all threads. */
enum { LIST_STATUS, LIST_CPU, LIST_CALL, LISTS_OF_THREAD };
#define NO_LIST UINT32_MAX

struct list {
	const struct window_state *states;
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
	histree_quark *summed; /* those of them that are all that is asked of a thread, so that sums are enough */
	size_t summed_count;
	struct window_states states;
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
	/* The CPU of an idle loop is known, and it never waits for one. */
	const bool needs_more = sweep->needs_order || sweep->needs_calls ||
				((sweep->needs_cpus || sweep->needs_owners) && thread->cpu < 0);
	if (!needs_more && thread->status != HISTREE_ROOT && sweeping->list_of[thread->status] == NO_LIST)
		sweeping->summed[sweeping->summed_count++] = thread->status;
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
	if (list_of == NULL || sweeping->cpus == NULL || sweeping->parts == NULL)
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
	sweeping->summed = malloc(((size_t)sweeping->thread_count + 1) * sizeof(*sweeping->summed));
	if (sweeping->list_of == NULL || sweeping->asked == NULL || sweeping->summed == NULL ||
	    sweeping->thread_count > UINT32_MAX / 4)
		return error_memory(error, "the use of time");
	for (uint32_t quark = 0; quark < attribute_count; quark++)
		sweeping->list_of[quark] = NO_LIST;
	enum histree_status status = ask_cpus(sweeping, error);
	for (uint32_t i = 0; i < sweeping->thread_count && status == HISTREE_OK; i++)
		if (sweep->wants(sweep->context, &sweeping->threads[i]))
			ask_thread(sweeping, i);
	if (sweeping->asked_count > 1)
		qsort(sweeping->asked, sweeping->asked_count, sizeof(*sweeping->asked), compare_u32);
	if (sweeping->summed_count > 1)
		qsort(sweeping->summed, sweeping->summed_count, sizeof(*sweeping->summed), compare_u32);
	return status;
}

/* ---- a window ----------------------------------------------------------------------------------------------- */

static enum window_keep keep(void *context, const struct histree_interval *interval, int64_t *out)
{
	const struct sweeping *sweeping = context;
	const uint32_t list = sweeping->list_of[interval->quark];
	const struct histree_value value = histree_value_part(&interval->value, sweeping->parts[list]);
	switch (value.type) {
	case HISTREE_NULL:
		return WINDOW_SKIPS;
	case HISTREE_INT:
		*out = value.int32;
		return WINDOW_KEEPS;
	case HISTREE_STRING: {
		uint32_t text = intern_add(sweeping->sweep->texts, value.bytes, value.size);
		*out = (int32_t)text;
		return text != INTERN_NONE ? WINDOW_KEEPS : WINDOW_HAS_NO_MEMORY;
	}
	default:
		*out = USE_NOT_KNOWN;
		return WINDOW_KEEPS;
	}
}

static struct list list_of(const struct sweeping *sweeping, uint32_t number)
{
	const struct window_list list = window_states_list(&sweeping->states, number);
	return (struct list){ list.states, list.count, 0 };
}

/* The value at a time, and until when it stays; times that are asked for never go back. */
static int32_t value_at(struct list *list, histree_time time, histree_time *until, histree_time *since)
{
	while (list->at < list->count && list->states[list->at].end < time)
		list->at++;
	const struct window_state *state = &list->states[list->at];
	if (list->at < list->count && state->start <= time) {
		*until = state->end < *until ? state->end : *until;
		*since = state->start;
		return (int32_t)state->value;
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
	return thread->tid == 0 && runs ? HISTREE_USE_IDLE : uses[status];
}

/*
 * While others have its CPU, an idle loop waits for that, in the history.  Nobody has to wait then: it is no time
 * of a CPU's queue, and no idle time, as somebody runs.
 */
static bool is_nobodys(const struct histree_thread *thread, enum histree_use use)
{
	return thread->tid == 0 && use == HISTREE_USE_WAITING;
}

/* A piece of a state, and when that is. */
struct cut {
	struct use_piece piece;
	histree_time start, end; /* inclusive */
};

static enum histree_status give(const struct use_sweep *sweep, struct cut *cut, struct histree_error *error)
{
	cut->piece.start = cut->start;
	cut->piece.ns = (uint64_t)cut->end - (uint64_t)cut->start + 1;
	return sweep->take(sweep->context, &cut->piece, error);
}

/* A wait for a CPU, cut where that goes from thread to thread. */
static enum histree_status hand_out_wait(const struct sweeping *sweeping, struct cut cut,
					 struct histree_error *error)
{
	const struct use_sweep *sweep = sweeping->sweep;
	uint32_t cpu = 0;
	while (cpu < sweeping->cpu_count && sweeping->cpus[cpu] != cut.piece.cpu)
		cpu++;
	cut.piece.had_by = USE_NOT_KNOWN;
	if (cpu == sweeping->cpu_count)
		return give(sweep, &cut, error);
	struct list owners = list_of(sweeping, sweeping->thread_count * LISTS_OF_THREAD + cpu);
	size_t low = 0, high = owners.count; /* the first that ends at the start of the wait or later */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (owners.states[middle].end < cut.start)
			low = middle + 1;
		else
			high = middle;
	}
	owners.at = low;
	enum histree_status status = HISTREE_OK;
	const histree_time end = cut.end;
	while (status == HISTREE_OK && cut.start <= end) {
		histree_time since;
		cut.end = end;
		cut.piece.had_by = value_at(&owners, cut.start, &cut.end, &since);
		if (cut.piece.had_by == USE_NOTHING)
			cut.piece.had_by = USE_NOT_KNOWN;
		status = give(sweep, &cut, error);
		cut.start = cut.end + 1;
		cut.piece.firsts = 0;
	}
	return status;
}

static enum histree_status hand_out_state(const struct sweeping *sweeping, const struct histree_thread *thread,
					  const struct window_state *state, struct list *cpus, struct list *calls,
					  struct histree_error *error)
{
	const struct use_sweep *sweep = sweeping->sweep;
	const struct window_states *window = &sweeping->states;
	histree_time at = state->start > window->from ? state->start : window->from;
	histree_time end = state->end < window->to ? state->end : window->to;
	const enum histree_use use = use_of(thread, (int32_t)state->value);
	enum histree_status status = HISTREE_OK;
	if (is_nobodys(thread, use))
		return HISTREE_OK;
	while (at <= end && status == HISTREE_OK) {
		histree_time of_cpu;
		struct cut cut = { .piece = { .thread = thread, .use = use }, .start = at, .end = end };
		cut.piece.cpu = thread->cpu >= 0 ? thread->cpu : value_at(cpus, at, &cut.end, &of_cpu);
		cut.piece.system_call = value_at(calls, at, &cut.end, &cut.piece.call_start);
		cut.piece.had_by = USE_NOTHING;
		cut.piece.firsts = at == state->start || at == sweep->from;
		at = cut.end + 1;
		status = sweep->needs_owners && cut.piece.use == HISTREE_USE_WAITING
				 ? hand_out_wait(sweeping, cut, error)
				 : give(sweep, &cut, error);
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

/* The states of some of what is asked, from `first` to `last`. */
static enum histree_status read_states(struct sweeping *sweeping, const histree_quark *quarks, size_t count,
				       histree_time first, histree_time last, struct histree_error *error)
{
	struct use_sweep *sweep = sweeping->sweep;
	enum histree_status status = HISTREE_OK;
	sweeping->states = (struct window_states){
		.history = sweep->history,
		.quarks = quarks,
		.quark_count = count,
		.list_of = sweeping->list_of,
		.list_count = sweeping->list_count,
		.first = first,
		.last = last,
		.states_max = sweep->states_max,
		.keep = keep,
		.context = sweeping,
		.cancel = sweep->cancel,
		.what = "the use of time",
	};
	while (status == HISTREE_OK) {
		status = window_states_next(&sweeping->states, error);
		if (status == HISTREE_OK)
			status = hand_out(sweeping, error);
	}
	sweep->is_damaged |= sweeping->states.is_damaged;
	window_states_release(&sweeping->states);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- sums --------------------------------------------------------------------------------------------------- */

/* Hand out what is known of a thread whose status is the attribute at an index of those that sums are asked of. */
static enum histree_status hand_out_sum(const struct sweeping *sweeping, size_t index, const struct state_sum *sum,
					struct histree_error *error)
{
	const struct use_sweep *sweep = sweeping->sweep;
	const uint32_t list = sweeping->list_of[sweeping->summed[index]];
	const struct histree_thread *thread = &sweeping->threads[list / LISTS_OF_THREAD];
	enum histree_status status = cancel_check(sweep->cancel, 0, error);
	for (uint32_t i = 0; i < sum->count && status == HISTREE_OK; i++) {
		const struct state_sum_part *part = &sum->parts[i];
		const struct use_piece piece = {
			.thread = thread,
			.ns = part->ns,
			.use = use_of(thread, part->is_unknown ? USE_NOT_KNOWN : part->value),
			.cpu = thread->cpu >= 0 ? thread->cpu : USE_NOTHING,
			.system_call = USE_NOTHING,
			.had_by = USE_NOTHING,
			.firsts = part->begins,
		};
		if (!is_nobodys(thread, piece.use))
			status = sweep->take(sweep->context, &piece, error);
	}
	return status;
}

/* Of the time of the cells, what these do not know is read; and what is before and behind it. */
static enum histree_status read_rest(struct sweeping *sweeping, const struct range_sums *sums,
				     struct histree_error *error)
{
	const struct use_sweep *sweep = sweeping->sweep;
	const histree_quark *all = sweeping->asked;
	const size_t count = sweeping->asked_count;
	histree_quark *rest = malloc((count + 1) * sizeof(*rest));
	size_t rest_count = 0;
	if (rest == NULL)
		return error_memory(error, "the use of time");
	enum histree_status status = HISTREE_OK;
	size_t summed = 0;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		const struct state_sum *sum = NULL;
		while (summed < sweeping->summed_count && sweeping->summed[summed] < all[i])
			summed++;
		if (summed < sweeping->summed_count && sweeping->summed[summed] == all[i])
			sum = range_sums_of(sums, summed);
		if (sum != NULL)
			status = hand_out_sum(sweeping, summed, sum, error);
		else
			rest[rest_count++] = all[i];
	}
	if (status == HISTREE_OK && sums->from > sweep->from)
		status = read_states(sweeping, all, count, sweep->from, sums->from - 1, error);
	if (status == HISTREE_OK)
		status = read_states(sweeping, rest, rest_count, sums->from, sums->to, error);
	if (status == HISTREE_OK && sums->to < sweep->to)
		status = read_states(sweeping, all, count, sums->to + 1, sweep->to, error);
	free(rest);
	return status;
}

static enum histree_status run(struct sweeping *sweeping, struct histree_error *error)
{
	const struct use_sweep *sweep = sweeping->sweep;
	struct range_sums sums = { 0 };
	enum histree_status status = ask_all(sweeping, error);
	if (status == HISTREE_OK && sweeping->summed_count > 0)
		status = range_sums_read(&sums, sweep->history, sweeping->summed, sweeping->summed_count,
					 sweep->from, sweep->to, error);
	if (status == HISTREE_OK)
		status = sums.is_any ? read_rest(sweeping, &sums, error)
				     : read_states(sweeping, sweeping->asked, sweeping->asked_count, sweep->from,
						   sweep->to, error);
	range_sums_release(&sums);
	return status;
}

enum histree_status use_sweep_run(struct use_sweep *sweep, struct histree_error *error)
{
	struct sweeping sweeping = { .sweep = sweep };
	enum histree_status status = run(&sweeping, error);
	free(sweeping.cpus);
	free(sweeping.list_of);
	free(sweeping.parts);
	free(sweeping.asked);
	free(sweeping.summed);
	return status;
}
