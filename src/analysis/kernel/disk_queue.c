// SPDX-License-Identifier: MIT
#include "analysis/kernel/disk_queue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sectors come from the trace: a sum of them may overflow, their differences as unsigned numbers do not. */
static bool is_within(const struct request *inner, const struct request *outer)
{
	if (inner->sector < outer->sector || inner->sectors > outer->sectors)
		return false;
	uint64_t offset = (uint64_t)inner->sector - (uint64_t)outer->sector;
	return offset <= (uint64_t)outer->sectors - (uint64_t)inner->sectors;
}

uint32_t disk_queue_find(const struct disk_queue *queue, const struct request *request)
{
	for (uint32_t i = 0; i < queue->slot_count; i++) {
		const struct request_slot *slot = &queue->slots[i];
		if (slot->is_taken && slot->request.sector == request->sector &&
		    slot->request.kind == request->kind)
			return i;
	}
	return NO_SLOT;
}

uint32_t disk_queue_find_before(const struct disk_queue *queue, const struct request *request)
{
	for (uint32_t i = 0; i < queue->slot_count; i++) {
		const struct request *before = &queue->slots[i].request;
		uint64_t end = (uint64_t)before->sector + (uint64_t)before->sectors;
		if (queue->slots[i].is_taken && before->kind == request->kind && end == (uint64_t)request->sector)
			return i;
	}
	return NO_SLOT;
}

bool disk_queue_contains(const struct disk_queue *queue, const struct request *request)
{
	for (uint32_t i = 0; i < queue->slot_count; i++) {
		const struct request_slot *slot = &queue->slots[i];
		if (slot->is_taken && slot->request.kind == request->kind && is_within(request, &slot->request))
			return true;
	}
	return false;
}

/* Returns NO_SLOT when memory is out. */
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

void disk_queue_put(struct disk_queue *queue, struct changes *changes, const struct request *request,
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

void disk_queue_resize(struct disk_queue *queue, struct changes *changes, uint32_t number, int64_t sector,
		       int64_t sectors)
{
	struct request_slot *slot = &queue->slots[number];
	slot->request.sector = sector;
	slot->request.sectors = sectors;
	change(changes, slot->sector, histree_long(sector));
	change(changes, slot->sectors, histree_int((int32_t)sectors));
}

void disk_queue_release(struct disk_queue *queue, struct changes *changes, uint32_t number,
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

void disk_queue_release_within(struct disk_queue *queue, struct changes *changes, const struct request *request)
{
	for (uint32_t i = 0; i < queue->slot_count; i++)
		if (queue->slots[i].is_taken && is_within(&queue->slots[i].request, request))
			disk_queue_release(queue, changes, i, histree_null());
}

void disk_queue_free(struct disk_queue *queue)
{
	free(queue->slots);
}
