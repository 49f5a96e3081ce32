// SPDX-License-Identifier: MIT
/*
 * ust_memory.c - the analysis `ust-memory`: how much memory threads and processes have in use (heap.h).
 *
 *	Threads/<vtid>/Memory		long: bytes that it allocated and that were not freed yet
 *	Threads/<vtid>/Name		string: of the process
 *	Processes/<vpid>/Memory, Name	the same of a process
 *
 * Both numbers are -1 where the trace does not say whose an event is.  In a gap all sums are unknown; behind it
 * they count what was allocated since, each from its next change on.
 */
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_sums.h"
#include "analysis/ust/heap.h"

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
