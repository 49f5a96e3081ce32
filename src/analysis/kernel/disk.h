/* SPDX-License-Identifier: MIT */
/*
 * disk.h - a block device in the analysis `io` (io.c): its queues, and the sectors that were read and written.
 *
 * A request waits from when it is inserted to when it is issued, and its driver has it until it is complete.  While
 * it waits it may grow, and become a part of another one.
 */
#ifndef ANALYSIS_KERNEL_DISK_H
#define ANALYSIS_KERNEL_DISK_H

#include "analysis/kernel/disk_queue.h"
#include "analysis/kernel/kernel_event.h"

struct disk {
	histree_quark node, waiting_length, driver_length, sectors_read, sectors_written;
	uint32_t read, written; /* sectors */
	struct disk_queue waiting, driver;
};

/* Make the disk of this number, with its attributes below `parent`. */
void disk_init(struct disk *disk, struct changes *changes, histree_quark parent, int64_t device);
void disk_release(struct disk *disk);

/* An event of the disk, of one of the roles KERNEL_BLOCK_*. */
void disk_take(struct disk *disk, struct changes *changes, const struct kernel_event *event);

/* Events are lost: what is in the queues may have ended. */
void disk_lose(struct disk *disk, struct changes *changes);

#endif
