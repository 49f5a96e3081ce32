/* SPDX-License-Identifier: MIT */
/*
 * faulty_io.h - another table of base/io.h, but its n-th operation fails.
 *
 * Closing, unlinking and rmdir are how a failure is cleaned up: they are counted nowhere and never fail.
 */
#ifndef SUPPORT_FAULTY_IO_H
#define SUPPORT_FAULTY_IO_H

#include <stdbool.h>

#include "base/io.h"

struct faulty_io {
	struct io io;
	const struct io *under;
	_Atomic(uint64_t) operations; /* so far, of all threads */
	uint64_t fail_at;             /* the operation that fails, from 1; 0: none */
	bool for_ever;                /* all after it fail too: a full disk, an unplugged one */
	bool short_transfers;         /* each read and write does a part only, and is interrupted now and then */
	bool no_exchange;             /* a file system that cannot exchange two names */
};

void faulty_io_init(struct faulty_io *faulty, const struct io *under);

#endif
