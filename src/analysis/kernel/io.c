// SPDX-License-Identifier: MIT
/*
 * io.c - the analysis `io`: requests to block devices, and what threads read and wrote.
 *
 *	system_calls/<tid>				string: the call that the thread is in
 *	Threads/<tid>/bytes_read, bytes_written		int: so far, by calls named read or write
 *	Disks/<dev>					string: its name, where the trace tells it
 *	Disks/<dev>/Waiting_queue/<slot>/...		int: kind of the request; its sector and size below it
 *	Disks/<dev>/Driver_queue/<slot>/...
 *	Disks/<dev>/{waiting,driver}queue_length	int: requests
 *	Disks/<dev>/sectors_{read,written}		int: so far
 *
 * These are the states of Trace Compass's analysis of disks, sums of 32 bits included.  What is in a call or in a
 * queue when events are lost is unknown; requests are forgotten then, as their ends may have been among those.
 */
#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/changes.h"
#include "analysis/kernel/disk.h"
#include "analysis/kernel/kernel_charts.h"
#include "analysis/kernel/kernel_input.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/id_map.h"

struct io_thread {
	int32_t tid;
	histree_quark call, node, bytes_read, bytes_written;
	bool is_reading, is_writing;
};

struct io_cpu {
	struct io_thread *thread; /* NULL: not known */
};

struct io {
	struct kernel_input *input; /* borrowed */
	struct changes changes;
	histree_quark calls, threads_node, disks_node;
	struct id_map cpus, threads, disks; /* struct io_cpu, io_thread, disk by number */
	struct arena records;
	bool is_begun, has_any;
	histree_time now;
};

static void *new_record(struct io *io, struct id_map *map, uint64_t id, size_t size)
{
	void *record = arena_allocate(&io->records, size, alignof(max_align_t));
	if (record != NULL && id_map_add(map, id, record))
		return memset(record, 0, size);
	changes_fail(&io->changes, HISTREE_ERR_MEMORY, "disks and threads of the trace");
	return NULL;
}

static histree_quark child(struct io *io, histree_quark *known, histree_quark parent, const char *name)
{
	return changes_child(&io->changes, known, parent, name, strlen(name));
}

static histree_quark numbered(struct io *io, histree_quark *known, histree_quark parent, int64_t number)
{
	char name[24];
	snprintf(name, sizeof(name), "%" PRId64, number);
	return child(io, known, parent, name);
}

/* ---- threads ------------------------------------------------------------------------------------------------ */

static struct io_thread *thread_of(struct io *io, int32_t tid)
{
	struct io_thread *thread = id_map_find(&io->threads, (uint32_t)tid);
	if (thread != NULL)
		return thread;
	thread = new_record(io, &io->threads, (uint32_t)tid, sizeof(*thread));
	if (thread != NULL)
		*thread = (struct io_thread){ .tid = tid,
					      .call = NO_ATTRIBUTE,
					      .node = NO_ATTRIBUTE,
					      .bytes_read = NO_ATTRIBUTE,
					      .bytes_written = NO_ATTRIBUTE };
	return thread;
}

static struct io_cpu *cpu_of(struct io *io, int32_t number)
{
	struct io_cpu *cpu = id_map_find(&io->cpus, (uint32_t)number);
	return cpu != NULL ? cpu : new_record(io, &io->cpus, (uint32_t)number, sizeof(*cpu));
}

/* perf names the thread in each event; of LTTng's the one that was switched to is taken, as Trace Compass does. */
static int64_t tid_of_event(const struct kernel_event *event)
{
	return event->is_perf ? event->own_tid : -1;
}

static struct io_thread *current_thread(struct io *io, const struct kernel_event *event)
{
	int64_t tid = tid_of_event(event);
	if (tid >= 0)
		return thread_of(io, (int32_t)tid);
	struct io_cpu *cpu = event->cpu >= 0 ? id_map_find(&io->cpus, (uint32_t)event->cpu) : NULL;
	return cpu != NULL ? cpu->thread : NULL;
}

static void on_switch(struct io *io, const struct kernel_event *event)
{
	struct io_cpu *cpu = event->cpu >= 0 ? cpu_of(io, event->cpu) : NULL;
	if (cpu != NULL)
		cpu->thread = thread_of(io, event->tid);
}

/* Whether a call is called as `verb`, with whatever behind it, or as that with a p before it. */
static bool is_called(const struct kernel_text *name, const char *verb)
{
	size_t size = strlen(verb), skip = name->size > 0 && name->bytes[0] == 'p' ? 1 : 0;
	return name->size >= skip + size && memcmp(name->bytes + skip, verb, size) == 0;
}

static void on_call_entry(struct io *io, const struct kernel_event *event, struct io_thread *thread)
{
	child(io, &io->calls, HISTREE_ROOT, "system_calls");
	thread->is_reading = is_called(&event->name, "read");
	thread->is_writing = is_called(&event->name, "write");
	change(&io->changes, numbered(io, &thread->call, io->calls, thread->tid),
	       histree_string_n(event->event_name.bytes, event->event_name.size));
}

static void add(struct io *io, histree_quark quark, int64_t amount)
{
	struct histree_value before = changes_value(&io->changes, quark);
	uint32_t sum = before.type == HISTREE_INT ? (uint32_t)before.int32 : 0;
	change(&io->changes, quark, histree_int((int32_t)(sum + (uint32_t)amount)));
}

static void on_call_exit(struct io *io, const struct kernel_event *event, struct io_thread *thread)
{
	bool moves = thread->is_reading || thread->is_writing;
	if (moves && (event->has & HAS_RESULT) != 0 && event->result >= 0) {
		child(io, &io->threads_node, HISTREE_ROOT, "Threads");
		numbered(io, &thread->node, io->threads_node, thread->tid);
		child(io, &thread->bytes_read, thread->node, "bytes_read");
		child(io, &thread->bytes_written, thread->node, "bytes_written");
		add(io, thread->is_reading ? thread->bytes_read : thread->bytes_written, event->result);
	}
	thread->is_reading = thread->is_writing = false;
	if (thread->call != NO_ATTRIBUTE)
		change(&io->changes, thread->call, histree_null());
}

/* ---- disks -------------------------------------------------------------------------------------------------- */

static struct disk *disk_of(struct io *io, int64_t device)
{
	struct disk *disk = id_map_find(&io->disks, (uint64_t)device);
	if (disk != NULL)
		return disk;
	disk = new_record(io, &io->disks, (uint64_t)device, sizeof(*disk));
	if (disk == NULL)
		return NULL;
	child(io, &io->disks_node, HISTREE_ROOT, "Disks");
	disk_init(disk, &io->changes, io->disks_node, device);
	return disk;
}

/* ---- the analysis ------------------------------------------------------------------------------------------- */

static enum histree_status create(struct histree_state_system *system, void *input, void **instance,
				  struct histree_error *error)
{
	static const enum kernel_role roles[] = {
		KERNEL_SWITCH,       KERNEL_SYSCALL_ENTRY,     KERNEL_SYSCALL_EXIT,
		KERNEL_BLOCK_INSERT, KERNEL_BLOCK_ISSUE,       KERNEL_BLOCK_COMPLETE,
		KERNEL_BLOCK_DEVICE, KERNEL_BLOCK_FRONT_MERGE, KERNEL_BLOCK_REQUEST_MERGE,
		KERNEL_BLOCK_MERGE
	};
	struct io *io = calloc(1, sizeof(*io));
	*instance = io;
	if (io == NULL)
		return error_memory(error, "disks and threads of the trace");
	io->input = input;
	io->changes.system = system;
	io->calls = io->threads_node = io->disks_node = NO_ATTRIBUTE;
	struct table_space *space = io->input->machine.records.space;
	id_map_use_space(&io->threads, space);
	io->records.space = space;
	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		kernel_input_want(input, roles[i]);
	return HISTREE_OK;
}

/* The order of events decides, not their times, where the clock of a trace steps back. */
static void begin(struct io *io, histree_time time)
{
	io->now = !io->is_begun || time > io->now ? time : io->now;
	io->is_begun = true;
	changes_begin(&io->changes, io->now);
}

static void on_call(struct io *io, const struct kernel_event *event)
{
	struct io_thread *thread = current_thread(io, event);
	if (thread == NULL)
		return;
	if (event->role == KERNEL_SYSCALL_ENTRY)
		on_call_entry(io, event, thread);
	else
		on_call_exit(io, event, thread);
}

static void on_request(struct io *io, const struct kernel_event *event)
{
	struct disk *disk = disk_of(io, event->device);
	if (disk != NULL)
		disk_take(disk, &io->changes, event);
}

static enum histree_status on_event(void *instance, const struct event *source, struct histree_error *error)
{
	struct io *io = instance;
	const struct kernel_event *event = &io->input->event;
	begin(io, source->time);
	switch (event->role) {
	case KERNEL_SWITCH:
		on_switch(io, event);
		break;
	case KERNEL_SYSCALL_ENTRY:
	case KERNEL_SYSCALL_EXIT:
		io->has_any = true;
		on_call(io, event);
		break;
	case KERNEL_BLOCK_INSERT:
	case KERNEL_BLOCK_ISSUE:
	case KERNEL_BLOCK_COMPLETE:
	case KERNEL_BLOCK_DEVICE:
	case KERNEL_BLOCK_FRONT_MERGE:
	case KERNEL_BLOCK_REQUEST_MERGE:
	case KERNEL_BLOCK_MERGE:
		io->has_any = true;
		on_request(io, event);
		break;
	default:
		break;
	}
	return changes_end(&io->changes, error);
}

static void lose_call(struct io *io, struct io_thread *thread)
{
	thread->is_reading = thread->is_writing = false;
	if (thread->call != NO_ATTRIBUTE)
		change(&io->changes, thread->call, histree_unknown());
}

static enum histree_status on_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct io *io = instance;
	const struct id_entry *entry;
	size_t position = 0;
	begin(io, gap->begin);
	while ((entry = id_map_next(&io->cpus, &position)) != NULL)
		if (gap->cpu < 0 || entry->id == (uint32_t)gap->cpu)
			((struct io_cpu *)entry->record)->thread = NULL;
	/* Any thread may have run there in the meantime, and any disk been asked. */
	for (position = 0; (entry = id_map_next(&io->threads, &position)) != NULL;)
		lose_call(io, entry->record);
	for (position = 0; (entry = id_map_next(&io->disks, &position)) != NULL;)
		disk_lose(entry->record, &io->changes);
	return changes_end(&io->changes, error);
}

static uint64_t refused(const void *instance)
{
	return ((const struct io *)instance)->changes.refused;
}

static void missing(const void *instance, char *text, size_t size)
{
	*text = '\0';
	if (!((const struct io *)instance)->has_any)
		snprintf(text, size,
			 "the trace has neither requests to block devices nor system calls: record them (lttng "
			 "enable-event -k 'block_rq_*', and --syscall -a; or perf record -e 'block:*')");
}

static void free_io(void *instance)
{
	struct io *io = instance;
	if (io == NULL)
		return;
	const struct id_entry *entry;
	for (size_t position = 0; (entry = id_map_next(&io->disks, &position)) != NULL;)
		disk_release(entry->record);
	id_map_release(&io->cpus);
	id_map_release(&io->threads);
	id_map_release(&io->disks);
	arena_release(&io->records);
	free(io);
}

const struct analysis analysis_io = {
	.name = "io",
	.version = 2,
	.summary = "queues of disks, and bytes that threads read and wrote, as Trace Compass counts them",
	.charts = io_charts,
	.chart_count = IO_CHARTS,
	.input = &kernel_input_kind,
	.applies = kernel_input_knows,
	.create = create,
	.event = on_event,
	.gap = on_gap,
	.refused = refused,
	.missing = missing,
	.free = free_io,
};
