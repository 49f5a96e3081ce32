// SPDX-License-Identifier: MIT
/*
 * use_sweep.c - reads the range in windows of time, with a list for each requested attribute, and cuts it into
 * pieces (query/thread_pieces.h).
 */
#include "view/use_sweep.h"

#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/search.h"
#include "query/range_sums.h"
#include "query/thread_pieces.h"
#include "view/view.h"

/* What is known of a thread, and its list.  That of a CPU, who has it, comes after all threads. */
enum { LIST_STATUS, LIST_CPU, LIST_CALL, LISTS_OF_THREAD };
#define NO_LIST UINT32_MAX

struct sweeping {
	struct use_sweep *sweep;
	const struct histree_thread *threads;
	uint32_t thread_count;
	int32_t *cpus;              /* the CPUs whose owners have lists, in their order */
	struct window_list *owners; /* by CPU, of a window */
	uint32_t cpu_count;
	uint32_t *list_of;        /* by quark */
	uint32_t *lists;          /* by thread: whose are its, as lives share them; NO_LIST: not wanted */
	enum histree_part *parts; /* by list: of values that are pairs */
	uint32_t list_count;
	histree_quark *asked; /* ascending */
	size_t asked_count;
	histree_quark *summed; /* those of them that need nothing else of a thread, so that sums are enough */
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
	if (thread->status == HISTREE_ROOT)
		return;
	const uint32_t before = sweeping->list_of[thread->status];
	sweeping->lists[index] = before != NO_LIST ? before / LISTS_OF_THREAD : index;
	const bool has_number = thread->from <= sweep->from && thread->to >= sweep->to;
	if (!needs_more && has_number && before == NO_LIST)
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
	sweeping->owners = calloc((size_t)count + 1, sizeof(*sweeping->owners));
	if (list_of == NULL || sweeping->cpus == NULL || sweeping->parts == NULL || sweeping->owners == NULL)
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
	sweeping->threads = sweep->threads;
	sweeping->thread_count = sweep->thread_count;
	sweeping->list_of = malloc(((size_t)attribute_count + 1) * sizeof(*sweeping->list_of));
	sweeping->asked = malloc(((size_t)attribute_count + 1) * sizeof(*sweeping->asked));
	sweeping->summed = malloc(((size_t)sweeping->thread_count + 1) * sizeof(*sweeping->summed));
	sweeping->lists = malloc(((size_t)sweeping->thread_count + 1) * sizeof(*sweeping->lists));
	if (sweeping->list_of == NULL || sweeping->asked == NULL || sweeping->summed == NULL ||
	    sweeping->lists == NULL || sweeping->thread_count > UINT32_MAX / 4)
		return error_memory(error, "the use of time");
	for (uint32_t quark = 0; quark < attribute_count; quark++)
		sweeping->list_of[quark] = NO_LIST;
	for (uint32_t i = 0; i < sweeping->thread_count; i++)
		sweeping->lists[i] = NO_LIST;
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
	const enum histree_part part = sweeping->parts[sweeping->list_of[interval->quark]];
	return thread_pieces_value(sweeping->sweep->texts, &interval->value, part, out);
}

/* ---- pieces ------------------------------------------------------------------------------------------------- */

enum histree_use use_sweep_use(bool is_idle, int32_t status)
{
	static const enum histree_use uses[] = {
		HISTREE_USE_UNKNOWN,     HISTREE_USE_BLOCKED, HISTREE_USE_USER,  HISTREE_USE_SYSTEM,
		HISTREE_USE_INTERRUPTED, HISTREE_USE_WAITING, HISTREE_USE_OTHER, HISTREE_USE_OTHER,
	};
	if (status < 0 || (size_t)status >= sizeof(uses) / sizeof(*uses))
		return HISTREE_USE_UNKNOWN;
	bool runs = uses[status] == HISTREE_USE_USER || uses[status] == HISTREE_USE_SYSTEM;
	return is_idle && runs ? HISTREE_USE_IDLE : uses[status];
}

/* The thread whose pieces come. */
struct handing {
	const struct use_sweep *sweep;
	uint32_t number;
};

static enum histree_status give(void *context, const struct thread_piece *piece, struct histree_error *error)
{
	const struct handing *handing = context;
	const struct use_sweep *sweep = handing->sweep;
	const struct histree_thread *thread = &sweep->threads[handing->number];
	const bool goes_on = piece->start == sweep->from && !sweep->goes_on;
	const struct use_piece use = {
		.thread = thread,
		.number = handing->number,
		.ns = (uint64_t)piece->end - (uint64_t)piece->start + 1,
		.start = piece->start,
		.use = use_sweep_use(thread->tid == 0, piece->status),
		.cpu = piece->cpu,
		.system_call = piece->system_call,
		.had_by = piece->had_by,
		.firsts = piece->begins || goes_on,
		.call_start = piece->call_start,
	};
	return sweep->take(sweep->context, &use, error);
}

static enum histree_status hand_out(const struct sweeping *sweeping, struct histree_error *error)
{
	const struct window_states *window = &sweeping->states;
	struct handing handing = { .sweep = sweeping->sweep };
	for (uint32_t i = 0; i < sweeping->cpu_count; i++)
		sweeping->owners[i] = window_states_list(window, sweeping->thread_count * LISTS_OF_THREAD + i);
	const struct thread_owners owners = { sweeping->cpus, sweeping->owners, sweeping->cpu_count };
	struct thread_cutting cutting = {
		.owners = sweeping->sweep->needs_owners ? &owners : NULL,
		.give = give,
		.context = &handing,
	};
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < sweeping->thread_count && status == HISTREE_OK; i++) {
		const struct histree_thread *thread = &sweeping->threads[i];
		const uint32_t list = sweeping->lists[i] * LISTS_OF_THREAD;
		if (sweeping->lists[i] == NO_LIST || thread->from > window->to || thread->to < window->from)
			continue;
		const struct thread_states states = {
			.statuses = window_states_list(window, list + LIST_STATUS),
			.queues = window_states_list(window, list + LIST_CPU),
			.calls = window_states_list(window, list + LIST_CALL),
			.is_idle = thread->tid == 0,
			.cpu = thread->cpu,
		};
		cutting.from = thread->from > window->from ? thread->from : window->from;
		cutting.to = thread->to < window->to ? thread->to : window->to;
		handing.number = i;
		if (states.statuses.count > 0)
			status = thread_pieces_cut(&cutting, &states, error);
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
		.work = sweep->work,
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

/* Hands out the facts about a thread whose status is at `index` among the attributes whose sums are requested. */
static enum histree_status hand_out_sum(const struct sweeping *sweeping, size_t index, const struct state_sum *sum,
					struct histree_error *error)
{
	const struct use_sweep *sweep = sweeping->sweep;
	const uint32_t list = sweeping->list_of[sweeping->summed[index]];
	const struct histree_thread *thread = &sweeping->threads[list / LISTS_OF_THREAD];
	enum histree_status status = cancel_check(sweep->work, 0, error);
	for (uint32_t i = 0; i < sum->count && status == HISTREE_OK; i++) {
		const struct state_sum_part *part = &sum->parts[i];
		const struct use_piece piece = {
			.thread = thread,
			.number = list / LISTS_OF_THREAD,
			.ns = part->ns,
			.use = use_sweep_use(thread->tid == 0, part->is_unknown ? USE_NOT_KNOWN : part->value),
			.cpu = thread->cpu >= 0 ? thread->cpu : USE_NOTHING,
			.system_call = USE_NOTHING,
			.had_by = USE_NOTHING,
			.firsts = part->begins,
		};
		/* The waiting of an idle loop is no thread's time (thread_pieces.h). */
		if (thread->tid != 0 || piece.use != HISTREE_USE_WAITING)
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

static enum histree_status sweep_all(struct sweeping *sweeping, struct histree_error *error)
{
	const struct use_sweep *sweep = sweeping->sweep;
	struct range_sums sums = { 0 };
	enum histree_status status = ask_all(sweeping, error);
	if (status == HISTREE_OK && sweeping->summed_count > 0 && !sweep->goes_on)
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
	enum histree_status status = sweep_all(&sweeping, error);
	free(sweeping.cpus);
	free(sweeping.owners);
	free(sweeping.list_of);
	free(sweeping.lists);
	free(sweeping.parts);
	free(sweeping.asked);
	free(sweeping.summed);
	return status;
}
