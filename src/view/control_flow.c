// SPDX-License-Identifier: MIT
/*
 * control_flow.c - the threads of a history as a tree.
 *
 * Each thread is below the thread that created it, rings are broken, siblings are sorted by (nothing happened,
 * first, tid), and threads are numbered depth first.  Nothing recurses, so a chain of a million threads does no
 * harm.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/search.h"
#include "histree/states.h"
#include "query/thread_list.h"
#include "query/thread_pieces.h"
#include "view/control_flow.h"

struct histree_control_flow {
	struct histree_thread *threads; /* depth first */
	uint32_t count;
	uint32_t *by_tid; /* indices by (tid, cpu) */
	struct intern names;
};

/* While the tree is made, threads go by their index in the list. */
struct hanging {
	const struct thread_list *list;
	uint32_t count;
	struct keyed_index *sorted, *spare;
	uint32_t *parent, *first_child, *next_sibling;
	uint32_t first_root;
	uint32_t *position; /* in the tree; also: the walk that met the thread, whether anything happened below */
};

static uint64_t key_of_tid(int32_t tid)
{
	return (uint64_t)((int64_t)tid - INT32_MIN);
}

/* And by CPU, for the idle threads are all 0: sorting is stable, so the key that counts more comes last. */
static void sort_by_tid(const struct histree_thread *threads, uint32_t count, struct keyed_index *sorted,
			struct keyed_index *spare)
{
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = (struct keyed_index){ key_of_tid(threads[i].cpu), i };
	radix_sort(sorted, spare, count);
	for (uint32_t i = 0; i < count; i++)
		sorted[i].key = key_of_tid(threads[sorted[i].index].tid);
	radix_sort(sorted, spare, count);
}

/* Where the entries with this tid begin. */
static uint32_t first_of_tid(const struct keyed_index *sorted, uint32_t count, int32_t tid)
{
	const uint64_t key = key_of_tid(tid);
	return (uint32_t)SEARCH(i, 0, count, sorted[i].key < key);
}

/* Where the threads with this tid begin in flow->by_tid. */
static uint32_t first_thread_of_tid(const struct histree_control_flow *flow, int32_t tid)
{
	return (uint32_t)SEARCH(i, 0, flow->count, flow->threads[flow->by_tid[i]].tid < tid);
}

/* ---- parents ---------------------------------------------------------------------------------------------- */

/* Needs `sorted` by tid.  Tid 0 is every idle thread and so no one's parent. */
static uint32_t find_parent(const struct hanging *hanging, uint32_t index)
{
	const struct histree_thread *thread = &hanging->list->threads[index];
	if (thread->ppid <= 0 || thread->ppid == thread->tid)
		return HISTREE_NO_INDEX;
	uint32_t at = first_of_tid(hanging->sorted, hanging->count, thread->ppid), found = HISTREE_NO_INDEX;
	/* Lives are in their order. */
	for (; at < hanging->count && ((int32_t)((int64_t)hanging->sorted[at].key + INT32_MIN)) == thread->ppid;
	     at++) {
		const uint32_t other = hanging->sorted[at].index;
		if (found == HISTREE_NO_INDEX || hanging->list->threads[other].from <= thread->ppid_since)
			found = other;
	}
	return found;
}

/*
 * Where a thread stands among its siblings: those to which something happened, the others, and the idle loops of
 * CPUs, which run when no thread does and say nothing that the CPUs do not.
 */
static uint64_t rank_of(const struct histree_thread *thread, bool has_happened)
{
	if (thread->tid == 0 && thread->cpu >= 0)
		return 2;
	return has_happened ? 0 : 1;
}

/*
 * Needs `sorted` by tid, leaves it by (rank, first, tid): sorting is stable, so the key that counts more comes
 * last.
 */
static void sort_siblings(struct hanging *hanging)
{
	struct keyed_index *sorted = hanging->sorted;
	uint32_t *happened = hanging->position;

	/* Each walk upwards ends where an earlier one was. */
	memset(happened, 0, hanging->count * sizeof(*happened));
	for (uint32_t start = 0; start < hanging->count; start++)
		for (uint32_t at = hanging->list->threads[start].has_changed ? start : HISTREE_NO_INDEX;
		     at != HISTREE_NO_INDEX && happened[at] == 0; at = hanging->parent[at])
			happened[at] = 1;
	for (uint32_t i = 0; i < hanging->count; i++)
		sorted[i].key = (uint64_t)hanging->list->threads[sorted[i].index].first ^ (UINT64_C(1) << 63);
	radix_sort(sorted, hanging->spare, hanging->count);
	for (uint32_t i = 0; i < hanging->count; i++)
		sorted[i].key = rank_of(&hanging->list->threads[sorted[i].index], happened[sorted[i].index] != 0);
	radix_sort(sorted, hanging->spare, hanging->count);
}

/* Needs `sorted` by tid. */
static void hang(struct hanging *hanging)
{
	for (uint32_t i = 0; i < hanging->count; i++)
		hanging->parent[i] = find_parent(hanging, i);

	/*
	 * Each walk upwards ends at the top, at a thread that an earlier walk met, or, in a ring, at one that it
	 * met itself.
	 */
	memset(hanging->position, 0xff, hanging->count * sizeof(*hanging->position));
	for (uint32_t start = 0; start < hanging->count; start++) {
		uint32_t at = start;
		while (hanging->position[at] == HISTREE_NO_INDEX) {
			hanging->position[at] = start;
			uint32_t above = hanging->parent[at];
			if (above == HISTREE_NO_INDEX)
				break;
			if (hanging->position[above] == start)
				hanging->parent[at] = HISTREE_NO_INDEX;
			else
				at = above;
		}
	}
	sort_siblings(hanging);
	memset(hanging->first_child, 0xff, hanging->count * sizeof(*hanging->first_child));
	hanging->first_root = HISTREE_NO_INDEX;
	for (uint32_t i = hanging->count; i-- > 0;) {
		uint32_t index = hanging->sorted[i].index, parent = hanging->parent[index];
		uint32_t *first = parent == HISTREE_NO_INDEX ? &hanging->first_root : &hanging->first_child[parent];
		hanging->next_sibling[index] = *first;
		*first = index;
	}
}

/* ---- depth first ------------------------------------------------------------------------------------------ */

static uint32_t next_depth_first(const struct hanging *hanging, uint32_t at)
{
	if (hanging->first_child[at] != HISTREE_NO_INDEX)
		return hanging->first_child[at];
	while (at != HISTREE_NO_INDEX && hanging->next_sibling[at] == HISTREE_NO_INDEX)
		at = hanging->parent[at];
	return at == HISTREE_NO_INDEX ? at : hanging->next_sibling[at];
}

static void number(struct hanging *hanging, struct histree_thread *threads)
{
	uint32_t count = 0;
	for (uint32_t at = hanging->first_root; at != HISTREE_NO_INDEX; at = next_depth_first(hanging, at))
		hanging->position[at] = count++;
	assert(count == hanging->count); /* no ring is left */
	for (uint32_t at = 0; at < count; at++) {
		uint32_t parent = hanging->parent[at];
		threads[at].parent = parent == HISTREE_NO_INDEX ? HISTREE_NO_INDEX : hanging->position[parent];
	}

	/* Moves each thread to its position within the list: a second list of a million is not made. */
	for (uint32_t at = 0; at < hanging->count; at++) {
		while (hanging->position[at] != at) {
			uint32_t position = hanging->position[at];
			struct histree_thread there = threads[position];
			threads[position] = threads[at];
			threads[at] = there;
			hanging->position[at] = hanging->position[position];
			hanging->position[position] = position;
		}
	}
	for (uint32_t i = 0; i < count; i++) {
		struct histree_thread *thread = &threads[i];
		thread->depth = thread->parent == HISTREE_NO_INDEX ? 0 : threads[thread->parent].depth + 1;
		thread->descendants = 0;
	}
	for (uint32_t i = count; i-- > 0;)
		if (threads[i].parent != HISTREE_NO_INDEX)
			threads[threads[i].parent].descendants += threads[i].descendants + 1;
}

/* Each thread lies among the descendants of its parent, which comes before it. */
static void tree_assert(const struct histree_thread *threads, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		assert(threads[i].descendants < count - i);
		if (threads[i].parent == HISTREE_NO_INDEX) {
			assert(threads[i].depth == 0);
			continue;
		}
		const struct histree_thread *parent = &threads[threads[i].parent];
		assert(threads[i].parent < i && threads[i].depth == parent->depth + 1);
		assert(i + threads[i].descendants <= threads[i].parent + parent->descendants);
	}
}

/* ----------------------------------------------------------------------------------------------------------- */

/* The threads of the list are those of the tree from here on. */
static enum histree_status make_tree(struct histree_control_flow *flow, struct thread_list *list,
				     struct histree_error *error)
{
	struct hanging hanging = { .list = list, .count = (uint32_t)list->count };
	size_t count = list->count + 1;
	enum histree_status status = HISTREE_OK;
	flow->by_tid = malloc(count * sizeof(*flow->by_tid));
	hanging.sorted = malloc(count * sizeof(*hanging.sorted));
	hanging.spare = malloc(count * sizeof(*hanging.spare));
	hanging.parent = malloc(count * sizeof(*hanging.parent));
	hanging.first_child = malloc(count * sizeof(*hanging.first_child));
	hanging.next_sibling = malloc(count * sizeof(*hanging.next_sibling));
	hanging.position = malloc(count * sizeof(*hanging.position));
	if (flow->by_tid == NULL || hanging.sorted == NULL || hanging.spare == NULL || hanging.parent == NULL ||
	    hanging.first_child == NULL || hanging.next_sibling == NULL || hanging.position == NULL) {
		status = error_memory(error, "the tree of threads");
		goto out;
	}
	sort_by_tid(list->threads, hanging.count, hanging.sorted, hanging.spare);
	hang(&hanging);
	number(&hanging, list->threads);
	tree_assert(list->threads, hanging.count);
	const bool has_lives = list->count > list->number_count;
	flow->threads = list->threads;
	flow->count = hanging.count;
	list->threads = NULL;
	sort_by_tid(flow->threads, flow->count, hanging.sorted, hanging.spare);
	for (uint32_t i = 0; i < flow->count; i++)
		flow->by_tid[i] = hanging.sorted[i].index;
	if (has_lives) {
		/* The lives of a number are in their order, wherever the tree has them.  They are few. */
		for (uint32_t k = 1; k < flow->count; k++)
			for (uint32_t at = k; at > 0; at--) {
				const uint32_t one = flow->by_tid[at - 1], other = flow->by_tid[at];
				if (flow->threads[one].tid != flow->threads[other].tid ||
				    flow->threads[other].tid == 0 ||
				    flow->threads[one].life < flow->threads[other].life)
					break;
				flow->by_tid[at - 1] = other;
				flow->by_tid[at] = one;
			}
	}
out:
	free(hanging.sorted);
	free(hanging.spare);
	free(hanging.parent);
	free(hanging.first_child);
	free(hanging.next_sibling);
	free(hanging.position);
	return status;
}

enum histree_status histree_control_flow_create(struct histree_history *history, struct histree_work work,
						struct histree_control_flow **out, struct histree_error *error)
{
	return control_flow_create_during(history, INT64_MIN, INT64_MAX, work, out, error);
}

enum histree_status control_flow_create_during(struct histree_history *history, histree_time from, histree_time to,
					       struct histree_work work, struct histree_control_flow **out,
					       struct histree_error *error)
{
	*out = NULL;
	struct thread_list list = { 0 };
	struct histree_control_flow *flow = calloc(1, sizeof(*flow));
	enum histree_status status = flow == NULL ? error_memory(error, "the tree of threads")
						  : thread_list_read(&list, history, from, to, work, error);
	if (status == HISTREE_OK)
		status = make_tree(flow, &list, error);
	if (status == HISTREE_OK) {
		flow->names = list.names;
		list.names = (struct intern){ 0 };
		*out = flow;
	} else {
		histree_control_flow_free(flow);
	}
	thread_list_release(&list);
	return status;
}

void histree_control_flow_free(struct histree_control_flow *flow)
{
	if (flow == NULL)
		return;
	free(flow->threads);
	free(flow->by_tid);
	intern_release(&flow->names);
	free(flow);
}

const struct histree_thread *histree_control_flow_threads(const struct histree_control_flow *flow, uint32_t *count)
{
	*count = flow->count;
	return flow->threads;
}

uint32_t histree_control_flow_find_at(const struct histree_control_flow *flow, int32_t tid, int32_t cpu,
				      histree_time time)
{
	uint32_t found = HISTREE_NO_INDEX;
	for (uint32_t at = first_thread_of_tid(flow, tid); at < flow->count; at++) {
		const struct histree_thread *thread = &flow->threads[flow->by_tid[at]];
		const bool is_later = found != HISTREE_NO_INDEX && thread->from > time;
		if (thread->tid != tid || is_later)
			break;
		if (tid != 0 || thread->cpu == cpu)
			found = flow->by_tid[at];
	}
	return found;
}

bool histree_control_flow_has_lives(const struct histree_control_flow *flow)
{
	for (uint32_t i = 0; i < flow->count; i++)
		if (flow->threads[i].life > 0)
			return true;
	return false;
}

uint32_t histree_control_flow_find(const struct histree_control_flow *flow, int32_t tid, int32_t cpu)
{
	return histree_control_flow_find_at(flow, tid, cpu, INT64_MAX);
}

/*
 * A new thread waits for a CPU, and its parent is known at once.  One that is woken up before the trace lists all
 * that there are waits too, but its parent becomes known later; one that the list names first does not wait for a
 * CPU.
 */
enum { STATUS_WAITS_FOR_CPU = 5 };

enum histree_status histree_thread_is_forked(struct histree_cursor *query, const struct histree_thread *thread,
					     bool *out, struct histree_error *error)
{
	struct histree_interval first;
	*out = false;
	if (thread->first > thread->last || thread->first != thread->ppid_since)
		return HISTREE_OK;
	enum histree_status status = histree_query_single(query, thread->status, thread->first, &first, error);
	if (status == HISTREE_OK)
		*out = first.value.type == HISTREE_INT && first.value.int32 == STATUS_WAITS_FOR_CPU;
	return status;
}

/* ---- search ----------------------------------------------------------------------------------------------- */

static bool number_begins(int32_t number, const char *text)
{
	char digits[16];
	snprintf(digits, sizeof(digits), "%d", number);
	return strncmp(digits, text, strlen(text)) == 0;
}

uint32_t histree_control_flow_search(const struct histree_control_flow *flow, const char *text, uint32_t after,
				     bool backwards)
{
	/* HISTREE_NO_INDEX + 1 is 0: from the first.  Below 0 there is nothing, as after the last. */
	uint32_t at = backwards ? (after < flow->count ? after : flow->count) - 1 : after + 1;
	for (; at < flow->count; at += backwards ? -1u : 1u) {
		const struct histree_thread *thread = &flow->threads[at];
		if (strcasestr(thread->name, text) != NULL || number_begins(thread->tid, text) ||
		    number_begins(thread->pid, text))
			return at;
	}
	return HISTREE_NO_INDEX;
}

/* ---- thread place -------------------------------------------------------------------------------------------- */

static bool find_place(const struct histree_attributes *attributes, histree_quark thread, const char *name,
		       enum histree_part part, struct histree_place *out)
{
	*out = (struct histree_place){ .quark = HISTREE_ROOT, .part = part };
	return thread != HISTREE_ROOT &&
	       histree_attributes_child(attributes, thread, name, strlen(name), &out->quark) == HISTREE_OK;
}

bool histree_thread_place(const struct histree_attributes *attributes, histree_quark thread, const char *state,
			  struct histree_place *out)
{
	if (find_place(attributes, thread, state, HISTREE_WHOLE, out))
		return true;
	for (size_t i = 0; i < THREAD_PAIR_COUNT; i++) {
		if (strcmp(state, thread_pairs[i].first) == 0)
			return find_place(attributes, thread, thread_pairs[i].name, HISTREE_FIRST_PART, out);
		if (strcmp(state, thread_pairs[i].second) == 0)
			return find_place(attributes, thread, thread_pairs[i].name, HISTREE_SECOND_PART, out);
	}
	return false;
}
