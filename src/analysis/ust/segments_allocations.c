// SPDX-License-Identifier: MIT
/*
 * segments_allocations.c - memory that programs allocated, from there to where it was freed; memory that never
 * was, up to the end of the trace: a leak, or memory that was in use to the end (heap.h).
 *
 * Blocks in use when events are lost make no segment, as it is not known whether they were freed then.  Neither
 * does a block whose address was handed out again before it was seen to be freed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/segment_analysis.h"
#include "analysis/ust/heap.h"
#include "base/error.h"

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
