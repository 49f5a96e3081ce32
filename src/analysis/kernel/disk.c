// SPDX-License-Identifier: MIT
#include "analysis/kernel/disk.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void disk_init(struct disk *disk, struct changes *changes, histree_quark parent, int64_t device)
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
	char name[24];
	int size = snprintf(name, sizeof(name), "%" PRId64, device);
	changes_child(changes, &disk->node, parent, name, (size_t)size);
	changes_child(changes, &disk->waiting.node, disk->node, "Waiting_queue", strlen("Waiting_queue"));
	changes_child(changes, &disk->driver.node, disk->node, "Driver_queue", strlen("Driver_queue"));
}

void disk_release(struct disk *disk)
{
	disk_queue_free(&disk->waiting);
	disk_queue_free(&disk->driver);
}

static histree_quark child(const struct disk *disk, struct changes *changes, histree_quark *known, const char *name)
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

static struct request request_of(const struct kernel_event *event)
{
	return (struct request){ .sector = event->sector,
				 .sectors =
					 (event->has & HAS_SECTORS) != 0 && event->sectors > 0 ? event->sectors : 0,
				 .kind = kind_of(event) };
}

static void change_lengths(struct disk *disk, struct changes *changes)
{
	change(changes, child(disk, changes, &disk->driver_length, "driverqueue_length"),
	       histree_int((int32_t)disk->driver.taken));
	change(changes, child(disk, changes, &disk->waiting_length, "waitingqueue_length"),
	       histree_int((int32_t)disk->waiting.taken));
}

static void on_insert(struct disk *disk, struct changes *changes, const struct request *request)
{
	if (request->sectors == 0)
		return;
	disk_queue_put(&disk->waiting, changes, request, histree_null());
	change_lengths(disk, changes);
}

static void on_issue(struct disk *disk, struct changes *changes, const struct request *request)
{
	uint32_t slot = disk_queue_find(&disk->waiting, request);
	if (slot == NO_SLOT && disk_queue_contains(&disk->driver, request))
		return;
	if (slot != NO_SLOT)
		disk_queue_release(&disk->waiting, changes, slot, histree_null());
	disk_queue_release_within(&disk->waiting, changes, request);
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
		change(changes, child(disk, changes, &disk->sectors_read, "sectors_read"),
		       histree_int((int32_t)disk->read));
	} else if (request.kind == REQUEST_WRITE) {
		disk->written += (uint32_t)request.sectors;
		change(changes, child(disk, changes, &disk->sectors_written, "sectors_written"),
		       histree_int((int32_t)disk->written));
	}
	uint32_t slot = disk_queue_find(&disk->driver, &request);
	if (slot == NO_SLOT)
		return;
	disk_queue_release(&disk->driver, changes, slot, histree_null());
	change_lengths(disk, changes);
}

void disk_take(struct disk *disk, struct changes *changes, const struct kernel_event *event)
{
	const struct request request = request_of(event);
	switch (event->role) {
	case KERNEL_BLOCK_INSERT:
		on_insert(disk, changes, &request);
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

void disk_lose(struct disk *disk, struct changes *changes)
{
	lose_queue(&disk->waiting, changes);
	lose_queue(&disk->driver, changes);
	if (disk->waiting_length == NO_ATTRIBUTE)
		return;
	change(changes, disk->waiting_length, histree_unknown());
	change(changes, disk->driver_length, histree_unknown());
}
