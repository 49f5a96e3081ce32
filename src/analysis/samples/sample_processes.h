/* SPDX-License-Identifier: MIT */
/*
 * sample_processes.h - the sampled processes: their names, their mapped binaries, and the functions at addresses in
 * them.
 *
 * A frame is a function, a place in it, and its binary.  An address within a function into which others were
 * inlined stands for several frames.  A function without a name is named after its binary, "[libc.so.6]", and an
 * address in no binary is "[unknown]": otherwise each address would be a different frame.
 *
 * The mappings of a process are parts of files that do not overlap.
 *
 * The names and binaries of processes and threads in recordings of perf are followed from event to event.
 */
#ifndef ANALYSIS_SAMPLES_SAMPLE_PROCESSES_H
#define ANALYSIS_SAMPLES_SAMPLE_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "base/arena.h"
#include "base/hash_index.h"
#include "event/event.h"
#include "symbols/symbol_source.h"

/* Binaries that are no files come first. */
enum { BINARY_UNKNOWN, BINARY_KERNEL, BINARY_HYPERVISOR, BINARY_GUEST, BINARY_OWN_COUNT };

struct frame_text {
	const char *name, *line, *binary; /* terminated; "" for a line that is not known */
};

struct frame_place {
	uint32_t first, count; /* its frames in the list */
};

/* A zeroed one is closed. */
struct frame_names {
	struct symbol_source source;
	bool is_open;
	bool has_binaries; /* that can be looked at */
	struct intern texts;
	struct intern frames;   /* three numbers of texts each */
	struct intern binaries; /* a path, a zero, and a build id */
	uint32_t *unnamed;      /* by number of the binary: its frame without a name */
	size_t unnamed_capacity;
	struct intern places;      /* number of the binary and offset in it */
	struct frame_place *found; /* by number of the place */
	size_t found_capacity;
	uint32_t *list;
	size_t list_count, list_capacity;
	struct table found_table, list_table; /* of these arrays */
	/* Of places in files. */
	uint64_t named, not_named;
	const char *missing_path; /* of the first file that there was not; NULL: none */
	bool is_other_build;      /* there is one, of another build */
};

/* Large tables are in this space, which may be NULL.  Release it also after failure. */
enum histree_status frame_names_open(struct frame_names *names, const struct symbol_places *places,
				     struct table_space *space, struct histree_error *error);

/*
 * Finds the frames at an offset of a binary, or at an address of the kernel, outermost first: at least one.  They
 * last until the next question.  False: memory runs out.
 */
bool frame_names_find(struct frame_names *names, uint32_t binary, uint64_t offset, const uint32_t **frames,
		      size_t *count);

/* Returns the frame of a function that has its name already; INTERN_NONE when memory runs out. */
uint32_t frame_names_named(struct frame_names *names, const struct event_frame *frame);

/* Whether the frame stands for a binary whose function has no name. */
bool frame_names_is_unnamed(const struct frame_names *names, uint32_t frame);
struct frame_text frame_names_text(const struct frame_names *names, uint32_t frame);

/* Writes a sentence about files that there were not, or "". */
void frame_names_missing(const struct frame_names *names, char *text, size_t size);
void frame_names_release(struct frame_names *names);

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
 * Put an image where it lies: what was there is gone, except what reaches beyond it.  Returns false if memory runs
 * out.
 */
bool address_space_add(struct address_space *space, const struct space_image *image);

/* Returns NULL if nothing is there. */
const struct space_image *address_space_find(const struct address_space *space, uint64_t address);

/* Become what another one is, as a process does that was forked off.  False: memory runs out. */
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

/* Take an event; those of other kinds pass by.  False: memory runs out. */
bool sample_processes_take(struct sample_processes *processes, const struct event *event);

/* Returns the binaries of a process; NULL: none are known. */
const struct address_space *sample_processes_space(const struct sample_processes *processes,
						   const struct event_trace *trace, int64_t pid);

/* Returns what a thread is called; NULL: not known. */
const char *sample_processes_name(const struct sample_processes *processes, const struct event_trace *trace,
				  int64_t tid);
void sample_processes_release(struct sample_processes *processes);

#endif
