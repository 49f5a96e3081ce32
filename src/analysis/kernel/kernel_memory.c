// SPDX-License-Identifier: MIT
/*
 * kernel_memory.c - the analysis `kernel-memory`: what each thread had the kernel allocate, less what of it was
 * freed.
 *
 *	Threads/<tid>/pages, pages	long: bytes, by kmem_mm_page_alloc and kmem_mm_page_free, 4,096 a page
 *	Threads/<tid>/heap, heap	long: bytes, by kmem_kmalloc, kmem_cache_alloc and their ends
 *	gaps				long: how often events were lost
 *
 * What is allocated is its thread's until it is freed, whoever frees it; what a CPU allocates before its first
 * switch is in the sums of all only.  What was allocated before the trace is not counted, and neither is its end.
 * Where events are lost, sums are unknown until their next change, and then go on from what was seen; what is
 * allocated where something was, was freed unseen.
 */
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_sums.h"
#include "analysis/kernel/page_blocks.h"
#include "base/error.h"

enum { PAGES, HEAP };
enum { GAPS };
enum { PAGE_BYTES = 4096, PAGE_STRUCT_BYTES = 64, NOBODY = -1 };

static const struct kernel_sum_kind of_threads = {
	.folder = "Threads",
	.names = { "pages", "heap" },
	.name_count = 2,
	.row_size = sizeof(struct kernel_sum_row),
};
static const struct kernel_sum_kind of_all = {
	.names = { "pages", "heap" },
	.name_count = 2,
	.row_size = sizeof(struct kernel_sum_row),
};
static const struct kernel_sum_kind of_gaps = {
	.names = { "gaps" },
	.name_count = 1,
	.row_size = sizeof(struct kernel_sum_row),
};

/* Of the heap; freed if it has no bytes. */
struct heap_piece {
	int64_t bytes;
	int32_t owner;
};

struct kernel_memory {
	struct kernel_sums sums;
	struct kernel_sum_table threads, all, gaps;
	struct page_blocks pages;
	struct id_map heap; /* struct heap_piece by address */
	bool has_any;
};

static void no_memory(struct kernel_memory *memory)
{
	changes_fail(&memory->sums.changes, HISTREE_ERR_MEMORY, "what the kernel allocated");
}

static void count(struct kernel_memory *memory, int32_t owner, size_t which, int64_t bytes)
{
	struct kernel_sum_row *all = kernel_sum_row(&memory->sums, &memory->all, 0);
	if (all != NULL && bytes != 0)
		kernel_sum_add(&memory->sums, all, which, bytes);
	if (owner == NOBODY || bytes == 0)
		return;
	struct kernel_sum_row *thread = kernel_sum_row(&memory->sums, &memory->threads, owner);
	if (thread != NULL)
		kernel_sum_add(&memory->sums, thread, which, bytes);
}

static int32_t owner_of(const struct kernel_event *event)
{
	return event->in_thread != NULL ? event->in_thread->tid : NOBODY;
}

/* ---- pages -------------------------------------------------------------------------------------------------- */

/* Returns false for a block that is none.  Older LTTng has no number of a page, only an address. */
static bool block_of(const struct kernel_event *event, uint64_t *page)
{
	*page = (event->has & HAS_PAGE) != 0 ? (uint64_t)event->page : (uint64_t)event->address / PAGE_STRUCT_BYTES;
	const bool is_failure = (event->has & HAS_PAGE) != 0 ? event->page == -1 : event->address == 0;
	return (event->has & (HAS_PAGE | HAS_ADDRESS)) != 0 && !is_failure && event->number >= 0 &&
	       event->number <= PAGE_ORDER_MAX;
}

static void free_block(struct kernel_memory *memory, uint64_t page, unsigned order)
{
	int32_t owner;
	uint64_t pages;
	if (!page_blocks_free(&memory->pages, page, order, &owner, &pages))
		no_memory(memory);
	else if (pages > 0)
		count(memory, owner, PAGES, -(int64_t)(pages * PAGE_BYTES));
}

static void on_pages(struct kernel_memory *memory, const struct kernel_event *event)
{
	uint64_t page;
	if (!block_of(event, &page))
		return;
	const unsigned order = (unsigned)event->number;
	free_block(memory, page, order);
	if (event->role == KERNEL_PAGES_FREE)
		return;
	if (!page_blocks_take(&memory->pages, page, order, owner_of(event)))
		no_memory(memory);
	count(memory, owner_of(event), PAGES, (int64_t)PAGE_BYTES << order);
}

/* ---- the heap ----------------------------------------------------------------------------------------------- */

static void on_heap(struct kernel_memory *memory, const struct kernel_event *event)
{
	if (event->address == 0)
		return;
	struct heap_piece *piece = id_map_find(&memory->heap, (uint64_t)event->address);
	if (piece != NULL && piece->bytes != 0) {
		count(memory, piece->owner, HEAP, -piece->bytes);
		piece->bytes = 0;
	}
	if (event->role == KERNEL_HEAP_FREE || event->bytes <= 0)
		return;
	if (piece == NULL) {
		piece = arena_allocate(&memory->sums.records, sizeof(*piece), alignof(struct heap_piece));
		if (piece == NULL || !id_map_add(&memory->heap, (uint64_t)event->address, piece)) {
			no_memory(memory);
			return;
		}
	}
	*piece = (struct heap_piece){ .bytes = event->bytes, .owner = owner_of(event) };
	count(memory, piece->owner, HEAP, piece->bytes);
}

/* ---- the analysis ------------------------------------------------------------------------------------------- */

static enum histree_status create(struct histree_state_system *system, void *input, void **instance,
				  struct histree_error *error)
{
	static const enum kernel_role roles[] = { KERNEL_PAGES_ALLOC, KERNEL_PAGES_FREE, KERNEL_HEAP_ALLOC,
						  KERNEL_HEAP_FREE };
	struct kernel_memory *memory = calloc(1, sizeof(*memory));
	*instance = memory;
	if (memory == NULL)
		return error_memory(error, "what the kernel allocated");
	kernel_sums_init(&memory->sums, system, input);
	kernel_sum_table_init(&memory->sums, &memory->threads, &of_threads);
	kernel_sum_table_init(&memory->sums, &memory->all, &of_all);
	kernel_sum_table_init(&memory->sums, &memory->gaps, &of_gaps);
	id_map_use_space(&memory->heap, memory->sums.records.space);
	id_map_use_space(&memory->pages.blocks, memory->sums.records.space);
	memory->pages.records.space = memory->sums.records.space;
	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		kernel_input_want(input, roles[i]);
	kernel_input_need_machine(input);
	return HISTREE_OK;
}

static enum histree_status on_event(void *instance, const struct event *source, struct histree_error *error)
{
	struct kernel_memory *memory = instance;
	const struct kernel_event *event = &memory->sums.input->event;
	const bool is_of_pages = event->role == KERNEL_PAGES_ALLOC || event->role == KERNEL_PAGES_FREE;
	const bool is_of_heap = event->role == KERNEL_HEAP_ALLOC || event->role == KERNEL_HEAP_FREE;
	if (!is_of_pages && !is_of_heap)
		return HISTREE_OK;
	kernel_sums_begin(&memory->sums, source->time);
	memory->has_any = true;
	if (is_of_pages)
		on_pages(memory, event);
	else
		on_heap(memory, event);
	return changes_end(&memory->sums.changes, error);
}

static enum histree_status on_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct kernel_memory *memory = instance;
	const struct id_entry *entry;
	kernel_sums_begin(&memory->sums, gap->begin);
	for (size_t position = 0; (entry = id_map_next(&memory->threads.rows, &position)) != NULL;)
		kernel_sum_lose(&memory->sums, entry->record);
	struct kernel_sum_row *all = kernel_sum_row(&memory->sums, &memory->all, 0);
	struct kernel_sum_row *gaps = kernel_sum_row(&memory->sums, &memory->gaps, 0);
	if (all != NULL && gaps != NULL) {
		kernel_sum_lose(&memory->sums, all);
		kernel_sum_add(&memory->sums, gaps, GAPS, 1);
	}
	return changes_end(&memory->sums.changes, error);
}

static uint64_t refused(const void *instance)
{
	return ((const struct kernel_memory *)instance)->sums.changes.refused;
}

static void missing(const void *instance, char *text, size_t size)
{
	*text = '\0';
	if (!((const struct kernel_memory *)instance)->has_any)
		snprintf(text, size,
			 "the trace has no allocations of the kernel: record them (lttng enable-event -k 'kmem_*', "
			 "or perf record -e 'kmem:*'), and sched_switch to know whose they are");
}

static void free_memory(void *instance)
{
	struct kernel_memory *memory = instance;
	if (memory == NULL)
		return;
	id_map_release(&memory->heap);
	page_blocks_release(&memory->pages);
	kernel_sum_table_release(&memory->threads);
	kernel_sum_table_release(&memory->all);
	kernel_sum_table_release(&memory->gaps);
	kernel_sums_release(&memory->sums);
	free(memory);
}

static const struct histree_chart_entry all_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "pages", .shown = "." },
	{ .parent = HISTREE_CHART_TOP, .path = "heap", .shown = "." },
};
static const struct histree_chart_entry thread_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "Threads/*" },
	{ .parent = 0, .path = "*", .shown = "." },
};

static const struct histree_chart charts[] = {
	{ .name = "kernel-memory",
	  .title = "Memory that the kernel allocated",
	  .unit = "B",
	  .entries = all_entries,
	  .entry_count = sizeof(all_entries) / sizeof(*all_entries) },
	{ .name = "thread-kernel-memory",
	  .title = "Memory that the kernel allocated for threads",
	  .unit = "B",
	  .entries = thread_entries,
	  .entry_count = sizeof(thread_entries) / sizeof(*thread_entries) },
};

const struct analysis analysis_kernel_memory = {
	.name = "kernel-memory",
	.version = 1,
	.summary = "how much of what each thread had the kernel allocate is not freed yet: pages and heap",
	.charts = charts,
	.chart_count = sizeof(charts) / sizeof(*charts),
	.input = &kernel_input_kind,
	.applies = kernel_input_knows,
	.create = create,
	.event = on_event,
	.gap = on_gap,
	.refused = refused,
	.missing = missing,
	.free = free_memory,
};
