// SPDX-License-Identifier: MIT
/*
 * heap.c - the memory blocks of programs, by address, and the two analyses of them.
 *
 * The analyses are `ust-memory`, how much threads and processes have in use, and `allocations`, a segment for each
 * block.
 *
 * 	Threads/<vtid>/Memory		long: bytes that it allocated and that were not freed yet
 * 	Threads/<vtid>/Name		string: of the process
 * 	Processes/<vpid>/Memory, Name	the same of a process
 *
 * Both numbers are -1 if the trace does not identify the thread or process.  In a gap all sums are unknown; after
 * it they count what was allocated since, each from its next change on.
 *
 * A segment goes from where memory was allocated to where it was freed; if it never was, to the end of the trace: a
 * leak, or memory in use to the end.
 *
 * Blocks in use when events are lost make no segment, because they may have been freed then.  Neither does a block
 * whose address was handed out again before it was seen to be freed.
 */
#include "analysis/ust/heap.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/kernel/kernel_sums.h"
#include "analysis/ust/call_stacks.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "histree/value.h"

/* ---- heap blocks --------------------------------------------------------------------------------------------- */

enum {
	KEPT_MIN = 64,       /* the least number of blocks that are kept before any is dropped */
	LOOK_EVERY = 1 << 12 /* blocks of a walk: pages that it has passed may leave memory */
};

struct block_key {
	uint64_t address;
	int32_t process;
};

static uint64_t hash_key(int32_t process, uint64_t address)
{
	return hash_mix(address ^ hash_mix((uint32_t)process));
}

static bool has_key(const void *elements, uint32_t number, const void *key)
{
	const struct heap_block *block = &((const struct heap_block *)elements)[number];
	const struct block_key *wanted = key;
	return block->address == wanted->address && block->process == wanted->process;
}

static uint64_t hash_of(const void *elements, uint32_t number)
{
	const struct heap_block *block = &((const struct heap_block *)elements)[number];
	return hash_key(block->process, block->address);
}

/* Returns the block of a key, live or not. */
static struct heap_block *block_of(const struct heap_blocks *blocks, int32_t process, uint64_t address)
{
	const struct block_key key = { address, process };
	uint32_t number =
		hash_index_find(&blocks->index, hash_key(process, address), has_key, blocks->blocks, &key);
	return number == HASH_INDEX_NONE ? NULL : &blocks->blocks[number];
}

struct heap_block *heap_blocks_find(const struct heap_blocks *blocks, int32_t process, uint64_t address)
{
	struct heap_block *block = block_of(blocks, process, address);
	return block != NULL && block->is_live ? block : NULL;
}

static void drop_freed(struct heap_blocks *blocks)
{
	size_t kept = 0;
	hash_index_clear(&blocks->index);
	for (size_t i = 0; i < blocks->count; i++) {
		if (i % LOOK_EVERY == 0)
			table_space_look(blocks->table.space);
		if (!blocks->blocks[i].is_live)
			continue;
		blocks->blocks[kept] = blocks->blocks[i];
		hash_index_add(&blocks->index, hash_of(blocks->blocks, (uint32_t)kept), (uint32_t)kept);
		kept++;
	}
	blocks->count = kept;
}

bool heap_blocks_add(struct heap_blocks *blocks, const struct heap_block *block)
{
	struct heap_block *place = block_of(blocks, block->process, block->address);
	if (place == NULL) {
		if (blocks->count >= KEPT_MIN && blocks->count == blocks->capacity &&
		    blocks->live <= blocks->count / 2)
			drop_freed(blocks);
		if (!table_reserve(&blocks->table, &blocks->blocks, &blocks->capacity, blocks->count + 1) ||
		    !hash_index_reserve(&blocks->index, blocks->count + 1, hash_of, blocks->blocks))
			return false;
		place = &blocks->blocks[blocks->count];
		hash_index_add(&blocks->index, hash_key(block->process, block->address), (uint32_t)blocks->count++);
	}
	*place = *block;
	place->is_live = true;
	blocks->live++;
	return true;
}

void heap_blocks_remove(struct heap_blocks *blocks, struct heap_block *block)
{
	block->is_live = false;
	blocks->live--;
}

void heap_blocks_clear(struct heap_blocks *blocks)
{
	hash_index_clear(&blocks->index);
	blocks->count = 0;
	blocks->live = 0;
}

struct heap_block *heap_blocks_next(const struct heap_blocks *blocks, size_t *position)
{
	while (*position < blocks->count) {
		if (*position % LOOK_EVERY == 0)
			table_space_look(blocks->table.space);
		struct heap_block *block = &blocks->blocks[(*position)++];
		if (block->is_live)
			return block;
	}
	return NULL;
}

void heap_blocks_release(struct heap_blocks *blocks)
{
	table_release(&blocks->table, blocks->blocks);
	hash_index_release(&blocks->index);
	*blocks = (struct heap_blocks){ 0 };
}

/* ---- heap ---------------------------------------------------------------------------------------------------- */

struct heap_binding {
	enum heap_function function;
	uint32_t tid, pid, process; /* fields */
	uint32_t address, before;   /* of the block; of a realloc that of the one before */
	uint32_t size, count, result;
};

/* No address space has room for more: whatever an event says beyond that is no size. */
static const uint64_t bytes_max = UINT64_C(1) << 56;

/* Whether a trace may have such events. */
static bool heap_applies(const struct event_trace *trace)
{
	return strcmp(trace->domain, "ust") == 0 || strcmp(trace->tracer_name, "lttng-ust") == 0;
}

/* Returns the owner with this number. */
static const struct heap_owner *heap_thread(const struct heap *heap, uint32_t number)
{
	return heap->threads.entries[number].record;
}

/* ---- whose event it is, and what it says ----------------------------------------------------------------- */

static uint32_t first_field(const struct event_class *class, const char *name, const char *other)
{
	uint32_t field = event_class_field(class, name);
	return field != EVENT_NO_FIELD ? field : event_class_field(class, other);
}

/* Up to LTTng-UST 2.6 the provider of the events was called ust_libc.  Returns "" for other events. */
static const char *function_of(const char *event)
{
	static const char *const providers[] = { "lttng_ust_libc:", "ust_libc:" };
	for (size_t i = 0; i < sizeof(providers) / sizeof(providers[0]); i++)
		if (strncmp(event, providers[i], strlen(providers[i])) == 0)
			return event + strlen(providers[i]);
	return "";
}

/* Returns NULL when memory runs out. */
static const struct heap_binding *binding_of(struct heap *heap, const struct event_class *class)
{
	const struct heap_binding *known = class_table_find(&heap->bindings, class);
	if (known != NULL)
		return known;
	static const struct {
		const char *name, *address;
		enum heap_function function;
	} rows[] = {
		{ "malloc", "ptr", HEAP_MALLOC },
		{ "calloc", "ptr", HEAP_CALLOC },
		{ "realloc", "ptr", HEAP_REALLOC },
		{ "memalign", "ptr", HEAP_MEMALIGN },
		{ "posix_memalign", "out_ptr", HEAP_POSIX_MEMALIGN },
		{ "free", "ptr", HEAP_FREE },
	};
	const char *name = function_of(class->name);
	struct heap_binding binding = { .function = HEAP_NO_FUNCTION };
	for (size_t i = 0; heap_applies(class->trace) && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(name, rows[i].name) == 0) {
			binding.function = rows[i].function;
			binding.address = event_class_field(class, rows[i].address);
		}
	binding.tid = first_field(class, "vtid", "tid");
	binding.pid = first_field(class, "vpid", "pid");
	binding.process = event_class_field(class, "procname");
	binding.before = event_class_field(class, "in_ptr");
	binding.size = event_class_field(class, "size");
	binding.count = event_class_field(class, "nmemb");
	binding.result = event_class_field(class, "result");
	return class_table_add(&heap->bindings, class, &binding, sizeof(binding));
}

/* Returns NULL when memory runs out. */
static struct heap_owner *owner_of(struct heap *heap, struct id_map *owners, int32_t id)
{
	struct heap_owner *owner = id_map_find(owners, (uint32_t)id);
	if (owner != NULL)
		return owner;
	owner = arena_allocate(&heap->records, sizeof(*owner), alignof(struct heap_owner));
	uint32_t number = (uint32_t)owners->count;
	if (owner == NULL || !id_map_add(owners, (uint32_t)id, owner))
		return NULL;
	*owner = (struct heap_owner){ .number = number, .id = id };
	return owner;
}

/* ---- where nobody says which process it is ------------------------------------------------------------------ */

/*
 * Threads are taken as processes from now on: what each has in use goes to a process of its own, also blocks that
 * were contested.  Returns false when memory runs out.
 */
static bool split_processes(struct heap *heap)
{
	size_t at = 0;
	struct heap_block *block;
	struct heap_owner *nobody = owner_of(heap, &heap->processes, -1);
	while (nobody != NULL && (block = heap_blocks_next(&heap->blocks, &at)) != NULL) {
		if (block->process >= 0 && !block->is_of_thread)
			continue;
		const struct heap_owner *thread = heap_thread(heap, block->thread);
		struct heap_owner *process = owner_of(heap, &heap->processes, thread->id);
		if (process == NULL)
			return false;
		nobody->bytes -= block->bytes;
		process->bytes += block->bytes;
		block->process = thread->id;
		block->is_of_thread = false;
	}
	/*
	 * Live blocks have been given other processes, no two with one address the same: find them by these from
	 * now on.
	 */
	drop_freed(&heap->blocks);
	heap->is_split = heap->event.has_split = true;
	heap->split_time = heap->now;
	return nobody != NULL;
}

/*
 * An address that another thread was given while this one had it is one of two processes, unless this thread is in
 * realloc(), which is recorded when it returns: then that is its next event.  Returns false when memory runs out.
 */
static bool settle_contest(struct heap *heap, const struct event *event, const struct heap_binding *binding)
{
	struct heap_owner *thread = heap->event.thread;
	int64_t before;
	if (!thread->is_contested || heap->is_split)
		return true;
	thread->is_contested = false;
	if (binding->function != HEAP_REALLOC || !event_int(event, binding->before, &before) ||
	    (uint64_t)before != thread->contested)
		return split_processes(heap);
	return true;
}

/* Returns false when memory runs out. */
static bool find_owners(struct heap *heap, const struct event *event, const struct heap_binding *binding)
{
	int64_t tid = -1, pid = -1;
	const struct machine_thread *ran = NULL;
	if (!event_int(event, binding->tid, &tid)) {
		ran = kernel_input_who_ran(heap->kernel, event);
		heap->without_thread += ran == NULL;
		tid = ran != NULL ? ran->tid : -1;
	}
	if (!event_int(event, binding->pid, &pid))
		heap->without_process++;
	heap->event.thread = owner_of(heap, &heap->threads, (int32_t)tid);
	if (heap->event.thread != NULL && pid < 0 && !settle_contest(heap, event, binding))
		return false;
	if (pid < 0 && heap->is_split)
		pid = tid;
	heap->event.process = owner_of(heap, &heap->processes, (int32_t)pid);
	if (heap->event.thread == NULL || heap->event.process == NULL)
		return false;
	/* A process is called as its first thread. */
	uint32_t field = binding->process;
	struct heap_owner *thread = heap->event.thread, *process = heap->event.process;
	const char *name;
	size_t size;
	if (!event_string(event, field, &name, &size)) {
		name = ran != NULL ? ran->name : NULL;
		size = name != NULL ? ran->name_size : 0;
	}
	if (size == 0)
		return true;
	if (thread->name == NULL || thread->name_size != size || memcmp(thread->name, name, size) != 0) {
		uint32_t number = intern_add(&heap->names, name, size);
		if (number == INTERN_NONE)
			return false;
		thread->name = intern_get(&heap->names, number, &thread->name_size);
	}
	if (process->name == NULL || thread->id == process->id) {
		process->name = thread->name;
		process->name_size = thread->name_size;
	}
	return true;
}

/* ---- blocks ---------------------------------------------------------------------------------------------- */

static void change_bytes(struct heap *heap, uint32_t thread, uint64_t bytes)
{
	struct heap_event *out = &heap->event;
	struct heap_owner *owner = heap->threads.entries[thread].record;
	owner->bytes += bytes;
	out->process->bytes += bytes;
	for (size_t i = 0; i < out->changed_count; i++)
		if (out->changed[i] == owner)
			return;
	out->changed[out->changed_count++] = owner;
}

static void remove_block(struct heap *heap, struct heap_block *block)
{
	change_bytes(heap, block->thread, -block->bytes);
	heap_blocks_remove(&heap->blocks, block);
}

static void free_block(struct heap *heap, uint64_t address)
{
	struct heap_block *block = heap_blocks_find(&heap->blocks, heap->event.process->id, address);
	if (block == NULL) {
		heap->counts.without_start++;
		return;
	}
	heap->event.has_freed = true;
	heap->event.freed = *block;
	remove_block(heap, block);
}

/*
 * realloc() is recorded when it returns.  By then another thread may have been given the memory that it freed: that
 * block stays, and the one before it ended there and then.
 */
static void move_block(struct heap *heap, uint64_t address)
{
	struct heap_block *block = heap_blocks_find(&heap->blocks, heap->event.process->id, address);
	struct heap_block *own = block != NULL && block->is_reused && heap->event.process->id < 0
					 ? heap_blocks_find(&heap->blocks, heap->event.thread->id, address)
					 : NULL;
	if (own != NULL) { /* that was contested (allocate_block) */
		block->is_reused = false;
		heap->event.has_freed = true;
		heap->event.freed = *own;
		remove_block(heap, own);
	} else if (block != NULL && block->is_reused && block->thread != heap->event.thread->number)
		block->is_reused = false;
	else
		free_block(heap, address);
}

/* Returns false when memory runs out. */
static bool allocate_block(struct heap *heap, uint64_t address, uint64_t bytes)
{
	const struct heap_event *out = &heap->event;
	struct heap_block *there = heap_blocks_find(&heap->blocks, out->process->id, address);
	const struct heap_block block = {
		.address = address,
		.bytes = bytes,
		.start = heap->now,
		.process = out->process->id,
		.thread = out->thread->number,
		.function = (uint8_t)out->function,
		.is_live = true,
		.is_reused = there != NULL,
	};
	if (there != NULL && out->process->id < 0 && out->thread->id >= 0 && there->thread != out->thread->number &&
	    heap_thread(heap, there->thread)->id >= 0) {
		/*
		 * The owner of the block does not know of it; as the process is not known, the block may be another
		 * process's (settle_contest): it becomes one of its thread.  Returns false when memory runs out.
		 */
		struct heap_block own = *there;
		struct heap_owner *thread = heap->threads.entries[there->thread].record;
		thread->contested = thread->is_contested ? 0 : there->address; /* one realloc explains one */
		thread->is_contested = true;
		own.process = thread->id;
		own.is_of_thread = true;
		heap_blocks_remove(&heap->blocks, there);
		struct heap_block *older = heap_blocks_find(&heap->blocks, own.process, own.address);
		if (older != NULL) {
			heap->counts.without_end++;
			remove_block(heap, older);
		}
		if (!heap_blocks_add(&heap->blocks, &own))
			return false;
	} else if (there != NULL) {
		heap->counts.without_end++;
		remove_block(heap, there);
	}
	change_bytes(heap, block.thread, bytes);
	return heap_blocks_add(&heap->blocks, &block);
}

/* Returns false when memory runs out. */
static bool heap_take(struct heap *heap, const struct event *event, const struct heap_binding *binding)
{
	int64_t address = 0, before = 0, result = 0;
	uint64_t bytes = 0;
	if (!event_int(event, binding->address, &address) ||
	    (binding->function == HEAP_POSIX_MEMALIGN && event_int(event, binding->result, &result) && result != 0))
		return true;
	if (binding->function == HEAP_FREE) {
		if (address != 0)
			free_block(heap, (uint64_t)address);
		return true;
	}
	int64_t size, count = 1;
	if (!event_int(event, binding->size, &size) ||
	    (binding->function == HEAP_CALLOC && !event_int(event, binding->count, &count)))
		return true;
	if (__builtin_mul_overflow((uint64_t)size, (uint64_t)count, &bytes) || bytes > bytes_max)
		return true;
	/* What fails leaves the block before as it is; of no bytes, that is freed. */
	if (binding->function == HEAP_REALLOC && event_int(event, binding->before, &before) && before != 0 &&
	    (address != 0 || bytes == 0))
		move_block(heap, (uint64_t)before);
	return address == 0 || allocate_block(heap, (uint64_t)address, bytes);
}

/* Returns false when memory runs out. */
static bool follow(struct heap *heap, const struct event *event)
{
	struct heap_event *out = &heap->event;
	const struct heap_binding *binding = binding_of(heap, event->class);
	if (binding == NULL)
		return false;
	if (event->time > heap->now)
		heap->now = event->time;
	bool in_gap = cpu_gaps_meet(&heap->gaps, event);
	if (binding->function == HEAP_NO_FUNCTION)
		return true;
	heap->calls++;
	if (!find_owners(heap, event, binding))
		return false;
	out->function = binding->function;
	out->in_gap = in_gap;
	if (!in_gap)
		return heap_take(heap, event, binding);
	if (out->function == HEAP_FREE)
		heap->counts.without_start++;
	else
		heap->counts.without_end++;
	return true;
}

static void forget_bytes(const struct id_map *owners)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(owners, &at)) != NULL;) {
		struct heap_owner *owner = entry->record;
		owner->bytes = 0;
		owner->is_contested = false;
	}
}

/* ---- what the trace lacks -------------------------------------------------------------------------------- */

/*
 * Writes a sentence, lower case, no full stop, if the trace lacks what is needed, and how to record it; else "".
 */
static void heap_missing(const struct heap *heap, char *text, size_t size)
{
	text[0] = '\0';
	if (heap->calls == 0)
		snprintf(text, size,
			 "the trace has no event of lttng_ust_libc, such as lttng_ust_libc:malloc; record with "
			 "'lttng "
			 "enable-event -u \"lttng_ust_libc:*\"', and run the program with "
			 "LD_PRELOAD=liblttng-ust-libc-wrapper.so");
	else if (heap->is_split)
		snprintf(text, size,
			 "%" PRIu64 " of %" PRIu64 " allocations and frees do not say of which process they are, "
			 "and threads have the same addresses: "
			 "each thread is taken for a process of its own from %" PRId64
			 " on; record with 'lttng add-context -u -t vpid -t vtid -t procname'",
			 heap->without_process, heap->calls, heap->split_time);
	else if (heap->without_thread > 0 || heap->without_process > 0)
		snprintf(text, size,
			 "%" PRIu64 " of %" PRIu64
			 " allocations and frees do not say of which thread they are%s, and "
			 "%" PRIu64
			 " of which process, and are taken to be of one; record with 'lttng add-context -u "
			 "-t vpid -t vtid -t procname'",
			 heap->without_thread, heap->calls,
			 heap->without_thread > 0 ? kernel_input_lacks(heap->kernel) : "", heap->without_process);
}

/* ---- the input ------------------------------------------------------------------------------------------- */

static enum histree_status heap_create(void **out, struct histree_error *error)
{
	struct heap *heap = calloc(1, sizeof(*heap));
	*out = heap;
	if (heap == NULL)
		return error_memory(error, "the memory of programs");
	heap->now = INT64_MIN;
	cpu_gaps_init(&heap->gaps);
	enum histree_status status = kernel_input_create_watch(&heap->kernel, error);
	if (status != HISTREE_OK) {
		free(heap);
		*out = NULL;
	}
	return status;
}

static void use_space(void *input, struct table_space *tables)
{
	struct heap *heap = input;
	/* Have its memory from this space.  It is empty yet. */
	heap->blocks.table.space = heap->blocks.index.table.space = tables;
	id_map_use_space(&heap->threads, tables);
	id_map_use_space(&heap->processes, tables);
	heap->records.space = tables;
	intern_use_space(&heap->names, tables);
	kernel_input_kind.use_space(heap->kernel, tables);
}

static enum histree_status heap_begin(void *input, const struct event *event, struct histree_error *error)
{
	struct heap *heap = input;
	heap->event = (struct heap_event){ .function = HEAP_NO_FUNCTION };
	enum histree_status status = kernel_input_watch(heap->kernel, event, error);
	if (status != HISTREE_OK)
		return status;
	if (event->gap == NULL)
		return follow(heap, event) ? HISTREE_OK : error_memory(error, "the memory of programs");
	if (heap_applies(event->gap->trace)) {
		/* Whatever is in use may be freed, and its addresses be used again, without anybody seeing it. */
		const struct event_gap *gap = event->gap;
		if (gap->begin > heap->now)
			heap->now = gap->begin;
		cpu_gaps_begin(&heap->gaps, gap);
		heap->counts.without_end += heap->blocks.live;
		heap_blocks_clear(&heap->blocks);
		forget_bytes(&heap->threads);
		forget_bytes(&heap->processes);
	}
	return HISTREE_OK;
}

static enum histree_status end(void *input, struct histree_error *error)
{
	return kernel_input_kind.end(((struct heap *)input)->kernel, error);
}

static void free_heap(void *input)
{
	struct heap *heap = input;
	heap_blocks_release(&heap->blocks);
	class_table_release(&heap->bindings);
	id_map_release(&heap->threads);
	id_map_release(&heap->processes);
	arena_release(&heap->records);
	intern_release(&heap->names);
	cpu_gaps_release(&heap->gaps);
	kernel_input_kind.free(heap->kernel);
	free(heap);
}

/* When an event begins, blocks and owners are as they are after it. */
static const struct analysis_input_kind heap_kind = {
	.needs = "a trace by lttng-ust, of domain \"ust\", with events such as lttng_ust_libc:malloc",
	.create = heap_create,
	.use_space = use_space,
	.begin = heap_begin,
	.end = end,
	.free = free_heap,
};

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
	struct kernel_sum_row *row = kernel_sum_row(sums, &sums->tables[whose], owner->number, owner->id);
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

/* Of the kernel's events it uses only which thread runs, and looks that up when needed. */
static enum histree_status memory_create(const struct analysis *analysis, struct histree_state_system *system,
					 void *input, void **instance, struct histree_error *error)
{
	const struct heap *heap = input;
	enum histree_status status = kernel_sums_create(analysis, system, heap->kernel, instance, error);
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
	.kind = &memory_sums,
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
	.size = sizeof(struct allocations),
	.event = on_event,
	.finish = finish,
	.counts = counts,
	.missing = missing,
	.free = free,
};
