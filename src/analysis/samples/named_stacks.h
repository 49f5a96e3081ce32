/* SPDX-License-Identifier: MIT */
/*
 * named_stacks.h - stacks whose frames a trace has by name (event/sample_vocabulary.h), as nodes of the tree of all
 * stacks.
 *
 * Each stack that a trace has by number is looked at once, with its callers up to one that is known.  Files may say
 * that a stack is its own caller, or have callers without end: what comes again, or is more than SAMPLE_FRAMES_MAX
 * above, is left out.
 */
#ifndef ANALYSIS_SAMPLES_NAMED_STACKS_H
#define ANALYSIS_SAMPLES_NAMED_STACKS_H

#include "analysis/samples/frame_names.h"
#include "analysis/samples/stack_tree.h"
#include "event/event.h"

/* Of a stack; sysctl kernel.perf_event_max_stack is 127, and what is inlined comes to that. */
enum { SAMPLE_FRAMES_MAX = 4096 };

/* What is known of the stacks of one trace. */
struct named_table {
	uint32_t *nodes;  /* by number of the stack */
	uint32_t *frames; /* by number of the frame */
	uint16_t *depths; /* by number of the stack */
};

/* A zeroed one is empty. */
struct named_stacks {
	struct frame_names *names; /* borrowed, as is the tree */
	struct stack_tree *tree;
	struct named_table *tables; /* by id of the trace */
	size_t table_count, table_capacity;
	uint32_t *path; /* from a stack up to its callers */
	size_t path_capacity;
	char *line; /* of a text, terminated where its parts end */
	size_t line_capacity;
};

/*
 * Find the node of a stack, by its number or by its text; of none that the trace has, that of "[unknown]".  False:
 * memory is out.
 */
bool named_stacks_find(struct named_stacks *named, const struct event_trace *trace, int64_t number, uint32_t *node);
bool named_stacks_read(struct named_stacks *named, const char *text, size_t size, uint32_t *node);

void named_stacks_release(struct named_stacks *named);

#endif
