// SPDX-License-Identifier: MIT
/*
 * kernel_memory.c - blocks of pages that are allocated, by their first page, and who allocated them.
 *
 * The kernel hands out blocks of 2^order pages at multiples of that, and may take them back in parts: a block is
 * then split in halves, as the kernel does, until there is one of the part's size.
 *
 * The analysis `kernel-memory`: what each thread had the kernel allocate, less what of it was
 * freed.
 *
 * 	Threads/<tid>/pages, pages	long: bytes, by kmem_mm_page_alloc and kmem_mm_page_free, 4,096 a page
 * 	Threads/<tid>/heap, heap	long: bytes, by kmem_kmalloc, kmem_cache_alloc and their ends
 * 	gaps				long: how often events were lost
 *
 * What is allocated is its thread's until it is freed, whoever frees it and whenever: so a number that is used
 * again has a row for each thread that had it, "614 (life 1)" for the second.  What a CPU allocates before its
 * first switch is in the sums of all only.  What was allocated before the trace is not counted, and neither is its
 * end.
 * Where events are lost, sums are unknown until their next change, and then go on from what was seen; what is
 * allocated where something was, was freed unseen.
 */
#include <stdalign.h>

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_machine.h"
#include "analysis/kernel/kernel_sums.h"
#include "base/arena.h"
#include "base/hash_index.h"

enum { PAGE_ORDER_MAX = 20 };

struct page_block {
	bool is_taken;
	uint8_t order;
	struct kernel_sum_row *owner; /* NULL: nobody known */
};

/* Zeroed, with its spaces set, it has none.  Blocks that were freed keep their records, as pages come again. */
struct page_blocks {
	struct id_map blocks; /* by first page */
	struct arena records;
	unsigned order_max; /* of those that were ever taken */
};

/* ---- page blocks --------------------------------------------------------------------------------------------- */

/* Take a block, of PAGE_ORDER_MAX at most; none is taken there.  Returns false when memory is out. */
static bool page_blocks_take(struct page_blocks *blocks, uint64_t page, unsigned order,
			     struct kernel_sum_row *owner)
{
	struct page_block *block = id_map_find(&blocks->blocks, page);
	if (block == NULL) {
		block = arena_allocate(&blocks->records, sizeof(*block), alignof(struct page_block));
		if (block == NULL || !id_map_add(&blocks->blocks, page, block))
			return false;
	}
	blocks->order_max = order > blocks->order_max ? order : blocks->order_max;
	*block = (struct page_block){ .is_taken = true, .order = (uint8_t)order, .owner = owner };
	return true;
}

/* Returns the block that a page is in, and its first page; NULL: none that is taken. */
static struct page_block *block_with(const struct page_blocks *blocks, uint64_t page, uint64_t *first)
{
	for (unsigned order = 0; order <= blocks->order_max; order++) {
		*first = page >> order << order;
		struct page_block *block = id_map_find(&blocks->blocks, *first);
		if (block != NULL && block->is_taken && page - *first < UINT64_C(1) << block->order)
			return block;
	}
	return NULL;
}

/*
 * Free a block of this order, or all of a smaller one that is there.  Says whose it was and how many pages there
 * were: 0 if it was not known to be taken.  Returns false when memory is out.
 */
static bool page_blocks_free(struct page_blocks *blocks, uint64_t page, unsigned order,
			     struct kernel_sum_row **owner, uint64_t *pages)
{
	uint64_t first;
	struct page_block *block = block_with(blocks, page, &first);
	*pages = 0;
	if (block == NULL)
		return true;
	*owner = block->owner;
	while (block->order > order || first != page) {
		if (block->order == 0)
			return true; /* that page is no beginning of a block of this order */
		const unsigned half = --block->order;
		const uint64_t second = first + (UINT64_C(1) << half);
		if (!page_blocks_take(blocks, second, half, *owner))
			return false;
		if (page < second)
			continue;
		block = id_map_find(&blocks->blocks, second);
		first = second;
	}
	block->is_taken = false;
	*pages = UINT64_C(1) << block->order;
	return true;
}

static void page_blocks_release(struct page_blocks *blocks)
{
	id_map_release(&blocks->blocks);
	arena_release(&blocks->records);
}

/* ---- kernel memory ------------------------------------------------------------------------------------------- */

enum { PAGES, HEAP };

enum { THREADS, ALL };

enum { PAGE_BYTES = 4096, PAGE_STRUCT_BYTES = 64 };

/* Of the heap; freed if it has no bytes. */
struct heap_piece {
	int64_t bytes;
	struct kernel_sum_row *owner; /* NULL: nobody known */
};

struct kernel_memory {
	struct kernel_sums sums;
	struct page_blocks pages;
	struct id_map heap; /* struct heap_piece by address */
};

static void no_memory(struct kernel_memory *memory)
{
	changes_fail(&memory->sums.changes, HISTREE_ERR_MEMORY, "what the kernel allocated");
}

static void count(struct kernel_memory *memory, struct kernel_sum_row *owner, size_t which, int64_t bytes)
{
	struct kernel_sum_row *all = kernel_sum_row(&memory->sums, &memory->sums.tables[ALL], 0);
	if (all != NULL && bytes != 0)
		kernel_sum_add(&memory->sums, all, which, bytes);
	if (owner != NULL && bytes != 0)
		kernel_sum_add(&memory->sums, owner, which, bytes);
}

/* Rows outlive their threads, as what is not freed does. */
static struct kernel_sum_row *owner_of(struct kernel_memory *memory, const struct kernel_event *event)
{
	return event->in_thread != NULL
		       ? kernel_sum_row_of_thread(&memory->sums, &memory->sums.tables[THREADS], event->in_thread)
		       : NULL;
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
	struct kernel_sum_row *owner;
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
	struct kernel_sum_row *owner = owner_of(memory, event);
	if (!page_blocks_take(&memory->pages, page, order, owner))
		no_memory(memory);
	count(memory, owner, PAGES, (int64_t)PAGE_BYTES << order);
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
	*piece = (struct heap_piece){ .bytes = event->bytes, .owner = owner_of(memory, event) };
	count(memory, piece->owner, HEAP, piece->bytes);
}

/* ---- the analysis ------------------------------------------------------------------------------------------- */

static void memory_create(struct kernel_sums *sums)
{
	struct kernel_memory *memory = (struct kernel_memory *)sums;
	id_map_use_space(&memory->heap, sums->records.space);
	id_map_use_space(&memory->pages.blocks, sums->records.space);
	memory->pages.records.space = sums->records.space;
}

static void memory_count(struct kernel_sums *sums, const struct kernel_event *event)
{
	struct kernel_memory *memory = (struct kernel_memory *)sums;
	if (event->role == KERNEL_PAGES_ALLOC || event->role == KERNEL_PAGES_FREE)
		on_pages(memory, event);
	else
		on_heap(memory, event);
}

static void memory_release(struct kernel_sums *sums)
{
	struct kernel_memory *memory = (struct kernel_memory *)sums;
	id_map_release(&memory->heap);
	page_blocks_release(&memory->pages);
}

static const struct kernel_sums_kind memory_sums = {
	.size = sizeof(struct kernel_memory),
	.what = "what the kernel allocated",
	.tables = {
		[THREADS] = {
			.folder = "Threads",
			.names = { "pages", "heap" },
			.sum_count = 2,
			.loss = SUMS_ARE_LOST,
		},
		[ALL] = {
			.names = { "pages", "heap" },
			.sum_count = 2,
			.loss = SUMS_ARE_LOST,
		},
	},
	.roles = { KERNEL_PAGES_ALLOC, KERNEL_PAGES_FREE, KERNEL_HEAP_ALLOC, KERNEL_HEAP_FREE },
	.role_count = 4,
	.counts_gaps = true,
	.needs_machine = true,
	.create = memory_create,
	.count = memory_count,
	.release = memory_release,
	.missing = "the trace has no allocations of the kernel: record them (lttng enable-event -k 'kmem_*', "
		   "or perf record -e 'kmem:*'), and sched_switch to know whose they are",
};

static enum histree_status kernel_memory_create(struct histree_state_system *system, void *input, void **instance,
						struct histree_error *error)
{
	return kernel_sums_create(&memory_sums, system, input, instance, error);
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
	.version = 2, /* 2: a number that is used again is another row */
	.summary = "how much of what each thread had the kernel allocate is not freed yet: pages and heap",
	.charts = charts,
	.chart_count = sizeof(charts) / sizeof(*charts),
	.input = &kernel_input_kind,
	.applies = kernel_input_knows,
	.create = kernel_memory_create,
	KERNEL_SUMS_FUNCTIONS,
};
