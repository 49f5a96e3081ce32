/* SPDX-License-Identifier: MIT */
/*
 * disk_queue.h - the requests that wait for a block device, or that its driver has.
 *
 * A request has the lowest slot that is free when it comes.  Queues are short: they are walked.
 */
#ifndef ANALYSIS_KERNEL_DISK_QUEUE_H
#define ANALYSIS_KERNEL_DISK_QUEUE_H

#include "analysis/changes.h"

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

#define NO_SLOT UINT32_MAX

/* Returns the slot of the request with this sector and kind; NO_SLOT if there is none. */
uint32_t disk_queue_find(const struct disk_queue *queue, const struct request *request);

/* Returns the slot of the request of its kind that ends where this one begins; NO_SLOT if there is none. */
uint32_t disk_queue_find_before(const struct disk_queue *queue, const struct request *request);

/* Returns whether all sectors of the request are those of one of its kind in the queue. */
bool disk_queue_contains(const struct disk_queue *queue, const struct request *request);

/* The request comes; `origin` is the value of the attribute of that name.  No memory is remembered in changes. */
void disk_queue_put(struct disk_queue *queue, struct changes *changes, const struct request *request,
		    struct histree_value origin);

/* The request of a slot has other sectors. */
void disk_queue_resize(struct disk_queue *queue, struct changes *changes, uint32_t slot, int64_t sector,
		       int64_t sectors);

/* The request of a slot goes; its attributes have `value`. */
void disk_queue_release(struct disk_queue *queue, struct changes *changes, uint32_t slot,
			struct histree_value value);

/* All requests whose sectors are those of this one go. */
void disk_queue_release_within(struct disk_queue *queue, struct changes *changes, const struct request *request);

void disk_queue_free(struct disk_queue *queue);

#endif
