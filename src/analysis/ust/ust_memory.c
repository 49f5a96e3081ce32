// SPDX-License-Identifier: MIT
/*
 * ust_memory.c - two analyses of what programs allocate (heap.h): `ust-memory`, how much threads and processes have
 * in use, and `allocations`, a segment for each block.
 *
 * 	Threads/<vtid>/Memory		long: bytes that it allocated and that were not freed yet
 * 	Threads/<vtid>/Name		string: of the process
 * 	Processes/<vpid>/Memory, Name	the same of a process
 *
 * Both numbers are -1 where the trace does not say whose an event is.  In a gap all sums are unknown; behind it
 * they count what was allocated since, each from its next change on.
 *
 * A segment goes from where memory was allocated to where it was freed; if it never was, to the end of the trace: a
 * leak, or memory in use to the end.
 *
 * Blocks in use when events are lost make no segment, as it is not known whether they were freed then.  Neither
 * does a block whose address was handed out again before it was seen to be freed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_sums.h"
#include "analysis/ust/heap.h"
#include "base/error.h"

/* ---- ust memory ---------------------------------------------------------------------------------------------- */

enum { THREADS, PROCESSES };

enum { MEMORY, NAME };

struct memory_row {
	struct kernel_sum_row row;
	const char *name; /* what the name is now; NULL: none yet */
};

struct ust_memory {
	struct kernel_sums sums;
	const struct heap *heap; /* borrowed */
};

static void count_owner(struct kernel_sums *sums, int whose, const struct heap_owner *owner)
{
	struct kernel_sum_row *row = kernel_sum_row(sums, &sums->tables[whose], owner->id);
	struct memory_row *memory = (struct memory_row *)row;
	if (row == NULL)
		return;
	kernel_sum_set(sums, row, MEMORY, (int64_t)owner->bytes);
	if (owner->name == memory->name)
		return;
	memory->name = owner->name;
	change(&sums->changes, kernel_sum_attribute(sums, row, NAME),
	       histree_string_n(owner->name, owner->name_size));
}

static void memory_count(struct kernel_sums *sums, const struct kernel_event *kernel)
{
	const struct heap *heap = ((struct ust_memory *)sums)->heap;
	const struct heap_event *event = &heap->event;
	(void)kernel;
	if (event->changed_count == 0 && !event->has_split)
		return;
	for (size_t i = 0; event->has_split && i < heap->processes.count; i++)
		count_owner(sums, PROCESSES, heap->processes.entries[i].record);
	for (size_t i = 0; i < event->changed_count; i++)
		count_owner(sums, THREADS, event->changed[i]);
	count_owner(sums, PROCESSES, event->process);
}

static void memory_say_missing(const struct kernel_sums *sums, char *text, size_t size)
{
	heap_missing(((const struct ust_memory *)sums)->heap, text, size);
}

static const struct kernel_sums_kind memory_sums = {
	.size = sizeof(struct ust_memory),
	.what = "the analysis of memory",
	.tables = {
		[THREADS] = {
			.folder = "Threads",
			.names = { "Memory", "Name" },
			.sum_count = 1,
			.row_size = sizeof(struct memory_row),
			.loss = SUMS_ARE_LOST,
		},
		[PROCESSES] = {
			.folder = "Processes",
			.names = { "Memory", "Name" },
			.sum_count = 1,
			.row_size = sizeof(struct memory_row),
			.loss = SUMS_ARE_LOST,
		},
	},
	.counts_all = true,
	.applies = heap_applies,
	.count = memory_count,
	.say_missing = memory_say_missing,
};

/* Events of the kernel say nothing to it but who runs, which the heap asks. */
static enum histree_status memory_create(struct histree_state_system *system, void *input, void **instance,
					 struct histree_error *error)
{
	const struct heap *heap = input;
	enum histree_status status = kernel_sums_create(&memory_sums, system, heap->kernel, instance, error);
	if (status == HISTREE_OK)
		((struct ust_memory *)*instance)->heap = heap;
	return status;
}

/* Threads by their numbers, as those of one program have one name. */
static const struct histree_chart_entry thread_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "Threads/*", .shown = "Memory", .measure = HISTREE_CHART_VALUE },
};

static const struct histree_chart_entry process_entries[] = {
	{ .parent = HISTREE_CHART_TOP,
	  .path = "Processes/*",
	  .shown = "Memory",
	  .name = "Name",
	  .measure = HISTREE_CHART_VALUE },
};

static const struct histree_chart charts[] = {
	{ .name = "process-memory",
	  .title = "Memory that processes have in use",
	  .unit = "B",
	  .entries = process_entries,
	  .entry_count = 1 },
	{ .name = "thread-memory",
	  .title = "Memory that threads allocated and nobody freed yet",
	  .unit = "B",
	  .entries = thread_entries,
	  .entry_count = 1 },
};

const struct analysis analysis_ust_memory = {
	.name = "ust-memory",
	.version = 2,
	.summary = "bytes that threads and processes have in use (lttng_ust_libc), so far",
	.charts = charts,
	.chart_count = sizeof(charts) / sizeof(*charts),
	.input = &heap_kind,
	.applies = heap_applies,
	.create = memory_create,
	KERNEL_SUMS_FUNCTIONS,
};

/* ---- segments allocations ------------------------------------------------------------------------------------ */

enum {
	BLOCK_NAME,
	BLOCK_TID,
	BLOCK_PROCESS,
	BLOCK_PID,
	BLOCK_BYTES,
	BLOCK_ADDRESS,
	BLOCK_FREED,
	BLOCK_FREED_BY,
	BLOCK_FIELD_COUNT,
};

static const struct histree_segment_field fields[BLOCK_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },  { "tid", HISTREE_INT },      { "process", HISTREE_STRING },
	{ "pid", HISTREE_INT },      { "bytes", HISTREE_LONG },   { "address", HISTREE_STRING },
	{ "freed", HISTREE_STRING }, { "freed_by", HISTREE_INT },
};

static const char *const function_names[HEAP_NO_FUNCTION] = { "malloc",   "calloc",         "realloc",
							      "memalign", "posix_memalign", "free" };

struct allocations {
	struct histree_segment_store *store; /* borrowed */
	const struct heap *heap;             /* borrowed */
	bool is_finished;
};

static enum histree_status create(struct histree_segment_store *store, void *input, void **instance,
				  struct histree_error *error)
{
	struct allocations *allocations = calloc(1, sizeof(*allocations));
	*instance = allocations;
	if (allocations == NULL)
		return error_memory(error, "the analysis of allocations");
	allocations->store = store;
	allocations->heap = input;
	return HISTREE_OK;
}

static struct histree_value id_of(int32_t id)
{
	return id >= 0 ? histree_int(id) : histree_null();
}

/* `by` is NULL for what was never freed. */
static enum histree_status add_block(struct allocations *allocations, const struct heap_block *block,
				     const struct heap_owner *by, struct histree_error *error)
{
	const struct heap *heap = allocations->heap;
	const struct heap_owner *owner = heap_thread(heap, block->thread);
	char address[sizeof("0xffffffffffffffff")];
	snprintf(address, sizeof(address), "0x%" PRIx64, block->address);
	const char *freed = by != NULL ? function_names[heap->event.function] : "never";
	struct histree_value values[BLOCK_FIELD_COUNT] = {
		[BLOCK_NAME] = histree_string(function_names[block->function]),
		[BLOCK_TID] = id_of(owner->id),
		[BLOCK_PROCESS] =
			owner->name != NULL ? histree_string_n(owner->name, owner->name_size) : histree_null(),
		[BLOCK_PID] = id_of(block->is_of_thread ? -1 : block->process),
		[BLOCK_BYTES] = histree_long((int64_t)block->bytes),
		[BLOCK_ADDRESS] = histree_string(address),
		[BLOCK_FREED] = histree_string(freed),
		[BLOCK_FREED_BY] = by != NULL ? id_of(by->id) : histree_null(),
	};
	const struct histree_segment segment = { block->start, heap->now, values };
	return histree_segment_store_add(allocations->store, &segment, error);
}

static enum histree_status on_event(void *instance, const struct event *source, struct histree_error *error)
{
	struct allocations *allocations = instance;
	const struct heap_event *event = &allocations->heap->event;
	(void)source;
	if (!event->has_freed)
		return HISTREE_OK;
	return add_block(allocations, &event->freed, event->thread, error);
}

static enum histree_status finish(void *instance, histree_time *end, struct histree_error *error)
{
	struct allocations *allocations = instance;
	const struct heap_block *block;
	enum histree_status status = HISTREE_OK;
	(void)end;
	allocations->is_finished = true;
	for (size_t at = 0;
	     status == HISTREE_OK && (block = heap_blocks_next(&allocations->heap->blocks, &at)) != NULL;)
		status = add_block(allocations, block, NULL, error);
	return status;
}

static struct segment_counts counts(const void *instance)
{
	const struct allocations *allocations = instance;
	const struct heap *heap = allocations->heap;
	return (struct segment_counts){
		.without_start = heap->counts.without_start,
		.without_end = heap->counts.without_end + (allocations->is_finished ? 0 : heap->blocks.live),
	};
}

static void missing(const void *instance, char *text, size_t size)
{
	heap_missing(((const struct allocations *)instance)->heap, text, size);
}

const struct segment_analysis segment_analysis_allocations = {
	.name = "allocations",
	.version = 2,
	.summary =
		"memory of programs (lttng_ust_libc), from where it was allocated to where it was freed, and leaks",
	.fields = fields,
	.field_count = BLOCK_FIELD_COUNT,
	.input = &heap_kind,
	.applies = heap_applies,
	.create = create,
	.event = on_event,
	.finish = finish,
	.counts = counts,
	.missing = missing,
	.free = free,
};
