/* SPDX-License-Identifier: MIT */
/*
 * io.h - a disk: its queues of requests, and their states.
 *
 * The requests that wait for a block device, or that its driver has.
 *
 * A request has the lowest slot that is free when it comes.  Queues are short: they are walked.
 *
 * A block device in the analysis `io` (io.c): its queues, and the sectors that were read and written.
 *
 * A request waits from when it is inserted to when it is issued, and its driver has it until it is complete.  While
 * it waits it may grow, and become a part of another one.
 */
#ifndef ANALYSIS_KERNEL_IO_H
#define ANALYSIS_KERNEL_IO_H

#include "analysis/changes.h"
#include "analysis/kernel/kernel_layout.h"

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

#endif
