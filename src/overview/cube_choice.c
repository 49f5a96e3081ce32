// SPDX-License-Identifier: MIT
/*
 * cube_choice.c - the threads of a cube, a part of them at a time, and their attributes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "overview/cube_maker.h"

enum histree_status cube_maker_begin(struct cube_maker *maker, struct histree_history *history, unsigned width_log2,
				     size_t threads_max, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	size_t hosts;
	*maker = (struct cube_maker){ 0 };
	if (strncmp(info->provider, "kernel", strlen("kernel")) != 0 ||
	    histree_history_hosts(history, &hosts) != NULL)
		return HISTREE_OK;
	enum histree_status status = thread_quarks_read(&maker->threads, history, threads_max, error);
	if (status == HISTREE_PARTIAL || (status == HISTREE_OK && maker->threads.count == 0))
		return HISTREE_OK;
	if (status == HISTREE_OK)
		status = cube_cells_init(&maker->cells, info, width_log2, error);
	if (status != HISTREE_OK)
		return status;
	const size_t count = maker->threads.count, cpus = maker->threads.cpu_count;
	maker->are_chosen = calloc(count, sizeof(*maker->are_chosen));
	maker->counted = malloc(count * sizeof(*maker->counted));
	maker->cpus = malloc((cpus + 1) * sizeof(*maker->cpus));
	maker->queues = calloc(cpus + 1, sizeof(*maker->queues));
	if (maker->are_chosen == NULL || maker->counted == NULL || maker->cpus == NULL || maker->queues == NULL)
		return error_memory(error, "an overview");
	for (size_t i = 0; i < count; i++)
		maker->counted[i] = INT64_MIN;
	for (size_t i = 0; i < cpus; i++)
		maker->cpus[i] = maker->threads.cpus[i].number;
	maker->left = count;
	maker->has_owners = cpus > 0;
	return HISTREE_OK;
}

/* The attributes of a thread by list, HISTREE_ROOT where it has none; the CPU of an idle loop is known. */
static void quarks_of(const struct thread_quark *thread, histree_quark quarks[LISTS_OF_THREAD])
{
	quarks[LIST_STATUS] = thread->status;
	quarks[LIST_QUEUE] = thread->cpu < 0 ? thread->queue : HISTREE_ROOT;
	quarks[LIST_CALL] = thread->call;
}

uint64_t cube_maker_states_left(const struct cube_maker *maker, const struct state_counts *counts,
				size_t *attributes)
{
	uint64_t states = 0;
	*attributes = 0;
	for (size_t i = 0; i < maker->threads.count; i++) {
		histree_quark quarks[LISTS_OF_THREAD];
		quarks_of(&maker->threads.threads[i], quarks);
		for (int list = 0; list < LISTS_OF_THREAD && !maker->are_chosen[i]; list++) {
			states += quarks[list] != HISTREE_ROOT ? counts->states[quarks[list]] : 0;
			*attributes += quarks[list] != HISTREE_ROOT;
		}
	}
	return states;
}

static enum histree_status choose(struct cube_maker *maker, const struct state_counts *counts, histree_quark quark,
				  size_t list, struct histree_error *error)
{
	struct overview_choice *choice = &maker->choice;
	const uint64_t states = counts != NULL ? counts->states[quark] : 0;
	if (!array_reserve(&choice->condensed, &choice->capacity, (size_t)choice->count + 1))
		return error_memory(error, "an overview");
	choice->states += states;
	choice->condensed[choice->count++] = (struct condensed){
		.source = quark,
		.quark = (histree_quark)list, /* until they are sorted */
		.read = states,
		.width_log2 = OVERVIEW_NO_WIDTH,
	};
	return HISTREE_OK;
}

static enum histree_status choose_thread(struct cube_maker *maker, const struct state_counts *counts, size_t number,
					 struct histree_error *error)
{
	histree_quark quarks[LISTS_OF_THREAD];
	enum histree_status status = HISTREE_OK;
	quarks_of(&maker->threads.threads[number], quarks);
	if (!array_reserve(&maker->members, &maker->member_capacity, maker->member_count + 1))
		return error_memory(error, "an overview");
	const size_t member = maker->member_count++;
	maker->members[member] = (uint32_t)number;
	maker->are_chosen[number] = true;
	maker->left--;
	for (size_t list = 0; list < LISTS_OF_THREAD && status == HISTREE_OK; list++)
		if (quarks[list] != HISTREE_ROOT)
			status = choose(maker, counts, quarks[list], member * LISTS_OF_THREAD + list, error);
	return status;
}

static int by_source(const void *one, const void *other)
{
	const struct condensed *a = one, *b = other;
	return (a->source > b->source) - (a->source < b->source);
}

static bool has(const struct overview_choice *choice, histree_quark quark)
{
	const struct condensed wanted = { .source = quark };
	return choice->count > 0 &&
	       bsearch(&wanted, choice->condensed, choice->count, sizeof(wanted), by_source) != NULL;
}

static bool is_wanted(const struct cube_maker *maker, size_t number, const struct overview_choice *among,
		      size_t attributes_max)
{
	histree_quark quarks[LISTS_OF_THREAD];
	if (maker->are_chosen[number] || among == NULL)
		return !maker->are_chosen[number] && maker->choice.count + LISTS_OF_THREAD <= attributes_max;
	quarks_of(&maker->threads.threads[number], quarks);
	for (int list = 0; list < LISTS_OF_THREAD; list++)
		if (quarks[list] != HISTREE_ROOT && has(among, quarks[list]))
			return true;
	return false;
}

/* Where the states of each attribute go. */
static enum histree_status make_lists(struct cube_maker *maker, struct histree_error *error)
{
	struct overview_choice *choice = &maker->choice;
	const size_t lists = maker->member_count * LISTS_OF_THREAD + maker->threads.cpu_count;
	if (!array_reserve(&maker->lists, &maker->lists_capacity, lists + 1) ||
	    !array_reserve(&maker->list_of, &maker->list_capacity, (size_t)choice->count + 1))
		return error_memory(error, "an overview");
	for (size_t i = 0; i < lists; i++)
		maker->lists[i] = (struct window_list){ 0 };
	if (choice->count > 1)
		qsort(choice->condensed, choice->count, sizeof(*choice->condensed), by_source);
	for (uint32_t i = 0; i < choice->count; i++) {
		maker->list_of[i] = choice->condensed[i].quark;
		choice->condensed[i].quark = choice->condensed[i].source;
		maker->is_of_no_use |= i > 0 && choice->condensed[i - 1].source == choice->condensed[i].source;
	}
	return HISTREE_OK;
}

enum histree_status cube_maker_choose(struct cube_maker *maker, const struct state_counts *counts,
				      const struct overview_choice *among, size_t attributes_max,
				      struct histree_error *error)
{
	const struct thread_quarks *threads = &maker->threads;
	enum histree_status status = HISTREE_OK;
	maker->choice.count = 0;
	maker->choice.states = 0;
	maker->member_count = 0;
	for (size_t i = 0; i < threads->count && maker->left > 0 && status == HISTREE_OK; i++)
		if (is_wanted(maker, i, among, attributes_max))
			status = choose_thread(maker, counts, i, error);
	for (size_t i = 0; i < threads->cpu_count && maker->member_count > 0 && status == HISTREE_OK; i++)
		status = choose(maker, counts, threads->cpus[i].current, maker->member_count * LISTS_OF_THREAD + i,
				error);
	if (status == HISTREE_OK)
		status = make_lists(maker, error);
	if (maker->is_of_no_use)
		maker->choice.count = 0;
	return status;
}
