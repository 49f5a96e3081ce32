/* SPDX-License-Identifier: MIT */
/*
 * packed_samples.h - samples in the words of event.h, for readers whose events are packed: their numbered stacks,
 * and their classes.
 *
 * A reader makes stacks of frames, from the outermost on, by packed_samples_frame() and _stack(); or, where its
 * file has tables of them in any order, by _named() for each id that it meets and _set() where the file defines the
 * id.  Frames and stacks beyond the limit for a file have no name, and a warning says so.  On failure, the
 * functions return EVENT_NO_STACK or INTERN_NONE, which the next call accepts and treats as lack of memory.
 * Everything is in the source's tables.
 */
#ifndef TRACE_PACKED_PACKED_SAMPLES_H
#define TRACE_PACKED_PACKED_SAMPLES_H

#include <string.h>

#include "event/event.h"
#include "trace/packed/packed_source.h"

enum {
	PACKED_STACKS_MAX = 1 << 21,
	PACKED_FRAMES_MAX = 1 << 19,
	PACKED_NAMES_SIZE = 64 << 20, /* of all functions, binaries and lines together */
	PACKED_NAME_MAX = 1000,       /* of one; the rest is cut off */
	PACKED_EVENTS_MAX = 256,      /* names of what was counted */
	PACKED_DEEP_MAX = 4096,       /* frames of a stack that readers go through */
};

struct packed_text {
	const char *bytes;
	size_t size;
};

/* A zeroed one says nothing. */
struct packed_sample {
	histree_time time;
	int32_t cpu;
	struct packed_text event; /* no bytes: "samples" */
	uint32_t stack;
	/* By enum sample_field, but the stack. */
	struct packed_cell cells[SAMPLE_FIELD_COUNT];
};

/* A zeroed one can be released. */
struct packed_samples {
	struct packed_source *packed;
	struct event_trace *trace; /* whose samples they are */
	struct intern texts, frames, ids, events;
	size_t texts_size;
	struct event_frame *frame_list; /* by number */
	size_t frame_capacity;
	struct event_stack *stacks; /* by number */
	uint32_t stack_count;
	size_t stack_capacity;
	struct hash_index by_frame;
	uint32_t *of_ids; /* stacks */
	size_t id_capacity;
	struct table frame_table, stack_table, id_table; /* of these arrays */
	const struct packed_class **classes;             /* by number of the event */
	size_t class_capacity;
	struct event_stacks all;
	uint64_t added;
	bool is_full; /* something has no name for it */
};

/* Forget what was read before.  `trace` is the base's, or one beside it.  Released before the source is. */
void packed_samples_begin(struct packed_samples *samples, struct packed_source *packed, struct event_trace *trace);

uint32_t packed_samples_frame(struct packed_samples *samples, struct packed_text function,
			      struct packed_text binary, struct packed_text line);

/* `parent` is EVENT_NO_STACK for the outermost. */
uint32_t packed_samples_stack(struct packed_samples *samples, uint32_t parent, uint32_t frame);

uint32_t packed_samples_named(struct packed_samples *samples, struct packed_text id);
void packed_samples_set(struct packed_samples *samples, uint32_t stack, uint32_t parent, uint32_t frame);

/* Say of a stack only whose it is. */
void packed_samples_adopt(struct packed_samples *samples, uint32_t stack, uint32_t parent);

/* What packed_source_add() returns. */
enum histree_status packed_samples_add(struct packed_samples *samples, const struct packed_sample *sample,
				       struct histree_error *error);

/* The trace has them from now on.  Says in the notes what has no name. */
void packed_samples_end(struct packed_samples *samples);

void packed_samples_release(struct packed_samples *samples);

static inline struct packed_text packed_string(const char *text)
{
	return (struct packed_text){ text, strlen(text) };
}

/* A name, cut behind a character of UTF-8 if it is too long; absent if it has no bytes. */
static inline struct packed_cell packed_name(struct packed_text text)
{
	const struct packed_cell none = { .kind = PACKED_ABSENT };
	size_t size = text.size;
	if (size > PACKED_NAME_MAX)
		for (size = PACKED_NAME_MAX; size > 0 && ((unsigned char)text.bytes[size] & 0xc0) == 0x80;)
			size--;
	return size > 0 ? packed_text(text.bytes, size) : none;
}

#endif
