// SPDX-License-Identifier: MIT
/*
 * io.c - the analysis `io`: requests to block devices, and what threads read and wrote.
 *
 * 	system_calls/<tid>				string: the call that the thread is in
 * 	Threads/<tid>/bytes_read, bytes_written		int: so far, by calls named read or write
 * 	Disks/<dev>					string: its name, where the trace tells it
 * 	Disks/<dev>/Waiting_queue/<slot>/...		int: kind of the request; its sector and size below it
 * 	Disks/<dev>/Driver_queue/<slot>/...
 * 	Disks/<dev>/{waiting,driver}queue_length	int: requests
 * 	Disks/<dev>/sectors_{read,written}		int: so far
 *
 * These are the states of Trace Compass's analysis of disks, sums of 32 bits included; <dev> is 8:0 where it has
 * 8388608.  Calls and queues are unknown when events are lost; requests are dropped then, because their ends may be
 * among the lost events.
 *
 * A request waits from its insertion until it is issued, and is with its driver until it is complete.  While it
 * waits it may grow, or be merged into another one.  In a queue it takes the lowest slot that is free when it
 * arrives.  Queues are short, so they are searched linearly.
 */
#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_sums.h"
#include "base/number_text.h"

#define NO_SLOT UINT32_MAX

enum request_kind { REQUEST_WRITE, REQUEST_READ, REQUEST_FLUSH, REQUEST_OTHER };

struct request {
	int64_t sector, sectors;
	enum request_kind kind;
};

struct request_slot {
	struct request request;
	bool is_taken;
	/* Of the slot, and of what is below it: the last one is merged_in or issued_from. */
	histree_quark node, sector, sectors, origin;
};

/* A zeroed one, with NO_ATTRIBUTE and the name of `origin`, is empty. */
struct disk_queue {
	struct request_slot *slots;
	uint32_t slot_count, taken;
	histree_quark node;
	const char *origin;
};

struct disk {
	histree_quark node, waiting_length, driver_length, sectors_read, sectors_written;
	uint32_t read, written; /* sectors */
	struct disk_queue waiting, driver;
};

/* ---- disk queue ---------------------------------------------------------------------------------------------- */

/* Sectors come from the trace: a sum of them may overflow, their differences as unsigned numbers do not. */
static bool is_within(const struct request *inner, const struct request *outer)
{
	if (inner->sector < outer->sector || inner->sectors > outer->sectors)
		return false;
	uint64_t offset = (uint64_t)inner->sector - (uint64_t)outer->sector;
	return offset <= (uint64_t)outer->sectors - (uint64_t)inner->sectors;
}

/* Returns the slot of the request with this sector and kind; NO_SLOT if there is none. */
static uint32_t disk_queue_find(const struct disk_queue *queue, const struct request *request)
{
	for (uint32_t i = 0; i < queue->slot_count; i++) {
		const struct request_slot *slot = &queue->slots[i];
		if (slot->is_taken && slot->request.sector == request->sector &&
		    slot->request.kind == request->kind)
			return i;
	}
	return NO_SLOT;
}

/* Returns the slot of the request of its kind that ends where this one begins; NO_SLOT if there is none. */
static uint32_t disk_queue_find_before(const struct disk_queue *queue, const struct request *request)
{
	for (uint32_t i = 0; i < queue->slot_count; i++) {
		const struct request *before = &queue->slots[i].request;
		uint64_t end = (uint64_t)before->sector + (uint64_t)before->sectors;
		if (queue->slots[i].is_taken && before->kind == request->kind && end == (uint64_t)request->sector)
			return i;
	}
	return NO_SLOT;
}

/* Returns whether all sectors of the request are those of one of its kind in the queue. */
static bool disk_queue_contains(const struct disk_queue *queue, const struct request *request)
{
	for (uint32_t i = 0; i < queue->slot_count; i++) {
		const struct request_slot *slot = &queue->slots[i];
		if (slot->is_taken && slot->request.kind == request->kind && is_within(request, &slot->request))
			return true;
	}
	return false;
}

/* Returns NO_SLOT when memory runs out. */
static uint32_t free_slot(struct disk_queue *queue)
{
	for (uint32_t i = 0; i < queue->slot_count; i++)
		if (!queue->slots[i].is_taken)
			return i;
	uint32_t count = queue->slot_count == 0 ? 8 : queue->slot_count * 2;
	struct request_slot *slots = realloc(queue->slots, (size_t)count * sizeof(*slots));
	if (slots == NULL)
		return NO_SLOT;
	uint32_t first = queue->slot_count;
	for (uint32_t i = first; i < count; i++)
		slots[i] = (struct request_slot){ .node = NO_ATTRIBUTE,
						  .sector = NO_ATTRIBUTE,
						  .sectors = NO_ATTRIBUTE,
						  .origin = NO_ATTRIBUTE };
	queue->slots = slots;
	queue->slot_count = count;
	return first;
}

static void name_slot(struct disk_queue *queue, struct changes *changes, uint32_t number)
{
	struct request_slot *slot = &queue->slots[number];
	char name[16];
	int size = snprintf(name, sizeof(name), "%" PRIu32, number);
	changes_child(changes, &slot->node, queue->node, name, (size_t)size);
	changes_child(changes, &slot->sector, slot->node, "Current_request", strlen("Current_request"));
	changes_child(changes, &slot->sectors, slot->node, "Request_size", strlen("Request_size"));
	changes_child(changes, &slot->origin, slot->node, queue->origin, strlen(queue->origin));
}

/* The request comes; `origin` is the value of the attribute of that name.  No memory is remembered in changes. */
static void disk_queue_put(struct disk_queue *queue, struct changes *changes, const struct request *request,
			   struct histree_value origin)
{
	uint32_t number = free_slot(queue);
	if (number == NO_SLOT) {
		changes_fail(changes, HISTREE_ERR_MEMORY, "requests to block devices");
		return;
	}
	name_slot(queue, changes, number);
	struct request_slot *slot = &queue->slots[number];
	slot->request = *request;
	slot->is_taken = true;
	queue->taken++;
	change(changes, slot->node, histree_int((int32_t)request->kind));
	change(changes, slot->sector, histree_long(request->sector));
	change(changes, slot->sectors, histree_int((int32_t)request->sectors));
	change(changes, slot->origin, origin);
}

/* The request of a slot has other sectors. */
static void disk_queue_resize(struct disk_queue *queue, struct changes *changes, uint32_t number, int64_t sector,
			      int64_t sectors)
{
	struct request_slot *slot = &queue->slots[number];
	slot->request.sector = sector;
	slot->request.sectors = sectors;
	change(changes, slot->sector, histree_long(sector));
	change(changes, slot->sectors, histree_int((int32_t)sectors));
}

/* The request of a slot goes; its attributes have `value`. */
static void disk_queue_release(struct disk_queue *queue, struct changes *changes, uint32_t number,
			       struct histree_value value)
{
	struct request_slot *slot = &queue->slots[number];
	slot->is_taken = false;
	queue->taken--;
	change(changes, slot->node, value);
	change(changes, slot->sector, value);
	change(changes, slot->sectors, value);
	change(changes, slot->origin, value);
}

static void disk_queue_free(struct disk_queue *queue)
{
	free(queue->slots);
}

/* ---- disk ---------------------------------------------------------------------------------------------------- */

/* Make the disk of this number, with its attributes below `parent`. */
static void disk_init(struct disk *disk, struct changes *changes, histree_quark parent, int64_t device)
{
	*disk = (struct disk){
		.node = NO_ATTRIBUTE,
		.waiting_length = NO_ATTRIBUTE,
		.driver_length = NO_ATTRIBUTE,
		.sectors_read = NO_ATTRIBUTE,
		.sectors_written = NO_ATTRIBUTE,
		.waiting = { .node = NO_ATTRIBUTE, .origin = "merged_in" },
		.driver = { .node = NO_ATTRIBUTE, .origin = "issued_from" },
	};
	char name[KERNEL_DEVICE_SIZE];
	changes_child(changes, &disk->node, parent, name, kernel_device_text(device, name));
	changes_child(changes, &disk->waiting.node, disk->node, "Waiting_queue", strlen("Waiting_queue"));
	changes_child(changes, &disk->driver.node, disk->node, "Driver_queue", strlen("Driver_queue"));
}

static histree_quark disk_child(const struct disk *disk, struct changes *changes, histree_quark *known,
				const char *name)
{
	return changes_child(changes, known, disk->node, name, strlen(name));
}

/* ---- what an event says ------------------------------------------------------------------------------------- */

/* The kernel's bits as LTTng has them, or letters as perf has. */
static enum request_kind kind_of(const struct kernel_event *event)
{
	const struct kernel_text *letters = &event->letters;
	bool has_letters = letters->bytes != NULL;
	int64_t flags = (event->has & HAS_FLAGS) != 0 ? event->flags : 0;
	if (has_letters ? memchr(letters->bytes, 'W', letters->size) != NULL : (flags & 1) != 0)
		return REQUEST_WRITE;
	if (has_letters ? memchr(letters->bytes, 'R', letters->size) != NULL : (flags & (1 << 2 | 1 << 3)) != 0)
		return REQUEST_READ;
	if (has_letters ? memchr(letters->bytes, 'F', letters->size) != NULL : (flags & (1 << 8 | 1 << 10)) != 0)
		return REQUEST_FLUSH;
	return REQUEST_OTHER;
}

static void change_lengths(struct disk *disk, struct changes *changes)
{
	change(changes, disk_child(disk, changes, &disk->driver_length, "driverqueue_length"),
	       histree_int((int32_t)disk->driver.taken));
	change(changes, disk_child(disk, changes, &disk->waiting_length, "waitingqueue_length"),
	       histree_int((int32_t)disk->waiting.taken));
}

static void on_issue(struct disk *disk, struct changes *changes, const struct request *request)
{
	uint32_t slot = disk_queue_find(&disk->waiting, request);
	if (slot == NO_SLOT && disk_queue_contains(&disk->driver, request))
		return;
	if (slot != NO_SLOT)
		disk_queue_release(&disk->waiting, changes, slot, histree_null());
	/* All requests whose sectors are those of this one go. */
	for (uint32_t i = 0; i < disk->waiting.slot_count; i++)
		if (disk->waiting.slots[i].is_taken && is_within(&disk->waiting.slots[i].request, request))
			disk_queue_release(&disk->waiting, changes, i, histree_null());
	disk_queue_put(&disk->driver, changes, request,
		       slot != NO_SLOT ? histree_int((int32_t)slot) : histree_null());
	change_lengths(disk, changes);
}

/* Sectors are put before those of a request that waits. */
static void on_front_merge(struct disk *disk, struct changes *changes, const struct request *request)
{
	struct request behind = *request;
	behind.sector = (int64_t)((uint64_t)request->sector + (uint64_t)request->sectors);
	uint32_t slot = disk_queue_find(&disk->waiting, &behind);
	if (slot == NO_SLOT)
		return;
	uint64_t sectors = (uint64_t)disk->waiting.slots[slot].request.sectors + (uint64_t)request->sectors;
	disk_queue_resize(&disk->waiting, changes, slot, request->sector, (int64_t)sectors);
}

/* The request of `slot`, if it is one, goes behind the one of `into`. */
static void join(struct disk *disk, struct changes *changes, uint32_t into, uint32_t slot, int64_t sectors)
{
	const struct request grown = disk->waiting.slots[into].request;
	disk_queue_resize(&disk->waiting, changes, into, grown.sector,
			  (int64_t)((uint64_t)grown.sectors + (uint64_t)sectors));
	if (slot == NO_SLOT)
		return;
	disk_queue_release(&disk->waiting, changes, slot, histree_null());
	change_lengths(disk, changes);
}

/* The request goes behind the one that ends where it begins. */
static void on_request_merge(struct disk *disk, struct changes *changes, const struct request *request)
{
	uint32_t into = request->sectors > 0 ? disk_queue_find_before(&disk->waiting, request) : NO_SLOT;
	if (into != NO_SLOT)
		join(disk, changes, into, disk_queue_find(&disk->waiting, request), request->sectors);
}

/* Both are named by their sectors, and are of one kind. */
static void on_merge(struct disk *disk, struct changes *changes, const struct kernel_event *event)
{
	struct disk_queue *waiting = &disk->waiting;
	for (enum request_kind kind = REQUEST_WRITE; kind <= REQUEST_OTHER; kind++) {
		uint32_t slot =
			disk_queue_find(waiting, &(struct request){ .sector = event->sector, .kind = kind });
		uint32_t into =
			disk_queue_find(waiting, &(struct request){ .sector = event->into_sector, .kind = kind });
		if (slot != NO_SLOT && into != NO_SLOT && slot != into) {
			join(disk, changes, into, slot, waiting->slots[slot].request.sectors);
			return;
		}
	}
}

static void on_complete(struct disk *disk, struct changes *changes, struct request request)
{
	if (request.kind == REQUEST_FLUSH && request.sector == -1)
		request.sector = 0;
	if (request.kind == REQUEST_READ) {
		disk->read += (uint32_t)request.sectors;
		change(changes, disk_child(disk, changes, &disk->sectors_read, "sectors_read"),
		       histree_int((int32_t)disk->read));
	} else if (request.kind == REQUEST_WRITE) {
		disk->written += (uint32_t)request.sectors;
		change(changes, disk_child(disk, changes, &disk->sectors_written, "sectors_written"),
		       histree_int((int32_t)disk->written));
	}
	uint32_t slot = disk_queue_find(&disk->driver, &request);
	if (slot == NO_SLOT)
		return;
	disk_queue_release(&disk->driver, changes, slot, histree_null());
	change_lengths(disk, changes);
}

/* An event of the disk, of one of the roles KERNEL_BLOCK_*. */
static void disk_take(struct disk *disk, struct changes *changes, const struct kernel_event *event)
{
	const struct request request =
		(struct request){ .sector = event->sector,
				  .sectors = (event->has & HAS_SECTORS) != 0 && event->sectors > 0 ? event->sectors
												   : 0,
				  .kind = kind_of(event) };
	switch (event->role) {
	case KERNEL_BLOCK_INSERT:
		if (request.sectors != 0) {
			disk_queue_put(&disk->waiting, changes, &request, histree_null());
			change_lengths(disk, changes);
		}
		break;
	case KERNEL_BLOCK_ISSUE:
		on_issue(disk, changes, &request);
		break;
	case KERNEL_BLOCK_COMPLETE:
		on_complete(disk, changes, request);
		break;
	case KERNEL_BLOCK_FRONT_MERGE:
		on_front_merge(disk, changes, &request);
		break;
	case KERNEL_BLOCK_REQUEST_MERGE:
		on_request_merge(disk, changes, &request);
		break;
	case KERNEL_BLOCK_MERGE:
		on_merge(disk, changes, event);
		break;
	default:
		change(changes, disk->node, histree_string_n(event->name.bytes, event->name.size));
		break;
	}
}

/* ---- lost events -------------------------------------------------------------------------------------------- */

static void lose_queue(struct disk_queue *queue, struct changes *changes)
{
	for (uint32_t i = 0; i < queue->slot_count; i++)
		if (queue->slots[i].is_taken)
			disk_queue_release(queue, changes, i, histree_unknown());
}

/* ---- threads ------------------------------------------------------------------------------------------------ */

enum { BYTES_READ, BYTES_WRITTEN };
enum {
	CALL = BYTES_WRITTEN + 1
}; /* of the attributes of a thread: the call that it is in, which is not below it */
enum { THREADS, CPUS };

struct io_thread {
	struct kernel_sum_row row;
	bool is_reading, is_writing;
};

struct io_cpu {
	struct kernel_sum_row row;
	struct io_thread *thread; /* NULL: not known */
};

struct io {
	struct kernel_sums sums;
	histree_quark disks_node, calls_node;
	struct id_map disks; /* struct disk by number */
	bool has_any;        /* more than switches */
};

/* Returns NULL when memory runs out, which is remembered. */
static struct io_thread *thread_of(struct io *io, const struct machine_thread *thread)
{
	return (struct io_thread *)kernel_sum_row_of_thread(&io->sums, &io->sums.tables[THREADS], thread);
}

/* perf names the thread in each event; of LTTng's the one that was switched to is taken, as Trace Compass does. */
static struct io_thread *current_thread(struct io *io, const struct kernel_event *event)
{
	if (event->is_perf && event->own_tid >= 0)
		return thread_of(io, event->in_thread);
	const struct io_cpu *cpu =
		event->on_cpu != NULL ? dense_find(&io->sums.tables[CPUS].rows, event->on_cpu->place) : NULL;
	return cpu != NULL ? cpu->thread : NULL;
}

static void on_switch(struct io *io, const struct kernel_event *event)
{
	struct kernel_sum_row *cpu = kernel_sum_row_of_cpu(&io->sums, &io->sums.tables[CPUS], event->on_cpu);
	if (cpu != NULL)
		((struct io_cpu *)cpu)->thread = thread_of(io, event->thread);
}

/* Whether a call is called as `verb`, with whatever behind it, or as that with a p before it. */
static bool is_called(const struct kernel_text *name, const char *verb)
{
	size_t size = strlen(verb), skip = name->size > 0 && name->bytes[0] == 'p' ? 1 : 0;
	return name->size >= skip + size && memcmp(name->bytes + skip, verb, size) == 0;
}

static histree_quark call_of(struct io *io, struct io_thread *thread)
{
	histree_quark *known = &thread->row.quarks[CALL];
	char number[NUMBER_TEXT_SIZE];
	if (*known != NO_ATTRIBUTE)
		return *known;
	struct changes *changes = &io->sums.changes;
	changes_child(changes, &io->calls_node, HISTREE_ROOT, "system_calls", strlen("system_calls"));
	return changes_child(changes, known, io->calls_node, number,
			     number_format_signed(thread->row.number, number));
}

static void on_call_entry(struct io *io, const struct kernel_event *event, struct io_thread *thread)
{
	thread->is_reading = is_called(&event->name, "read");
	thread->is_writing = is_called(&event->name, "write");
	change(&io->sums.changes, call_of(io, thread),
	       histree_string_n(event->event_name.bytes, event->event_name.size));
}

static void on_call_exit(struct io *io, const struct kernel_event *event, struct io_thread *thread)
{
	bool moves = thread->is_reading || thread->is_writing;
	if (moves && (event->has & HAS_RESULT) != 0 && event->result >= 0) {
		const histree_quark bytes_read = kernel_sum_attribute(&io->sums, &thread->row, BYTES_READ),
				    written = kernel_sum_attribute(&io->sums, &thread->row, BYTES_WRITTEN);
		histree_quark quark = thread->is_reading ? bytes_read : written;
		int64_t amount = event->result;
		struct histree_value before = changes_value(&io->sums.changes, quark);
		uint32_t sum = before.type == HISTREE_INT ? (uint32_t)before.int32 : 0;
		change(&io->sums.changes, quark, histree_int((int32_t)(sum + (uint32_t)amount)));
	}
	thread->is_reading = thread->is_writing = false;
	if (thread->row.quarks[CALL] != NO_ATTRIBUTE)
		change(&io->sums.changes, thread->row.quarks[CALL], histree_null());
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

/* ---- disks -------------------------------------------------------------------------------------------------- */

/* Returns NULL when memory runs out, which is remembered. */
static struct disk *disk_of(struct io *io, int64_t device)
{
	struct disk *disk = id_map_find(&io->disks, (uint64_t)device);
	if (disk != NULL)
		return disk;
	disk = arena_allocate(&io->sums.records, sizeof(*disk), alignof(struct disk));
	if (disk == NULL || !id_map_add(&io->disks, (uint64_t)device, disk)) {
		changes_fail(&io->sums.changes, HISTREE_ERR_MEMORY, "disks and threads of the trace");
		return NULL;
	}
	changes_child(&io->sums.changes, &io->disks_node, HISTREE_ROOT, "Disks", strlen("Disks"));
	disk_init(disk, &io->sums.changes, io->disks_node, device);
	return disk;
}

static void on_request(struct io *io, const struct kernel_event *event)
{
	struct disk *disk = disk_of(io, event->device);
	if (disk != NULL)
		disk_take(disk, &io->sums.changes, event);
}

/* ---- the analysis ------------------------------------------------------------------------------------------- */

static void io_begin(struct kernel_sums *sums)
{
	((struct io *)sums)->disks_node = ((struct io *)sums)->calls_node = NO_ATTRIBUTE;
}

static void io_count(struct kernel_sums *sums, const struct kernel_event *event)
{
	struct io *io = (struct io *)sums;
	io->has_any |= event->role != KERNEL_SWITCH;
	if (event->role == KERNEL_SWITCH)
		on_switch(io, event);
	else if (event->role == KERNEL_SYSCALL_ENTRY || event->role == KERNEL_SYSCALL_EXIT)
		on_call(io, event);
	else
		on_request(io, event);
}

/* Any thread may have run on the CPU in the meantime, and any disk been asked. */
static void io_lose(struct kernel_sums *sums, const struct event_gap *gap)
{
	struct io *io = (struct io *)sums;
	const struct id_entry *entry;
	struct kernel_sum_row *row = NULL;
	while ((row = kernel_sum_next(sums, &sums->tables[CPUS], row)) != NULL)
		if (gap->cpu < 0 || row->number == gap->cpu)
			((struct io_cpu *)row)->thread = NULL;
	while ((row = kernel_sum_next(sums, &sums->tables[THREADS], row)) != NULL) {
		struct io_thread *thread = (struct io_thread *)row;
		thread->is_reading = thread->is_writing = false;
		if (thread->row.quarks[CALL] != NO_ATTRIBUTE)
			change(&io->sums.changes, thread->row.quarks[CALL], histree_unknown());
	}
	for (size_t at = 0; (entry = id_map_next(&io->disks, &at)) != NULL;) {
		/* Events are lost: what is in the queues may have ended. */
		struct disk *disk = entry->record;
		lose_queue(&disk->waiting, &sums->changes);
		lose_queue(&disk->driver, &sums->changes);
		if (disk->waiting_length == NO_ATTRIBUTE)
			continue;
		change(&sums->changes, disk->waiting_length, histree_unknown());
		change(&sums->changes, disk->driver_length, histree_unknown());
	}
}

static bool io_is_empty(const struct kernel_sums *sums)
{
	return !((const struct io *)sums)->has_any;
}

static void io_release(struct kernel_sums *sums)
{
	struct io *io = (struct io *)sums;
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&io->disks, &at)) != NULL;) {
		struct disk *disk = entry->record;
		disk_queue_free(&disk->waiting);
		disk_queue_free(&disk->driver);
	}
	id_map_release(&io->disks);
}

static const struct kernel_sums_kind io_sums = {
	.size = sizeof(struct io),
	.what = "disks and threads of the trace",
	.tables = {
		[THREADS] = {
			.folder = "Threads",
			.names = { "bytes_read", "bytes_written" },
			.row_size = sizeof(struct io_thread),
		},
		[CPUS] = { .row_size = sizeof(struct io_cpu) },
	},
	.roles = { KERNEL_SWITCH, KERNEL_SYSCALL_ENTRY, KERNEL_SYSCALL_EXIT, KERNEL_BLOCK_INSERT,
		   KERNEL_BLOCK_ISSUE, KERNEL_BLOCK_COMPLETE, KERNEL_BLOCK_DEVICE, KERNEL_BLOCK_FRONT_MERGE,
		   KERNEL_BLOCK_REQUEST_MERGE, KERNEL_BLOCK_MERGE },
	.role_count = 10,
	.needs_machine = true,
	.create = io_begin,
	.count = io_count,
	.lose = io_lose,
	.release = io_release,
	.missing = "the trace has neither requests to block devices nor system calls: record them (lttng "
		   "enable-event -k 'block_rq_*', and --syscall -a; or perf record -e 'block:*')",
	.is_empty = io_is_empty,
};

#define SECTOR_BYTES 512
/* What a line of numbers below the first entry is. */
#define LINE(attribute, words, of_points, times)                                                          \
	{                                                                                                 \
		.parent = 0, .path = (attribute), .shown = ".", .label = (words), .measure = (of_points), \
		.factor = (times)                                                                         \
	}

/* A disk is called by its state, where the trace tells its name. */
#define DISKS                                                               \
	{                                                                   \
		.parent = HISTREE_CHART_TOP, .path = "Disks/*", .name = "." \
	}
static const struct histree_chart_entry disk_bytes[] = {
	DISKS,
	LINE("sectors_read", "read", HISTREE_CHART_RATE, SECTOR_BYTES),
	LINE("sectors_written", "written", HISTREE_CHART_RATE, SECTOR_BYTES),
};

static const struct histree_chart_entry disk_queues[] = {
	DISKS,
	LINE("waitingqueue_length", "waiting", HISTREE_CHART_VALUE, 1),
	LINE("driverqueue_length", "with the driver", HISTREE_CHART_VALUE, 1),
};

static const struct histree_chart_entry thread_bytes[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "Threads/*" },
	LINE("bytes_read", "read", HISTREE_CHART_RATE, 1),
	LINE("bytes_written", "written", HISTREE_CHART_RATE, 1),
};

static const struct histree_chart io_charts[] = {
	{ .name = "disk-bytes",
	  .title = "Bytes read from and written to disks",
	  .unit = "B/s",
	  CHART_ENTRIES(disk_bytes) },
	{ .name = "disk-queues",
	  .title = "Requests in the queues of disks",
	  .unit = "requests",
	  CHART_ENTRIES(disk_queues) },
	{ .name = "thread-bytes",
	  .title = "Bytes that threads read and wrote",
	  .unit = "B/s",
	  CHART_ENTRIES(thread_bytes) },
};

const struct analysis analysis_io = {
	.name = "io",
	.version = 3,
	.summary = "queues of disks, and bytes that threads read and wrote, as Trace Compass counts them",
	.charts = io_charts,
	.chart_count = sizeof(io_charts) / sizeof(*io_charts),
	.kind = &io_sums,
	KERNEL_SUMS_OF_KERNEL,
};
