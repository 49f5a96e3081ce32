/* SPDX-License-Identifier: MIT */
/*
 * ctf_cause.h - what babeltrace2 says when it fails, as one line.
 *
 * babeltrace2 keeps a list of causes per thread until somebody takes it; every failed call must be
 * followed by one of these two, else the next failure would be blamed on this one.
 */
#ifndef TRACE_CTF_CTF_CAUSE_H
#define TRACE_CTF_CTF_CAUSE_H

#include <stddef.h>

/*
 * Take the thread's error.  `text` gets the first cause, which is the deepest one, without line breaks
 * and addresses; "unknown cause" if babeltrace2 said nothing.
 */
void ctf_cause_take(char *text, size_t size);

void ctf_cause_drop(void);

#endif
