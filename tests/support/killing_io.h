/* SPDX-License-Identifier: MIT */
/*
 * killing_io.h - the table of base/io.h for a process that is to be killed at its n-th file call.
 *
 * SIGKILL leaves a process no time to tidy up, and cannot be aimed at a file call from outside.  So the process
 * sends it to itself: before the call, after it, or with half of what was to be written on disk.
 *
 * Nothing is synced: who is killed loses nothing that the system has (support/crash_io.h is for power failures).
 */
#ifndef SUPPORT_KILLING_IO_H
#define SUPPORT_KILLING_IO_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/io.h"

/* The calls that count. */
enum killing_calls {
	KILLING_ANY,
	KILLING_NAMES, /* those that make, change or remove names, and syncs */
	KILLING_LATE,  /* those from the first on that is made when a history is complete */
	KILLING_KINDS,
};

enum killing_way { KILLING_BEFORE, KILLING_AFTER, KILLING_HALF, KILLING_WAYS };

struct killing_io {
	struct io io;
	enum killing_calls calls;
	enum killing_way way;
	uint64_t kill_at; /* a call of that kind, from 1; 0: none */
	bool no_exchange; /* a file system that cannot exchange two names */
	_Atomic bool is_late;
	_Atomic uint64_t *counts; /* of each kind, so far; KILLING_KINDS of them, which others may share */
};

void killing_io_init(struct killing_io *killing, _Atomic uint64_t *counts);

#endif
