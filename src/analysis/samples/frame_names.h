/* SPDX-License-Identifier: MIT */
/*
 * frame_names.h - which functions an address of a binary stands for, looked up once.
 *
 * A frame is a function, where in it that is, and its binary.  An address within a function into which others were
 * inlined stands for several frames.  What has no name is called by its binary, "[libc.so.6]", and what lies in no
 * binary "[unknown]": addresses would make a frame of each.
 */
#ifndef ANALYSIS_SAMPLES_FRAME_NAMES_H
#define ANALYSIS_SAMPLES_FRAME_NAMES_H

#include "base/arena.h"
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

/* Returns the number of a binary; INTERN_NONE when memory is out. */
uint32_t frame_names_binary(struct frame_names *names, const char *path, size_t path_size, const uint8_t *build_id,
			    size_t build_id_size);

/*
 * Finds the frames at an offset of a binary, or at an address of the kernel, outermost first: at least one.  They
 * last until the next question.  False: memory is out.
 */
bool frame_names_find(struct frame_names *names, uint32_t binary, uint64_t offset, const uint32_t **frames,
		      size_t *count);

/* Returns the frame of a function that has its name already; INTERN_NONE when memory is out. */
uint32_t frame_names_named(struct frame_names *names, const struct event_frame *frame);

/* Whether a frame is what a binary has where there is no name. */
bool frame_names_is_unnamed(const struct frame_names *names, uint32_t frame);

struct frame_text frame_names_text(const struct frame_names *names, uint32_t frame);

/* Writes a sentence about files that there were not, or "". */
void frame_names_missing(const struct frame_names *names, char *text, size_t size);

void frame_names_release(struct frame_names *names);

#endif
