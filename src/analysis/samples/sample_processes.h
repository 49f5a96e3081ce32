/* SPDX-License-Identifier: MIT */
/*
 * sample_processes.h - the processes that were sampled: their names, and which binary lies where.
 *
 * Which binary lies at an address of a process: parts of files, one never above another.
 *
 * Processes and threads of recordings of perf: what they are called and which binaries they
 * have, followed from event to event.
 */
#ifndef ANALYSIS_SAMPLES_SAMPLE_PROCESSES_H
#define ANALYSIS_SAMPLES_SAMPLE_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "analysis/samples/frame_names.h"
#include "base/hash_index.h"

struct space_image {
	uint64_t begin, last; /* both inclusive */
	uint64_t offset;      /* in the file, of what lies at `begin` */
	uint32_t binary;      /* its number */
};

/* A zeroed one is empty. */
struct address_space {
	struct space_image *images; /* by address */
	size_t count, capacity;
};

/*
 * Put an image where it lies: what was there is gone, except what reaches beyond it.  Returns false if memory is
 * out.
 */
bool address_space_add(struct address_space *space, const struct space_image *image);

/* Returns NULL if nothing is there. */
const struct space_image *address_space_find(const struct address_space *space, uint64_t address);

/* Become what another one is, as a process does that was forked off.  False: memory is out. */
bool address_space_copy(struct address_space *space, const struct address_space *from);
void address_space_release(struct address_space *space);

struct sample_process {
	struct address_space space;
	int64_t threads; /* that are known to be there */
};

struct sample_thread {
	uint32_t name; /* a text; INTERN_NONE: not known */
};

struct sample_processes {
	struct frame_names *names; /* borrowed */
	struct class_table bindings;
	struct id_map processes, threads; /* by trace and number */
	struct intern texts;
	struct arena records;
	size_t image_count;
	uint64_t left_out;    /* images and forks for which there was no room */
	struct id_map traces; /* struct event_trace by id: those that have said what there was when they began */
};

/* Large tables are in this space, which may be NULL. */
void sample_processes_init(struct sample_processes *processes, struct frame_names *names,
			   struct table_space *space);

/* Take an event; those of other kinds pass by.  False: memory is out. */
bool sample_processes_take(struct sample_processes *processes, const struct event *event);

/* Returns the binaries of a process; NULL: none are known. */
const struct address_space *sample_processes_space(const struct sample_processes *processes,
						   const struct event_trace *trace, int64_t pid);

/* Returns what a thread is called; NULL: not known. */
const char *sample_processes_name(const struct sample_processes *processes, const struct event_trace *trace,
				  int64_t tid);
void sample_processes_release(struct sample_processes *processes);

#endif
