/* SPDX-License-Identifier: MIT */
/*
 * event_images.h - which files lay where in processes, and what threads were called, when a recording began.
 *
 * A recorder that begins while programs run says so of each of them, but not when that came to be: it makes no
 * events of it.  What changes later are events.
 */
#ifndef EVENT_EVENT_IMAGES_H
#define EVENT_EVENT_IMAGES_H

#include <stddef.h>
#include <stdint.h>

/* Part of a file, in the memory of a process. */
struct event_image {
	int64_t pid;
	uint64_t begin, size; /* addresses */
	uint64_t offset;      /* in the file, of what lies at `begin` */
	const char *path;     /* terminated; also a word in brackets for what is no file: "[vdso]" */
	const uint8_t *build_id;
	size_t build_id_size; /* 0: not known */
};

struct event_thread_name {
	int64_t pid, tid;
	const char *name; /* terminated */
};

/* Which process made another one. */
struct event_parent {
	int64_t pid, parent;
};

/* In the order in which they were said: of what overlaps, the later one is there. */
struct event_images {
	const struct event_image *images;
	size_t image_count;
	const struct event_thread_name *names;
	size_t name_count;
	const struct event_parent *parents; /* by number of the process */
	size_t parent_count;
};

#endif
